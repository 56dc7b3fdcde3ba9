import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { parseRun, type Run } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';
import { checkCommand } from './check.ts';
import { answeringAlike, failingAfter } from './check/bad-target.fixture.ts';
import type { CheckOptions } from './options.ts';
import { captureOutput } from './output.fixture.ts';
import { serve } from './served.fixture.ts';

const folder = makeFolder();
const { url: own, profile: bundled } = await serve();

interface Judged {
  readonly exitCode: number;
  /** What was printed, both streams. */
  readonly printed: string;
  readonly run: Run | undefined;
}

/** Runs `check` with the bundled profile, changed as told. */
async function judging(change: (profile: string) => string, options: Partial<CheckOptions> = {}): Promise<Judged> {
  const profile = join(folder, 'profile.yaml');
  const out = mkdtempSync(join(folder, 'out-'));
  writeFileSync(profile, change(bundled));
  const rules = ['reading.*', 'caching.*'];
  const { exitCode, printed } = await captureOutput(() =>
    checkCommand({ profile, out, seed: 7, runs: 2, rules, ...options }),
  );
  return { exitCode, printed, run: runIn(out) };
}

function runIn(out: string): Run | undefined {
  try {
    return parseRun(readFileSync(join(out, 'outcomes.ndjson'), 'utf8'), 'outcomes.ndjson', listedRules);
  } catch {
    return undefined;
  }
}

const at =
  (url: string) =>
  (profile: string): string =>
    profile.replaceAll(own, url);
/** Long enough for some rules to be judged, on a busy machine too. */
const patient = (profile: string): string =>
  `${profile}limits: { requestTimeoutSeconds: 5, caseSeconds: 10, totalSeconds: 15 }\n`;
const oneSentence = /^svc-conformance: [^\n]+\n$/;

describe('a green is never cheap', () => {
  // a page or a gateway in its place: doctor/broken-deployments.test.ts; what cannot be judged: check/place.test.ts
  test('an empty 204 for everything', async () => {
    await using target = await answeringAlike(204, 'text/plain', '');
    const { exitCode, printed } = await judging(at(target.url));
    expect(printed).toMatch(oneSentence);
    expect(printed).toContain('no access_token');
    expect(exitCode).toBe(3);
  });

  test('HTML for everything, met with a token of the profile', async () => {
    await using target = await answeringAlike(200, 'text/html', '<html>welcome</html>');
    const stated = (profile: string): string =>
      at(target.url)(profile).replace(/\{ username: (\w+), password: [\w-]+,/g, '{ username: $1, token: stated,');
    const { exitCode, printed } = await judging(stated);
    expect(printed).toMatch(oneSentence);
    expect(printed).toContain('correct baseUrl');
    expect(exitCode).toBe(3);
  });

  test.each(['dies', 'hangs', 'is hidden'] as const)('a server that %s after 50 requests', async (then) => {
    await using target = await failingAfter(50, own, then);
    const { exitCode, printed, run } = await judging((profile) => patient(at(target.url)(profile)));
    expect(exitCode).toBe(3);
    expect(printed).toMatch(/stopped answering|took longer than 15 s/);
    expect(run?.outcomes.filter((outcome) => outcome.verdict === 'fail')).toEqual([]);
  });
});

describe('a run that goes well', () => {
  const caching = { rules: ['caching.etag.*', 'caching.match.*', 'caching.changed.*'] };

  test('leaves its record and every report behind, and nothing on the target', async () => {
    const wanted = join(folder, 'wanted', 'results.xml');
    const { exitCode, run } = await judging((profile) => profile, {
      ...caching,
      report: [{ format: 'junit', file: wanted }],
    });
    expect(exitCode).toBe(0);
    expect(run?.footer).toMatchObject({ kind: 'end', remains: [] });
    expect(run?.outcomes.map(({ rule }) => rule).toSorted()).toEqual(run?.header.selected.toSorted());
    expect(readFileSync(wanted, 'utf8')).toContain('caching.match.status-304');
  });

  test('names what stays when the data is kept, or when no route deletes it', async () => {
    const kept = await judging((profile) => profile, { ...caching, keepData: true });
    expect(kept.run?.footer?.remains.length).toBeGreaterThan(2);
    const routeless = await judging((profile) => profile.replace(/ {2}softTypeDelete: .*\n/, ''), caching);
    expect(routeless.run?.footer?.remains[0]?.reason).toContain('routes.softTypeDelete');
  });

  test('what the profile lacks is blocked, and accepted once it is declared', async () => {
    const without = (profile: string): string => profile.replace(/ {2}change: .*\n/, '');
    expect((await judging(without, caching)).exitCode).toBe(3);
    expect(
      (await judging((profile) => `${without(profile)}notSupported: { etag-resource-edit: read only }\n`, caching))
        .exitCode,
    ).toBe(0);
  });

  test('without a profile it starts the reference server itself', async () => {
    const out = mkdtempSync(join(folder, 'out-'));
    expect((await captureOutput(() => checkCommand({ out, ...caching, quiet: true }))).exitCode).toBe(0);
    expect(runIn(out)?.header.implementation).toBe('reference-server');
  });

  test('a second run with the same seed is not hindered by what the first one kept', async () => {
    const files = {
      rules: ['files.stream.existing-*', 'files.stream.checksum-*', 'files.chunk.two-chunks'],
      seed: 11,
      keepData: true,
    } as const;
    const verdicts = async (): Promise<unknown> =>
      (await judging((profile) => profile, files)).run?.outcomes
        .map(({ rule, verdict }) => `${rule} ${verdict}`)
        .toSorted();
    const first = await verdicts();
    expect(first).toContain('files.stream.existing-file-refused pass');
    expect(await verdicts()).toEqual(first);
  });

  test('the same seed sends the same requests', async () => {
    const sent = async (): Promise<unknown> => {
      const { run } = await judging((profile) => profile, {
        rules: ['reading.create.*', 'reading.filter.*'],
        seed: 11,
      });
      const outcomes = run?.outcomes ?? [];
      return {
        assertions: outcomes.map(({ rule, assertions }) => [rule, assertions]).toSorted(),
        // by rule they may differ: what is found out for all of them is counted to the one that came first
        exchanges: outcomes.reduce((sum, { exchanges }) => sum + exchanges, 0),
      };
    };
    expect(await sent()).toEqual(await sent());
  });
});

test('a run is not recorded where a secret is too short to be kept off a cassette', async () => {
  const { exitCode, printed } = await judging((profile) => profile.replaceAll('edda-password', 'pw1'), {
    record: join(folder, 'short.cassette'),
  });
  expect(exitCode).toBe(2);
  expect(printed).toMatch(oneSentence);
  expect(printed).toContain('identities.editor.password of the profile has fewer than 4 characters');
});

test('what is read is not written over', async () => {
  const profile = join(folder, 'profile.yaml');
  for (const more of [{ record: profile }, { report: [{ format: 'json', file: profile }] }] as const) {
    await expect(judging((text) => text, more).then(({ exitCode }) => exitCode)).resolves.toBe(2);
    expect(readFileSync(profile, 'utf8')).toBe(bundled);
  }
});
