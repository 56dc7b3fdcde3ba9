import { expect, test } from 'vitest';
import { Queue, type Queued } from './queue.ts';

function queueOf(...types: readonly ('ExternalEvent' | 'ExternalTask')[]): [Queue, ...Queued[]] {
  const queue = new Queue();
  const calls = types.flatMap((type, index) => queue.made(`id ${index}`, `token ${index}`, type) ?? []);
  return [queue, ...calls];
}

test('a host is behind while it works on earlier calls and has come to none of later ones', () => {
  const [queue, , own] = queueOf('ExternalEvent', 'ExternalTask', 'ExternalEvent');
  if (own === undefined) throw new Error('no call');
  expect(queue.isBehind(own, 0)).toBe(false);
  queue.hear('token 0');
  expect(queue.isBehind(own, 0)).toBe(true);
  expect(queue.isBehind(own, queue.heard)).toBe(false);
  queue.hear('token 2');
  queue.hear('token 0');
  expect(queue.isBehind(own, 0)).toBe(false);
});

test('a host that has come to the call itself is not behind', () => {
  const [queue, , own] = queueOf('ExternalEvent', 'ExternalTask');
  if (own === undefined) throw new Error('no call');
  expect(queue.made('id 1', 'another token', 'ExternalTask')).toBe(own);
  queue.hear('token 0');
  queue.hear('another token');
  expect(queue.isBehind(own, 0)).toBe(false);
});

test('each type may have a queue of its own', () => {
  const [queue, , own] = queueOf('ExternalTask', 'ExternalTask', 'ExternalEvent');
  if (own === undefined) throw new Error('no call');
  queue.hear('token 2');
  queue.hear('token 0');
  expect(queue.isBehind(own, 0)).toBe(true);
});

test('what is answered at once waits in no queue', () => {
  expect(new Queue().made('id', 'token', 'ExternalValidation')).toBeUndefined();
});
