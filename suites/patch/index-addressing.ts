import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Owner } from '../../judge/given.ts';
import { pointer } from '../../judge/json-pointer.ts';
import {
  add,
  changed,
  entriesIn,
  entriesNow,
  entryPath,
  isAccepted,
  isAcceptedCorrected,
  isRefused,
  membersOf,
  remove,
  replace,
} from './words.ts';

const nothingToTellApart =
  'Entry ids never look like positions here, or each equals its own position, so ids and positions cannot be told apart: declare the rule under notSupported with that reason.';

export const indexCases = {
  'patch.index.position-refused': scenario(async (context) => {
    const { given } = context;
    const { owner, position } = await withFreePosition(context);
    await isRefused(context, owner, [replace(pointer(owner.port.member, position, owner.port.text), given.unique())]);
    await removesNothing(context, owner, entryPath(owner.port, String(position)));
    const [entry] = await entriesNow(context, owner);
    const { entryId } = given.present(entry, 'an entry');
    await isAcceptedCorrected(context, await given.current(owner), [
      replace(pointer(owner.port.member, entryId, owner.port.text), given.unique()),
    ]);
  }),

  'patch.index.entry-id-wins': scenario(async (context) => {
    const { given, expect } = context;
    const owner = await withIdsAway(context);
    const before = await entriesNow(context, owner);
    const place = before.findIndex(
      (entry, index) =>
        /^\d+$/.test(entry.entryId) && Number(entry.entryId) < before.length && Number(entry.entryId) !== index,
    );
    const target = before[place];
    if (target === undefined) return given.inconclusive(nothingToTellApart);
    const text = given.unique();
    const after = await isAccepted(context, owner, [
      replace(pointer(owner.port.member, target.entryId, owner.port.text), text),
    ]);
    const expected = before.map((entry) => (entry === target ? text : entry.members[owner.port.text]));
    expect(
      entriesIn(after, owner.port).map((entry) => entry.members[owner.port.text]),
      'entries after a replace through an id that is also a position',
      after.reply,
    ).toEqual(expected);
  }),

  'patch.index.insert-refused': scenario(async (context) => {
    const { given } = context;
    const owner = await given.objectWithEntries(3);
    const before = await entriesNow(context, owner);
    const value = given.entry(given.unique(), {}, owner.port);
    const free = [0, 1, 2, 7].find((position) => !before.some(({ entryId }) => entryId === String(position)));
    const second = given.present(before[1], 'a second entry');
    const places = [String(free), second.entryId].map((segment) => pointer(owner.port.member, segment));
    await isRefused(context, owner, ...places.map((path) => [add(path, value)]));
    await isAcceptedCorrected(
      context,
      owner,
      [add(pointer(owner.port.member), value)],
      ['patch.add.appends-without-marker'],
    );
  }),
} satisfies SomeCasesOf<'patch'>;

/** No entry goes; whether a remove of nothing is refused is not said. */
async function removesNothing(context: CaseContext, owner: Owner, path: string): Promise<void> {
  const before = await entriesNow(context, owner);
  const reply = await context.service.operations(owner, [remove(path)]);
  context.notes.observe('remove through a position', reply.status, reply);
  context
    .expect(membersOf(await entriesNow(context, owner)), 'entries after a remove through a position', reply)
    .toEqual(membersOf(before));
}

/** Five entries or fewer, and a position among them that is no entry id. */
async function withFreePosition(context: CaseContext): Promise<{ owner: Owner; position: number }> {
  let owner = await context.given.objectWithEntries(5);
  for (let left = 5; left > 1; left -= 1) {
    const entries = await entriesNow(context, owner);
    const position = entries.findIndex((_entry, index) => !entries.some(({ entryId }) => entryId === String(index)));
    if (position !== -1) return { owner, position };
    owner = await changed(context, owner, [remove(entryPath(owner.port, entries[0]?.entryId ?? ''))]);
  }
  return context.given.inconclusive('Every position is an entry id, whatever is removed.');
}

/** Six entries of nine, early ones removed, so that ids and positions differ. */
async function withIdsAway(context: CaseContext): Promise<Owner> {
  let owner = await context.given.objectWithEntries(9);
  for (let removed = 0; removed < 3; removed += 1) {
    const [first] = await entriesNow(context, owner);
    owner = await changed(context, owner, [remove(entryPath(owner.port, first?.entryId ?? ''))]);
  }
  return owner;
}
