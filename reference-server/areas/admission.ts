import { Area } from '../area.ts';
import type { Call, SpaceCall } from '../http/call.ts';
import type { Found, FoundFor, Needs as RouteNeeds } from '../http/route.ts';
import type { Reading } from '../ports/store.ts';
import type { Locks } from './locks.ts';
import type { Messages } from './messages.ts';
import type { Objects } from './objects.ts';
import type { Versioning } from './versioning.ts';

interface Needs {
  readonly locks: Locks;
  readonly messages: Messages;
  readonly objects: Objects;
  readonly versioning: Versioning;
}

/** Finds what routes need: one order of refusals for all of them. */
export class Admission extends Area<Needs> {
  /**
   * Object, path, media type, information filter, body, lock and version, in this order. Source: ledger error-precedence
   * @throws {Refusal} 404, 415, 400, 422, 423, 412, 409
   */
  async admit<C extends Call, N extends RouteNeeds<C>>(call: C, reading: Reading, needs: N): Promise<C & FoundFor<N>>;
  async admit(call: SpaceCall, reading: Reading, needs: RouteNeeds): Promise<SpaceCall & Found> {
    if (!needs.object) {
      const place = await needs.place?.(call, reading);
      return { ...call, object: undefined, place, json: this.contentOf(call, needs) };
    }
    const object = await this.needs.objects.locateObject(call, reading);
    const place = await needs.place?.(call, reading, object);
    const json = this.contentOf(call, needs);
    if (needs.unlocked) this.needs.locks.assertUnlocked(call, object);
    if (needs.version === 'required') this.needs.versioning.assertVersion(call, object);
    if (needs.version === 'when given') this.needs.versioning.assertVersionWhenGiven(call, object);
    return { ...call, object, place, json };
  }

  private contentOf(call: Call, { mediaTypes, filter, json, bodyOptional }: RouteNeeds): unknown {
    if (bodyOptional && (call.body === undefined || call.body.length === 0)) return undefined;
    if (mediaTypes !== undefined) this.needs.messages.requireMediaType(call, mediaTypes);
    if (filter) this.needs.messages.informationFilterOf(call);
    if (json === undefined) return undefined;
    const value = this.needs.messages.jsonBodyOf(call);
    return json === true ? value : json(value);
  }
}
