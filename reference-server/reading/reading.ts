import { routes } from '../../contract/routes.ts';
import type { SchemaView, SoftType, Space } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Reading, StoredObject } from '../store/store.ts';
import { assembleInstance, currentStates, dataOf, schemaOf, systemMembers } from './assemble.ts';
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

/**
 * The stored object that the route names. Source: core, Errors 404
 * @throws {Refusal} 404, also when the route names another definition than that of the object
 */
async function locateObject(_service: Service, call: SpaceCall, reading: Reading): Promise<StoredObject> {
  const { objectId = '', definitionId, softTypeId } = call.params;
  const object = await reading.object(call.space.id, objectId);
  const named = definitionId ?? softTypeId ?? object?.softType;
  if (object === undefined || object.softType !== named)
    throw new Refusal(404, `Space ${call.space.id} has no ${named ?? 'object'} '${objectId}'.`);
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

/** The input schema of a create, the first one of the definition when none is named. @throws {Refusal} 404 */
function createViewOf(_service: Service, softType: SoftType, schemaId: string | undefined): SchemaView {
  return viewOf(softType.inputs, schemaId, `input schema of ${softType.id}`);
}

function viewOf(views: ReadonlyMap<string, SchemaView>, schemaId: string | undefined, kind: string): SchemaView {
  const [first] = views.values();
  const view = schemaId === undefined ? first : views.get(schemaId);
  if (view === undefined) throw new Refusal(404, `Expected an ${kind}, found '${schemaId}'.`);
  return view;
}

export const readingBehaviours = {
  readInstance,
  locateObject,
  softTypeOf,
  outputViewOf,
  createViewOf,
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
  {
    method: 'GET',
    path: routes.instanceShort,
    access: 'space',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readInstance(service, call, reading),
  },
  {
    method: 'GET',
    path: routes.instanceLong,
    access: 'space',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readInstance(service, call, reading),
  },
  {
    method: 'POST',
    path: routes.create,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.createObject(service, call, writing),
  },
];
