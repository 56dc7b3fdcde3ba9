import fastify from 'fastify';
import { createServer } from '../reference-server/server.ts';
import { compare } from './harness/compare.ts';
import type { Figure } from './harness/load.ts';

/** Starting and closing a server in a process that has started one before; the kill matrix does so once a fault. */
const beforeUs = cpuUs();
await startedReference();
console.log(`first start in a process: ${Math.round((cpuUs() - beforeUs) / 1000)} ms CPU, loading of modules left out`);

await compare({
  title: 'start, listen and close, one server after another',
  baseline: { name: 'fastify without routes', round: (seconds) => repeated(seconds, startedBare) },
  subject: { name: 'reference server', round: (seconds) => repeated(seconds, startedReference) },
  goal: 'none',
  ratio: 'time',
  unit: 'start',
});

async function startedReference(): Promise<void> {
  const server = createServer({ control: true });
  await server.listen();
  await server.close();
}

async function startedBare(): Promise<void> {
  const app = fastify();
  await app.listen({ port: 0, host: '127.0.0.1' });
  await app.close();
}

async function repeated(seconds: number, start: () => Promise<void>): Promise<Figure> {
  const startedAt = performance.now();
  const before = cpuUs();
  let starts = 0;
  for (; performance.now() - startedAt < seconds * 1000; starts += 1) await start();
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  return { perSecond: starts / elapsedSeconds, cpuUs: (cpuUs() - before) / starts, failures: 0 };
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
