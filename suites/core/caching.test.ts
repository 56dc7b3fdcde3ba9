import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { Profile } from '../../contract/profile.ts';
import { openContext } from '../../judge/open-context.ts';
import { CaseRecord } from '../../judge/record.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { closeSession, openSession } from '../../judge/session.ts';
import { catalogue } from '../catalogue.ts';

const file = '/api/space/main/fs/file/changing.txt';

const change: NonNullable<NonNullable<Profile['caching']>['change']> = [
  { method: 'DELETE', path: file },
  {
    method: 'POST',
    path: '/api/space/main/fs/file/stream/changing.txt',
    headers: { 'Content-Type': 'text/plain', checksum: '{{checksum}}' },
    rawBody: 'It says {{unique}}.',
  },
];

test('a cached file that is changed by two requests, one with a body that is no JSON, is judged', async () => {
  await using server = await startReference();
  const { profile } = server.loaded;
  const loaded = { ...server.loaded, profile: { ...profile, caching: { resources: [{ path: file }], change } } };
  const session = openSession(loaded);
  const { files } = openContext(session, { name: 'test', seed: 1, record: new CaseRecord(true) });
  const [area] = files.areas.filter(({ name }) => name === 'space');
  if (area === undefined) throw new Error('the profile has a space area');
  expect((await files.upload(area, 'changing.txt', Buffer.from('before'))).status).toBeLessThan(300);
  await closeSession(session);
  await using open = openJudge(catalogue, { loaded, seed: 1, runs: 1 });
  const { outcome } = await open.judge('caching.changed.status-200', new AbortController().signal);
  expect([outcome?.verdict, outcome?.reason]).toEqual(['pass', undefined]);
});
