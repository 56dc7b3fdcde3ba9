import { expect, onTestFinished, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { replaces } from '../../variants/breaks.ts';
import { catalogue } from '../catalogue.ts';

const rule = 'api-keys.key.administration-on-bulk';

test.for([
  [true, 'fail'],
  [undefined, 'blocked'],
] as const)(
  'an acquired key that opens no bulk upload, where the profile says %o, ends as %s',
  async ([acquiredKeyOnBulk, verdict]) => {
    const deployment = await startReference({ faults: [rule] });
    onTestFinished(() => deployment[Symbol.asyncDispose]());
    const { loaded } = deployment;
    const { acquiredKeyOnBulk: _bundled, ...auth } = loaded.profile.auth ?? {};
    const stated = { ...auth, ...(acquiredKeyOnBulk && { acquiredKeyOnBulk }) };
    const profile = { ...loaded.profile, auth: stated };
    await using open = openJudge(catalogue, { loaded: { ...loaded, profile }, seed: 1, runs: 5 });
    const { outcome } = await open.judge(rule, new AbortController().signal);
    expect(outcome?.verdict).toBe(verdict);
  },
);

test.for(['api-keys.rotation.new-key-after-period', 'registration.history.matches-model'] as const)(
  'keys that are not said to open bulk uploads, and open none, are no matter of %s',
  async (other) => {
    const deployment = await startReference({ faults: [rule] });
    onTestFinished(() => deployment[Symbol.asyncDispose]());
    const { loaded } = deployment;
    const { acquiredKeyOnBulk: _bundled, ...auth } = loaded.profile.auth ?? {};
    await using open = openJudge(catalogue, {
      loaded: { ...loaded, profile: { ...loaded.profile, auth } },
      seed: 22,
      runs: 20,
    });
    const { outcome } = await open.judge(other, new AbortController().signal);
    expect(outcome?.verdict).toBe('pass');
  },
);

test('one key may be brought for all that is asked for together', async () => {
  const together = replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
    const named = permissions.includes('AdministrationAPI') ? ['AdministrationAPI'] : permissions.slice(0, 1);
    const keys = await right(areas, writing, holder, named);
    return keys.flatMap((key) => permissions.map((permission) => ({ ...key, permission })));
  });
  const deployment = await startReference({ faults: [together] });
  onTestFinished(() => deployment[Symbol.asyncDispose]());
  await using open = openJudge(catalogue, { loaded: deployment.loaded, seed: 1, runs: 1 });
  const { outcome } = await open.judge('api-keys.key.other-permission-not-on-bulk', new AbortController().signal);
  expect(outcome?.verdict).toBe('pass');
});
