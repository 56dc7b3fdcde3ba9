import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Writing } from '../store/store.ts';

/** DELETE of an object with all its entries; a version is compared when it is given. Source: core, Batch rules 5. */
export async function deleteObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const object = await service.behaviours.locateObject(service, call, writing);
  service.behaviours.informationFilterOf(service, call);
  service.behaviours.assertVersionWhenGiven(service, call, object);
  await writing.deleteObject(call.space.id, object.oid);
  service.behaviours.forgetReads(service, call.space.id, object.oid);
  return { status: 204 };
}
