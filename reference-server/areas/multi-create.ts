import { Area } from '../area.ts';
import { instancesPerMultiCreate } from '../../contract/limits.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { SoftType } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { pointerBelow } from '../http/json-text.ts';
import { Refusal } from '../http/refusal.ts';
import { type Route, writingRoute } from '../http/route.ts';
import type { StoredObject, Writing } from '../ports/store.ts';
import { type Contents, type InputContent, type ItemOf, arrayAt, contentAt, found } from './content.ts';
import type { Editing } from './editing.ts';
import type { Objects } from './objects.ts';
import type { Versioning } from './versioning.ts';

/** Source: core, Multi-create item */
interface Item {
  /** Name of the item inside the request. */
  readonly $id: string | undefined;
  readonly softType: SoftType;
  readonly data: unknown;
  /** Pointer to the item in the body. */
  readonly at: string;
}

/** An item with the identifier of the object that it becomes. */
interface IdentifiedItem extends Item {
  readonly oid: string;
}

const members: ReadonlySet<string> = new Set(['$id', '$softType', 'data']);

interface Needs {
  readonly contents: Contents;
  readonly editing: Editing;
  readonly objects: Objects;
  readonly versioning: Versioning;
}

/** Many objects by one request. */
export class MultiCreate extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'POST',
        path: routes.multiCreate,
        access: 'space',
        effect: 'write',
        needs: { mediaTypes: [mediaTypes.json], filter: true, json: true },
        handle: (call, writing) => this.multiCreate(call, writing),
      }),
    ];
  }

  /** Creates all items or none. Source: core, Endpoint table, POST softtype list; Multi-create rules */
  async multiCreate(call: SpaceCall & { readonly json: unknown }, writing: Writing): Promise<Answer> {
    const items = this.itemsOf(call, call.json);
    const inputs = items.map((item) => within(`${item.at}/data`, () => this.contentOfItem(call, items, item)));
    await this.createItems(call, writing, items, inputs);
    return this.multiCreateAnswer(call, items);
  }

  /** The data of an item by the first input schema of its definition. Source: ledger multi-create-input-schema. @throws {Refusal} 422 */
  private contentOfItem(call: SpaceCall, items: readonly IdentifiedItem[], item: IdentifiedItem): InputContent {
    const itemOf: ItemOf = (instanceRef, to, at) =>
      this.storedTarget(this.itemReferredTo(items, item, instanceRef, to, at));
    const view = this.needs.objects.createViewOf(item.softType, undefined);
    const input = this.needs.contents.inputFrom(
      { ...this.needs.contents.inputRules(call, 'refuse'), itemOf },
      item.softType,
      view,
      item.data,
    );
    this.needs.contents.assertComplete(item.softType.members, view, input);
    return input;
  }

  /** @throws {Refusal} 422 where no item has the `$id`, or one of another definition */
  private itemReferredTo(
    items: readonly IdentifiedItem[],
    referrer: IdentifiedItem,
    instanceRef: string,
    to: string,
    pointer: string,
  ): IdentifiedItem {
    const target = this.findItem(items, instanceRef, referrer);
    if (target === undefined)
      throw new Refusal(422, `No item of this request has the $id '${instanceRef}'.`, { pointer });
    if (target.softType.id === to) return target;
    throw new Refusal(422, `The port refers to objects of '${to}'; '${instanceRef}' is of '${target.softType.id}'.`, {
      pointer,
    });
  }

  /** The item with this `$id`, wherever it stands; the one that refers to it may be meant as well. Source: core, Multi-create rules 2 */
  findItem(items: readonly IdentifiedItem[], $id: string, _referrer: IdentifiedItem): IdentifiedItem | undefined {
    return items.find((item) => item.$id === $id);
  }

  /** What is stored as `$oid` of a reference. Source: core, Multi-create item, $id */
  storedTarget({ oid }: IdentifiedItem): string {
    return oid;
  }

  /** First every object, then their arrays, whose references then find all they lead to. @throws {Refusal} 422 for one that leads nowhere */
  async createItems(
    call: SpaceCall,
    writing: Writing,
    items: readonly IdentifiedItem[],
    inputs: readonly InputContent[],
  ): Promise<void> {
    const fresh = items.map((item, index) => this.freshObject(call, item, inputs[index]));
    for (const object of fresh) await writing.insertObject(object);
    for (const [index, { oid, softType, at }] of items.entries()) {
      const arrays: InputContent['arrays'] = inputs[index]?.arrays ?? new Map();
      await withinWork(`${at}/data`, () => this.needs.contents.assertReferences(call, writing, softType, arrays));
      for (const [port, entries] of arrays)
        await writing.appendEntries(oid, port, this.needs.contents.withEntryIds(entries));
    }
  }

  private freshObject(
    { space }: SpaceCall,
    { oid, softType }: IdentifiedItem,
    input: InputContent | undefined,
  ): StoredObject {
    const content = { ...input?.content, ...this.needs.editing.startContent(softType) };
    return { spaceId: space.id, oid, softType: softType.id, version: this.needs.versioning.firstVersion(), content };
  }

  /** Source: ledger multi-create-success-status, multi-create-response-body, multi-create-location-header */
  multiCreateAnswer({ space }: SpaceCall, items: readonly IdentifiedItem[]): Answer {
    const version = this.needs.versioning.firstVersion();
    const body = items.map(({ $id, oid }) => ({
      ...($id === undefined ? {} : { $id }),
      href: this.needs.objects.locationOf(space.id, oid),
      version,
    }));
    return { status: 201, headers: { [headerNames.version]: String(version) }, body };
  }

  /** The items of the body, ready to be created. @throws {Refusal} 422 with the pointer to what does not fit */
  private itemsOf(call: SpaceCall, body: unknown): readonly IdentifiedItem[] {
    const items = this.itemsFrom(call, this.withinLimit(arrayAt(body, '')));
    assertDistinct(items);
    return this.identifyItems(items);
  }

  /** Source: core, Multi-create rules 3; ledger multi-create-empty-list, multi-create-too-many-status. @throws {Refusal} 422 */
  withinLimit(items: readonly unknown[]): readonly unknown[] {
    if (items.length >= 1 && items.length <= instancesPerMultiCreate) return items;
    throw new Refusal(422, `A multi-create takes 1 to ${instancesPerMultiCreate} items; found ${items.length}.`, {
      pointer: '',
    });
  }

  private itemsFrom(call: SpaceCall, values: readonly unknown[]): readonly Item[] {
    return values.map((value, index) => this.itemFrom(call, value, pointerBelow('', index)));
  }

  /** One item; `$id` is for those that others refer to, and without `data` there is none. Source: ledger multi-create-missing-id. @throws {Refusal} 422 */
  private itemFrom(call: SpaceCall, value: unknown, at: string): Item {
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
    return { $id, softType: this.itemTypeOf(call, $softType, pointerBelow(at, '$softType')), data, at };
  }

  /** Gives every item the identifier of its object beforehand, so that references may lead in every direction. */
  identifyItems(items: readonly Item[]): readonly IdentifiedItem[] {
    return items.map((item) => ({ ...item, oid: this.needs.editing.newOid() }));
  }

  /** The definition that an item names. Source: core, Multi-create item, $softType. @throws {Refusal} 422 */
  itemTypeOf({ space }: SpaceCall, $softType: unknown, at: string): SoftType {
    const softType = typeof $softType === 'string' ? space.template.softTypes.get($softType) : undefined;
    if (softType !== undefined) return softType;
    const named = typeof $softType === 'string' ? `'${$softType}'` : found($softType);
    throw new Refusal(422, `A SoftType of the space ${space.id} is expected as $softType; found ${named}.`, {
      pointer: at,
    });
  }
}

/** What refuses a part of the body points at its place in the whole. */
function within<T>(at: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw placeRefusal(at, error);
  }
}

async function withinWork<T>(at: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw placeRefusal(at, error);
  });
}

function placeRefusal(at: string, error: unknown): unknown {
  if (!(error instanceof Refusal) || error.pointer === undefined) return error;
  return new Refusal(error.status, error.message, { pointer: at + error.pointer, headers: error.headers });
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
