import { numberKinds } from '../../../fixtures/values.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { isObject, objectsIn, pointer, valueAt } from '../../../judge/json.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { Port } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { type Members, portsOf, type Write } from './member-kinds.ts';
import { replace } from './operation-steps.ts';

/** A place below the root with numbers or truth values. */
interface Place {
  readonly numbers?: readonly string[] | undefined;
  readonly flags?: readonly string[] | undefined;
}

interface Values {
  readonly number: number;
  readonly flag: boolean;
}

/** Values that programs take for none, and others. */
const [none, some]: readonly [Values, Values] = [
  { number: 0, flag: false },
  { number: 1, flag: true },
];

/** Numbers of each kind; a member may be declared so that it takes some of them alone. */
const telling: readonly Values[] = Object.values(numberKinds).map((number) => ({ number, flag: false }));

/** The one member that gets numbers of any kind, where not all of them take each. */
interface Alone {
  readonly place: Place;
  readonly name: string;
}

/** What is written first, and what instead where that is refused: of each of these the first that is taken. */
interface Round {
  readonly together: Members;
  readonly apart: readonly (readonly Members[])[];
}

/** Numbers and truth values in an object, in entries, in objects of entries and in entries inside them are stored this way as they were given. */
export async function expectInnerValuesStored(context: CaseContext, way: string, write: Write): Promise<void> {
  const isStored = async (members: Members): Promise<boolean> => {
    const reads = await write(members);
    for (const read of reads === undefined ? [] : [reads].flat())
      context
        .expect(linesOf(context, dataOf(read), members), `numbers and truth values below the root by ${way}`, read)
        .toEqual(linesOf(context, members, members));
    return reads !== undefined;
  };
  for (const { together, apart } of [...objectRounds(context), ...entryRounds(context)]) {
    const isTaken = await isStored(together);
    context.notes.observe(`numbers and truth values below the root by ${way}`, isTaken);
    for (const candidates of isTaken ? [] : apart) for (const members of candidates) if (await isStored(members)) break;
  }
  await expectNoArraysOfNone(context, way, write);
}

/** An object without members may be left out; an array is another value, whatever it holds. */
async function expectNoArraysOfNone(context: CaseContext, way: string, write: Write): Promise<void> {
  const { expect, given, notes, profile } = context;
  const { object } = profile.primary;
  const inEntries = portsOf(context).flatMap((port) => {
    if (port.object === undefined) return [];
    const entry = given.entry(given.unique('entry'), { [port.object.member]: {} }, port);
    return [{ body: { [port.member]: [entry] }, path: [port.member, '0', port.object.member] }];
  });
  const places = [
    ...(object === undefined ? [] : [{ body: { [object.member]: {} }, path: [object.member] }]),
    ...inEntries,
  ];
  for (const { body, path } of places) {
    const reads = await write(body);
    notes.observe(`an object without members at ${path.join('/')} by ${way}`, reads !== undefined);
    for (const read of reads === undefined ? [] : [reads].flat()) {
      const shown = valueAt(dataOf(read), pointer(...path));
      expect(
        Array.isArray(shown),
        `whether ${path.join('/')}, an object without members by ${way}, is an array`,
        read,
      ).toEqual(false);
    }
  }
}

/** The object with values of each kind, one object for each. */
function objectRounds({ given, profile }: CaseContext): readonly Round[] {
  const { object } = profile.primary;
  if (object === undefined || isBare(object)) return [];
  const holding = (values: Values, alone?: Alone): Members => ({
    [object.member]: { ...given.inner(object), ...valuesOf(object, values, alone) },
  });
  return [none, some, ...telling].map((values) => ({
    together: holding(values),
    apart: membersOf(object).map((alone) => [holding(values, alone)]),
  }));
}

