import type { MetadataRecord } from '../metadata.ts';
import { replacing, type Fault, type FaultsOf } from './fault.ts';

export const metadataFaults: FaultsOf<'metadata'> = {
  'metadata.host.array-response': replacing('metadataAnswer', (right) => (host) => {
    const { json, ...answer } = right(host);
    return { ...answer, json: { extensions: json } };
  }),
  'metadata.host.content-type-json': replacing('metadataAnswer', (right) => (host) => ({
    ...right(host),
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })),
  'metadata.host.required-fields': oneAnnounced('Email', ({ category: _left, ...record }) => record),
  'metadata.host.no-additional-properties': oneAnnounced('Email', (record) => ({ ...record, vendor: 'simulator' })),
  'metadata.host.optional-field-types': oneAnnounced('Email', (record) => ({ ...record, requestTimeout: '600' })),
  'metadata.host.version-semver': oneAnnounced('Email', (record) => ({ ...record, version: '1.0' })),
  'metadata.host.extension-type-known': anotherAnnounced('ExternalEvent', (record) => ({
    ...record,
    extensionType: 'externalEvent',
  })),
  'metadata.host.endpoint-relative': oneAnnounced('Email', (record, hostUri) => ({
    ...record,
    endpoint: hostUri + record.endpoint,
  })),
  'metadata.host.endpoint-served': anotherAnnounced('Email', (record) => ({ ...record, endpoint: '/not-routed' })),
  'metadata.host.capabilities-shape': oneAnnounced('ExternalValidation', (record) => ({
    ...record,
    capabilities: [{ capabilityType: 'SoftType', capabilities: 'Document' }],
  })),
  'metadata.host.permissions-shape': oneAnnounced('Email', (record) => ({
    ...record,
    permissions: { permissions: ['AdministrationAPI'] },
  })),
  'metadata.host.ids-unique': replacing('announcedRecords', (right) => (records, host) => {
    const shared = records.find(({ extensionType }) => extensionType === 'ExternalValidation')?.id ?? '';
    const announced: readonly unknown[] = right(records, host);
    return announced.map((record, index) =>
      records[index]?.extensionType === 'Email' ? { ...records[index], id: shared } : record,
    );
  }),
};

/** The first record of a type is announced otherwise than it is; what the host does with calls stays. */
function oneAnnounced(extensionType: string, wrong: (record: MetadataRecord, hostUri: string) => unknown): Fault {
  return replacing('announcedRecords', (right) => (records, host) => {
    const index = records.findIndex((record) => record.extensionType === extensionType);
    return right(records, host).map((announced, place) => {
      const record = place === index ? records[index] : undefined;
      return record === undefined ? announced : wrong(record, host.url);
    });
  });
}

/** A further record is announced, made from one of that type. */
function anotherAnnounced(extensionType: string, made: (record: MetadataRecord) => MetadataRecord): Fault {
  return replacing('announcedRecords', (right) => (records, host) => {
    const models = records.filter((record) => record.extensionType === extensionType).slice(0, 1);
    return [...right(records, host), ...models.map((record) => made({ ...record, id: `${record.id}-2` }))];
  });
}
