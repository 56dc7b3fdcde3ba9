import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { Member, Members, SchemaView, SoftType } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { decodedToken, looseTilde, pointerBelow } from '../http/json-text.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundObject, type Route, writingRoute } from '../http/route.ts';
import type { Content, StoredEntry, StoredObject, Writing } from '../ports/store.ts';
import {
  type Contents,
  type InputRules,
  appendItems,
  arrayItem,
  entryIdFrom,
  entryIdMember,
  found,
  hasValue,
  isContent,
  itemsOf,
  readEntry,
  readScalar,
  readValue,
  referenceMembers,
} from './content.ts';
import type { Objects } from './objects.ts';
import { type ArrayMember, isArrayMember } from './soft-type.ts';
import type { Versioning } from './versioning.ts';

/** An operations PATCH under way. Entries are written as operations meet them, the object once at the end. */
export interface OperationsRun {
  readonly call: SpaceCall;
  readonly writing: Writing;
  readonly object: StoredObject;
  readonly softType: SoftType;
  /** The schema whose names the paths use. */
  readonly view: SchemaView;
  readonly rules: InputRules;
  /** Content of the object after the operations so far. */
  root: Content;
}

interface Addressed {
  /** As the client wrote it. */
  readonly path: string;
  readonly tokens: readonly string[];
}

/** One item of an operations PATCH. Source: core, Patch operation. */
export type Operation =
  | (Addressed & { readonly op: 'add' | 'replace'; readonly value: unknown })
  | (Addressed & { readonly op: 'remove' });

/** One step down inside a content: to a member, or to an item of the nested array that the member is. */
interface Step {
  readonly name: string;
  readonly entryId?: number;
}

/** Whether a parent still complies with the model after something in it was removed. */
type Complies = (members: Members, content: Content) => boolean;

