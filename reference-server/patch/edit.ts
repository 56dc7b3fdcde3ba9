import { headerNames } from '../../contract/names.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Content, StoredObject, Writing } from '../store/store.ts';
import type { InputContent } from './content.ts';
import { numbered, type ArrayItem } from './entry-ids.ts';

export interface InputView {
  readonly softType: SoftType;
  readonly view: SchemaView;
}

/** Definition of the object and the input schema in the path of a merge PATCH or PUT. @throws {Refusal} 404 */
export function inputViewOf(service: Service, call: SpaceCall, object: StoredObject): InputView {
  const softType = service.behaviours.softTypeOf(service, call.space, object.softType);
  const view = softType.inputs.get(call.params.inputSchemaId ?? '');
  if (view === undefined)
    throw new Refusal(404, `'${softType.id}' has no input schema '${call.params.inputSchemaId}'.`);
  return { softType, view };
}

/** Stores the object as an accepted edit leaves it. */
export async function storeEdit(
  service: Service,
  writing: Writing,
  object: StoredObject,
  version: number,
  content: Content,
): Promise<void> {
  await writing.updateObject(object.spaceId, object.oid, version, content);
  service.behaviours.forgetReads(service, object.spaceId, object.oid);
}

/** Answer to an accepted edit. Source: core, Endpoint table, PATCH (merge); Common request headers. */
export function editedAnswer(version: number): Answer {
  return { status: 204, headers: { [headerNames.version]: String(version) } };
}

/** Replaces the arrays that are named, and no other. @throws {Refusal} 422 for a reference that leads nowhere */
export async function replaceArrays(
  service: Service,
  call: SpaceCall,
  writing: Writing,
  object: StoredObject,
  softType: SoftType,
  arrays: InputContent['arrays'],
): Promise<void> {
  if (arrays.size === 0) return;
  await service.behaviours.assertReferences(service, call, writing, softType, arrays);
  for (const [port, items] of arrays) await service.behaviours.replaceArray(writing, object.oid, port, items);
}

/** Puts the items in place of the whole array; an item that names an entry of the array keeps its id, and so do the items inside it. */
export async function replaceArray(
  writing: Writing,
  oid: string,
  port: string,
  items: readonly ArrayItem[],
): Promise<void> {
  const kept = new Set<number>();
  const numberedItems: ArrayItem[] = [];
  for (const { entryId, content } of items) {
    const old = entryId === undefined || kept.has(entryId) ? undefined : await writing.entry(oid, port, entryId);
    if (old !== undefined) kept.add(old.entryId);
    numberedItems.push(
      old === undefined
        ? { content: numbered(content, {}) }
        : { entryId: old.entryId, content: numbered(content, old.content) },
    );
  }
  await writing.replaceEntries(oid, port, numberedItems);
}
