import { expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { probe } from '../../judge/probe/try-out.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { profileOfServer } from '../../judge/run/session.fixture.ts';
import { catalogue } from '../catalogue.ts';

const rule: RuleId = 'auth.missing-token.answers-401';

test('a user whom a proxy could name may have a name in letters that no header takes as they are', async () => {
  const loaded = await profileOfServer();
  const { identities } = loaded.profile;
  const { result } = await probe(loaded, ({ service }) => service.token('editor'));
  const token = result ?? '';
  const profile = { ...loaded.profile, identities: { ...identities, editor: { username: 'Ада', token } } };
  await using open = openJudge(catalogue, { loaded: { ...loaded, profile }, seed: 1, runs: 1 });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  expect(outcome?.verdict).toBe('pass');
});
