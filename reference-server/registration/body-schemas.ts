import { Type, type Static } from 'typebox';
import { permissionNames } from '../../contract/names.ts';

/** Bodies of the three registration routes. Fields that the document does not name are passed over. Source: ledger registration-validation-depth */
const text = Type.String();
const filled = Type.String({ minLength: 1 });
const positive = Type.Integer({ minimum: 1 });
const flag = Type.Optional(Type.Boolean());

/** Source: RFC 9110 sections 5.1 and 5.5 */
const header = Type.Object({
  name: Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
  value: Type.String({ pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' }),
});

const endpoint = {
  id: filled,
  url: filled,
  method: filled,
  category: text,
  headers: Type.Array(header),
  active: flag,
  name: Type.Optional(text),
  description: Type.Optional(text),
  requestTimeout: Type.Optional(positive),
  retryForever: flag,
  rateLimitNumberOfExecutions: Type.Optional(positive),
};

export const endpointSchema = Type.Object(endpoint);

const permissions = Type.Object({
  permissions: Type.Optional(Type.Array(Type.Enum([...permissionNames]))),
  tokenCallback: Type.Optional(filled),
});

export const trustedEndpointSchema = Type.Object({
  ...endpoint,
  tokenLifeTime: positive,
  permissions: Type.Optional(permissions),
});

export const extensionSchema = Type.Object({ hostUri: filled, apiKey: filled, tokenLifeTime: positive, active: flag });

export type EndpointBody = Static<typeof endpointSchema>;
export type TrustedEndpointBody = Static<typeof trustedEndpointSchema>;
export type ExtensionBody = Static<typeof extensionSchema>;