/** What is written as one row: the object without its array ports, or an entry of one of them. */
interface Row {
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

interface PortPath {
  readonly name: string;
  readonly member: ArrayMember;
  readonly tokens: readonly string[];
}

interface Walk {
  readonly row: Row;
  readonly members: Members;
  readonly holder: Content;
  readonly passed: readonly Step[];
}

type TargetOf<Kind extends Target['kind']> = Extract<Target, { readonly kind: Kind }>;

type EntryRow = NonNullable<Row['entry']>;

interface Needs {
  readonly contents: Contents;
  readonly objects: Objects;
  readonly versioning: Versioning;
}

/** Lists of operations on one object. */
export class Operations extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'PATCH',
        path: routes.operations,
        access: 'space',
        effect: 'write',
        needs: {
          object: true,
          place: (call, _reading, object) => this.needs.objects.softTypeOf(call.space, object.softType),
          mediaTypes: [mediaTypes.operations],
          filter: true,
          json: (json) => this.operationsOf(json),
          unlocked: true,
          version: 'required',
        },
        handle: (call, writing) => this.operateObject(call, writing),
      }),
    ];
  }

  /**
   * The reference tokens of a JSON Pointer, decoded; undefined where the text is no JSON Pointer.
   * Source: RFC 6901, sections 3 and 4.
   */
  pointerTokens(path: string): readonly string[] | undefined {
    if (path === '') return [];
    if (!path.startsWith('/') || looseTilde.test(path)) return undefined;
    return path.slice(1).split('/').map(decodedToken);
  }

  /** Operations PATCH: all operations of the list or none. Source: core, Operations-based PATCH rules. */
  async operateObject(
    call: SpaceCall & FoundObject<SoftType, readonly Operation[]>,
    writing: Writing,
  ): Promise<Answer> {
    const { object, place: softType, json: operations } = call;
    const run: OperationsRun = {
      call,
      writing,
      object,
      softType,
      view: this.pathViewOf(softType),
      rules: this.needs.contents.inputRules(call, 'refuse'),
      root: object.content,
    };
    await this.applyOperations(run, operations);
    const version = this.needs.versioning.versionAfterOperations(object, operations);
    await this.needs.versioning.storeEdit(writing, object, version, run.root);
    return this.needs.versioning.editedAnswer(version);
  }

  /** Schema whose names a path uses: the first input schema. Source: core, Patch operation, path. */
  pathViewOf(softType: SoftType): SchemaView {
    return softType.inputs.values().next().value ?? { id: softType.id, names: new Map<string, string>() };
  }

  /** One after the other, so that each sees the result of those before it. */
  async applyOperations(run: OperationsRun, operations: readonly Operation[]): Promise<void> {
    for (const [index, operation] of operations.entries()) {
      const at = pointerBelow('', index);
      try {
        await this.applyOperation(run, operation, at);
      } catch (error) {
        throw error instanceof Refusal ? placeRefusal(error, operation, index, at) : error;
      }
    }
  }

  /** @param at pointer to the operation in the body */
  async applyOperation(run: OperationsRun, operation: Operation, at: string): Promise<void> {
    const target = await this.targetOf(run, operation);
    if (operation.op === 'remove') return this.removeTarget(run, target);
    const valueAt = pointerBelow(at, 'value');
    if (operation.op === 'add') return this.addValue(run, target, operation.value, valueAt);
    return this.replaceValue(run, target, operation.value, valueAt);
  }

  /** Writes the changed content of a row: an entry at once, the object at the end of the run. */
  private async storeRow(run: OperationsRun, row: Row, content: Content): Promise<void> {
    if (row.entry === undefined) {
      run.root = content;
      return;
    }
    const { port, array, entryId } = row.entry;
    if (array.kind === 'references')
      await this.needs.contents.assertReference(run.call, run.writing, array.to, content);
    await run.writing.updateEntry(run.object.oid, port, entryId, content);
  }

  /**
   * The operations in a body, in order; further members of an operation are ignored.
   * Source: core, Operations-based PATCH rules 2. @throws {Refusal} 400 for anything that is no list of operations
   */
  operationsOf(body: unknown): readonly Operation[] {
    if (!Array.isArray(body))
      throw new Refusal(400, `An array of operations is expected; found ${found(body)}.`, { pointer: '' });
    return body.map((item, index) => this.operationOf(item, pointerBelow('', index)));
  }

  /** @throws {Refusal} 400 with the pointer to the member of the operation that is wrong */
  operationOf(item: unknown, at: string): Operation {
    if (!isContent(item)) throw new Refusal(400, `An operation is an object; found ${found(item)}.`, { pointer: at });
    const { op, path } = item;
    const tokens = typeof path === 'string' ? this.pointerTokens(path) : undefined;
    if (typeof path !== 'string' || tokens === undefined)
      throw refuseMalformed(at, 'path', 'a JSON Pointer, which starts with a slash');
    if (op === 'remove') return { op, path, tokens: withoutValue(item, tokens, at) };
    if (op !== 'add' && op !== 'replace') throw refuseMalformed(at, 'op', "'add', 'replace' or 'remove'");
    if (!Object.hasOwn(item, 'value')) throw refuseMalformed(at, 'value', `present for '${op}'`);
    return { op, path, tokens, value: item.value };
  }

  /** Source: core, Operations-based PATCH rules 8. */
  complies(members: Members, content: Content): boolean {
    return mandatoryMissing(members, content) === undefined;
  }

  /**
   * Finds what an operation names, by the names of the input schema and the ids of entries, never by position.
   * Source: core, Operations-based PATCH rules 3, 4, 5 and 9. @throws {Refusal} 422 where the path leads nowhere
   */
  async targetOf(run: OperationsRun, operation: Operation): Promise<Target> {
    const [first, ...rest] = operation.tokens;
    if (first === undefined)
      throw new Refusal(422, 'The empty path names the whole document, which is unsupported: name a member.');
    const name = run.view.names.get(first);
    const member = name === undefined ? undefined : run.softType.members.get(name);
    if (name === undefined || member === undefined) throw unknownMember(first);
    const row: Row = { content: run.root, members: run.softType.members };
    if (isArrayMember(member)) return this.portTarget(run, row, { name, member, tokens: rest });
    return targetInside({ row, members: row.members, holder: row.content, passed: [] }, [name, ...rest]);
  }

  private async portTarget(run: OperationsRun, root: Row, path: PortPath): Promise<Target> {
    const { name, member } = path;
    const [token, ...rest] = path.tokens;
    if (endsAtArray(path.tokens))
      return { kind: 'array', row: root, steps: [{ name }], member, value: undefined, marker: token !== undefined };
    const entry = await this.entryAt(run, name, token ?? '');
    if (entry === undefined) throw noEntry(name, token);
    const row = entryRow(name, member, entry);
    if (endsAtEntry(rest)) return { kind: 'entry', row, steps: [], member, value: entry.content };
    return targetInside({ row, members: row.members, holder: row.content, passed: [] }, rest);
  }

  /** The entry that a path segment names, by its id alone. Source: core, Operations-based PATCH rules 4. */
  async entryAt(run: OperationsRun, port: string, token: string): Promise<StoredEntry | undefined> {
    const entryId = entryIdFrom(token);
    return entryId === undefined ? undefined : run.writing.entry(run.object.oid, port, entryId);
  }

  /**
   * Appends to an array, or gives a value to a member that has none. Source: core, Operations-based PATCH rules 4, 5 and 6.
   * @param at pointer to the value in the body
   * @throws {Refusal} 422 where the member has a value, the path is a place inside an array, or the value does not fit
   */
  async addValue(run: OperationsRun, target: Target, value: unknown, at: string): Promise<void> {
    switch (target.kind) {
      case 'array':
        return this.addEntries(run, target, value, at);
      case 'list':
        return this.addItems(run, target, value, at);
      case 'member':
        return this.addMember(run, target, value, at);
      case 'entry':
        throw new Refusal(422, 'There is an entry already, and nothing can be inserted before it: add to the array.');
    }
  }

  private async addMember(run: OperationsRun, target: TargetOf<'member'>, value: unknown, at: string): Promise<void> {
    if (target.value !== undefined) throw new Refusal(422, 'The member has a value already: replace it.');
    await this.setMember(run, target, readValue(run.rules, target.member, value, at));
  }

  /** Gives the member that the target names its value, which is in canonical form. */
  async setMember(run: OperationsRun, { row, steps }: Target, value: unknown): Promise<void> {
    const name = steps.at(-1)?.name;
    if (name === undefined) return;
    const content = changedAt(row.content, steps.slice(0, -1), (holder) => ({ ...holder, [name]: value }));
    await this.storeRow(run, row, content);
  }

  /** Plain values have no ids: one is appended, several fill a list that has none. */
  private async addItems(run: OperationsRun, target: TargetOf<'list'>, value: unknown, at: string): Promise<void> {
    const present = Array.isArray(target.value) ? target.value : [];
    if (!Array.isArray(value)) {
      return this.setMember(run, target, [...present, readScalar(target.member.of, value, at)]);
    }
    assertFillable(target.marker, hasValue(present));
    await this.setMember(run, target, readValue(run.rules, target.member, value, at));
  }

  private async addEntries(run: OperationsRun, target: TargetOf<'array'>, value: unknown, at: string): Promise<void> {
    const contents = await this.newEntries(run, target, value, at);
    if (isPort(target)) return this.appendToPort(run, target, contents);
    const name = nameOf(target);
    const content = changedAt(target.row.content, target.steps.slice(0, -1), (holder) =>
      appendItems(holder, name, contents),
    );
    await this.storeRow(run, target.row, content);
  }

  /** Appends behind the last entry of an array port, whatever the page. */
  async appendToPort(run: OperationsRun, target: Target, contents: readonly Content[]): Promise<void> {
    await run.writing.appendEntries(
      run.object.oid,
      nameOf(target),
      this.needs.contents.withEntryIds(contents.map(arrayItem)),
    );
  }

  private async newEntries(
    run: OperationsRun,
    target: TargetOf<'array'>,
    value: unknown,
    at: string,
  ): Promise<readonly Content[]> {
    if (Array.isArray(value)) assertFillable(target.marker, await hasEntries(run, target));
    const contents = Array.isArray(value)
      ? value.map((item, index) => readEntry(run.rules, target.member, item, pointerBelow(at, index)))
      : [readEntry(run.rules, target.member, value, at)];
    if (target.member.kind === 'references') {
      for (const content of contents)
        await this.needs.contents.assertReference(run.call, run.writing, target.member.to, content);
    }
    return contents;
  }

  /**
   * Removes what the target names, and every parent that does not comply without it; never the object itself.
   * Source: core, Operations-based PATCH rules 8 and 9. @throws {Refusal} 422 where there is nothing, or the object would not comply
   */
  async removeTarget(run: OperationsRun, target: Target): Promise<void> {
    const { row } = target;
    if ('marker' in target && target.marker)
      throw new Refusal(422, 'The end marker names no entry: remove by entry id.');
    if (target.kind === 'entry' && target.steps.length === 0 && row.entry !== undefined)
      return removeRow(run, row.entry);
    if (target.kind === 'array' && isPort(target)) return emptyPort(run, target);
    if (target.kind !== 'array' && target.value === undefined) throw new Refusal(422, 'There is no value to remove.');
    await this.removeInside(run, target);
  }

  private async removeInside(run: OperationsRun, { row, steps }: Target): Promise<void> {
    const content = withoutAt((...args) => this.complies(...args), row.members, row.content, steps);
    if (row.entry === undefined) {
      assertObjectComplies(run, content);
    } else if (!this.complies(row.members, content)) {
      return this.cascadeTo(run, row.entry);
    }
    await this.storeRow(run, row, content);
  }

  /** Removes the entry that lost something it does not comply without; its siblings stay. */
  async cascadeTo(run: OperationsRun, entry: EntryRow): Promise<void> {
    await removeRow(run, entry);
  }

  /**
   * Replaces the scalar of a member; a dated element is stamped anew. Source: core, Operations-based PATCH rules 6 and 7.
   * @param at pointer to the value in the body
   * @throws {Refusal} 422 for an object or array, as value or as target, and for a member without value
   */
  async replaceValue(run: OperationsRun, target: Target, value: unknown, at: string): Promise<void> {
    if (isContent(value) || Array.isArray(value)) {
      throw new Refusal(422, 'Objects and arrays are known for add only: remove the old value and add the new one.', {
        pointer: at,
      });
    }
    if (target.kind !== 'member') {
      throw new Refusal(422, 'An array or an entry is not replaced as a whole: address a member inside it.');
    }
    if (target.value === undefined) throw new Refusal(422, 'The member has no value to replace: add it.');
    await this.setMember(run, target, readValue(run.rules, target.member, value, at));
  }
}

