import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { replaces } from '../../variants/breaks.ts';
import { catalogue } from '../catalogue.ts';

/** As where somebody else's extension has found the object valid before. */
const nobodyElseAsked = replaces('validation', 'askValidator', async () => ({ kind: 'valid', message: '' }));

const rules: readonly RuleId[] = ['calls.validation.payload-fields', 'calls.validation.verdict-applied'];
const cases = rules.flatMap((rule) => [[rule, 'all', 'fail'] as const, [rule, undefined, 'blocked'] as const]);

test.each(cases)('%s, where %s are said to be asked and an extension is not: %s', async (rule, said, verdict) => {
  await using server = await startReference({ faults: [nobodyElseAsked] });
  const { loaded } = server;
  const { severalValidations: _, ...others } = loaded.profile.expect ?? {};
  const profile: Profile = {
    ...loaded.profile,
    expect: said === undefined ? others : { ...others, severalValidations: said },
  };
  await using open = openJudge(catalogue, { loaded: { ...loaded, profile }, seed: 1, runs: 1 });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  expect([rule, outcome?.verdict]).toEqual([rule, verdict]);
});
