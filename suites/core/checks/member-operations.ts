import { longTextOfManyKinds } from '../../../fixtures/values.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { pointer } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { makeEditable } from '../../../judge/service/writes.ts';
import { type Kind, memberKinds } from './member-kinds.ts';
import { expectNumbersKept } from './number-kinds.ts';
import {
  type Operation,
  add,
  applyOperations,
  entriesIn,
  expectRefusals,
  isWithoutValue,
  plainValues,
  remove,
  replace,
  soundBeside,
} from './operation-steps.ts';
import { asSent } from './sent-part.ts';

interface Held {
  readonly thing: Thing;
  readonly data: Readonly<Record<string, unknown>>;
  /** Those that the object shows a value of, or none where it was made without. */
  readonly kinds: readonly Kind[];
}

/** An object with members of every kind that are optional, or without any of them; undefined where the service takes none such. */
async function makeWithKinds(context: CaseContext, isFilled: boolean): Promise<Held | undefined> {
  const { given, service, notes } = context;
  const mandatory = Object.keys(given.body());
  // an array of texts takes single ones, and what an element with dates takes is its own
  const kinds = memberKinds(context).filter(
    ({ what, shown, sent }) =>
      what !== 'an array of texts' &&
      what !== 'a dated element' &&
      ![shown, ...Object.keys(sent)].some((name) => mandatory.includes(name)),
  );
  const body = given.body(isFilled ? Object.assign({}, ...kinds.map(({ sent }) => sent)) : {});
  const created = await service.create(body);
  notes.observe('an object with members of every kind', created.status, created);
  if (!isSuccess(created.status)) return undefined;
  const thing = await given.found(created, body);
  const data = dataOf(await service.readLong(thing));
  return { thing, data, kinds: kinds.filter(({ shown }) => isWithoutValue(data[shown]) !== isFilled) };
}

/** No member that has a value, of whatever kind, takes another one by an add. */
export async function expectNoKindAddedOver(context: CaseContext): Promise<void> {
  const held = await makeWithKinds(context, true);
  if (held === undefined) return;
  const operations = held.kinds.flatMap(({ sent }) =>
    Object.entries(sent).map(([name, value]) => [add(pointer(name), value)]),
  );
  await expectRefusals(context, held.thing, ...operations);
}

/** No member without a value, of whatever kind, gets one by a replace. */
export async function expectNoKindReplacedFromNothing(context: CaseContext): Promise<void> {
  const held = await makeWithKinds(context, false);
  if (held === undefined) return;
  // what is shown as null may count as there
  const absent = held.kinds.filter(({ shown }) => held.data[shown] === undefined);
  const operations = absent.flatMap(({ sent }) =>
    Object.entries(sent).map(([name, value]) => [replace(pointer(name), value)]),
  );
  await expectRefusals(context, held.thing, ...operations);
}

/** A list that changes one member may replace others by what they hold already: that one alone is another one then. */
export async function expectEqualReplaced(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.scalars;
  const held = { ...plainValues(profile.primary).fullest, [second]: given.unique() };
  const thing = await given.object({ [first]: given.unique(), ...held });
  const { members } = await service.snapshot(thing);
  // what is kept in another spelling is not equal to what was sent
  const equal = Object.entries(held).filter(([name, value]) => members[name] === value);
  const text = given.unique();
  const after = await applyOperations(context, thing, [
    ...equal.map(([name, value]) => replace(pointer(name), value)),
    replace(pointer(first), text),
  ]);
  expect(after.members, 'members after a list whose other values are what they were', after.reply).toEqual({
    ...members,
    [first]: text,
  });
}

/** An operation that needs a value is refused without one, whatever kind of member but a text it is for: none has a value that goes without saying. */
export async function expectValueRequiredOfEveryKind(context: CaseContext): Promise<void> {
  for (const op of ['add', 'replace'] as const) {
    const held = await makeWithKinds(context, op === 'replace');
    const others = held?.kinds.filter(({ what }) => what !== 'a text') ?? [];
    const names = others.flatMap(({ sent }) => Object.keys(sent));
    if (held !== undefined)
      await expectValueRequired(
        context,
        held.thing,
        op,
        names.map((name) => pointer(name)),
      );
  }
}

