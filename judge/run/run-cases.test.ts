import { catalogue } from '../../suites/catalogue.ts';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Deed, RunOfDeeds } from './judge.fixture.ts';
import { someRules } from './outcome.fixture.ts';
import { type Attendance, type EndOfCases, runCases, totalSecondsOf } from './run-cases.ts';
import { smallProfile } from '../small-service.fixture.ts';
import { timeBudgetSeconds } from '../time/budget.ts';
import { caseLimitMsOf, type Run } from './run.ts';
import { startThread } from './thread.ts';

interface Seen extends EndOfCases {
  readonly outcomes: readonly Outcome[];
  readonly verdicts: readonly string[];
}

const judgeOfDeeds = new URL('./judge.fixture.ts', import.meta.url).href;
const profile: Profile = {
  profileVersion: 1,
  implementation: 'nobody',
  baseUrl: 'http://localhost',
  space: '-',
  identities: { editor: {} },
};

async function running(
  deeds: readonly Deed[],
  more: Partial<Run & Attendance> = {},
  judge = judgeOfDeeds,
): Promise<Seen> {
  const rules = someRules.slice(0, deeds.length);
  const outcomes: Outcome[] = [];
  const { signal, stopAfter, onOutcome, ...changes } = more;
  const run: RunOfDeeds = {
    loaded: { profile, source: 'test', variables: {} },
    seed: 1,
    runs: 1,
    rules,
    caseLimitMs: 600_000,
    totalSeconds: 60,
    concurrency: 4,
    deeds: Object.fromEntries(rules.map((rule, index) => [rule, deeds[index] ?? 'pass'])),
    ...changes,
  };
  const attendance = {
    onOutcome: (outcome: Outcome) => {
      outcomes.push(outcome);
      onOutcome?.(outcome);
    },
    ...(stopAfter !== undefined && { stopAfter }),
    ...(signal !== undefined && { signal }),
  };
  const end = await runCases(run, attendance, startThread(judgeOfDeeds, judge));
  return {
    ...end,
    outcomes,
    verdicts: rules.map((rule) => outcomes.find((outcome) => outcome.rule === rule)?.verdict ?? 'none'),
  };
}

