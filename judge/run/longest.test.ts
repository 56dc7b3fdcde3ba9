import { expect, test } from 'vitest';
import { schedule } from '../case.ts';
import { Catalogue, type Rule } from '../rule.ts';
import { smallProfile } from '../small-service.fixture.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { openJudge } from './judge.ts';

const real: Rule = catalogue.get('calls.token.expires');

function scheduleOf(waitsMs: number, atMostSeconds?: number): Catalogue {
  const wait = schedule(
    0.1,
    async ({ clock, expect: expected }) => {
      await clock.pass(waitsMs);
      expected(1, 'one').toEqual(1);
    },
    atMostSeconds === undefined ? {} : { atMostSeconds },
  );
  return new Catalogue([{ ...real, needs: [], after: [], test: wait }]);
}

async function verdict(own: Catalogue): Promise<string | undefined> {
  const run = { loaded: smallProfile('http://127.0.0.1:9'), seed: 1, runs: 1, caseLimitMs: 300 };
  await using open = openJudge(own, run);
  return (await open.judge(real.id, new AbortController().signal)).outcome?.verdict;
}

test('a schedule may go on for as long as it says that it does where the run has the time', async () => {
  // a machine that stands still for a while gives a case more time
  expect(await verdict(scheduleOf(60_000))).toBe('broken');
  expect(await verdict(scheduleOf(1500, 60))).toBe('pass');
});

test('the token of a call may be watched until no tolerance explains that it still works', () => {
  expect(real.test).toMatchObject({ seconds: 70, atMostSeconds: 365 });
});
