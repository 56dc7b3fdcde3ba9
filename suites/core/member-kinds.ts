import { isDeepStrictEqual } from 'node:util';
import { dataOf } from '../../judge/answers.ts';
import { resultsOf, sendBatch } from '../../judge/batch.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Port, Thing } from '../../judge/things.ts';
import { isObject, pointer } from '../../judge/json.ts';
import { add } from './operation-steps.ts';

/** A member of the root of some kind: how it is sent, and under which name it is read. */
export interface Kind {
  readonly what: string;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly shown: string;
}

const dated = 'a dated element';

/** A value for each kind of member that the profile knows, arrays of entries left out. */
export function memberKinds({ given, profile }: CaseContext): readonly Kind[] {
  const { scalars = [], numbers = [], flags = [], object, scalarList, renamed, escaped } = profile.primary;
  const named = (what: string, name: string, value: unknown): Kind => ({ what, sent: { [name]: value }, shown: name });
  const kinds: readonly Kind[] = [
    ...scalars.map((name) => named('a text', name, given.unique())),
    ...numbers.map((name) => named('a number', name, 7)),
    ...flags.map((name) => named('a truth value', name, true)),
    ...(object === undefined ? [] : [named('an object', object.member, given.inner(object))]),
    ...(scalarList === undefined ? [] : [named('an array of texts', scalarList, ['one', 'two'])]),
    ...(escaped === undefined ? [] : [named('a member whose name is escaped', escaped, given.unique())]),
    ...(renamed === undefined
      ? []
      : [{ what: 'a renamed member', sent: { [renamed.input]: given.unique() }, shown: renamed.output }]),
    ...Object.entries(profile.primary.dated?.value ?? {}).map(([name, value]) => named(dated, name, value)),
  ];
  const arrays = [profile.primary.arrayPort?.member, profile.primary.secondArrayPort?.member];
  return kinds.filter(({ shown }) => !arrays.includes(shown));
}

/** A write that names none of these members, and what becomes of them. */
interface Fate {
  readonly way: string;
  readonly request: (thing: Thing) => RequestSpec;
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
    if (created.status >= 300) return;
    const thing = await given.found(created, body);
    const before = dataOf(await service.readLong(thing));
    const reply = await send(request(thing));
    notes.observe(`${where} beside members of every kind`, reply.status, reply);
    if (reply.status >= 300 || (index > 0 && resultsOf(reply).length !== 1)) continue;
    const read = await service.readLong(thing);
    for (const { what, shown } of kinds) {
      const [held = null, left = null] = [before[shown], dataOf(read)[shown]];
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

/** A merge of one text leaves members of every other kind alone. */
export function expectAllKeptByMerge(context: CaseContext, scalar: string): Promise<void> {
  const { given, service } = context;
  const request = (thing: Thing): RequestSpec => service.requests.merge(thing, { [scalar]: given.unique() });
  return expectFateOfEveryKind(context, { way: 'a merge', request, fate: 'kept' }, [scalar]);
}

/** The same of operations of which one gives a text to a member without a value. */
export function expectAllKeptByOperations(context: CaseContext, scalar: string): Promise<void> {
  const { given, service } = context;
  const request = (thing: Thing): RequestSpec =>
    service.requests.operations(thing, [add(pointer(scalar), given.unique())]);
  return expectFateOfEveryKind(context, { way: 'an operation', request, fate: 'kept' }, [scalar]);
}

/**
 * Members of every kind, arrays of entries included, are stored this way as a create of its own stores them. Dated elements are left out, whose dates differ.
 * @param write makes an object with these members; a read of it by the long route, undefined where the target does not carry the write out
 */
export async function expectEveryKindStored(
  context: CaseContext,
  way: string,
  write: (members: Readonly<Record<string, unknown>>) => Promise<Reply | undefined>,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const mandatory = Object.keys(given.body());
  const kinds = memberKinds(context).filter(({ what, shown }) => what !== dated && !mandatory.includes(shown));
  const { scalarList } = profile.primary;
  const arrays = Object.fromEntries(
    Object.entries(entriesOfEveryArray(context)).filter(([name]) => !mandatory.includes(name)),
  );
  const rounds = [
    Object.assign({}, ...kinds.map(({ sent }) => sent)) as Readonly<Record<string, unknown>>,
    ...(scalarList === undefined ? [] : [{ [scalarList]: ['two', 'one', 'two'] }]),
    ...(Object.keys(arrays).length === 0 ? [] : [arrays]),
  ];
  for (const members of rounds) {
    const body = given.body(members);
    const created = await service.create(body);
    notes.observe(`a create with ${Object.keys(members).join(', ')}`, created.status, created);
    if (created.status >= 300) continue;
    const alone = dataOf(await service.readLong(await given.found(created, body)));
    const read = await write(members);
    if (read === undefined) return;
    for (const { what, shown, sent } of kinds)
      if (Object.keys(sent).some((name) => name in members))
        expect(inAnyOrder(dataOf(read)[shown]), `${shown}, ${what}, by ${way}`, read).toEqual(inAnyOrder(alone[shown]));
    if (members !== arrays) continue;
    // there may be entries that every object has
    const stored = textsInArrays(context, dataOf(read));
    const lost = textsInArrays(context, alone).filter((texts) => !stored.includes(texts));
    expect(lost, `texts in arrays of entries that a create of its own stores, and ${way} does not`, read).toEqual([]);
  }
}

/** The array ports that the profile knows. */
function portsOf({ profile }: CaseContext): readonly Port[] {
  const { arrayPort, secondArrayPort } = profile.primary;
  return [
    ...(arrayPort === undefined ? [] : [profile.port]),
    ...(secondArrayPort === undefined ? [] : [profile.secondPort]),
  ];
}

/** Two entries for each array, and two inside each of them where there is room for such. */
function entriesOfEveryArray(context: CaseContext): Readonly<Record<string, unknown>> {
  const { given } = context;
  const entriesOf = (port: Port): readonly unknown[] =>
    [1, 2].map(() => {
      const { nested } = port;
      const inside = nested && { [nested.member]: [1, 2].map(() => given.nestedEntry(given.unique('inside'), nested)) };
      return given.entry(given.unique('entry'), inside ?? {}, port);
    });
  return Object.fromEntries(portsOf(context).map((port) => [port.member, entriesOf(port)]));
}

/** A line for each entry of an array, with its text and those of the entries inside: ids of entries differ from object to object. */
function textsInArrays(context: CaseContext, data: Readonly<Record<string, unknown>>): readonly string[] {
  const objectsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  return portsOf(context).flatMap(({ member, text, nested }) =>
    objectsIn(data[member]).map((entry) => {
      const inner = nested === undefined ? [] : objectsIn(entry[nested.member]).map((one) => String(one[nested.text]));
      return `${member}: ${String(entry[text])} with ${inner.toSorted().join(', ')}`;
    }),
  );
}

/** In which order an array of plain values is kept is not said. */
function inAnyOrder(value: unknown = null): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}
