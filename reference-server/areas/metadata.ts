import { Area } from '../area.ts';
import { extensionTypes, headerNames, metadataPath } from '../../contract/names.ts';
import { JsonTextError, parseJsonText } from '../http/json-text.ts';
import type { CallOutcome, OutgoingRequest } from '../ports/deliveries.ts';
import { joinedUrl } from './callees.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import { type ExtensionFields, type MetadataRecord, Misfit, recordFrom } from './records.ts';
import type { Signing } from './signing.ts';

/** Route of the metadata, relative to the host. Source: extensions, Metadata exchange */

const metadataTimeoutMs = 10_000;

/** What a host said about itself, or why it is not known. */
export type MetadataAnswer = UsableRecords | { readonly warning: string };

/** Records that are put to use, and why the others are not. */
interface UsableRecords {
  readonly records: readonly MetadataRecord[];
  readonly complaints: readonly string[];
}

interface Needs {
  readonly outgoingCalls: OutgoingCalls;
  readonly signing: Signing;
}

/** Metadata of extensions, asked for and understood. */
export class Metadata extends Area<Needs> {
  /** Whether the service knows what the record is for; others are passed over. Source: ledger metadata-type-spelling */
  isSupportedType(extensionType: string): boolean {
    return extensionTypes.some((known) => known === extensionType);
  }

  /**
   * Asks a host for its metadata, once. Source: extensions, Metadata exchange; ledger metadata-fetch-timing, metadata-fetch-retry
   * @param correlationId that of the request which adds or updates the extension
   */
  async fetchMetadata(extension: ExtensionFields, correlationId: string): Promise<MetadataAnswer> {
    const outcome = await this.needs.outgoingCalls.call(this.metadataRequest(extension, correlationId));
    const items = itemsOf(outcome);
    return typeof items === 'string'
      ? { warning: `The metadata could not be had: ${items}` }
      : this.usableRecords(items);
  }

  metadataRequest({ hostUri, apiKey }: ExtensionFields, correlationId: string): OutgoingRequest {
    const url = joinedUrl(hostUri, metadataPath);
    const headers = {
      ...this.needs.signing.signatureHeaders(apiKey, url),
      Accept: 'application/json',
      [headerNames.correlationId]: correlationId,
    };
    return { method: 'GET', url, headers, timeoutMs: metadataTimeoutMs };
  }

  /** The record, when it fits the schema. Source: ledger metadata-capability-type, metadata-invalid-record */
  recordFrom(item: unknown): MetadataRecord | Misfit {
    return recordFrom(item);
  }

  /**
   * The records that fit the schema, each id once; those of an unknown type are passed over without a word.
   * Source: extensions, Extension metadata record; ledger metadata-invalid-record, metadata-duplicate-ids
   */
  usableRecords(items: readonly unknown[]): UsableRecords {
    const records = new Map<string, MetadataRecord>();
    const complaints: string[] = [];
    for (const [index, item] of items.entries()) {
      const record = this.recordFrom(item);
      if (record instanceof Misfit)
        complaints.push(`Record ${index} is left out: ${record.pointer || 'it'} ${record.complaint}.`);
      else if (!this.isSupportedType(record.extensionType)) continue;
      else if (records.has(record.id))
        complaints.push(`Record ${index} is left out: another one before it has the id ${record.id}.`);
      else records.set(record.id, record);
    }
    return { records: [...records.values()], complaints };
  }

  /** The records after an exchange that worked. Source: extensions, Metadata exchange; Versioning */
  recordsInForce(_former: readonly MetadataRecord[], fetched: readonly MetadataRecord[]): readonly MetadataRecord[] {
    return fetched;
  }
}

/** The items of the array, or what is wrong with the answer. */
function itemsOf(outcome: CallOutcome): readonly unknown[] | string {
  if (outcome.kind === 'timeout') return `the host did not answer within ${outcome.waitedMs} ms.`;
  if (outcome.kind === 'failed') return `${outcome.reason}.`;
  if (outcome.status < 200 || outcome.status > 299) return `the host answered ${outcome.status}.`;
  const value = jsonOf(outcome.body);
  return Array.isArray(value) ? value : 'the host answered with something that is no JSON array.';
}

function jsonOf(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}
