import { randomUUID } from 'node:crypto';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { SoftType } from '../configuration.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import { firstStates } from '../soft-type/current-state.ts';
import type { Content, Writing } from '../store/store.ts';

/** Source: core, Endpoint table, POST softtype */
export async function createObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  const softType = behaviours.softTypeOf(service, call.space, call.params.definitionId ?? '');
  const view = behaviours.createViewOf(service, softType, call.params.inputSchemaId);
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  behaviours.informationFilterOf(service, call);
  const { content, arrays } = behaviours.contentFrom(
    service,
    call,
    softType,
    view,
    behaviours.jsonBodyOf(service, call),
  );
  await behaviours.assertReferences(service, call, writing, softType, arrays);
  const object = {
    spaceId: call.space.id,
    oid: behaviours.newOid(),
    softType: softType.id,
    version: behaviours.firstVersion(),
  };
  await writing.insertObject({ ...object, content: { ...content, ...behaviours.startContent(service, softType) } });
  for (const [port, items] of arrays) await writing.appendEntries(object.oid, port, behaviours.withEntryIds(items));
  return created(behaviours.locationOf(object.spaceId, object.oid), object.version);
}

function created(location: string, version: number): Answer {
  return { status: 201, headers: { Location: location, [headerNames.version]: String(version) } };
}

/** An identifier that no object had before. */
export function newOid(): string {
  return randomUUID();
}

/** What the system itself stores in a fresh object: each maturity level in its first state. */
export function startContent(service: Service, softType: SoftType): Content {
  return firstStates(softType, service.behaviours.newOid);
}
