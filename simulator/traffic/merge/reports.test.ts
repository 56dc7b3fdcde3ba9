import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trafficReportWith } from '../../../contract/schemas/traffic.fixture.ts';
import type { TrafficReport } from '../../../contract/schemas/traffic.ts';
import type { TrafficExchange } from '../engine.ts';
import { madeUp } from '../judging/made-up.fixture.ts';
import { Punctuality } from '../measure/punctuality.ts';
import { Tally } from '../measure/tally.ts';
import { judgeThreshold, thresholdFrom } from '../thresholds.ts';
import { mergeReports } from './reports.ts';

const limits = ['p99<200ms', 'errors<1%', 'read:rate>2/s'];

/** As a process tells what it made. */
function reportOf(exchanges: readonly TrafficExchange[], segment?: TrafficReport['segment']): TrafficReport {
  const tally = new Tally(0);
  const punctuality = new Punctuality(1);
  for (const exchange of exchanges) {
    tally.exchange(exchange);
    tally.journeyEnded(exchange.journey, exchange.error === undefined);
    punctuality.count(exchange.dueAt, exchange.sentAt - exchange.dueAt, true);
  }
  const { behind: _behind, ...lateness } = punctuality.summary();
  const all = tally.all.summary('all');
  const operations = [...tally.operations()];
  const minutes = tally.minutes();
  return trafficReportWith({
    ...(segment && { segment }),
    durationMs: 200_000,
    requestsPerSecond: all.requests / 200,
    all,
    operations,
    journeys: [...tally.journeys()],
    seconds: tally.seconds().filter(({ requests }) => requests > 0),
    ...(minutes.length >= 2 && { minutes: [...minutes] }),
    lateness,
    judged: { ratio: 1, exchanges: exchanges.length },
    thresholds: limits.map((text) => judgeThreshold(thresholdFrom(text), [...operations, all], 200)),
  });
}

const exchange = fc
  .record({
    journey: fc.constantFrom('reader', 'author'),
    op: fc.constantFrom('read', 'page', 'edit'),
    dueAt: fc.integer({ min: 0, max: 199_000 }),
    waited: fc.double({ min: 0, max: 300, noNaN: true }),
    took: fc.double({ min: 0, max: 700, noNaN: true }),
    status: fc.constantFrom(200, 200, 200, 409, 500),
    isLost: fc.boolean(),
  })
  .map(({ journey, op, dueAt, waited, took, status, isLost }) =>
    madeUp({
      journey,
      step: { op, path: `/${Math.floor((dueAt + waited + took) / 1000)}` },
      status,
      dueAt,
      sentAt: dueAt + waited,
      endedAt: dueAt + waited + took,
      ...(isLost && { error: 'ECONNRESET' }),
    }),
  );

const inOrder = (all: readonly TrafficExchange[]): readonly TrafficExchange[] =>
  all.toSorted((one, other) => one.endedAt - other.endedAt);

test('segments come to what one process tells of the same, to the last digit', () => {
  fc.assert(
    fc.property(
      fc.array(exchange, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat({ max: 4 })),
      (exchanges, of, dealt) => {
        const segments = exchanges.map((one) => ({ one, to: (dealt.next().value ?? 0) % of }));
        const files = Array.from({ length: of }, (_, index) => {
          const part = segments.filter(({ to }) => to === index).map(({ one }) => one);
          // whoever has nothing to do in a second tells nothing of it
          return [`${index}.json`, reportOf(inOrder(part), { number: index + 1, of })] as const;
        });
        const whole = reportOf(inOrder(exchanges));
        const merged = mergeReports(new Map(files.toReversed()));
        expect({ ...merged, remarks: [], workers: 1 }).toEqual(whole);
        expect(merged.workers).toBe(of);
      },
    ),
    { numRuns: 60 },
  );
});

describe('files that are not one load are refused, and the error says why', () => {
  const [first, second] = [1, 2].map((number) => reportOf([madeUp({})], { number, of: 2 }));
  if (first === undefined || second === undefined) throw new Error('two reports');
  const { segment: _segment, ...whole } = second;
  test.each<[string, TrafficReport, RegExp]>([
    ['another seed', { ...second, seed: 2 }, /the seed 1, as in a.json, found 2 in b.json/],
    ['another rate', { ...second, load: { model: 'open', rate: 51 } }, /the load/],
    ['another time', { ...second, segment: { number: 2, of: 2, startAt: 'x' } }, /the --start-at none, .* found "x"/],
    ['the same segment', first, /each segment once, found number 1 in a.json and b.json/],
    ['a whole load', whole, /the report of a segment in b.json/],
  ])('%s', (_, other, message) => {
    expect(() => mergeReports(new Map(Object.entries({ 'a.json': first, 'b.json': other })))).toThrow(message);
  });

  test('one of two', () => {
    expect(() => mergeReports(new Map([['a.json', first]]))).toThrow('The segment 2/2 is missing');
  });
});
