import { isSuccess } from '../../../judge/exchange.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import {
  add,
  applyOperations,
  areIdsKept,
  entriesIn,
  entriesNow,
  membersOf,
  type Operation,
  remove,
  replace,
} from './operation-steps.ts';

/** An id says which entry of its array is meant: in one list, the path of each leads to its own, in two arrays of an object and in those of two entries. */
export async function expectArraysToldApart(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.secondArrayPort === undefined) return;
  const ports = [profile.port, profile.secondPort];
  const owner = await given.object(
    Object.fromEntries(ports.map((port) => [port.member, [given.entry(given.unique(), {}, port)]])),
  );
  const before = await service.snapshot(owner);
  const written = ports.map((port) => {
    const { entryId, members } = given.present(entriesIn(before, port)[0], `an entry of ${port.member}`);
    return { port, entryId, members: { ...members, [port.text]: given.unique() } };
  });
  const operations = written.map(({ port, entryId, members }) =>
    replace(pointer(port.member, entryId, port.text), members[port.text]),
  );
  const after = await applyOperations(context, owner, operations);
  for (const { port, members } of written)
    expect(
      entriesIn(after, port).map((entry) => entry.members),
      `entries of ${port.member} after a list that edits one of each array`,
      after.reply,
    ).toEqual([members]);
  await expectInnerToldApart(context);
}

/** Whether paths lead so deep is not said. */
async function expectInnerToldApart(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { port } = profile;
  const { nested } = port;
  if (nested === undefined) return;
  const entry = () =>
    given.entry(given.unique(), { [nested.member]: [given.nestedEntry(given.unique(), nested)] }, port);
  const owner = await given.object({ [port.member]: [entry(), entry()] });
  const texts: string[] = [];
  const operations: Operation[] = [];
  for (const { entryId, members } of entriesIn(await service.snapshot(owner), port)) {
    const id = objectsIn(members[nested.member])[0]?.['$entryId'];
    if (id === undefined) return;
    const text = given.unique();
    texts.push(text);
    operations.push(replace(pointer(port.member, entryId, nested.member, String(id), nested.text), text));
  }
  const reply = await service.operations(owner, operations);
  notes.observe('status of a list that edits inside two entries', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const after = await service.snapshot(owner);
  const found = entriesIn(after, port).map(({ members }) => JSON.stringify(members[nested.member]));
  for (const [index, text] of texts.entries())
    expect(found[index], `what is inside entry ${index} after a list that edits both`, after.reply).toSatisfy(
      `a text that holds ${text}`,
      (inside) => inside?.includes(text) === true,
    );
}

/** An entry that has lost what it needs goes, also where the same list has edited it before, which may have given it another id. */
export async function expectEditedEntryGone(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const owner = await given.objectWithEntries(4);
  const { member, text } = owner.port;
  const mandatory = given.present(owner.port.mandatory, 'arrayPort.mandatory in the profile');
  const before = await entriesNow(context, owner);
  const pathOf = (place: number, name: string): string =>
    pointer(member, given.present(before[place], `an entry at place ${place}`).entryId, name);
  const reply = await service.operations(owner, [
    replace(pathOf(0, text), given.unique()),
    remove(pathOf(0, mandatory)),
    ...(mandatory === text ? [] : [remove(pathOf(2, text))]),
    remove(pathOf(2, mandatory)),
  ]);
  notes.observe('a list that edits entries and takes what they need', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const left = await entriesNow(context, owner);
  if (!areIdsKept(context, before, left, owner.port)) return;
  expect(
    membersOf(left),
    'entries after a list has edited two of them and removed their mandatory members',
    reply,
  ).toEqual(membersOf(before).filter((_members, place) => place % 2 === 1));
}

/** A path leads to an entry that is there by now, also where it led nowhere before. The next id can be told where ids are counted. */
export async function expectLaterEntryAddressed(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const owner = await given.objectWithEntries(2);
  const { member, text } = owner.port;
  const lastId = Number(entriesIn(await service.snapshot(owner), owner.port).at(-1)?.entryId);
  if (!Number.isSafeInteger(lastId)) return;
  const path = pointer(member, String(lastId + 1), text);
  if (isSuccess((await service.operations(owner, [replace(path, given.unique())])).status)) return;
  const entry = given.entry(given.unique('later'), {}, owner.port);
  const grown = await applyOperations(context, await given.current(owner), [add(pointer(member), entry)]);
  if (entriesIn(grown, owner.port).at(-1)?.entryId !== String(lastId + 1)) return;
  expect(await service.operations(await given.current(owner), [replace(path, given.unique())])).toSucceed();
}
