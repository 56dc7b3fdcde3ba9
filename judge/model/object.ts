import {
  entriesIn,
  type Entry,
  type Known,
  type KnownArray,
  pagesOf,
  type Read,
  textOf,
  wholeOf,
} from '../../contract/judge-read.ts';
import type { IdentityName } from '../../contract/profile.ts';
import { dataOf, entriesOf as readEntries, entriesOfPage } from '../service/answers.ts';
import { editRequest, sendBatch } from '../service/batch.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import {
  type Content,
  type Edit,
  entriesOf,
  type EntryState,
  freshState,
  type ObjectState,
  type SingleEdit,
} from './state.ts';
import { isObject } from '../json.ts';
import { withQuery } from '../service/queries.ts';
import { hasShortRoute } from '../service/requests.ts';
import { type KeptTexts, textsKept } from '../service/texts.ts';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import { portOf } from '../profile.ts';
import type { Port, Thing } from '../things.ts';
import { editRoutes, findWorking, makeEditable } from '../service/writes.ts';

/** An object of the history: where it is, and what is believed of it. */
export interface Subject {
  readonly thing: Thing;
  state: ObjectState;
  /** As the last read shows them; undefined when a write was accepted since. */
  ids: Ids | undefined;
  /** Whether no read has shown since the last write in which order the entries are: none is said but that an appended one comes last. */
  unordered: boolean;
  /** How many entries were appended at the end of those writes, by port. */
  appended: Readonly<Record<number, number>>;
  /** What was learned from a first look and has to stay: by what it belongs to. */
  readonly learned: Map<string, unknown>;
  /** Looks by turns so far. */
  looks: number;
}

/** By what entries are addressed, by port and position. */
interface Ids {
  readonly entries: readonly (readonly string[])[];
  /** Of what is inside each entry, by its text. */
  readonly inside: readonly (readonly ReadonlyMap<unknown, string>[])[];
}

/** What is believed of an object that was just made with that content. */
export function subjectOf(thing: Thing, content: Content): Subject {
  const state = { ...freshState(content), version: thing.version };
  return { thing, state, ids: undefined, unordered: true, appended: {}, learned: new Map(), looks: 0 };
}

/** The write counts: what was read before is out of date. */
export function acceptWrite(context: CaseContext, subject: Subject, next: ObjectState, edit?: Edit): void {
  if (edit?.kind === 'promote') foresee(context, subject);
  subject.state = next;
  subject.ids = undefined;
  subject.appended = appendedBy(edit, subject.unordered ? subject.appended : {});
  subject.unordered = true;
}

function appendedBy(edit: Edit | undefined, before: Subject['appended']): Subject['appended'] {
  if (edit?.kind === 'several') return edit.edits.reduce((appended, one) => appendedBy(one, appended), before);
  if (edit?.kind !== 'append') return {};
  return { ...before, [edit.port]: (before[edit.port] ?? 0) + 1 };
}

/** Where the profile names the states in order, a promote leads to the next one. */
function foresee({ profile }: CaseContext, { state, learned }: Subject): void {
  const { states = [] } = profile.all.maturity ?? {};
  const at = states.findIndex((name) => name === learned.get(stateAfter(state.moves)));
  const next = at === -1 ? undefined : states[at + 1];
  if (next !== undefined) learned.set(stateAfter(state.moves + 1), next);
}

/** Makes sure that the ids of entries are known where the write names one. */
export async function locateEntries(context: CaseContext, shape: Shape, subject: Subject, edit: Edit): Promise<void> {
  if ('at' in edit) subject.ids ??= await readIds(context, shape, subject);
}

/** What the current state is learned under. */
export function stateAfter(moves: number): string {
  return `current state after ${moves} moves`;
}

/** What shows again what the first read and the pages behind it show. */
export type ReadRoute = 'long' | 'filtered' | 'page 0';

export const readRoutes: readonly ReadRoute[] = ['long', 'filtered', 'page 0'];

/** One object as read routes show it. */
export interface View {
  /** Short and long route, in this order; the long one alone where the short one applies another schema. */
  readonly instances: readonly Reply[];
  /** By port, every page that the model has entries for, the first of them where it was read. */
  readonly pages: readonly (readonly Reply[])[];
  /** Number of the first page that was read. */
  readonly pagesFrom: number;
  /** Instance read and pages with the fixed filter, of the first port. */
  readonly filtered: { readonly instance: Reply; readonly pages: readonly Reply[] } | undefined;
}

