import type { Member, SchemaView, SoftType } from '../configuration.ts';
import type { Content, StoredEntry } from '../store/store.ts';

/** A member that holds entries: at the root of a SoftType or inside the entries of another port. */
export type ArrayMember = Extract<Member, { readonly kind: 'entries' | 'references' }>;

/** An array of one object as reads address it. */
export interface Section {
  /** Name of a root array as in `data`; `array/entryId/member` for an array inside an entry. */
  readonly path: string;
  /** Canonical name of the member. */
  readonly port: string;
  readonly member: ArrayMember;
  /** Items of an array inside an entry, which came with it; absent for a root array, whose entries are rows. */
  readonly items?: readonly StoredEntry[];
}

/** What one read delivers of a section. */
export interface Slice {
  readonly section: Section;
  readonly entries: readonly StoredEntry[];
  /** Entries of the whole array, or those that the filter admits. */
  readonly total: number;
}

export function isArrayMember(member: Member | undefined): member is ArrayMember {
  return member?.kind === 'entries' || member?.kind === 'references';
}

/** The root arrays that the view holds, in its order. */
export function rootSections(softType: SoftType, view: SchemaView): readonly Section[] {
  return [...view.names].flatMap(([path, port]) => {
    const member = softType.members.get(port);
    return isArrayMember(member) ? [{ path, port, member }] : [];
  });
}

/** The arrays inside one entry of a section, empty ones included. */
export function nestedSections(parent: Section, entry: StoredEntry): readonly Section[] {
  if (parent.member.kind !== 'entries') return [];
  return [...parent.member.members].flatMap(([port, member]) => {
    if (!isArrayMember(member)) return [];
    const items = nestedItems(entry.content, port);
    return [{ path: `${parent.path}/${entry.entryId}/${port}`, port, member, items }];
  });
}

/** Items of an array that is stored inside an entry. */
export function nestedItems(content: Content, port: string): readonly StoredEntry[] {
  const items = content[port];
  return Array.isArray(items) ? items.map(storedItem) : [];
}

function storedItem(item: Content & { readonly $entryId: number }): StoredEntry {
  const { $entryId: entryId, ...content } = item;
  return { entryId, content };
}
