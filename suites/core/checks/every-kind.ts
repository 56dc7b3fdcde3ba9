import { entriesPerPage } from '../../../contract/limits.ts';
import { endingKinds, longTextOfManyKinds } from '../../../fixtures/values.ts';
import { dataOf, hasOtherLongArray } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject, objectsIn } from '../../../judge/json.ts';
import { expectInnerValuesStored } from './inner-values.ts';
import { asSent } from './sent-part.ts';
import { isWithoutValue } from './operation-steps.ts';
import {
  dated,
  entriesOfEveryArray,
  type Kind,
  memberKinds,
  type Members,
  portsOf,
  type Write,
} from './member-kinds.ts';

interface Round {
  readonly members: Members;
  readonly over?: Members;
  /** What is written instead, in turn, where a create refuses the members. */
  readonly plainer?: readonly Members[];
  /** More entries than adds of one list should be asked for. */
  readonly isLong?: true;
}

/** What else a way of writing is told. */
interface Limits {
  /** A kind of members that it may not be for. */
  readonly without?: Kind['what'];
  /** It makes values where there are none, and is not for writing over others. */
  readonly isAdding?: true;
  /** Whether a list may be joined to the one that was there: what a merge does to it is not said. */
  readonly mayJoinLists?: true;
}

/** Entries inside an entry: more than a read shows, and than others have. */
const manyInside = 13;

/** Entries of each array of an object: the fewest that a read does not show whole. */
const manyEntries = 11;

/**
 * Members of every kind, arrays of entries included, are stored this way as a create of its own stores them: long texts, long arrays and
 * empty ones, and values that are nearly the same as those before them. Of dated elements, whose dates differ, there is one.
 */
export async function expectEveryKindStored(
  context: CaseContext,
  way: string,
  write: Write,
  { without, isAdding, mayJoinLists }: Limits = {},
): Promise<void> {
  const { given, expect, notes } = context;
  const mandatory = Object.keys(given.body());
  const kinds = memberKinds(context).filter(
    ({ what, shown }) => !(isAdding && what === dated) && what !== without && !mandatory.includes(shown),
  );
  const rounds = roundsOf(context, kinds).filter(
    ({ over, isLong }) => !isAdding || (over === undefined && isLong === undefined),
  );
  for (const round of rounds) {
    const made = await createdAlone(context, round);
    if (made === undefined) continue;
    const { members, alone } = made;
    const reads = await write(members, round.over);
    notes.observe(`${way} of ${Object.keys(members).join(', ')}`, reads !== undefined);
    if (reads === undefined) continue;
    for (const read of [reads].flat()) {
      for (const { what, shown, sent } of kinds) {
        if (!Object.keys(sent).some((name) => Object.hasOwn(members, name))) continue;
        const [value] = Object.values(sent);
        if (what === dated) {
          const [isThere, isStored] = [read, alone].map((each) => !isWithoutValue(dataOf(each)[shown]));
          expect(isThere, `whether ${shown}, ${what}, is there by ${way}`, read).toEqual(isStored);
          continue;
        }
        const [seen, right] = [read, alone].map((each) => inAnyOrder(asSent(dataOf(each)[shown], value)));
        const judged = expect(seen, `${shown}, ${what}, by ${way}`, read);
        const former = mayJoinLists ? round.over?.[shown] : undefined;
        if (Array.isArray(former)) judged.toBeOneOf([right, ...joinedWith(former, members[shown])]);
        else judged.toEqual(right);
      }
      if (portsOf(context).some(({ member }) => Object.hasOwn(members, member)))
        expectArraysStored(context, way, alone, read);
    }
  }
  await expectInnerValuesStored(context, way, write);
}

