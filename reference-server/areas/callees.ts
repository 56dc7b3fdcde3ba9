import { Area } from '../area.ts';
import {
  defaultExecutionsPerMinute,
  defaultRequestTimeoutSeconds,
  emailRequestTimeoutSeconds,
} from '../../contract/limits.ts';
import type { Delivery } from '../ports/deliveries.ts';
import type { Reading } from '../ports/store.ts';
import type { Extension, MetadataRecord, Registration, SimpleEndpoint, TrustedEndpoint } from './records.ts';
import type { Registry } from './registry.ts';

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

/** Where a delivery goes, and what is asked of it. */
export class Callees extends Area<{ readonly registry: Registry }> {
  /** Undefined where the registration or its record is gone. */
  async calleeOf(
    reading: Reading,
    { registrationId, recordId }: Pick<Delivery, 'registrationId' | 'recordId'>,
  ): Promise<Callee | undefined> {
    const registration = await this.needs.registry.registrationOf(reading, registrationId);
    if (registration === undefined) return undefined;
    if (registration.kind !== 'svcExtension') return this.endpointCallee(registration);
    const record = registration.records.find(({ id }) => id === recordId);
    return record && this.extensionCallee(registration, record);
  }

  private extensionCallee(extension: Extension, record: MetadataRecord): ExtensionCallee {
    return {
      extension,
      record,
      name: record.id,
      active: this.isActive(extension),
      url: joinedUrl(extension.hostUri, record.endpoint),
      timeoutMs: this.requestTimeoutOf(record) * 1000,
      retryForever: record.retryForever ?? false,
      rateLimitNumberOfExecutions: record.rateLimitNumberOfExecutions ?? defaultExecutionsPerMinute,
      rateKey: `${extension.id} ${record.id}`,
    };
  }

  private endpointCallee(endpoint: SimpleEndpoint | TrustedEndpoint): EndpointCallee {
    const { id, url, requestTimeout, retryForever, rateLimitNumberOfExecutions } = endpoint;
    const active = this.isActive(endpoint);
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
  isActive(registration: Registration): boolean {
    return registration.active;
  }

  /** In seconds. Source: extensions, Limits, request timeout; ledger email-timeout-contradiction */
  requestTimeoutOf({ requestTimeout, extensionType }: MetadataRecord): number {
    return requestTimeout ?? (extensionType === 'Email' ? emailRequestTimeoutSeconds : defaultRequestTimeoutSeconds);
  }
}

/**
 * The URL of a route below a host, the two joined by one slash, as a request line has it: encoded, dot segments resolved.
 * Source: extensions, Calls to extensions; ledger endpoint-joining
 * @param base an absolute URL without query
 */
export function joinedUrl(base: string, route: string): string {
  const url = new URL(`${base.replace(/\/+$/, '')}/${route.replace(/^\/+/, '')}`);
  url.hash = '';
  return url.href;
}

/**
 * The URL with one more parameter behind the query that it has, which stays as it is; without its fragment.
 * Source: extensions, Registered trusted external endpoint; ledger endpoint-body-and-query
 */
export function withParameter(url: string, name: string, value: string): string {
  const [bare = ''] = url.split('#', 1);
  return `${bare}${separatorAfter(bare)}${name}=${encodeURIComponent(value)}`;
}

function separatorAfter(url: string): string {
  if (!url.includes('?')) return '?';
  return /[?&]$/.test(url) ? '' : '&';
}
