import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { HttpClient } from './client.ts';
import { Departures } from './departure.ts';

const request = { method: 'GET', headers: [] };
const sender = { reuse: false, retries: [], add: () => undefined };

/** Answers once, and is gone for good with what comes next. */
function shortLived(): Server {
  let count = 0;
  const server = createServer((asked, response) => {
    count += 1;
    if (count === 1) return void response.end();
    server.close();
    asked.socket.destroy();
  });
  return server;
}

test('who answered before and is gone is told with what was asked then', async () => {
  const server = shortLived();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new HttpClient();
  const send = (method: string, path: string): Promise<unknown> =>
    client.send({ ...request, method, url: `${url}${path}` }, sender);
  await send('GET', '/a');
  await expect(send('POST', '/b')).rejects.toThrow('the connection was lost during POST /b');
  await expect(send('GET', '/c')).rejects.toThrow(
    `nothing answers at ${url} (ECONNREFUSED) any more: it went away during POST /b; see why, and start it again`,
  );
  await client.close();
});

test('of many requests that were lost those that write are named first, in the same words until somebody answers', () => {
  const departures = new Departures();
  departures.lost('o', 'GET /0');
  expect(departures.sentenceAbout('o')).toBeUndefined();
  departures.answered('o');
  for (const lost of ['GET /1', 'PUT /2', 'GET /3', 'PUT /2', 'POST /4']) departures.lost('o', lost);
  const sentence = departures.sentenceAbout('o');
  expect(sentence).toContain(' during PUT /2, POST /4, GET /1 or one of 1 more; ');
  departures.lost('o', 'PATCH /5');
  expect(departures.sentenceAbout('o')).toBe(sentence);
  departures.answered('o');
  expect(departures.sentenceAbout('o')).toBe(' any more: see why it went away, and start it again');
});
