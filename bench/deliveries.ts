import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Delivery } from '../reference-server/ports/deliveries.ts';
import { createServer } from '../reference-server/server.ts';
import { openSqliteStore } from '../reference-server/ports/sqlite.ts';
import type { Store } from '../reference-server/ports/store.ts';
import { callsAt, registered } from './harness/extensions.ts';
import { machineLine, spreadText } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';
import type { HostedCall } from './sides/extension-host.ts';

/**
 * How late deliveries arrive at 500 extensions. First all at once, each due in the same millisecond, over connections that have to be made:
 * that takes as long as the calls take together. All fail, and are retried 2 s after the end of each attempt: those are the goal's.
 */
const extensions = 500;
const retryMs = 2000;
/** A busy machine may need longer than the calls should take: so often it is looked once a second. */
const mostLooks = 20;
/** From the start of a server to the moment at which all are due. */
const aheadMs = 1000;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });

interface Lateness {
  readonly first: readonly number[];
  readonly retried: readonly number[];
  /** Of the server, for each of the calls, in us. */
  readonly cpuUs: number;
}

await using folder = await makeScratch();
await using host = await startSide('extension-host', { statuses: [503, 200] });
await measure('durable (SQLite FULL)', folder.file('store.sqlite'));
await measure('in memory', undefined);
console.log(`  ${machineLine()}`);

async function measure(name: string, file: string | undefined): Promise<void> {
  const store = openSqliteStore(file);
  const ids = await onServer(store, (url) => registered(url, host.url, extensions));
  const rounds: Lateness[] = [];
  for (let round = 0; round <= Number(values.rounds); round += 1) rounds.push(await latenessOf(store, ids, round));
  await store.close();
  console.log(`${extensions} deliveries at once, ${name} (${rounds.length - 1} rounds), ms late`);
  print(
    'due in one millisecond, cold',
    'none',
    rounds.slice(1).map(({ first }) => first),
  );
  print(
    'retried',
    'p99 <= 20',
    rounds.slice(1).map(({ retried }) => retried),
  );
  const cpu = rounds.slice(1).map(({ cpuUs }) => cpuUs);
  console.log(`  CPU of the server a call        ${spreadText(cpu, 0)} us`);
}

async function onServer<T>(store: Store, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer({ store });
  try {
    return await work(await server.listen());
  } finally {
    await server.close();
  }
}

/** The server finds the deliveries in the queue, as after a restart, and has to wait for them. */
async function latenessOf(store: Store, ids: readonly string[], round: number): Promise<Lateness> {
  const dueAt = Date.now() + aheadMs;
  await store.change(async (writing) => {
    for (const id of ids) await writing.insertDelivery(delivery(id, `${round} ${id}`), `${id} event`, dueAt);
  });
  return onServer(store, async () => {
    const before = process.cpuUsage();
    await sleep(aheadMs + retryMs + 1500);
    const calls: HostedCall[] = [];
    for (let looks = 0; calls.length < 2 * ids.length && looks < mostLooks; looks += 1) {
      if (looks > 0) await sleep(1000);
      calls.push(...(await callsAt(host.url)));
    }
    const { user, system } = process.cpuUsage(before);
    const byPath = Object.values(Object.groupBy(calls, ({ path }) => path));
    const pairs = byPath.map((calls = []) => calls.toSorted((one, other) => one.at - other.at));
    if (pairs.length !== ids.length || pairs.some(({ length }) => length !== 2))
      throw new Error('Expected two calls for each.');
    return {
      first: pairs.map(([call]) => lateBy(call, dueAt)),
      retried: pairs.map(([first, second]) => lateBy(second, (first?.answeredAt ?? NaN) + retryMs)),
      cpuUs: (user + system) / (2 * ids.length),
    };
  });
}

function lateBy(call: HostedCall | undefined, dueAt: number): number {
  return (call?.at ?? NaN) - dueAt;
}

function delivery(registrationId: string, id: string): Delivery {
  const payload = { contentPayload: {}, id, spaceId: 'main' };
  const trigger = { spaceId: 'main', envelopeId: id, userName: 'edda', informationFilter: btoa('{}') };
  return { id, kind: 'event', registrationId, recordId: 'event', payload, ...trigger };
}

function print(what: string, goal: string, rounds: readonly (readonly number[])[]): void {
  const at = (share: number): string => {
    const figures = rounds.map((all) => all.toSorted((one, other) => one - other)[Math.ceil(all.length * share) - 1]);
    return spreadText(
      figures.map((figure) => figure ?? NaN),
      1,
    );
  };
  console.log(`  ${what.padEnd(30)} p50 ${at(0.5)}   p99 ${at(0.99)}   last ${at(1)}   goal ${goal}`);
}
