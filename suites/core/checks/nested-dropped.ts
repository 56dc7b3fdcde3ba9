import { dataOf, entriesOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject, objectsIn } from '../../../judge/json.ts';

/** Entries that are sent back by their ids without the arrays in them are the same entries without them, or others: either way those are gone. */
export async function expectNestedDropped(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested } = profile.port;
  if (nested === undefined) return;
  const owner = await given.objectWithEntries(2, { nested: () => 2 });
  const innerIn = (reply: Reply): readonly unknown[] =>
    entriesOf(reply, owner.port).flatMap(({ members }) => members[nested.member] ?? []);
  const bodyBack = (read: Reply, inside: (index: number) => Readonly<Record<string, unknown>>) => {
    const entries = objectsIn(dataOf(read)[owner.port.member]).map(({ $entryId }, index) =>
      given.entry(owner.texts[index] ?? '', { $entryId, ...inside(index) }, owner.port),
    );
    return given.body({ [owner.port.member]: entries });
  };
  let read = await service.read(owner);
  given.assume(innerIn(read).length === 4, 'entries with two nested entries each');
  const body = bodyBack(read, () => ({}));
  const reply = await service.put(owner, body);
  notes.observe('status of a PUT of entries with their $entryId', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  read = await service.read(owner);
  expect(innerIn(read), 'entries of the arrays inside entries that a PUT leaves out', read).toEqual([]);
  // into arrays that are empty, and then in place of what is there
  for (const what of ['first', 'others']) {
    const texts = owner.texts.map(() => given.unique(what)).toSorted();
    const filled = bodyBack(read, (index) => ({ [nested.member]: [given.nestedEntry(texts[index] ?? '', nested)] }));
    expect(await service.put(await given.current(owner), filled)).toSucceed();
    read = await service.read(owner);
    const shown = innerIn(read).map((item) => (isObject(item) ? String(item[nested.text]) : ''));
    expect(shown.toSorted(), `texts inside entries that are sent back with ${what} inside`, read).toEqual(texts);
  }
  // nor has an entry inside that is sent back by its id the text that it comes without
  const held = objectsIn(dataOf(read)[owner.port.member]).map((entry) => objectsIn(entry[nested.member]));
  const bare = bodyBack(read, (index) => ({
    [nested.member]: held[index]?.map(({ $entryId }) => ({
      ...given.nestedEntry('', nested),
      [nested.text]: undefined,
      $entryId,
    })),
  }));
  const without = await service.put(await given.current(owner), bare);
  notes.observe('status of a PUT of entries inside entries without their text', without.status, without);
  if (!isSuccess(without.status)) return;
  read = await service.read(owner);
  const before = new Set(held.flat().map((item) => item[nested.text]));
  const left = innerIn(read).filter((item) => isObject(item) && before.has(item[nested.text]));
  expect(left, `entries inside entries with the ${nested.text} that a PUT leaves out`, read).toEqual([]);
}
