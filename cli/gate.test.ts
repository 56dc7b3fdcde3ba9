import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { readReport } from '../reports/report-file.ts';
import { writeJson } from '../reports/json.ts';
import { readRun, type Run } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';
import { checkCommand } from './check.ts';
import type { CheckOptions } from './options.ts';
import { captureOutput } from './output.fixture.ts';
import { serve } from './served.fixture.ts';

const failing = 'caching.match.status-304';
const warning = 'hypermedia.editor.sees-write-links';
const rules = [failing, 'caching.etag.present', warning];

const folder = makeFolder();
const { profile: bundled } = await serve({ faults: [failing, warning] });

interface Judged {
  readonly exitCode: number;
  readonly printed: string;
  readonly out: string;
  readonly profile: string;
}

/** Judges the broken server with the bundled profile and what is added to it. */
async function judging(added: string, options: Partial<CheckOptions> = {}): Promise<Judged> {
  const out = mkdtempSync(join(folder, 'out-'));
  const profile = join(out, 'profile.yaml');
  writeFileSync(profile, bundled + added);
  const { exitCode, printed } = await captureOutput(() =>
    checkCommand({ profile, out, seed: 7, runs: 2, rules, ...options }),
  );
  return { exitCode, printed, out, profile };
}

/** A profile of the broken server that was changed before use. */
function rewritten(change: (text: string) => string): string {
  const profile = join(mkdtempSync(join(folder, 'profile-')), 'profile.yaml');
  writeFileSync(profile, change(bundled));
  return profile;
}

const recordOf = ({ out }: Judged): Promise<Run> => readRun(join(out, 'outcomes.ndjson'), listedRules);
const known = `knownFailures: { ${failing}: ticket 7 }\n`;

describe('entries of the profile with a last day', () => {
  test('one that holds excuses, and its day is shown', async () => {
    const judged = await judging(`knownFailures: { ${failing}: { reason: ticket 7, until: 9999-12-31 } }\n`);
    expect(judged).toMatchObject({ exitCode: 0, printed: expect.stringContaining('ticket 7 (until 9999-12-31)') });
    expect(judged.printed).toContain('Of these: 1 known to fail.');
    expect(readReport(join(judged.out, 'report.json')).apart).toEqual({ known: 1, declared: 0, stale: 0, expired: 0 });
  });

  test('one whose day is over is named and fails the run, whether its rule was judged or not', async () => {
    const own = await judging(`knownFailures: { ${failing}: { reason: ticket 7, until: 2020-01-31 } }\n`);
    expect(own).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining(`the entry ${failing} under knownFailures expired: it held until 2020-01-31`),
    });
    const other = await judging('notSupported: { put-route: { reason: later, until: 2020-01-31 } }\n', {
      rules: ['caching.etag.present'],
    });
    expect(other).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('notSupported: put-route, until 2020-01-31: later'),
    });
    expect(JSON.parse(writeJson(await recordOf(other)))).toMatchObject({ exitCode: 1, apart: { expired: 1 } });
  });

  test.each(['2027-02-30', '31.1.2027', 'soon'])('%s is no day', async (day) => {
    const { exitCode, printed } = await judging(`knownFailures: { ${failing}: { reason: ticket 7, until: ${day} } }\n`);
    expect(exitCode).toBe(2);
    expect(printed).toMatch(/profile\.yaml:\d+:\d+: /);
  });
});

