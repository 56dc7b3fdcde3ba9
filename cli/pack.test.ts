import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRules } from '../contract/rules.ts';

/** The package as a stranger gets it: packed, installed into an empty folder, run there. */
const execute = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const environment = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
const installMs = 240_000;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let place = '';
let packed: Packed | undefined;

beforeAll(async () => {
  if (process.env['CI'] === undefined && !(await registryAnswers())) return;
  place = await mkdtemp(join(tmpdir(), 'svc-conformance-pack-'));
  packed = await pack(place);
  await mkdir(join(place, 'empty'));
  await writeFile(join(place, 'empty', 'package.json'), '{ "private": true }\n');
  await npm(
    join(place, 'empty'),
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(place, packed.filename),
  );
}, installMs);

afterAll(async () => {
  if (place !== '') await rm(place, { recursive: true, force: true });
});

test('holds what runs and its documents, no tests and no sources', ({ skip }) => {
  skip(packed === undefined, 'the package registry cannot be reached');
  const paths = packed?.files.map((file) => file.path) ?? [];
  expect(paths).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/cli/main.js', 'dist/fixtures/profile.yaml']),
  );
  expect(paths.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
});

test('lists the rules', async ({ skip }) => {
  skip(packed === undefined, 'the package registry cannot be reached');
  const { stdout } = await installed('rules', '--json');
  const { rules } = JSON.parse(stdout) as { readonly rules: readonly { readonly id: string }[] };
  expect(rules.map((rule) => rule.id)).toEqual(allRules.map((rule) => rule.id));
});

test('judges the bundled reference server', { timeout: 60_000 }, async ({ skip }) => {
  skip(packed === undefined, 'the package registry cannot be reached');
  const { stdout } = await installed('check', '--areas', 'headers');
  expect(stdout).toMatch(/headers/);
});

/** Rejects unless the exit code is 0. */
function installed(...argv: readonly string[]): Promise<{ readonly stdout: string }> {
  const main = join('node_modules', '.bin', 'svc-conformance');
  return execute(process.execPath, [main, ...argv], { cwd: join(place, 'empty'), maxBuffer: 1 << 25 });
}

async function pack(destination: string): Promise<Packed> {
  const { stdout } = await npm(root, 'pack', '--json', '--pack-destination', destination);
  const [first] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as readonly Packed[];
  if (first === undefined) throw new Error(`npm pack named no package: ${stdout}`);
  return first;
}

async function registryAnswers(): Promise<boolean> {
  return npm(root, 'view', 'commander', 'version', '--fetch-retries', '0').then(
    () => true,
    () => false,
  );
}

function npm(cwd: string, ...argv: readonly string[]): Promise<{ readonly stdout: string }> {
  return execute('npm', argv, { cwd, env: environment, maxBuffer: 1 << 25 });
}
