import { entriesPerPage } from '../../../contract/limits.ts';
import { type Target, isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { isObject } from '../../dialect/choice.ts';
import { type Variant, type Variants, together, replaces } from '../../breaks.ts';
import { entriesIn, moveAppended, refusedWrongly, whileLocating } from '../patch.ts';

/** Wrong for entries at some places, for arrays of some lengths, or for ids of some spelling. */
export const positionFaults = {
  /** An id is cut behind its first digit where there is an entry of that id. */
  'subtle.entry-id.second-digit-lost-in-remove': whileLocating(
    'remove',
    (right) => async (areas, run, port, token) =>
      (await right(areas, run, port, token.slice(0, 1))) ?? right(areas, run, port, token),
  ),

  /** An id with a blank before or behind it is the id. */
  'subtle.entry-id.is-trimmed-in-replace': whileLocating(
    'replace',
    (right) => (areas, run, port, token) => right(areas, run, port, token.trim()),
  ),

  'subtle.append.lands-before-last-of-full-page': replaces(
    'operations',
    'appendToPort',
    async (right, areas, run, target, contents) => {
      const { length } = await entriesIn(run, nameOf(target));
      await right(areas, run, target, contents);
      if (length > 0 && length % entriesPerPage === 0)
        await moveAppended(run, nameOf(target), contents.length, length - 1);
    },
  ),

  'subtle.append.marker-unknown-in-emptied-array': replaces(
    'operations',
    'appendToPort',
    async (right, areas, run, target, contents) => {
      const isEmptied = run.object.version > 1 && (await entriesIn(run, nameOf(target))).length === 0;
      if (isEmptied && 'marker' in target && target.marker) throw refusedWrongly();
      await right(areas, run, target, contents);
    },
  ),

  /** An end marker inside an entry is that of the array inside the first one. */
  'subtle.append.marker-inside-is-of-first-entry': replaces(
    'operations',
    'targetOf',
    async (right, areas, run, operation) => {
      const [port = '', entry, ...rest] = operation.tokens;
      if (operation.op !== 'add' || entry === undefined || rest.at(-1) !== '-') return right(areas, run, operation);
      const first = (await entriesIn(run, port))[0]?.entryId;
      return right(areas, run, { ...operation, tokens: [port, String(first ?? entry), ...rest] });
    },
  ),

  'subtle.remove.cascade-spares-last-entry': replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
    const last = (await entriesIn(run, entry.port)).at(-1);
    if (last?.entryId !== entry.entryId) await right(areas, run, entry);
  }),

  'subtle.remove.only-entry-stays': removing((entries) => (entries.length === 1 ? undefined : 0)),

  /** Removing the first entry of a full page removes the one behind it. */
  'subtle.remove.first-of-further-page-takes-next': removing((entries, at) =>
    at >= entriesPerPage && at % entriesPerPage === 0 && at + 1 < entries.length ? 1 : 0,
  ),

  'subtle.replace.last-of-first-page-reaches-over': replaces(
    'operations',
    'replaceValue',
    async (right, areas, run, target, value, at) => {
      await right(areas, run, target, value, at);
      const { entry } = target.row;
      const [tenth, next] =
        entry === undefined
          ? []
          : await run.writing.entries(run.object.oid, entry.port, { from: entriesPerPage - 1, to: entriesPerPage + 1 });
      if (entry === undefined || next === undefined || tenth?.entryId !== entry.entryId) return;
      await run.writing.updateEntry(run.object.oid, entry.port, next.entryId, {
        ...next.content,
        [nameOf(target)]: value,
      });
    },
  ),

  'subtle.replace.last-beyond-first-page-not-stored': replaces(
    'operations',
    'replaceValue',
    async (right, areas, run, target, value, at) => {
      const { entry } = target.row;
      const entries = entry === undefined ? [] : await entriesIn(run, entry.port);
      if (entries.length > entriesPerPage && entries.at(-1)?.entryId === entry?.entryId) return;
      await right(areas, run, target, value, at);
    },
  ),

  /** An object is a value that a member of the root takes, and one of an entry does not. */
  'subtle.add.no-objects-inside-entries': replaces('operations', 'addValue', (right, areas, run, target, value, at) => {
    const isInside = target.row.entry !== undefined && target.kind === 'member';
    if (isInside && isObject(value)) throw new Refusal(422, 'An object is no value here.');
    return right(areas, run, target, value, at);
  }),

  /** What holds texts inside an entry is replaced as a whole. */
  'subtle.replace.takes-objects-inside-entries': replaces(
    'operations',
    'replaceValue',
    async (right, areas, run, target, value, at) => {
      const isInside = target.row.entry !== undefined && target.kind === 'member';
      if (isInside && isObject(value) && isObject(target.value)) return areas.operations.setMember(run, target, value);
      return right(areas, run, target, value, at);
    },
  ),

  /** Entries are told apart by what they hold: of those that are alike the first one goes. */
  'subtle.remove.first-of-alike-goes': removing((entries, at) => {
    const of = JSON.stringify(entries[at]?.content);
    return entries.findIndex(({ content }) => JSON.stringify(content) === of) - at;
  }),

  /** An entry that is new beside ones that stay is numbered by its place, which may be the id of one of these. */
  'subtle.entry-id.new-ones-by-place': newIdsByPlace(),

  'subtle.objects.share-looked-up-entry': sharedLookUp(),
} satisfies Variants;

