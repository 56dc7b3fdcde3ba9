import { entriesPerPage } from '../../../contract/limits.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { isObject, pointer } from '../../../judge/json.ts';
import { makeReferrer, shownReference, targetIn } from '../../../judge/service/referrers.ts';
import { membersWith } from '../../../judge/service/soft-types.ts';
import { makeEditable } from '../../../judge/service/writes.ts';
import { add, type Operation, remove } from './operation-steps.ts';
import { readReferences, type References } from './reference-pages.ts';

/** A list of operations for references, and what is left of them where it is taken; nothing changes where it has to be refused. */
interface Step {
  readonly what: string;
  readonly operations: (shown: References) => readonly Operation[];
  readonly left: (targets: readonly string[]) => readonly string[];
  readonly isRefused?: true;
}

/** References on two pages, read before and after each list of operations, are what those that are taken have made of them: that operations edit them at all is not asked for. */
export async function expectReferencesFollowOperations(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return;
  const made = await makeReferrer(context, entriesPerPage + 2);
  const more = [await shownReference(context), await shownReference(context), await shownReference(context)];
  let before = made && (await readReferences(context, made.thing));
  const targets = more.map((entry) => targetIn(context, entry));
  if (made === undefined || before?.targets.length !== entriesPerPage + 2 || targets.includes('')) return;
  for (const { what, operations, left, isRefused } of stepsWith(context, reference.port, more, targets)) {
    const reply = await service.operations(await given.current(made.thing), operations(before));
    notes.observe(`status of ${what}`, reply.status, reply);
    // that such a list is refused is judged elsewhere
    if (isRefused && isSuccess(reply.status)) return;
    if (!isRefused && !isSuccess(reply.status)) continue;
    const after = await readReferences(context, made.thing);
    const expected = left(before.targets);
    const isKnown =
      targets.some((target) => after.targets.includes(target)) || !targets.some((target) => expected.includes(target));
    notes.observe(
      `whether references are shown that were written as reads show them, after ${what}`,
      isKnown,
      after.reply,
    );
    // in which form they are written is not said
    if (!isKnown) return;
    // in what order they are shown is judged where one is added
    expect(after.targets.toSorted(), `targets of references after ${what}`, after.reply).toEqual(expected.toSorted());
    if (after.total !== undefined)
      expect(after.total, `totalNumber of references after ${what}`, after.reply).toEqual(expected.length);
    before = after;
  }
}

function stepsWith(
  { given, profile }: CaseContext,
  port: string,
  [one, other, third]: readonly unknown[],
  targets: readonly string[],
): readonly Step[] {
  const removal = (what: string, place: number): Step => ({
    what,
    operations: ({ entries }) => {
      const entry = entries[place];
      return [remove(`${pointer(port, isObject(entry) ? String(entry['$entryId']) : '')}/`)];
    },
    left: (former) => former.toSpliced(place, 1),
  });
  const text = add(pointer(profile.textMember), given.unique());
  return [
    {
      what: 'two adds of references in one list',
      operations: () => [add(pointer(port), one), add(pointer(port), other)],
      left: (former) => [...former, ...targets.slice(0, 2)],
    },
    removal('the removal of a reference on a later page', entriesPerPage),
    removal('the removal of a reference on the first page', 0),
    {
      what: 'an add of a reference ahead of one that has to be refused',
      operations: () => [add(pointer(port), third), text, text],
      left: (former) => former,
      isRefused: true,
    },
    { what: 'operations for a text alone', operations: () => [text], left: (former) => former },
  ];
}

/** A PUT that brings more references than a page holds stores all of them, where it takes them as reads show them. */
export async function expectLongReferencesPut(context: CaseContext): Promise<void> {
  const { service, given, expect, notes, profile } = context;
  const { reference } = profile.primary;
  const made =
    reference === undefined || reference.single === true ? undefined : await makeReferrer(context, entriesPerPage + 2);
  const shown = made && (await readReferences(context, made.thing));
  if (shown?.targets.length !== entriesPerPage + 2) return;
  const entries = shown.entries.map((entry) => {
    const { $entryId: _own, ...content } = isObject(entry) ? entry : {};
    return content;
  });
  const thing = await makeEditable(context);
  const reply = await service.put(thing, given.body(membersWith(reference, entries)));
  notes.observe('status of a PUT of references as reads show them', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const stored = await readReferences(context, thing);
  // in which form they are written is not said
  if (stored.targets.length === 0)
    return notes.observe('whether references are stored that a PUT writes as reads show them', false, stored.reply);
  expect(stored.targets.toSorted(), 'targets of the references that a PUT has brought', stored.reply).toEqual(
    shown.targets.toSorted(),
  );
}
