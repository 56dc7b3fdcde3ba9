import { isSuccess } from '../../../judge/exchange.ts';
import { isDeepStrictEqual } from 'node:util';
import { dataOf, entriesOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { isObject, objectsIn, pointer } from '../../../judge/json.ts';
import type { Owner, Port, Thing } from '../../../judge/things.ts';
import { type Operation, add, entryPath, expectRefusals, isWithoutValue, remove, replace } from './operation-steps.ts';

/** Members below those that the root and its entries have. How deep paths lead is not said, so that nothing is asked of them but refusals. */
interface DeepMembers {
  readonly thing: Thing;
  /** Paths to texts that are there. */
  readonly held: readonly string[];
  /** Paths to empty texts, where one that is not there is shown otherwise. */
  readonly empty: readonly string[];
  /** Paths to texts that are not. */
  readonly missing: readonly string[];
  /** Paths to what holds them. */
  readonly holders: readonly string[];
  /** What such a holder may be created with. */
  readonly whole: () => unknown;
}

/** A text that is there is not added once more, nor an object beside it to what holds it. */
export async function expectNoDeepAddedOver(context: CaseContext): Promise<void> {
  await expectRefusedDeep(context, ({ held, missing, holders }) => [
    ...held.map((path) => add(path, context.given.unique())),
    ...holders.flatMap((path) => missing.flatMap((inner) => addedBelow(path, inner, context.given.unique()))),
  ]);
  const addOverEmpty = ({ empty }: DeepMembers) => empty.map((path) => [add(path, context.given.unique())]);
  await expectRefusedLists(context, addOverEmpty, '');
}

/** An object for a member of the root with the text alone that it lacks; none for another holder, or where the text is missing elsewhere. */
function addedBelow(holder: string, missing: string, text: string): readonly Operation[] {
  const name = missing.slice(holder.length + 1);
  const isBelow = holder.lastIndexOf('/') === 0 && missing.startsWith(`${holder}/`) && !/[/~]/.test(name);
  return isBelow ? [add(holder, { [name]: text })] : [];
}

/** A text that is not there is not replaced. */
export function expectNoDeepReplacedFromNothing(context: CaseContext): Promise<void> {
  return expectRefusedDeep(context, ({ missing }) => missing.map((path) => replace(path, context.given.unique())));
}

/** Neither a text nor what holds it is replaced by such a value, nor what holds it by one of its kind. */
export function expectNoDeepReplacedBy(context: CaseContext, values: readonly unknown[]): Promise<void> {
  return expectRefusedDeep(context, ({ held, holders, whole }) => [
    ...[...held, ...holders].flatMap((path) => values.map((value) => replace(path, value))),
    ...holders.map((path) => replace(path, whole())),
  ]);
}

/** A text that is added inside an object, replaced there and removed leaves those beside it alone, where paths lead there at all, be the object in an entry. */
export async function expectSiblingsInsideKept(context: CaseContext): Promise<void> {
  const { object, arrayPort } = context.profile.primary;
  if (object !== undefined)
    await expectSiblingsKept(
      context,
      object,
      (value) => ({ [object.member]: value }),
      (data) => ({
        path: [object.member],
        value: data[object.member],
      }),
    );
  const inner = arrayPort?.object;
  if (inner === undefined) return;
  const { given, profile } = context;
  const { port } = profile;
  const text = given.unique();
  // for how long an entry keeps its id is not said
  await expectSiblingsKept(
    context,
    inner,
    (value) => ({ [port.member]: [given.entry(text, { [inner.member]: value }, port), given.entry(given.unique())] }),
    (data) => {
      const entry = objectsIn(data[port.member]).find((one) => one[port.text] === text);
      return { path: [port.member, String(entry?.['$entryId']), inner.member], value: entry?.[inner.member] };
    },
  );
}

async function expectSiblingsKept(
  context: CaseContext,
  object: InnerObject,
  bodyWith: (value: unknown) => Readonly<Record<string, unknown>>,
  holderIn: (data: Readonly<Record<string, unknown>>) => { readonly path: readonly string[]; readonly value: unknown },
): Promise<void> {
  const { given, service, expect, notes } = context;
  const [first, second] = object.scalars;
  if (first === undefined || second === undefined) return;
  const thing = await makeIfTaken(context, bodyWith(withFirstText(context, object)));
  if (thing === undefined) return;
  const shown = async () => {
    const reply = await service.readLong(thing);
    const { path, value } = holderIn(dataOf(reply));
    // what is removed may be shown as the empty text
    const texts = [first, second].map((name) => (isObject(value) && value[name]) || null);
    return { path, texts, reply };
  };
  const before = await shown();
  if (!before.texts[0] || before.texts[1]) return;
  const [added, later] = [given.unique(), given.unique()];
  let { texts, path } = before;
  for (const [operation, place, text] of [
    [(at: string) => add(at, added), 1, added],
    // what is shown as null may count as there
    [(at: string) => replace(at, added), 1, added],
    [(at: string) => replace(at, later), 0, later],
    [remove, 1, null],
  ] as const) {
    const { op, ...rest } = operation(pointer(...path, [first, second][place] ?? ''));
    const reply = await service.operations(await given.current(thing), [{ op, ...rest }]);
    notes.observe(`${String(op)} of a text inside an object`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    texts = texts.with(place, text);
    const after = await shown();
    const what = `${first} and ${second} in ${object.member} after ${String(op)} of one of them`;
    expect(after.texts, what, after.reply).toEqual(texts);
    ({ path } = after);
  }
}

/**
 * A text is added to an object that holds none any more, where it is there nevertheless: shown as an object, which it is not where there never
 * was one.
 */
export async function expectAddedToEmptied(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { object } = profile.primary;
  const [first, ...others] = object?.scalars ?? [];
  if (object === undefined || first === undefined) return;
  const inner = Object.entries(given.inner(object)).filter(([name]) => !others.includes(name));
  const thing = await makeIfTaken(context, { [object.member]: Object.fromEntries(inner) });
  if (thing === undefined) return;
  const path = pointer(object.member, first);
  const removed = await service.operations(thing, [remove(path)]);
  notes.observe('a remove of the last text inside an object', removed.status, removed);
  if (!isSuccess(removed.status)) return;
  const emptied = dataOf(await service.readLong(thing))[object.member];
  const none = dataOf(await service.readLong(await given.object()))[object.member];
  if (!isObject(emptied) || isObject(none)) return;
  const text = given.unique();
  const reply = await service.operations(await given.current(thing), [add(path, text)]);
  expect(reply).toSucceed();
  const read = await service.readLong(thing);
  const value = dataOf(read)[object.member];
  expect(isObject(value) && value[first], `${first}, added to the emptied ${object.member}`, read).toEqual(text);
}

/** An edit inside an entry inside an entry counts like other ones, where it is taken. */
export async function expectDeepEditsCount(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const members = await membersOfInnerEntries(context);
  if (members === undefined) return;
  const { held, missing } = members;
  for (const operation of [
    ...held.map((path) => replace(path, given.unique())),
    ...missing.map((path) => add(path, given.unique())),
    ...held.map(remove),
  ]) {
    const thing = await given.current(members.thing);
    const before = dataOf(await service.readLong(thing));
    const reply = await service.operations(thing, [operation]);
    const what = `a ${String(operation['op'])} inside an entry inside an entry`;
    notes.observe(what, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    // an edit may give entries other ids, and what finds nothing to remove may change nothing
    if (isDeepStrictEqual(dataOf(await service.readLong(thing)), before)) continue;
    const { version } = await given.current(thing);
    expect(version, `version after ${what}`, reply).toEqual(thing.version + 1);
  }
}

/**
 * Removes and a replace inside an entry that no first read shows, by ids that are no places any more: where they are accepted they have their
 * effect there, and none in another entry.
 */
export async function expectInnerOfLaterEntryChanged(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { port } = profile;
  const { nested } = port;
  if (nested === undefined) return;
  let owner = await given.objectWithEntries(13, { nested: () => 4 });
  const textsIn = (members: Readonly<Record<string, unknown>>): readonly string[] =>
    objectsIn(members[nested.member])
      .map((item) => String(item[nested.text]))
      .toSorted();
  const entriesNow = async () => {
    const { arrays, reply } = await service.snapshot(owner);
    const entries = arrays[port.member] ?? [];
    // for how long an entry keeps its id is not said
    const entry = entries.find(({ members }) => members[port.text] === owner.texts.at(-2));
    const others = entries.filter((each) => each !== entry).map(({ members }) => textsIn(members));
    return { first: entries[0], entry, others, reply };
  };
  const { first } = await entriesNow();
  const shortened = await service.operations(owner, [remove(entryPath(owner.port, first?.entryId ?? ''))]);
  if (isSuccess(shortened.status)) owner = await given.current(owner);
  for (const [op, place] of [
    ['remove', 0],
    ['replace', 1],
    ['remove', 1],
  ] as const) {
    const { entry, others } = await entriesNow();
    const item = objectsIn(entry?.members[nested.member])[place];
    if (entry === undefined || item === undefined)
      return given.assume(false, 'a last entry but one with several entries inside');
    const path = pointer(port.member, entry.entryId, nested.member, String(item['$entryId']));
    const text = given.unique();
    const reply = await service.operations(owner, [
      op === 'replace' ? replace(`${path}${pointer(nested.text)}`, text) : remove(`${path}/`),
    ]);
    notes.observe(`a ${op} inside the last of 12 entries but one`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const after = await entriesNow();
    const left = textsIn(entry.members).filter((each) => each !== item[nested.text]);
    expect(
      textsIn(after.entry?.members ?? {}),
      `texts inside the last of 12 entries but one after a ${op}`,
      after.reply,
    ).toEqual([...(op === 'replace' ? [text] : []), ...left].toSorted());
    expect(after.others, `texts inside other entries after a ${op} in one`, after.reply).toEqual(others);
    owner = await given.current(owner);
  }
}

/**
 * A replace of a text of an entry costs the entry nothing of what is inside it, behind its tenth entry neither: what is left there after a few
 * removals shows in a first read.
 */
export async function expectLongInnerKept(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { port } = profile;
  const { nested } = port;
  if (nested === undefined) return;
  const owner = await given.objectWithEntries(1, { nested: () => 12 });
  const shown = async () => {
    const reply = await service.read(owner);
    const [entry] = entriesOf(reply, port);
    const items: unknown = entry?.members[nested.member];
    return { entry, items: objectsIn(items), reply };
  };
  const { entry, items } = await shown();
  if (items.length !== 10) return notes.observe('entries shown of 12 inside an entry', items.length);
  const pathOf = (id = '', ...rest: readonly string[]): string => pointer(port.member, id, ...rest);
  const replaced = await service.operations(owner, [replace(pathOf(entry?.entryId, port.text), given.unique())]);
  given.succeeded(replaced, 'a replace of a text of an entry');
  const after = await given.current(owner);
  // an edit may give entries other ids
  const now = await shown();
  const removals = now.items
    .slice(0, 3)
    .map((item) => remove(`${pathOf(now.entry?.entryId, nested.member, String(item['$entryId']))}/`));
  const removed = await service.operations(after, removals);
  notes.observe('three removals inside an entry', removed.status, removed);
  if (!isSuccess(removed.status)) return;
  const left = await shown();
  expect(left.items.length, 'entries inside an entry that had 12, after three were removed', left.reply).toEqual(9);
}

/** A list that fails behind it leaves what it replaces, adds and removes there as it was. */
export function expectDeepLeftByFailing(context: CaseContext, failing: Operation): Promise<void> {
  const { given } = context;
  return expectRefusedLists(context, ({ held, missing }) =>
    [
      ...held.map((path) => replace(path, given.unique())),
      ...missing.map((path) => add(path, given.unique())),
      ...held.map(remove),
    ].map((operation) => [operation, failing]),
  );
}

function expectRefusedDeep(
  context: CaseContext,
  operationsOn: (members: DeepMembers) => readonly Operation[],
): Promise<void> {
  return expectRefusedLists(context, (members) => operationsOn(members).map((operation) => [operation]));
}

async function expectRefusedLists(
  context: CaseContext,
  listsOn: (members: DeepMembers) => readonly (readonly Operation[])[],
  text?: string,
): Promise<void> {
  const all = [
    await membersOfObject(context, text),
    await membersOfObjectInEntry(context, text),
    await membersOfInnerEntries(context, text),
  ];
  for (const members of all)
    if (members !== undefined) await expectRefusals(context, members.thing, ...listsOn(members));
}

/** An object that has its first text, which is the one that is given, and lacks the second; undefined where the service takes none such. */
async function membersOfObject(context: CaseContext, text?: string): Promise<DeepMembers | undefined> {
  const { service, profile } = context;
  const { object } = profile.primary;
  if (object === undefined) return undefined;
  const thing = await makeIfTaken(context, { [object.member]: withFirstText(context, object, text) });
  if (thing === undefined) return undefined;
  const shown = dataOf(await service.readLong(thing))[object.member];
  return textsIn(context, { thing, object, path: [object.member], shown });
}

/** The same inside an entry. */
async function membersOfObjectInEntry(context: CaseContext, text?: string): Promise<DeepMembers | undefined> {
  const { given, service, profile } = context;
  const object = profile.primary.arrayPort?.object;
  if (object === undefined) return undefined;
  const { port } = profile;
  const entry = () => given.entry(given.unique(), { [object.member]: withFirstText(context, object, text) }, port);
  const thing = await makeIfTaken(context, { [port.member]: [entry(), entry()] });
  const last = thing && entriesOf(await service.readLong(thing), port).at(-1);
  if (thing === undefined || last === undefined) return undefined;
  const path = [port.member, last.entryId, object.member];
  return textsIn(context, { thing, object, path, shown: last.members[object.member] });
}

type InnerObject = NonNullable<SoftTypeProfile['object']>;

function withFirstText({ given }: CaseContext, object: InnerObject, text?: string): Readonly<Record<string, unknown>> {
  const [first = '', left] = object.scalars;
  const content = { ...given.inner(object), ...(text !== undefined && { [first]: text }) };
  return Object.fromEntries(Object.entries(content).filter(([name]) => name !== left));
}

interface ShownObject {
  readonly thing: Thing;
  readonly object: InnerObject;
  readonly path: readonly string[];
  readonly shown: unknown;
}

function textsIn({ given }: CaseContext, { thing, object, path, shown }: ShownObject): DeepMembers | undefined {
  if (!isObject(shown)) return undefined;
  return {
    thing,
    holders: [pointer(...path)],
    whole: () => given.inner(object),
    ...sorted(object.scalars.map((name) => [pointer(...path, name), shown[name]])),
  };
}

/** An entry inside an entry that has its text, and where the service takes one, another that lacks it. */
async function membersOfInnerEntries(context: CaseContext, text?: string): Promise<DeepMembers | undefined> {
  const { given, service, profile } = context;
  const { port } = profile;
  const { nested } = port;
  if (profile.primary.arrayPort === undefined || nested === undefined) return undefined;
  const whole = given.nestedEntry(text ?? given.unique(), nested);
  const { [nested.text]: _text, ...bare } = whole;
  const bodyWith = (items: readonly unknown[]) => ({
    [port.member]: [given.entry(given.unique(), { [nested.member]: items }, port)],
  });
  const thing =
    (await makeIfTaken(context, bodyWith([whole, bare]))) ?? (await makeIfTaken(context, bodyWith([whole])));
  if (thing === undefined) return undefined;
  const [entry] = entriesOf(await service.read(thing), port);
  const items: unknown = entry?.members[nested.member];
  if (entry === undefined || !Array.isArray(items)) return undefined;
  const inner = items.filter(isObject).map((item) => ({
    at: [port.member, entry.entryId, nested.member, String(item['$entryId'])],
    text: item[nested.text],
  }));
  return {
    thing,
    holders: inner.map(({ at }) => pointer(...at)),
    whole: () => given.nestedEntry(given.unique(), nested),
    ...sorted(inner.map(({ at, text }) => [pointer(...at, nested.text), text])),
  };
}

async function makeIfTaken(
  { given, service, notes }: CaseContext,
  more: Readonly<Record<string, unknown>>,
): Promise<Thing | undefined> {
  const body = given.body(more);
  const created = await service.create(body);
  notes.observe('an object with members inside members', created.status, created);
  return isSuccess(created.status) ? given.found(created, body) : undefined;
}

/** An empty text may be none, and what is shown as null may count as there. */
function sorted(
  texts: readonly (readonly [path: string, value: unknown])[],
): Pick<DeepMembers, 'held' | 'empty' | 'missing'> {
  const pathsOf = (isSought: (value: unknown) => boolean) =>
    texts.filter(([, value]) => isSought(value)).map(([path]) => path);
  const missing = pathsOf((value) => value === undefined);
  return {
    held: pathsOf((value) => !isWithoutValue(value) && value !== ''),
    empty: missing.length > 0 ? pathsOf((value) => value === '') : [],
    missing,
  };
}

/** An object whose first entry holds three entries, the ids of these, and paths from the array that they stand in. */
export async function makeThreeInside(
  { given, service, profile }: CaseContext,
  { member }: Pick<NonNullable<Port['nested']>, 'member'>,
): Promise<{
  readonly owner: Owner;
  readonly ids: readonly string[];
  readonly pathTo: (...segments: readonly (string | number)[]) => string;
}> {
  const owner = await given.objectWithEntries(2, { nested: () => 3 });
  const [entry] = entriesOf(await service.read(owner), profile.port);
  return {
    owner,
    ids: objectsIn(entry?.members[member]).map((item) => String(item['$entryId'])),
    pathTo: (...segments) => pointer(profile.port.member, entry?.entryId ?? '', member, ...segments),
  };
}

/** Nothing is inserted at a place in an array inside an entry either, where an add to that array is taken. */
export async function expectNoInsertionInside(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const { nested, member } = profile.port;
  if (nested === undefined) return;
  const { owner, pathTo, ids } = await makeThreeInside(context, nested);
  const value = () => ({ [nested.text]: given.unique() });
  const appended = await service.operations(owner, [add(pathTo(), value())]);
  notes.observe('status of an add to an array inside an entry', appended.status, appended);
  if (!isSuccess(appended.status) || ids.length === 0) return;
  const places = [...new Set(['0', '1', '2', ...ids])].map((segment) => pathTo(segment));
  await expectRefusals(context, await given.current(owner), ...places.map((path) => [add(path, value())]));
  // nor is there a place in one that holds nothing
  const bare = await given.objectWithEntries(1, { nested: () => 0 });
  const [holder] = entriesOf(await service.read(bare), profile.port);
  const first = pointer(member, holder?.entryId ?? '', nested.member, '0');
  if (holder !== undefined) await expectRefusals(context, bare, [add(first, value())]);
}
