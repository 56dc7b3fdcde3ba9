import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { commandRows } from './commands.ts';
import { oldNode } from './old-node.fixture.ts';
import { run } from './run.ts';
import { captureOutput } from './output.fixture.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

async function complaintOf(...argv: readonly string[]): Promise<{ exitCode: number; said: string }> {
  const { exitCode, stderr } = await captureOutput(() => run(argv));
  return { exitCode, said: stderr };
}

describe('a command line that cannot be used ends with exit code 2 and says what was found', () => {
  test.each<readonly [argv: readonly string[], found: string, expected: string]>([
    [['chek'], '"chek"', '"check"'],
    [['check', '--aeras', 'paging'], '"--aeras"', '"--areas"'],
    [['check', '--areas', 'pagin'], '"pagin"', '"paging"'],
    [
      ['check', '--rules', 'paging.page-one.holds-the-res'],
      '"paging.page-one.holds-the-res"',
      'near are paging.page-one.holds-the-rest',
    ],
    [['check', '--level', 'musts'], '"musts"', '"must"'],
    [['check', '--runs', '0'], '"0"', 'from 1 to 100000'],
    [['check', '--runs', 'many'], '"many"', 'from 1 to 100000'],
    [['check', '--runs', '1.5'], '"1.5"', 'from 1 to 100000'],
    [['check', '--concurrency', '257'], '"257"', 'from 1 to 256'],
    [['check', '--time', 'vitual'], "'vitual'", 'real, virtual'],
    [['check', '--report', 'jnit=x.xml'], '"jnit"', '"junit"'],
    [['check', '--report', 'junit'], '"junit"', 'FORMAT=FILE'],
    [
      ['check', '--report', 'hurl=x.hurl'],
      "'hurl=x.hurl'",
      'add --record run.cassette, then svc-conformance report hurl run.cassette',
    ],
    [['check', 'paging'], 'paging', 'too many arguments'],
    [['check', 'staging.yaml'], '"staging.yaml"', 'did you mean --profile staging.yaml?'],
    [['init', 'http://127.0.0.1:9'], '"http://127.0.0.1:9"', 'did you mean --url http://127.0.0.1:9?'],
    [['rules', 'explain', 'a', 'b'], 'Expected 1 argument but got 2', 'too many arguments'],
    [['check', '--rules', 'versioning.mismatch'], '"versioning.mismatch"', "'versioning.mismatch.*' takes the 5"],
    [['rules', 'explain', 'versioning'], 'svc-conformance: "versioning" is an area', 'rules --areas versioning'],
    [['check', '--report', 'html'], '"html"', 'html=FILE'],
    [['check', '--areas', 'version'], '"version"', 'did you mean "versioning"? See svc-conformance check --help.'],
    [['serve', '--port', '65536'], '"65536"', 'from 0 to 65535'],
    [['serve', '--store', 'sqlite'], '"sqlite"', 'sqlite:FILE'],
    [['serve', '--fault', 'paging.page-one'], '"paging.page-one"', 'did you mean "paging.page-one.holds-the-rest"?'],
    [['explain', 'x'], '"explain"', 'did you mean "rules explain"?'],
    [['verdicts'], '"verdicts"', 'did you mean "help verdicts"?'],
    [['install'], '"install"', 'known are init, doctor, check'],
    [['check', '--fast'], '"--fast"', 'See svc-conformance check --help'],
    [['rules', '--fast'], '"--fast"', 'known are --help, --areas'],
    [['check', '--areas', 'quality'], '"quality"', 'known are reading, paging'],
    [['rules', 'explain', 'nothing-like-it'], '"nothing-like-it"', 'svc-conformance rules lists them'],
    [['serve', '--fault', 'subtle.retry.fourth'], '"subtle.retry.fourth"', '"subtle.retry.fourth-gap-of-tasks"'],
    ...['service.example.com', 'ftp://service.example.com', 'https://service.example.com/?a=b', 'https://'].map(
      (address) => [['serve', '--base-address', address], `"${address}"`, 'https://service.example.com/path'] as const,
    ),
    [['serve', '--administration-key', 'c2hvcnQ='], 'administration key', '16 random bytes or more'],
    [['serve', '--store', 'postgres:svc:hush@host'], 'postgres://', 'HOST:PORT/DATABASE'],
    [['simulate', 'extension', '--permissions', 'AdministrationApi'], 'AdministrationApi', 'AdministrationAPI'],
    [['simulate', 'extension', '--fault', 'paging.page-one.holds-the-rest'], 'paging.page-one', 'an extension host'],
    [['simulate', 'extension', '--api-key', 'not base64!'], 'not base64!', 'a key in Base64'],
    [['rules', 'explain', 'paging.page-one.holds'], '"paging.page-one.holds"', 'paging.page-one.holds-the-rest'],
    [['rules', 'explan', 'x'], '"explan"', '"explain"'],
    [['help', 'verdict'], '"verdict"', 'did you mean "verdicts"?'],
    [['help', 'rules', 'explan'], '"rules explan"', 'did you mean "rules explain"?'],
    [['completion', 'powershell'], '"powershell"', 'known are bash, zsh, fish'],
    [['report', 'markdwon', 'x'], '"markdwon"', '"markdown"'],
    [['report', 'markdown'], "'files'", 'missing'],
  ])('%j', async (argv, found, expected) => {
    const { exitCode, said } = await complaintOf(...argv);
    expect(exitCode).toBe(2);
    expect(said).toContain(found);
    expect(said).toContain(expected);
    expect(said.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('help', () => {
  test.each(commandRows.map((row) => row.name))('of %s shows an example', async (name) => {
    const { exitCode, stdout } = await captureOutput(() => run([name, '--help']));
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`$ svc-conformance ${name}`);
  });

  test('without a command exits 2', async () => {
    const { exitCode, said } = await complaintOf();
    expect(exitCode).toBe(2);
    expect(said).toContain('Commands:');
  });
});

describe.skipIf(oldNode === undefined)('an old Node', () => {
  test.each(['check', '--version'])('is told in one sentence which one is needed: %s', (word) => {
    const { status, stdout, stderr } = spawnSync(oldNode ?? '', [main, word], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^svc-conformance needs Node 24 or later and was started with [\d.]+: [^.]+\.\n$/);
  });
});

test('the program prints its version', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
