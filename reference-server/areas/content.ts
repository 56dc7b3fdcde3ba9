import { Area } from '../area.ts';
import type { Member, Members, Scalar, SchemaView, SoftType } from '../configuration.ts';
import type { Call, SpaceCall } from '../http/call.ts';
import { pointerBelow } from '../http/json-text.ts';
import { Refusal } from '../http/refusal.ts';
import type { Clock } from '../../clock/clock.ts';
import { isRfc3339, isoTime } from '../rfc3339.ts';
import type { Content, Reading } from '../ports/store.ts';
import type { Messages } from './messages.ts';
import { type ArrayMember, isArrayMember } from './soft-type.ts';

/** An input body in canonical names: root members without array ports, and the array ports that the body names. */
export interface InputContent {
  readonly content: Content;
  readonly arrays: ReadonlyMap<string, readonly ArrayItem[]>;
}

const systemMembers: ReadonlySet<string> = new Set(['$oid', '$version', '$softType']);

/** How values of an input body are taken. */
export interface InputRules {
  /** What null does to a member: takes its value away (merge), or is a value of the wrong type. */
  readonly nulls: 'remove' | 'refuse';
  /** Effectivity of a dated member that is given as a plain value. */
  readonly effectivity: () => string;
  /** In a multi-create: what an `instanceRef` stands for. */
  readonly itemOf?: ItemOf;
}

const datedMembers: ReadonlySet<string> = new Set(['value', 'effectivity']);

const scalarTests: Readonly<Record<Scalar, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
};

/** Members of a reference as they are stored: free text of the client, and the object it leads to. */
export const referenceMembers: ReadonlyMap<string, Member> = new Map<string, Member>([
  ['id', { kind: 'string', mandatory: false }],
  ['value', { kind: 'object', mandatory: true, members: new Map([['$oid', { kind: 'string', mandatory: true }]]) }],
]);

/**
 * The object id of the item of a multi-create with this `$id`.
 * @param to definition that the port refers to
 * @throws {Refusal} 422 where there is no such item, or it is of another definition
 */
export type ItemOf = (instanceRef: string, to: string, at: string) => unknown;

const entryMembers: ReadonlySet<string> = new Set(['id', 'value']);

/** `href` and `softTypeId` are read back or sent along; the object id alone says what is meant. */
const valueMembers: ReadonlySet<string> = new Set(['$oid', 'href', 'softTypeId', 'instanceRef']);

export const entryIdMember = '$entryId';

/** Last id given per nested array, kept beside the array so that no id is given twice. Stored only, never sent. */
const lastEntryIdsMember = '$lastEntryIds';

/** An entry of an array port on its way in; `entryId` is what the client says it is. */
export interface ArrayItem {
  readonly entryId?: number;
  readonly content: Content;
}

interface NumberedItems {
  readonly items: readonly Content[];
  readonly lastId: number;
}

interface Needs {
  readonly clock: Clock;
  readonly messages: Messages;
}

/** Content that a client sends: decoded, checked, made ready for the store. */
export class Contents extends Area<Needs> {
  /**
   * A complete body, checked against an input schema. Source: core, Endpoint table, POST and PUT.
   * @throws {Refusal} 422 with the pointer to an unknown member, a value of the wrong type or an absent mandatory member
   */
  contentFrom(call: Call, softType: SoftType, view: SchemaView, body: unknown): InputContent {
    const input = this.inputFrom(this.inputRules(call, 'refuse'), softType, view, body);
    this.assertComplete(softType.members, view, input);
    return input;
  }

  /**
   * The edits of a merge body: as contentFrom, but mandatory members may be absent and null stands for no value.
   * An array port with null has no items. Source: core, Endpoint table, PATCH (merge).
   * @throws {Refusal} 422 with the pointer to the culprit
   */
  editsFrom(call: Call, softType: SoftType, view: SchemaView, body: unknown): InputContent {
    return this.inputFrom(this.inputRules(call, 'remove'), softType, view, body);
  }