/** Reads these routes at once, with the first read and the pages behind it. */
export async function readView(
  context: CaseContext,
  shape: Shape,
  { thing, state }: Subject,
  routes: readonly ReadRoute[] = readRoutes,
): Promise<View> {
  const { service } = context;
  const first = hasShortRoute(thing.type) ? [service.readShort(thing)] : [];
  const isLongRead = first.length === 0 || routes.includes('long');
  const instances = [...first, ...(isLongRead ? [service.readLong(thing)] : [])];
  const pagesFrom = routes.includes('page 0') ? 0 : 1;
  const pages = shape.ports.map((port, index) =>
    Promise.all(
      numbersOf(entriesOf(state, index).length)
        .slice(pagesFrom)
        .map((page) => service.page(thing, page, { port })),
    ),
  );
  const filtered =
    shape.filter !== undefined && routes.includes('filtered')
      ? filteredOf(context, shape.filter.id, thing, state)
      : undefined;
  // together: what fails while another one is waited for would belong to no case
  const [shown, paged, admitted] = await Promise.all([Promise.all(instances), Promise.all(pages), filtered]);
  return { instances: shown, pages: paged, pagesFrom, filtered: admitted };
}

async function filteredOf(
  { service }: CaseContext,
  id: string,
  thing: Subject['thing'],
  state: ObjectState,
): Promise<View['filtered']> {
  const instance = service.get(withQuery(service.requests.read(thing).url, { softTypeFilterId: id }));
  const pages = numbersOf(admittedOf(state).length).map((page) =>
    service.get(withQuery(service.requests.page(thing, page).url, { softTypeFilter: id })),
  );
  const [shown, paged] = await Promise.all([instance, Promise.all(pages)]);
  return { instance: shown, pages: paged };
}

/** As the first read and the pages behind it show them now. */
export async function readIds(context: CaseContext, shape: Shape, subject: Subject): Promise<Ids> {
  const { service } = context;
  const instance = await service.read(subject.thing);
  const pages = await Promise.all(
    shape.ports.map(async (port, index) => {
      const further = numbersOf(entriesOf(subject.state, index).length).slice(1);
      return Promise.all(further.map((page) => service.page(subject.thing, page, { port })));
    }),
  );
  // what cannot be read at all is for the rules about that
  for (const port of shape.ports) readEntries(instance, port);
  for (const page of pages.flat()) entriesOfPage(page);
  return idsIn(readOf({ instances: [instance], pages, pagesFrom: 1 }, shape.ports), shape.ports);
}

/** Ids in the order of the first read and the pages behind it. */
export function idsIn(read: Read<Reply>, ports: readonly Port[]): Ids {
  return idsOf(
    ports.map(({ member }) => wholeOf(read, member)),
    ports,
  );
}

/** Ids of the entries of each port; of what is inside them where the ports are given. */
export function idsOf(arrays: readonly (readonly Entry[])[], ports: readonly Port[] = []): Ids {
  return {
    entries: arrays.map((entries) => entries.map(({ entryId }) => entryId)),
    inside: ports.map(({ nested }, index) =>
      (arrays[index] ?? []).map(({ members }) => {
        const items = nested === undefined ? [] : entriesIn(members[nested.member]);
        return new Map(items.map((item) => [item.members[nested?.text ?? ''], item.entryId]));
      }),
    ),
  };
}

/** The first instance read with all pages. @param ports of which pages were read */
export function readOf(
  { instances, pages, pagesFrom = 0 }: Pick<View, 'instances' | 'pages'> & Partial<View>,
  ports: readonly Port[],
): Read<Reply> {
  const [instance] = instances;
  return {
    ...(instance && { instance }),
    pages: ports.flatMap(({ member }, index) =>
      (pages[index] ?? []).map((answer, place) => ({ member, number: pagesFrom + place, answer })),
    ),
  };
}

export function knownOf(shape: Shape, { thing, state }: Subject): Known {
  const { object, ports, numbers, flags, renamed, showsEmpty } = shape;
  const scalars = shape.scalars.filter((name) => name !== renamed?.input);
  const valued = <V>(names: readonly string[], values: Readonly<Record<string, V>>) =>
    Object.fromEntries(
      names
        .map((name) => [name, Object.hasOwn(values, name) ? (values[name] ?? null) : null] as const)
        .filter(([, value]) => value !== null || !showsEmpty),
    );
  return {
    oid: thing.oid,
    version: state.version,
    texts: {
      ...valued([...scalars, ...numbers, ...flags], state.scalars),
      ...(renamed && valued([renamed.output], { [renamed.output]: state.scalars[renamed.input] ?? null })),
    },
    ...(object && { inner: { member: object.member, texts: valued(namesOf(object), state.inner ?? {}) } }),
    arrays: ports.map((port, index) => arrayOf(port, entriesOf(state, index))),
  };
}

/** Names of what an object member holds. */
export function namesOf({ scalars, numbers = [], flags = [] }: NonNullable<Shape['object']>): readonly string[] {
  return [...scalars, ...numbers, ...flags];
}

