import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import { openBulkSource } from './bulk-source.ts';
import { groundOf } from './ground-of.ts';
import { reasonsOf, selectJourneys } from './needs.ts';

const profileWith = (mountedAt: string): Profile => ({
  profileVersion: 1,
  implementation: 'made up',
  baseUrl: 'http://localhost/base',
  space: 'main',
  identities: { editor: { token: 'ready' } },
  files: { areas: { space: { as: 'editor' } } },
  bulk: { adminApiKey: btoa('a key'), hostDirectory: { path: '/on/the/host/', mountedAt } },
});

test('a directory is made where it is mounted, named as the host names it, and goes again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bulk-'));
  const source = await openBulkSource(profileWith(folder), 1);
  const { bulk } = source.ground;
  const [made = ''] = await readdir(folder);
  expect(bulk?.sourceDirectory).toBe(`/on/the/host/${basename(made)}`);
  const names = (await readdir(join(folder, made), { recursive: true })).filter((name) => name.endsWith('.bin'));
  expect(names.toSorted()).toEqual(bulk?.files.map(({ name }) => name).toSorted());
  await source[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('where none can be made, the journey is left out and the reason said', async () => {
  const profile = profileWith('/nowhere/to/be/found');
  const { ground, problem } = await openBulkSource(profile, 1);
  const { remarks } = selectJourneys(
    { mixVersion: 1, journeys: { 'bulk-loader': { weight: 1 } } },
    { ...groundOf(profile, 1), ...ground },
    reasonsOf({ bulk: problem }),
  );
  expect(remarks.join(' ')).toMatch(/^bulk-loader was left out: no directory could be made .*ENOENT/);
});
