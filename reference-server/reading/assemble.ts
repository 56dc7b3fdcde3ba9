import type { Instance } from '../../contract/wire.ts';
import type { SchemaView, SoftType, Space } from '../configuration.ts';
import type { AppliedFilter } from '../paging/filter.ts';
import type { Service, SpaceCall } from '../service.ts';
import { rootSections, type Slice } from '../soft-type/array-port.ts';
import { storedStates, type CurrentStates } from '../soft-type/current-state.ts';
import { outputJsonSchema, type JsonSchema } from '../soft-type/json-schema.ts';
import type { Reading, StoredObject } from '../store/store.ts';

/** The read response. Source: core, SoftType read response */
export async function assembleInstance(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  object: StoredObject,
  view: SchemaView,
  filter?: AppliedFilter,
): Promise<Instance> {
  const { behaviours } = service;
  const softType = behaviours.softTypeOf(service, call.space, object.softType);
  const slices: Slice[] = [];
  for (const section of rootSections(softType, view)) {
    slices.push(await behaviours.firstSlice(service, reading, object, section, filter));
  }
  return {
    href: behaviours.instanceHref(service, object, softType, view),
    data: behaviours.dataOf(service, call.space, object, view, slices),
    version: object.version,
    links: behaviours.linksOf(service, call, object, view, slices, filter),
    schema: behaviours.schemaOf(softType, view),
  };
}

/** `data` of a read response: system members, current states, then the members of the view in its order. */
export function dataOf(
  service: Service,
  space: Space,
  object: StoredObject,
  view: SchemaView,
  slices: readonly Slice[],
): Instance['data'] {
  const { behaviours } = service;
  const arrays = new Map(slices.map(({ section, entries }) => [section.path, { section, entries }]));
  const members: Record<string, unknown> = {};
  for (const [name, canonical] of view.names) {
    const array = arrays.get(name);
    const value =
      array?.entries.map((entry) => behaviours.entryOut(service, space, array.section.member, entry)) ??
      object.content[canonical];
    if (value !== undefined) members[name] = value;
  }
  return { ...behaviours.systemMembers(object), ...behaviours.currentStates(object), ...members };
}

/** Source: core, System properties inside `data` */
export function systemMembers(object: StoredObject): { $version: number; $oid: string; $softType: string } {
  return { $version: object.version, $oid: object.oid, $softType: object.softType };
}

/** One member per maturity level, named after it. Source: core, States and transitions */
export function currentStates(object: StoredObject): CurrentStates {
  return storedStates(object);
}

const schemas = new WeakMap<SchemaView, JsonSchema>();

/** `schema` of a read response. Source: core, SoftType read response */
export function schemaOf(softType: SoftType, view: SchemaView): JsonSchema {
  const known = schemas.get(view);
  if (known !== undefined) return known;
  const schema = outputJsonSchema(softType, view);
  schemas.set(view, schema);
  return schema;
}
