import { Area } from '../area.ts';
import { randomUUID } from 'node:crypto';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { Members, SchemaView, SoftType } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import {
  type FoundContent,
  type FoundObject,
  type Needs as RouteNeeds,
  type Route,
  writingRoute,
} from '../http/route.ts';
import type { Content, Reading, StoredObject, Writing } from '../ports/store.ts';
import { type ArrayItem, type Contents, type InputContent, isContent, numberItems } from './content.ts';
import type { Objects } from './objects.ts';
import type { ReadMemory } from './read-memory.ts';
import { firstStates, isArrayMember } from './soft-type.ts';
import type { Versioning } from './versioning.ts';

/** Where content is to go: the input schema that the path names, and its definition. */
interface InputView {
  readonly softType: SoftType;
  readonly view: SchemaView;
}

interface Needs {
  readonly contents: Contents;
  readonly memory: ReadMemory;
  readonly objects: Objects;
  readonly versioning: Versioning;
}

/** Creates, merges, replacements and removals of objects. */
export class Editing extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'POST',
        path: routes.create,
        access: 'space',
        effect: 'write',
        needs: { place: (call) => this.createViewOf(call), mediaTypes: [mediaTypes.json], filter: true, json: true },
        handle: (call, writing) => this.createObject(call, writing),
      }),
      writingRoute({
        method: 'PATCH',
        path: routes.merge,
        access: 'space',
        effect: 'write',
        needs: this.editNeeds(),
        handle: (call, writing) => this.mergeObject(call, writing),
      }),
      writingRoute({
        method: 'PUT',
        path: routes.merge,
        access: 'space',
        effect: 'write',
        needs: this.editNeeds(),
        handle: (call, writing) => this.putObject(call, writing),
      }),
      writingRoute({
        method: 'DELETE',
        path: routes.instanceShort,
        access: 'space',
        effect: 'write',
        needs: { object: true, filter: true, unlocked: true, version: 'when given' },
        handle: (call, writing) => this.deleteObject(call, writing),
      }),
    ];
  }

  /** Of an edit that brings content under an input schema. */
  private editNeeds() {
    return {
      object: true,
      place: (call: SpaceCall, _reading: Reading, object: StoredObject) => this.inputViewOf(call, object),
      mediaTypes: [mediaTypes.json],
      filter: true,
      json: true,
      unlocked: true,
      version: 'required',
    } as const satisfies RouteNeeds;
  }

  /** Definition and input schema in the path of a create. @throws {Refusal} 404 */
  createViewOf(call: SpaceCall): InputView {
    const softType = this.needs.objects.softTypeOf(call.space, call.params.definitionId ?? '');
    return { softType, view: this.needs.objects.createViewOf(softType, call.params.inputSchemaId) };
  }

  /** Source: core, Endpoint table, POST softtype */
  async createObject(call: SpaceCall & FoundContent<InputView>, writing: Writing): Promise<Answer> {
    const { softType, view } = call.place;
    const { content, arrays } = this.needs.contents.contentFrom(call, softType, view, call.json);
    await this.needs.contents.assertReferences(call, writing, softType, arrays);
    const object = {
      spaceId: call.space.id,
      oid: this.newOid(),
      softType: softType.id,
      version: this.needs.versioning.firstVersion(),
    };
    await writing.insertObject({ ...object, content: { ...content, ...this.startContent(softType) } });
    for (const [port, items] of arrays)
      await writing.appendEntries(object.oid, port, this.needs.contents.withEntryIds(items));
    return answerCreated(this.needs.objects.locationOf(object.spaceId, object.oid), object.version);
  }

  /** What the system itself stores in a fresh object: each maturity level in its first state. */
  startContent(softType: SoftType): Content {
    return firstStates(softType, () => this.newOid());
  }

  /** Definition of the object and the input schema in the path of a merge PATCH or PUT. @throws {Refusal} 404 */
  inputViewOf(call: SpaceCall, object: StoredObject): InputView {
    const softType = this.needs.objects.softTypeOf(call.space, object.softType);
    const view = softType.inputs.get(call.params.inputSchemaId ?? '');
    if (view === undefined)
      throw new Refusal(404, `'${softType.id}' has no input schema '${call.params.inputSchemaId}'.`);
    return { softType, view };
  }

  /** Replaces the arrays that are named, and no other. @throws {Refusal} 422 for a reference that leads nowhere */
  async replaceArrays(
    call: SpaceCall,
    writing: Writing,
    object: StoredObject,
    softType: SoftType,
    arrays: InputContent['arrays'],
  ): Promise<void> {
    if (arrays.size === 0) return;
    await this.needs.contents.assertReferences(call, writing, softType, arrays);
    for (const [port, items] of arrays) await this.replaceArray(writing, object.oid, port, items);
  }

  /** Puts the items in place of the whole array; an item that names an entry of the array keeps its id, and so do the items inside it. */
  async replaceArray(writing: Writing, oid: string, port: string, items: readonly ArrayItem[]): Promise<void> {
    const kept = new Set<number>();
    const numberedItems: ArrayItem[] = [];
    for (const { entryId, content } of items) {
      const old = entryId === undefined || kept.has(entryId) ? undefined : await writing.entry(oid, port, entryId);
      if (old !== undefined) kept.add(old.entryId);
      numberedItems.push(
        old === undefined
          ? { content: numberItems(content, {}) }
          : { entryId: old.entryId, content: numberItems(content, old.content) },
      );
    }
    await writing.replaceEntries(oid, port, numberedItems);
  }

  /** Merge PATCH: edits the members that the body names, leaves the others. Source: core, Endpoint table, PATCH (merge). */
  async mergeObject(call: SpaceCall & FoundObject<InputView>, writing: Writing): Promise<Answer> {
    const { object, place, json } = call;
    const { softType, view } = place;
    const edits = this.needs.contents.editsFrom(call, softType, view, json);
    const content = this.mergePatch(object.content, edits.content);
    this.needs.contents.assertComplete(membersInHand(softType, edits), view, { content, arrays: edits.arrays });
    const version = this.needs.versioning.versionAfterMerge(object, json);
    await this.replaceArrays(call, writing, object, softType, edits.arrays);
    await this.needs.versioning.storeEdit(writing, object, version, content);
    return this.needs.versioning.editedAnswer(version);
  }

  /**
   * The target with the edits merged in: null takes a value away, objects merge with objects, everything else is replaced.
   * Source: RFC 7386, section 2.
   */
  mergePatch(target: unknown, edits: Content): Content {
    const merged = new Map(isContent(target) ? Object.entries(target) : []);
    for (const [name, edit] of Object.entries(edits)) {
      if (edit === null) merged.delete(name);
      else merged.set(name, isContent(edit) ? this.mergePatch(merged.get(name), edit) : edit);
    }
    return Object.fromEntries(merged);
  }

  /** PUT: complete content takes the place of the old. Source: core, Endpoint table, PUT. */
  async putObject(call: SpaceCall & FoundObject<InputView>, writing: Writing): Promise<Answer> {
    const { object, place, json } = call;
    const { softType, view } = place;
    const given = this.needs.contents.contentFrom(call, softType, view, json);
    const content = this.replaceContent(object.content, given.content);
    const version = this.needs.versioning.versionAfterPut(object);
    await this.replaceArrays(call, writing, object, softType, this.arraysAfterPut(softType, given.arrays));
    await this.needs.versioning.storeEdit(writing, object, version, content);
    return this.needs.versioning.editedAnswer(version);
  }

  /** The given content with what the system itself keeps in the old one, such as current states. */
  replaceContent(old: Content, given: Content): Content {
    const kept = Object.entries(old).filter(([name]) => name.startsWith('$'));
    return { ...Object.fromEntries(kept), ...given };
  }

  /** Every array port of the definition: one that the body leaves out ends up empty. */
  arraysAfterPut(softType: SoftType, given: InputContent['arrays']): InputContent['arrays'] {
    const ports = softType.members.entries().filter(([, member]) => isArrayMember(member));
    return new Map(ports.map(([port]) => [port, given.get(port) ?? []]));
  }

  /** DELETE of an object with all its entries; a version is compared when it is given. Source: core, Batch rules 5. */
  async deleteObject(call: SpaceCall & FoundObject, writing: Writing): Promise<Answer> {
    const { object } = call;
    await this.eraseObject(writing, object);
    this.needs.memory.forgetReads(call.space.id, object.oid);
    return { status: 204 };
  }

  /** Leaves nothing of the object and its entries. */
  async eraseObject(writing: Writing, object: StoredObject): Promise<void> {
    await writing.deleteObject(object.spaceId, object.oid);
  }

  /** An id that no object has. */
  newOid(): string {
    return randomUUID();
  }
}

function answerCreated(location: string, version: number): Answer {
  return { status: 201, headers: { Location: location, [headerNames.version]: String(version) } };
}

/** All members but the array ports that the body does not name: their entries are not even looked at. */
function membersInHand(softType: SoftType, edits: InputContent): Members {
  return new Map(
    softType.members.entries().filter(([name, member]) => !isArrayMember(member) || edits.arrays.has(name)),
  );
}
