import type { ExtensionType } from '../../contract/names.ts';
import { capabilitiesOf, type MetadataRecord } from '../metadata/record.ts';
import type { Reading, Writing } from '../store/store.ts';
import type { Registration } from './model.ts';

/** Where a metadata record stands: ids are unique within a host only. Source: ledger metadata-duplicate-ids */
export interface RecordAddress {
  readonly registrationId: string;
  readonly recordId: string;
}

/** Kind of document that says, by key, which records there are; in the order of registration. */
const documentKind = 'recordIndex';

/** Records with the id, on whatever host. */
export function recordsNamed(reading: Reading, recordId: string): Promise<readonly RecordAddress[]> {
  return addressesOf(reading, `id ${recordId}`);
}

export function recordsOfType(reading: Reading, type: ExtensionType): Promise<readonly RecordAddress[]> {
  return addressesOf(reading, `type ${type}`);
}

/** Records that validate objects of the SoftType. Source: extensions, Extension metadata record, capability use */
export function validatorsOf(reading: Reading, softTypeId: string): Promise<readonly RecordAddress[]> {
  return addressesOf(reading, `validates ${softTypeId}`);
}

/** Brings the index from one state of a registration to another, undefined where there is none; what stays keeps its place. */
export async function indexRecords(
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

interface Entry extends RecordAddress {
  readonly key: string;
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
  if (addresses.length === 0) return writing.deleteDocument(documentKind, key);
  return writing.putDocument(documentKind, key, JSON.stringify(addresses));
}

/** Decoder of what `change` wrote. */
async function addressesOf(reading: Reading, key: string): Promise<readonly RecordAddress[]> {
  const text = await reading.document(documentKind, key);
  return text === undefined ? [] : (JSON.parse(text) as readonly RecordAddress[]);
}
