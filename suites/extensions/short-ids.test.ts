import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { catalogue } from '../catalogue.ts';

test('a task is no other call that holds the text by which it is known', async () => {
  await using server = await startReference();
  const { loaded } = server;
  const { task, ...triggers } = loaded.profile.triggers ?? {};
  const profile = { ...loaded.profile, triggers: { ...triggers, task: { ...task, shownPath: '/spaceId' } } };
  await using open = openJudge(catalogue, {
    loaded: { ...loaded, profile: profile as typeof loaded.profile },
    seed: 1,
    runs: 1,
  });
  const { outcome } = await open.judge('delivery.success.200-sent-once', new AbortController().signal);
  expect([outcome?.verdict, outcome?.violation?.actual]).toEqual(['pass', undefined]);
});
