import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import type { Writing } from '../../reference-server/ports/store.ts';
import { replaces } from '../../variants/breaks.ts';
import { catalogue } from '../catalogue.ts';

const apartMs = 320;
let lastAt = 0;

/** Calls leave one after another, with a look at the queue between them. */
const oneByOne = replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
  const insertDelivery: Writing['insertDelivery'] = (one, endpoint, at) => {
    lastAt = Math.max(at, lastAt + apartMs);
    return writing.insertDelivery(one, endpoint, lastAt);
  };
  return right(areas, Object.assign(Object.create(writing) as Writing, { insertDelivery }), delivery);
});

const rules: readonly RuleId[] = ['calls.envelope.id-from-correlation', 'calls.envelope.id-fresh-guid'];

test.each(rules)('%s waits for each of many calls where the service says how often it looks', async (rule) => {
  await using server = await startReference({ faults: [oneByOne] });
  const { loaded } = server;
  const profile: Profile = { ...loaded.profile, delivery: { granularitySeconds: 0.5 } };
  await using open = openJudge(catalogue, { loaded: { ...loaded, profile }, seed: 1, runs: 1 });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  expect([outcome?.verdict, outcome?.reason]).toEqual(['pass', undefined]);
});