/** The entries of an array with values of each kind in turn, else with those that each member takes. */
function entryRounds(context: CaseContext): readonly Round[] {
  const whole = telling.filter(({ number }) => Number.isInteger(number));
  return portsOf(context).flatMap((port) => {
    const places = placesIn(port).filter((place) => !isBare(place));
    if (places.length === 0) return [];
    const holding = (all: readonly Values[], alone?: Alone): Members => ({
      [port.member]: all.map((values) => entryOf(context, port, values, alone)),
    });
    const each = places.flatMap(membersOf).map((alone) => [holding([none, some, ...telling], alone)]);
    const less = [holding([none, some, ...whole]), holding([none, some, none])];
    return [{ together: holding([none, some, ...telling]), apart: [...each, less] }];
  });
}

function membersOf(place: Place): readonly Alone[] {
  return (place.numbers ?? []).map((name) => ({ place, name }));
}

function placesIn(port: Port): readonly Place[] {
  return [port, port.object, port.nested].filter((place) => place !== undefined);
}

function entryOf({ given }: CaseContext, port: Port, values: Values, alone?: Alone): Members {
  const { object, nested } = port;
  return given.entry(
    given.unique('entry'),
    {
      ...valuesOf(port, values, alone),
      ...(object && { [object.member]: { ...given.inner(object), ...valuesOf(object, values, alone) } }),
      ...(nested && {
        [nested.member]: [{ ...given.nestedEntry(given.unique('inside'), nested), ...valuesOf(nested, values, alone) }],
      }),
    },
    port,
  );
}

function valuesOf(place: Place, { number, flag }: Values, alone?: Alone): Members {
  const { numbers = [], flags = [] } = place;
  const isAny = (name: string) => alone === undefined || (alone.place === place && alone.name === name);
  return Object.fromEntries([
    ...numbers.map((name) => [name, isAny(name) ? number : some.number]),
    ...flags.map((name) => [name, flag]),
  ]);
}

function isBare({ numbers = [], flags = [] }: Place): boolean {
  return numbers.length + flags.length === 0;
}

/** A line for the object and for each entry that was sent, in the order of their texts. */
function linesOf(context: CaseContext, data: Members, sent: Members): readonly string[] {
  const { object } = context.profile.primary;
  return [
    ...(object !== undefined && isObject(sent[object.member])
      ? [`${object.member}: ${lineOf(object, data[object.member])}`]
      : []),
    ...portsOf(context).flatMap((port) => {
      const { member, text, object: held, nested } = port;
      const texts = new Set(objectsIn(sent[member]).map((entry) => entry[text]));
      return objectsIn(data[member])
        .filter((entry) => texts.has(entry[text]))
        .map((entry) => {
          const inside = nested && lineOf(nested, objectsIn(entry[nested.member])[0]);
          const parts = [lineOf(port, entry), held && lineOf(held, entry[held.member]), inside];
          return `${String(entry[text])}: ${parts.filter((part) => part !== undefined).join(', ')}`;
        })
        .toSorted();
    }),
  ];
}

function lineOf({ numbers = [], flags = [] }: Place, value: unknown): string {
  const shown = isObject(value) ? value : {};
  return [...numbers, ...flags].map((name) => `${name} ${JSON.stringify(shown[name]) ?? 'missing'}`).join(', ');
}

/** Replaces bring values that programs take for none into each of these places, and others again, and numbers of many digits. */
export async function expectInnerValuesReplaced(context: CaseContext): Promise<void> {
  for (const [before, after] of [
    [some, none],
    [none, some],
    [none, { number: numberKinds['many digits'], flag: true }],
    [none, { number: numberKinds.largest, flag: true }],
  ] as const)
    await expectReplaced(context, before, after);
}

