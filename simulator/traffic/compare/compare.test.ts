import { describe, expect, test } from 'vitest';
import { operationWith, trafficReportWith } from '../../../contract/schemas/traffic.fixture.ts';
import type { SecondSummary, TrafficReport } from '../../../contract/schemas/traffic.ts';
import { randomFrom } from '../chance.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { undecidedIn, withComparison, worseLimitsFrom } from './compare.ts';

interface Made {
  readonly seconds?: number;
  readonly perSecond?: number;
  /** How many times slower than usual. */
  readonly slower?: number;
  /** How much longer a whole second can take than another one; seconds that follow each other are alike. */
  readonly moods?: number;
  readonly errors?: number;
  readonly load?: TrafficReport['load'];
  readonly stages?: TrafficReport['stages'];
}

/** A run whose latencies are drawn by chance: most of some ms, a few far longer. */
function runOf(seed: number, made: Made = {}): TrafficReport {
  const {
    seconds = 40,
    perSecond = 100,
    slower = 1,
    moods = 0.2,
    errors = 0,
    load = { model: 'open', rate: 50 },
    stages,
  } = made;
  const random = randomFrom(seed);
  let mood = 0;
  const bySecond = Array.from({ length: seconds }, (_, second): SecondSummary => {
    mood = mood * 0.5 + (random() - 0.5) * moods;
    const histogram = new Histogram();
    for (let number = 0; number < perSecond; number += 1)
      histogram.record(slower * Math.exp(mood) * 4 * Math.exp(Math.sqrt(-2 * Math.log(1 - random())) * 0.5));
    return { second, requests: perSecond, errors, p50Ms: 0, p90Ms: 0, p99Ms: 0, maxMs: 0, histogram: histogram.text() };
  });
  return trafficReportWith({
    startedAt: `2027-01-31T00:00:00.00${seed % 10}Z`,
    seed,
    load,
    ...(stages && { stages }),
    durationMs: seconds * 1000,
    requestsPerSecond: perSecond,
    all: operationWith('all', { requests: seconds * perSecond, errors: seconds * errors }),
    journeys: [{ journey: 'reader', begun: 100, whole: 100 }],
    seconds: bySecond,
  });
}

const limits = ['p50<10%', 'p99<10%'].flatMap(worseLimitsFrom);

const verdicts = (before: TrafficReport, after: TrafficReport): readonly (string | undefined)[] =>
  verdictsOf(withComparison(before, after, limits));

function verdictsOf({ compared }: TrafficReport): readonly (string | undefined)[] {
  return ['p50', 'p99'].map((figure) => compared?.figures.find((one) => one.figure === figure)?.limit?.verdict);
}

/** Pairs of runs; what is found by chance follows from their seeds. */
const pairs = Array.from({ length: 200 }, (_, index) => index * 2 + 1);

describe('two runs', () => {
  test('of the same service are never told to be worse, and the interval holds 1 as often as it says', () => {
    const found = pairs.map((seed) =>
      withComparison(runOf(seed, { perSecond: 40 }), runOf(seed + 1, { perSecond: 40 }), worseLimitsFrom('20%')),
    );
    expect(found.flatMap(({ thresholds }) => thresholds).filter(({ met }) => !met)).toEqual([]);
    for (const figure of ['p50', 'p90', 'p99', 'mean']) {
      const holds = found.filter(({ compared }) =>
        compared?.figures.some((one) => one.figure === figure && one.low <= 1 && one.high >= 1),
      );
      const percent = (100 * holds.length) / found.length;
      expect(percent, figure).toSatisfy((share: number) => share >= 93 && share <= 97);
    }
  });

  test('of which the later one is a third slower are told to be worse than a tenth', () => {
    expect(pairs.slice(0, 10).map((seed) => verdicts(runOf(seed), runOf(seed + 1, { slower: 1.35 })))).toEqual(
      Array.from({ length: 10 }, () => ['missed', 'missed']),
    );
  });

  test('of which the later one is quicker keep every limit', () => {
    const { thresholds, compared } = withComparison(runOf(1), runOf(2, { slower: 0.7 }), limits);
    expect(thresholds.map(({ met }) => met)).toEqual([true, true, true]);
    expect(compared?.figures.find(({ figure }) => figure === 'p50')).toMatchObject({
      high: expect.toSatisfy((high) => high < 0.85),
    });
  });

  test('that scatter more than the limit allows decide nothing, which is no threshold that was kept', () => {
    const found = withComparison(runOf(1, { moods: 2, seconds: 15 }), runOf(2, { moods: 2, seconds: 15 }), limits);
    expect(undecidedIn(found).map(({ figure }) => figure)).toContain('p50');
    expect(found.thresholds.some(({ text }) => text.startsWith('p50'))).toBe(false);
  });

  test('are told the same whenever they are compared, and of an hour as of a minute', () => {
    const hours = { seconds: 1200, perSecond: 40 };
    const [before, after] = [runOf(1, hours), runOf(2, hours)];
    const found = withComparison(before, after, limits);
    expect(withComparison(before, after, limits)).toEqual(found);
    expect(verdictsOf(found)).toEqual(['kept', 'kept']);
  });

  test('of which the later one fails more are not told to be quicker', () => {
    const { thresholds } = withComparison(runOf(1), runOf(2, { slower: 0.5, errors: 5 }), limits);
    expect(thresholds.find(({ met }) => !met)).toMatchObject({ found: '0% before, 5% now' });
  });
});

describe('what cannot be compared is refused', () => {
  test.each<[string, Made, RegExp]>([
    ['another rate', { load: { model: 'open', rate: 51 } }, /same load.* --rate 50 before and --rate 51 now: ask/],
    ['users', { load: { model: 'closed', users: 8 } }, / --users 8 now/],
    [
      'stages',
      { load: { model: 'open', rate: 50, arrivals: 'poisson' }, stages: [{ seconds: 30, to: 0.5 }] },
      / --stage 30s:25 --arrivals poisson now/,
    ],
    ['a short run', { seconds: 9 }, /at least 10 whole seconds.*found 9/],
  ])('%s', (_, made, message) => {
    expect(() => withComparison(runOf(1), runOf(2, made), [])).toThrow(message);
  });

  test('other journeys, and a report of another version', () => {
    const [before, after] = [runOf(1), runOf(2)];
    const others = { ...after, journeys: [{ journey: 'author', begun: 50, whole: 50 }] };
    expect(() => withComparison(before, others, [])).toThrow(/reader, author in one of them/);
    const old = { ...before, seconds: before.seconds.map(({ histogram: _histogram, ...second }) => second) };
    expect(() => withComparison(old, after, [])).toThrow(/holds no histograms/);
  });

  test.each(['10', 'p98<10%', 'p99>10%', ''])("a limit '%s'", (text) => {
    expect(() => worseLimitsFrom(text)).toThrow(`found '${text}'`);
  });
});
