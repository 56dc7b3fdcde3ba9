import fc from 'fast-check';
import { Agent } from 'node:http';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arbitraryHostilePath, hostilePaths } from '../../fixtures/file-paths.ts';
import { areas, chunkRequest, filesBelow, md5, openWorld, putFile, type Received, type World } from './world.fixture.ts';

const canary = 'the canary of its area';
const content = 'whatever is sent';
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let world: World;

beforeAll(async () => {
  world = await openWorld();
  for (const { folder } of areas) await putFile(join(world.root, folder, 'canary.txt'), canary);
  await putFile(join(world.root, 'canary.txt'), canary);
  await putFile(join(world.outside, 'canary.txt'), canary);
});

afterAll(async () => {
  agent.destroy();
  await world[Symbol.asyncDispose]();
});

type Area = (typeof areas)[number];

/** Path that node:http lets through; what it does not is never on the wire. */
const sendable = (path: string): string => path.replaceAll(/[^\x21-\xff]/g, '');

function expectRefused({ status, headers, body }: Received, path: string): void {
  expect(status, path).toBeGreaterThanOrEqual(400);
  expect(status, path).toBeLessThan(500);
  expect(headers['content-type'], path).toBe('application/problem+json');
  expect(JSON.parse(body.toString()), path).toMatchObject({ status, detail: expect.stringMatching(/./) });
  expect(body.includes(world.outside), path).toBe(false);
}

function stream({ base, as }: Area, path: string): Promise<Received> {
  const headers = { ...as, checksum: md5(content) };
  return world.send('POST', `${base}/file/stream/${sendable(path)}`, { headers, body: content, agent });
}

function chunk({ base, as }: Area, path: string): Promise<Received> {
  const { headers, body } = chunkRequest(path, Buffer.from(content), 1024, 1);
  return world.send('POST', `${base}/file`, { headers: { ...as, ...headers }, body, agent });
}

/** Uploads, reads and deletes by the path. */
async function attempt(area: Area, path: string): Promise<void> {
  const target = `${area.base}/file/${sendable(path)}`;
  const uploaded = await stream(area, path);
  const read = await world.send('GET', target, { headers: area.as, agent });
  const listed = await world.send('GET', `${area.base}/dir/${sendable(path)}`, { headers: area.as, agent });
  if (listed.status !== 200) expectRefused(listed, path);
  if (uploaded.status === 201) expect(read.body.toString(), path).toBe(content);
  else for (const answer of [uploaded, read, await world.send('DELETE', target, { headers: area.as, agent })]) expectRefused(answer, path);
  await expectWithin(area, uploaded, path);
}

/** What was taken is where its Location says and nowhere else, and goes from there. */
async function expectWithin(area: Area, uploaded: Received, path: string): Promise<void> {
  if (uploaded.status !== 201) return expectRefused(uploaded, path);
  await expectOnlyIn(area, 1);
  const location = uploaded.headers['location'] ?? '';
  expect((await world.send('GET', location, { headers: area.as, agent })).body.toString(), path).toBe(content);
  expect((await world.send('DELETE', location, { headers: area.as, agent })).status, path).toBe(204);
  await withoutDirectories(area);
}

/** Directories outlive their files, and thousands of them would make looking everywhere slow. */
async function withoutDirectories({ folder }: Area): Promise<void> {
  const own = join(world.root, folder);
  const names = (await readdir(own)).filter((name) => name !== 'canary.txt');
  await Promise.all(names.map((name) => rm(join(own, name), { recursive: true })));
}

/** Nothing stands anywhere but in the area and what was there before. */
async function expectOnlyIn(area: Area, count: number): Promise<void> {
  const files = await filesBelow(world.outside);
  const own = [...files].filter(([name]) => name.startsWith(`root/${area.folder}/`));
  const others = [...files].filter(([name]) => !name.startsWith(`root/${area.folder}/`) && !name.startsWith('store.db'));
  expect(own).toHaveLength(count + 1);
  expect(Object.fromEntries(others)).toEqual(
    Object.fromEntries(
      ['canary.txt', 'root/canary.txt', ...areas.filter(({ kind }) => kind !== area.kind).map(({ folder }) => `root/${folder}/canary.txt`)].map((name) => [name, canary]),
    ),
  );
  expect((await readdir(world.outside)).filter((name) => !name.startsWith('store.db')).sort()).toEqual(['canary.txt', 'root']);
}

test('the corpus is large', () => {
  expect(hostilePaths.length).toBeGreaterThanOrEqual(500);
});

describe.each(areas)('in the $kind area', { timeout: 120_000 }, (area) => {
  test('a hostile path in the URL is refused or stays within', async () => {
    for (const path of hostilePaths) await attempt(area, path);
    await expectOnlyIn(area, 0);
  });

  test('a hostile relative path of a chunk is refused or stays within', async () => {
    for (const path of ownShare(area, [...new Set(hostilePaths.map(decoded))])) await expectWithin(area, await chunk(area, path), path);
    await expectOnlyIn(area, 0);
  });

  test('so do paths put together at random', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryHostilePath.filter((path) => path !== 'canary.txt'),
        (path) => attempt(area, path),
      ),
      { numRuns: 100 },
    );
    await expectOnlyIn(area, 0);
  });
});

test('nothing in the relative path of a chunk is decoded', { timeout: 120_000 }, async () => {
  const [area] = areas;
  for (const path of ownShare(area, hostilePaths.filter((path) => path.includes('%2')))) {
    const uploaded = await chunk(area, path);
    if (uploaded.status === 201) expect(uploaded.headers['location'], path).toContain('%252');
    await expectWithin(area, uploaded, path);
  }
});

/** Every fourth path, so that the areas together see all of them. */
function ownShare(area: Area, paths: readonly string[]): readonly string[] {
  return paths.filter((_, index) => index % areas.length === areas.indexOf(area));
}

function decoded(path: string): string {
  return decodeURIComponent(path.replaceAll(/%(?![0-7][0-9a-f])/gi, '%25'));
}
