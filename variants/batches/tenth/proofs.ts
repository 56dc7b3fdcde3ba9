import { setTimeout as wait } from 'node:timers/promises';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { callsTo } from '../proofs.ts';

/** Waits until the host has had so many calls, or for a second. */
export async function reached(host: ExtensionHost, count: number): Promise<readonly Entry[]> {
  for (let left = 100; left > 0 && callsTo(host).length < count; left -= 1) await wait(10);
  return callsTo(host);
}

/** A validator of documents, and what it answers first. */
export function validator(recordId: string): object {
  return {
    id: recordId,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
  };
}
