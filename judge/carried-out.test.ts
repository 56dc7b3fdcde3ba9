import { expect, test } from 'vitest';
import { carriedOut } from './carried-out.ts';
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