function placeRefusal(refusal: Refusal, { op, path }: Operation, index: number, at: string): Refusal {
  const detail = `Operation ${index} (${op} ${path.slice(0, 200)}): ${refusal.message}`;
  return new Refusal(refusal.status, detail, {
    pointer: refusal.pointer ?? pointerBelow(at, 'path'),
    headers: refusal.headers,
  });
}

function withoutValue(item: object, tokens: readonly string[], at: string): readonly string[] {
  if (Object.hasOwn(item, 'value')) throw refuseMalformed(at, 'value', "left out for 'remove', whatever it is");
  return tokens;
}

function refuseMalformed(at: string, member: string, expected: string): Refusal {
  return new Refusal(400, `'${member}' has to be ${expected}.`, { pointer: pointerBelow(at, member) });
}

/** Members of what a member holds; undefined where nothing can lie below it. */
function membersBelow(member: Member | undefined): Members | undefined {
  switch (member?.kind) {
    case 'object':
    case 'entries':
      return member.members;
    case 'references':
      return referenceMembers;
    case 'dated':
      return new Map([['value', { kind: member.of, mandatory: true }]]);
    default:
      return undefined;
  }
}

/** The content with one container in it, the one that the steps lead to, changed. */
function changedAt(content: Content, steps: readonly Step[], change: (holder: Content) => Content): Content {
  const [step, ...rest] = steps;
  if (step === undefined) return change(content);
  if (step.entryId === undefined) return { ...content, [step.name]: changedAt(holderAt(content, step), rest, change) };
  const items = itemsOf(content, step.name).map((item) =>
    item[entryIdMember] === step.entryId ? changedAt(item, rest, change) : item,
  );
  return { ...content, [step.name]: items };
}

