import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { catalogue } from '../catalogue.ts';

/** After it nobody moves the time of the service, which stands. */
const schedule: RuleId = 'delivery.success.not-sent-after-restart';

/** Answers of theirs come late, or registrations of theirs follow each other at one time. */
const rules: readonly RuleId[] = ['calls.validation.verdict-applied', 'registration.history.matches-model'];

test('rules without a schedule are kept behind one, while the time of the service stands', async () => {
  await using server = await startReference({});
  await using open = openJudge(catalogue, { loaded: server.loaded, seed: 957_634_839, runs: 1 });
  for (const rule of [schedule, ...rules]) {
    const { outcome } = await open.judge(rule, new AbortController().signal);
    expect([rule, outcome?.verdict, outcome?.reason ?? outcome?.violation?.actual]).toEqual([rule, 'pass', undefined]);
  }
});
