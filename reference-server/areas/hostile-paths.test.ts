import fc from 'fast-check';
import { Agent } from 'node:http';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { arbitraryHostilePath, hostilePaths } from '../../fixtures/hostile-paths.fixture.ts';
import { areas, chunkRequest, filesBelow, md5, openWorld, putFile, type Received } from './world.fixture.ts';

const groupSize = 16;
const canary = 'the canary of its area';
/** What is sent to a path, so that it can be told where it went. */
const content = (path: string): string => `sent to ${path}`;
const agent = new Agent({ keepAlive: true, maxSockets: groupSize });
const world = await openWorld({ inMemory: true });
for (const folder of [...areas.map((area) => area.folder), '', '..'])
  await putFile(join(world.root, folder, 'canary.txt'), canary);

afterAll(() => agent.destroy());

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
  const headers = { ...as, checksum: md5(content(path)) };
  return world.send('POST', `${base}/file/stream/${sendable(path)}`, { headers, body: content(path), agent });
}

function chunk({ base, as }: Area, path: string): Promise<Received> {
  const { headers, body } = chunkRequest(path, Buffer.from(content(path)), 8192, 1);
  return world.send('POST', `${base}/file`, { headers: { ...as, ...headers }, body, agent });
}

/** Uploads, reads, lists and deletes by each path; paths that get in each other's way are taken one by one. */
async function attemptAll(area: Area, groups: readonly Group[]): Promise<void> {
  await inGroups(area, groups, async (path) => {
    const target = `${area.base}/file/${sendable(path)}`;
    const uploaded = await stream(area, path);
    const [read, listed] = await Promise.all([get(area, target), get(area, `${area.base}/dir/${sendable(path)}`)]);
    if (listed.status !== 200) expectRefused(listed, path);
    if (uploaded.status === 201) expect(read.body.toString(), path).toBe(content(path));
    else
      for (const answer of [uploaded, read, await world.send('DELETE', target, { headers: area.as, agent })])
        expectRefused(answer, path);
    return uploaded;
  });
}

function get({ as }: Area, path: string): Promise<Received> {
  return world.send('GET', path, { headers: as, agent });
}

/** Paths that are sent together. */
type Group = readonly string[];

/** Neighbours in the corpus are alike, so that groups are made of paths that are far from each other. */
function groupsOf(paths: readonly string[]): readonly Group[] {
  const count = Math.ceil(paths.length / groupSize);
  return Array.from({ length: count }, (_, group) => paths.filter((_path, index) => index % count === group));
}

async function inGroups(
  area: Area,
  groups: readonly Group[],
  upload: (path: string) => Promise<Received>,
): Promise<void> {
  for (const group of groups) {
    const inTheWay = await together(area, group, upload);
    for (const path of inTheWay) expect(await together(area, [path], upload), path).toEqual([]);
  }
}

/** What was taken is where its Location says and nowhere else, and goes from there. Gives the paths that others were in the way of. */
async function together(
  area: Area,
  paths: readonly string[],
  upload: (path: string) => Promise<Received>,
): Promise<readonly string[]> {
  const answers = await Promise.all(paths.map(async (path) => ({ path, uploaded: await upload(path) })));
  const taken = answers.filter(({ uploaded }) => uploaded.status === 201);
  for (const { path, uploaded } of answers) if (uploaded.status !== 201) expectRefused(uploaded, path);
  await expectOnlyIn(
    area,
    taken.map(({ path }) => content(path)),
  );
  await Promise.all(
    taken.map(async ({ path, uploaded }) => expectThereAndGoing(area, path, uploaded.headers['location'] ?? '')),
  );
  if (taken.length > 0) await withoutDirectories(area);
  return paths.length === 1 ? [] : answers.filter(({ uploaded }) => uploaded.status === 409).map(({ path }) => path);
}

async function expectThereAndGoing(area: Area, path: string, location: string): Promise<void> {
  expect((await get(area, location)).body.toString(), path).toBe(content(path));
  expect((await world.send('DELETE', location, { headers: area.as, agent })).status, path).toBe(204);
}

/** Directories outlive their files, and would be in the way of the next ones. */
async function withoutDirectories({ folder }: Area): Promise<void> {
  const own = join(world.root, folder);
  const names = (await readdir(own)).filter((name) => name !== 'canary.txt');
  await Promise.all(names.map((name) => rm(join(own, name), { recursive: true })));
}

/** Nothing stands anywhere but what was sent, in the area, and what was there before. */
async function expectOnlyIn(area: Area, contents: readonly string[]): Promise<void> {
  const files = [...(await filesBelow(world.outside))].map(
    ([name, content]) => [name, Buffer.from(content, 'latin1').toString()] as const,
  );
  const isOwn = (name: string): boolean =>
    name.startsWith(`root/${area.folder}/`) && name !== `root/${area.folder}/canary.txt`;
  expect(
    files
      .filter(([name]) => isOwn(name))
      .map(([, content]) => content)
      .toSorted(),
  ).toEqual(contents.toSorted());
  const canaries = ['canary.txt', 'root/canary.txt', ...areas.map(({ folder }) => `root/${folder}/canary.txt`)];
  expect(Object.fromEntries(files.filter(([name]) => !isOwn(name)))).toEqual(
    Object.fromEntries(canaries.map((name) => [name, canary])),
  );
  expect((await readdir(world.outside)).sort()).toEqual(['canary.txt', 'root']);
}

test('the corpus is large', () => {
  expect(hostilePaths.length).toBeGreaterThanOrEqual(500);
});

describe.each(areas)('in the $kind area', (area) => {
  test('a hostile path in the URL is refused or stays within', async () => {
    await attemptAll(area, ownShare(area, groupsOf(hostilePaths)));
    await expectOnlyIn(area, []);
  });

  test('a hostile relative path of a chunk is refused or stays within', async () => {
    await inGroups(area, groupsOf(ownShare(area, [...new Set(hostilePaths.map(decoded))])), (path) =>
      chunk(area, path),
    );
    await expectOnlyIn(area, []);
  });

  test('so do paths put together at random', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryHostilePath.filter((path) => path !== 'canary.txt'),
        (path) => attemptAll(area, [[path]]),
      ),
      { numRuns: 50 },
    );
    await expectOnlyIn(area, []);
  });
});

test('nothing in the relative path of a chunk is decoded', async () => {
  const [area] = areas;
  await inGroups(area, groupsOf(hostilePaths.filter((path) => path.includes('%2'))), async (path) => {
    const uploaded = await chunk(area, path);
    if (uploaded.status === 201) expect(uploaded.headers['location'], path).toContain('%252');
    return uploaded;
  });
});

/** Every fourth one, so that the areas together see all of them. */
function ownShare<T>(area: Area, all: readonly T[]): readonly T[] {
  return all.filter((_, index) => index % areas.length === areas.indexOf(area));
}

function decoded(path: string): string {
  return decodeURIComponent(path.replaceAll(/%(?![0-7][0-9a-f])/gi, '%25'));
}
