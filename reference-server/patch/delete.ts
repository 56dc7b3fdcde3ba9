import type { Answer, Service, SpaceCall } from '../service.ts';
import type { StoredObject, Writing } from '../store/store.ts';

/** DELETE of an object with all its entries; a version is compared when it is given. Source: core, Batch rules 5. */
export async function deleteObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const object = await service.behaviours.locateObject(service, call, writing);
  service.behaviours.informationFilterOf(service, call);
  service.behaviours.assertUnlocked(call, object);
  service.behaviours.assertVersionWhenGiven(service, call, object);
  await service.behaviours.eraseObject(writing, object);
  service.behaviours.forgetReads(service, call.space.id, object.oid);
  return { status: 204 };
}

/** Leaves nothing of the object and its entries. */
export async function eraseObject(writing: Writing, object: StoredObject): Promise<void> {
  await writing.deleteObject(object.spaceId, object.oid);
}
