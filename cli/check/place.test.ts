import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { formats } from '../../reports/formats.ts';
import { runWith } from '../../reports/run.fixture.ts';
import { captureOutput, type Output } from '../output.fixture.ts';
import { run } from '../run.ts';
import { serve } from '../served.fixture.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const failing = 'caching.match.status-304';
const names = ['outcomes.ndjson', 'report.json', 'report.md', 'junit.xml', 'report.html', 'badge.svg'];

const folder = makeFolder();
const profile = join(folder, 'profile.yaml');
writeFileSync(profile, (await serve({ faults: [failing] })).profile);

/** A folder in which an earlier run was all green. */
function greenFolder(): string {
  const out = mkdtempSync(join(folder, 'out-'));
  const green = runWith([]);
  for (const [name, format] of [
    ['report.json', 'json'],
    ['report.md', 'markdown'],
    ['junit.xml', 'junit'],
    ['report.html', 'html'],
    ['badge.svg', 'badge'],
  ] as const)
    writeFileSync(join(out, name), formats[format].write(green));
  const lines = [green.header, ...green.outcomes, green.footer].map((line) => JSON.stringify(line));
  writeFileSync(join(out, 'outcomes.ndjson'), `${lines.join('\n')}\n`);
  return out;
}

/** What of a folder says that nothing is wrong. */
function greenIn(out: string): readonly string[] {
  const textOf = (name: string): string => (existsSync(join(out, name)) ? readFileSync(join(out, name), 'utf8') : '');
  const signs: readonly (readonly [string, RegExp])[] = [
    ['outcomes.ndjson', /"kind":"end"(?!.*"aborted")/],
    ['report.json', /"exitCode": 0/],
    ['report.md', /Exit 0/],
    ['junit.xml', /^(?!.*<(?:failure|error)\b).+/s],
    ['report.html', /Exit 0/],
    ['badge.svg', /#116329/],
  ];
  return signs.filter(([name, sign]) => sign.test(textOf(name))).map(([name]) => name);
}

function argumentsOf(out: string, more: readonly string[] = []): string[] {
  const rules = more.includes('--rules') ? [] : ['--rules', 'caching.etag.*', '--rules', 'caching.match.*'];
  const usual = ['--profile', profile, ...rules, '--seed', '7', '--runs', '2', '--out', out];
  return [main, 'check', ...usual, '--report', `badge=${join(out, 'badge.svg')}`, ...more];
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs in this process: what ends early, or in a sentence, needs none of its own. */
const judged = (out: string, more: readonly string[] = []): Promise<Output> =>
  captureOutput(() => run(argumentsOf(out, more).slice(1)));

/** Runs to its end, in a process that may hang or be cut off, while the server of this one goes on; `into` is a file in the place of standard output. */
async function started(out: string, more: readonly string[] = [], into?: string): Promise<Ended> {
  const child = spawn(process.execPath, argumentsOf(out, more), {
    stdio: ['ignore', into === undefined ? 'pipe' : openSync(into, 'w'), 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (piece) => (stdout += String(piece)));
  child.stderr?.on('data', (piece) => (stderr += String(piece)));
  await once(child, 'close');
  return { status: child.exitCode, stdout, stderr };
}

describe('an earlier green report', () => {
  test('is green as far as this test can tell', () => {
    expect(greenIn(greenFolder())).toEqual(names);
  });

  test.each<[string, (out: string) => boolean]>([
    // the last of the files; between two of them some are emptied, and nobody was told that the run ended
    ['when its place is taken', (out) => statSync(join(out, 'badge.svg')).size === 0],
    [
      'when the record begins',
      (out) => /^\{"schemaVersion".*\n$/.test(readFileSync(join(out, 'outcomes.ndjson'), 'utf8')),
    ],
    ['when the badge is under way', (out) => readFileSync(join(out, 'badge.svg'), 'utf8').includes('#7d4e00')],
    ['after three outcomes', (out) => readFileSync(join(out, 'outcomes.ndjson'), 'utf8').split('\n').length === 5],
  ])('does not survive a kill -9 %s', async (_when, isTime) => {
    const out = greenFolder();
    const child = spawn(process.execPath, argumentsOf(out), { stdio: 'ignore' });
    const ended = once(child, 'exit');
    while (child.exitCode === null && !isTime(out)) await sleep(1);
    child.kill('SIGKILL');
    await ended;
    expect(greenIn(out)).toEqual([]);
  });

  test.each<[string, (out: string) => readonly string[], number]>([
    ['a refused option', () => ['--since-any'], 2],
    ['a pattern that names no rule', () => ['--rules', 'redaing.*'], 2],
    ['a profile that is not there', (out) => ['--profile', join(out, 'absent.yaml')], 2],
    ['an empty selection', () => ['--areas', 'paging'], 3],
  ])('does not survive %s', async (_why, more, code) => {
    const out = greenFolder();
    const { exitCode, stderr } = await judged(out, more(out));
    expect(stderr).toMatch(/^svc-conformance: [^\n]+\n$/);
    expect(exitCode).toBe(code);
    expect(greenIn(out)).toEqual([]);
  });
});

describe('what cannot be read or written', () => {
  type Odd = readonly [what: string, more: (out: string) => readonly string[]];

  test.each<Odd>([
    ['a folder below a file', () => ['--out', join(profile, 'below')]],
    ['a report that is a folder', (out) => (mkdirSync(join(out, 'x')), ['--report', `html=${join(out, 'x')}`])],
    ['a profile that is a folder', (out) => ['--profile', out]],
    ['a profile that is no UTF-8', (out) => ['--profile', written(out, Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]))]],
    ['a profile that is nested without end', (out) => ['--profile', written(out, `a: ${'['.repeat(100_000)}`)]],
  ])('%s ends with 2 and one sentence', async (_what, more) => {
    const { exitCode, stderr, stdout } = await judged(greenFolder(), more(mkdtempSync(join(folder, 'odd-'))));
    expect(stderr).toMatch(/^svc-conformance: [^\n]+\n$/);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  test.each<Odd>([
    ['a folder in /proc', () => ['--out', '/proc/nowhere']],
    ['a profile without end', () => ['--profile', '/dev/zero']],
    ['a profile of aliases of aliases', (out) => ['--profile', written(out, bomb())]],
    ['a record that is a pipe nobody reads', (out) => (piped(join(out, 'outcomes.ndjson')), ['--out', out])],
    ['a report that is a pipe nobody reads', (out) => ['--report', `junit=${piped(join(out, 'pipe'))}`]],
    ['a report of before without end', () => ['--only-changed-since', '/dev/zero']],
  ])('%s ends a process with 2 and one sentence', async (_what, more) => {
    const { status, stderr, stdout } = await started(greenFolder(), more(mkdtempSync(join(folder, 'odd-'))));
    expect(stderr).toMatch(/^svc-conformance: [^\n]+\n$/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  test.each<[string, readonly string[], number]>([
    ['a violation stays a 1', [], 1],
    ['what is kept becomes a 3', ['--rules', 'caching.etag.present'], 3],
  ])('where standard output is full %s, and the reports are whole', async (_what, more, code) => {
    const out = greenFolder();
    const { status, stderr } = await started(out, more, '/dev/full');
    expect(stderr).toBe('svc-conformance: standard output could not be written (ENOSPC)\n');
    expect(status).toBe(code);
    expect(readFileSync(join(out, 'report.json'), 'utf8')).toContain('"complete": true');
  });

  test('a full disk for a report, or for the record', async () => {
    const out = greenFolder();
    const report = await judged(out, ['--rules', 'caching.etag.present', '--report', 'junit=/dev/full']);
    expect(report.stderr).toBe('svc-conformance: the report /dev/full cannot be written (ENOSPC)\n');
    expect(report.exitCode).toBe(3);
    expect(report.stdout.trimEnd().split('\n').at(-1)).toContain('Exit 3: ');
    expect(greenIn(out)).toEqual(['outcomes.ndjson']);
    const cassette = await judged(out, ['--rules', 'caching.etag.present', '--record', '/dev/full']);
    expect(cassette.stderr).toBe('svc-conformance: the cassette /dev/full cannot be written (ENOSPC)\n');
    expect(cassette.stdout).toContain('Exit 3: ');
    expect(greenIn(out)).toEqual(['outcomes.ndjson']);
    rmSync(join(out, 'outcomes.ndjson'));
    symlinkSync('/dev/full', join(out, 'outcomes.ndjson'));
    const record = await started(out);
    expect(record.stderr).toContain('cannot be written (ENOSPC)');
    expect(record.stderr).not.toContain('    at ');
    expect(record.status).toBe(2);
  });

  test('a disk that is full in the middle leaves no half of a report', async () => {
    const out = greenFolder();
    // of no file more than that many KiB may be written, which ends nobody
    const script = 'trap \'\' XFSZ; ulimit -f 24; exec "$@"';
    const child = spawn('bash', ['-c', script, 'bash', process.execPath, ...argumentsOf(out)], { stdio: 'ignore' });
    await once(child, 'close');
    expect(child.exitCode).toBe(1);
    const sizeOf = (name: string): number => statSync(join(out, name)).size;
    expect(sizeOf('report.html')).toBe(0);
    expect(sizeOf('report.json')).toBe(0);
    expect(readFileSync(join(out, 'junit.xml'), 'utf8')).toMatch(/<\/testsuites>\s*$/);
    expect(greenIn(out)).toEqual(['outcomes.ndjson']);
  });

  test('nothing is left that a run did not name', async () => {
    const out = greenFolder();
    await judged(out);
    expect(readdirSync(out).toSorted()).toEqual([...names, 'former', 'repeat'].toSorted());
  });

  test('the run before is kept, whatever became of the runs since that were refused', async () => {
    const out = greenFolder();
    const textOf = (name: string): string => readFileSync(join(out, name), 'utf8');
    const green = textOf('report.json');
    await judged(out, ['--no-such-flag']);
    await judged(out, ['--rules', 'no.such.rule']);
    await judged(out, ['--rules', failing]);
    expect(textOf('former/report.json')).toBe(green);
    expect(existsSync(join(out, 'former/repeat'))).toBe(false);
    const [red, script] = [textOf('report.json'), textOf(`repeat/${failing}.sh`)];
    await judged(out, ['--rules', 'caching.etag.present']);
    expect([textOf('former/report.json'), textOf(`former/repeat/${failing}.sh`)]).toEqual([red, script]);
    expect(existsSync(join(out, `repeat/${failing}.sh`))).toBe(false);
    await judged(out, ['--rules', 'caching.etag.present']);
    expect(readdirSync(join(out, 'former/repeat'))).toEqual([]);
  });
});

function piped(file: string): string {
  execFileSync('mkfifo', [file]);
  return file;
}

function written(out: string, content: string | Uint8Array): string {
  const file = join(out, 'odd.yaml');
  writeFileSync(file, content);
  return file;
}

/** Nine to the power of eight, if somebody followed it. */
function bomb(): string {
  const level = (name: string, of: string): string => `${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`;
  const letters = [...'abcdefghi'];
  return ['a: &a [x]', ...letters.slice(1).map((name, index) => level(name, letters[index] ?? 'a'))].join('\n');
}

test('load that is refused leaves no report of an earlier one in the place of its own', async () => {
  const [report, gone] = [join(folder, 'traffic.json'), join(folder, 'gone.yaml')];
  writeFileSync(report, JSON.stringify({ kind: 'traffic', violations: [] }));
  writeFileSync(gone, readFileSync(profile, 'utf8').replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:9'));
  const { exitCode } = await captureOutput(() =>
    run(['simulate', 'traffic', '--profile', gone, '--duration', '1s', '--report', `json=${report}`]),
  );
  expect([exitCode, readFileSync(report, 'utf8')]).toEqual([3, '']);
});
