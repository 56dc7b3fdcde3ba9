import type { SoftTypeProfile } from '../../../contract/profile.ts';
import type { RuleId } from '../../../contract/rule.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { Owner, Port, Thing } from '../../../judge/things.ts';
import { type JsonObject, objectsIn, orderedAs, pointer } from '../../../judge/json.ts';
import type { Entry } from '../../../contract/judge-read.ts';
import type { Snapshot } from '../../../judge/service/target.ts';
import { findNoText } from '../../../judge/service/texts.ts';

/** One operation of a list, as it is sent. */
export type Operation = Readonly<Record<string, unknown>>;

const worksAtAll: readonly RuleId[] = ['patch.content-type.selects-operations'];

export function replace(path: string, value: unknown): Operation {
  return { op: 'replace', path, value };
}

export function add(path: string, value: unknown): Operation {
  return { op: 'add', path, value };
}

export function remove(path: string): Operation {
  return { op: 'remove', path };
}

/** The operation, or the operation of a batch, with that member left out. */
export function without(operation: Operation, member: string): Operation {
  return Object.fromEntries(Object.entries(operation).filter(([name]) => name !== member));
}

/** Path of the removal of a whole entry. */
export function entryPath(port: Port, entryId: string): string {
  return `${pointer(port.member, entryId)}/`;
}

/** Each of the bodies is refused and leaves everything as it was, also where an operation that is in order comes before it. */
export async function expectRefusals(context: CaseContext, thing: Thing, ...bodies: readonly unknown[]): Promise<void> {
  const { service, expect, notes } = context;
  const before = await service.snapshot(thing);
  for (const [index, body] of bodies.entries()) {
    // each second one, the last one of several among them, as the others stand alone
    const sound = (bodies.length - index) % 2 === 1 ? soundBeside(context, thing.type, before, body) : [];
    const reply = await service.operations(thing, Array.isArray(body) ? [...sound, ...body] : body);
    expect(reply).toBeRefused();
    notes.bound('operationsPatchFailure', 'status of an operations PATCH that fails', reply.status, reply);
    expect.unchanged(before, await service.snapshot(thing));
  }
}

/** A replace of a text that the thing has now, where the list says nothing of it. */
export function soundBeside(
  { given }: CaseContext,
  { scalars = [] }: SoftTypeProfile,
  { members }: Snapshot,
  body: unknown,
): readonly Operation[] {
  const told = JSON.stringify(body);
  const held = scalars.find((name) => Boolean(members[name]) && !told.includes(pointer(name)));
  return held === undefined ? [] : [replace(pointer(held), given.unique('beside'))];
}

/** Each of the bodies changes nothing of the content: whether what has nothing to do is refused is left open. Returns the thing at the version that reads then. */
export async function expectNoEffect<T extends Thing>(
  { service, expect, notes }: CaseContext,
  thing: T,
  ...bodies: readonly (readonly Operation[])[]
): Promise<T> {
  let before = await service.snapshot(thing);
  for (const body of bodies) {
    const reply = await service.operations(thing, body, { version: before.version });
    const [{ op } = {}] = body;
    notes.observe(`status of ${String(op)} where nothing is to be found`, reply.status, reply);
    const after = await service.snapshot(thing);
    // who says that it was done may have made a version of it, at which an entry may have another id
    if (after.version === before.version) expect.unchanged(before, after);
    else expect.unchanged({ ...withoutEntryIds(before), version: after.version }, withoutEntryIds(after));
    before = after;
  }
  return { ...thing, version: before.version };
}

function withoutEntryIds(snapshot: Snapshot): Snapshot {
  const { members, arrays } = snapshot;
  const isId = (name: string): boolean => name === 'entryId' || name === '$entryId';
  const rest = JSON.stringify({ members, arrays }, (name, value: unknown) => (isId(name) ? undefined : value));
  return { ...snapshot, ...(JSON.parse(rest) as Pick<Snapshot, 'members' | 'arrays'>) };
}

/** The corrected list is accepted on the same object and version: else the refusals before it tell nothing. */
export async function runControl(
  { service, given }: CaseContext,
  thing: Thing,
  operations: readonly Operation[],
  standsOn: readonly RuleId[] = worksAtAll,
): Promise<void> {
  given.succeeded(
    await service.operations(thing, operations),
    'the corrected list of operations is accepted',
    standsOn,
  );
}

/** The list is accepted; returns the state afterwards. */
export async function applyOperations(context: CaseContext, thing: Thing, operations: unknown): Promise<Snapshot> {
  const reply = await context.service.operations(thing, operations);
  context.expect(reply).toSucceed();
  return context.service.snapshot(thing);
}

/** The same as a step that the case does not judge; returns the thing at its new version. */
export async function changeBy<T extends Thing>(
  { service, given }: CaseContext,
  thing: T,
  operations: readonly Operation[],
  standsOn: readonly RuleId[] = worksAtAll,
): Promise<T> {
  given.succeeded(await service.operations(thing, operations), 'an operations PATCH is accepted', standsOn);
  return given.current(thing);
}

/** A removal that is sent again takes no other entry, however its id begins; returns the state afterwards. An id may be given anew. */
export async function expectRemovedOnce(
  context: CaseContext,
  owner: Owner,
  after: Snapshot,
  entryId: string,
): Promise<Snapshot> {
  const { service, notes } = context;
  const left = entriesIn(after, owner.port);
  if (left.some((entry) => entry.entryId === entryId)) return after;
  const again = await service.operations(owner, [remove(entryPath(owner.port, entryId))], { version: after.version });
  notes.observe('remove of an entry that is gone already', again.status, again);
  const now = await service.snapshot(owner);
  expectContents(context, now, owner.port, 'entries after the same remove was sent again', membersOf(left), again);
  return now;
}

