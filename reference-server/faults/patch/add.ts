import { entriesPerPage } from '../../../contract/limits.ts';
import { nameOf } from '../../patch/operation-add.ts';
import type { OperationsRun } from '../../patch/operations.ts';
import { isContent } from '../../patch/scalars.ts';
import type { Target } from '../../patch/target.ts';
import type { Content } from '../../store/store.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';
import { entriesIn, refusedWrongly } from './operations-fault.ts';

export const addFaults = {
  'patch.add.appends-without-marker': refusingToAdd((target) => target.kind === 'array' && !target.marker),

  'patch.add.appends-with-marker': together(
    replacing(
      'appendToPort',
      (right) => (service, run, target, contents) =>
        right(service, run, target, 'marker' in target && target.marker ? contents.map(marked) : contents),
    ),
    replacing('entryOut', (right) => (service, space, member, entry) => ({
      ...right(service, space, member, entry),
      ...(isMarked(entry.content) && { $entryId: '-' }),
    })),
  ),

  'patch.add.lands-last': replacing('appendToPort', (right) => async (service, run, target, contents) => {
    await right(service, run, target, contents);
    const before = (await entriesIn(run, nameOf(target))).slice(0, -contents.length);
    await moveAppended(run, nameOf(target), contents.length, Math.min(entriesPerPage, before.length));
  }),

  'patch.add.new-entry-gets-id': together(
    replacing(
      'appendToPort',
      (right) => (service, run, target, contents) => right(service, run, target, contents.map(marked)),
    ),
    replacing('entryOut', (right) => (service, space, member, entry) => ({
      ...right(service, space, member, entry),
      ...(isMarked(entry.content) && { $entryId: writtenAsNull }),
    })),
  ),

  'patch.add.missing-member-added': refusingToAdd(
    (target) => target.kind === 'member' && target.row.entry !== undefined,
  ),

  'patch.add.existing-member-refused': replacing(
    'addValue',
    (right) => (service, run, target, value, at) =>
      right(service, run, target.kind === 'member' ? { ...target, value: undefined } : target, value, at),
  ),

  'patch.add.object-value': refusingToAdd((target, value) => target.kind === 'member' && isContent(value)),

  'patch.add.array-value': replacing(
    'appendToPort',
    (right) => (service, run, target, contents) => right(service, run, target, contents.map(withoutArrays)),
  ),
} satisfies Partial<FaultsOf<'patch'>>;

/** JSON has no other spelling for it. */
const writtenAsNull = Number.NaN;

function refusingToAdd(refused: (target: Target, value: unknown) => boolean): Fault {
  return replacing('addValue', (right) => async (service, run, target, value, at) => {
    if (refused(target, value)) throw refusedWrongly();
    await right(service, run, target, value, at);
  });
}

/** Reorders a port whose last entries were appended just now, so that the first of them has that position. */
export async function moveAppended(run: OperationsRun, port: string, count: number, position: number): Promise<void> {
  const entries = await entriesIn(run, port);
  const [before, appended] = [entries.slice(0, -count), entries.slice(-count)];
  await run.writing.replaceEntries(run.object.oid, port, [
    ...before.slice(0, position),
    ...appended,
    ...before.slice(position),
  ]);
}

/** Content that remembers, without showing it, that an operation appended it. */
function marked(content: Content): Content {
  return { ...content, $appended: true };
}

function isMarked(content: Content): boolean {
  return content.$appended === true;
}

function withoutArrays(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)));
}
