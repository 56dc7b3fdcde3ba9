import { catalogue } from '../../suites/catalogue.ts';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import { runCase } from '../case/run-case.ts';
import { startOtherHost } from './other-host.fixture.ts';
import { sessionFor, profileOfHost } from '../run/session.fixture.ts';

const apiKey = randomBytes(48).toString('base64');
const samples = {
  validation: { valid: { objectId: 'good' }, invalid: { objectId: 'bad' } },
  action: {
    success: { payload: { contentPayload: { a: 1 }, httpVerb: 'POST' } },
    failure: { payload: { contentPayload: { a: 'fail' } } },
    batch: { payload: { contentPayload: [{}, {}, {}] } },
  },
  task: { success: { inputName: 'in.txt' }, failure: { inputName: 'in.txt', input: 'fail' } },
};
/** It makes no requests because of events and asks for no keys. */
const notExercised = ['calls.host.event-acknowledged-first'];

const { url } = await startOtherHost(apiKey);
const session = sessionFor(profileOfHost({ hostUri: url, apiKey, samples }));

const rules = catalogue.all.filter(({ id, side }) => side === 'extension' && catalogue.get(id).test !== undefined);

test.concurrent.each(rules)('a host that decides otherwise keeps $id, or never does what it is about', async (rule) => {
  const judged = catalogue.get(rule.id).test;
  if (judged === undefined) throw new Error('it has a case');
  const judge = (): Promise<Outcome> => runCase(rule, judged, { session, seed: 1, runs: 1, deadlineMs: 600_000 });
  let outcome = await judge();
  // on a machine that stands still nothing is said of the host
  for (let left = 5; left > 0 && outcome.reason?.startsWith('machine stalled'); left -= 1) outcome = await judge();
  const isBlocked = outcome.verdict === 'blocked';
  const { verdict, reason, violation } = outcome;
  if (isBlocked)
    expect(reason).toMatch(notExercised.includes(rule.id) ? /not exercised/ : /not exercised|extension-permissions/);
  else
    expect({ verdict, reason, violation }).toEqual({
      verdict: rule.level === 'observe' ? 'observed' : 'pass',
      reason: undefined,
      violation: undefined,
    });
});