  /** What contentFrom and editsFrom share: every value in canonical form. */
  inputFrom(rules: InputRules, softType: SoftType, view: SchemaView, body: unknown): InputContent {
    const content: Record<string, unknown> = {};
    const arrays = new Map<string, readonly ArrayItem[]>();
    for (const [name, value] of Object.entries(contentAt(body, ''))) {
      if (isIgnored(softType, name)) continue;
      const canonical = view.names.get(name) ?? name;
      const member = view.names.has(name) ? softType.members.get(canonical) : undefined;
      const taken = readMember(rules, member, name, value, '');
      if (isArrayMember(member)) arrays.set(canonical, arrayItems(taken));
      else content[canonical] = taken;
    }
    return { content, arrays };
  }

  /** @throws {Refusal} 422 with the pointer to a mandatory one of the members that would have no value */
  assertComplete(members: Members, view: SchemaView, input: InputContent): void {
    assertMandatory(members, { ...input.content, ...Object.fromEntries(input.arrays) }, '', (name) =>
      nameIn(view, name),
    );
  }

  /** Date that is stamped on dated elements: that of the information filter, else the clock. Source: core, Operations-based PATCH rules 7. */
  effectivityOf(call: Call): string {
    return this.needs.messages.informationFilterOf(call).time ?? isoTime(this.needs.clock.now());
  }

  inputRules(call: Call, nulls: InputRules['nulls']): InputRules {
    return { nulls, effectivity: () => this.effectivityOf(call) };
  }

  /**
   * Checks that every reference in the arrays leads to an object of the definition that its port names.
   * @throws {Refusal} 422 with the pointer to the first that does not
   */
  async assertReferences(
    call: SpaceCall,
    reading: Reading,
    softType: SoftType,
    arrays: ReadonlyMap<string, readonly ArrayItem[]>,
  ): Promise<void> {
    for (const [port, items] of arrays) {
      const member = softType.members.get(port);
      if (member?.kind !== 'references') continue;
      for (const [index, item] of items.entries()) {
        const at = pointerBelow(pointerBelow('', port), index);
        await this.assertReference(call, reading, member.to, item.content, at);
      }
    }
  }

  /** @throws {Refusal} 422 unless the reference leads to an object of the definition `to` in the space of the call */
  async assertReference(call: SpaceCall, reading: Reading, to: string, reference: Content, at?: string): Promise<void> {
    const oid = isContent(reference.value) ? reference.value.$oid : undefined;
    const target =
      typeof oid === 'string' && !call.isSibling?.(oid) ? await reading.object(call.space.id, oid) : undefined;
    if (target?.softType === to) return;
    throw new Refusal(
      422,
      `No object of '${to}' has the id '${String(oid)}'.`,
      at === undefined ? {} : { pointer: `${at}/value/$oid` },
    );
  }

  /** Contents of new entries: every item of their nested arrays gets an id, those that the client sent are ignored. */
  withEntryIds(items: readonly ArrayItem[]): readonly Content[] {
    return items.map((item) => numberItems(item.content, {}));
  }
}

/** System members and current states are read but never written, so that content read can be sent again. */
function isIgnored(softType: SoftType, name: string): boolean {
  return systemMembers.has(name) || (softType.maturity?.levels.has(name) ?? false);
}

function arrayItems(taken: unknown): readonly ArrayItem[] {
  return Array.isArray(taken) ? taken.filter(isContent).map(arrayItem) : [];
}

/** An entry in canonical form with its id beside it. */
export function arrayItem({ $entryId, ...content }: Content): ArrayItem {
  const entryId = entryIdFrom($entryId);
  return entryId === undefined ? { content } : { entryId, content };
}

/** Name of a canonical member in the schema, or the canonical one where the schema leaves it out. */
function nameIn(view: SchemaView, canonical: string): string {
  return view.names.entries().find(([, member]) => member === canonical)?.[0] ?? canonical;
}

/**
 * The value of a member in canonical form. Goes no deeper than the definition does, however deep the body is nested.
 * @param at pointer to the value in the body
 * @throws {Refusal} 422 with the pointer to what does not fit
 */
export function readValue(rules: InputRules, member: Member, value: unknown, at: string): unknown {
  switch (member.kind) {
    case 'list':
      return arrayAt(value, at).map((item, index) => readScalar(member.of, item, pointerBelow(at, index)));
    case 'dated':
      return readDated(rules, member.of, value, at);
    case 'object':
      return readMembers(rules, member.members, contentAt(value, at), at);
    case 'entries':
    case 'references':
      return arrayAt(value, at).map((item, index) => readEntry(rules, member, item, pointerBelow(at, index)));
    default:
      return readScalar(member.kind, value, at);
  }
}

