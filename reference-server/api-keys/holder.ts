import type { MetadataRecord } from '../metadata/record.ts';
import type { Extension, Permissions, TrustedEndpoint } from '../registration/model.ts';
import type { Service } from '../service.ts';
import type { Reading } from '../store/store.ts';

/** Somebody registered who may have API keys: a record of an extension, or a trusted endpoint. */
export interface KeyHolder {
  readonly registrationId: string;
  /** Absent for an endpoint. */
  readonly recordId?: string;
  readonly active: boolean;
  /** Base64; absent for an endpoint, which has none. */
  readonly apiKey?: string;
  readonly timeoutMs: number;
  /** Absent where none are configured. */
  readonly permissions?: Permissions;
}

/** Everybody whom the id of an acquire route may mean; ids of records are unique within a host only. Source: ledger extension-identifier */
export async function keyHoldersOf(service: Service, reading: Reading, id: string): Promise<readonly KeyHolder[]> {
  const { extensionHolders, endpointHolders } = service.behaviours;
  return [...(await extensionHolders(service, reading, id)), ...(await endpointHolders(service, reading, id))];
}

/** The records with the id, and all records of the registration with it. */
export async function extensionHolders(service: Service, reading: Reading, id: string): Promise<readonly KeyHolder[]> {
  const { recordsNamed, registrationOf } = service.behaviours;
  const holders: KeyHolder[] = [];
  for (const { registrationId, recordId } of await recordsNamed(reading, id)) {
    const holder = await keyHolderAt(service, reading, registrationId, recordId);
    if (holder !== undefined) holders.push(holder);
  }
  const registration = await registrationOf(reading, id);
  if (registration?.kind !== 'svcExtension') return holders;
  return [...holders, ...registration.records.map((record) => recordHolder(service, registration, record))];
}

/** The trusted endpoint with the id, if there is one. Source: extensions, Authentication 5 */
export async function endpointHolders(service: Service, reading: Reading, id: string): Promise<readonly KeyHolder[]> {
  const holder = await keyHolderAt(service, reading, id);
  return holder === undefined ? [] : [holder];
}

/** The holder as it is registered now; undefined where it is gone. */
export async function keyHolderAt(
  service: Service,
  reading: Reading,
  registrationId: string,
  recordId?: string,
): Promise<KeyHolder | undefined> {
  const registration = await service.behaviours.registrationOf(reading, registrationId);
  if (registration?.kind === 'trustedExternalEndpoint')
    return recordId === undefined ? endpointHolder(service, registration) : undefined;
  if (registration?.kind !== 'svcExtension') return undefined;
  const record = registration.records.find(({ id }) => id === recordId);
  return record && recordHolder(service, registration, record);
}

function recordHolder(service: Service, extension: Extension, record: MetadataRecord): KeyHolder {
  return {
    registrationId: extension.id,
    recordId: record.id,
    active: service.behaviours.isActive(extension),
    apiKey: extension.apiKey,
    timeoutMs: service.behaviours.requestTimeoutOf(record) * 1000,
    ...(record.permissions && { permissions: record.permissions }),
  };
}

function endpointHolder(service: Service, endpoint: TrustedEndpoint): KeyHolder {
  const { permissions: names, tokenCallback } = endpoint.permissions ?? {};
  return {
    registrationId: endpoint.id,
    active: service.behaviours.isActive(endpoint),
    timeoutMs: endpoint.requestTimeout * 1000,
    ...(names && tokenCallback !== undefined && { permissions: { permissions: names, tokenCallback } }),
  };
}
