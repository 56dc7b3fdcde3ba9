import type { MetadataRecord } from '../metadata/record.ts';

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Keys that may be asked for, and the address that they are sent to. Source: extensions, Registered trusted external endpoint, permissions */
export interface Permissions {
  readonly permissions: readonly string[];
  readonly tokenCallback: string;
}

/** What all endpoints have, defaults filled in. Source: extensions, Registered external endpoint (simple) */
export interface EndpointFields {
  readonly id: string;
  readonly url: string;
  readonly active: boolean;
  readonly name?: string;
  readonly description?: string;
  readonly method: string;
  readonly category: string;
  /** In seconds. */
  readonly requestTimeout: number;
  readonly retryForever: boolean;
  /** Per minute. */
  readonly rateLimitNumberOfExecutions: number;
  readonly headers: readonly Header[];
}

/** Source: extensions, Registered trusted external endpoint */
export interface TrustedEndpointFields extends EndpointFields {
  /** In minutes. */
  readonly tokenLifeTime: number;
  readonly permissions?: Partial<Permissions>;
}

/** Source: extensions, Registered extension */
export interface ExtensionFields {
  readonly hostUri: string;
  /** Base64 of the symmetric key. */
  readonly apiKey: string;
  /** In minutes. */
  readonly tokenLifeTime: number;
  readonly active: boolean;
}

interface Registered {
  /** Ms since the epoch. */
  readonly registeredAt: number;
}
export type SimpleEndpoint = EndpointFields & Registered & { readonly kind: 'externalEndpoint' };
export type TrustedEndpoint = TrustedEndpointFields & Registered & { readonly kind: 'trustedExternalEndpoint' };
export type Extension = ExtensionFields &
  Registered & {
    readonly kind: 'svcExtension';
    readonly id: string;
    /** Metadata of the last exchange that worked. */
    readonly records: readonly MetadataRecord[];
  };

/** Something outside that the service calls; `kind` is the last segment of the route that it was registered on. */
export type Registration = SimpleEndpoint | TrustedEndpoint | Extension;
export type RegistrationKind = Registration['kind'];
