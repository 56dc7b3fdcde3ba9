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
