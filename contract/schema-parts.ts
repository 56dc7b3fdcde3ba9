import type { TSchema } from 'typebox';
import { Type } from './type.ts';

/** Parts of the schemas in this folder. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const text = (description: string) => Type.String({ description, minLength: 1 });
/** @param names of placeholders in double braces that texts inside may hold; any text will do unless given */
export const json = (description: string, names?: readonly string[]) =>
  Type.Record(Type.String(), Type.Unknown(), { description, ...(names && placeholders('{{', names)) });
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

/** What may stand in braces in the texts below a schema: refused is what is not among them. `{{` in templates of requests, `{` in plain paths. */
export const placeholders = (open: '{' | '{{', names: readonly string[]) => ({
  placeholders: [...new Set(names)].map((name) => open + name + '}'.repeat(open.length)),
});

/** A path template in which `{name}` is replaced. */
export const pathTemplate = (description: string, names: readonly string[]) =>
  Type.String({ description, minLength: 1, ...placeholders('{', names) });