describe('running cases in a thread', () => {
  test('every outcome and every booking arrives', async () => {
    const { verdicts, booked, aborted } = await running(['pass', 'fail', 'pass']);
    expect({ verdicts, aborted }).toEqual({ verdicts: ['pass', 'fail', 'pass'], aborted: undefined });
    expect(booked.map(({ uri }) => uri)).toEqual([`/${someRules[0]}`, `/${someRules[2]}`]);
  });

  test('no rule is lost among hundreds', async () => {
    const { outcomes } = await running([], { rules: catalogue.all.map((rule) => rule.id), concurrency: 32 });
    expect(new Set(outcomes.map((outcome) => outcome.rule)).size).toBe(catalogue.all.length);
  });

  test('a case that throws, ends the process or says nothing is broken, the others are judged', async () => {
    const { verdicts, aborted } = await running(['throw', 'exit', 'silent', 'pass']);
    expect(verdicts).toEqual(['broken', 'broken', 'broken', 'pass']);
    expect(aborted).toBeUndefined();
  });

  test('a case that outlives its deadline is broken, and what it booked is known when it ends on being told', async () => {
    const { verdicts, booked, outcomes } = await running(['hang', 'obey', 'pass'], { caseLimitMs: 200 });
    expect(verdicts).toEqual(['broken', 'broken', 'pass']);
    expect(outcomes.filter((outcome) => outcome.reason?.includes('did not end within 1.2 s'))).toHaveLength(2);
    expect(booked).toContainEqual({ uri: `/${someRules[1]}`, madeBy: someRules[1] });
  });

  test.for([
    ['', undefined, 900],
    ['limits: { requestsPerSecond: 20 }', undefined, 2900],
    ['', 100, 4900],
    ['', 5000, 8100],
  ] as const)('the total deadline under %o is at %o ms an answer %o s', ([limits, fastestAnswerMs, seconds]) => {
    const loaded = smallProfile('http://127.0.0.1:1', limits);
    const known = fastestAnswerMs === undefined ? {} : { fastestAnswerMs };
    expect(totalSecondsOf({ loaded, ...known }) - timeBudgetSeconds(loaded.profile)).toBe(seconds);
  });

  test.for([
    ['', undefined, 120],
    ['', 300, 570],
    ['', 5000, 1020],
    ['limits: { caseSeconds: 20 }', 300, 20],
  ] as const)('the longest case under %o is at %o ms an answer %o s', ([limits, fastestAnswerMs, seconds]) => {
    const loaded = smallProfile('http://127.0.0.1:1', limits);
    const known = fastestAnswerMs === undefined ? {} : { fastestAnswerMs };
    expect(caseLimitMsOf({ loaded, ...known })).toBe(seconds * 1000);
  });

  test('the total deadline is the one of the profile where that states one', () => {
    const loaded = smallProfile('http://127.0.0.1:1', 'limits: { totalSeconds: 60, requestsPerSecond: 20 }');
    expect(totalSecondsOf({ loaded, fastestAnswerMs: 300 })).toBe(60);
  });

  test('the total deadline ends the run with a reason, keeping what was judged and booked', async () => {
    const { verdicts, booked, aborted } = await running(['pass', 'hang', 'obey'], { totalSeconds: 3 });
    expect(aborted).toBe('the run took longer than 3 s (limits.totalSeconds)');
    expect(verdicts).toEqual(['pass', 'none', 'none']);
    expect(booked.map(({ uri }) => uri)).toContain(`/${someRules[2]}`);
  });

  test('the signal of the caller ends the run', async () => {
    const controller = new AbortController();
    const seen = await running(['pass', 'obey'], {
      signal: controller.signal,
      onOutcome: () => controller.abort('SIGINT'),
    });
    expect(seen.aborted).toBe('interrupted: SIGINT');
  });

  test('a case that computes without end is given up with the run, keeping what was judged', async () => {
    const { verdicts, aborted } = await running(['pass', 'spin', 'pass'], { caseLimitMs: 1 });
    expect(aborted).toContain('one of them computes without end');
    expect(verdicts).toEqual(['pass', 'none', 'pass']);
  });

  test('a case that computes without end does not keep Ctrl-C waiting', async () => {
    const controller = new AbortController();
    const seen = await running(['pass', 'spin'], {
      signal: controller.signal,
      onOutcome: () => controller.abort('SIGINT'),
    });
    expect(seen).toMatchObject({ aborted: 'interrupted: SIGINT', verdicts: ['pass', 'none'] });
  });

  test('an answer to an outcome can end the run: no further case starts', async () => {
    const deeds: Deed[] = ['fail', 'slow', 'slow', 'slow', 'slow', 'slow'];
    const { verdicts, aborted } = await running(deeds, {
      concurrency: 1,
      asGiven: true,
      stopAfter: ({ verdict }) => (verdict === 'fail' ? 'enough' : undefined),
    });
    expect(aborted).toBe('enough');
    expect(verdicts[0]).toBe('fail');
    expect(verdicts.slice(2)).toEqual(['none', 'none', 'none', 'none']);
  });

  test('cases that last begin before the others but one, unless the order was chosen', async () => {
    const deeds: Deed[] = ['pass', 'slow', 'pass', 'slow'];
    const [a, b, c, d] = someRules;
    const orderOf = ({ outcomes }: Seen) => outcomes.map(({ rule }) => rule);
    expect(orderOf(await running(deeds, { concurrency: 1 }))).toEqual([a, b, d, c]);
    expect(orderOf(await running(deeds, { concurrency: 1, asGiven: true }))).toEqual([a, b, c, d]);
  });

  test('an error outside of every case makes the run worthless', async () => {
    const { aborted } = await running(['stray', 'slow']);
    expect(aborted).toBe('the suite stumbled outside of its cases: a loose end');
  });

  test('what the cases saw is put together behind their end; where that fails there is none', async () => {
    const { tape, aborted } = await running(['pass', 'slow'], { record: true });
    expect(aborted).toBeUndefined();
    expect(await tape).toHaveLength(1);
    expect(await (await running(['throw'], { record: true })).tape).toBeUndefined();
    expect(await (await running(['pass'])).tape).toBeUndefined();
    expect(await (await running(['pass', 'obey'], { record: true, totalSeconds: 1 })).tape).toHaveLength(1);
  });

  test('a judge that cannot be loaded makes the run worthless', async () => {
    const { aborted, verdicts } = await running(['pass'], {}, new URL('./no-such-judge.ts', import.meta.url).href);
    expect(aborted).toContain('no-such-judge');
    expect(verdicts).toEqual(['none']);
  });

  test('a thread whose cases all came to their end serves the next run, any other ends with its own', async () => {
    const threadOf = async (deeds: readonly Deed[], more = {}) => (await running(deeds, more)).booked[0]?.uri;
    const first = await threadOf(['thread', 'fail', 'slow']);
    expect(await threadOf(['thread', 'throw'])).toBe(first);
    const second = await threadOf(['thread', 'stray', 'slow']);
    expect(second).not.toBe(first);
    const third = await threadOf(['thread', 'obey'], { totalSeconds: 1 });
    expect([first, second]).not.toContain(third);
    expect([first, second, third]).not.toContain(await threadOf(['thread']));
  });
});
