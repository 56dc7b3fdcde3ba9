import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import addFormats from 'ajv-formats';
import { Ajv } from 'ajv';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../fixtures/folder.fixture.ts';
import { trafficReportSchema } from '../../../contract/schemas/traffic.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import { countsWith } from './counts.fixture.ts';
import { MergeError, readCounts, type SegmentCounts, type OperationCounts } from './counts.ts';
import { assertWhole, mergeCounts } from './merge.ts';
import { isAccepted } from '../drive.ts';
import type { CheckStep } from '../step.ts';
import { bucketOf } from './buckets.ts';

const ajv = new Ajv({ allErrors: true });
addFormats.default(ajv);
const isReport = ajv.compile(trafficReportSchema);
const sequence = '0,1/2,1';
const first = countsWith({ segment: '0:1/2', sequence });
const second = countsWith({ segment: '1/2:1', sequence });

function mergedOf(...all: readonly SegmentCounts[]): ReturnType<typeof mergeCounts> {
  return mergeCounts(new Map(all.map((counts, index) => [`${index + 1}.json`, counts])));
}

const exchange = fc.record({
  op: fc.constantFrom('read', 'edit', 'page'),
  ms: fc.double({ min: 0, max: 70_000, noNaN: true }),
  status: fc.constantFrom(0, 200, 204, 409, 500),
});

function countedBy(
  exchanges: readonly { readonly op: string; readonly ms: number; readonly status: number }[],
): Partial<SegmentCounts> {
  const counting = new Counting();
  for (const { op, ms, status } of exchanges) {
    const seen: TrafficExchange = {
      journey: 'reader',
      user: 0,
      iteration: 0,
      step: { kind: 'http', op, method: 'GET', path: '/' },
      result: { status, headers: {}, body: '' },
      dueAt: 0,
      sentAt: 0,
      endedAt: ms,
      ...(status === 0 && { error: 'ECONNRESET' }),
    };
    counting.exchange(seen);
    counting.check({ kind: 'check', rule: 'paging.link.total-number', ok: status !== 500 });
    counting.journeyEnded('reader', status === 200);
  }
  return counting.counts;
}

test('two halves come to what one process counts of the same', () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 60 }), fc.nat({ max: 60 }), (exchanges, at) => {
      const whole = mergedOf(countsWith(countedBy(exchanges)));
      const halves = mergedOf(
        countsWith({ ...first, ...countedBy(exchanges.slice(0, at)) }),
        countsWith({ ...second, ...countedBy(exchanges.slice(at)) }),
      );
      expect(isReport(halves), JSON.stringify(isReport.errors)).toBe(true);
      expect([whole.workers, halves.workers]).toEqual([1, 2]);
      const told = ({ remarks: _, workers: _workers, ...rest }: typeof whole): unknown =>
        JSON.parse(
          JSON.stringify(rest, (name, value) => (name === 'meanMs' ? Number(Number(value).toPrecision(9)) : value)),
        );
      expect(told(halves)).toEqual(told(whole));
      expect(halves.all.requests).toBe(exchanges.length);
      expect(halves.all.errors).toBe(exchanges.filter(({ status }) => status !== 200 && status !== 204).length);
    }),
  );
});

test('violations, thresholds and journeys that could not begin are told', () => {
  const report = mergedOf(
    {
      ...first,
      run: { ...first.run, thresholds: ['read:p99<2ms', 'rate>100/s'] },
      violations: { 'paging.link.total-number': 2 },
      judged: 3,
    },
    {
      ...second,
      run: { ...second.run, thresholds: ['read:p99<2ms', 'rate>100/s'] },
      violations: { 'paging.link.total-number': 1 },
      skipped: 4,
    },
  );
  expect(report.violations).toMatchObject([{ rule: 'paging.link.total-number', count: 3 }]);
  expect(report.thresholds).toMatchObject([{ met: true }, { met: false, found: '2/s' }]);
  expect(report.remarks.join(' ')).toMatch(/2 segments.*upper edges.*4 journeys could not begin/);
  expect(report.judged.exchanges).toBe(3);
});

