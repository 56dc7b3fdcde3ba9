import { headerNames } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Content, StoredObject, Writing } from '../store/store.ts';

/** Where an object is locked (POST) and freed (DELETE). Source: ledger lock-object-routes */
const lockPath = '/api/space/{spaceId}/lock/{objectId}';

/**
 * Member of the stored content that names the user who holds the lock. In the object itself, the lock costs no write of others a
 * look-up, is part of whatever change set takes it, and ends with the object; every write of a client keeps what starts with a dollar sign.
 */
const holderMember = '$lockedBy';

/** POST: takes the lock, for good until it is freed; who holds it may take it again. @throws {Refusal} 423 held by somebody else */
export async function lockObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const object = await objectToLock(service, call, writing);
  const content = { ...object.content, [holderMember]: call.user.name };
  await service.behaviours.storeEdit(service, writing, object, object.version, content);
  return { status: 204, headers: { [headerNames.version]: String(object.version) } };
}

/** DELETE: frees it; where there is none, that is what was asked for. @throws {Refusal} 423 held by somebody else */
export async function unlockObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const object = await objectToLock(service, call, writing);
  const { [holderMember]: _holder, ...content } = object.content;
  await service.behaviours.storeEdit(service, writing, object, object.version, content);
  return { status: 204 };
}

async function objectToLock(service: Service, call: SpaceCall, writing: Writing): Promise<StoredObject> {
  const object = await service.behaviours.locateObject(service, call, writing);
  service.behaviours.informationFilterOf(service, call);
  service.behaviours.assertUnlocked(call, object);
  return object;
}

/**
 * Lets a write pass unless somebody else holds the lock. Asked before the version is compared: a precondition counts only for
 * what would succeed without it. Source: RFC 4918 section 11.3; RFC 9110 section 13.2.1
 * @throws {Refusal} 423
 */
export function assertUnlocked({ user }: SpaceCall, { content }: { readonly content: Content }): void {
  const holder = content[holderMember];
  if (holder === undefined || holder === user.name) return;
  throw new Refusal(423, `The object is locked by ${String(holder)}: wait until it is free, then read it again.`);
}

export const lockBehaviours = { lockObject, unlockObject, assertUnlocked };

export const lockRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: lockPath,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.lockObject(service, call, writing),
  },
  {
    method: 'DELETE',
    path: lockPath,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.unlockObject(service, call, writing),
  },
];
