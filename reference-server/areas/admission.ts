import type { SpaceCall } from '../http/call.ts';
import type { Reading, StoredObject } from '../ports/store.ts';
import type { Locks } from './locks.ts';
import type { Messages } from './messages.ts';
import type { Objects } from './objects.ts';
import type { Versioning } from './versioning.ts';

/** What an edit needs before it may begin. */
export interface EditNeeds<Place, Body> {
  /** What the path names besides the object. @throws {Refusal} 404 */
  readonly placeOf: (object: StoredObject) => Place;
  /** Media types of the body; none for an edit that takes no body. */
  readonly accepts?: readonly string[];
  /** What the body says. @throws {Refusal} 400 */
  readonly bodyOf: () => Body;
  readonly version: 'required' | 'when given';
}

/** The object that an edit is about, with what the request says of it. */
export interface Admitted<Place, Body> {
  readonly object: StoredObject;
  readonly place: Place;
  readonly body: Body;
}

interface Needs {
  readonly locks: Locks;
  readonly messages: Messages;
  readonly objects: Objects;
  readonly versioning: Versioning;
}

/** Lets edits of objects begin: one order of refusals for all of them. */
export class Admission {
  private readonly locks: Locks;
  private readonly messages: Messages;
  private readonly objects: Objects;
  private readonly versioning: Versioning;

  constructor(needs: Needs) {
    this.locks = needs.locks;
    this.messages = needs.messages;
    this.objects = needs.objects;
    this.versioning = needs.versioning;
  }

  /**
   * Object, path, media type, information filter, body, lock and version, in this order. Source: ledger error-precedence
   * @throws {Refusal} 404, 415, 400, 423, 412, 409
   */
  async admit<Place, Body>(
    call: SpaceCall,
    reading: Reading,
    { placeOf, accepts, bodyOf, version }: EditNeeds<Place, Body>,
  ): Promise<Admitted<Place, Body>> {
    const object = await this.objects.locateObject(call, reading);
    const place = placeOf(object);
    if (accepts !== undefined) this.messages.requireMediaType(call, accepts);
    this.messages.informationFilterOf(call);
    const body = bodyOf();
    this.locks.assertUnlocked(call, object);
    if (version === 'required') this.versioning.assertVersion(call, object);
    else this.versioning.assertVersionWhenGiven(call, object);
    return { object, place, body };
  }
}

/** For an edit whose path names the object alone, or that takes no body. */
export function nothing(): undefined {
  return undefined;
}
