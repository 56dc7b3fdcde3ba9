import { parseArgs } from 'node:util';
import { createServer } from '../reference-server/server.ts';
import { openSqliteStore } from '../reference-server/store/sqlite.ts';
import type { Store } from '../reference-server/store/store.ts';
import { arrivalsAt, registered } from './harness/extensions.ts';
import { machineLine } from './harness/machine.ts';
import { scratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';
import { spread } from './harness/spread.ts';

/** How late deliveries arrive that are all due at the same moment, each at an extension of its own. From the due time to the host. */
const extensions = 500;
/** From the start of a server to the moment at which all are due. */
const aheadMs = 1500;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });

await using folder = await scratch();
await using host = await startSide('extension-host', { status: 200 });
for (const [name, file] of [
  ['durable (SQLite FULL)', folder.file('store.sqlite')],
  ['in memory', undefined],
] as const) {
  const store = openSqliteStore(file);
  const lateness: (readonly number[])[] = [];
  const ids = await onServer(store, (url) => registered(url, host.url, extensions));
  for (let round = 0; round <= Number(values.rounds); round += 1) lateness.push(await latenessOf(store, ids, round));
  print(name, lateness.slice(1));
  await store.close();
}
console.log(`  ${machineLine()}`);

async function onServer<T>(store: Store, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer({ store });
  try {
    return await work(await server.listen());
  } finally {
    await server.close();
  }
}

/** In ms, sorted. The server finds the deliveries in the queue, as after a restart, and has to wait for them. */
async function latenessOf(store: Store, ids: readonly string[], round: number): Promise<readonly number[]> {
  const dueAt = Date.now() + aheadMs;
  await store.change(async (writing) => {
    for (const id of ids) await writing.insertDelivery(delivery(id, `${round} ${id}`), `${id} event`, dueAt);
  });
  return onServer(store, async () => {
    await new Promise((resolve) => setTimeout(resolve, aheadMs + 1000));
    const arrivals = await arrivalsAt(host.url);
    if (arrivals.length !== ids.length) throw new Error(`Expected ${ids.length} calls, the host got ${arrivals.length}.`);
    return arrivals.map((at) => at - dueAt).toSorted((one, other) => one - other);
  });
}

function delivery(registrationId: string, id: string) {
  return {
    ...{ id, kind: 'event', registrationId, recordId: 'event', spaceId: 'main', envelopeId: id } as const,
    ...{ userName: 'edda', informationFilter: btoa('{}'), payload: { contentPayload: {}, id, spaceId: 'main' } },
  };
}

function print(name: string, rounds: readonly (readonly number[])[]): void {
  const at = (share: number): string => {
    const { median, min, max } = spread(rounds.map((sorted) => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN));
    return `${median.toFixed(1)} [${min.toFixed(1)}–${max.toFixed(1)}]`;
  };
  console.log(`${extensions} deliveries due at the same moment, ${name} (${rounds.length} rounds), ms late`);
  console.log(`  p50 ${at(0.5)}   p99 ${at(0.99)}   last ${at(1)}   goal p99 <= 20`);
}
