import { metadataPath } from '../../contract/names.ts';
import type { MetadataAnswer } from '../../reference-server/areas/metadata.ts';
import { Misfit } from '../../reference-server/areas/records.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, type Variants, together, replaces } from '../breaks.ts';

type Json = Readonly<Record<string, unknown>>;

const dayMs = 24 * 60 * 60 * 1000;

const documented = [
  'id',
  'description',
  'version',
  'name',
  'endpoint',
  'extensionType',
  'category',
  'requestTimeout',
  'retryForever',
  'rateLimitNumberOfExecutions',
  'capabilities',
  'permissions',
];

export const metadataFaults = {
  'metadata.fetch.on-registration': replaces(
    'metadata',
    'metadataRequest',
    (right, areas, extension, correlationId) => {
      const request = right(areas, extension, correlationId);
      return { ...request, url: request.url.replace(metadataPath, '/extension') };
    },
  ),
  'metadata.fetch.on-update': (classes) => {
    const known = new Map<string, MetadataAnswer>();
    return replaces('metadata', 'fetchMetadata', async (right, areas, extension, correlationId) => {
      const metadata = known.get(extension.hostUri) ?? (await right(areas, extension, correlationId));
      known.set(extension.hostUri, metadata);
      return metadata;
    })(classes);
  },
  'metadata.fetch.at-no-other-time': (classes) => {
    let events = 0;
    return replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      if (delivery.kind === 'event') events += 1;
      if (delivery.kind === 'event' && events % 10 === 0)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee);
    })(classes);
  },
  'metadata.fetch.not-at-restart': (classes) => {
    const asked = new WeakMap<object, Set<string>>();
    const hostsOf = (outgoing: object): Set<string> => {
      const hosts = asked.get(outgoing) ?? new Set<string>();
      asked.set(outgoing, hosts);
      return hosts;
    };
    return together(
      replaces('metadata', 'fetchMetadata', (right, areas, extension, correlationId) => {
        hostsOf(areas.outgoing).add(extension.hostUri);
        return right(areas, extension, correlationId);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        if (!hostsOf(areas.outgoing).has(callee.extension.hostUri))
          await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
        return right(areas, delivery, callee);
      }),
    )(classes);
  },
  'metadata.fetch.not-after-a-day': replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
    if (areas.clock.now() - callee.extension.registeredAt > dayMs)
      await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
    return right(areas, delivery, callee);
  }),
  'metadata.fetch.host-uri-forms': replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) => {
    const request = right(areas, extension, correlationId);
    return extension.hostUri.endsWith('/') ? { ...request, url: extension.hostUri + metadataPath } : request;
  }),

  'metadata.records.several-types-usable': replaces('metadata', 'usableRecords', (right, areas, items) => {
    const usable = right(areas, items);
    const types = new Set(usable.records.map(({ extensionType }) => extensionType));
    return types.size > 1 ? { ...usable, records: usable.records.slice(0, 1) } : usable;
  }),
  'metadata.records.optional-fields-omitted': refusing(
    (record) => record['extensionType'] === 'ExternalEvent' && record['description'] === undefined,
    'must have a description',
  ),
  'metadata.records.all-fields-accepted': refusing(
    ({ capabilities }) =>
      Array.isArray(capabilities) && capabilities.some((item) => isJson(item) && item['capabilityType'] === 'BaseType'),
    'has a capability of another type',
  ),
  'metadata.records.unsupported-type-ignored': replaces(
    'metadata',
    'isSupportedType',
    (right, areas, extensionType) => {
      if (right(areas, extensionType)) return true;
      throw new Refusal(400, `${extensionType} is no type of extensions.`);
    },
  ),
  'metadata.records.missing-required-not-used': readingRecords((record) => ({ category: '', ...record })),
  'metadata.records.additional-property-not-used': readingRecords((record) =>
    without(record, (name) => !documented.includes(name)),
  ),
  'metadata.records.version-semver': unchecked('version', '1.0.0'),
  'metadata.records.capability-and-permission-shape': unchecked('permissions', {
    tokenCallback: 'https://example.com',
    permissions: [],
  }),

  'metadata.update.replaces-records': replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) => [
    ...former,
    ...fetched,
  ]),

  'metadata.capability.soft-type-limits-validation': (classes) =>
    replaces('registry', 'validatorsOf', (_right, areas, reading) =>
      areas.registry.recordsOfType(reading, 'ExternalValidation'),
    )(classes),
  'metadata.capability.mime-type-limits-task': replaces('triggers', 'assertManages', () => undefined),
} satisfies Variants;

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Records are changed before they are looked at. */
function readingRecords(change: (record: Json) => Json): Variant {
  return replaces('metadata', 'recordFrom', (right, areas, item) => right(areas, isJson(item) ? change(item) : item));
}

/** Records with something are no records. */
function refusing(isWrong: (record: Json) => boolean, complaint: string): Variant {
  return replaces('metadata', 'recordFrom', (right, areas, item) =>
    isJson(item) && isWrong(item) ? new Misfit('', complaint) : right(areas, item),
  );
}

/** A member of a record is taken as it comes. */
function unchecked(member: 'version' | 'permissions', harmless: unknown): Variant {
  return replaces('metadata', 'recordFrom', (right, areas, item) => {
    if (!isJson(item) || item[member] === undefined) return right(areas, item);
    const record = right(areas, { ...item, [member]: harmless });
    return record instanceof Misfit ? record : { ...record, [member]: item[member] };
  });
}

function without(record: Json, isLeftOut: (name: string) => boolean): Json {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !isLeftOut(name)));
}
