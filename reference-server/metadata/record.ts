import { Type, type Static } from 'typebox';
import { extensionTypes, permissionNames } from '../../contract/names.ts';
import { decoderOf, type Decoder } from '../registration/decoder.ts';

const closed = { additionalProperties: false } as const;
const filled = Type.String({ minLength: 1 });

/** Source: https://semver.org, version 2.0.0 */
const number = '(?:0|[1-9]\\d*)';
const preReleasePart = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const buildPart = '[0-9A-Za-z-]+';
const semVer = `^${number}\\.${number}\\.${number}(?:-${preReleasePart}(?:\\.${preReleasePart})*)?(?:\\+${buildPart}(?:\\.${buildPart})*)?$`;
/** Neither scheme nor host. */
const relative = '^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!//)(?!\\\\)';

const capability = Type.Object({ capabilityType: filled, capabilities: Type.Array(Type.String()) }, closed);
const permissions = Type.Object(
  { tokenCallback: filled, permissions: Type.Array(Type.Enum([...permissionNames])) },
  closed,
);

const recordSchema = Type.Object(
  {
    id: filled,
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
    permissions: Type.Optional(permissions),
  },
  closed,
);

/** What an extension says about one of its endpoints. Source: extensions, Extension metadata record */
export type MetadataRecord = Static<typeof recordSchema>;

/** The record, when it fits the schema, which names every property there may be. Source: ledger metadata-capability-type, metadata-invalid-record */
export const recordFrom: Decoder<MetadataRecord> = decoderOf(recordSchema);

/** Whether the service knows what the record is for; others are passed over. Source: ledger metadata-type-spelling */
export function isSupportedType(extensionType: string): boolean {
  return extensionTypes.some((known) => known === extensionType);
}

/** What the record can do of one capability type, once each. Source: extensions, Extension metadata record, capabilities */
export function capabilitiesOf(record: MetadataRecord, capabilityType: string): readonly string[] {
  const capabilities = record.capabilities?.filter((item) => item.capabilityType === capabilityType) ?? [];
  return [...new Set(capabilities.flatMap((item) => item.capabilities))];
}
