import { isObject } from '../instance.ts';

/** The value that a JSON Pointer leads to, or undefined. */
export function resolved(value: unknown, path: string): unknown {
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.reduce<unknown>((at, segment) => (isObject(at) ? at[segment] : undefined), value);
}