/** Entries that nothing but their ids tells apart, where the service keeps such; undefined where it does not. */
export async function makeAlike(
  { given, service, notes, profile }: CaseContext,
  count: number,
): Promise<Owner | undefined> {
  const { port } = profile;
  const text = given.unique('alike');
  const entry = given.entry(text, {}, port);
  const body = given.body({ [port.member]: Array.from({ length: count }, () => entry) });
  const reply = await service.create(body);
  notes.observe('status of a create with entries that are alike', reply.status, reply);
  if (!isSuccess(reply.status)) return undefined;
  const thing = await given.found(reply, body);
  const found = entriesIn(await service.snapshot(thing), port).map(({ members }) => members[port.text]);
  const texts = Array.from({ length: count }, () => text);
  return found.length === count && found.every((each) => each === text) ? { ...thing, port, texts } : undefined;
}

/** An entry whose text is the empty one, and the path to it, where the service keeps that apart from no value. */
export async function makeEmptyText(
  context: CaseContext,
): Promise<{ readonly thing: Thing; readonly path: string } | undefined> {
  const { given, service, notes, profile } = context;
  const { port } = profile;
  const body = given.body({ [port.member]: [given.entry('', {}, port)] });
  const reply = await service.create(body);
  notes.observe('status of a create with an entry whose text is empty', reply.status, reply);
  if (!isSuccess(reply.status)) return undefined;
  const thing = await given.found(reply, body);
  const [entry] = entriesIn(await service.snapshot(thing), port);
  if (entry?.members[port.text] !== '' || (await findNoText(context))('')) return undefined;
  return { thing, path: pointer(port.member, entry.entryId, port.text) };
}

/** All entries of the array port, page after page. */
export async function entriesNow({ service }: CaseContext, owner: Owner): Promise<readonly Entry[]> {
  return entriesIn(await service.snapshot(owner), owner.port);
}

export function entriesIn(snapshot: Snapshot, port: Port): readonly Entry[] {
  return snapshot.arrays[port.member] ?? [];
}

/** The entry with that text, by which the suite knows it. */
export function entryWith(entries: readonly Entry[], port: Port, text: string | undefined): Entry | undefined {
  return entries.find((entry) => entry.members[port.text] === text);
}

/** Operations of one list that every service takes: some take no more than ten. */
const shortList = 10;

/** The values in lists of so many operations as every service takes. */
export function inLists<T>(values: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(values.length / shortList);
  return Array.from({ length: count }, (_list, at) => values.slice(at * shortList, (at + 1) * shortList));
}

/** No value: the member is absent or null. */
export function isWithoutValue(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The snapshot without its version and its answer, for comparisons across a write. */
export function contentOf({ members, arrays }: Snapshot): Pick<Snapshot, 'members' | 'arrays'> {
  return { members, arrays };
}

/** What the entries hold, in order. Ids are left out, and inside them the order too: for how long an entry keeps its id is not said, nor which comes first. */
export function membersOf(entries: readonly Entry[]): readonly Entry['members'][] {
  return entries.map(({ members }) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, withoutIds(value)])),
  );
}

function withoutIds(value: unknown): unknown {
  const inside = objectsIn(value).map(({ $entryId: _id, ...held }) => held);
  return inside.length === 0 ? value : inside.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

/** The same whichever order the members come in. */
function textOf(value: JsonObject): string {
  return JSON.stringify(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The same of the entries that an answer shows. */
export function contentsIn(snapshot: Snapshot, port: Port): readonly Entry['members'][] {
  return membersOf(entriesIn(snapshot, port));
}

/** Asserts that the array of a port has these entries, in whatever order: none is said but that an appended one comes last. */
export function expectContents(
  { expect }: Pick<CaseContext, 'expect'>,
  after: Snapshot,
  port: Port,
  what: string,
  expected: readonly Entry['members'][],
  reply: Reply = after.reply,
): void {
  const seen = contentsIn(after, port);
  expect(seen, what, reply).toEqual(orderedAs(seen, expected));
}

/** Values of the number and boolean members that the profile names: those that programs take for no value, and others. */
export function plainValues({ numbers = [], flags = [] }: SoftTypeProfile): {
  readonly emptiest: Readonly<Record<string, number | boolean>>;
  readonly fullest: Readonly<Record<string, number | boolean>>;
} {
  const all = (number: number, flag: boolean) => ({
    ...Object.fromEntries(numbers.map((name) => [name, number] as const)),
    ...Object.fromEntries(flags.map((name) => [name, flag] as const)),
  });
  return { emptiest: all(0, false), fullest: all(1, true) };
}

/** Whether an edit leaves entries their ids, which is not said: where it does not, a later operation of a list may mean another entry by one. */
export function areIdsKept(
  { notes }: CaseContext,
  before: readonly Entry[],
  after: readonly Entry[],
  port: Port,
): boolean {
  const known = new Map(before.map(({ entryId, members }) => [members[port.text], entryId]));
  const areKept = after.every(
    ({ entryId, members }) => !known.has(members[port.text]) || known.get(members[port.text]) === entryId,
  );
  notes.observe('entries keep their ids when others go by the same request', areKept);
  return areKept;
}

/** Whether a list that was refused named entries by ids which the first removal in it, tried alone, leaves them: an id may be that of no entry any more when others have gone. */
export async function isOfKeptIds(
  context: CaseContext,
  owner: Owner,
  before: readonly Entry[],
  { reply, alone }: { readonly reply: Reply; readonly alone: readonly Operation[] },
): Promise<boolean> {
  if (reply.status < 400) return true;
  const one = await applyOperations(context, owner, alone);
  return areIdsKept(context, before, entriesIn(one, owner.port), owner.port);
}