/** One entry of an array in canonical form, with the `$entryId` that the client gave, where an entry may have it. */
export function readEntry(rules: InputRules, array: ArrayMember, value: unknown, at: string): Content {
  const { [entryIdMember]: given, ...body } = contentAt(value, at);
  const entryId = entryIdFrom(given);
  const content =
    array.kind === 'references'
      ? readReference(array.to, body, at, rules.itemOf)
      : readMembers({ ...rules, nulls: 'refuse' }, array.members, body, at);
  return entryId === undefined ? content : { [entryIdMember]: entryId, ...content };
}

function readMembers(rules: InputRules, members: Members, body: Content, at: string): Content {
  const pairs = Object.entries(body).map(
    ([name, value]) => [name, readMember(rules, members.get(name), name, value, at)] as const,
  );
  const content: Content = Object.fromEntries(pairs);
  if (rules.nulls === 'refuse') assertMandatory(members, content, at);
  return content;
}

/** @throws {Refusal} 422 where the schema has no such member, or its value does not fit */
function readMember(rules: InputRules, member: Member | undefined, name: string, value: unknown, at: string): unknown {
  const pointer = pointerBelow(at, name);
  if (member === undefined)
    throw new Refusal(422, `The input schema has no member '${name}' here: leave it out or correct its name.`, {
      pointer,
    });
  return value === null && rules.nulls === 'remove' ? null : readValue(rules, member, value, pointer);
}

/** @throws {Refusal} 422 naming the first mandatory member without a value, objects inside included */
function assertMandatory(
  members: Members,
  content: Content,
  at: string,
  nameOf: (canonical: string) => string = (name) => name,
): void {
  for (const [name, member] of members) {
    const value = content[name];
    if (member.mandatory && !hasValue(value)) {
      throw new Refusal(422, `'${nameOf(name)}' is mandatory and would have no value.`, {
        pointer: pointerBelow(at, nameOf(name)),
      });
    }
    if (member.kind === 'object' && isContent(value))
      assertMandatory(member.members, value, pointerBelow(at, nameOf(name)));
  }
}

function readDated(rules: InputRules, of: Scalar, value: unknown, at: string): Content {
  if (!isContent(value)) return { value: readScalar(of, value, at), effectivity: rules.effectivity() };
  const stranger = Object.keys(value).find((name) => !datedMembers.has(name));
  if (stranger !== undefined) {
    throw new Refusal(422, `A dated element holds 'value' and 'effectivity', not '${stranger}'.`, {
      pointer: pointerBelow(at, stranger),
    });
  }
  return {
    value: readScalar(of, value.value, pointerBelow(at, 'value')),
    effectivity: effectivityIn(rules, value, at),
  };
}

function effectivityIn(rules: InputRules, dated: Content, at: string): string {
  return dated.effectivity === undefined
    ? rules.effectivity()
    : readTime(dated.effectivity, pointerBelow(at, 'effectivity'));
}

