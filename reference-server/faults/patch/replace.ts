import { isoTime } from '../../clock/iso-time.ts';
import { entryIdFrom } from '../../patch/entry-ids.ts';
import type { OperationsRun } from '../../patch/operations.ts';
import { hasValue, isContent } from '../../patch/scalars.ts';
import { readValue } from '../../patch/values.ts';
import type { StoredEntry } from '../../store/store.ts';
import { replacing, type FaultsOf } from '../fault.ts';
import { whileLocating } from './operations-fault.ts';

export const replaceFaults = {
  'patch.replace.missing-member-refused': replacing(
    'replaceValue',
    (right) => (service, run, target, value, at) =>
      right(service, run, target.kind === 'member' ? { ...target, value: '' } : target, value, at),
  ),

  'patch.replace.missing-entry-refused': whileLocating(
    'replace',
    replacing(
      'entryAt',
      (right) => async (run, port, token) =>
        (await right(run, port, token)) ?? (entryIdFrom(token) === undefined ? undefined : appendedCopy(run, port)),
    ),
  ),

  'patch.replace.object-refused': replacing('replaceValue', (right) => async (service, run, target, value, at) => {
    if (target.kind !== 'member' || !isContent(value)) return right(service, run, target, value, at);
    await service.behaviours.setMember(service, run, target, readValue(run.rules, target.member, value, at));
  }),

  'patch.replace.array-refused': replacing('replaceValue', (right) => (service, run, target, value, at) => {
    const empties = target.kind === 'array' && Array.isArray(value) && !hasValue(value);
    return empties ? service.behaviours.removeTarget(service, run, target) : right(service, run, target, value, at);
  }),

  'patch.replace.dated-effectivity-date': replacing('effectivityOf', () => (service) => isoTime(service.clock.now())),
} satisfies Partial<FaultsOf<'patch'>>;

/** A new last entry with the content of the first, so that it has something to replace. */
async function appendedCopy({ object, writing }: OperationsRun, port: string): Promise<StoredEntry | undefined> {
  const [first] = await writing.entries(object.oid, port, { from: 0, to: 1 });
  if (first === undefined) return undefined;
  const [entryId] = await writing.appendEntries(object.oid, port, [first.content]);
  return entryId === undefined ? undefined : { entryId, content: first.content };
}
