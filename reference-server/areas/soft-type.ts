import { entriesPerPage } from '../../contract/limits.ts';
import type { Member, Members, Scalar, SchemaView, SoftType } from '../configuration.ts';
import type { Content, StoredEntry, StoredObject } from '../ports/store.ts';

/** A member that holds entries: at the root of a SoftType or inside the entries of another port. */
export type ArrayMember = Extract<Member, { readonly kind: 'entries' | 'references' }>;

/** An array of one object as reads address it. */
export interface Section {
  /** Name of a root array as in `data`; `array/entryId/member` for an array inside an entry. */
  readonly path: string;
  /** Canonical name of the member. */
  readonly port: string;
  readonly member: ArrayMember;
  /** Items of an array inside an entry, which came with it; absent for a root array, whose entries are rows. */
  readonly items?: readonly StoredEntry[];
}

/** What one read delivers of a section. */
export interface Slice {
  readonly section: Section;
  readonly entries: readonly StoredEntry[];
  /** Entries of the whole array, or those that the filter admits. */
  readonly total: number;
}

/** Current state of one maturity level. Source: core, States and transitions. */
interface CurrentState {
  readonly $oid: string;
  /** Level-state definition. */
  readonly $softType: string;
  readonly id: string;
  readonly state: string;
}

/** By level id. */
export type CurrentStates = Readonly<Record<string, CurrentState>>;

/** Member of the stored content that holds the current states; no SoftType member starts with a dollar sign. */
export const statesMember = '$states';

/** A JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const dialect = 'https://json-schema.org/draft/2020-12/schema';

const text = { type: 'string' };

const time = { type: 'string', format: 'date-time' };

const entryId = { type: ['integer', 'string'] };

/** Content that was read may be sent again: what the service gives itself is admitted, whatever it holds. Source: ledger client-supplied-entry-id */
const ignored: JsonSchema = {};

const scalarSchemas: Readonly<Record<Scalar, JsonSchema>> = {
  string: text,
  // beyond these a JSON number of JavaScript is another one
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
};

type Describe = (member: Member) => JsonSchema;

/** @param value keywords of the schema of what is referred to */
function referenceOf($entryId: JsonSchema, value: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { $entryId, id: text, value: { type: 'object', ...value } },
    required: ['value'],
  };
}

const referenceOutput: JsonSchema = {
  ...referenceOf(entryId, { properties: { $oid: text, href: text }, required: ['$oid'] }),
  required: ['$entryId', 'value'],
};

/** @param to definition of the objects that the port refers to */
function referenceInputOf(to: string): JsonSchema {
  const properties = { $oid: text, softTypeId: { const: to }, href: {} };
  return {
    ...referenceOf(ignored, { properties, required: ['$oid'], additionalProperties: false }),
    additionalProperties: false,
  };
}

export function isArrayMember(member: Member | undefined): member is ArrayMember {
  return member?.kind === 'entries' || member?.kind === 'references';
}

/** The root arrays that the view holds, in its order. */
export function rootSections(softType: SoftType, view: SchemaView): readonly Section[] {
  return [...view.names].flatMap(([path, port]) => {
    const member = softType.members.get(port);
    return isArrayMember(member) ? [{ path, port, member }] : [];
  });
}

/** The arrays inside one entry of a section, empty ones included. */
export function nestedSections(parent: Section, entry: StoredEntry): readonly Section[] {
  if (parent.member.kind !== 'entries') return [];
  return [...parent.member.members].flatMap(([port, member]) => {
    if (!isArrayMember(member)) return [];
    const items = nestedItems(entry.content, port);
    return [{ path: `${parent.path}/${entry.entryId}/${port}`, port, member, items }];
  });
}

/** Items of an array that is stored inside an entry. */
export function nestedItems(content: Content, port: string): readonly StoredEntry[] {
  const items = content[port];
  return Array.isArray(items) ? items.map(storedItem) : [];
}

function storedItem(item: Content & { readonly $entryId: number }): StoredEntry {
  const { $entryId: entryId, ...content } = item;
  return { entryId, content };
}

/** The members of stored content that belong to the system and outlive every write of a client. */
export function systemContent(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([name]) => name.startsWith('$')));
}

/** What a fresh object stores: every level in its first state. @param newOid makes the identifier of each state */
export function firstStates(softType: SoftType, newOid: () => string): Content {
  if (softType.maturity === undefined) return {};
  const states = [...softType.maturity.levels].map(([level, names]) => [
    level,
    currentState(newOid(), level, names[0]),
  ]);
  return { [statesMember]: Object.fromEntries(states) };
}

function currentState($oid: string, id: string, state = ''): CurrentState {
  return { $oid, $softType: `${id}State`, id, state };
}

