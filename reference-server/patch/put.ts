import { mediaTypes } from '../../contract/names.ts';
import type { SoftType } from '../configuration.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import { isArrayMember } from '../soft-type/array-port.ts';
import type { Content, Writing } from '../store/store.ts';
import type { InputContent } from './content.ts';

/** PUT: complete content takes the place of the old. Source: core, Endpoint table, PUT. */
export async function putObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, writing);
  const { softType, view } = behaviours.inputViewOf(service, call, object);
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  behaviours.informationFilterOf(service, call);
  const body = behaviours.jsonBodyOf(service, call);
  behaviours.assertUnlocked(call, object);
  behaviours.assertVersion(service, call, object);
  const given = behaviours.contentFrom(service, call, softType, view, body);
  const content = behaviours.replaceContent(object.content, given.content);
  const version = behaviours.versionAfterPut(service, object);
  await behaviours.replaceArrays(
    service,
    call,
    writing,
    object,
    softType,
    behaviours.arraysAfterPut(softType, given.arrays),
  );
  await behaviours.storeEdit(service, writing, object, version, content);
  return behaviours.editedAnswer(version);
}

/** The given content with what the system itself keeps in the old one, such as current states. */
export function replaceContent(old: Content, given: Content): Content {
  const kept = Object.entries(old).filter(([name]) => name.startsWith('$'));
  return { ...Object.fromEntries(kept), ...given };
}

/** Every array port of the definition: one that the body leaves out ends up empty. */
export function arraysAfterPut(softType: SoftType, given: InputContent['arrays']): InputContent['arrays'] {
  const ports = softType.members.entries().filter(([, member]) => isArrayMember(member));
  return new Map(ports.map(([port]) => [port, given.get(port) ?? []]));
}
