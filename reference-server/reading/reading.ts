import { routes } from '../../contract/routes.ts';
import type { Instance } from '../../contract/wire.ts';
import type { SchemaView, SoftType, Space } from '../configuration.ts';
import type { AppliedFilter } from '../paging/filter.ts';
import { Refusal } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import { rootSections, type Slice } from '../soft-type/array-port.ts';
import { storedStates, type CurrentStates } from '../soft-type/current-state.ts';
import { outputJsonSchema, type JsonSchema } from '../soft-type/json-schema.ts';
import type { Reading, StoredObject } from '../store/store.ts';
import { createObject, newOid, startContent } from './create.ts';
import { entryOut } from './entry.ts';
import { forgetReads, freshRead, rememberedRead, rightsOf } from './memory.ts';

async function readInstance(service: Service, call: SpaceCall, reading: Reading): Promise<Answer> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, reading);
  const softType = behaviours.softTypeOf(service, call.space, object.softType);
  const view = behaviours.outputViewOf(service, softType, call.params.outputSchemaId);
  behaviours.informationFilterOf(service, call);
  const filter = behaviours.filterOf(service, call, softType, 'softTypeFilterId');
  const assemble = () => behaviours.assembleInstance(service, call, reading, object, view, filter);
  if (filter !== undefined) return freshRead(await assemble());
  return behaviours.rememberedRead(service, call, reading, object, view, assemble);
}

/** The stored object that the route names. @throws {Refusal} 404, also when the route names another definition than its own. Source: core, Errors 404 */
async function locateObject(_service: Service, call: SpaceCall, reading: Reading): Promise<StoredObject> {
  const { objectId = '', definitionId, softTypeId } = call.params;
  const object = await reading.object(call.space.id, objectId);
  const named = definitionId ?? softTypeId ?? object?.softType;
  if (object === undefined || object.softType !== named) throw new Refusal(404, `Space ${call.space.id} has no ${named ?? 'object'} '${objectId}'.`);
  return object;
}

/** @throws {Refusal} 404 for a definition that the template of the space does not have */
function softTypeOf(_service: Service, space: Space, definitionId: string): SoftType {
  const softType = space.template.softTypes.get(definitionId);
  if (softType === undefined) throw new Refusal(404, `Space ${space.id} has no SoftType '${definitionId}'.`);
  return softType;
}

/** An output schema of the definition, its first one when none is named. @throws {Refusal} 404 */
function outputViewOf(_service: Service, softType: SoftType, schemaId: string | undefined): SchemaView {
  return viewOf(softType.outputs, schemaId, `output schema of ${softType.id}`);
}

/** An input schema of the definition, its first one when none is named. @throws {Refusal} 404 */
function inputViewOf(_service: Service, softType: SoftType, schemaId: string | undefined): SchemaView {
  return viewOf(softType.inputs, schemaId, `input schema of ${softType.id}`);
}

function viewOf(views: ReadonlyMap<string, SchemaView>, schemaId: string | undefined, kind: string): SchemaView {
  const [first] = views.values();
  const view = schemaId === undefined ? first : views.get(schemaId);
  if (view === undefined) throw new Refusal(404, `Expected an ${kind}, found '${schemaId}'.`);
  return view;
}

/** The read response. Source: core, SoftType read response */
async function assembleInstance(
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
function dataOf(service: Service, space: Space, object: StoredObject, view: SchemaView, slices: readonly Slice[]): Instance['data'] {
  const { behaviours } = service;
  const arrays = new Map(slices.map(({ section, entries }) => [section.path, { section, entries }]));
  const members: Record<string, unknown> = {};
  for (const [name, canonical] of view.names) {
    const array = arrays.get(name);
    const value = array?.entries.map((entry) => behaviours.entryOut(service, space, array.section.member, entry)) ?? object.content[canonical];
    if (value !== undefined) members[name] = value;
  }
  return { ...behaviours.systemMembers(object), ...behaviours.currentStates(object), ...members };
}

/** Source: core, System properties inside `data` */
function systemMembers(object: StoredObject): { $version: number; $oid: string; $softType: string } {
  return { $version: object.version, $oid: object.oid, $softType: object.softType };
}

/** One member per maturity level, named after it. Source: core, States and transitions */
function currentStates(object: StoredObject): CurrentStates {
  return storedStates(object);
}

const schemas = new WeakMap<SchemaView, JsonSchema>();

/** `schema` of a read response. Source: core, SoftType read response */
function schemaOf(softType: SoftType, view: SchemaView): JsonSchema {
  const known = schemas.get(view);
  if (known !== undefined) return known;
  const schema = outputJsonSchema(softType, view);
  schemas.set(view, schema);
  return schema;
}

export const readingBehaviours = {
  readInstance,
  locateObject,
  softTypeOf,
  outputViewOf,
  inputViewOf,
  assembleInstance,
  dataOf,
  entryOut,
  systemMembers,
  currentStates,
  schemaOf,
  rememberedRead,
  rightsOf,
  forgetReads,
  createObject,
  newOid,
  startContent,
};

export const readingRoutes: readonly Route[] = [
  { method: 'GET', path: routes.instanceShort, access: 'space', effect: 'read', handle: (service, call, reading) => service.behaviours.readInstance(service, call, reading) },
  { method: 'GET', path: routes.instanceLong, access: 'space', effect: 'read', handle: (service, call, reading) => service.behaviours.readInstance(service, call, reading) },
  { method: 'POST', path: routes.create, access: 'space', effect: 'write', handle: (service, call, writing) => service.behaviours.createObject(service, call, writing) },
];