describe('files that are not one run are refused, and the error says why', () => {
  test.each([
    [
      'another mix',
      { ...second, run: { ...second.run, mix: 'xyz' } },
      /Expected the mix "abc", as in 1.json, found "xyz" in 2.json/,
    ],
    ['another seed', { ...second, run: { ...second.run, seed: 2 } }, /Expected the seed 1, as in 1.json, found 2/],
    ['another load', { ...second, run: { ...second.run, load: { model: 'closed', users: 3 } } }, /the load/],
    ['another duration', { ...second, run: { ...second.run, durationMs: 5 } }, /a duration in ms of 1000/],
    ['another target', { ...second, run: { ...second.run, target: 'http://other' } }, /the target/],
    ['another sequence', { ...second, sequence: '0,1/3,1' }, /same --execution-segment-sequence/],
    ['no sequence', { ...second, sequence: null }, /found 0,1\/2,1 in 1.json and none in 2.json/],
    ['the same segment', first, /The segments 0:1\/2 and 0:1\/2 overlap/],
  ] as const)('%s', (_, other, message) => {
    expect(() => mergedOf(first, other as SegmentCounts)).toThrow(message);
  });

  test('none, or one of two', () => {
    expect(() => mergedOf()).toThrow(/at least one segment/);
    expect(() => mergedOf(first)).toThrow('The segment 1/2:1 is missing');
    expect(() => mergedOf(second)).toThrow('The segment 0:1/2 is missing');
  });
});

test('any cut into segments is whole in any order, and not without one of them', () => {
  const cut = fc.integer({ min: 1, max: 12 }).chain((parts) =>
    fc.record({
      parts: fc.constant(parts),
      left: fc.nat({ max: parts - 1 }),
      order: fc.shuffledSubarray(
        Array.from({ length: parts }, (_, n) => n),
        { minLength: parts },
      ),
    }),
  );
  fc.assert(
    fc.property(cut, ({ parts, left, order }) => {
      const segments = order.map((n) => `${n}/${parts}:${n + 1}/${parts}`);
      expect(() => assertWhole(segments)).not.toThrow();
      expect(() => assertWhole(segments.toSpliced(left, 1))).toThrow(/is missing/);
      expect(() => assertWhole([...segments, segments[left] ?? ''])).toThrow(/overlap/);
    }),
  );
});

test.each(['1/2:1/2', '1/2:0', '0:3/2'])('%s is no segment', (text) => {
  expect(() => assertWhole([text])).toThrow(MergeError);
});

describe('a file', () => {
  const folder = makeFolder();
  const fileWith = (text: string): string => {
    const file = join(folder, 'counts.json');
    writeFileSync(file, text);
    return file;
  };

  test('is read as it was written', () => {
    expect(readCounts(fileWith(JSON.stringify(first)))).toEqual(first);
  });

  test.each([
    ['nothing', '', /Expected JSON in .*, found nothing/],
    ['no JSON', 'Segment', /found something else/],
    [
      'another document',
      '{"kind":"traffic"}',
      /Expected the counts of a segment.* kind must be "traffic-counts", found "traffic"/,
    ],
    [
      'a bucket too many',
      JSON.stringify(
        countsWith({ operations: { read: { accepted: { 81: 1 }, errors: {}, outcomes: {}, totalMs: 1, maxMs: 1 } } }),
      ),
      /buckets from 0 to 80.*found 81 of read/,
    ],
    ['a count below 0', JSON.stringify({ ...first, skipped: -1 }), /skipped must be 0 or more, found -1/],
    [
      'a segment by words',
      JSON.stringify({ ...first, segment: 'half' }),
      /segment must be text of the form .*, found "half"/,
    ],
  ])('with %s is refused', (_, text, message) => {
    expect(() => readCounts(fileWith(text))).toThrow(message);
  });

  test('that is not there is refused', () => {
    expect(() => readCounts(join(folder, 'none.json'))).toThrow(/Cannot read .*none.json.*name an existing file/);
  });
});

type Counted = Pick<SegmentCounts, 'operations' | 'journeys' | 'violations' | 'judged'>;

/** Counts an engine of this process the way that a segment counts itself, so that both can be compared and added up. */
class Counting implements TrafficObserver {
  readonly #operations: Record<string, OperationCounts> = {};
  readonly #journeys: Record<string, { begun: number; whole: number }> = {};
  readonly #violations: Record<string, number> = {};
  #judged = 0;

  get counts(): Counted {
    return {
      operations: this.#operations,
      journeys: this.#journeys,
      violations: this.#violations,
      judged: this.#judged,
    };
  }

  exchange(exchange: TrafficExchange): void {
    const { step, result, error, dueAt, endedAt } = exchange;
    const counts = (this.#operations[step.op] ??= { accepted: {}, errors: {}, outcomes: {}, totalMs: 0, maxMs: 0 });
    const ms = endedAt - dueAt;
    increase(isAccepted(exchange) ? counts.accepted : counts.errors, String(bucketOf(ms)));
    increase(counts.outcomes, error ?? String(result.status));
    counts.totalMs += ms;
    counts.maxMs = Math.max(counts.maxMs, ms);
  }

  check({ rule, ok }: CheckStep): void {
    this.#judged += 1;
    if (!ok) increase(this.#violations, rule);
  }

  journeyEnded(journey: string, whole: boolean): void {
    const counts = (this.#journeys[journey] ??= { begun: 0, whole: 0 });
    counts.begun += 1;
    if (whole) counts.whole += 1;
  }
}

function increase(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
