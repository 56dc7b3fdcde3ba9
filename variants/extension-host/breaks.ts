/** A class of areas, whatever it is made with. */
export type AreaClass = new (...parts: never[]) => object;

/** Takes the classes that something is made of, and gives them back with wrong ones among them. */
export type Variant<Areas> = (areas: Areas) => Areas;

type MethodOf<Area> = {
  [Name in keyof Area]: Area[Name] extends (...given: never[]) => unknown ? Name : never;
}[keyof Area];

/**
 * The maker of variants of these areas. `breaks(area, method, wrong)` puts a subclass of the area in place: in each of its instances the
 * method is what `wrong` makes of the right one, which comes bound to the instance, and of the instance itself. `wrong` is called once an
 * instance, so that what it keeps belongs to that one.
 */
export function breaking<Areas extends { readonly [Name in keyof Areas]: AreaClass }>() {
  return <Name extends string & keyof Areas, Method extends string & MethodOf<InstanceType<Areas[Name]>>>(
    area: Name,
    method: Method,
    wrong: (
      right: InstanceType<Areas[Name]>[Method],
      area: InstanceType<Areas[Name]>,
    ) => InstanceType<Areas[Name]>[Method],
  ): Variant<Areas> =>
    (areas) => {
      const Right: AreaClass = areas[area];
      class Wrong extends Right {
        constructor(...parts: never[]) {
          super(...parts);
          const [instance, name]: [object, string] = [this, method];
          const right = Reflect.get(instance, name).bind(instance);
          Reflect.set(instance, name, Reflect.apply(wrong, undefined, [right, instance]));
        }
      }
      return { ...areas, [area]: Wrong };
    };
}

/** The variant that is several at once. */
export function together<Areas>(...variants: readonly Variant<Areas>[]): Variant<Areas> {
  return (areas) => variants.reduce((before, variant) => variant(before), areas);
}
