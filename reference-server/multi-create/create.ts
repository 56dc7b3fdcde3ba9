import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { InputContent } from '../patch/content.ts';
import { inputRules } from '../patch/content.ts';
import type { ItemOf } from '../patch/references.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { StoredObject, Writing } from '../store/store.ts';
import type { IdentifiedItem } from './items.ts';

/** Creates all items or none. Source: core, Endpoint table, POST softtype list; Multi-create rules */
export async function multiCreate(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  behaviours.informationFilterOf(service, call);
  const items = behaviours.itemsOf(service, call, behaviours.jsonBodyOf(service, call));
  const inputs = items.map((item) =>
    within(`${item.at}/data`, () => behaviours.contentOfItem(service, call, items, item)),
  );
  await behaviours.createItems(service, call, writing, items, inputs);
  return behaviours.multiCreateAnswer(service, call, items);
}

/** The data of an item by the first input schema of its definition. Source: ledger multi-create-input-schema. @throws {Refusal} 422 */
export function contentOfItem(
  service: Service,
  call: SpaceCall,
  items: readonly IdentifiedItem[],
  item: IdentifiedItem,
): InputContent {
  const { behaviours } = service;
  const itemOf: ItemOf = (instanceRef, to, at) =>
    behaviours.storedTarget(itemReferredTo(service, items, item, instanceRef, to, at));
  const view = behaviours.createViewOf(service, item.softType, undefined);
  const input = behaviours.inputFrom(
    { ...inputRules(service, call, 'refuse'), itemOf },
    item.softType,
    view,
    item.data,
  );
  behaviours.assertComplete(item.softType.members, view, input);
  return input;
}

/** @throws {Refusal} 422 where no item has the `$id`, or one of another definition */
function itemReferredTo(
  service: Service,
  items: readonly IdentifiedItem[],
  referrer: IdentifiedItem,
  instanceRef: string,
  to: string,
  pointer: string,
): IdentifiedItem {
  const target = service.behaviours.itemNamed(items, instanceRef, referrer);
  if (target === undefined)
    throw new Refusal(422, `No item of this request has the $id '${instanceRef}'.`, { pointer });
  if (target.softType.id === to) return target;
  throw new Refusal(422, `The port refers to objects of '${to}'; '${instanceRef}' is of '${target.softType.id}'.`, {
    pointer,
  });
}

/** The item with this `$id`, wherever it stands; the one that refers to it may be meant as well. Source: core, Multi-create rules 2 */
export function itemNamed(
  items: readonly IdentifiedItem[],
  $id: string,
  _referrer: IdentifiedItem,
): IdentifiedItem | undefined {
  return items.find((item) => item.$id === $id);
}

/** What is stored as `$oid` of a reference. Source: core, Multi-create item, $id */
export function storedTarget({ oid }: IdentifiedItem): string {
  return oid;
}

/** First every object, then their arrays, whose references then find all they lead to. @throws {Refusal} 422 for one that leads nowhere */
export async function createItems(
  service: Service,
  call: SpaceCall,
  writing: Writing,
  items: readonly IdentifiedItem[],
  inputs: readonly InputContent[],
): Promise<void> {
  const { behaviours } = service;
  const fresh = items.map((item, index) => freshObject(service, call, item, inputs[index]));
  for (const object of fresh) await writing.insertObject(object);
  for (const [index, { oid, softType, at }] of items.entries()) {
    const arrays: InputContent['arrays'] = inputs[index]?.arrays ?? new Map();
    await withinWork(`${at}/data`, () => behaviours.assertReferences(service, call, writing, softType, arrays));
    for (const [port, entries] of arrays) await writing.appendEntries(oid, port, behaviours.withEntryIds(entries));
  }
}

function freshObject(
  service: Service,
  { space }: SpaceCall,
  { oid, softType }: IdentifiedItem,
  input: InputContent | undefined,
): StoredObject {
  const { firstVersion, startContent } = service.behaviours;
  const content = { ...input?.content, ...startContent(service, softType) };
  return { spaceId: space.id, oid, softType: softType.id, version: firstVersion(), content };
}

/** Source: ledger multi-create-success-status, multi-create-response-body, multi-create-location-header */
export function multiCreateAnswer(service: Service, { space }: SpaceCall, items: readonly IdentifiedItem[]): Answer {
  const { locationOf, firstVersion } = service.behaviours;
  const version = firstVersion();
  const body = items.map(({ $id, oid }) => ({
    ...($id === undefined ? {} : { $id }),
    href: locationOf(space.id, oid),
    version,
  }));
  return { status: 201, headers: { [headerNames.version]: String(version) }, body };
}

/** What refuses a part of the body points at its place in the whole. */
function within<T>(at: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw placed(at, error);
  }
}

async function withinWork<T>(at: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw placed(at, error);
  });
}

function placed(at: string, error: unknown): unknown {
  if (!(error instanceof Refusal) || error.pointer === undefined) return error;
  return new Refusal(error.status, error.message, { pointer: at + error.pointer, headers: error.headers });
}