describe('a pattern under knownFailures', () => {
  const pattern = (name: string): string => `knownFailures:\n  # of the spring\n  ${name}: ticket 7 # soon\n`;

  test('excuses each failure that it names, and only those', async () => {
    const judged = await judging(pattern('caching.match.*'), { rules: [failing, 'caching.etag.present'] });
    expect(judged).toMatchObject({ exitCode: 0, printed: expect.stringContaining('1 known to fail') });
    expect(readReport(join(judged.out, 'report.json')).apart).toEqual({ known: 1, declared: 0, stale: 0, expired: 0 });
    expect(await judging(pattern('paging.*'))).toMatchObject({ exitCode: 1 });
  });

  test('is stale as soon as a rule that it names is kept, and --update-known leaves the others', async () => {
    const judged = await judging(pattern('caching.*'), { updateKnown: true });
    expect(judged).toMatchObject({ exitCode: 1, printed: expect.stringContaining('ticket 7 (by caching.*)') });
    expect(readReport(join(judged.out, 'report.json')).apart).toMatchObject({ known: 1, stale: 1 });
    const text = readFileSync(judged.profile, 'utf8');
    expect(text).toMatch(/ {2}# of the spring\n {2}caching\.[^\n]+: ticket 7\n/);
    expect(text).toContain(`  ${failing}: ticket 7\n`);
    expect(text).not.toContain('caching.etag.present: ');
    expect(await judging(text.slice(bundled.length))).toMatchObject({ exitCode: 0 });
  });

  test('does not cover a rule with an entry of its own, even one that is over', async () => {
    const own = `${pattern('caching.match.*')}  ${failing}: { reason: ticket 8, until: 2020-01-31 }\n`;
    const judged = await judging(own, { rules: [failing] });
    expect(judged).toMatchObject({ exitCode: 1, printed: expect.stringContaining('1 rule violated') });
  });

  test('that is over excuses nothing, and one that names no rule is refused', async () => {
    const over = 'knownFailures: { caching.match.*: { reason: ticket 7, until: 2020-01-31 } }\n';
    expect(await judging(over)).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('the entry caching.match.* under knownFailures expired'),
    });
    expect(await judging(pattern('cachign.*'))).toMatchObject({
      exitCode: 2,
      printed: expect.stringContaining('"cachign.*" under knownFailures is no rule'),
    });
    expect(await judging(pattern('reading.*'))).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('did not judge'),
    });
  });
});

describe('what counts', () => {
  test('guidelines count with --fail-on should', async () => {
    expect(await judging(known)).toMatchObject({ exitCode: 0 });
    expect(await judging(known, { failOn: 'should' })).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('1 guideline not kept, which count'),
    });
    expect(
      await judging(`knownFailures: { ${failing}: ticket 7, ${warning}: ticket 8 }\n`, { failOn: 'should' }),
    ).toMatchObject({ exitCode: 0 });
  });

  test('as many guidelines as --max-warnings says may be left unkept', async () => {
    expect(await judging(known, { maxWarnings: 1 })).toMatchObject({ exitCode: 0 });
    expect(await judging(known, { maxWarnings: 0 })).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('1 guideline not kept, where 0 may be'),
    });
  });

  test('with an earlier report only what changed counts, and all is shown', async () => {
    const before = await judging('');
    expect(before.exitCode).toBe(1);
    const onlyChangedSince = join(before.out, 'report.json');
    const same = await judging('', { onlyChangedSince, failOn: 'should' });
    expect(same).toMatchObject({ exitCode: 0, printed: expect.stringContaining(`FAIL  ${failing}`) });
    expect(same.printed).toContain(`of what failed only what is new since ${onlyChangedSince} counts, 0 of 2`);
    const narrow = await judging('', { rules: ['caching.etag.present'] });
    expect(await judging('', { onlyChangedSince: join(narrow.out, 'report.json') })).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('counts, 2 of 2'),
    });
  });

  test('what broke or is blocked counts, however often it did before', async () => {
    const lean = { rules: ['caching.etag.present', 'caching.changed.*'] };
    const without = (profile: string): string => profile.replace(/ {2}change: .*\n/, '');
    const before = await judging('', { ...lean, profile: rewritten(without) });
    expect(before.exitCode).toBe(3);
    const onlyChangedSince = join(before.out, 'report.json');
    const again = await judging('', { ...lean, profile: rewritten(without), onlyChangedSince });
    expect(again).toMatchObject({ exitCode: 3, printed: expect.stringContaining('blocked without being declared') });
  });

  test.each([
    ['implementation', 'theirs', 'the implementation of that report is theirs'],
    ['suiteVersion', '9.9.9', 'the version of the suite of that report is 9.9.9'],
    ['profileDigest', 'abc', 'the profile (its digest) of that report is abc'],
  ])('a report with another %s is refused, unless any will do', async (name, value, words) => {
    const before = await judging('');
    const onlyChangedSince = join(before.out, 'other.json');
    writeFileSync(onlyChangedSince, JSON.stringify({ ...readReport(join(before.out, 'report.json')), [name]: value }));
    const refused = await judging('', { onlyChangedSince });
    expect(refused).toMatchObject({ exitCode: 2, printed: expect.stringContaining(words) });
    expect(refused.printed).toMatch(/^svc-conformance: [^\n]+\n$/);
    expect(readdirSync(refused.out)).toEqual(['profile.yaml']);
    expect(await judging('', { onlyChangedSince, sinceAny: true })).toMatchObject({ exitCode: 0 });
  });

  test('a report is of the same profile when that excuses something else', async () => {
    const before = await judging('');
    const onlyChangedSince = join(before.out, 'report.json');
    expect(await judging(known, { onlyChangedSince })).toMatchObject({ exitCode: 0 });
  });

  test('a report that cannot be read is told before anything is judged', async () => {
    const { exitCode, printed, out } = await judging('', { onlyChangedSince: join(folder, 'absent.json') });
    expect({ exitCode, files: readdirSync(out) }).toEqual({ exitCode: 2, files: ['profile.yaml'] });
    expect(printed).toMatch(/^svc-conformance: [^\n]+absent\.json: cannot be read[^\n]+\n$/);
  });
});

