import type { Party } from './party.ts';
import { probeName, type Probe } from './probe.ts';
import { batchProbes, multiCreateProbes } from './probes/many.ts';
import { operationProbes } from './probes/operations.ts';
import { pageProbes, readProbes } from './probes/reads.ts';
import { otherWriteProbes } from './probes/others.ts';
import { createProbes, mergeProbes } from './probes/writes.ts';

/** Every request of which the documents decide part or nothing, by name. */
export const probes: ReadonlyMap<string, Probe> = new Map(
  [
    ...readProbes,
    ...pageProbes,
    ...createProbes,
    ...mergeProbes,
    ...operationProbes,
    ...otherWriteProbes,
    ...batchProbes,
    ...multiCreateProbes,
  ].map((probe) => [probeName(probe), probe]),
);

/** Those that both can be asked. */
export function probesFor(...parties: readonly Party[]): readonly Probe[] {
  return [...probes.values()].filter(({ needs }) => needs === undefined || parties.every((party) => needs(party)));
}