async function expectReplaced(context: CaseContext, before: Values, after: Values): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { object } = profile.primary;
  const { port } = profile;
  const inner = object && { [object.member]: { ...given.inner(object), ...valuesOf(object, before) } };
  const entry = entryOf(context, port, before);
  let thing = await unlessRefused(() => given.object({ ...inner, [port.member]: [entry] }));
  if (thing === undefined) return;
  const isMeant = (shown: Members): boolean => shown[port.text] === entry[port.text];
  let read = await service.readLong(thing);
  for (const { what, of, at, shownIn } of targetsOf(context)) {
    const path = at(objectsIn(dataOf(read)[port.member]).find(isMeant));
    if (path === undefined) continue;
    const values = valuesOf(of, after);
    const operations = Object.entries(values).map(([name, value]) => replace(pointer(...path, name), value));
    const reply = await service.operations(thing, operations);
    notes.observe(`numbers and truth values of ${what} are replaced`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    thing = await given.current(thing);
    read = await service.readLong(thing);
    const shown = shownIn(dataOf(read), objectsIn(dataOf(read)[port.member]).find(isMeant));
    expect(lineOf(of, shown), `${what} after a replace`, read).toEqual(lineOf(of, values));
  }
}

/** Where replaces lead, and what a read shows there. */
interface Target {
  readonly what: string;
  readonly of: Place;
  /** Segments of the path to it. */
  readonly at: (entry: Members | undefined) => readonly string[] | undefined;
  readonly shownIn: (data: Members, entry: Members | undefined) => unknown;
}

function targetsOf({ profile }: CaseContext): readonly Target[] {
  const { object } = profile.primary;
  const { port } = profile;
  const { object: held, nested } = port;
  const atEntry = (entry: Members | undefined, ...inside: readonly string[]) =>
    entry && [port.member, String(entry['$entryId']), ...inside];
  const firstInside = (entry: Members | undefined, { member }: { readonly member: string }) =>
    objectsIn(entry?.[member])[0];
  const targets: readonly Target[] = [
    ...(object === undefined
      ? []
      : [
          {
            what: object.member,
            of: object,
            at: () => [object.member],
            shownIn: (data: Members) => data[object.member],
          },
        ]),
    { what: `an entry of ${port.member}`, of: port, at: atEntry, shownIn: (_data, entry) => entry },
    ...(held === undefined
      ? []
      : [
          {
            what: `${held.member} of an entry`,
            of: held,
            at: (entry: Members | undefined) => atEntry(entry, held.member),
            shownIn: (_data: Members, entry: Members | undefined) => entry?.[held.member],
          },
        ]),
    ...(nested === undefined
      ? []
      : [
          {
            what: `${nested.member} of an entry`,
            of: nested,
            at: (entry: Members | undefined) => {
              const inside = firstInside(entry, nested);
              return inside && atEntry(entry, nested.member, String(inside['$entryId']));
            },
            shownIn: (_data: Members, entry: Members | undefined) => firstInside(entry, nested),
          },
        ]),
  ];
  return targets.filter(({ of }) => !isBare(of));
}

/** An entry that is the only one inside another is found by the id that it shows, like one of two, where paths lead inside entries at all. */
export async function expectInnerAloneReplaced(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { member, text: ownText, nested } = profile.port;
  if (nested === undefined) return;
  let owner = await given.objectWithEntries(4, { nested: (index) => (index === 0 ? 2 : 1) });
  for (const [index, like] of owner.texts.entries()) {
    const shownNow = async () => {
      const read = await service.readLong(owner);
      // for how long an entry keeps its id is not said
      const entry = objectsIn(dataOf(read)[member]).find((each) => each[ownText] === like);
      return { read, entry, items: objectsIn(entry?.[nested.member]) };
    };
    const { entry, items } = await shownNow();
    if (entry === undefined || items[0] === undefined || (index > 0 && items.length !== 1)) return;
    const ids = [entry, items[0]].map(({ $entryId }) => String($entryId));
    const path = pointer(member, ids[0] ?? '', nested.member, ids[1] ?? '', nested.text);
    const text = given.unique('alone');
    const reply = await service.operations(owner, [replace(path, text)]);
    notes.observe('a member of an entry inside an entry is replaced', reply.status, reply);
    if (index > 0) expect(reply).toSucceed();
    if (!isSuccess(reply.status)) return;
    owner = await given.current(owner);
    if (index === 0) continue;
    const after = await shownNow();
    const shown = after.items.map((item) => item[nested.text]);
    expect(shown, 'texts inside an entry with one entry inside after its replace', after.read).toEqual([text]);
  }
}
