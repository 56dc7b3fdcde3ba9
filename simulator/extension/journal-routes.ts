import type { IncomingMessage, ServerResponse } from 'node:http';
import { entryLine, type Entry } from './entry.ts';
import type { EntryFilter, Journal } from './journal.ts';

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

/** A page that shows the journal while it grows. It takes texts of the journal as texts only, never as markup. */
const livePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Extension host</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; color: #222; background: #fff }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid #ddd; vertical-align: top }
  td { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
  .bad { color: #b00020 }
</style>
<h1>Extension host</h1>
<p id="state">Waiting for the first call.</p>
<table><thead><tr><th>#</th><th>arrived</th><th>kind</th><th>request</th><th>correlation id</th><th>signature</th><th>answer</th><th>ms</th></tr></thead><tbody id="rows"></tbody></table>
<script>
const rows = document.getElementById('rows');
const shown = new Map();
const most = 500;
function cell(row, index, text, bad) {
  const place = row.cells[index] ?? row.insertCell();
  place.textContent = text;
  place.className = bad ? 'bad' : '';
}
function signatureOf(entry) {
  if (entry.signature === undefined) return '';
  return entry.signature.ok ? 'right' : 'wrong';
}
function show(entry) {
  const row = shown.get(entry.number) ?? rows.insertRow(0);
  shown.set(entry.number, row);
  const signature = signatureOf(entry);
  const ended = entry.endedAt !== undefined;
  cell(row, 0, entry.number);
  cell(row, 1, entry.arrivedWall);
  cell(row, 2, entry.kind);
  cell(row, 3, entry.method + ' ' + entry.base + entry.path);
  cell(row, 4, entry.correlationId ?? '');
  cell(row, 5, signature, signature === 'wrong');
  cell(row, 6, ended ? (entry.status ?? '') + ' ' + entry.ending : 'open', entry.status >= 400);
  cell(row, 7, ended ? Math.round(entry.endedAt - entry.arrivedAt) : '');
  if (ended) settled.add(entry.number);
  while (rows.rows.length > most) rows.deleteRow(-1);
}
const settled = new Set();
let after = 0;
async function follow() {
  for (;;) {
    try {
      const answer = await fetch('journal?awaitMs=1000&after=' + after);
      const lines = (await answer.text()).split('\\n').filter((line) => line !== '');
      lines.map((line) => JSON.parse(line)).forEach(show);
      while (settled.delete(after + 1)) after += 1;
      document.getElementById('state').textContent = shown.size + ' requests';
      if (lines.length > 0) await new Promise((resolve) => setTimeout(resolve, 500));
    } catch {
      document.getElementById('state').textContent = 'The host does not answer.';
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}
follow();
</script>
</html>
`;
