import { entriesOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import { findNoText } from '../../../judge/service/texts.ts';
import type { Port } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { applyOperations, remove } from './operation-steps.ts';

type Content = Readonly<Record<string, unknown>>;

/** The same of an array inside an entry, and of a member in it, where paths lead into it at all: how deep they may is not said. */
export async function expectNestedGone(context: CaseContext): Promise<void> {
  const { nested } = context.profile.port;
  if (nested === undefined) return;
  await expectLeftInside(context, nested, undefined, () => []);
  const bare = await createWithoutInner(context, nested, nested.text);
  if (isSuccess(bare.status))
    await expectLeftInside(context, nested, nested.text, (one) => [{ ...one, [nested.text]: null }]);
  await expectKeptEmptyInside(context, nested);
}

/** An entry inside an entry that may be created with nothing in it stays when it loses the only member that it has. */
async function expectKeptEmptyInside(context: CaseContext, nested: Nested): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { member } = profile.port;
  const makeWith = (items: readonly Content[]) =>
    unlessRefused(() =>
      given.object({ [member]: [given.entry(given.unique(), { [nested.member]: items }, profile.port)] }),
    );
  const bare = await makeWith([{}]);
  const kept = bare === undefined ? 0 : itemsInside(await service.read(bare), profile.port).flat().length;
  notes.observe('entries inside an entry that are kept of one that has no member', kept);
  const [emptied, beside] = [given.unique('emptied'), given.unique('beside')];
  const owner = kept === 1 ? await makeWith([{ [nested.text]: emptied }, { [nested.text]: beside }]) : undefined;
  if (owner === undefined) return;
  const before = await service.read(owner);
  const [entry] = entriesOf(before, profile.port);
  const item = itemsInside(before, profile.port)
    .flat()
    .find((one) => one[nested.text] === emptied);
  if (entry === undefined || item === undefined) return;
  const path = pointer(member, entry.entryId, nested.member, String(item['$entryId']), nested.text);
  const reply = await service.operations(owner, [remove(path)]);
  notes.observe('the only member of an entry inside an entry is removed', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const after = await service.read(owner);
  const left = itemsInside(after, profile.port).flat();
  expect(left.length, `entries of ${nested.member} after one of two lost its only member`, after).toEqual(2);
  const isNone = await findNoText(context);
  const texts = left.flatMap((one) => (isNone(one[nested.text]) ? [] : [one[nested.text]]));
  expect(texts, `texts of ${nested.member} after one of two lost its only member`, after).toEqual([beside]);
}

/** An entry inside an entry goes with a member of it where the service itself takes none without that. */
export async function expectNestedCascade(context: CaseContext): Promise<void> {
  const { nested } = context.profile.port;
  if (nested === undefined) return;
  for (const name of new Set([nested.text, ...Object.keys(nested.entry)])) {
    const { status } = await createWithoutInner(context, nested, name);
    if (status >= 400 && status < 500) await expectLeftInside(context, nested, name, () => []);
  }
}

type Nested = NonNullable<Port['nested']>;

async function createWithoutInner(
  { given, service, notes, profile }: CaseContext,
  nested: Nested,
  name: string,
): Promise<Reply> {
  const { [name]: _value, ...without } = given.nestedEntry(given.unique(), nested);
  const entry = given.entry(given.unique(), { [nested.member]: [without] });
  const reply = await service.create(given.body({ [profile.port.member]: [entry] }));
  notes.observe(`status of a create with an entry inside an entry that has no ${name}`, reply.status, reply);
  return reply;
}

/** What is inside the entries when an entry inside the first is removed, or the member of that name in it. `left`: what is left of the entry that it belongs to. */
async function expectLeftInside(
  context: CaseContext,
  nested: Nested,
  name: string | undefined,
  left: (one: Content) => readonly Content[],
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { member } = profile.port;
  // what the suite sent of each
  const sent = [...Object.keys(nested.entry), nested.text];
  const isNone = await findNoText(context);
  const sentOf = (items: readonly Content[]): readonly Content[] =>
    items.map((one) => Object.fromEntries(sent.map((member) => [member, isNone(one[member]) ? null : one[member]])));
  const owner = await given.objectWithEntries(2, { nested: () => 4 });
  const before = await service.read(owner);
  const [entry] = entriesOf(before, profile.port);
  const item = itemsInside(before, profile.port)[0]?.[1];
  if (entry === undefined || item === undefined) return;
  const at = pointer(member, entry.entryId, nested.member, String(item['$entryId']));
  const reply = await service.operations(owner, [remove(name === undefined ? `${at}/` : `${at}${pointer(name)}`)]);
  const what = name ?? 'entry';
  notes.observe(`the ${what} of an array inside an entry is removed`, reply.status, reply);
  if (!isSuccess(reply.status) && name === undefined) {
    // who removes it by a path that the document does not show removes it by the one that it does
    const other = await service.operations(owner, [remove(at)]);
    notes.observe('an entry inside an entry is removed without the slash', other.status, other);
    if (isSuccess(other.status)) expect(reply).toSucceed();
  }
  if (!isSuccess(reply.status)) return;
  const read = await service.read(owner);
  const right = itemsInside(before, profile.port).map((items, index) =>
    index > 0 ? sentOf(items) : sentOf(items).flatMap((one, place) => (place === 1 ? left(one) : [one])),
  );
  expect(
    itemsInside(read, profile.port).map(sentOf),
    `what is inside the entries after the remove of one ${what}`,
    read,
  ).toEqual(right);
  await expectHolderStays(context, nested, name);
  if (name !== undefined) return;
  // by the ids that are shown since then: the one in the middle, whose id is no longer its place, and the last one
  for (const place of [1, -1]) {
    const shown = await service.read(owner);
    const [items = []] = itemsInside(shown, profile.port);
    const holder = given.present(entriesOf(shown, profile.port)[0], 'the entry that holds it');
    const nextAt = pointer(member, holder.entryId, nested.member, String(items.at(place)?.['$entryId']));
    await applyOperations(context, await given.current(owner), [remove(`${nextAt}/`)]);
    const after = await service.read(owner);
    expect(
      itemsInside(after, profile.port).map(sentOf)[0],
      `what is inside the first entry after the remove of ${place === 1 ? 'another' : 'the last'} one`,
      after,
    ).toEqual(sentOf(items.toSpliced(place, 1)));
  }
}

/** An entry that was made without any inside it complies without them: it stays when the only one goes, by itself or with its member. */
async function expectHolderStays(context: CaseContext, nested: Nested, name: string | undefined): Promise<void> {
  const { given, service, expect, profile } = context;
  const owner = await given.objectWithEntries(2, { nested: () => 1 });
  const before = await service.read(owner);
  const [holder] = entriesOf(before, profile.port);
  const [item] = itemsInside(before, profile.port)[0] ?? [];
  if (holder === undefined || item === undefined) return;
  const at = pointer(profile.port.member, holder.entryId, nested.member, String(item['$entryId']));
  const path = name === undefined ? `${at}/` : `${at}${pointer(name)}`;
  const { reply } = await applyOperations(context, owner, [remove(path)]);
  const textsOf = (read: Reply) => entriesOf(read, profile.port).map(({ members }) => members[profile.port.text]);
  const what = `after the remove of ${name ?? 'the entry'} of the only one inside the first`;
  const after = await service.read(owner);
  expect(textsOf(after), `entries ${what}`, reply).toEqual(textsOf(before));
}

/** Items of the array inside each entry of a port. */
function itemsInside(read: Reply, port: Port): readonly (readonly Content[])[] {
  return entriesOf(read, port).map(({ members }) => {
    const items: unknown = members[port.nested?.member ?? ''];
    return objectsIn(items);
  });
}
