import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { Profile } from '../../contract/profile.ts';
import { openContext } from '../../judge/case/open-context.ts';
import { CaseRecord } from '../../judge/case/record.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { closeSession, openSession } from '../../judge/run/session.ts';
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

test.each(['caching.etag.present', 'caching.match.status-304'] as const)(
  'data that others change meanwhile are judged while they stay as they are: %s',
  async (rule) => {
    await using server = await startReference();
    const { profile } = server.loaded;
    const { pat = '', username = '' } = profile.identities.administrator ?? {};
    const path = '/api/collection/user/profile';
    const caching: Profile['caching'] = { resources: [{ path, as: 'administrator' }] };
    const loaded = { ...server.loaded, profile: { ...profile, caching } };
    await using open = openJudge(catalogue, { loaded, seed: 1, runs: 1 });
    const judged = open.judge(rule, new AbortController().signal);
    for (let number = 0; number < 40; number += 1)
      await fetch(profile.baseUrl + path, {
        method: 'PUT',
        headers: { authorization: `Basic ${btoa(`${username}:${pat}`)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ displayName: `Cora ${number}` }),
      });
    // where they never stay as they are there is nothing to judge
    const { outcome } = await judged;
    expect(['pass', 'blocked']).toContain(outcome?.verdict);
  },
);

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

test('of a change with several texts each alone is seen to make other data', async () => {
  await using server = await startReference({ faults: ['subtle.etag.misses-category'] });
  const { profile } = server.loaded;
  const registered = { method: 'POST', headers: [{ name: 'content-type', value: 'application/json' }] };
  const body = { ...registered, id: 'cached', url: 'http://127.0.0.1:9/', name: 'n', category: 'c' };
  const kept: { readonly path: string; readonly as: 'administrator' } = {
    path: '/api/admin/externalEndpoint/cached',
    as: 'administrator',
  };
  const changed = {
    ...kept,
    method: 'PUT',
    body: { ...body, name: 'a {{unique}}', category: 'b {{unique}}' },
  } as const;
  const caching: Profile['caching'] = { resources: [kept], change: changed };
  const loaded = { ...server.loaded, profile: { ...profile, caching } };
  const session = openSession(loaded);
  const { registrations } = openContext(session, { name: 'test', seed: 1, record: new CaseRecord(true) });
  expect((await registrations.post('externalEndpoint', body)).status).toBe(201);
  await closeSession(session);
  await using open = openJudge(catalogue, { loaded, seed: 1, runs: 1 });
  const { outcome } = await open.judge('caching.changed.status-200', new AbortController().signal);
  expect([outcome?.verdict, outcome?.violation?.actual]).toEqual(['fail', expect.stringContaining('304')]);
});