export function arrayOf(port: Port, entries: readonly EntryState[]): KnownArray {
  return { port, count: entries.length, entries: entries.map(({ text }) => ({ [port.text]: text })) };
}

/** Takes over the order in which entries are seen where a create or PUT made them: nothing is said about that. */
export function learnOrder(subject: Subject, read: Read<Reply>, ports: readonly Port[]): void {
  if (!subject.unordered) return;
  const arrays = subject.state.arrays.map((believed, index) => {
    const port = ports[index];
    if (port === undefined) return believed;
    const seen = inOrderOf(believed, wholeOf(read, port.member), port);
    const others = believed.length - (subject.appended[index] ?? 0);
    return seen.slice(others).every((entry, at) => entry === believed[others + at]) ? seen : believed;
  });
  subject.state = { ...subject.state, arrays };
}

/** The entries in the order in which they are seen, where they are the same. */
function inOrderOf(believed: readonly EntryState[], seen: readonly Entry[], port: Port): readonly EntryState[] {
  const byText = new Map(believed.map((entry) => [entry.text, entry]));
  const ordered = [...new Set(seen.flatMap(({ members }) => byText.get(textOf(members, port) ?? undefined) ?? []))];
  return ordered.length === believed.length ? ordered : believed;
}

export function admittedOf(state: ObjectState): readonly EntryState[] {
  return entriesOf(state, 0).filter(({ admitted }) => admitted);
}

/** Numbers of the pages of so many entries; none where there is nothing to page. */
export function numbersOf(count: number): readonly number[] {
  return Array.from({ length: pagesOf(count) }, (_page, number) => number);
}

/** What of the model this target has: members of a SoftType, the primary one unless told otherwise, and ways to write that work at all. */
export interface Shape extends KeptTexts {
  readonly type: SoftTypeProfile;
  /** Two, one, or none where the profile names none. */
  readonly scalars: readonly string[];
  readonly numbers: readonly string[];
  readonly flags: readonly string[];
  /** Numbers beside 0 and 1 that a member was seen to take, by its name. */
  readonly numbersTaken?: Readonly<Record<string, readonly number[]>>;
  /** The one of the scalars that a read shows under another name. */
  readonly renamed?: SoftTypeProfile['renamed'];
  /** Whether a promote moves other levels too: which moves there are is configuration. */
  readonly levelsTogether?: boolean;
  readonly object:
    | {
        readonly member: string;
        readonly scalars: readonly string[];
        readonly body?: Readonly<Record<string, unknown>>;
        readonly numbers?: readonly string[];
        readonly flags?: readonly string[];
      }
    | undefined;
  /** The array ports; none, one or two. */
  readonly ports: readonly Port[];
  /** Members that tell entries of the first port which the fixed filter admits from those that it does not. */
  readonly filter: { readonly id: string; readonly matching: object; readonly other: object } | undefined;
  readonly kinds: ReadonlySet<CommandKind>;
}

export type CommandKind = SingleEdit['kind'] | 'batch';

const entryKinds: ReadonlySet<CommandKind> = new Set<CommandKind>([
  'append',
  'remove entry',
  'remove mandatory',
  'add text',
  'replace text',
  'replace value',
  'remove text',
]);

/** Kinds of commands by the way they go, named as `editRoutes` does. */
const kindsByRoute: Readonly<Record<string, readonly CommandKind[]>> = {
  'merge PATCH': ['merge'],
  PUT: ['put'],
  promote: ['promote'],
  'operations PATCH': ['add scalar', 'replace scalar', 'remove scalar', ...entryKinds],
};

const objectKinds: readonly CommandKind[] = ['add object', 'replace object', 'remove object', 'replace inside object'];

const scalarKinds: readonly CommandKind[] = ['merge', 'add scalar', 'replace scalar', 'remove scalar'];

/** Tries every way to write once: what does not work at all is judged by the rules of that way, not by those about histories. */
export async function shapeOf(context: CaseContext): Promise<Shape> {
  const { primary, all } = context.profile;
  const ports = [
    ...(primary.arrayPort ? [context.profile.port] : []),
    ...(primary.secondArrayPort ? [context.profile.secondPort] : []),
  ];
  const fixed = ports.length === 0 ? undefined : all.filters?.fixed;
  const kept = await textsKept(context);
  const kinds = new Set(await kindsOf(context, ports));
  // by its text alone an entry is known
  if (kept.showsEmpty) for (const kind of ['add text', 'remove text'] as const) kinds.delete(kind);
  return withoutDefaults(context, {
    type: primary,
    scalars: primary.scalars ?? [],
    numbers: kinds.has('merge') ? (primary.numbers ?? []) : [],
    flags: kinds.has('merge') ? (primary.flags ?? []) : [],
    ...kept,
    object: primary.object,
    ports,
    filter: fixed,
    kinds,
  });
}

