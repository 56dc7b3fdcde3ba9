import { AsyncLocalStorage } from 'node:async_hooks';
import { type AreaClasses, type Areas, rightAreas } from '../reference-server/areas.ts';

/** A wrong or strange variant of the server: puts subclasses of areas in the place of their classes. */
export type Variant = (classes: AreaClasses) => AreaClasses;

export type AreaName = keyof AreaClasses;
type Work = (...args: never[]) => unknown;
/** The methods of an area that others may call; what is private cannot be replaced. */
export type MethodName<Name extends AreaName> = {
  [Key in keyof Areas[Name]]: Areas[Name][Key] extends Work ? Key : never;
}[keyof Areas[Name]] &
  string;
/** Variants by the id of what they break. */
export type Variants = Readonly<Record<string, Variant>>;

/** A method that is told first in which server it works: in a step of its work that may be one with other methods, see `within`. */
type Told<Method> = Method extends (...args: infer Args) => infer Result
  ? (areas: Areas, ...args: Args) => Result
  : never;

/** Makes the wrong method from the right one. */
export type Wrong<Name extends AreaName, Method extends MethodName<Name>> = (
  right: Told<Areas[Name][Method]>,
) => Told<Areas[Name][Method]>;

/**
 * The variant that wraps one method of one area.
 * @param wrong gets the method as it was, and is called once for each server that is built
 */
export function breaks<Name extends AreaName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  wrong: Wrong<Name, Method>,
): Variant {
  return (classes) => ({ ...classes, [name]: subclassOf(classes[name], name, method, wrong) });
}

/** Does the work of a method in its place; it is told the right one, which is told of the server before all else. */
type Replacement<Method> = Method extends (...args: infer Args) => infer Result
  ? (right: Told<Method>, areas: Areas, ...args: Args) => Result
  : never;

/** The variant that does something else in the place of one method of one area, and keeps nothing from call to call. */
export function replaces<Name extends AreaName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  other: Replacement<Areas[Name][Method]>,
): Variant {
  const work: Work = other;
  const wrong =
    (right: unknown) =>
    (...args: never[]) =>
      work(...([right, ...args] as never[]));
  return breaks(name, method, wrong as never);
}

/** Notes every call of a method of an area, as `area.method`; all stays as it is. */
export function watches(note: (method: string) => void): Variant {
  return (classes) => {
    const watched = { ...classes };
    for (const name of areaNames)
      for (const method of Object.getOwnPropertyNames(classes[name].prototype))
        if (method !== 'constructor')
          Object.assign(watched, {
            [name]: subclassOf(watched[name], name, method, noteCallsOf(`${name}.${method}`, note)),
          });
    return watched;
  };
}

function noteCallsOf(method: string, note: (method: string) => void): (right: never) => Work {
  return (right: Work) =>
    (...args) => {
      note(method);
      return right(...args);
    };
}

/** The methods that the variant wraps, as `area.method`. */
export function methodsBrokenBy(variant: Variant): readonly string[] {
  const wrong = variant(rightAreas);
  return areaNames.flatMap((name) => {
    const found: string[] = [];
    for (
      let area: object | null = wrong[name];
      area !== null && area !== rightAreas[name];
      area = Object.getPrototypeOf(area)
    )
      if (Object.hasOwn(area, broken)) found.push(`${name}.${String(Reflect.get(area, broken))}`);
    return found;
  });
}

/** Under this an instance of a subclass keeps the server in which it works. */
const server = Symbol('server');
/** Under this a subclass keeps the name of the method that it wraps. */
const broken = Symbol('broken');

function subclassOf(
  Right: new (needs: Areas) => object,
  name: AreaName,
  method: string,
  wrong: (right: never) => Work,
): new (needs: Areas) => object {
  return class extends Right {
    static readonly [broken] = method;
    readonly [server]: Areas;

    constructor(needs: Areas) {
      super(needs);
      this[server] = needs;
      const right = workOf(this, method);
      const told = wrong(((areas: Areas, ...args: never[]) => right.apply(areas[name], args)) as never);
      Object.defineProperty(this, method, {
        configurable: true,
        value(this: { readonly [server]: Areas }, ...args: never[]): unknown {
          return told(this[server] as never, ...args);
        },
      });
    }
  };
}

function workOf(area: object, method: string): Work {
  const work: unknown = Reflect.get(area, method);
  if (typeof work === 'function') return work as Work;
  throw new TypeError(`Expected a method ${method}, found none.`);
}

/** The variant that is several at once; of two that wrap one method, the later one has the last word. */
export function together(...variants: readonly Variant[]): Variant {
  return (classes) => variants.reduce((record, variant) => variant(record), classes);
}

/** A step of the work of a server, with all that is done for it. */
export class Step {
  readonly #on = new AsyncLocalStorage<true>();

  run<Result>(work: () => Result): Result {
    return this.#on.run(true, work);
  }

  /** Whether what runs now is a part of the step. */
  isOn(): boolean {
    return this.#on.getStore() === true;
  }
}

/** Methods that take the place of others, by area. */
export type Changes = { readonly [Name in AreaName]?: Partial<Areas[Name]> };

/**
 * The server for one step of its work, with other methods in it; state and ports are those that it has anyhow. Routes stay bound to the
 * server that they were made for: what lies behind one is reached by a `Step`.
 */
export function within(areas: Areas, changes: Changes): Areas {
  const originals: readonly object[] = [areas, ...areaNames.map((name) => areas[name])];
  const copies = new Map<unknown, object>(originals.map((original) => [original, Object.create(original)]));
  for (const original of originals)
    for (const key of Reflect.ownKeys(original)) {
      const own = copies.get(Reflect.get(original, key));
      const copy = copies.get(original);
      if (own !== undefined && copy !== undefined) Object.defineProperty(copy, key, { value: own });
    }
  for (const name of areaNames)
    for (const [method, value] of Object.entries(changes[name] ?? {}))
      Object.defineProperty(copies.get(areas[name]), method, { value });
  return copies.get(areas) as Areas;
}

const areaNames = Object.keys(rightAreas) as readonly AreaName[];