/** The current states of a stored object; empty where its SoftType has no maturity process. */
export function storedStates(object: StoredObject): CurrentStates {
  return (object.content[statesMember] ?? {}) as CurrentStates;
}

/**
 * What `data` of a read response looks like under an output schema; further members are not excluded.
 * Source: core, SoftType read response, schema
 */
export function outputJsonSchema(softType: SoftType, view: SchemaView): JsonSchema {
  const system = { $version: { type: 'integer' }, $oid: { type: 'string' }, $softType: { const: softType.id } };
  const states = Object.fromEntries(
    [...(softType.maturity?.levels ?? [])].map(([level, names]) => [level, stateSchema(level, names)]),
  );
  const shown = viewMembers(softType, view);
  return {
    $schema: dialect,
    title: view.id,
    type: 'object',
    properties: { ...system, ...states, ...propertiesOf(shown, outputOf) },
    required: [...Object.keys(system), ...Object.keys(states), ...alwaysRead(shown)],
  };
}

/**
 * What a create or a PUT takes under an input schema. System members and states are admitted, since content that was
 * read may be sent again.
 */
export function inputJsonSchema(softType: SoftType, view: SchemaView): JsonSchema {
  const states = [...(softType.maturity?.levels.keys() ?? [])];
  const system = Object.fromEntries(['$version', '$oid', '$softType', ...states].map((name) => [name, ignored]));
  const held = viewMembers(softType, view);
  return {
    $schema: dialect,
    title: view.id,
    type: 'object',
    properties: { ...system, ...propertiesOf(held, inputOf) },
    required: mandatory(held),
    additionalProperties: false,
  };
}

/** One entry of an array port as reads show it. */
export function entryJsonSchema(member: Member): JsonSchema {
  return member.kind === 'references' ? referenceOutput : entryOf(member, outputOf);
}

/** The root members of a view under the names of that view. */
function viewMembers(softType: SoftType, view: SchemaView): Members {
  const named = [...view.names].map(([name, canonical]) => [name, softType.members.get(canonical)] as const);
  return new Map(named.filter((pair): pair is readonly [string, Member] => pair[1] !== undefined));
}

function propertiesOf(members: Members, describe: Describe): Record<string, JsonSchema> {
  return Object.fromEntries([...members].map(([name, member]) => [name, describe(member)]));
}

function mandatory(members: Members): string[] {
  return [...members].filter(([, member]) => member.mandatory).map(([name]) => name);
}

/** Arrays read as [] when they are empty, so they are there as surely as mandatory members. */
function alwaysRead(members: Members): string[] {
  return [...members].filter(([, member]) => member.mandatory || isArrayMember(member)).map(([name]) => name);
}

function outputOf(member: Member): JsonSchema {
  if (!isArrayMember(member)) return valueOf(member, outputOf);
  return { type: 'array', maxItems: entriesPerPage, items: entryJsonSchema(member) };
}

function inputOf(member: Member): JsonSchema {
  if (member.kind === 'references') return { type: 'array', items: referenceInputOf(member.to) };
  if (member.kind === 'entries')
    return { type: 'array', items: { ...entryOf(member, inputOf), additionalProperties: false } };
  return valueOf(member, inputOf);
}

function valueOf(member: Exclude<Member, { kind: 'entries' | 'references' }>, describe: Describe): JsonSchema {
  if (member.kind === 'list') return { type: 'array', items: scalarSchemas[member.of] };
  if (member.kind === 'dated') return datedSchema(member.of, describe);
  if (member.kind === 'object') {
    const closed = describe === inputOf ? { additionalProperties: false } : {};
    return {
      type: 'object',
      properties: propertiesOf(member.members, describe),
      required: mandatory(member.members),
      ...closed,
    };
  }
  return scalarSchemas[member.kind];
}

/** A dated element reads as value and date; a client may write the bare value, which the server dates. */
function datedSchema(of: Scalar, describe: Describe): JsonSchema {
  const scalar = scalarSchemas[of];
  const element = { type: 'object', properties: { value: scalar, effectivity: time }, required: ['value'] };
  return describe === inputOf ? { anyOf: [scalar, { ...element, additionalProperties: false }] } : element;
}

function entryOf(member: Member, describe: Describe): JsonSchema {
  const members: Members = member.kind === 'entries' ? member.members : new Map();
  const [id, required] =
    describe === inputOf ? [ignored, mandatory(members)] : [entryId, ['$entryId', ...alwaysRead(members)]];
  return { type: 'object', properties: { $entryId: id, ...propertiesOf(members, describe) }, required };
}

function stateSchema(id: string, states: readonly string[]): JsonSchema {
  return {
    type: 'object',
    properties: { $oid: text, $softType: text, id: { const: id }, state: { enum: states } },
    required: ['$oid', '$softType', 'id', 'state'],
  };
}
