import type { ExtensionType } from '../../contract/names.ts';
import type { Reading, Writing } from '../ports/store.ts';
import { type MetadataRecord, type Registration, type RegistrationKind, capabilitiesOf } from './records.ts';

/** Kind of document under which registrations stand in the store, by id. */
const registrationKind = 'registration';

/** Where a metadata record stands: ids are unique within a host only. Source: ledger metadata-duplicate-ids */
export interface RecordAddress {
  readonly registrationId: string;
  readonly recordId: string;
}

/** Kind of document that says, by key, which records there are; in the order of registration. */
const indexKind = 'recordIndex';

interface Entry extends RecordAddress {
  readonly key: string;
}

/** What is registered: looked up, kept, indexed. */
export class Registry {
  /** By id, so that a registration is read from its text once, and not for every step of every call. */
  private readonly known = new Map<string, { readonly text: string; readonly registration: Registration }>();

  /** The registration with the id, whatever its kind, as it is now. */
  async registrationOf(reading: Reading, id: string): Promise<Registration | undefined> {
    const text = await reading.document(registrationKind, id);
    const known = this.known.get(id);
    if (text === known?.text) return known?.registration;
    this.known.delete(id);
    if (text === undefined) return undefined;
    const registration = registrationFrom(text);
    this.known.set(id, { text, registration });
    return registration;
  }

  recordsOfType(reading: Reading, type: ExtensionType): Promise<readonly RecordAddress[]> {
    return addressesOf(reading, `type ${type}`);
  }

  /** Records that validate objects of the SoftType. Source: extensions, Extension metadata record, capability use */
  validatorsOf(reading: Reading, softTypeId: string): Promise<readonly RecordAddress[]> {
    return addressesOf(reading, `validates ${softTypeId}`);
  }
}

/** The registration with the id, whatever its kind. */
export async function registrationOf(reading: Reading, id: string): Promise<Registration | undefined> {
  const text = await reading.document(registrationKind, id);
  return text === undefined ? undefined : registrationFrom(text);
}

/** All of a kind, in the order of their registration. */
export async function registrationsOf(reading: Reading, kind: RegistrationKind): Promise<readonly Registration[]> {
  const texts = await reading.documents(registrationKind);
  const registrations = texts
    .map(({ text }) => registrationFrom(text))
    .filter((registration) => registration.kind === kind);
  return registrations.sort((one, other) => one.registeredAt - other.registeredAt);
}

/** Adds the registration, or puts it in the place of the one with its id. */
export async function keepRegistration(writing: Writing, registration: Registration): Promise<void> {
  const former = await registrationOf(writing, registration.id);
  await indexRecords(writing, former, registration);
  await writing.putDocument(registrationKind, registration.id, JSON.stringify(registration));
}

export async function dropRegistration(writing: Writing, registration: Registration): Promise<void> {
  await indexRecords(writing, registration, undefined);
  await writing.deleteDocument(registrationKind, registration.id);
}

/** Decoder of what `keepRegistration` wrote. */
function registrationFrom(text: string): Registration {
  return JSON.parse(text) as Registration;
}

/** Records with the id, on whatever host. */
export function recordsNamed(reading: Reading, recordId: string): Promise<readonly RecordAddress[]> {
  return addressesOf(reading, `id ${recordId}`);
}

/** Brings the index from one state of a registration to another, undefined where there is none; what stays keeps its place. */
async function indexRecords(
  writing: Writing,
  former: Registration | undefined,
  next: Registration | undefined,
): Promise<void> {
  const [before, after] = [entriesOf(former), entriesOf(next)];
  for (const entry of before)
    if (!isAmong(after, entry))
      await change(writing, entry.key, (all) => all.filter((address) => !isSame(address, entry)));
  for (const entry of after)
    if (!isAmong(before, entry)) await change(writing, entry.key, (all) => [...all, addressOf(entry)]);
}

function entriesOf(registration: Registration | undefined): readonly Entry[] {
  if (registration?.kind !== 'svcExtension') return [];
  return registration.records.flatMap((record) =>
    keysOf(record).map((key) => ({ key, registrationId: registration.id, recordId: record.id })),
  );
}

function keysOf(record: MetadataRecord): readonly string[] {
  const keys = [`id ${record.id}`, `type ${record.extensionType}`];
  if (record.extensionType !== 'ExternalValidation') return keys;
  return [...keys, ...capabilitiesOf(record, 'SoftType').map((softTypeId) => `validates ${softTypeId}`)];
}

function isAmong(entries: readonly Entry[], sought: Entry): boolean {
  return entries.some((entry) => entry.key === sought.key && isSame(entry, sought));
}

function isSame(one: RecordAddress, other: RecordAddress): boolean {
  return one.registrationId === other.registrationId && one.recordId === other.recordId;
}

function addressOf({ registrationId, recordId }: Entry): RecordAddress {
  return { registrationId, recordId };
}

async function change(
  writing: Writing,
  key: string,
  edit: (all: readonly RecordAddress[]) => readonly RecordAddress[],
): Promise<void> {
  const addresses = edit(await addressesOf(writing, key));
  if (addresses.length === 0) return writing.deleteDocument(indexKind, key);
  return writing.putDocument(indexKind, key, JSON.stringify(addresses));
}

/** Decoder of what `change` wrote. */
async function addressesOf(reading: Reading, key: string): Promise<readonly RecordAddress[]> {
  const text = await reading.document(indexKind, key);
  return text === undefined ? [] : (JSON.parse(text) as readonly RecordAddress[]);
}
