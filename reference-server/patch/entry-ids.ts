import type { Content } from '../store/store.ts';
import { isContent } from './scalars.ts';

export const entryIdMember = '$entryId';
/** Last id given per nested array, kept beside the array so that no id is given twice. Stored only, never sent. */
export const lastEntryIdsMember = '$lastEntryIds';

/** An entry of an array port on its way in; `entryId` is what the client says it is. */
export interface ArrayItem {
  readonly entryId?: number;
  readonly content: Content;
}

interface NumberedItems {
  readonly items: readonly Content[];
  readonly lastId: number;
}

/** Contents of new entries: every item of their nested arrays gets an id, those that the client sent are ignored. */
export function withEntryIds(items: readonly ArrayItem[]): readonly Content[] {
  return items.map((item) => numbered(item.content, {}));
}

/** Entry content whose nested items carry ids: one that `before` knows is kept, any other item gets a new one. */
export function numbered(content: Content, before: Content): Content {
  const lastIds = new Map(Object.entries(lastIdsOf(before)));
  const members = Object.entries(content).map(([name, value]) => {
    if (!isItems(value)) return [name, value] as const;
    const { items, lastId } = numberedItems(value, itemsOf(before, name), lastIds.get(name) ?? 0);
    lastIds.set(name, lastId);
    return [name, items] as const;
  });
  return withLastIds(Object.fromEntries(members), lastIds);
}

/** `holder` with new items behind the last one of its array `name`. */
export function appended(holder: Content, name: string, contents: readonly Content[]): Content {
  const lastIds = new Map(Object.entries(lastIdsOf(holder)));
  const { items, lastId } = numberedItems(contents, [], lastIds.get(name) ?? 0);
  lastIds.set(name, lastId);
  return withLastIds({ ...holder, [name]: [...itemsOf(holder, name), ...items] }, lastIds);
}

/** The items of a nested array; none where it has no value. */
export function itemsOf(holder: Content, name: string): readonly Content[] {
  const value = holder[name];
  return Array.isArray(value) ? value.filter(isContent) : [];
}

/** An entry id as a client writes it, in a path or as a value; undefined where no entry can have it. */
export function entryIdFrom(given: unknown): number | undefined {
  const text = typeof given === 'number' ? String(given) : given;
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function numberedItems(given: readonly Content[], before: readonly Content[], lastId: number): NumberedItems {
  const known = new Map(before.map((item) => [item[entryIdMember], item]));
  let last = lastId;
  const items = given.map(({ [entryIdMember]: id, ...content }) => {
    const old = known.get(id);
    known.delete(id);
    if (old === undefined) last += 1;
    return { [entryIdMember]: old === undefined ? last : id, ...numbered(content, old ?? {}) };
  });
  return { items, lastId: last };
}

function withLastIds(content: Content, lastIds: ReadonlyMap<string, unknown>): Content {
  return lastIds.size === 0 ? content : { ...content, [lastEntryIdsMember]: Object.fromEntries(lastIds) };
}

function lastIdsOf(content: Content): Readonly<Record<string, number>> {
  const lastIds = content[lastEntryIdsMember];
  if (!isContent(lastIds)) return {};
  return Object.fromEntries(
    Object.entries(lastIds).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
}

function isItems(value: unknown): value is readonly Content[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContent);
}
