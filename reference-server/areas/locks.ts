import { Area } from '../area.ts';
import { headerNames } from '../../contract/names.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundObject, type Route, writingRoute } from '../http/route.ts';
import type { Content, Writing } from '../ports/store.ts';
import type { Versioning } from './versioning.ts';

/** Where an object is locked (POST) and freed (DELETE). Source: ledger lock-object-routes */
export const lockPath = '/api/space/{spaceId}/lock/{objectId}';

/**
 * Member of the stored content that names the user who holds the lock. In the object itself, the lock costs no write of others a
 * look-up, is part of whatever change set takes it, and ends with the object; every write of a client keeps what starts with a dollar sign.
 */
const holderMember = '$lockedBy';

const lockNeeds = { object: true, filter: true, unlocked: true } as const;

interface Needs {
  readonly versioning: Versioning;
}

export class Locks extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'POST',
        path: lockPath,
        access: 'space',
        effect: 'write',
        needs: lockNeeds,
        handle: (call, writing) => this.lockObject(call, writing),
      }),
      writingRoute({
        method: 'DELETE',
        path: lockPath,
        access: 'space',
        effect: 'write',
        needs: lockNeeds,
        handle: (call, writing) => this.unlockObject(call, writing),
      }),
    ];
  }

  /** POST: takes the lock, for good until it is freed; who holds it may take it again. @throws {Refusal} 423 held by somebody else */
  async lockObject(call: SpaceCall & FoundObject, writing: Writing): Promise<Answer> {
    const { object } = call;
    const content = { ...object.content, [holderMember]: call.user.name };
    await this.needs.versioning.storeEdit(writing, object, object.version, content);
    return { status: 204, headers: { [headerNames.version]: String(object.version) } };
  }

  /** DELETE: frees it; where there is none, that is what was asked for. @throws {Refusal} 423 held by somebody else */
  async unlockObject(call: SpaceCall & FoundObject, writing: Writing): Promise<Answer> {
    const { object } = call;
    const { [holderMember]: _holder, ...content } = object.content;
    await this.needs.versioning.storeEdit(writing, object, object.version, content);
    return { status: 204 };
  }

  /**
   * Lets a write pass unless somebody else holds the lock. Asked before the version is compared: a precondition counts only for
   * what would succeed without it. Source: RFC 4918 section 11.3; RFC 9110 section 13.2.1
   * @throws {Refusal} 423
   */
  assertUnlocked({ user }: SpaceCall, { content }: { readonly content: Content }): void {
    const holder = content[holderMember];
    if (holder === undefined || holder === user.name) return;
    throw new Refusal(423, `The object is locked by ${String(holder)}: wait until it is free, then read it again.`);
  }
}
