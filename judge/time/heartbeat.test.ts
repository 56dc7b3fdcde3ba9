import { expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '../../suites/catalogue.ts';
import { scenario } from '../case.ts';
import { runCase } from '../case/run-case.ts';
import type { Session } from '../run/session.ts';
import { objectStore, smallProfile, smallService } from '../small-service.fixture.ts';
import { Inconclusive, PreconditionFailed, UnfitProfile, Violation } from '../violation.ts';
import { Heartbeat } from './heartbeat.ts';
import { sessionFor } from '../run/session.fixture.ts';

async function openedSession(): Promise<Session> {
  const service = await smallService(objectStore());
  const session = sessionFor(smallProfile(service.url));
  return session;
}

function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('time in which the thread of the cases does not get on is lost, also before it gets on again, and only there', async () => {
  const beat = new Heartbeat();
  await sleep(50);
  const from = performance.now();
  blockFor(300);
  const to = performance.now();
  expect(beat.stalledMs(from, to)).toBeGreaterThan(250);
  await sleep(50);
  expect(beat.stalledMs(from, to)).toBeGreaterThan(250);
  expect(beat.stalledMs(from, from + 100)).toBeLessThanOrEqual(100);
  beat.stop();
});

test('a thread of its own tells how the machine runs, whatever the thread of the cases does', async () => {
  const beat = new Heartbeat();
  beat.start();
  const waitedFrom = performance.now();
  while (beat.beats === 0 && performance.now() - waitedFrom < 20_000) await sleep(10);
  const beats = beat.beats;
  blockFor(200);
  expect(beat.beats).toBeGreaterThan(beats);
  beat.stop();
});

const rule = catalogue.get('reading.create.status-201');

/** What comes of a case that ends with that after so long a stall in each of its attempts but the last ones. */
async function judgedWith(
  error: Error | undefined,
  stalls: readonly number[],
): Promise<[string, string | undefined, number]> {
  const session = await openedSession();
  let attempts = 0;
  const test = scenario(async ({ expect }) => {
    const stallMs = stalls[attempts];
    attempts += 1;
    if (stallMs !== undefined) {
      await sleep(30);
      blockFor(stallMs);
      if (error !== undefined) throw error;
    }
    expect(1, 'one').toEqual(1);
  });
  const { verdict, reason } = await runCase(rule, test, { session, seed: 1, runs: 1, deadlineMs: 60_000 });
  return [verdict, reason, attempts];
}

test.each([
  ['lateness', new Violation('a call', 'none', undefined, { isLate: true })],
  ['a call that did not come', new PreconditionFailed('a call of kind event within 5 s')],
  ['what a host was not seen to do', new Inconclusive('not exercised: the host asked for no key')],
])('%s on a machine that stalled is tried again, and otherwise broken, never fail', async (_what, error) => {
  expect(await judgedWith(error, [400])).toEqual(['pass', undefined, 2]);
  const [verdict, reason, attempts] = await judgedWith(error, [400, 400, 400]);
  expect([verdict, attempts]).toEqual(['broken', 3]);
  expect(reason).toMatch(/^machine stalled \d+ ms: /);
});

test('what a stall does not explain stays what it is', async () => {
  expect(await judgedWith(new Violation('200', '500'), [400, 400])).toMatchObject(['fail', undefined, 1]);
  const unfit = new UnfitProfile('a restart, which answered 401; check restart in the profile');
  expect(await judgedWith(unfit, [400, 400])).toMatchObject(['blocked', unfit.message, 1]);
});

test('the time that the machine took is no part of the limit of a case', async () => {
  const session = await openedSession();
  const test = scenario(async ({ expect }) => {
    for (let times = 0; times < 3; times += 1) {
      await sleep(30);
      blockFor(150);
    }
    await sleep(30);
    expect(1, 'one').toEqual(1);
  });
  const { verdict } = await runCase(rule, test, { session, seed: 1, runs: 1, deadlineMs: 400 });
  expect(verdict).toBe('pass');
});