/** Without the members of which a new object has a value by itself: when it has that again is not said. */
export async function withoutDefaults(
  { given, service, profile }: CaseContext,
  shape: Shape,
  { space, as }: { readonly space: string; readonly as?: IdentityName } = { space: profile.all.space },
): Promise<Shape> {
  const by = as && { as };
  const thing = await given.object({}, { type: shape.type, space, ...by });
  const read = await service.send(service.requests.read(thing), by);
  given.succeeded(read, 'a new object is readable', ['reading.instance.short-route-served']);
  const data = dataOf(read);
  const free = (names: readonly string[]): readonly string[] =>
    names.filter((name) => Object.hasOwn(thing.body, name) || [undefined, null, ''].includes(data[name] as null));
  // an object that is there in every object exists already
  const isThere = shape.object !== undefined && isObject(data[shape.object.member]);
  const kinds = new Set([...shape.kinds].filter((kind) => kind !== 'add object' || !isThere));
  const { object } = shape;
  const inner = object && data[object.member];
  const isFree = (name: string): boolean => (isObject(inner) ? (inner[name] ?? null) : null) === null;
  const freely = object && {
    ...object,
    numbers: (object.numbers ?? []).filter(isFree),
    flags: (object.flags ?? []).filter(isFree),
  };
  return {
    ...shape,
    scalars: free(shape.scalars),
    numbers: free(shape.numbers),
    flags: free(shape.flags),
    object: freely,
    kinds,
  };
}

/** The same for another SoftType, of which nothing is tried again: with its members, and what they leave of the ways to write. */
export function shapeOfOther({ kinds: tried, showsNull, showsEmpty }: Shape, type: SoftTypeProfile): Shape {
  const ports = [type.arrayPort, type.secondArrayPort].filter((port) => port !== undefined).map(portOf);
  const kinds = new Set(tried);
  for (const kind of ['promote', 'demote'] as const) kinds.delete(kind);
  if (type.object === undefined) for (const kind of objectKinds) kinds.delete(kind);
  leaveOut(kinds, type, ports);
  return {
    type,
    scalars: type.scalars ?? [],
    numbers: kinds.has('merge') ? (type.numbers ?? []) : [],
    flags: kinds.has('merge') ? (type.flags ?? []) : [],
    telling: [],
    endings: [],
    showsNull,
    showsEmpty,
    object: type.object,
    ports,
    filter: undefined,
    kinds,
  };
}

/** Leaves out the kinds for which the SoftType has no members. */
function leaveOut(kinds: Set<CommandKind>, { scalars }: SoftTypeProfile, ports: readonly Port[]): void {
  if (scalars === undefined) for (const kind of scalarKinds) kinds.delete(kind);
  if (ports.length === 0) for (const kind of [...entryKinds, 'replace in unknown entry' as const]) kinds.delete(kind);
  if (ports.every(({ mandatory }) => mandatory === undefined)) kinds.delete('remove mandatory');
}

async function kindsOf(context: CaseContext, ports: readonly Port[]): Promise<ReadonlySet<CommandKind>> {
  const { profile } = context;
  const routes = await findWorking(context, editRoutes(context));
  const kinds = new Set(routes.flatMap(({ name }) => kindsByRoute[name] ?? []));
  const operates = kinds.has('add scalar');
  if (operates && profile.primary.object !== undefined) for (const kind of objectKinds) kinds.add(kind);
  if (operates && ports.length > 0) kinds.add('replace in unknown entry');
  if (kinds.has('promote') && !(await staysOpen(context))) kinds.delete('promote');
  if (kinds.has('promote') && profile.all.routes?.demote !== undefined && (await demotes(context))) kinds.add('demote');
  if (await batches(context)) kinds.add('batch');
  leaveOut(kinds, profile.primary, ports);
  return kinds;
}

/** Whether the state after a promote takes edits: a state may be closed to them. */
async function staysOpen(context: CaseContext): Promise<boolean> {
  const { given, service } = context;
  const thing = await given.object();
  if (!isSuccess((await service.promote(thing)).status)) return false;
  return isSuccess((await service.send(editRequest(context, await given.current(thing)))).status);
}

/** Whether a demote raises the version by one, as the model takes it: whether it has to is not said. */
async function demotes(context: CaseContext): Promise<boolean> {
  const { given, service } = context;
  const thing = await given.object();
  return (
    isSuccess((await service.promote(thing)).status) &&
    isSuccess((await service.demote({ ...thing, version: thing.version + 1 })).status) &&
    (await given.current(thing)).version === thing.version + 2
  );
}

async function batches(context: CaseContext): Promise<boolean> {
  if (!context.profile.offers('batch')) return false;
  return (await sendBatch(context, [editRequest(context, await makeEditable(context))])).status === 200;
}