/**
 * The content without what the steps lead to, and without every parent on the way that does not comply any more.
 * Whether the content itself complies is left to the caller. Source: core, Operations-based PATCH rules 8.
 */
function withoutAt(complies: Complies, members: Members, content: Content, steps: readonly Step[]): Content {
  const [step, ...rest] = steps;
  if (step === undefined) return content;
  const remains = rest.length === 0 ? undefined : parentAfter(complies, members, content, step, rest);
  if (step.entryId !== undefined) return { ...content, [step.name]: itemsAfter(content, step, remains) };
  return remains === undefined ? omitting(content, step.name) : { ...content, [step.name]: remains };
}

function parentAfter(
  complies: Complies,
  members: Members,
  content: Content,
  step: Step,
  rest: readonly Step[],
): Content | undefined {
  const below = membersBelow(members.get(step.name)) ?? new Map<string, Member>();
  const remains = withoutAt(complies, below, holderAt(content, step), rest);
  return complies(below, remains) ? remains : undefined;
}

function itemsAfter(content: Content, step: Step, remains: Content | undefined): readonly Content[] {
  const replacement = remains === undefined ? [] : [remains];
  return itemsOf(content, step.name).flatMap((item) => (item[entryIdMember] === step.entryId ? replacement : [item]));
}

