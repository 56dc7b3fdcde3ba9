import type { Member, SoftType } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Service, SpaceCall } from '../service.ts';
import type { Content, Reading } from '../store/store.ts';
import type { ArrayItem } from './entry-ids.ts';
import { pointerBelow } from './pointer.ts';
import { contentAt, isContent, readScalar } from './scalars.ts';

/** Members of a reference as they are stored: free text of the client, and the object it leads to. */
export const referenceMembers: ReadonlyMap<string, Member> = new Map<string, Member>([
  ['id', { kind: 'string', mandatory: false }],
  ['value', { kind: 'object', mandatory: true, members: new Map([['$oid', { kind: 'string', mandatory: true }]]) }],
]);

/**
 * The object id of the item of a multi-create with this `$id`.
 * @param to definition that the port refers to
 * @throws {Refusal} 422 where there is no such item, or it is of another definition
 */
export type ItemOf = (instanceRef: string, to: string, at: string) => unknown;

const entryMembers: ReadonlySet<string> = new Set(['id', 'value']);
/** `href` and `softTypeId` are read back or sent along; the object id alone says what is meant. */
const valueMembers: ReadonlySet<string> = new Set(['$oid', 'href', 'softTypeId', 'instanceRef']);

/**
 * A reference to an object that exists: `{ id?, value: { $oid } }`. Source: core, Multi-create item.
 * @param itemOf in a multi-create: the object id of the item that an `instanceRef` names
 * @throws {Refusal} 422 for other members, another SoftType or a reference that only a multi-create can resolve
 */
export function readReference(to: string, body: Content, at: string, itemOf?: ItemOf): Content {
  assertKnown(entryMembers, body, at);
  const pointer = pointerBelow(at, 'value');
  const value = contentAt(body.value, pointer);
  assertKnown(valueMembers, value, pointer);
  assertDefinition(to, value, pointer);
  const target = { value: { $oid: targetId(to, value, pointer, itemOf) } };
  return body.id === undefined ? target : { id: readScalar('string', body.id, pointerBelow(at, 'id')), ...target };
}

function assertKnown(known: ReadonlySet<string>, body: Content, at: string): void {
  const stranger = Object.keys(body).find((name) => !known.has(name));
  if (stranger === undefined) return;
  throw new Refusal(422, `A reference has no member '${stranger}' here.`, { pointer: pointerBelow(at, stranger) });
}

function targetId(to: string, value: Content, at: string, itemOf: ItemOf | undefined): unknown {
  if (value.instanceRef === undefined) return readScalar('string', value.$oid, pointerBelow(at, '$oid'));
  const pointer = pointerBelow(at, 'instanceRef');
  if (itemOf !== undefined) return itemOf(String(readScalar('string', value.instanceRef, pointer)), to, pointer);
  throw new Refusal(
    422,
    "'instanceRef' names an item of a multi-create; here an object that exists is named by '$oid'.",
    { pointer },
  );
}

function assertDefinition(to: string, value: Content, at: string): void {
  if (value.softTypeId !== undefined && value.softTypeId !== to) {
    throw new Refusal(422, `The port refers to objects of '${to}'.`, { pointer: pointerBelow(at, 'softTypeId') });
  }
}

/**
 * Checks that every reference in the arrays leads to an object of the definition that its port names.
 * @throws {Refusal} 422 with the pointer to the first that does not
 */
export async function assertReferences(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  softType: SoftType,
  arrays: ReadonlyMap<string, readonly ArrayItem[]>,
): Promise<void> {
  for (const [port, items] of arrays) {
    const member = softType.members.get(port);
    if (member?.kind !== 'references') continue;
    for (const [index, item] of items.entries()) {
      const at = pointerBelow(pointerBelow('', port), index);
      await service.behaviours.assertReference(call, reading, member.to, item.content, at);
    }
  }
}

/** @throws {Refusal} 422 unless the reference leads to an object of the definition `to` in the space of the call */
export async function assertReference(
  call: SpaceCall,
  reading: Reading,
  to: string,
  reference: Content,
  at?: string,
): Promise<void> {
  const oid = isContent(reference.value) ? reference.value.$oid : undefined;
  const target =
    typeof oid === 'string' && !call.isSibling?.(oid) ? await reading.object(call.space.id, oid) : undefined;
  if (target?.softType === to) return;
  throw new Refusal(
    422,
    `No object of '${to}' has the id '${String(oid)}'.`,
    at === undefined ? {} : { pointer: `${at}/value/$oid` },
  );
}
