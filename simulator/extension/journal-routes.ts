import type { IncomingMessage, ServerResponse } from 'node:http';
import { entryLine, type Entry } from './entry.ts';
import type { EntryFilter, Journal } from './journal.ts';
import { livePage } from './live-page.ts';

/** Longest wait of a request for entries, in ms. */
const longestWaitMs = 60_000;
/** Entries in one answer. */
const mostEntries = 1000;

/**
 * Serves `GET /` (a page to watch) and `GET /journal`: JSON lines, filtered by `kind`, `path`, `method`, `correlationId`, `recordId` and
 * `after` (number of an entry); with `awaitMs` the answer comes when `count` entries (1) fit, or after that time. Returns whether it did.
 */
export function journalRoutes(journal: Journal, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET') return false;
  const [path, query = ''] = (request.url ?? '').split('?');
  if (path === '/') return sendText(response, 'text/html; charset=utf-8', livePage);
  if (path !== '/journal') return false;
  void tell(journal, new URLSearchParams(query), response);
  return true;
}

async function tell(journal: Journal, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const waitMs = Math.min(Number(query.get('awaitMs') ?? 0) || 0, longestWaitMs);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = waitMs > 0 ? AbortSignal.any([gone.signal, AbortSignal.timeout(waitMs)]) : AbortSignal.abort();
  const found = await journal.await(filterOf(query), Number(query.get('count') ?? 1) || 1, signal);
  const lines = found.slice(0, mostEntries).map((entry) => `${entryLine(entry)}\n`);
  sendText(response, 'application/x-ndjson; charset=utf-8', lines.join(''));
}

function filterOf(query: URLSearchParams): EntryFilter {
  const members = ['kind', 'path', 'method', 'correlationId', 'recordId'] as const;
  const wanted = members.flatMap((name) => (query.has(name) ? [[name, query.get(name)] as const] : []));
  const after = Number(query.get('after') ?? 0) || 0;
  return (entry: Entry) => entry.number > after && wanted.every(([name, value]) => entry[name] === value);
}

function sendText(response: ServerResponse, type: string, text: string): true {
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
  return true;
}
