import type { Member, Members } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { isArrayMember, type ArrayMember } from '../soft-type/array-port.ts';
import type { Content, StoredEntry } from '../store/store.ts';
import { entryIdFrom, entryIdMember, itemsOf } from './entry-ids.ts';
import type { Operation } from './operation-list.ts';
import type { OperationsRun } from './operations.ts';
import { isContent } from './scalars.ts';
import { membersBelow, type Step } from './steps.ts';

/** What is written as one row: the object without its array ports, or an entry of one of them. */
export interface Row {
  readonly content: Content;
  readonly members: Members;
  readonly entry?: { readonly port: string; readonly array: ArrayMember; readonly entryId: number };
}

interface Place {
  readonly row: Row;
  /** From the row to what is named; none where that is the row itself, an entry of an array port. */
  readonly steps: readonly Step[];
  /** Undefined where there is none; an array port never shows its own. */
  readonly value: unknown;
}

/** What the path of an operation names. `marker`: it ends with the end marker of an array. */
export type Target =
  | (Place & { readonly kind: 'member'; readonly member: Member })
  | (Place & {
      readonly kind: 'list';
      readonly member: Extract<Member, { readonly kind: 'list' }>;
      readonly marker: boolean;
    })
  | (Place & { readonly kind: 'array'; readonly member: ArrayMember; readonly marker: boolean })
  | (Place & { readonly kind: 'entry'; readonly member: ArrayMember });

const endMarker = '-';

/**
 * Finds what an operation names, by the names of the input schema and the ids of entries, never by position.
 * Source: core, Operations-based PATCH rules 3, 4, 5 and 9. @throws {Refusal} 422 where the path leads nowhere
 */
export async function targetOf(service: Service, run: OperationsRun, operation: Operation): Promise<Target> {
  const [first, ...rest] = operation.tokens;
  if (first === undefined)
    throw new Refusal(422, 'The empty path names the whole document, which is unsupported: name a member.');
  const name = run.view.names.get(first);
  const member = name === undefined ? undefined : run.softType.members.get(name);
  if (name === undefined || member === undefined) throw unknownMember(first);
  const row: Row = { content: run.root, members: run.softType.members };
  if (isArrayMember(member)) return portTarget(service, run, row, { name, member, tokens: rest });
  return targetInside({ row, members: row.members, holder: row.content, passed: [] }, [name, ...rest]);
}

interface PortPath {
  readonly name: string;
  readonly member: ArrayMember;
  readonly tokens: readonly string[];
}

async function portTarget(service: Service, run: OperationsRun, root: Row, path: PortPath): Promise<Target> {
  const { name, member } = path;
  const [token, ...rest] = path.tokens;
  if (endsAtArray(path.tokens))
    return { kind: 'array', row: root, steps: [{ name }], member, value: undefined, marker: token !== undefined };
  const entry = await service.behaviours.entryAt(run, name, token ?? '');
  if (entry === undefined) throw noEntry(name, token);
  const row = entryRow(name, member, entry);
  if (endsAtEntry(rest)) return { kind: 'entry', row, steps: [], member, value: entry.content };
  return targetInside({ row, members: row.members, holder: row.content, passed: [] }, rest);
}

function entryRow(port: string, array: ArrayMember, { entryId, content }: StoredEntry): Row {
  return { content, members: membersBelow(array) ?? new Map<string, Member>(), entry: { port, array, entryId } };
}

/** The entry that a path segment names, by its id alone. Source: core, Operations-based PATCH rules 4. */
export async function entryAt(run: OperationsRun, port: string, token: string): Promise<StoredEntry | undefined> {
  const entryId = entryIdFrom(token);
  return entryId === undefined ? undefined : run.writing.entry(run.object.oid, port, entryId);
}

interface Walk {
  readonly row: Row;
  readonly members: Members;
  readonly holder: Content;
  readonly passed: readonly Step[];
}

function targetInside(walk: Walk, tokens: readonly string[]): Target {
  const [name = '', ...rest] = tokens;
  const member = walk.members.get(name);
  if (member === undefined) throw unknownMember(name);
  if (isArrayMember(member)) return nestedArrayTarget(walk, name, member, rest);
  const place = { row: walk.row, steps: [...walk.passed, { name }], value: walk.holder[name] };
  if (member.kind === 'list' && endsAtArray(rest)) return { ...place, kind: 'list', member, marker: rest.length > 0 };
  if (rest.length === 0 || isDatedValue(member, place.value, rest)) return { ...place, kind: 'member', member };
  return targetInside({ ...walk, ...below(member, name, place.value), passed: place.steps }, rest);
}

function below(member: Member, name: string, value: unknown): Pick<Walk, 'members' | 'holder'> {
  const members = membersBelow(member);
  if (members === undefined) throw new Refusal(422, `Nothing can be addressed below '${name}'.`);
  if (!isContent(value))
    throw new Refusal(422, `'${name}' has no value, so there is nothing below it: add it as a whole.`);
  return { members, holder: value };
}

/** The scalar of a dated element stands for the element: replacing it stamps, removing it takes the element away. */
function isDatedValue(member: Member, value: unknown, rest: readonly string[]): boolean {
  return member.kind === 'dated' && isContent(value) && rest.length === 1 && rest[0] === 'value';
}

function nestedArrayTarget(walk: Walk, name: string, member: ArrayMember, tokens: readonly string[]): Target {
  const [token, ...rest] = tokens;
  const items = itemsOf(walk.holder, name);
  const place = { row: walk.row, steps: [...walk.passed, { name }], value: items };
  if (endsAtArray(tokens)) return { ...place, kind: 'array', member, marker: token !== undefined };
  const entryId = entryIdFrom(token);
  const item = items.find((candidate) => candidate[entryIdMember] === entryId);
  if (entryId === undefined || item === undefined) throw noEntry(name, token);
  const steps = [...walk.passed, { name, entryId }];
  if (endsAtEntry(rest)) return { kind: 'entry', row: walk.row, steps, member, value: item };
  return targetInside(
    { ...walk, members: membersBelow(member) ?? new Map<string, Member>(), holder: item, passed: steps },
    rest,
  );
}

function endsAtArray(tokens: readonly string[]): boolean {
  return tokens.length === 0 || (tokens.length === 1 && tokens[0] === endMarker);
}

/** With or without the trailing slash; what else than remove may be done to an entry is none of the path's business. Source: core, Operations-based PATCH rules 9. */
function endsAtEntry(tokens: readonly string[]): boolean {
  return tokens.length === 0 || (tokens.length === 1 && tokens[0] === '');
}

function unknownMember(name: string): Refusal {
  return new Refusal(422, `The input schema has no member '${name}' here.`);
}

function noEntry(array: string, token: string | undefined): Refusal {
  return new Refusal(422, `'${array}' has no entry with the id '${token}': positions are not used, only entry ids.`);
}
