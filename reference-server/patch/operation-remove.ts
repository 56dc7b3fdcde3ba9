import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { isArrayMember } from '../soft-type/array-port.ts';
import { isPort, nameOf } from './operation-add.ts';
import type { OperationsRun } from './operations.ts';
import { hasValue } from './scalars.ts';
import { mandatoryMissing, withoutAt } from './steps.ts';
import type { Row, Target } from './target.ts';

type EntryRow = NonNullable<Row['entry']>;

/**
 * Removes what the target names, and every parent that does not comply without it; never the object itself.
 * Source: core, Operations-based PATCH rules 8 and 9. @throws {Refusal} 422 where there is nothing, or the object would not comply
 */
export async function removeTarget(service: Service, run: OperationsRun, target: Target): Promise<void> {
  const { row } = target;
  if ('marker' in target && target.marker) throw new Refusal(422, 'The end marker names no entry: remove by entry id.');
  if (target.kind === 'entry' && target.steps.length === 0 && row.entry !== undefined) return removeRow(run, row.entry);
  if (target.kind === 'array' && isPort(target)) return emptyPort(run, target);
  if (target.kind !== 'array' && target.value === undefined) throw new Refusal(422, 'There is no value to remove.');
  await removeInside(service, run, target);
}

async function removeInside(service: Service, run: OperationsRun, { row, steps }: Target): Promise<void> {
  const { complies, cascadeTo, storeRow } = service.behaviours;
  const content = withoutAt(complies, row.members, row.content, steps);
  if (row.entry === undefined) {
    assertObjectComplies(run, content);
  } else if (!complies(row.members, content)) {
    return cascadeTo(run, row.entry);
  }
  await storeRow(service, run, row, content);
}

/** Array ports are checked where they lose entries. */
function assertObjectComplies(run: OperationsRun, content: Row['content']): void {
  const members = new Map(run.softType.members.entries().filter(([, member]) => !isArrayMember(member)));
  const missing = mandatoryMissing(members, content);
  if (missing !== undefined)
    throw new Refusal(422, `The object does not comply without '${missing}', and is never removed by an operation.`);
}

/** Removes the entry that lost something it does not comply without; its siblings stay. */
export async function cascadeTo(run: OperationsRun, entry: EntryRow): Promise<void> {
  await removeRow(run, entry);
}

async function removeRow(run: OperationsRun, { port, array, entryId }: EntryRow): Promise<void> {
  await run.writing.removeEntry(run.object.oid, port, entryId);
  if (array.mandatory && !hasValue(await run.writing.entries(run.object.oid, port, { from: 0, to: 1 })))
    throw mandatoryPort(port);
}

async function emptyPort(run: OperationsRun, target: Target & { readonly kind: 'array' }): Promise<void> {
  const port = nameOf(target);
  if (target.member.mandatory) throw mandatoryPort(port);
  await run.writing.replaceEntries(run.object.oid, port, []);
}

function mandatoryPort(port: string): Refusal {
  return new Refusal(422, `The object does not comply without an entry in '${port}'.`);
}
