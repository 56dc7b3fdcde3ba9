import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Door } from './door.ts';

/** A server that answers when a body is whole and some time has passed, and lets a body pause so long. */
async function opened(pauseMs: number, answerMs = 0): Promise<number> {
  const door = new Door(pauseMs);
  door.open((request, response) => {
    request.on('error', () => undefined);
    request.resume();
    request.on('end', () => void sleep(answerMs).then(() => response.end('whole')));
  });
  const url = await door.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => door.close()());
  return Number(new URL(url).port);
}

async function answerTo(port: number, parts: readonly string[], pauseMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString()));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  for (const part of parts) {
    socket.write(part);
    await sleep(pauseMs);
  }
  await closed;
  return text;
}

const head = (length: number): string =>
  `POST / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;

test('a body that stalls is refused, and its connection ends', async () => {
  const port = await opened(300);
  expect(await answerTo(port, [head(10), 'abc'], 0)).toMatch(/^HTTP\/1\.1 408 .*stalled/s);
});

test('a body that goes on takes as long as it needs, and one that is whole waits for its answer', async () => {
  const port = await opened(1500, 1800);
  expect(await answerTo(port, [head(35), ...'abcde'.repeat(7)], 50)).toMatch(/^HTTP\/1\.1 200 .*whole/s);
});
