import {
  defaultExecutionsPerMinute,
  defaultRequestTimeoutSeconds,
  emailRequestTimeoutSeconds,
} from '../../contract/limits.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { MetadataRecord } from '../metadata/record.ts';
import type { Extension, Registration, SimpleEndpoint, TrustedEndpoint } from '../registration/model.ts';
import type { Service } from '../service.ts';
import type { Reading } from '../store/store.ts';
import { joinedUrl } from './url.ts';

/** Where a delivery goes, as it is registered now, with the defaults of the documents. */
export type Callee = ExtensionCallee | EndpointCallee;

interface Reached {
  /** Id of the record or of the endpoint: what log lines call it. */
  readonly name: string;
  readonly active: boolean;
  /** Without token; the path is encoded as it will be sent. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly retryForever: boolean;
  readonly rateLimitNumberOfExecutions: number;
  /** What executions are counted by. Source: ledger rate-scope */
  readonly rateKey: string;
}
export type ExtensionCallee = Reached & { readonly extension: Extension; readonly record: MetadataRecord };
export type EndpointCallee = Reached & { readonly endpoint: SimpleEndpoint | TrustedEndpoint };

/** Undefined where the registration or its record is gone. */
export async function calleeOf(
  service: Service,
  reading: Reading,
  { registrationId, recordId }: Pick<Delivery, 'registrationId' | 'recordId'>,
): Promise<Callee | undefined> {
  const registration = await service.behaviours.registrationOf(reading, registrationId);
  if (registration === undefined) return undefined;
  if (registration.kind !== 'svcExtension') return endpointCallee(service, registration);
  const record = registration.records.find(({ id }) => id === recordId);
  return record && extensionCallee(service, registration, record);
}

function extensionCallee(service: Service, extension: Extension, record: MetadataRecord): ExtensionCallee {
  return {
    extension,
    record,
    name: record.id,
    active: service.behaviours.isActive(extension),
    url: joinedUrl(extension.hostUri, record.endpoint),
    timeoutMs: service.behaviours.requestTimeoutOf(record) * 1000,
    retryForever: record.retryForever ?? false,
    rateLimitNumberOfExecutions: record.rateLimitNumberOfExecutions ?? defaultExecutionsPerMinute,
    rateKey: `${extension.id} ${record.id}`,
  };
}

function endpointCallee(service: Service, endpoint: SimpleEndpoint | TrustedEndpoint): EndpointCallee {
  const { id, url, requestTimeout, retryForever, rateLimitNumberOfExecutions } = endpoint;
  const active = service.behaviours.isActive(endpoint);
  return {
    endpoint,
    name: id,
    active,
    url,
    timeoutMs: requestTimeout * 1000,
    retryForever,
    rateLimitNumberOfExecutions,
    rateKey: id,
  };
}

/** Whether calls may go there. Source: extensions, Registered external endpoint and Registered extension, row active */
export function isActive(registration: Registration): boolean {
  return registration.active;
}

/** In seconds. Source: extensions, Limits, request timeout; ledger email-timeout-contradiction */
export function requestTimeoutOf({ requestTimeout, extensionType }: MetadataRecord): number {
  return requestTimeout ?? (extensionType === 'Email' ? emailRequestTimeoutSeconds : defaultRequestTimeoutSeconds);
}