describe('--update-known', () => {
  test('writes what failed and takes out what is kept; the next run accepts it', async () => {
    const added =
      '# end\nknownFailures:\n  caching.etag.present: long ago\n  caching.changed.status-200: not judged here # stays\n';
    const first = await judging(added, { updateKnown: true });
    expect(first).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('1 known failure written, 1 taken out'),
    });
    const text = readFileSync(first.profile, 'utf8');
    expect(text.startsWith(`${bundled}# end\n`)).toBe(true);
    expect(text).toMatch(new RegExp(`  ${failing}: .*\\(seen \\d{4}-\\d\\d-\\d\\d\\)`));
    expect(text).not.toContain('caching.etag.present: long ago');
    expect(text).toContain('# stays');
    expect(readdirSync(first.out).filter((name) => name.includes('.tmp'))).toEqual([]);
    const again = await judging(text.slice(bundled.length), { updateKnown: true });
    expect(again).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining('the known failures are what they were'),
    });
  });

  test('guidelines are written where they count, and a file behind a link keeps its place and its mode', async () => {
    const target = join(folder, 'real.yaml');
    const link = join(folder, 'link.yaml');
    writeFileSync(target, bundled, { mode: 0o640 });
    symlinkSync(target, link);
    await judging('', { profile: link, updateKnown: true, failOn: 'should' });
    expect(readFileSync(target, 'utf8')).toContain(`  ${warning}: `);
    expect([readFileSync(link, 'utf8'), statSync(target).mode & 0o777]).toEqual([readFileSync(target, 'utf8'), 0o640]);
  });

  test.each([undefined, 'https://127.0.0.1:1/profile.yaml'])(
    'without a file to write to it refuses: %s',
    async (profile) => {
      const out = mkdtempSync(join(folder, 'out-'));
      const options = { out, rules, updateKnown: true, ...(profile !== undefined && { profile }) } as const;
      const { exitCode, stderr } = await captureOutput(() => checkCommand(options));
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^svc-conformance: --update-known [^\n]+\n$/);
    },
  );
});
