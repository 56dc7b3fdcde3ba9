import { isDeepStrictEqual } from 'node:util';
import { dataOf } from '../../../judge/service/answers.ts';
import { resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import type { Port, Thing } from '../../../judge/things.ts';
import { byAnotherSchema } from '../../../judge/service/writes.ts';
import { objectsIn, pointer, valueAt } from '../../../judge/json.ts';
import { add } from './operation-steps.ts';
import { asSent } from './sent-part.ts';
import { expectUnreadKept } from './unread-edits.ts';

/** A member of the root of some kind: how it is sent, and under which name it is read. */
export interface Kind {
  readonly what: string;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly shown: string;
}

export const dated = 'a dated element';

/** A value for each kind of member that the profile knows, arrays of entries left out. */
export function memberKinds({ given, profile }: CaseContext): readonly Kind[] {
  const { scalars = [], numbers = [], flags = [], object, scalarList, renamed, escaped } = profile.primary;
  const named = (what: string, name: string, value: unknown): Kind => ({ what, sent: { [name]: value }, shown: name });
  const kinds: readonly Kind[] = [
    ...scalars.map((name) => named('a text', name, given.unique())),
    ...numbers.map((name) => named('a number', name, 7)),
    ...flags.map((name) => named('a truth value', name, true)),
    ...(object === undefined ? [] : [named('an object', object.member, given.inner(object))]),
    ...(scalarList === undefined ? [] : [named('an array of texts', scalarList, ['two', 'one'])]),
    ...(escaped === undefined ? [] : [named('a member whose name is escaped', escaped, given.unique())]),
    ...(renamed === undefined
      ? []
      : [{ what: 'a renamed member', sent: { [renamed.input]: given.unique() }, shown: renamed.output }]),
    ...Object.entries(profile.primary.dated?.value ?? {}).map(([name, value]) => named(dated, name, value)),
  ];
  const arrays = [profile.primary.arrayPort?.member, profile.primary.secondArrayPort?.member];
  // a profile may name a member as more than one kind
  const byName = new Map(kinds.toReversed().map((kind) => [kind.shown, kind]));
  return kinds.filter((kind) => byName.get(kind.shown) === kind && !arrays.includes(kind.shown));
}

/** A write that names none of these members, and what becomes of them. */
interface Fate {
  readonly way: string;
  readonly request: (thing: Thing, isInBatch: boolean) => RequestSpec;
  readonly fate: 'kept' | 'gone';
}

/**
 * A write that leaves members of every kind out keeps them all or takes all their values away, alone and in a batch. What the smallest body
 * or the write itself names is left out, and so is a value that an object has by default.
 */
async function expectFateOfEveryKind(
  context: CaseContext,
  { way, request, fate }: Fate,
  names: readonly string[] = [],
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const mandatory = Object.keys(given.body());
  const kinds = memberKinds(context).filter(
    ({ shown, sent }) =>
      ![shown, ...Object.keys(sent)].some((name) => mandatory.includes(name) || names.includes(name)),
  );
  const body = given.body(Object.assign({}, ...kinds.map(({ sent }) => sent)));
  const byDefault = dataOf(await service.readLong(await given.object()));
  const sends: readonly ((spec: RequestSpec) => Promise<Reply>)[] = [
    (spec) => service.send(spec),
    ...(profile.offers('batch') ? [(spec: RequestSpec) => sendBatch(context, [spec])] : []),
  ];
  for (const [index, send] of sends.entries()) {
    const where = index === 0 ? way : `${way} in a batch`;
    const created = await service.create(body);
    notes.observe('an object with members of every kind', created.status, created);
    if (!isSuccess(created.status)) return;
    const thing = await given.found(created, body);
    const before = dataOf(await service.readLong(thing));
    const reply = await send(request(thing, index > 0));
    notes.observe(`${where} beside members of every kind`, reply.status, reply);
    if (!isSuccess(reply.status) || (index > 0 && resultsOf(reply).length !== 1)) continue;
    const read = await service.readLong(thing);
    for (const { what, shown, sent } of kinds) {
      const [value] = Object.values(sent);
      const [held = null, left = null] = [before[shown], dataOf(read)[shown]].map((found) => asSent(found, value));
      if (held === null || isDeepStrictEqual(held, byDefault[shown])) continue;
      const seen = expect(left, `${shown}, ${what} that ${where} does not name`, read);
      if (fate === 'kept') seen.toEqual(held);
      else seen.notToEqual(held);
    }
  }
}

/** A PUT that names none of them takes the values of members of every kind away. */
export function expectAllGoneAfterPut(context: CaseContext): Promise<void> {
  const { given, service } = context;
  const request = (thing: Thing): RequestSpec => service.requests.put(thing, given.body());
  return expectFateOfEveryKind(context, { way: 'a PUT', request, fate: 'gone' });
}

/** A merge of two texts, or of one in a batch, leaves members of every other kind alone; one by another schema as well, which need not have them. */
export async function expectAllKeptByMerge(context: CaseContext, scalar: string, second: string): Promise<void> {
  const { given, service, profile } = context;
  const merge = (thing: Thing): RequestSpec => service.requests.merge(thing, { [scalar]: given.unique() });
  const mergeMore = (thing: Thing, isInBatch: boolean): RequestSpec =>
    isInBatch ? merge(thing) : service.requests.merge(thing, { [scalar]: given.unique(), [second]: given.unique() });
  await expectFateOfEveryKind(context, { way: 'a merge', request: mergeMore, fate: 'kept' }, [scalar, second]);
  for (const port of portsOf(context)) {
    const way = `a merge of ${port.member}`;
    const request = (thing: Thing): RequestSpec =>
      service.requests.merge(thing, { [port.member]: [given.entry(given.unique(), {}, port)] });
    await expectFateOfEveryKind(context, { way, request, fate: 'kept' });
  }
  await expectUnreadKept(context, 'a merge', (thing) => service.requests.merge(thing, { [second]: given.unique() }));
  if (profile.primary.secondInputSchema === undefined) return;
  const request = (thing: Thing): RequestSpec => merge(byAnotherSchema(thing));
  await expectFateOfEveryKind(context, { way: 'a merge by another schema', request, fate: 'kept' }, [scalar]);
}

/** A promote leaves members of every kind alone. */
export async function expectAllKeptByPromote(context: CaseContext): Promise<void> {
  const request = (thing: Thing): RequestSpec => context.service.requests.promote(thing);
  await expectFateOfEveryKind(context, { way: 'a promote', request, fate: 'kept' });
  await expectUnreadKept(context, 'a promote', request);
}

/** The same of operations of which one gives a text to a member without a value. */
export function expectAllKeptByOperations(context: CaseContext, scalar: string): Promise<void> {
  const { given, service } = context;
  const request = (thing: Thing): RequestSpec =>
    service.requests.operations(thing, [add(pointer(scalar), given.unique())]);
  return expectFateOfEveryKind(context, { way: 'an operation', request, fate: 'kept' }, [scalar]);
}

export type Members = Readonly<Record<string, unknown>>;

/**
 * Makes an object with these members by the write that is judged, and reads it by the long route; undefined where the target does not carry
 * the write out. @param over members that an object has which is written over
 */
export type WriteMembers = (members: Members, over?: Members) => Promise<Reply | undefined>;

/**
 * Makes objects with these members by the write that is judged, one by each way that it has, and reads them by the long route; undefined
 * where the target does not carry the write out.
 * @param over members that an object has which is written over
 */
export type Write = (members: Members, over?: Members) => Promise<Reply | readonly Reply[] | undefined>;

/** How often much and little are written at once: what others write at that time may come between them. */
const turnsAtOnce = 2;

/** What is written this way has nothing of what is written so before it or beside it, to another object: at the root, in an object and in entries. */
export async function expectNothingTakenOver(context: CaseContext, way: string, write: WriteMembers): Promise<void> {
  const { given, service, notes, profile } = context;
  const { scalars: [first] = [], object } = profile.primary;
  if (first === undefined) return;
  const named = [first, ...Object.keys(given.body())];
  const kinds = memberKinds(context).filter(
    ({ shown, sent }) => ![shown, ...Object.keys(sent)].some((name) => named.includes(name)),
  );
  const inner = object && given.inner(object);
  const [arrays, ports] = [entriesOfEveryArray(context), portsOf(context)];
  const much = {
    ...Object.assign({}, ...kinds.map(({ sent }) => sent)),
    [first]: given.unique(),
    ...(object && { [object.member]: inner }),
    ...Object.fromEntries(Object.entries(arrays).map(([name, entries]) => [name, entries.slice(0, 1)])),
  };
  const alone = { [first]: given.unique() };
  const former = await write(much);
  // some entries may have to have their texts, and without them two may be alike
  const lesser = [
    [ports, 2],
    [ports.slice(0, 1), 2],
    [ports.slice(0, 1), 1],
  ] as const;
  const lessers = lesser.map(([some, count]) => ({
    ...alone,
    ...lessOf(context, inner),
    ...withoutTexts(arrays, some, count),
  }));
  const { little, latter } = await firstWritten(write, [...lessers, alone]);
  const byDefault = await service.readLong(await given.object());
  const pairs = [[former, latter]];
  for (let turn = 0; turn < turnsAtOnce; turn += 1) pairs.push(await Promise.all([write(much), write(little)]));
  for (const [before, after] of pairs) {
    notes.observe(`${way} of much and one of little`, before !== undefined && after !== undefined);
    if (before === undefined || after === undefined) return;
    const fresh = kinds.filter(({ shown }) => !isDeepStrictEqual(dataOf(before)[shown], dataOf(byDefault)[shown]));
    expectOwn(context, way, fresh, { before, after, byDefault });
  }
}

/** The first of these members that can be written. */
async function firstWritten(
  write: WriteMembers,
  [little = {}, ...lesser]: readonly Members[],
): Promise<{ readonly little: Members; readonly latter: Reply | undefined }> {
  const latter = await write(little);
  return latter !== undefined || lesser.length === 0 ? { little, latter } : firstWritten(write, lesser);
}

/** The object without its second text. */
function lessOf({ profile }: CaseContext, inner: Members = {}): Members {
  const { object } = profile.primary;
  const { [object?.scalars[1] ?? '']: _second, ...lessInner } = inner;
  return object === undefined ? {} : { [object.member]: lessInner };
}

/** So many entries of each of these arrays, without their texts and those of the entries inside. */
function withoutTexts(
  arrays: Readonly<Record<string, readonly Members[]>>,
  ports: readonly Port[],
  count: number,
): Members {
  return Object.fromEntries(
    ports.map(({ member, text, nested }) => {
      const entries = arrays[member]?.slice(0, count).map(({ [text]: _text, ...entry }) => {
        if (nested === undefined) return entry;
        const inside = objectsIn(entry[nested.member]).slice(0, count);
        return { ...entry, [nested.member]: inside.map(({ [nested.text]: _inner, ...each }) => each) };
      });
      return [member, entries];
    }),
  );
}

/** What little was written of holds nothing of these kinds that much was written of. */
function expectOwn(
  context: CaseContext,
  way: string,
  kinds: readonly Kind[],
  { before, after, byDefault }: Readonly<Record<'before' | 'after' | 'byDefault', Reply>>,
): void {
  const { expect } = context;
  const { object } = context.profile.primary;
  const paths = [
    ...kinds.filter(({ shown }) => shown !== object?.member).map(({ shown }) => pointer(shown)),
    ...(object?.scalars[1] === undefined ? [] : [pointer(object.member, object.scalars[1])]),
  ];
  for (const path of paths) {
    const held = valueAt(dataOf(before), path) ?? null;
    if (held !== null && held !== '')
      expect(valueAt(dataOf(after), path), `${path} of another object, after ${way}`, after).notToEqual(held);
  }
  for (const port of portsOf(context)) {
    const held = new Set(textsIn(before, port)).difference(new Set(textsIn(byDefault, port)));
    const taken = textsIn(after, port).filter((text) => held.has(text));
    expect(taken, `texts in ${port.member} that are those of another object, after ${way}`, after).toEqual([]);
  }
}

/** The texts of the entries of an array, and of those inside them. */
function textsIn(read: Reply, { member, text, nested }: Port): readonly unknown[] {
  const entries = objectsIn(dataOf(read)[member]);
  const inside = nested === undefined ? [] : entries.flatMap((entry) => objectsIn(entry[nested.member]));
  const texts = [...entries.map((entry) => entry[text]), ...inside.map((entry) => entry[nested?.text ?? ''])];
  return texts.filter((value) => typeof value === 'string' && value !== '');
}

/** The array ports that the profile knows. */
export function portsOf({ profile }: CaseContext): readonly Port[] {
  const { arrayPort, secondArrayPort } = profile.primary;
  return [
    ...(arrayPort === undefined ? [] : [profile.port]),
    ...(secondArrayPort === undefined ? [] : [profile.secondPort]),
  ];
}

/** Two entries for each array, and two inside each of them where there is room for such. */
export function entriesOfEveryArray(context: CaseContext): Readonly<Record<string, readonly Members[]>> {
  const { given } = context;
  const entriesOf = (port: Port): readonly Members[] =>
    [1, 2].map(() => {
      const { nested } = port;
      const inside = nested && { [nested.member]: [1, 2].map(() => given.nestedEntry(given.unique('inside'), nested)) };
      return given.entry(given.unique('entry'), inside ?? {}, port);
    });
  return Object.fromEntries(portsOf(context).map((port) => [port.member, entriesOf(port)]));
}

/** What a body may hold besides what it must: all kinds of members at once, and entries of all arrays. */
export function allThereIs(context: CaseContext): Readonly<Record<string, Members>> {
  return {
    'members of every kind': Object.assign({}, ...memberKinds(context).map(({ sent }) => sent)) as Members,
    'entries of every array': entriesOfEveryArray(context),
  };
}
