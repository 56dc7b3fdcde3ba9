import type { Members, Space } from '../configuration.ts';
import type { Service } from '../service.ts';
import { isArrayMember, nestedItems, type ArrayMember } from '../soft-type/array-port.ts';
import type { Content, StoredEntry } from '../store/store.ts';

/** An entry as every read shows it, at any depth. */
export type EntryOut = { readonly $entryId: number | string } & Content;

/**
 * One entry of an array, whose own arrays hold what `nestedReadRange` admits.
 * Source: core, System properties ($entryId); Server side paging 1
 */
export function entryOut(service: Service, space: Space, member: ArrayMember, entry: StoredEntry): EntryOut {
  const own =
    member.kind === 'references'
      ? referenceOut(service, space, entry.content)
      : membersOut(service, space, member.members, entry.content);
  return { $entryId: entry.entryId, ...own };
}

function membersOut(service: Service, space: Space, members: Members, content: Content): Content {
  const out: Record<string, unknown> = {};
  for (const [name, member] of members) {
    const value = isArrayMember(member) ? nestedOut(service, space, member, nestedItems(content, name)) : content[name];
    if (value !== undefined) out[name] = value;
  }
  return out;
}

function nestedOut(
  service: Service,
  space: Space,
  member: ArrayMember,
  items: readonly StoredEntry[],
): readonly EntryOut[] {
  const { from, to } = service.behaviours.nestedReadRange();
  return items.slice(from, to).map((item) => service.behaviours.entryOut(service, space, member, item));
}

/** A stored reference, `{ id?, value: { $oid } }`, with the URI of its target beside the identifier. */
function referenceOut(service: Service, space: Space, content: Content): Content {
  const target = content.value;
  if (typeof target !== 'object' || target === null || !('$oid' in target)) return content;
  return { ...content, value: { ...target, href: service.behaviours.locationOf(space.id, String(target.$oid)) } };
}
