import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { Base } from '../../judge/run/base.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { daysChosen } from '../../variants/habits.fixture.ts';
import { catalogue } from '../catalogue.ts';

/** Rules that choose a date, or look at those that others chose. */
const rules: readonly RuleId[] = [
  'patch.merge.keeps-other-members',
  'patch.replace.dated-effectivity-date',
  'batch.headers.filter-inherited',
  'headers.information-filter.required-on-reads',
  'reading.conditions.decide-together',
  'calls.envelope.information-filter-base64',
  'calls.envelope.information-filter-of-trigger',
  'delivery.event.same-content-on-retry',
  'delivery.history.matches-model',
  'tasks.history.matches-model',
];

test.each([
  ['a time', [], 'date-time'],
  ['a day alone', [daysChosen], 'date'],
])('that a filter chooses %s is found out, and no rule objects to it', async (_, faults, dateForm) => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults }));
  const base = new Base({ loaded: server.loaded, seed: 1 }, new AbortController().signal, new Set(['soft-type']));
  expect(await base.preflight()).toBeUndefined();
  const profile = base.completed();
  await base.close();
  expect(profile.informationFilter?.dateForm ?? 'date-time').toBe(dateForm);
  for (const rule of rules) {
    await using open = openJudge(catalogue, { loaded: { ...server.loaded, profile }, seed: 1, runs: 1 });
    const { outcome } = await open.judge(rule, new AbortController().signal);
    expect([rule, outcome?.verdict, outcome?.reason ?? outcome?.violation?.actual]).toEqual([rule, 'pass', undefined]);
  }
});
