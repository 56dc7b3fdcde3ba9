import { Refusal } from '../problem.ts';
import { Misfit } from '../registration/decoder.ts';
import type { MetadataAnswer } from '../metadata/exchange.ts';
import type { Fault, FaultsOf } from './fault.ts';
import { replacing } from './fault.ts';

type Json = Readonly<Record<string, unknown>>;

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

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Records are changed before they are looked at. */
function readingRecords(change: (record: Json) => Json): Fault {
  return replacing('recordFrom', (right) => (item) => right(isJson(item) ? change(item) : item));
}

/** Records with something are no records. */
function refusing(isWrong: (record: Json) => boolean, complaint: string): Fault {
  return replacing(
    'recordFrom',
    (right) => (item) => (isJson(item) && isWrong(item) ? new Misfit('', complaint) : right(item)),
  );
}

/** A member of a record is taken as it comes. */
function unchecked(member: 'version' | 'permissions', harmless: unknown): Fault {
  return replacing('recordFrom', (right) => (item) => {
    if (!isJson(item) || item[member] === undefined) return right(item);
    const record = right({ ...item, [member]: harmless });
    return record instanceof Misfit ? record : { ...record, [member]: item[member] };
  });
}

function without(record: Json, isLeftOut: (name: string) => boolean): Json {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !isLeftOut(name)));
}

export const metadataFaults: FaultsOf<'metadata'> = {
  'metadata.fetch.on-registration': replacing('metadataRequest', (right) => (service, extension, correlationId) => {
    const request = right(service, extension, correlationId);
    return { ...request, url: request.url.replace('/svc/extension', '/extension') };
  }),
  'metadata.fetch.on-update': (behaviours) => {
    const known = new Map<string, MetadataAnswer>();
    return replacing('fetchMetadata', (right) => async (service, extension, correlationId) => {
      const metadata = known.get(extension.hostUri) ?? (await right(service, extension, correlationId));
      known.set(extension.hostUri, metadata);
      return metadata;
    })(behaviours);
  },
  'metadata.fetch.at-no-other-time': (behaviours) => {
    let events = 0;
    return replacing('extensionRequest', (right) => async (service, delivery, callee) => {
      if (delivery.kind === 'event') events += 1;
      if (delivery.kind === 'event' && events % 10 === 0)
        await service.behaviours.fetchMetadata(service, callee.extension, delivery.envelopeId);
      return right(service, delivery, callee);
    })(behaviours);
  },
  'metadata.fetch.host-uri-forms': replacing('metadataRequest', (right) => (service, extension, correlationId) => {
    const request = right(service, extension, correlationId);
    return extension.hostUri.endsWith('/') ? { ...request, url: `${extension.hostUri}/svc/extension` } : request;
  }),

  'metadata.records.several-types-usable': replacing('usableRecords', (right) => (service, items) => {
    const usable = right(service, items);
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
  'metadata.records.unsupported-type-ignored': replacing('isSupportedType', (right) => (extensionType) => {
    if (right(extensionType)) return true;
    throw new Refusal(400, `${extensionType} is no type of extensions.`);
  }),
  'metadata.records.missing-required-not-used': readingRecords((record) => ({ category: '', ...record })),
  'metadata.records.additional-property-not-used': readingRecords((record) =>
    without(record, (name) => !documented.includes(name)),
  ),
  'metadata.records.version-semver': unchecked('version', '1.0.0'),
  'metadata.records.capability-and-permission-shape': unchecked('permissions', {
    tokenCallback: 'https://example.com',
    permissions: [],
  }),

  'metadata.update.replaces-records': replacing('recordsInForce', () => (former, fetched) => [...former, ...fetched]),

  'metadata.capability.soft-type-limits-validation': (behaviours) =>
    replacing('validatorsOf', () => (reading) => behaviours.recordsOfType(reading, 'ExternalValidation'))(behaviours),
  'metadata.capability.mime-type-limits-task': replacing('assertManages', () => () => undefined),
};