/** What is written in turn, as far as the profile knows such members. */
function roundsOf(context: CaseContext, all: readonly Kind[]): readonly Round[] {
  const { scalarList = '', object } = context.profile.primary;
  const mandatory = Object.keys(context.given.body());
  const optional = (members: Members): Members =>
    Object.fromEntries(Object.entries(members).filter(([name]) => !mandatory.includes(name)));
  const sentOf = (some: readonly Kind[]): Members => Object.assign({}, ...some.map(({ sent }) => sent)) as Members;
  const kinds = all.filter(({ what }) => what !== dated);
  const plain = sentOf(kinds);
  const listOf = (twice: string): Members =>
    Object.hasOwn(plain, scalarList) ? { [scalarList]: [twice, 'one', twice] } : {};
  const besides = { ...listOf(separators), ...sentOf(all.filter(({ what }) => what === dated)) };
  const blank = optional(object === undefined ? {} : { [object.member]: context.given.inner(object, ['one', '']) });
  const few = optional(entriesOfEveryArray(context));
  const entriesWith = (text: string): Members => optional(entriesOfEachLength(context, text));
  return [
    { members: lengthened(kinds), plainer: [plain] },
    { members: { ...besides, ...blank }, plainer: [besides, listOf('two')] },
    ...(Object.keys(few).length === 0
      ? []
      : [
          { members: entriesWith(''), plainer: [entriesWith('no blank'), few] },
          { members: optional(longArrays(context)), isLong: true as const },
        ]),
    nearlyTheSame(context),
  ];
}

/** What a create of its own takes of a round, and what it stores; undefined where it takes nothing. */
async function createdAlone(
  { given, service, notes }: CaseContext,
  { members, plainer = [] }: Round,
): Promise<{ readonly members: Members; readonly alone: Reply } | undefined> {
  for (const candidate of [members, ...plainer].filter((some) => Object.keys(some).length > 0)) {
    const body = given.body(candidate);
    const created = await service.create(body);
    notes.observe(`a create with ${Object.keys(candidate).join(', ')}`, created.status, created);
    if (!isSuccess(created.status)) continue;
    const alone = await service.readLong(await given.found(created, body));
    // where the empty text is no value, one way to write may know it and another not
    const blank = Object.keys(candidate).filter((name) => hasEmptyText(candidate[name]));
    if (plainer.length === 0 || blank.every((name) => hasEmptyText(dataOf(alone)[name])))
      return { members: candidate, alone };
  }
  return undefined;
}

function hasEmptyText(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('""');
}

/** What a text looks like that a reader of JSON may take for a time and write in its own way. */
const likeATime = '2024-05-06T07:08:09Z';

/** What lists are joined by and taken apart at. */
export const separators = 'two, 2;2|2\n2';

/** The members of these kinds, one of each kind with a long text, the other texts such as look like another kind. */
function lengthened(kinds: readonly Kind[]): Members {
  const first = new Set(kinds.filter(({ what }, index) => kinds.findIndex((kind) => kind.what === what) === index));
  const membersOf = (kind: Kind): Members => {
    if (first.has(kind)) return { ...Object(withLongText(kind.sent)) };
    return Object.fromEntries(
      Object.entries(kind.sent).map(([name, value]) => [name, typeof value === 'string' ? likeATime : value]),
    );
  };
  return Object.assign({}, ...kinds.map(membersOf)) as Members;
}

/** The value with its first text made long. */
function withLongText(value: unknown): unknown {
  if (typeof value === 'string') return value + longTextOfManyKinds;
  if (Array.isArray(value))
    return [
      withLongText(value[0]),
      ...value.slice(1).map((item: unknown) => (typeof item === 'string' ? likeATime : item)),
    ];
  if (!isObject(value)) return value;
  const [name = '', inner] = Object.entries(value)[0] ?? [];
  return { ...value, [name]: withLongText(inner) };
}

/** Entries of every array, with long texts and blank ones, and with many, two and none inside them, each with an object of its own. */
function entriesOfEachLength(context: CaseContext, blank: string): Members {
  const { given } = context;
  return Object.fromEntries(
    portsOf(context).map((port) => {
      const { nested, object } = port;
      const held = () =>
        object && {
          [object.member]: given.inner(
            object,
            object.scalars.map((_name, index) =>
              index === 1 ? blank : given.unique('held') + endingKinds['ends in many kinds and a blank'],
            ),
          ),
        };
      if (nested === undefined)
        return [
          port.member,
          [given.unique('entry') + longTextOfManyKinds, blank].map((text) => given.entry(text, held(), port)),
        ];
      const inside = (texts: readonly string[]) => ({
        ...held(),
        [nested.member]: texts.map((text) => given.nestedEntry(text, nested)),
      });
      const many = Array.from({ length: manyInside }, () => given.unique('inside'));
      const entries = [many, [given.unique('inside') + longTextOfManyKinds, blank], []].map((texts) =>
        given.entry(given.unique('entry'), inside(texts), port),
      );
      return [port.member, entries];
    }),
  );
}

