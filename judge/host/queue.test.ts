import { expect, test, vi } from 'vitest';
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
  queue.hear('token 0', 0);
  expect(queue.isBehind(own, 0)).toBe(true);
  expect(queue.isBehind(own, queue.heard)).toBe(false);
  queue.hear('token 2', 0);
  queue.hear('token 0', 0);
  expect(queue.isBehind(own, 0)).toBe(false);
});

test('a host that has come to the call itself is not behind', () => {
  const [queue, , own] = queueOf('ExternalEvent', 'ExternalTask');
  if (own === undefined) throw new Error('no call');
  expect(queue.made('id 1', 'another token', 'ExternalTask')).toBe(own);
  queue.hear('token 0', 0);
  queue.hear('another token', 0);
  expect(queue.isBehind(own, 0)).toBe(false);
});

test('each type may have a queue of its own', () => {
  const [queue, , own] = queueOf('ExternalTask', 'ExternalTask', 'ExternalEvent');
  if (own === undefined) throw new Error('no call');
  queue.hear('token 2', 0);
  queue.hear('token 0', 0);
  expect(queue.isBehind(own, 0)).toBe(true);
});

test('a host that takes calls in any order is elsewhere until it has come to an event, or to the end of a task', () => {
  const [queue, event, task, later] = queueOf('ExternalEvent', 'ExternalTask', 'ExternalTask');
  if (event === undefined || task === undefined || later === undefined) throw new Error('no call');
  expect(queue.isElsewhere(task, 0)).toBe(false);
  queue.hear('token 2', 1);
  expect([event, task, later].map((own) => queue.isElsewhere(own, 1))).toEqual([true, true, false]);
  expect(queue.isElsewhere(task, 2)).toBe(false);
  queue.hear('token 0', 3);
  queue.hear('token 1', 4);
  expect([event, task].map((own) => queue.isElsewhere(own, 3))).toEqual([false, true]);
  queue.hear('token 1', 5, 'status');
  expect(queue.isElsewhere(task, 3)).toBe(false);
});

test('what is answered at once waits in no queue', () => {
  expect(new Queue().made('id', 'token', 'ExternalValidation')).toBeUndefined();
});

test('what goes out beside a call is no later one, however soon the host comes to it', () => {
  const time = vi.spyOn(performance, 'now').mockReturnValue(0);
  const [queue, , own, beside, later] = queueOf('ExternalEvent', 'ExternalEvent', 'ExternalEvent', 'ExternalEvent');
  if (own === undefined || beside === undefined || later === undefined) throw new Error('no call');
  const answered = ['token 1', 'token 2'].map((token) => queue.sent(token));
  for (const take of answered) take();
  time.mockReturnValue(1000);
  queue.sent('token 3');
  time.mockRestore();
  queue.hear('token 2', 0);
  expect(queue.isBehind(own, 0)).toBe(true);
  queue.hear('token 3', 0);
  expect(queue.isBehind(own, 0)).toBe(false);
});

test('tells when the host came to a call, once', () => {
  const [queue, own] = queueOf('ExternalTask');
  if (own === undefined) throw new Error('no call');
  expect(queue.cameAt(own, 0)).toBeUndefined();
  queue.hear('token 0', 7);
  queue.hear('token 0', 9);
  expect([queue.cameAt(own, 0), queue.cameAt(own, 1)]).toEqual([7, undefined]);
});

test('who asks for keys, and keeps them, has not worked on a record by that', () => {
  const queue = new Queue();
  queue.made('id', 'token', 'ExternalEvent', 'record');
  queue.hear('token', 0, 'acquire');
  expect(queue.hasWorkedOn('record')).toBe(false);
  queue.hear('token', 0, 'object');
  expect(queue.hasWorkedOn('record')).toBe(true);
});
