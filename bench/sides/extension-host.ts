import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serving, settingsOf } from '../harness/serving.ts';

/** A host with any number of extensions, each below a path of its own, which answers every event alike and knows when it came. */
export interface ExtensionHostSettings {
  readonly status: number;
}

const { status } = settingsOf<ExtensionHostSettings>();
const record = {
  ...{ id: 'event', version: '1.0.0', name: 'Measured', endpoint: 'event', extensionType: 'ExternalEvent' },
  ...{ category: 'bench', retryForever: true, rateLimitNumberOfExecutions: 1000 },
};
/** Ms since the epoch, with fractions. */
const arrivals: number[] = [];

const host = createServer((request, response) => {
  if (request.url === '/arrivals') return response.end(JSON.stringify(arrivals.splice(0)));
  if (request.method === 'GET') return response.end(JSON.stringify([record]));
  arrivals.push(performance.timeOrigin + performance.now());
  request.resume();
  return response.writeHead(status).end();
});
host.keepAliveTimeout = 60_000;
host.listen(0, '127.0.0.1', () => {
  const { port } = host.address() as AddressInfo;
  serving(`http://127.0.0.1:${port}`, async () => {
    host.closeAllConnections();
    host.close();
  });
});
