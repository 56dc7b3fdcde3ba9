import { headerNames } from '../../contract/names.ts';
import { joinedUrl } from '../calls/url.ts';
import type { CallOutcome, OutgoingRequest } from '../delivery/delivery.ts';
import { JsonTextError, parseJsonText } from '../http/json-text.ts';
import type { ExtensionFields } from '../registration/model.ts';
import type { Service } from '../service.ts';
import type { UsableRecords } from './usable.ts';

/** Route of the metadata, relative to the host. Source: extensions, Metadata exchange */
const metadataRoute = '/svc/extension';
const metadataTimeoutMs = 10_000;

/** What a host said about itself, or why it is not known. */
export type MetadataAnswer = UsableRecords | { readonly warning: string };

/**
 * Asks a host for its metadata, once. Source: extensions, Metadata exchange; ledger metadata-fetch-timing, metadata-fetch-retry
 * @param correlationId that of the request which adds or updates the extension
 */
export async function fetchMetadata(
  service: Service,
  extension: ExtensionFields,
  correlationId: string,
): Promise<MetadataAnswer> {
  const outcome = await service.behaviours.call(
    service,
    service.behaviours.metadataRequest(service, extension, correlationId),
  );
  const items = itemsOf(outcome);
  return typeof items === 'string'
    ? { warning: `The metadata could not be had: ${items}` }
    : service.behaviours.usableRecords(service, items);
}

export function metadataRequest(
  service: Service,
  { hostUri, apiKey }: ExtensionFields,
  correlationId: string,
): OutgoingRequest {
  const url = joinedUrl(hostUri, metadataRoute);
  const headers = {
    ...service.behaviours.signatureHeaders(service, apiKey, url),
    Accept: 'application/json',
    [headerNames.correlationId]: correlationId,
  };
  return { method: 'GET', url, headers, timeoutMs: metadataTimeoutMs };
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