/** An operation with a value that programs take for none comes to the same in every order of its members: to what it comes is not asked here. */
export async function expectEmptyTakenInAnyOrder(
  context: CaseContext,
  orders: readonly (readonly string[])[],
): Promise<void> {
  const { emptiest, fullest } = plainValues(context.profile.primary);
  const { textMember } = context.profile;
  const filled = () => ({ [textMember]: context.given.unique(), ...fullest });
  for (const [name, value] of Object.entries({ [textMember]: '', ...emptiest })) {
    await expectAlikeInAnyOrder(context, replace(pointer(name), value), name, { orders, members: filled });
    await expectAlikeInAnyOrder(context, add(pointer(name), value), name, { orders, members: () => ({}) });
  }
}

/** Operations of one list may each have their members in another order. Source: core, Operations-based PATCH rules 2 */
export async function expectOrdersMixed(context: CaseContext, orders: readonly (readonly string[])[]): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.primary.scalars ?? [];
  if (first === undefined || second === undefined) return;
  for (const [index, order] of orders.entries()) {
    const thing = await given.object({ [first]: given.unique(), [second]: given.unique() });
    const written = [given.unique(), given.unique()];
    const operations = [first, second].map((name, place) => replace(pointer(name), written[place] ?? ''));
    const texts = operations.map((operation, place) =>
      orderedText(operation, place === 0 ? order : orders.at(index - 1)),
    );
    expect(await service.operations(thing, `[${texts.join(',')}]`)).toSucceed();
    const { members, reply } = await service.snapshot(thing);
    expect([members[first], members[second]], 'members replaced by operations of different orders', reply).toEqual(
      written,
    );
  }
}

/** The operation as JSON, its members in this order. */
export function orderedText(operation: Operation, order: readonly string[] = []): string {
  return `{${order.map((each) => `${JSON.stringify(each)}:${JSON.stringify(operation[each])}`).join(',')}}`;
}

/** The operation leaves the same of the member in every order, of objects that were made with these members. */
async function expectAlikeInAnyOrder(
  { given, service, expect }: CaseContext,
  operation: Operation,
  name: string,
  { orders, members }: { readonly orders: readonly (readonly string[])[]; readonly members: () => object },
): Promise<void> {
  const outcomes: unknown[] = [];
  for (const order of orders) {
    const thing = await given.object({ ...members() });
    const reply = await service.operations(thing, `[${orderedText(operation, order)}]`);
    const left = (await service.snapshot(thing)).members[name];
    outcomes.push(isSuccess(reply.status) ? (left ?? null) : 'refused');
    const what = `outcome of ${String(operation['op'])} of ${name} in the order ${order.join(', ')}`;
    expect(outcomes.at(-1), what, reply).toEqual(outcomes[0]);
  }
}

/** The operation is refused without a value at each of the paths, and nothing is left of any of them, nor of what comes before it. */
export async function expectValueRequired(
  context: CaseContext,
  thing: Thing,
  op: 'add' | 'replace',
  paths: readonly string[],
): Promise<void> {
  const { service, expect } = context;
  const before = await service.snapshot(thing);
  for (const [index, path] of paths.entries()) {
    const sound = index % 2 === 0 ? [] : soundBeside(context, thing.type, before, path);
    expect(await service.operations(thing, [...sound, { op, path }])).toBeRefused();
  }
  expect.unchanged(before, await service.snapshot(thing));
}

/**
 * A remove takes the value of a member away, of whatever kind, and nothing else, where an object may be made without one. Whether an object
 * inside it goes as a whole is left to the service.
 */
export async function expectEveryKindRemoved(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const held = await makeWithKinds(context, true);
  if (held === undefined) return;
  const { thing } = held;
  // what an object has by default may come back
  const bare = (await makeWithKinds(context, false))?.kinds ?? [];
  const kinds = held.kinds.filter(({ shown }) => bare.some((kind) => kind.shown === shown));
  const gone = new Set<string>();
  let before = dataOf(await service.readLong(thing));
  // each second one goes behind another operation, which leaves a mandatory member as it is, where one may be named
  const mandatory = Object.keys(given.body()).find((name) => typeof before[name] === 'string');
  const beside = mandatory !== undefined && (await isEditable(context, thing, mandatory)) ? mandatory : undefined;
  for (const [index, { what, sent, shown }] of kinds.entries()) {
    const [name = ''] = Object.keys(sent);
    const first = index % 2 === 0 || beside === undefined ? [] : [replace(pointer(beside), before[beside])];
    const reply = await service.operations(await given.current(thing), [...first, remove(pointer(name))]);
    notes.observe(`${what} is removed`, reply.status, reply);
    if (what !== 'an object') expect(reply).toSucceed();
    if (!isSuccess(reply.status)) continue;
    gone.add(shown);
    const read = await service.readLong(thing);
    const data = dataOf(read);
    for (const other of kinds) {
      if (gone.has(other.shown))
        expect(data[other.shown], `${other.shown}, ${other.what}, after its remove`, read).toSatisfy(
          'without a value',
          isWithoutValue,
        );
      else {
        const [seen, right] = [data, before].map((each) => asSent(each[other.shown], Object.values(other.sent)[0]));
        expect(seen, `${other.shown} after the remove of ${shown}`, read).toEqual(right);
      }
    }
    before = data;
  }
}

