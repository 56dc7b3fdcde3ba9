import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Static } from 'typebox';
import { permissionNames } from '../../contract/names.ts';
import { loadAjv } from '../../contract/packages.ts';
import { pointerBelow } from '../http/json-text.ts';
import { Type } from '../../contract/type.ts';

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Keys that may be asked for, and the address that they are sent to. Source: extensions, Registered trusted external endpoint, permissions */
export interface Permissions {
  readonly permissions: readonly string[];
  readonly tokenCallback: string;
}

/** What all endpoints have, defaults filled in. Source: extensions, Registered external endpoint (simple) */
export interface EndpointFields {
  readonly id: string;
  readonly url: string;
  readonly active: boolean;
  readonly name?: string;
  readonly description?: string;
  readonly method: string;
  readonly category: string;
  /** In seconds. */
  readonly requestTimeout: number;
  readonly retryForever: boolean;
  /** Per minute. */
  readonly rateLimitNumberOfExecutions: number;
  readonly headers: readonly Header[];
}

/** Source: extensions, Registered trusted external endpoint */
export interface TrustedEndpointFields extends EndpointFields {
  /** In minutes. */
  readonly tokenLifeTime: number;
  readonly permissions?: Partial<Permissions>;
}

/** Source: extensions, Registered extension */
export interface ExtensionFields {
  readonly hostUri: string;
  /** Base64 of the symmetric key. */
  readonly apiKey: string;
  /** In minutes. */
  readonly tokenLifeTime: number;
  readonly active: boolean;
}

interface Registered {
  /** Ms since the epoch. */
  readonly registeredAt: number;
}

export type SimpleEndpoint = EndpointFields & Registered & { readonly kind: 'externalEndpoint' };

export type TrustedEndpoint = TrustedEndpointFields & Registered & { readonly kind: 'trustedExternalEndpoint' };

export type Extension = ExtensionFields &
  Registered & {
    readonly kind: 'svcExtension';
    readonly id: string;
    /** Metadata of the last exchange that worked. */
    readonly records: readonly MetadataRecord[];
  };

/** Something outside that the service calls; `kind` is the last segment of the route that it was registered on. */
export type Registration = SimpleEndpoint | TrustedEndpoint | Extension;

export type RegistrationKind = Registration['kind'];

const filledText = Type.String({ minLength: 1 });

/** Source: https://semver.org, version 2.0.0 */
const number = '(?:0|[1-9]\\d*)';

const preReleasePart = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;

const buildPart = '[0-9A-Za-z-]+';

const semVer = `^${number}\\.${number}\\.${number}(?:-${preReleasePart}(?:\\.${preReleasePart})*)?(?:\\+${buildPart}(?:\\.${buildPart})*)?$`;

/** Neither scheme nor host. */
const relative = '^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!//)(?!\\\\)';

const capability = Type.Closed({ capabilityType: filledText, capabilities: Type.Array(Type.String()) });

const recordPermissions = Type.Closed({
  tokenCallback: filledText,
  permissions: Type.Array(Type.Enum([...permissionNames])),
});

const recordSchema = Type.Closed({
  id: filledText,
  description: Type.Optional(Type.String()),
  version: Type.String({ pattern: semVer }),
  name: Type.String(),
  endpoint: Type.String({ minLength: 1, pattern: relative }),
  extensionType: Type.String(),
  category: Type.String(),
  requestTimeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  retryForever: Type.Optional(Type.Boolean()),
  rateLimitNumberOfExecutions: Type.Optional(Type.Number({ minimum: 1 })),
  capabilities: Type.Optional(Type.Array(capability)),
  permissions: Type.Optional(recordPermissions),
});

/** What an extension says about one of its endpoints. Source: extensions, Extension metadata record */
export type MetadataRecord = Static<typeof recordSchema>;

/** The record, when it fits the schema, which names every property there may be. Source: ledger metadata-capability-type, metadata-invalid-record */
export const recordFrom: Decoder<MetadataRecord> = decoderOf(recordSchema);

/** The first thing about a JSON value that its schema does not allow. */
export class Misfit {
  /** JSON Pointer to it. */
  readonly pointer: string;
  /** What was expected, as the end of a sentence. */
  readonly complaint: string;

  constructor(pointer: string, complaint: string) {
    this.pointer = pointer;
    this.complaint = complaint;
  }
}

export type Decoder<T> = (value: unknown) => T | Misfit;

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

/** What the record can do of one capability type, once each. Source: extensions, Extension metadata record, capabilities */
export function capabilitiesOf(record: MetadataRecord, capabilityType: string): readonly string[] {
  const capabilities = record.capabilities?.filter((item) => item.capabilityType === capabilityType) ?? [];
  return [...new Set(capabilities.flatMap((item) => item.capabilities))];
}

/** Takes values for what the schema describes, when they are. Compiles the schema at its first use. @param schema describes T */
export function decoderOf<T>(schema: object): Decoder<T> {
  let fits: ValidateFunction<T> | undefined;
  return (value) => {
    // The schemas are ours: to compile the schema of schemas just to check them takes longer than all of them.
    fits ??= new (loadAjv().Ajv)({ strict: true, strictTypes: false, validateSchema: false }).compile<T>(schema);
    return fits(value) ? value : misfitOf(fits.errors?.[0]);
  };
}

function misfitOf(error: ErrorObject | undefined): Misfit {
  if (error === undefined) return new Misfit('', 'another value');
  const { instancePath, params, message = 'must be another one' } = error;
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') return new Misfit(pointerBelow(instancePath, missing), 'must be there');
  const extra: unknown = params['additionalProperty'];
  if (typeof extra === 'string') return new Misfit(pointerBelow(instancePath, extra), 'must not be there');
  const allowed: unknown = params['allowedValues'];
  return new Misfit(instancePath, Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : message);
}
