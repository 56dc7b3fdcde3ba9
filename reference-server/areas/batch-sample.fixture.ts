import { DatabaseSync } from 'node:sqlite';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { type AreaClasses, rightAreas } from '../areas.ts';
import { Editing } from './editing.ts';
import { createServer } from '../server.ts';
import { schemaSql } from '../ports/sqlite.ts';
import { storeOver } from '../ports/sqlite.ts';

/** A server over a store whose rows can be looked at, for tests of change sets. */
export interface BatchSample {
  readonly url: string;
  send(request: Sent): Promise<Received>;
  batch(operations: unknown, more?: Partial<Sent>): Promise<Received & { readonly results: readonly Result[] }>;
  /** Every row of every table as text: whatever is left behind shows. */
  rows(): string;
  /** Lets the store grow no further, or again. */
  limit(isFull: boolean): void;
  close(): Promise<void>;
}

export interface Sent {
  readonly method: string;
  readonly href: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly user?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface Result {
  readonly statusCode: number;
  readonly body?: unknown;
}

export const types = '/api/space/main/softtype';
export const batchPath = '/api/space/main/batch';
const pats: Readonly<Record<string, string>> = {
  edda: 'svcpat-edda-7d1c0b9e5a',
  rita: 'svcpat-rita-9b3e7f5a2c',
  emil: 'svcpat-emil-2f8a6c4d1b',
  otto: 'svcpat-otto-4c6d8e0f1a',
};

/** Ids count up, so that two servers which did the same hold the same. */
export async function batchSample(
  variant: (classes: AreaClasses) => AreaClasses = (classes) => classes,
): Promise<BatchSample> {
  const database = new DatabaseSync(':memory:');
  database.exec(schemaSql);
  const server = createServer({ store: storeOver(database), areas: variant(countingIds()) });
  const url = await server.listen();
  const send: BatchSample['send'] = async ({ method, href, body, headers = {}, user = 'edda' }) => {
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const response = await fetch(new URL(href, url), {
      method,
      headers: {
        authorization: `Bearer ${pats[user]}`,
        [headerNames.informationFilter]: 'e30=',
        'content-type': mediaTypes.json,
        ...texts,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };
  return {
    url,
    send,
    async batch(operations, more = {}) {
      const received = await send({ method: 'POST', href: batchPath, body: operations, ...more });
      return { ...received, results: Array.isArray(received.json) ? received.json : [] };
    },
    rows: () => rowsOf(database),
    limit: (isFull) => database.exec(`PRAGMA max_page_count = ${isFull ? 1 : 1_000_000}`),
    async close() {
      await server.close();
      database.close();
    },
  };
}

function countingIds(): AreaClasses {
  let last = 0;
  const editing = class extends Editing {
    override newOid(): string {
      return `id-${(last += 1)}`;
    }
  };
  return { ...rightAreas, editing };
}

function rowsOf(database: DatabaseSync): string {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  return JSON.stringify(tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${String(name)}`).all()]));
}

/** Creates a document and returns its id. */
export async function createDocument({ send }: BatchSample, body: object = { title: 't' }): Promise<string> {
  const { headers } = await send({ method: 'POST', href: `${types}/Document/documentInput`, body });
  return headers.get('location')?.split('/').at(-1) ?? '';
}

export function merge(oid: string, version: number | string, body: object = { note: 'n' }): Sent {
  return {
    method: 'PATCH',
    href: `${types}/Document/documentInput/${oid}`,
    body,
    headers: { [headerNames.version]: version },
  };
}

export function read(oid: string): Sent {
  return { method: 'GET', href: `${types}/${oid}` };
}
