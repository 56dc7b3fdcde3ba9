import type { Areas } from '../../../reference-server/areas.ts';
import { type AreaName, breaks, type MethodName, type Variant } from '../../breaks.ts';

type ArgumentsOf<Method> = Method extends (...args: infer Args) => unknown ? Args : never;

/** Answers a call of a method as the first one with its key was, unless that was refused; one without a key is done anew. */
export function keeps<Name extends AreaName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  keyOf: (...args: ArgumentsOf<Areas[Name][Method]>) => string | undefined,
): Variant {
  const wrong = (right: (...args: unknown[]) => unknown) => {
    const kept = new Map<string, unknown>();
    return (areas: Areas, ...args: never[]) => {
      const key = keyOf(...(args as unknown as ArgumentsOf<Areas[Name][Method]>));
      if (key === undefined) return right(areas, ...args);
      if (!kept.has(key)) kept.set(key, right(areas, ...args));
      const result = kept.get(key);
      if (result instanceof Promise) result.catch(() => kept.delete(key));
      return result;
    };
  };
  return breaks(name, method, wrong as never);
}
