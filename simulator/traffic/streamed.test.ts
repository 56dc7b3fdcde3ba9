import { afterEach, expect, test } from 'vitest';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSender } from './send.ts';
import type { HttpStep } from './step.ts';
import { packedRequestOf, placeOf } from './wire.ts';

const megabyte = 1024 * 1024;
const length = 200 * megabyte;
const authorizationOf = (): string => 'Bearer made.up.token';
const upload: HttpStep = {
  kind: 'http',
  op: 'upload',
  method: 'POST',
  path: '/file',
  body: { kind: 'generated', seed: 1, length },
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test(
  'a stream upload is made while it is sent: its length says nothing about memory',
  { timeout: 60_000 },
  async () => {
    const held = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
    let [received, most] = [0, 0];
    server = createServer((request, response) => {
      request.on('data', ({ length: piece }: Buffer) => {
        received += piece;
        most = Math.max(most, held());
      });
      request.on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const before = held();
    await using sender = openSender(
      { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, authorizationOf, timeoutMs: 60_000 },
      1,
    );
    const { result, error } = await sender.send(upload);
    expect([result.status, error, received]).toEqual([200, undefined, length]);
    expect(most - before).toBeLessThan(length / 2);
  },
);

test('a stream upload of the closed model is pulled piece by piece', async () => {
  const { bytes, stream } = packedRequestOf(upload, { authorizationOf }, placeOf('http://x'));
  expect(bytes.length).toBeLessThan(1024);
  let pulled = 0;
  for await (const piece of stream ?? []) {
    pulled += Buffer.from(piece).length;
    expect(stream?.readableLength).toBeLessThan(megabyte);
    if (pulled > 2 * megabyte) break;
  }
  expect(pulled).toBeLessThan(3 * megabyte);
});
