import { catalogue } from '../suites/catalogue.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installedIn, packed, packingMs, type Packed } from './elsewhere/package.fixture.ts';

/** The package as a stranger gets it: packed, installed into an empty folder, run there. */
const execute = promisify(execFile);

let place = '';
let main = '';
let pack: Packed | undefined;

beforeAll(async () => {
  pack = await packed();
  if (pack === undefined) return;
  place = await mkdtemp(join(tmpdir(), 'svc-conformance-installed-'));
  main = await installedIn(place, pack);
}, packingMs);

afterAll(async () => {
  if (place !== '') await rm(place, { recursive: true, force: true });
});

test('holds what runs and its documents, no tests and no sources', ({ skip }) => {
  skip(pack === undefined, 'the package registry cannot be reached');
  const paths = pack?.paths ?? [];
  expect(paths).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/cli/main.js', 'dist/fixtures/profile.yaml']),
  );
  expect(paths.filter((path) => /\.test\.|\.fixture\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
});

test('lists the rules', async ({ skip }) => {
  skip(pack === undefined, 'the package registry cannot be reached');
  const { stdout } = await installed('rules', '--json');
  const { rules } = JSON.parse(stdout) as { readonly rules: readonly { readonly id: string }[] };
  expect(rules.map((rule) => rule.id)).toEqual(catalogue.all.map((rule) => rule.id));
});

test('judges the bundled reference server', { timeout: 60_000 }, async ({ skip }) => {
  skip(pack === undefined, 'the package registry cannot be reached');
  const { stdout } = await installed('check', '--areas', 'headers');
  expect(stdout).toMatch(/headers/);
});

/** Rejects unless the exit code is 0. */
function installed(...argv: readonly string[]): Promise<{ readonly stdout: string }> {
  return execute(process.execPath, [main, ...argv], { cwd: place, maxBuffer: 1 << 25 });
}
