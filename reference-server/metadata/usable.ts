import { Misfit } from '../registration/decoder.ts';
import type { Service } from '../service.ts';
import type { MetadataRecord } from './record.ts';

/** Records that are put to use, and why the others are not. */
export interface UsableRecords {
  readonly records: readonly MetadataRecord[];
  readonly complaints: readonly string[];
}

/**
 * The records that fit the schema, each id once; those of an unknown type are passed over without a word.
 * Source: extensions, Extension metadata record; ledger metadata-invalid-record, metadata-duplicate-ids
 */
export function usableRecords(service: Service, items: readonly unknown[]): UsableRecords {
  const records = new Map<string, MetadataRecord>();
  const complaints: string[] = [];
  for (const [index, item] of items.entries()) {
    const record = service.behaviours.recordFrom(item);
    if (record instanceof Misfit)
      complaints.push(`Record ${index} is left out: ${record.pointer || 'it'} ${record.complaint}.`);
    else if (!service.behaviours.isSupportedType(record.extensionType)) continue;
    else if (records.has(record.id))
      complaints.push(`Record ${index} is left out: another one before it has the id ${record.id}.`);
    else records.set(record.id, record);
  }
  return { records: [...records.values()], complaints };
}

/** The records after an exchange that worked. Source: extensions, Metadata exchange; Versioning */
export function recordsInForce(
  _former: readonly MetadataRecord[],
  fetched: readonly MetadataRecord[],
): readonly MetadataRecord[] {
  return fetched;
}
