import { catalogue } from '../../suites/catalogue.ts';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import { replaces } from '../../variants/breaks.ts';
import type { Outcome } from '../outcome.ts';
import { profileFrom } from '../profile/load.ts';
import { runCase } from '../case/run-case.ts';
import { overBudget, realSeconds } from './budget.ts';
import { sessionFor, profileOfServer } from '../run/session.fixture.ts';

type Judge = (rule: RuleId) => Promise<Outcome>;

/** Judges a service whose retries are late by so much, and whose profile says so or does not. */
async function judgeLateBy(lateMs: number, delivery?: Profile['delivery']): Promise<Judge> {
  const late = replaces('policies', 'nextRetryDelay', (right, areas, attempt) => right(areas, attempt) + lateMs);
  const more = delivery && { delivery };
  const session = sessionFor(await profileOfServer({ faults: [late] }, (profile) => ({ ...profile, ...more })));
  return (rule) =>
    runCase(catalogue.get(rule), catalogue.get(rule).test, { session, seed: 1, runs: 1, deadlineMs: 600_000 });
}

const judged = async (rule: RuleId, lateMs: number, delivery?: Profile['delivery']): Promise<Outcome> =>
  (await judgeLateBy(lateMs, delivery))(rule);

/** Rules about schedules of every kind. */
const rules = [
  'delivery.event.retry-gaps',
  'delivery.event.no-sixth-retry',
  'delivery.event.recovery-stops-retries',
  'delivery.event.same-content-on-retry',
  'delivery.task.retry-gaps',
  'delivery.email.retry-gaps',
  'delivery.simple-endpoint.retry-gaps',
  'delivery.trusted-endpoint.retry-gaps',
  'delivery.retry-forever.continues',
  'delivery.retry-forever.cap',
  'delivery.retry-forever.endpoints',
  'delivery.permanent.after-transient',
  'delivery.transient.connection-refused',
  'delivery.transient.server-errors',
  'delivery.transient.no-response-in-time',
  'delivery.timeout.exhausted',
  'delivery.validation.retry-gaps',
  'delivery.validation.no-fourth-retry',
  'delivery.validation.recovers',
  'delivery.queue.delete-cancels',
] as const;

const judgeAware = await judgeLateBy(10_000, { granularitySeconds: 10 });

describe('a service that looks at its queue only so often', () => {
  test.each(rules)('is not at fault where the profile says how often: %s', async (rule) => {
    const { verdict, reason, violation } = await judgeAware(rule);
    expect([verdict, reason, violation?.actual]).toEqual(['pass', undefined, undefined]);
  });

  test.each([
    'delivery.event.retry-gaps',
    'delivery.validation.retry-gaps',
    'delivery.transient.server-errors',
  ] as const)('is late where the profile does not, and where it is later than that: %s', async (rule) => {
    expect(await judged(rule, 1000)).toMatchObject({
      verdict: 'fail',
      violation: { actual: expect.stringContaining('late') },
    });
    expect(await judged(rule, 2000, { granularitySeconds: 1 })).toMatchObject({ verdict: 'fail' });
  });

  test('may never be early', async () => {
    expect(await judged('delivery.event.retry-gaps', -10, { granularitySeconds: 1 })).toMatchObject({
      verdict: 'fail',
      violation: { actual: expect.stringContaining('early') },
    });
  });

  test('is shown with the wider spans', async () => {
    const { timelines = [] } = await judged('delivery.event.retry-gaps', 1000, { granularitySeconds: 1 });
    const [, second] = timelines[0]?.expected ?? [];
    expect((second?.untilMs ?? 0) - (second?.fromMs ?? 0)).toBe(1250);
    expect(timelines[0]?.seen.some(({ isOff }) => isOff)).toBe(false);
  });
});

describe('real time for schedules', () => {
  test('is what they state, and what may be late in them besides', () => {
    expect(realSeconds({}, 74)).toBe(74);
    expect(realSeconds({ delivery: { granularitySeconds: 2 } }, 74)).toBe(74 + 7 * 2);
  });

  test('is asked for with what may be late', () => {
    const profile = { limits: { timeBudgetSeconds: 80 } } as Profile;
    expect(overBudget(profile, 74)).toBeUndefined();
    expect(overBudget({ ...profile, delivery: { granularitySeconds: 1 } }, 74)).toContain('give --time-budget 84s');
  });
});

test.each([
  ['10', undefined],
  ['0', undefined],
  ['10.1', 'delivery.granularitySeconds'],
  ['-1', 'delivery.granularitySeconds'],
  ['often', 'delivery.granularitySeconds'],
])('delivery.granularitySeconds: %s', async (value, complaint) => {
  const text = `${await readFile(new URL('../../fixtures/profile.yaml', import.meta.url), 'utf8')}\ndelivery:\n  granularitySeconds: ${value}\n`;
  const read = () =>
    profileFrom(text, 'my.yaml', { values: { BASE_URL: 'http://localhost:1', HOST_DIRECTORY: '/tmp' } });
  if (complaint === undefined) expect(read().profile.delivery).toEqual({ granularitySeconds: Number(value) });
  else expect(read).toThrow(complaint);
});
