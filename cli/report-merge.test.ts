import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import type { Report } from '../contract/schemas/report.ts';
import { readReport } from '../reports/report-file.ts';
import type { RunHeader } from '../judge/outcome.ts';
import { checkCommand } from './check.ts';
import { reportMergeCommand } from './report-merge.ts';
import type { CheckOptions } from './options.ts';
import { captureOutput } from './output.fixture.ts';
import { serve } from './served.fixture.ts';

const folder = makeFolder();
const { url, address } = await serve({ faults: ['reading.create.status-201'] });
const shards: string[] = [];
const of = 3;

beforeAll(async () => {
  for (const index of [1, 2, 3]) shards.push((await judged(`shard-${index}`, { shard: { index, of } })).record);
});

async function judged(
  name: string,
  more: Partial<CheckOptions> = {},
): Promise<{ readonly exitCode: number; readonly record: string; readonly report: Report }> {
  const out = join(folder, name);
  const options = {
    profile: address,
    out,
    seed: 7,
    runs: 2,
    rules: ['caching.etag.*', 'reading.create.*', 'delivery.task.*'],
    quiet: true,
  } as const;
  const exitCode = await quietly(() => checkCommand({ ...options, ...more }));
  return { exitCode, record: join(out, 'outcomes.ndjson'), report: readReport(join(out, 'report.json')) };
}

async function quietly(work: () => Promise<number>): Promise<number> {
  return (await captureOutput(work)).exitCode;
}

const merging = (files: readonly string[], out = join(folder, 'merged')): Promise<number> =>
  quietly(() => reportMergeCommand(files, { out, quiet: true }));

/** Without what is another number in every run. */
function lasting({ durationMs: _d, requests: _r, startedAt: _s, rules, ...report }: Report): unknown {
  return {
    ...report,
    rules: rules.map(({ id, state, reason, standsOn, violation }) => ({
      id,
      state,
      reason,
      standsOn,
      found: violation?.actual,
    })),
  };
}

describe('the parts of a run', () => {
  test('put together are the whole: the same reports and the same exit code', async () => {
    const whole = await judged('whole');
    expect(whole.exitCode).toBe(1);
    expect(await merging(shards.toReversed())).toBe(1);
    const merged = readReport(join(folder, 'merged', 'report.json'));
    expect(lasting(merged)).toEqual(lasting(whole.report));
    expect(merged.complete).toBe(true);
    expect(whole.report.rules.filter(({ state }) => state === 'blocked').length).toBeGreaterThan(0);
  });

  test('a part without an end makes the whole incomplete, unless a rule is violated anyway', async () => {
    const cut = shards.map((file, index) =>
      copy(file, `cut-${index}`, (lines) => (index === 1 ? lines.slice(0, -1) : lines)),
    );
    await merging(cut);
    expect(readReport(join(folder, 'merged', 'report.json'))).toMatchObject({
      complete: false,
      aborted: 'shard 2 of 3: the run was cut off',
    });
  });
});

describe('a line that is missing or too many', () => {
  const verdictIn = (line: string, verdict: string): boolean => line.includes(`"verdict":"${verdict}"`);

  test.each([
    ['pass', 1],
    ['fail', 3],
  ])('without those that told of a %s the run is incomplete, and every format ends with %i', async (verdict, code) => {
    const out = join(folder, `without-${verdict}`);
    const files = shards.map((file, index) =>
      copy(file, `without-${verdict}-${index}`, (lines) => lines.filter((line) => !verdictIn(line, verdict))),
    );
    expect(await merging(files, out)).toBe(code);
    const report = readReport(join(out, 'report.json'));
    expect(report.exitCode).toBe(code);
    expect(report.totals['not-run']).toBeGreaterThan(0);
    expect(report.totals[verdict as 'pass' | 'fail']).toBe(0);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain(`Exit ${code}`);
    expect(readFileSync(join(out, 'junit.xml'), 'utf8')).toContain('not run: the run ended before this rule');
  });

  test('an outcome of another shard is refused, and so is a violation that another line takes back', async () => {
    const [first = '', second = '', third = ''] = shards;
    const [stranger = ''] = readFileSync(second, 'utf8').split('\n').slice(1);
    const swollen = copy(first, 'swollen', ([header = '', ...rest]) => [header, stranger, ...rest]);
    await expect(merging([swollen, second, third])).rejects.toMatchObject({
      message: expect.stringContaining('no rule of shard 1'),
    });
    const failed = shards.find((file) => readFileSync(file, 'utf8').includes('"verdict":"fail"')) ?? '';
    const whitened = copy(failed, 'whitened', (lines) =>
      lines.flatMap((line) =>
        line.includes('"verdict":"fail"') ? [line, line.replace('"verdict":"fail"', '"verdict":"pass"')] : [line],
      ),
    );
    await expect(merging(shards.map((file) => (file === failed ? whitened : file)))).rejects.toMatchObject({
      message: expect.stringContaining('two runs'),
    });
  });

  test('parts that judged different addresses are told apart', async () => {
    const moved = withHeader('moved', (header) => ({ ...header, baseUrl: 'http://edda:secret@other.example' }));
    const [first = '', , third = ''] = shards;
    const out = join(folder, 'two-targets');
    await merging([first, moved, third], out);
    expect(readReport(join(out, 'report.json')).notes).toEqual([
      `the shards judged 2 addresses: ${url} (shard 1, 3); http://other.example (shard 2)`,
    ]);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('2 addresses');
  });
});

