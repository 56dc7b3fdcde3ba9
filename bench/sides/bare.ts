import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent, settingsOf } from '../harness/parent.ts';

/** The baseline: reads the body, then answers the same bytes to everything. */
export interface BareSettings {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const { status, headers, body } = settingsOf<BareSettings>();

const server = createServer((request, response) => {
  const answer = (): void => void response.writeHead(status, headers).end(body);
  if (request.method === 'GET') return answer();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', answer);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
answerParent(`http://127.0.0.1:${port}`, async () => {
  server.closeAllConnections();
  server.close();
});