function holderAt(content: Content, step: Step): Content {
  const value =
    step.entryId === undefined
      ? content[step.name]
      : itemsOf(content, step.name).find((item) => item[entryIdMember] === step.entryId);
  return isContent(value) ? value : {};
}

function omitting(content: Content, name: string): Content {
  const { [name]: _gone, ...rest } = content;
  return rest;
}

/** Name of the first mandatory member that has no value. */
function mandatoryMissing(members: Members, content: Content): string | undefined {
  return members.entries().find(([name, member]) => member.mandatory && !hasValue(content[name]))?.[0];
}

function entryRow(port: string, array: ArrayMember, { entryId, content }: StoredEntry): Row {
  return { content, members: membersBelow(array) ?? new Map<string, Member>(), entry: { port, array, entryId } };
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

function assertFillable(marker: boolean, filled: boolean): void {
  if (marker || filled)
    throw new Refusal(422, 'An array of values only fills an array that has none: add the values one by one.');
}

async function hasEntries(run: OperationsRun, target: TargetOf<'array'>): Promise<boolean> {
  if (!isPort(target)) return hasValue(target.value);
  return (await run.writing.countEntries(run.object.oid, nameOf(target))) > 0;
}

/** Whether the array has rows of its own, unlike one inside an entry. */
export function isPort({ row, steps }: Target): boolean {
  return row.entry === undefined && steps.length === 1;
}

export function nameOf({ steps }: Target): string {
  return steps.at(-1)?.name ?? '';
}

/** Array ports are checked where they lose entries. */
function assertObjectComplies(run: OperationsRun, content: Row['content']): void {
  const members = new Map(run.softType.members.entries().filter(([, member]) => !isArrayMember(member)));
  const missing = mandatoryMissing(members, content);
  if (missing !== undefined)
    throw new Refusal(422, `The object does not comply without '${missing}', and is never removed by an operation.`);
}

async function removeRow(run: OperationsRun, { port, array, entryId }: EntryRow): Promise<void> {
  await run.writing.removeEntry(run.object.oid, port, entryId);
  if (array.mandatory && !hasValue(await run.writing.entries(run.object.oid, port, { from: 0, to: 1 })))
    throw mandatoryPort(port);
}

async function emptyPort(run: OperationsRun, target: Target & { readonly kind: 'array' }): Promise<void> {
  const port = nameOf(target);
  if (target.member.mandatory) throw mandatoryPort(port);
  await run.writing.replaceEntries(run.object.oid, port, []);
}

function mandatoryPort(port: string): Refusal {
  return new Refusal(422, `The object does not comply without an entry in '${port}'.`);
}