/** A record with its lines changed; resolves with its path. */
function copy(file: string, name: string, change: (lines: readonly string[]) => readonly string[]): string {
  const place = join(folder, `${name}.ndjson`);
  writeFileSync(place, change(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n').concat('\n'));
  return place;
}

function withHeader(name: string, change: (header: RunHeader) => object): string {
  return copy(shards[1] ?? '', name, ([first = '', ...rest]) => [
    JSON.stringify(change(JSON.parse(first) as RunHeader)),
    ...rest,
  ]);
}

describe('what is no whole is refused', () => {
  test.each<[string, (header: RunHeader) => object, string]>([
    [
      'another seed',
      (header) => ({ ...header, seed: 8 }),
      'shards of different runs: the seed is 7 in one and 8 in the other',
    ],
    ['another profile', (header) => ({ ...header, profileDigest: 'abc' }), 'the profile (its digest) is'],
    [
      'another version',
      (header) => ({ ...header, suiteVersion: '9.9.9' }),
      'the version of the suite is "0.1.0" in one and "9.9.9"',
    ],
    [
      'another implementation',
      (header) => ({ ...header, implementation: 'theirs' }),
      'the implementation is "reference-server" in one and "theirs"',
    ],
    [
      'another number of shards',
      (header) => ({ ...header, shard: { index: 2, of: 4 } }),
      'the number of shards is 3 in one and 4',
    ],
    [
      'other declarations',
      (header) => ({ ...header, knownFailures: { 'caching.etag.present': 'ticket 7' } }),
      'the declarations is',
    ],
    ['another gate', (header) => ({ ...header, gate: { failOn: 'should' } }), 'the gate is not recorded in one'],
    [
      'another selection',
      (header) => ({ ...header, selected: header.selected.slice(1) }),
      'Run every shard with the same --areas, --rules and --level',
    ],
    ['a whole run', ({ shard: _, ...header }) => header, 'is the record of a whole run'],
    [
      'a shard that is there already',
      (header) => ({ ...header, shard: { index: 1, of } }),
      'Shard 1 of 3 is there twice',
    ],
  ])('%s', async (name, change, words) => {
    const [first = '', , third = ''] = shards;
    await expect(merging([first, withHeader(name.replaceAll(' ', '-'), change), third])).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(words),
    });
  });

  test('a record that says it is one of a thousand million, at once', async () => {
    const file = join(folder, 'many.ndjson');
    writeFileSync(file, readFileSync(shards[0] ?? '', 'utf8').replace('"of":3', '"of":1000000000'));
    await expect(reportMergeCommand([file], { out: join(folder, 'many') })).rejects.toThrow(
      /999999999 shards of 1000000000 missing: 2, 3, .* and more\. Name/,
    );
  });

  test('a shard that is missing, and a place where one of them lies', async () => {
    await expect(merging(shards.slice(1))).rejects.toMatchObject({
      message: expect.stringContaining('1 shard of 3 missing: 1'),
    });
    await expect(merging(shards, join(folder, 'shard-1'))).rejects.toMatchObject({
      message: expect.stringContaining('--out'),
    });
    await expect(merging([join(folder, 'absent')])).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('cannot be read'),
    });
  });
});

test('more parts than rules are refused, as many are not', async () => {
  const ask = (count: number): Promise<number> =>
    quietly(() =>
      checkCommand({
        profile: address,
        out: join(folder, 'small'),
        seed: 7,
        rules: ['caching.etag.present', 'caching.match.status-304'],
        quiet: true,
        shard: { index: 2, of: count },
      }),
    );
  expect(await ask(3)).toBe(2);
  expect(await ask(2)).toBe(0);
});
