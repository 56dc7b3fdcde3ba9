import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { CalledType } from './extension.ts';

/** Executions a minute: so many that schedules are never held back, also where retries count. */
const plenty = 100;

/** A record with an id and an endpoint of its own, and nothing optional but the rate limit. `softTypes`: what a validation is for. */
export function recordOf(
  type: CalledType,
  unique: (prefix?: string) => string,
  softTypes: readonly string[],
): MetadataRecord {
  const id = unique('record');
  return {
    id,
    version: '1.0.0',
    name: `Conformance ${type}`,
    endpoint: `/t/${id}`,
    extensionType: type,
    category: 'conformance',
    rateLimitNumberOfExecutions: plenty,
    ...(type === 'ExternalValidation' && { capabilities: [{ capabilityType: 'SoftType', capabilities: softTypes }] }),
  };
}
