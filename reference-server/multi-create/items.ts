import { instancesPerMultiCreate } from '../../contract/limits.ts';
import type { SoftType } from '../configuration.ts';
import { pointerBelow } from '../patch/pointer.ts';
import { arrayAt, contentAt, found } from '../patch/scalars.ts';
import { Refusal } from '../problem.ts';
import type { Service, SpaceCall } from '../service.ts';

/** Source: core, Multi-create item */
export interface Item {
  /** Name of the item inside the request. */
  readonly $id: string | undefined;
  readonly softType: SoftType;
  readonly data: unknown;
  /** Pointer to the item in the body. */
  readonly at: string;
}

/** An item with the identifier of the object that it becomes. */
export interface IdentifiedItem extends Item {
  readonly oid: string;
}

const members: ReadonlySet<string> = new Set(['$id', '$softType', 'data']);

/** The items of the body, ready to be created. @throws {Refusal} 422 with the pointer to what does not fit */
export function itemsOf(service: Service, call: SpaceCall, body: unknown): readonly IdentifiedItem[] {
  const { behaviours } = service;
  const items = behaviours.itemsFrom(service, call, behaviours.withinLimit(arrayAt(body, '')));
  assertDistinct(items);
  return behaviours.identified(service, items);
}

/** Source: core, Multi-create rules 3; ledger multi-create-empty-list, multi-create-too-many-status. @throws {Refusal} 422 */
export function withinLimit(items: readonly unknown[]): readonly unknown[] {
  if (items.length >= 1 && items.length <= instancesPerMultiCreate) return items;
  throw new Refusal(422, `A multi-create takes 1 to ${instancesPerMultiCreate} items; found ${items.length}.`, {
    pointer: '',
  });
}

export function itemsFrom(service: Service, call: SpaceCall, values: readonly unknown[]): readonly Item[] {
  return values.map((value, index) => service.behaviours.itemFrom(service, call, value, pointerBelow('', index)));
}

/** One item; `$id` is for those that others refer to, and without `data` there is none. Source: ledger multi-create-missing-id. @throws {Refusal} 422 */
export function itemFrom(service: Service, call: SpaceCall, value: unknown, at: string): Item {
  const item = contentAt(value, at);
  const stranger = Object.keys(item).find((name) => !members.has(name));
  if (stranger !== undefined) {
    throw new Refusal(422, `An item has $id, $softType and data, and no member '${stranger}'.`, {
      pointer: pointerBelow(at, stranger),
    });
  }
  const { $id, $softType, data = {} } = item;
  if ($id !== undefined && typeof $id !== 'string') {
    throw new Refusal(422, `A text is expected as $id; found ${found($id)}.`, { pointer: pointerBelow(at, '$id') });
  }
  return { $id, softType: service.behaviours.itemTypeOf(call, $softType, pointerBelow(at, '$softType')), data, at };
}

/** The definition that an item names. Source: core, Multi-create item, $softType. @throws {Refusal} 422 */
export function itemTypeOf({ space }: SpaceCall, $softType: unknown, at: string): SoftType {
  const softType = typeof $softType === 'string' ? space.template.softTypes.get($softType) : undefined;
  if (softType !== undefined) return softType;
  const named = typeof $softType === 'string' ? `'${$softType}'` : found($softType);
  throw new Refusal(422, `A SoftType of the space ${space.id} is expected as $softType; found ${named}.`, {
    pointer: at,
  });
}

/** Gives every item the identifier of its object beforehand, so that references may lead in every direction. */
export function identified(service: Service, items: readonly Item[]): readonly IdentifiedItem[] {
  return items.map((item) => ({ ...item, oid: service.behaviours.newOid() }));
}

/** Source: ledger multi-create-duplicate-id. @throws {Refusal} 422 */
function assertDistinct(items: readonly Item[]): void {
  const known = new Set<string>();
  for (const { $id, at } of items) {
    if ($id === undefined) continue;
    if (known.has($id))
      throw new Refusal(422, `Another item has the $id '${$id}' already.`, { pointer: pointerBelow(at, '$id') });
    known.add($id);
  }
}
