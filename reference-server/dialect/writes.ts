import type { Member, Members } from '../configuration.ts';
import { replacing, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import { isObject, type Json } from './json.ts';

const systemMembers = ['$oid', '$version', '$softType'];

/** System members in a body are refused. */
export const systemMembersRefused: Fault = replacing('inputFrom', (right) => (rules, softType, view, body) => {
  const stated = isObject(body) ? systemMembers.find((name) => name in body) : undefined;
  if (stated !== undefined) throw new Refusal(400, `${stated} belongs to the system; leave it out.`);
  return right(rules, softType, view, body);
});

/** Members that the input schema does not know are passed over, at any depth. */
export const unknownMembersIgnored: Fault = replacing('inputFrom', (right) => (rules, softType, view, body) => {
  if (!isObject(body)) return right(rules, softType, view, body);
  const members = [...view.names].flatMap(([name, canonical]) => {
    const member = softType.members.get(canonical);
    return member === undefined ? [] : ([[name, member]] as const);
  });
  return right(rules, softType, view, known(new Map(members), body));
});

function known(members: Members, body: Json): Json {
  const pairs = Object.entries(body).flatMap(([name, value]) => {
    const member = members.get(name);
    if (member === undefined) return name.startsWith('$') ? [[name, value]] : [];
    return [[name, knownIn(member, value)]];
  });
  return Object.fromEntries(pairs);
}

function knownIn(member: Member, value: unknown): unknown {
  if (member.kind === 'object' && isObject(value)) return known(member.members, value);
  if (member.kind === 'entries' && Array.isArray(value))
    return value.map((item: unknown) => (isObject(item) ? known(member.members, item) : item));
  return value;
}

/** A merge refuses null, at any depth. */
export const nullRefused: Fault = replacing('editsFrom', (right) => (service, call, softType, view, body) => {
  if (holdsNull(body)) throw new Refusal(400, 'Null is no value; use an operation to remove one.');
  return right(service, call, softType, view, body);
});

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.values(value).some(holdsNull);
}

/** An object in a merge takes the place of the old one. */
export const objectsReplaced: Fault = replacing('mergePatch', () => (target, edits) => ({
  ...(isObject(target) ? target : {}),
  ...edits,
}));

/** Entries in a merge are appended to those that are there. */
export const entriesAppended: Fault = replacing(
  'replaceArrays',
  (right) => async (service, call, writing, object, softType, arrays) => {
    if (call.method !== 'PATCH') return right(service, call, writing, object, softType, arrays);
    await service.behaviours.assertReferences(service, call, writing, softType, arrays);
    for (const [port, items] of arrays)
      await writing.appendEntries(object.oid, port, service.behaviours.withEntryIds(items));
  },
);

/** A replacement gives every entry a new id, whatever id it came with. */
export const newIdsOnPut: Fault = replacing(
  'replaceArray',
  (right) => (writing, oid, port, items) =>
    right(
      writing,
      oid,
      port,
      items.map(({ content }) => ({ content })),
    ),
);
