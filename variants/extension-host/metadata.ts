import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import { breaks, type HostFaults, type HostVariant } from './breaks.ts';

export const metadataFaults = {
  'metadata.host.array-response': breaks('metadata', 'answer', (right) => () => {
    const { json, ...answer } = right();
    return { ...answer, json: { extensions: json } };
  }),
  'metadata.host.content-type-json': breaks('metadata', 'answer', (right) => () => ({
    ...right(),
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })),
  'metadata.host.required-fields': announceOne('Email', ({ category: _left, ...record }) => record),
  'metadata.host.no-additional-properties': announceOne('Email', (record) => ({ ...record, vendor: 'simulator' })),
  'metadata.host.optional-field-types': announceOne('Email', (record) => ({ ...record, requestTimeout: '600' })),
  'metadata.host.version-semver': announceOne('Email', (record) => ({ ...record, version: '1.0' })),
  'metadata.host.extension-type-known': announceAnother('ExternalEvent', (record) => ({
    ...record,
    extensionType: 'externalEvent',
  })),
  'metadata.host.endpoint-relative': announceOne('Email', (record, hostUri) => ({
    ...record,
    endpoint: hostUri + record.endpoint,
  })),
  'metadata.host.endpoint-served': announceAnother('Email', (record) => ({ ...record, endpoint: '/not-routed' })),
  'metadata.host.capabilities-shape': announceOne('ExternalValidation', (record) => ({
    ...record,
    capabilities: [{ capabilityType: 'SoftType', capabilities: 'Document' }],
  })),
  'metadata.host.permissions-shape': announceOne('Email', (record) => ({
    ...record,
    permissions: { permissions: ['AdministrationAPI'] },
  })),
  'metadata.host.ids-unique': breaks('metadata', 'announcedRecords', (right) => (records) => {
    const shared = records.find(({ extensionType }) => extensionType === 'ExternalValidation')?.id ?? '';
    const announced: readonly unknown[] = right(records);
    return announced.map((record, index) =>
      records[index]?.extensionType === 'Email' ? { ...records[index], id: shared } : record,
    );
  }),
} satisfies HostFaults;

/** The first record of a type is announced otherwise than it is; what the host does with calls stays. */
function announceOne(extensionType: string, wrong: (record: MetadataRecord, hostUri: string) => unknown): HostVariant {
  return breaks('metadata', 'announcedRecords', (right, { surroundings }) => (records) => {
    const index = records.findIndex((record) => record.extensionType === extensionType);
    return right(records).map((announced, place) => {
      const record = place === index ? records[index] : undefined;
      return record === undefined ? announced : wrong(record, surroundings.hostUri);
    });
  });
}

/** A further record is announced, made from one of that type. */
function announceAnother(extensionType: string, make: (record: MetadataRecord) => MetadataRecord): HostVariant {
  return breaks('metadata', 'announcedRecords', (right) => (records) => {
    const models = records.filter((record) => record.extensionType === extensionType).slice(0, 1);
    return [...right(records), ...models.map((record) => make({ ...record, id: `${record.id}-2` }))];
  });
}
