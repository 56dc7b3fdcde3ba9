import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { fetchService } from '../api/fetch.ts';
import { startExtensionHost } from '../api/extension-host.ts';
import { startServer } from '../api/server.ts';
import { machineLine, spreadText } from './harness/figures.ts';
import type { FreshCost, FreshOpening } from './sides/fresh-library.ts';

/** What the library costs in a test: a start in a process of its own, one after another, and hundreds beside each other. Goal: a fresh server within 60 ms. */
const rounds = 200;
const atOnce = 300;

/** Processes for each figure of one that has done nothing before, as each file of a test runner that isolates them is. */
const processes = 15;
/** What is built, as users have it, and what is named besides: other builds, measured in turn with it. */
const builds = [fileURLToPath(new URL('../dist', import.meta.url)), ...process.argv.slice(2)];

console.log(machineLine());
for (const opens of ['startServer', 'fetchService', 'startExtensionHost'] as const) await tellFresh(opens);
await timed('startServer()', rounds, startServer);
await timed('fetchService()', rounds, () => fetchService());
await timed('startExtensionHost()', rounds, startExtensionHost);

const before = process.memoryUsage().rss;
const startedAt = performance.now();
const servers = await Promise.all(Array.from({ length: atOnce }, () => startServer()));
const ms = performance.now() - startedAt;
const megabytes = (process.memoryUsage().rss - before) / 1e6;
await Promise.all(servers.map((server) => server.close()));
console.log(`${atOnce} servers at once: ${ms.toFixed(0)} ms, ${(megabytes / atOnce).toFixed(2)} MB each`);

async function timed(name: string, count: number, open: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const begun = performance.now();
    const opened = await open();
    times.push(performance.now() - begun);
    await opened.close();
  }
  times.sort((one, other) => one - other);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
  console.log(`${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms, of ${count}`);
}

async function tellFresh(opens: FreshOpening['opens']): Promise<void> {
  const costs = builds.map((): FreshCost[] => []);
  for (let round = 0; round < processes; round += 1)
    for (const [index, build] of builds.entries()) costs[index]?.push(await freshCost({ build, opens }));
  for (const [index, build] of builds.entries()) {
    const textOf = (part: keyof FreshCost): string => spreadText(costs[index]?.map((cost) => cost[part]) ?? [], 0);
    console.log(
      `${opens}() in a fresh process, ms CPU of ${processes}: import ${textOf('loading')}, start ${textOf('opening')}, first answer with its client ${textOf('firstAnswer')} (${build})`,
    );
  }
}

async function freshCost(opening: FreshOpening): Promise<FreshCost> {
  const script = fileURLToPath(new URL('sides/fresh-library.ts', import.meta.url));
  const child = fork(script, [JSON.stringify(opening)]);
  const [cost]: FreshCost[] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])]);
  if (cost === undefined) throw new Error(`${opening.opens}() of ${opening.build} gave no figure.`);
  return cost;
}
