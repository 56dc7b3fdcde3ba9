import { isoTime } from '../clock/iso-time.ts';
import type { Members, SchemaView, SoftType } from '../configuration.ts';
import type { Call, Service } from '../service.ts';
import { isArrayMember } from '../soft-type/array-port.ts';
import type { Content } from '../store/store.ts';
import { entryIdFrom, type ArrayItem } from './entry-ids.ts';
import { contentAt, isContent } from './scalars.ts';
import { assertMandatory, readMember, type InputRules } from './values.ts';

/** An input body in canonical names: root members without array ports, and the array ports that the body names. */
export interface InputContent {
  readonly content: Content;
  readonly arrays: ReadonlyMap<string, readonly ArrayItem[]>;
}

const systemMembers: ReadonlySet<string> = new Set(['$oid', '$version', '$softType']);

/**
 * A complete body, checked against an input schema. Source: core, Endpoint table, POST and PUT.
 * @throws {Refusal} 422 with the pointer to an unknown member, a value of the wrong type or an absent mandatory member
 */
export function contentFrom(
  service: Service,
  call: Call,
  softType: SoftType,
  view: SchemaView,
  body: unknown,
): InputContent {
  const input = service.behaviours.inputFrom(inputRules(service, call, 'refuse'), softType, view, body);
  service.behaviours.assertComplete(softType.members, view, input);
  return input;
}

/**
 * The edits of a merge body: as contentFrom, but mandatory members may be absent and null stands for no value.
 * An array port with null has no items. Source: core, Endpoint table, PATCH (merge).
 * @throws {Refusal} 422 with the pointer to the culprit
 */
export function editsFrom(
  service: Service,
  call: Call,
  softType: SoftType,
  view: SchemaView,
  body: unknown,
): InputContent {
  return service.behaviours.inputFrom(inputRules(service, call, 'remove'), softType, view, body);
}

/** What contentFrom and editsFrom share: every value in canonical form. */
export function inputFrom(rules: InputRules, softType: SoftType, view: SchemaView, body: unknown): InputContent {
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

/** @throws {Refusal} 422 with the pointer to a mandatory one of the members that would have no value */
export function assertComplete(members: Members, view: SchemaView, input: InputContent): void {
  assertMandatory(members, { ...input.content, ...Object.fromEntries(input.arrays) }, '', (name) => nameIn(view, name));
}

/** Name of a canonical member in the schema, or the canonical one where the schema leaves it out. */
function nameIn(view: SchemaView, canonical: string): string {
  return view.names.entries().find(([, member]) => member === canonical)?.[0] ?? canonical;
}

/** Date that is stamped on dated elements: that of the information filter, else the clock. Source: core, Operations-based PATCH rules 7. */
export function effectivityOf(service: Service, call: Call): string {
  return service.behaviours.informationFilterOf(service, call).time ?? isoTime(service.clock.now());
}

export function inputRules(service: Service, call: Call, nulls: InputRules['nulls']): InputRules {
  return { nulls, effectivity: () => service.behaviours.effectivityOf(service, call) };
}
