import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import type { Content } from '../store/store.ts';
import { arrayItem } from './content.ts';
import { appended } from './entry-ids.ts';
import type { OperationsRun } from './operations.ts';
import { pointerBelow } from './pointer.ts';
import { hasValue, readScalar } from './scalars.ts';
import { changedAt } from './steps.ts';
import type { Target } from './target.ts';
import { readEntry, readValue } from './values.ts';

type TargetOf<Kind extends Target['kind']> = Extract<Target, { readonly kind: Kind }>;

/**
 * Appends to an array, or gives a value to a member that has none. Source: core, Operations-based PATCH rules 4, 5 and 6.
 * @param at pointer to the value in the body
 * @throws {Refusal} 422 where the member has a value, the path is a place inside an array, or the value does not fit
 */
export async function addValue(
  service: Service,
  run: OperationsRun,
  target: Target,
  value: unknown,
  at: string,
): Promise<void> {
  switch (target.kind) {
    case 'array':
      return addEntries(service, run, target, value, at);
    case 'list':
      return addItems(service, run, target, value, at);
    case 'member':
      return addMember(service, run, target, value, at);
    case 'entry':
      throw new Refusal(422, 'There is an entry already, and nothing can be inserted before it: add to the array.');
  }
}

async function addMember(
  service: Service,
  run: OperationsRun,
  target: TargetOf<'member'>,
  value: unknown,
  at: string,
): Promise<void> {
  if (target.value !== undefined) throw new Refusal(422, 'The member has a value already: replace it.');
  await service.behaviours.setMember(service, run, target, readValue(run.rules, target.member, value, at));
}

/** Gives the member that the target names its value, which is in canonical form. */
export async function setMember(
  service: Service,
  run: OperationsRun,
  { row, steps }: Target,
  value: unknown,
): Promise<void> {
  const name = steps.at(-1)?.name;
  if (name === undefined) return;
  const content = changedAt(row.content, steps.slice(0, -1), (holder) => ({ ...holder, [name]: value }));
  await service.behaviours.storeRow(service, run, row, content);
}

/** Plain values have no ids: one is appended, several fill a list that has none. */
async function addItems(
  service: Service,
  run: OperationsRun,
  target: TargetOf<'list'>,
  value: unknown,
  at: string,
): Promise<void> {
  const present = Array.isArray(target.value) ? target.value : [];
  if (!Array.isArray(value)) {
    return service.behaviours.setMember(service, run, target, [...present, readScalar(target.member.of, value, at)]);
  }
  assertFillable(target.marker, hasValue(present));
  await service.behaviours.setMember(service, run, target, readValue(run.rules, target.member, value, at));
}

async function addEntries(
  service: Service,
  run: OperationsRun,
  target: TargetOf<'array'>,
  value: unknown,
  at: string,
): Promise<void> {
  const contents = await newEntries(service, run, target, value, at);
  if (isPort(target)) return service.behaviours.appendToPort(service, run, target, contents);
  const name = nameOf(target);
  const content = changedAt(target.row.content, target.steps.slice(0, -1), (holder) =>
    appended(holder, name, contents),
  );
  await service.behaviours.storeRow(service, run, target.row, content);
}

/** Appends behind the last entry of an array port, whatever the page. */
export async function appendToPort(
  service: Service,
  run: OperationsRun,
  target: Target,
  contents: readonly Content[],
): Promise<void> {
  await run.writing.appendEntries(
    run.object.oid,
    nameOf(target),
    service.behaviours.withEntryIds(contents.map(arrayItem)),
  );
}

async function newEntries(
  service: Service,
  run: OperationsRun,
  target: TargetOf<'array'>,
  value: unknown,
  at: string,
): Promise<readonly Content[]> {
  if (Array.isArray(value)) assertFillable(target.marker, await hasEntries(run, target));
  const contents = Array.isArray(value)
    ? value.map((item, index) => readEntry(run.rules, target.member, item, pointerBelow(at, index)))
    : [readEntry(run.rules, target.member, value, at)];
  if (target.member.kind === 'references') {
    for (const content of contents)
      await service.behaviours.assertReference(run.call, run.writing, target.member.to, content);
  }
  return contents;
}

function assertFillable(marker: boolean, filled: boolean): void {
  if (marker || filled)
    throw new Refusal(422, 'An array of values only fills an array that has none: add the values one by one.');
}

async function hasEntries(run: OperationsRun, target: TargetOf<'array'>): Promise<boolean> {
  if (!isPort(target)) return hasValue(target.value);
  return (await run.writing.countEntries(run.object.oid, nameOf(target))) > 0;
}

/** Whether the array has rows of its own, unlike one inside an entry. */
export function isPort({ row, steps }: Target): boolean {
  return row.entry === undefined && steps.length === 1;
}

export function nameOf({ steps }: Target): string {
  return steps.at(-1)?.name ?? '';
}
