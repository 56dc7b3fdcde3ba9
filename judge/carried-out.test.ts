import { expect, test } from 'vitest';
import { carriedOut, takenIn } from './carried-out.ts';
import type { Reply } from './exchange.ts';

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
