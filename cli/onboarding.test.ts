import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRun } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';
import { installedIn, packed, packingMs, plainEnvironment, type Packed } from './elsewhere/package.fixture.ts';
import { serving } from './elsewhere/serving.fixture.ts';

/** The first minutes with the package: nothing but an empty folder, a service that differs wherever it may, and the commands of the README. */
const secrets = { SVC_PASSWORD: 'edda-password', SVC_CLIENT_SECRET: 'conformance-secret' };

let pack: Packed | undefined;
let place = '';

beforeAll(async () => {
  pack = await packed();
  place = await mkdtemp(join(tmpdir(), 'svc-conformance-onboarding-'));
}, packingMs);

afterAll(() => rm(place, { recursive: true, force: true }));

test(
  'an empty folder, install, init, check: no violation, every blocked rule with its reason, and a page',
  { timeout: packingMs },
  async ({ skip }) => {
    if (pack === undefined) return skip('the package registry cannot be reached');
    const told = stopwatch();
    const main = await installedIn(place, pack);
    told('install');
    await using server = await serving(process.execPath, [main, 'serve', '--dialect', 'strange'], { cwd: place });
    told('serve');

    const { url } = server.announcement;
    const who = '--space main --username edda --client-id conformance'.split(' ');
    const init = await ran(main, ['init', '--yes', '--url', url, ...who]);
    told('init');
    expect(init.exitCode, init.printed).toBe(0);
    expect(init.printed).toContain('Next: svc-conformance check --profile profile.yaml');

    // every rule, by few generated runs each: how many there are is nothing that a newcomer has to see
    const check = await ran(main, ['check', '--profile', 'profile.yaml', '--quiet', '--runs', '2']);
    told('check');
    const { outcomes } = parseRun(await written('outcomes.ndjson'), 'outcomes.ndjson', listedRules);
    const by = Map.groupBy(outcomes, ({ verdict }) => verdict);
    expect([...(by.get('fail') ?? []), ...(by.get('broken') ?? [])], check.printed).toEqual([]);
    expect(by.get('pass')?.length).toBeGreaterThan(200);
    expect(by.get('blocked')?.filter(({ reason }) => (reason ?? '') === '') ?? []).toEqual([]);
    expect(check.exitCode, check.printed).toBe(by.has('blocked') ? 3 : 0);

    const page = await written('report.html');
    for (const { rule } of outcomes) expect(page).toContain(rule);
    expect(page).toMatch(/^<!doctype html>[^]+<\/html>\s*$/i);
    expect(`${page}${check.printed}${init.printed}`).not.toMatch(new RegExp(Object.values(secrets).join('|')));
    expect((await readdir(place)).toSorted()).toEqual([
      'node_modules',
      'package-lock.json',
      'package.json',
      'profile.yaml',
      'svc-conformance-report',
    ]);
    told('read');
  },
);

function written(name: string): Promise<string> {
  return readFile(join(place, 'svc-conformance-report', name), 'utf8');
}

function ran(
  main: string,
  argv: readonly string[],
): Promise<{ readonly exitCode: number | null; readonly printed: string }> {
  return new Promise((resolve) => {
    const options = { cwd: place, env: { ...plainEnvironment, ...secrets }, maxBuffer: 1 << 25 };
    const child = execFile(process.execPath, [main, ...argv], options, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, printed: `${stdout}${stderr}` }),
    );
  });
}

/** Prints how long each step took, in seconds: what a newcomer waits. */
function stopwatch(): (step: string) => void {
  let before = performance.now();
  return (step) => {
    const now = performance.now();
    process.stdout.write(`onboarding: ${step} ${((now - before) / 1000).toFixed(1)} s\n`);
    before = now;
  };
}
