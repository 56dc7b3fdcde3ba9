import { fetchService } from '../api/fetch.ts';
import { startExtensionHost } from '../api/extension-host.ts';
import { startServer } from '../api/server.ts';

/** What the library costs in a test: a start, after the first one of a process, and hundreds beside each other. Goal: a fresh server within 60 ms. */
const rounds = 200;
const atOnce = 300;

await timed('first start of a server, with loading', 1, startServer);
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
