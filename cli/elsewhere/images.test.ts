import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../reference-server/ports/postgres.fixture.ts';
import { build, contextOf, placed, standInUser, type Builder, type Image } from './images.fixture.ts';
import { packingMs, plainEnvironment, registryAnswers } from './package.fixture.ts';
import { serving, type Serving } from './serving.fixture.ts';
import { ran, type Ran } from './shell.fixture.ts';

/** The images, without a container: built instruction by instruction, then run as a user who may write into the volumes and /tmp only. */
const repository = fileURLToPath(new URL('../../', import.meta.url));
const buildingMs = 2 * packingMs;

let place = '';
let reachable = false;
let suite: Image;
let server: Image;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'svc-conformance-images-'));
  reachable = process.env['CI'] !== undefined || (await registryAnswers());
  if (!reachable) return;
  await chmod(place, 0o755);
  await mkdir(join(place, 'tmp'));
  await chmod(join(place, 'tmp'), 0o1777);
  const context = await contextOf(repository, join(place, 'context'));
  const builder: Builder = { folder: place, context, built: new Map() };
  suite = await build(builder, await readFile(join(repository, 'Dockerfile'), 'utf8'));
  server = await build(builder, await readFile(join(repository, 'reference-server', 'Dockerfile'), 'utf8'));
  for (const { root } of [suite, server]) await ran('chmod', ['-R', 'a-w', join(root, 'app')], surroundings(suite));
}, buildingMs);

afterAll(async () => {
  await ran('chmod', ['-R', 'u+w', place], { cwd: tmpdir(), env: plainEnvironment });
  await rm(place, { recursive: true, force: true });
});

/** The environment of a container that is read-only but for its volumes and /tmp. */
function surroundings({ root, env, workdir }: Image) {
  const own = { PATH: plainEnvironment.PATH, HOME: '/nonexistent', TMPDIR: join(place, 'tmp') };
  return { cwd: join(root, workdir), env: { ...own, ...env }, ...(standInUser !== undefined && { uid: standInUser }) };
}

/** What `docker run IMAGE WORD…` starts. */
function started({ entrypoint, command, root }: Image, words: readonly string[]): readonly [string, readonly string[]] {
  const [program = '', ...argv] = [...entrypoint, ...(words.length > 0 ? words : command)].map((word) =>
    placed(word, root),
  );
  return [program, argv];
}

describe('the suite', () => {
  test('holds what runs and nothing to build it', { timeout: buildingMs }, async ({ skip }) => {
    skip(!reachable, 'the package registry cannot be reached');
    const names = await readdir(join(suite.root, 'app'));
    expect(names.toSorted()).toEqual([
      '.npmrc',
      'LICENSE',
      'README.md',
      'dist',
      'node_modules',
      'package-lock.json',
      'package.json',
    ]);
    expect(existsSync(join(suite.root, 'app', 'node_modules', 'vitest'))).toBe(true);
    expect(existsSync(join(suite.root, 'app', 'node_modules', 'typescript'))).toBe(false);
    expect(suite.command).toEqual(['check']);
  });

  test('judges, and writes into its volume only', { timeout: buildingMs }, async ({ skip }) => {
    skip(!reachable, 'the package registry cannot be reached');
    const before = await readdir(join(suite.root, 'app'), { recursive: true });
    const [program, argv] = started(suite, ['check', '--rules', 'headers.uoi-version.on-create']);
    const { exitCode, printed }: Ran = await ran(program, argv, surroundings(suite));
    expect(exitCode, printed).toBe(0);
    expect(suite.volumes).toEqual(['/reports']);
    expect(existsSync(join(suite.root, 'reports', 'svc-conformance-report', 'report.html'))).toBe(true);
    expect(await readdir(join(suite.root, 'app'), { recursive: true })).toEqual(before);
    expect(await readdir(suite.root)).toEqual(['app', 'reports']);
  });
});

describe('the reference server', () => {
  test(
    'serves, is healthy, keeps its data in its volume, and ends when asked',
    { timeout: buildingMs },
    async ({ skip }) => {
      skip(!reachable, 'the package registry cannot be reached');
      const port = String(await freePort());
      const onLoopback = (word: string): string => word.replaceAll('8080', port).replace('0.0.0.0', '127.0.0.1');
      const [program, argv] = started(server, ['--log', 'error']);
      const begin = (): Promise<Serving> => serving(program, argv.map(onLoopback), surroundings(server));
      const [probe = '', ...words] = server.healthcheck.map(onLoopback);
      const healthy = async (): Promise<boolean> => (await ran(probe, words, surroundings(server))).exitCode === 0;

      expect(await healthy()).toBe(false);
      const first = await begin();
      expect(first.announcement.url).toBe(`http://127.0.0.1:${port}`);
      expect(await healthy()).toBe(true);
      expect(server.stopSignal).toBe('SIGTERM');
      expect(await first.end()).toBe(0);
      expect(await readdir(join(server.root, 'data'))).toEqual(expect.arrayContaining(['files', 'service.db']));
      expect(server.volumes).toEqual(['/data']);

      await using again = await begin();
      expect(again.announcement.url).toBe(first.announcement.url);
      expect(await readdir(server.root)).toEqual(['app', 'data']);
    },
  );
});
