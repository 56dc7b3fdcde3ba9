import { isDeepStrictEqual } from 'node:util';
import type { CaseContext } from '../../../judge/case.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { isObject, objectsIn, pointer } from '../../../judge/json.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { add, isWithoutValue, replace } from './operation-steps.ts';

/** An entry that may be created with an object may be given it by an add where it has none; the entry beside it has none then. */
export async function expectObjectAddedInEntry(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { arrayPort: port } = profile.primary;
  if (port?.object === undefined || !profile.offers('operations')) return;
  const { member } = port.object;
  const value = given.inner(port.object);
  const whole = () => given.object({ [port.member]: [given.entry(given.unique(), { [member]: value }, profile.port)] });
  const created = await unlessRefused(whole);
  notes.observe('an entry is created with an object', created !== undefined);
  if (created === undefined) return;
  const owner = await given.objectWithEntries(2);
  const entryOf = async (text: string | undefined) => {
    const reply = await service.readLong(owner);
    return { reply, entry: objectsIn(dataOf(reply)[port.member]).find((each) => each[port.text] === text) };
  };
  const [beside, text] = owner.texts;
  const { entry } = await entryOf(text);
  // what is there in every entry exists
  if (!isWithoutValue(entry?.[member])) return;
  const id = given.present(entry?.['$entryId'], 'the id of an entry');
  expect(await service.operations(owner, [add(pointer(port.member, String(id), member), value)])).toSucceed();
  const after = await entryOf(text);
  const added = after.entry?.[member];
  for (const [name, inner] of Object.entries(value)) {
    const what = `${name} of the object added to an entry`;
    expect(isObject(added) ? added[name] : undefined, what, after.reply).toEqual(inner);
  }
  const other = await entryOf(beside);
  expect(isWithoutValue(other.entry?.[member]), `no ${member} in the entry beside it`, other.reply).toEqual(true);
}

/** Entries that are created with an object and entries of their own read with those, and what has none shows none of an entry beside it. */
export async function expectObjectsInEntriesApart(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { arrayPort: port } = profile.primary;
  if (port?.object === undefined) return;
  const { member, scalars } = port.object;
  const object = port.object;
  const valueOf = () =>
    given.inner(
      object,
      scalars.map(() => given.unique()),
    );
  const holders = new Map([1, 2].map(() => [given.unique(), valueOf()]));
  const [holder = '', later = ''] = holders.keys();
  const [before, behind] = [given.unique(), given.unique()];
  const entries = [before, holder, behind, later].map((text) =>
    given.entry(text, holders.has(text) ? { [member]: holders.get(text) } : {}, profile.port),
  );
  const thing = await unlessRefused(() => given.object({ [port.member]: entries }));
  if (thing === undefined) return;
  const read = await service.readLong(thing);
  const shown = new Map(objectsIn(dataOf(read)[port.member]).map((entry) => [entry[port.text], entry[member]]));
  const held = shown.get(holder);
  if (!isObject(held) || Object.values(held).every((one) => isWithoutValue(one))) return;
  for (const [text, value] of holders)
    expect(textsOf(shown.get(text), scalars), `${member} of one of two entries that have one`, read).toEqual(
      textsOf(value, scalars),
    );
  for (const text of [before, behind])
    expect(shown.get(text), `${member} of an entry that was created without`, read).toSatisfy(
      'not that of the entry beside it',
      (other) => !isDeepStrictEqual(other, held),
    );
}

/** Two entries that are created with entries inside read each with its own. */
export async function expectInnerEntriesApart(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { arrayPort: port } = profile.primary;
  if (port?.nested === undefined) return;
  const { nested } = port;
  const inside = new Map([2, 1].map((count) => [given.unique(), Array.from({ length: count }, () => given.unique())]));
  const entries = [...inside].map(([text, texts]) =>
    given.entry(text, { [nested.member]: texts.map((one) => given.nestedEntry(one, nested)) }, profile.port),
  );
  const thing = await unlessRefused(() => given.object({ [port.member]: entries }));
  if (thing === undefined) return;
  const read = await service.readLong(thing);
  for (const entry of objectsIn(dataOf(read)[port.member])) {
    const own = inside.get(String(entry[port.text]));
    if (own === undefined) continue;
    const texts = objectsIn(entry[nested.member]).map((one) => one[nested.text]);
    expect(texts.toSorted(), `${nested.member} of one of two entries that have some`, read).toEqual(own.toSorted());
  }
}

function textsOf(value: unknown, scalars: readonly string[]): readonly unknown[] {
  return scalars.map((name) => (isObject(value) ? value[name] : undefined));
}

/** A replace inside the object of one entry leaves an equal object in the entry beside it alone, where paths lead there. */
export async function expectEqualObjectLeft(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { arrayPort: port } = profile.primary;
  if (port?.object === undefined || !profile.offers('operations')) return;
  const { member, scalars } = port.object;
  const [name = ''] = scalars;
  const value = given.inner(port.object);
  const texts = [given.unique(), given.unique()];
  const entries = texts.map((text) => given.entry(text, { [member]: value }, profile.port));
  const thing = await unlessRefused(() => given.object({ [port.member]: entries }));
  if (thing === undefined) return;
  const heldBy = async () => {
    const reply = await service.readLong(thing);
    const all = objectsIn(dataOf(reply)[port.member]);
    return { reply, held: texts.map((text) => all.find((entry) => entry[port.text] === text)) };
  };
  const id = (await heldBy()).held[0]?.['$entryId'];
  const fresh = given.unique();
  const reply = await service.operations(thing, [replace(pointer(port.member, String(id), member, name), fresh)]);
  notes.observe(`status of a replace inside the ${member} of an entry`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const after = await heldBy();
  const shown = after.held.map((entry) => {
    const inner = entry?.[member];
    return isObject(inner) ? inner[name] : null;
  });
  expect(shown, `${name} of two equal objects in entries, one of which was replaced`, after.reply).toEqual([
    fresh,
    value[name],
  ]);
}
