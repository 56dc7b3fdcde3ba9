import { createServer } from 'node:http';
import { Client } from 'undici';
import { expect, test } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import { receive } from './receive.ts';
import { type Guest, Room } from './room.ts';

test('beyond the limit all wait but the longest, and go on when it is over', () => {
  const room = new Room(10);
  const guest = (sizeBytes: number): Guest & { isPaused: boolean } => {
    const one = {
      sizeBytes,
      isPaused: false,
      pause: () => void (one.isPaused = true),
      resume: () => void (one.isPaused = false),
    };
    return one;
  };
  const [long, short, shorter] = [guest(8), guest(4), guest(3)];
  for (const one of [long, short, shorter]) room.grown(one);
  expect([long, short, shorter].map(({ isPaused }) => isPaused)).toEqual([false, true, true]);
  room.left(long);
  expect([short, shorter].map(({ isPaused }) => isPaused)).toEqual([false, false]);
});

test('many long answers at once take no more than a few do, and each comes whole', async () => {
  const sizeBytes = 14 * 1024 * 1024;
  await using server = await listen(
    createServer((_incoming, outgoing) => {
      outgoing.end(Buffer.alloc(sizeBytes, 32));
    }),
  );
  const clients = Array.from({ length: 12 }, () => new Client(server.url));
  const request = { method: 'GET', url: `${server.url}/`, headers: [] };
  const answers = await Promise.all(
    clients.map(async (client) => {
      const { bytes } = await receive(client, request, { timeoutMs: 60_000, sizeBytes: 16 * 1024 * 1024, last: true });
      return bytes.length;
    }),
  );
  expect(answers).toEqual(clients.map(() => sizeBytes));
  await Promise.all(clients.map((client) => client.close()));
});
