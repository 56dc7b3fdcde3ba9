import type { Content, StoredEntry, StoredObject } from './store.ts';
import type { Gaps } from './gaps.ts';

/** Rows as the statements of the adapters return them; the one place where their columns become types. */
export type ObjectRow = readonly [softType: string, version: number, content: string];

export type HoldingRow = readonly [oid: string, version: number, content: string];
export type EntryRow = readonly [entryId: number, content: string];
export type PlaceRow = readonly [place: number];
export type IdRow = readonly [entryId: number];
/** `gaps` is JSON. */
export type ArrayRow = readonly [count: number, nextId: number, gaps: string];

export type TextRow = readonly [text: string];

export type DocumentRow = readonly [id: string, text: string];

/** The content is decoded by the first who looks at it: a read that is remembered needs no more than the version. */
export function objectFrom(spaceId: string, oid: string, [softType, version, text]: ObjectRow): StoredObject {
  let content: Content | undefined;
  return {
    spaceId,
    oid,
    softType,
    version,
    get content() {
      return (content ??= contentFrom(text));
    },
  };
}

export function entryFrom([entryId, text]: EntryRow): StoredEntry {
  return { entryId, content: contentFrom(text) };
}

export interface ArrayState {
  readonly count: number;
  readonly nextId: number;
  readonly gaps: Gaps;
}

export function arrayFrom([count, nextId, gaps]: ArrayRow): ArrayState {
  return { count, nextId, gaps: gaps === '[]' ? [] : (JSON.parse(gaps) as Gaps) };
}

function contentFrom(text: string): Content {
  return JSON.parse(text) as Content;
}
