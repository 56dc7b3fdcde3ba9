import type { Party } from './party.ts';
import { has, type Probe, probeName, unknownOid } from './probe.ts';
import { batchProbes, multiCreateProbes } from './probes/many.ts';
import { operationProbes } from './probes/operations.ts';
import { pageProbes, readProbes } from './probes/reads.ts';
import { bodyWith, createProbes, currentThing, mergeProbes } from './probes/writes.ts';
import { unknownMember } from './roles.ts';

/** PUT, promote and DELETE. */
const otherWriteProbes: readonly Probe[] = [
  {
    command: 'PUT',
    situation: 'of nothing',
    answer: 'edit',
    touches: 'object',
    needs: has.put,
    silence: 'put-mandatory-missing',
    request: (on) => on.requests.put(currentThing(on), {}),
  },
  {
    command: 'PUT',
    situation: 'of an object that is not there',
    answer: 'edit',
    touches: 'nothing',
    needs: has.put,
    silence: 'put-unknown-object',
    request: (on) => on.requests.put({ ...currentThing(on), oid: unknownOid(on) }, bodyWith(on)),
  },
  {
    command: 'PUT',
    situation: 'with a member that no schema has',
    answer: 'edit',
    touches: 'object',
    needs: has.put,
    silence: 'unknown-member-status',
    request: (on) => on.requests.put(currentThing(on), bodyWith(on, { [unknownMember]: 'x' })),
  },
  {
    command: 'promote',
    situation: 'of an unknown level',
    answer: 'edit',
    touches: 'object',
    needs: has.promote,
    silence: 'promote-unknown-process-or-level',
    request: (on) => ({
      ...on.requests.promote(currentThing(on)),
      url: on.requests.promote(currentThing(on)).url.replace(/[^/]+$/, 'noSuchLevel'),
    }),
  },
  {
    command: 'promote',
    situation: 'with a body',
    answer: 'edit',
    touches: 'object',
    needs: has.promote,
    silence: 'promote-with-body',
    request: (on) => ({ ...on.requests.promote(currentThing(on)), body: {} }),
  },
  {
    command: 'DELETE',
    situation: 'without version',
    answer: 'delete',
    touches: 'removes',
    needs: has.remove,
    silence: 'delete-version-header',
    request: (on) => on.requests.remove(on.subject.thing),
  },
  {
    command: 'DELETE',
    situation: 'with the version',
    answer: 'delete',
    touches: 'removes',
    needs: has.remove,
    silence: 'delete-success-status',
    request: (on) => ({ ...on.requests.remove(on.subject.thing), version: on.subject.state.version }),
  },
  {
    command: 'DELETE',
    situation: 'with another version',
    answer: 'delete',
    touches: 'removes',
    needs: has.remove,
    silence: 'delete-version-header',
    request: (on) => ({ ...on.requests.remove(on.subject.thing), version: on.subject.state.version + 7 }),
  },
  {
    command: 'DELETE',
    situation: 'of an object that is not there',
    answer: 'delete',
    touches: 'nothing',
    needs: has.remove,
    silence: 'delete-success-status',
    request: (on) => ({
      ...on.requests.remove({ ...on.subject.thing, oid: unknownOid(on) }),
      version: 1,
    }),
  },
];

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
