import { Area } from '../area.ts';
import { headerNames } from '../../contract/names.ts';
import type { Answer, Call } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import type { Content, StoredObject, Writing } from '../ports/store.ts';
import type { ReadMemory } from './read-memory.ts';

const versionHeader = headerNames.version.toLowerCase();

const integer = /^-?(?:0|[1-9]\d*)$/;

interface Needs {
  readonly memory: ReadMemory;
}

/** Versions of objects: asked for, compared, counted. */
export class Versioning extends Area<Needs> {
  /** Version of an object that was just created. Source: core, Versioning 2. */
  firstVersion(): number {
    return 1;
  }

  /** Version after one more accepted write. Source: core, Versioning 2. */
  nextVersion(version: number): number {
    return version + 1;
  }

  /** Version after a merge PATCH, whatever its body names. */
  versionAfterMerge(object: StoredObject, _body: unknown): number {
    return this.nextVersion(object.version);
  }

  versionAfterPut(object: StoredObject): number {
    return this.nextVersion(object.version);
  }

  /** Version after an operations PATCH, however many operations it lists. */
  versionAfterOperations(object: StoredObject, _operations: readonly unknown[]): number {
    return this.nextVersion(object.version);
  }

  /**
   * The integer in the version header. A minus sign makes it no less an integer, only one that no object has.
   * Source: core, Common request headers. @throws {Refusal} 412 absent, 400 any other spelling
   */
  versionHeaderOf(call: Call): number {
    const text = call.headers[versionHeader];
    if (text === undefined) {
      throw new Refusal(412, `${headerNames.version} is missing: send the version that was read last.`, {
        pointer: headerNames.version,
      });
    }
    if (!integer.test(text)) {
      throw new Refusal(
        400,
        `${headerNames.version} takes decimal digits without sign, leading zero or quotes; found '${text}'.`,
        {
          pointer: headerNames.version,
        },
      );
    }
    return Number(text);
  }

  /** Whether the version sent is that of the object. Source: core, Versioning 3. */
  sameVersion(sent: number, current: number): boolean {
    return sent === current;
  }

  /**
   * The version of the object, when the request names it. Source: core, Errors 1 and 2.
   * @throws {Refusal} 412 absent, 400 unreadable, 409 another version
   */
  assertVersion(call: Call, object: StoredObject): number {
    const sent = this.versionHeaderOf(call);
    if (this.sameVersion(sent, object.version)) return object.version;
    throw new Refusal(
      409,
      `The object is at version ${object.version}, the request was made for ${sent}: read it again and start over.`,
      {
        pointer: headerNames.version,
      },
    );
  }

  /** As assertVersion, for a request that may leave the header out. */
  assertVersionWhenGiven(call: Call, object: StoredObject): void {
    if (call.headers[versionHeader] !== undefined) this.assertVersion(call, object);
  }

  /** Stores the object as an accepted edit leaves it. */
  async storeEdit(writing: Writing, object: StoredObject, version: number, content: Content): Promise<void> {
    await writing.updateObject(object.spaceId, object.oid, version, content);
    this.needs.memory.forgetReads(object.spaceId, object.oid);
  }

  /** Answer to an accepted edit. Source: core, Endpoint table, PATCH (merge); Common request headers. */
  editedAnswer(version: number): Answer {
    return { status: 204, headers: { [headerNames.version]: String(version) } };
  }
}