function newIdsByPlace(): Variant {
  const keyOf = (oid: string, port: string, entryId: number): string => `${oid} ${port} ${entryId}`;
  return (classes) => {
    const shown = new Map<string, number>();
    return together(
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        await right(areas, writing, oid, port, items);
        if (items.every(({ entryId }) => entryId === undefined)) return;
        const stored = await writing.entries(oid, port, { from: 0, to: items.length });
        for (const [index, { entryId }] of stored.entries())
          if (items[index]?.entryId === undefined) shown.set(keyOf(oid, port, entryId), index + 1);
      }),
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, ...rest) =>
        (await right(areas, reading, object, section, ...rest)).map((entry) => ({
          ...entry,
          entryId: shown.get(keyOf(object.oid, section.port, entry.entryId)) ?? entry.entryId,
        })),
      ),
    )(classes);
  };
}

/** A removal of a whole entry hits the one so many places behind it, or none. */
function removing(missesBy: (entries: readonly StoredEntry[], at: number) => number | undefined): Variant {
  return replaces('operations', 'removeTarget', async (right, areas, run, target) => {
    const { entry } = target.row;
    if (entry === undefined || target.steps.length > 0) return right(areas, run, target);
    const entries = await entriesIn(run, entry.port);
    const at = entries.findIndex(({ entryId }) => entryId === entry.entryId);
    const by = missesBy(entries, at);
    const hit = by === undefined ? undefined : entries[at + by];
    if (hit !== undefined) await right(areas, run, rowOf(target, hit));
  });
}

function rowOf(target: Target, { entryId, content }: StoredEntry): Target {
  const { row } = target;
  return row.entry === undefined || isPort(target)
    ? target
    : { ...target, row: { ...row, content, entry: { ...row.entry, entryId } } };
}

/** Entries that were looked up are kept by their ids alone, whatever the object, until the next create. */
function sharedLookUp(): Variant {
  return (classes) => {
    const kept = new Map<string, StoredEntry>();
    const remembering = replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const key = `${port} ${token}`;
      const known = kept.get(key);
      if (entry !== undefined) kept.set(key, entry);
      return entry === undefined ? undefined : (known ?? entry);
    });
    const forgetting = replaces('editing', 'createObject', (right, areas, call, writing) => {
      kept.clear();
      return right(areas, call, writing);
    });
    return together(remembering, forgetting)(classes);
  };
}
