/** Names that a built-in has, itself and through its prototype; symbols as @@name. */
export interface BuiltIn {
  readonly own: readonly string[];
  readonly proto: readonly string[];
}

/** Built-ins that no global names. */
const hidden: Readonly<Record<string, () => object>> = {
  '%TypedArray%': () => Object.getPrototypeOf(Uint8Array),
  '%IteratorPrototype%': () => Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
};

/** Everything that the engine which runs this has built in. */
export function builtInsOf(world: object): Readonly<Record<string, BuiltIn>> {
  const globals = namesOf(world).map((name) => [name, Reflect.get(world, name)] as const);
  const others = Object.entries(hidden).map(([name, of]) => [name, of()] as const);
  return Object.fromEntries(
    [...globals, ...others].map(([name, value]) => [
      name,
      { own: namesOf(value), proto: namesOf(Reflect.get(Object(value), 'prototype')) },
    ]),
  );
}

/** Global names that a module system adds, which may not even be looked at. */
const untouchable = ['module', 'exports', 'require', 'open', '__ENV', '__VU', '__ITER'];

function namesOf(value: unknown): readonly string[] {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return [];
  return Reflect.ownKeys(value)
    .map((key) => (typeof key === 'symbol' ? `@@${(key.description ?? '').replace('Symbol.', '')}` : key))
    .filter((name) => !untouchable.includes(name));
}
