import { expect, test } from 'vitest';
import type { Reply, RequestSpec } from '../exchange.ts';
import { followed } from './redirects.ts';

/** A service that leads on from `/0` to `/1` and so on, up to that address. */
function leadingTo(last: number) {
  const asked: string[] = [];
  const send = async ({ url }: RequestSpec): Promise<Reply> => {
    asked.push(url);
    const number = Number(url.split('/').at(-1));
    const answer =
      number < last ? { status: 307, headers: { location: `/${number + 1}` } } : { status: 200, headers: {} };
    return { ...answer, url: `http://service/${number}` } as Reply;
  };
  return { asked, send };
}

test.each([
  ['GET', 2, 200],
  ['GET', 3, 200],
  ['GET', 4, 307],
  ['PUT', 1, 307],
])('a %s that %d redirects are between is answered %d', async (method, last, status) => {
  const service = leadingTo(last);
  expect((await followed(service, { method, url: '/0', as: null })).status).toBe(status);
  expect(service.asked.length).toBe(method === 'GET' ? Math.min(last, 3) + 1 : 1);
});
