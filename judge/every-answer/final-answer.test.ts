import { expect, test } from 'vitest';
import { carriedOut, followed, takenIn } from './final-answer.ts';
import type { Reply, RequestSpec } from '../exchange.ts';

const answer = (status: number): Reply => ({ status }) as Reply;

test('what is accepted to be deleted is waited for, and what is deleted is not', async () => {
  const reads = [200, 200, 404];
  const read = async (): Promise<Reply> => answer(reads.shift() ?? 404);
  expect((await carriedOut(answer(204), read)).status).toBe(204);
  expect(reads.length).toBe(3);
  expect((await carriedOut(answer(202), read)).status).toBe(202);
  expect(reads).toEqual([]);
});

test('what is accepted to be stored is waited for, and what is stored is not', async () => {
  const reads = [404, 404, 200];
  const read = async (): Promise<Reply> => answer(reads.shift() ?? 200);
  expect((await takenIn(answer(201), read)).status).toBe(201);
  expect(reads.length).toBe(3);
  expect((await takenIn(answer(202), read)).status).toBe(202);
  expect(reads).toEqual([]);
});

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
