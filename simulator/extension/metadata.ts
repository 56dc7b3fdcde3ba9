/** One item of the metadata response. Loose on purpose: a script may serve records that break the schema. Source: extensions, Extension metadata record */
export interface MetadataRecord {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly endpoint: string;
  readonly extensionType: string;
  readonly category: string;
  readonly description?: string;
  readonly requestTimeout?: number;
  readonly retryForever?: boolean;
  readonly rateLimitNumberOfExecutions?: number;
  readonly capabilities?: readonly { readonly capabilityType: string; readonly capabilities: readonly string[] }[];
  readonly permissions?: { readonly tokenCallback: string; readonly permissions: readonly string[] };
}

/** What a request is to the host: one of the documented calls, the metadata exchange, or nothing it knows. */
export type ReceivedKind = 'metadata' | 'event' | 'validation' | 'task' | 'email' | 'action' | 'endpoint' | 'other';

const kindByType: ReadonlyMap<string, ReceivedKind> = new Map([
  ['ExternalEvent', 'event'],
  ['ExternalValidation', 'validation'],
  ['ExternalTask', 'task'],
  ['Email', 'email'],
  ['ExternalAction', 'action'],
]);

/** The kind of call that a record of this type gets; `other` for the types whose calls are not shown. */
export function kindOfType(extensionType: unknown): ReceivedKind {
  return (typeof extensionType === 'string' && kindByType.get(extensionType)) || 'other';
}

/** A record of each type that the service calls, for a host that was told nothing. */
export const defaultRecords: readonly MetadataRecord[] = [...kindByType].map(([extensionType, kind]) => ({
  id: `simulated-${kind}`,
  version: '1.0.0',
  name: `Simulated ${kind}`,
  endpoint: `/${kind}`,
  extensionType,
  category: 'simulator',
}));
