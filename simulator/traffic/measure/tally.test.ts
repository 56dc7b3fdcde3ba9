import { expect, test } from 'vitest';
import { madeUp } from '../judging/made-up.fixture.ts';
import { Tally } from './tally.ts';

test('what waited to be sent is in the latency, and not in the raw one beside it', () => {
  const tally = new Tally(0);
  // a stall of 1 s that begins at 0: what is due meanwhile is sent when it is over
  for (let dueAt = 0; dueAt < 10_000; dueAt += 1) {
    const sentAt = Math.max(dueAt, 1000);
    tally.exchange(madeUp({ dueAt, sentAt, endedAt: sentAt + 2 }));
  }
  const { p50Ms, p95Ms, p999Ms, p9999Ms, maxMs, raw } = tally.all.summary('all');
  const near = (ms: number, wanted: number): boolean => Math.abs(ms - wanted) <= wanted / 500;
  expect(
    [p50Ms, p95Ms, p999Ms, p9999Ms, maxMs].map((ms, index) => near(ms, [2, 502, 992, 1001, 1002][index] ?? 0)),
  ).toEqual(Array(5).fill(true));
  expect(raw).toMatchObject({ p50Ms: 2, p9999Ms: 2, maxMs: 2 });
});

test('a step is counted in its journey, and its operation over all journeys', () => {
  const tally = new Tally(0);
  for (const [journey, op, status] of [
    ['reader', 'read', 200],
    ['author', 'read', 500],
    ['author', 'edit', 204],
  ] as const)
    tally.exchange(madeUp({ journey, step: { op }, status }));
  tally.journeyEnded('reader', true);
  tally.journeyEnded('author', false);
  expect(tally.operations().map(({ op, requests, errors }) => [op, requests, errors])).toEqual([
    ['edit', 1, 0],
    ['read', 2, 1],
  ]);
  expect(
    tally.journeys().map(({ journey, steps }) => [journey, steps?.map(({ op, outcomes }) => [op, outcomes])]),
  ).toEqual([
    [
      'author',
      [
        ['edit', { 204: 1 }],
        ['read', { 500: 1 }],
      ],
    ],
    ['reader', [['read', { 200: 1 }]]],
  ]);
  expect(tally.all.summary('all')).toMatchObject({ requests: 3, errors: 1, outcomes: { 200: 1, 204: 1, 500: 1 } });
});

test('of the errors of an operation that end alike the first is told, with what its answer said', () => {
  const tally = new Tally(0);
  const exchangeAt = (second: number, path: string, more: Parameters<typeof madeUp>[0]): void =>
    tally.exchange(madeUp({ step: { op: 'read', path }, endedAt: second * 1000, ...more }));
  exchangeAt(1, '/fine', { status: 200 });
  exchangeAt(2, '/first?token=hidden', { status: 500, body: { title: 'Gone', detail: 'no\n connection' } });
  exchangeAt(3, '/second', { status: 500, body: { title: 'Other' } });
  exchangeAt(4, '/text', { status: 503, body: ` ${'long '.repeat(100)}` });
  exchangeAt(5, '/lost', { status: 0, error: 'ECONNRESET' });
  expect(tally.operations()[0]?.failures).toEqual([
    { outcome: '500', requests: 2, first: { second: 2, request: 'GET /first', says: 'Gone: no connection' } },
    { outcome: '503', requests: 1, first: { second: 4, request: 'GET /text', says: 'long '.repeat(40).trim() } },
    { outcome: 'ECONNRESET', requests: 1, first: { second: 5, request: 'GET /lost' } },
  ]);
});