/** Whether operations lead to the member at all, which an object may have for good. */
async function isEditable({ given, service, notes }: CaseContext, thing: Thing, name: string): Promise<boolean> {
  const now = await given.current(thing);
  const held = dataOf(await service.readLong(thing))[name];
  const reply = await service.operations(now, [replace(pointer(name), held)]);
  notes.observe(`${name} is replaced by what it is`, reply.status, reply);
  return isSuccess(reply.status);
}

/** Zero, false and the empty text are values that can be set, and be replaced where they stand: there and back again. */
export async function expectReplacedByAnyValue(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first] = profile.scalars;
  const { emptiest, fullest } = plainValues(profile.primary);
  const bare = await unlessRefused(() => given.object({ [first]: '' }));
  const { members: blank } = await service.snapshot(await given.object());
  // a service may keep the empty text as no value, or refuse it, and show such values of members that have none
  const keepsEmpty = bare !== undefined && blank[first] !== '' && (await service.snapshot(bare)).members[first] === '';
  const there = Object.entries(fullest).filter(([name]) => blank[name] !== emptiest[name]);
  const rounds = [
    { ...(keepsEmpty && { [first]: '' }), ...emptiest },
    { ...(keepsEmpty && { [first]: given.unique() }), ...Object.fromEntries(there) },
  ];
  let thing = await given.object({ [first]: given.unique(), ...fullest });
  for (const values of rounds.filter((each) => Object.keys(each).length > 0)) {
    const operations = Object.entries(values).map(([name, value]) => replace(pointer(name), value));
    const after = await applyOperations(context, thing, operations);
    for (const [name, value] of Object.entries(values))
      expect(after.members[name], `${name} after a replace`, after.reply).toEqual(value);
    thing = { ...thing, version: after.version };
  }
  await expectNumbersKept(context, 'a replace', async (numbers) => {
    const other = await given.object(fullest);
    const operations = Object.entries(numbers).map(([name, number]) => replace(pointer(name), number));
    const reply = await service.operations(other, operations);
    return { reply, reads: async () => [await service.read(other)] };
  });
}

/** A replace brings texts that are as long as those of a create, at the root and in an entry. */
export async function expectLongReplaced(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  const { port } = profile;
  const [first] = profile.scalars;
  const long = (): string => given.unique() + longTextOfManyKinds;
  const made = long();
  const thing = await unlessRefused(() =>
    given.object({ [first]: long(), [port.member]: [given.entry(made, {}, port)] }),
  );
  if (thing === undefined) return;
  const entries = entriesIn(await context.service.snapshot(thing), port);
  const { entryId } = given.present(
    entries.find(({ members }) => members[port.text] === made),
    'an entry with a long text',
    ['reading.create.content-reads-back'],
  );
  const [text, inner] = [long(), long()];
  const after = await applyOperations(context, thing, [
    replace(pointer(first), text),
    replace(pointer(port.member, entryId, port.text), inner),
  ]);
  expect(after.members[first], `${first} after a replace by a long text`, after.reply).toEqual(text);
  const replaced = entriesIn(after, port).map(({ members }) => members[port.text]);
  expect(replaced.includes(inner), `${port.member} has the long text after a replace`, after.reply).toEqual(true);
}

/** What is removed in a batch is gone, as by the route alone. */
export async function expectRemovedInBatch(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const member = profile.textMember;
  const [one, other] = [await makeEditable(context), await makeEditable(context)];
  const removal = [remove(pointer(member))];
  const alone = await service.operations(one, removal);
  const reply = isSuccess(alone.status)
    ? await sendBatch(context, [service.requests.operations(other, removal)])
    : undefined;
  if (reply?.status !== 200) return;
  const [right, read] = [await service.read(one), await service.read(other)];
  expect(dataOf(read)[member] ?? null, `${member} after it was removed in a batch`, read).toEqual(
    dataOf(right)[member] ?? null,
  );
}
