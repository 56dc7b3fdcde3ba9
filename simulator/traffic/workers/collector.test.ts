import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TrafficExchange } from '../engine.ts';
import { madeUp } from '../judging/made-up.fixture.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { Tally } from '../measure/tally.ts';
import { ShareCollector } from './together.ts';
import { ShareRecorder } from './recorder.ts';

/** A request that one of the workers made, and whether the worker tells all it knows when it has ended. */
interface Made {
  readonly worker: number;
  readonly op: string;
  readonly endedAt: number;
  readonly tookMs: number;
  readonly status: number;
  readonly isLost: boolean;
  readonly tells: boolean;
}

const [workers, startedAt] = [3, 1000];
/** From the clock of a worker to that of the hearer, in ms. */
const toOthers = [0, -123.25, 4096.5] as const;

const made: fc.Arbitrary<readonly Made[]> = fc.array(
  fc.record({
    worker: fc.nat(workers - 1),
    op: fc.constantFrom('read', 'edit', 'create'),
    // quarters of a ms are exact in every clock
    endedAt: fc.integer({ min: startedAt * 4, max: startedAt * 4 + 16_000 }).map((quarters) => quarters / 4),
    tookMs: fc.integer({ min: 0, max: 40_000 }).map((quarters) => quarters / 4),
    status: fc.constantFrom(200, 204, 409, 500),
    isLost: fc.boolean(),
    tells: fc.boolean(),
  }),
  { maxLength: 200 },
);

function exchangeOf({ op, endedAt, tookMs, status, isLost }: Made, shift = 0): TrafficExchange {
  const times = { endedAt: endedAt - shift, sentAt: endedAt - tookMs - shift, dueAt: endedAt - tookMs - shift };
  return madeUp({
    ...times,
    step: { op, accept: [200, 204], path: `/${Math.floor(endedAt / 1000)}` },
    body: `said at ${Math.floor(endedAt / 1000)} s`,
    ...(isLost ? { error: 'reset', status: 0 } : { status }),
  });
}

test('whatever workers tell, and when, is counted as if one had made it all', () => {
  fc.assert(
    fc.property(made, (list) => {
      const ordered = list.toSorted((one, other) => one.endedAt - other.endedAt);
      const [alone, lateness] = [new Tally(startedAt), new Histogram()];
      const seen: number[] = [];
      const collector = new ShareCollector(workers, startedAt, ({ endedAt }) => seen.push(endedAt));
      const recorders = toOthers.map((shift) => new ShareRecorder(shift));
      const tell = (worker: number, until: number): void =>
        collector.hear(worker, {
          ...(recorders[worker] ?? new ShareRecorder(0)).news(),
          until,
          judged: 0,
          violations: 0,
        });
      for (const one of ordered) {
        const recorder = recorders[one.worker];
        alone.exchange(exchangeOf(one));
        alone.journeyEnded(one.op, !one.isLost);
        lateness.record(one.tookMs);
        recorder?.exchange(exchangeOf(one, toOthers[one.worker]));
        recorder?.journeyEnded(one.op, !one.isLost);
        recorder?.late(one.tookMs);
        if (one.tells) tell(one.worker, one.endedAt);
      }
      for (let worker = 0; worker < workers; worker += 1) tell(worker, Infinity);
      collector.finish();
      expect(collector.tally.all.summary('all')).toEqual(alone.all.summary('all'));
      expect(collector.tally.operations()).toEqual(alone.operations());
      expect(collector.tally.journeys()).toEqual(alone.journeys());
      expect(collector.tally.seconds()).toEqual(alone.seconds());
      expect([collector.lateness.count, collector.lateness.percentile(99)]).toEqual([
        lateness.count,
        lateness.percentile(99),
      ]);
      expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    }),
  );
});

test('what was cut off is counted by nobody', () => {
  const recorder = new ShareRecorder(0);
  recorder.exchange(madeUp({ error: 'cut off', cutOff: true }));
  expect(recorder.news().requests).toHaveLength(0);
});