export function isContent(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty array counts as no value: nothing distinguishes it from an absent one. */
export function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** @throws {Refusal} 422 for any other type, null included */
export function readScalar(of: Scalar, value: unknown, at: string): unknown {
  if (scalarTests[of](value)) return value;
  throw new Refusal(422, `A value of type ${of} is expected; found ${found(value)}.`, { pointer: at });
}

/** @throws {Refusal} 422 unless the value is an RFC 3339 time */
function readTime(value: unknown, at: string): string {
  if (isRfc3339(value)) return value;
  throw new Refusal(422, `An RFC 3339 time is expected; found ${found(value)}.`, { pointer: at });
}

/** @throws {Refusal} 422 unless the value is a JSON object */
export function contentAt(value: unknown, at: string): Content {
  if (isContent(value)) return value;
  throw new Refusal(422, `An object is expected; found ${found(value)}.`, { pointer: at });
}

/** @throws {Refusal} 422 unless the value is an array */
export function arrayAt(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Refusal(422, `An array is expected; found ${found(value)}.`, { pointer: at });
}

/** A JSON value in words, for a problem document. */
export function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/**
 * A reference to an object that exists: `{ id?, value: { $oid } }`. Source: core, Multi-create item.
 * @param itemOf in a multi-create: the object id of the item that an `instanceRef` names
 * @throws {Refusal} 422 for other members, another SoftType or a reference that only a multi-create can resolve
 */
function readReference(to: string, body: Content, at: string, itemOf?: ItemOf): Content {
  assertKnown(entryMembers, body, at);
  const pointer = pointerBelow(at, 'value');
  const value = contentAt(body.value, pointer);
  assertKnown(valueMembers, value, pointer);
  assertDefinition(to, value, pointer);
  const target = { value: { $oid: targetId(to, value, pointer, itemOf) } };
  return body.id === undefined ? target : { id: readScalar('string', body.id, pointerBelow(at, 'id')), ...target };
}

function assertKnown(known: ReadonlySet<string>, body: Content, at: string): void {
  const stranger = Object.keys(body).find((name) => !known.has(name));
  if (stranger === undefined) return;
  throw new Refusal(422, `A reference has no member '${stranger}' here.`, { pointer: pointerBelow(at, stranger) });
}

function targetId(to: string, value: Content, at: string, itemOf: ItemOf | undefined): unknown {
  if (value.instanceRef === undefined) return readScalar('string', value.$oid, pointerBelow(at, '$oid'));
  const pointer = pointerBelow(at, 'instanceRef');
  if (itemOf !== undefined) return itemOf(String(readScalar('string', value.instanceRef, pointer)), to, pointer);
  throw new Refusal(
    422,
    "'instanceRef' names an item of a multi-create; here an object that exists is named by '$oid'.",
    { pointer },
  );
}

function assertDefinition(to: string, value: Content, at: string): void {
  if (value.softTypeId !== undefined && value.softTypeId !== to) {
    throw new Refusal(422, `The port refers to objects of '${to}'.`, { pointer: pointerBelow(at, 'softTypeId') });
  }
}

/** Entry content whose nested items carry ids: one that `before` knows is kept, any other item gets a new one. */
export function numberItems(content: Content, before: Content): Content {
  const lastIds = new Map(Object.entries(lastIdsOf(before)));
  const members = Object.entries(content).map(([name, value]) => {
    if (!isItems(value)) return [name, value] as const;
    const { items, lastId } = numberedItems(value, itemsOf(before, name), lastIds.get(name) ?? 0);
    lastIds.set(name, lastId);
    return [name, items] as const;
  });
  return withLastIds(Object.fromEntries(members), lastIds);
}

/** `holder` with new items behind the last one of its array `name`. */
export function appendItems(holder: Content, name: string, contents: readonly Content[]): Content {
  const lastIds = new Map(Object.entries(lastIdsOf(holder)));
  const { items, lastId } = numberedItems(contents, [], lastIds.get(name) ?? 0);
  lastIds.set(name, lastId);
  return withLastIds({ ...holder, [name]: [...itemsOf(holder, name), ...items] }, lastIds);
}

/** The items of a nested array; none where it has no value. */
export function itemsOf(holder: Content, name: string): readonly Content[] {
  const value = holder[name];
  return Array.isArray(value) ? value.filter(isContent) : [];
}

/** An entry id as a client writes it, in a path or as a value; undefined where no entry can have it. */
export function entryIdFrom(given: unknown): number | undefined {
  const text = typeof given === 'number' ? String(given) : given;
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function numberedItems(given: readonly Content[], before: readonly Content[], lastId: number): NumberedItems {
  const known = new Map(before.map((item) => [item[entryIdMember], item]));
  let last = lastId;
  const items = given.map(({ [entryIdMember]: id, ...content }) => {
    const old = known.get(id);
    known.delete(id);
    if (old === undefined) last += 1;
    return { [entryIdMember]: old === undefined ? last : id, ...numberItems(content, old ?? {}) };
  });
  return { items, lastId: last };
}

function withLastIds(content: Content, lastIds: ReadonlyMap<string, unknown>): Content {
  return lastIds.size === 0 ? content : { ...content, [lastEntryIdsMember]: Object.fromEntries(lastIds) };
}

function lastIdsOf(content: Content): Readonly<Record<string, number>> {
  const lastIds = content[lastEntryIdsMember];
  if (!isContent(lastIds)) return {};
  return Object.fromEntries(
    Object.entries(lastIds).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
}

function isItems(value: unknown): value is readonly Content[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContent);
}
