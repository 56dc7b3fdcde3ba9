import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { startBoth } from '../api/deployment.ts';
import type { RuleId } from '../contract/rule.ts';
import vectorsFile from '../fixtures/vectors/signature.json' with { type: 'json' };
import { exchangesOn } from '../judge/cassette/exchanges.ts';
import { type Cassette, cassetteBytes, CassetteError, readCassette } from '../judge/cassette/file.ts';
import { Recorder } from '../judge/cassette/recorder.ts';
import { isSecretText } from '../judge/redact.fixture.ts';
import type { Secrets } from '../judge/redact.ts';
import { seenThrough } from '../judge/redact/seen-through.ts';
import { openJudgeWith } from '../judge/run/judge.ts';
import { selectRules } from '../judge/run/selection.ts';
import { cassetteFormatOf } from '../reports/cassette/formats.ts';
import { catalogue } from '../suites/catalogue.ts';
import { captureOutput } from './output.fixture.ts';
import { rejudge, rejudgeCommand } from './rejudge.ts';

const named = {
  implementation: 'reference',
  suiteVersion: '0',
  startedAt: '2026-11-21T00:00:00.000Z',
  seed: 1,
  runs: 20,
};

/** A few rules judged in this thread, with the registry that knows the secrets of their run. */
async function recordedHere(
  patterns: readonly string[],
  options: Parameters<typeof startBoth>[0] = {},
): Promise<Cassette & { readonly secrets: Secrets }> {
  await using deployment = await startBoth(options);
  const rules = selectRules({ rules: patterns }, catalogue.all).map(({ id }) => id);
  const run = { loaded: deployment.loaded, rules, seed: 3, runs: 5 };
  const recorder = new Recorder();
  const registries: Secrets[] = [];
  const know = recorder.know.bind(recorder);
  recorder.know = (secrets) => {
    registries.push(secrets);
    know(secrets);
  };
  await using open = openJudgeWith(catalogue, run, recorder);
  const verdicts = [];
  for (const rule of rules) {
    const { outcome } = await open.judge(rule, new AbortController().signal);
    verdicts.push({ rule, verdict: outcome?.verdict ?? 'broken' });
  }
  const [secrets] = registries;
  if (secrets === undefined) throw new Error('Expected a session that tells its registry.');
  return { about: { ...named, verdicts }, tape: recorder.finish(run), secrets };
}

function textOn({ tape }: Cassette): string {
  return zstdDecompressSync(tape).toString();
}

