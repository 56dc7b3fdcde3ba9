import { afterEach, expect, test } from 'vitest';
import { HttpClient } from '../client/client.ts';
import type { Sender } from '../client/client.ts';
import { smallService } from '../small-service.fixture.ts';
import { Lanes } from './host.ts';

const client = new HttpClient();
afterEach(() => client.close());

const againMs = 40;

const sender: Sender = { reuse: true, retries: [], add: () => undefined };

test('calls that a host refuses together are taken one after the other', async () => {
  let free = 1;
  const service = await smallService(({ url }, response) => {
    const isTaken = url.startsWith('/free') || free > 0;
    // it tells whole seconds, and is itself the time to wait
    if (!isTaken) return void setTimeout(() => response.writeHead(429, { 'Retry-After': '0' }).end(), againMs);
    free -= 1;
    setTimeout(() => (free += 1), againMs / 2);
    response.end();
  });
  const lanes = new Lanes();
  const send = async (path: string): Promise<number> => {
    const url = `${service.url}${path}`;
    return (await lanes.send(url, client, { method: 'POST', url, headers: [] }, sender)).status;
  };
  const statuses = await Promise.all(Array.from({ length: 16 }, () => send('/held')));
  expect(statuses).toEqual(Array.from({ length: 16 }, () => 200));
  expect(await send('/free')).toBe(200);
});

test('nobody waits his turn where a host takes none', async () => {
  let [asked, isOpen] = [0, false];
  const service = await smallService((_request, response) => {
    asked += 1;
    response.writeHead(isOpen ? 200 : 429, { 'Retry-After': '0' }).end();
  });
  const lanes = new Lanes();
  const send = async (): Promise<number | string> => {
    const request = { method: 'POST', url: `${service.url}/held`, headers: [] };
    return lanes.send(request.url, client, request, sender).then(
      ({ status }) => status,
      () => 'not taken',
    );
  };
  expect(await send()).toBe('not taken');
  const ofOneRound = asked / 3;
  asked = 0;
  expect(await Promise.all(Array.from({ length: 4 }, send))).toEqual(Array(4).fill('not taken'));
  expect(asked).toBe(4 * ofOneRound);
  isOpen = true;
  expect(await send()).toBe(200);
  isOpen = false;
  asked = 0;
  expect(await send()).toBe('not taken');
  expect(asked).toBe(3 * ofOneRound);
});
