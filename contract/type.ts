import type * as typebox from 'typebox';

const optionals = new WeakSet<object>();

function objectOf(properties: Readonly<Record<string, object>>, options = {}): object {
  const required = Object.entries(properties).flatMap(([name, schema]) => (optionals.has(schema) ? [] : [name]));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

const words = {
  Object: objectOf,
  Record: ({ pattern = '^.*$' }: { readonly pattern?: string }, values: object, options = {}) => ({
    type: 'object',
    patternProperties: { [pattern]: values },
    ...options,
  }),
  Array: (items: object, options = {}) => ({ type: 'array', items, ...options }),
  Tuple: (items: readonly object[], options = {}) => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  String: (options = {}) => ({ type: 'string', ...options }),
  Integer: (options = {}) => ({ type: 'integer', ...options }),
  Number: (options = {}) => ({ type: 'number', ...options }),
  Boolean: (options = {}) => ({ type: 'boolean', ...options }),
  Null: () => ({ type: 'null' }),
  Unknown: (options = {}) => ({ ...options }),
  Literal: (value: string | number | boolean, options = {}) => ({ type: typeof value, const: value, ...options }),
  Enum: (values: readonly unknown[], options = {}) => ({ enum: values, ...options }),
  Union: (schemas: readonly object[], options = {}) => ({ anyOf: schemas, ...options }),
  Ref: (id: string, options = {}) => ({ $ref: id, ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
  /** What an object may lack. */
  Optional: (schema: object) => {
    const same = { ...schema };
    optionals.add(same);
    return same;
  },
};

/**
 * The words of typebox that schemas are written with here, making what they make there. Its types tell what fits a schema; of itself nothing
 * is loaded, 370 modules in every process and every thread.
 */
export const Type = {
  ...words,
  /** An object that has no further members, so that a misspelled one is told. */
  Closed: (properties: Readonly<Record<string, object>>, options = {}) =>
    objectOf(properties, { additionalProperties: false, ...options }),
} as unknown as Pick<typeof typebox.Type, keyof typeof words> & { readonly Closed: typeof typebox.Type.Object };
