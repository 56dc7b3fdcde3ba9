/** A JSON object, and no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON Pointer (RFC 6901) through these segments. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value that a JSON Pointer leads to, through arrays as well; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.reduce<unknown>(
    (place, segment) =>
      typeof place === 'object' && place !== null && Object.hasOwn(place, segment)
        ? Reflect.get(place, segment)
        : undefined,
    value,
  );
}
