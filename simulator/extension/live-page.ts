import type { IncomingMessage, ServerResponse } from 'node:http';

/** Serves `GET /`, a page to watch: it reads the journal by the control routes, with the token behind the # of its address. Returns whether it did. */
export function livePage(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET' || (request.url ?? '').split('?')[0] !== '/') return false;
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }).end(page);
  return true;
}

/** A page that shows the journal while it grows. It takes texts of the journal as texts only, never as markup. */
const page = `<!doctype html>
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
      const headers = { authorization: 'Bearer ' + location.hash.slice(1) };
      const answer = await fetch('_control/journal?awaitMs=1000&after=' + after, { headers });
      if (!answer.ok) {
        document.getElementById('state').textContent = 'Start the host with --control, and open the page that it announces.';
        return;
      }
      const { entries } = await answer.json();
      entries.forEach(show);
      while (settled.delete(after + 1)) after += 1;
      document.getElementById('state').textContent = shown.size + ' requests';
      if (entries.length > 0) await new Promise((resolve) => setTimeout(resolve, 500));
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