// whole runs are judged again where they are made: published/published.test.ts and dialect.test.ts
describe('a cassette of a few rules', () => {
  let cassette: Awaited<ReturnType<typeof recordedHere>>;

  beforeAll(async () => {
    cassette = await recordedHere([
      'auth.*',
      'api-keys.acquire.*',
      'signing.*',
      'calls.token.*',
      'registration.body.*',
      'paging.link.*',
    ]);
  });

  test('holds no secret of the profile and no token or key that was received, however they are spelled', () => {
    // what is signed with the key of a published vector is as public as that
    const published = new Set(vectorsFile.vectors.map(({ signature }) => signature));
    const known = [...cassette.secrets.known()].map(([secret]) => secret).filter((secret) => !published.has(secret));
    expect(known.length).toBeGreaterThan(50);
    const text = textOn(cassette);
    expect(known.filter((secret) => isSecretText(text, secret))).toEqual([]);
  });

  test('holds none either where the service escapes what need not be escaped', async () => {
    const strange = await recordedHere(['auth.*'], { dialect: 'strange' });
    const tape = textOn(strange);
    const text = seenThrough(tape)?.text ?? tape;
    const known = [...strange.secrets.known()].map(([secret]) => secret);
    expect(known.filter((secret) => isSecretText(text, secret))).toEqual([]);
  });

  test('plays each of its rules alone, whatever the first one found out for all', async () => {
    const batches = await recordedHere(['batch.success.*'], {});
    const { rule } = batches.about.verdicts.at(-1) ?? {};
    if (rule === undefined) throw new Error('Expected rules about batches.');
    const { differences } = await rejudge(cassetteBytes(batches), 'batches', { rules: [rule] });
    expect(differences).toEqual([]);
  });

  test('says which rule asks for what was never recorded', async () => {
    const [rule] = cassette.about.verdicts.filter(({ rule }) => rule === 'paging.link.present-above-ten');
    if (rule === undefined) throw new Error('Expected the rule on the cassette.');
    const lines = textOn(cassette).split('\n');
    const kept = lines.filter((line) => !(line.includes(`"part":"${rule.rule}#0"`) && line.includes('"method":"GET"')));
    const changed = { ...cassette, tape: new Uint8Array(zstdCompressSync(kept.join('\n'))) };
    const { outcomes } = await rejudge(cassetteBytes(changed), 'changed', { rules: [rule.rule] });
    expect(outcomes).toMatchObject([
      { verdict: 'broken', reason: expect.stringContaining('not on the cassette: GET ') },
    ]);
  });

  test('says which rule was never recorded', async () => {
    const rule: RuleId = 'reading.create.status-201';
    const about = { ...cassette.about, verdicts: [{ rule, verdict: 'pass' as const }] };
    const { differences } = await rejudge(cassetteBytes({ about, tape: cassette.tape }), 'other');
    expect(differences).toMatchObject([{ now: 'broken', reason: 'not on the cassette: its case' }]);
  });

  test('is refused where it was cut off or changed', () => {
    const bytes = cassetteBytes(cassette);
    for (const length of [120, 1000, bytes.length - 1])
      expect(() => readCassette(bytes.subarray(0, length), 'run.cassette')).toThrow(
        new CassetteError(
          'run.cassette is damaged: its digest is not that of its content, so that it was cut off or changed since it was recorded; record it again',
        ),
      );
    for (const at of [80, 200, bytes.length - 10]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => readCassette(changed, 'run.cassette')).toThrow(/^run\.cassette is damaged/);
    }
  });

  test('is refused where it is none, or one of another version', () => {
    expect(() => readCassette(Buffer.from('{}'), 'report.json')).toThrow(/^report\.json is no cassette/);
    expect(() => readCassette(Buffer.from('svc-conformance cassette 9\n'), 'new')).toThrow(
      /^new is a cassette of version 9/,
    );
  });

  test('becomes what others read, with names in the place of credentials', () => {
    const exchanges = exchangesOn(cassette.tape);
    const write = (format: string): string => cassetteFormatOf(format)?.({ about: cassette.about, exchanges }) ?? '';
    const { entries } = JSON.parse(write('har')).log;
    expect(entries).toHaveLength(exchanges.length);
    const answered = exchanges.filter(({ response }) => response !== undefined);
    const statuses = answered.map(({ response }) => response?.status);
    expect(JSON.parse(write('nock')).map(({ status }: { readonly status: number }) => status)).toEqual(
      statuses.filter((status) => status !== 0),
    );
    expect(write('hurl')).toContain('Authorization: Bearer {{EDITOR_TOKEN}}');
    expect(write('http')).toContain('Authorization: Bearer {{EDITOR_TOKEN}}');
  });
});

test('several cassettes are judged one after the other, and told by their names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shelf-'));
  const { about, tape } = await recordedHere(['paging.link.*']);
  const files = await Promise.all(
    (['pass', 'fail'] as const).map(async (verdict) => {
      const verdicts = about.verdicts.slice(0, 1).map(({ rule }) => ({ rule, verdict }));
      const file = join(folder, `${verdict}.cassette`);
      await writeFile(file, cassetteBytes({ about: { ...about, verdicts }, tape }));
      return file;
    }),
  );
  const { exitCode, stdout } = await captureOutput(() => rejudgeCommand(files, {}));
  expect(exitCode).toBe(1);
  const [first, second, third] = stdout.split('\n');
  expect(first).toMatch(/pass\.cassette: 1 rule judged again, all as recorded/);
  expect(second).toMatch(/: fail when it was recorded, pass now$/);
  expect(third).toMatch(/fail\.cassette: 1 rule judged again, 1 not as recorded/);
  await rm(folder, { recursive: true });
});
