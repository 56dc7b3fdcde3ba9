import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serving, settingsOf } from '../harness/serving.ts';

/** A host with any number of extensions, each below a path of its own, which knows when its calls came and when it had answered them. */
export interface ExtensionHostSettings {
  /** Answers to the calls of each extension, in turn; the last one goes on for ever. */
  readonly statuses: readonly number[];
}

/** A call, in ms since the epoch, with fractions. */
export interface HostedCall {
  readonly path: string;
  readonly at: number;
  readonly answeredAt: number;
}

const { statuses } = settingsOf<ExtensionHostSettings>();
const record = {
  ...{ id: 'event', version: '1.0.0', name: 'Measured', endpoint: 'event', extensionType: 'ExternalEvent' },
  ...{ category: 'bench', retryForever: true, rateLimitNumberOfExecutions: 1000 },
};
let calls: HostedCall[] = [];
let counts = new Map<string, number>();

const host = createServer((request, response) => {
  if (request.url === '/calls') return response.end(JSON.stringify(taken()));
  if (request.method === 'GET') return response.end(JSON.stringify([record]));
  const [at, path] = [now(), request.url ?? ''];
  const count = counts.get(path) ?? 0;
  counts.set(path, count + 1);
  request.resume();
  response.on('finish', () => calls.push({ path, at, answeredAt: now() }));
  return response.writeHead(statuses[Math.min(count, statuses.length - 1)] ?? 200).end();
});
host.keepAliveTimeout = 60_000;
host.listen(0, '127.0.0.1', () => {
  const { port } = host.address() as AddressInfo;
  serving(`http://127.0.0.1:${port}`, async () => {
    host.closeAllConnections();
    host.close();
  });
});

function taken(): readonly HostedCall[] {
  const all = calls;
  calls = [];
  counts = new Map();
  return all;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