/** Every array with more entries than a read shows. */
function longArrays(context: CaseContext): Members {
  const { given } = context;
  return Object.fromEntries(
    portsOf(context).map((port) => [
      port.member,
      Array.from({ length: manyEntries }, () => given.entry(given.unique('entry'), {}, port)),
    ]),
  );
}

/** Values that differ from those of `over` in what a comparison may pass over: letter case, accents, how often an item is there, whether there is a text at all. */
function nearlyTheSame({ given, profile }: CaseContext): Round {
  const { scalars: [first, second] = [], numbers = [], flags = [], object, scalarList, escaped } = profile.primary;
  const text = given.unique('nearly');
  const values: readonly (readonly [name: string | undefined, value: unknown, over: unknown])[] = [
    [first, `${text} Case`, `${text} case`],
    [second, `${text} resume`, `${text} résumé`],
    ...numbers.map((name) => [name, 1, 0] as const),
    ...flags.map((name) => [name, false, true] as const),
    [object?.member, object && given.inner(object, ['one', 'two']), object && given.inner(object, ['two', 'one'])],
    [scalarList, ['two', 'one', 'two'], ['one', 'two', 'one', 'two', 'one']],
    [escaped, '', text],
    [profile.primary.arrayPort?.member, [], undefined],
  ];
  const named = values.flatMap(([name, value, over]) => (name === undefined ? [] : [{ name, value, over }]));
  return {
    members: Object.fromEntries(named.map(({ name, value }) => [name, value])),
    over: Object.fromEntries(named.map(({ name, over }) => [name, over])),
  };
}

/** The arrays hold every text that those of the object alone show, and as many page links count the long ones: there may be entries that every object has. */
function expectArraysStored(context: CaseContext, way: string, alone: Reply, read: Reply): void {
  const { expect } = context;
  // which entries of a long array are shown first is not said
  const ports = portsOf(context).filter(({ member }) => objectsIn(dataOf(alone)[member]).length < entriesPerPage);
  const stored = linesOf(context, read, ports);
  const lost = linesOf(context, alone, ports).filter((line) => !stored.includes(line));
  expect(lost, `entries that a create of its own stores, and ${way} does not`, read).toEqual([]);
  if ([read, alone].some((each) => hasOtherLongArray(each, context.profile.primary))) return;
  for (const length of [manyInside, manyEntries])
    expect(longLinksIn(read, length), `page links to ${length} entries by ${way}`, read).toEqual(
      longLinksIn(alone, length),
    );
}

/** A line for each entry of an array, with its text and those of the object and the entries inside, as far as all are shown: ids of entries differ from object to object. */
export function linesOf(context: CaseContext, read: Reply, ports = portsOf(context)): readonly string[] {
  const data = dataOf(read);
  return ports.flatMap(({ member, text, nested, object }) =>
    objectsIn(data[member]).map((entry) => {
      const held: unknown = object && entry[object.member];
      const kept = isObject(held) ? (object?.scalars ?? []).map((name) => String(held[name])).join(', ') : '';
      const inner = nested === undefined ? [] : objectsIn(entry[nested.member]).map((one) => String(one[nested.text]));
      const inside = inner.length < entriesPerPage ? inner.toSorted().join(', ') : `${inner.length} and more`;
      return `${member}: ${String(entry[text])}, ${kept} with ${inside}`;
    }),
  );
}

/** How many page links count that many entries. */
function longLinksIn({ json }: Reply, length: number): number {
  const links: unknown = isObject(json) ? json['links'] : undefined;
  const all = objectsIn(links);
  return all.filter((link) => link['rel'] === 'page' && Number(link['totalNumber']) === length).length;
}

/** What a list may be whose items were joined to those that were there, each of them or each once, or put in their places. */
function joinedWith(former: readonly unknown[], list: unknown): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const all = [...former, ...items];
  return [all, [...new Set(all)], [...items, ...former.slice(items.length)]].map(inAnyOrder);
}

/** In which order an array of plain values is kept is not said, nor whether an empty text is one. */
export function inAnyOrder(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : (value ?? '');
}
