import { mediaTypes } from '../../contract/names.ts';
import type { Members, SoftType } from '../configuration.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import { isArrayMember } from '../soft-type/array-port.ts';
import type { Content, Writing } from '../store/store.ts';
import type { InputContent } from './content.ts';
import { isContent } from './scalars.ts';

/** Merge PATCH: edits the members that the body names, leaves the others. Source: core, Endpoint table, PATCH (merge). */
export async function mergeObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, writing);
  const { softType, view } = behaviours.inputViewOf(service, call, object);
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  behaviours.informationFilterOf(service, call);
  const body = behaviours.jsonBodyOf(service, call);
  behaviours.assertUnlocked(call, object);
  behaviours.assertVersion(service, call, object);
  const edits = behaviours.editsFrom(service, call, softType, view, body);
  const content = behaviours.mergePatch(object.content, edits.content);
  behaviours.assertComplete(membersInHand(softType, edits), view, { content, arrays: edits.arrays });
  const version = behaviours.versionAfterMerge(service, object, body);
  await behaviours.replaceArrays(service, call, writing, object, softType, edits.arrays);
  await behaviours.storeEdit(service, writing, object, version, content);
  return behaviours.editedAnswer(version);
}

/** All members but the array ports that the body does not name: their entries are not even looked at. */
function membersInHand(softType: SoftType, edits: InputContent): Members {
  return new Map(
    softType.members.entries().filter(([name, member]) => !isArrayMember(member) || edits.arrays.has(name)),
  );
}

/**
 * The target with the edits merged in: null takes a value away, objects merge with objects, everything else is replaced.
 * Source: RFC 7386, section 2.
 */
export function mergePatch(target: unknown, edits: Content): Content {
  const merged = new Map(isContent(target) ? Object.entries(target) : []);
  for (const [name, edit] of Object.entries(edits)) {
    if (edit === null) merged.delete(name);
    else merged.set(name, isContent(edit) ? mergePatch(merged.get(name), edit) : edit);
  }
  return Object.fromEntries(merged);
}
