import { Type, type TSchema } from 'typebox';

/** Parts of the schemas in this folder. Objects of a profile are closed, so that a misspelled key is told. */
export const closed = { additionalProperties: false } as const;
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const text = (description: string) => Type.String({ description, minLength: 1 });
export const json = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
/** One status, or several that count alike. */
export const status = (description: string) =>
  optional(
    Type.Union(
      [
        Type.Integer({ minimum: 100, maximum: 599 }),
        Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1 }),
      ],
      { description },
    ),
  );
