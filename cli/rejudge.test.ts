import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import vectorsFile from '../fixtures/vectors/signature.json' with { type: 'json' };
import { exchangesOn } from '../judge/cassette/exchanges.ts';
import { type Cassette, cassetteBytes, CassetteError, readCassette } from '../judge/cassette/file.ts';
import { isSecretText } from '../judge/redact/redact.fixture.ts';
import { seenThrough } from '../judge/redact/seen-through.ts';
import { cassetteFormatOf } from '../reports/cassette/formats.ts';
import { captureOutput } from './output.fixture.ts';
import { rejudge, rejudgeCommand } from './rejudge.ts';
import { named, recordedHere } from './rejudge.fixture.ts';

function textOn({ tape }: Cassette): string {
  return zstdDecompressSync(tape).toString();
}

// whole runs are judged again where they are made: published/published.test.ts
describe('a cassette of a few rules', () => {
  let cassette: Awaited<ReturnType<typeof recordedHere>>;

  beforeAll(async () => {
    cassette = await recordedHere([
      'auth.grant.*',
      'auth.jwt.*',
      'auth.pat.*',
      'api-keys.acquire.*',
      'signing.bulk.*',
      'signing.extension-call.metadata-signed',
      'calls.token.jwt-form',
      'registration.body.*',
      'paging.link.present-above-ten',
    ]);
  });

  test('holds no secret of the profile and no token or key that was received, however they are spelled', () => {
    // what is signed with the key of a published vector is as public as that
    const published = new Set(vectorsFile.vectors.map(({ signature }) => signature));
    const known = [...cassette.secrets.all()].filter((secret) => !published.has(secret));
    expect(known.length).toBeGreaterThan(50);
    const text = textOn(cassette);
    expect(known.filter((secret) => isSecretText(text, secret))).toEqual([]);
  });

  test('holds none either where the service escapes what need not be escaped, and plays what is strange', async () => {
    const strange = await recordedHere(['auth.grant.*', 'auth.jwt.*', 'paging.link.*', 'calls.token.*'], {
      dialect: 'strange',
    });
    const tape = textOn(strange);
    const text = seenThrough(tape)?.text ?? tape;
    const known = [...strange.secrets.all()];
    expect(known.filter((secret) => isSecretText(text, secret))).toEqual([]);
    expect((await rejudge(cassetteBytes(strange), 'strange')).differences).toEqual([]);
  });

  test('plays each of its rules alone, whatever the first one found out for all', async () => {
    const batches = await recordedHere(['batch.success.*'], {});
    const { rule } = batches.about.verdicts.at(-1) ?? {};
    if (rule === undefined) throw new Error('Expected rules about batches.');
    const { differences } = await rejudge(cassetteBytes(batches), 'batches', { rules: [rule] });
    expect(differences).toEqual([]);
  });

  test('lets a schedule in real time take what it takes, whatever the limit of a case', async () => {
    const inRealTime = await recordedHere(['delivery.log.entries'], {}, (profile) => ({
      ...profile,
      time: { mode: 'real' },
      limits: { caseSeconds: 2 },
    }));
    expect(inRealTime.about.verdicts).toEqual([{ rule: 'delivery.log.entries', verdict: 'observed' }]);
    expect((await rejudge(cassetteBytes(inRealTime), 'schedule')).differences).toEqual([]);
  });

  test('says which rule asks for what was never recorded', async () => {
    const [rule] = cassette.about.verdicts.filter(({ rule }) => rule === 'paging.link.present-above-ten');
    if (rule === undefined) throw new Error('Expected the rule on the cassette.');
    const lines = textOn(cassette).split('\n');
    const kept = lines.filter((line) => !(line.includes(`"part":"${rule.rule}#`) && line.includes('"method":"GET"')));
    const changed = { ...cassette, tape: new Uint8Array(zstdCompressSync(kept.join('\n'))) };
    const { outcomes } = await rejudge(cassetteBytes(changed), 'changed', { rules: [rule.rule] });
    expect(outcomes).toMatchObject([
      { verdict: 'broken', reason: expect.stringContaining('not on the cassette: GET ') },
    ]);
  });

  test('takes nothing away from this machine, whatever directory it names', async () => {
    const folder = makeFolder();
    const bulk = await recordedHere(['bulk-upload.space.uploads-tree']);
    const text = textOn(bulk);
    // what is on it is not done again
    expect(text).toContain('"what":"removal"');
    const changed = text.replace(/("what":"directory",[^\n]*"value":)"[^"]*"/, `$1${JSON.stringify(folder)}`);
    expect(changed).toContain(folder);
    await rejudge(cassetteBytes({ ...bulk, tape: new Uint8Array(zstdCompressSync(changed)) }), 'changed');
    expect(existsSync(folder)).toBe(true);
  });

  test('says which rule was never recorded', async () => {
    const rule: RuleId = 'reading.create.status-201';
    const about = { ...cassette.about, verdicts: [{ rule, verdict: 'pass' as const }] };
    const { differences } = await rejudge(cassetteBytes({ about, tape: cassette.tape }), 'other');
    expect(differences).toMatchObject([{ now: 'broken', reason: 'not on the cassette: its case' }]);
  });

  test('says of how many rules it does not tell, beside those that end otherwise', async () => {
    const folder = makeFolder();
    const rule: RuleId = 'reading.create.status-201';
    const about = { ...cassette.about, verdicts: [{ rule, verdict: 'pass' as const }] };
    await writeFile(join(folder, 'other'), cassetteBytes({ about, tape: cassette.tape }));
    const { exitCode, stdout } = await captureOutput(() => rejudgeCommand([join(folder, 'other')], { quiet: true }));
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/ 1 not as recorded \(.*\)\. Of 1 the cassette does not tell: /);
  });

  test('of which nothing is judged is no good sign', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'empty-'));
    const [whole, empty] = ['whole', 'empty'].map((name) => join(folder, name));
    if (whole === undefined || empty === undefined) throw new Error('Expected two.');
    await writeFile(whole, cassetteBytes(cassette));
    await writeFile(empty, cassetteBytes({ ...cassette, about: { ...cassette.about, verdicts: [] } }));
    const ends = [
      await captureOutput(() => rejudgeCommand([empty], {})),
      await captureOutput(() => rejudgeCommand([whole], { rules: ['batch.success.*'] })),
    ];
    for (const { exitCode, stdout } of ends) {
      expect(exitCode).toBe(3);
      expect(stdout).toContain('Nothing was judged again');
    }
    await rm(folder, { recursive: true });
  });

  test.each<[string, (text: string) => string]>([
    ['no first line', () => ''],
    ['null for a first line', () => 'null\n'],
    ['a first line of nothing', () => '{}\n'],
    ['more runs than anybody asks for', (text) => text.replace(/"runs":\d+/, '"runs":1000000000')],
    ['a line of null', (text) => `${text}null\n`],
    ['a line of no kind', (text) => `${text}{"kind":"__proto__"}\n`],
    ['half a line', (text) => text.slice(0, text.length >> 1)],
    [
      'a request that begins another one',
      (text) => text.replace(/("kind":"ask".*?"method":")/, String.raw`$1GET http://x/\n`),
    ],
    [
      'bytes without end',
      (text) => text.replace(/"content":"[^"]*"/, '"content":[{"seed":"x","from":0,"length":1e12}]'),
    ],
    [
      'bytes of less than nothing',
      (text) => text.replace(/"content":"[^"]*"/, '"content":[{"seed":"x","from":-1,"length":-1}]'),
    ],
  ])('is refused with a sentence where it holds %s', async (_what, change) => {
    const tape = new Uint8Array(zstdCompressSync(change(textOn(cassette))));
    const bytes = cassetteBytes({ ...cassette, tape });
    await expect(rejudge(bytes, 'changed')).rejects.toThrow(/the cassette is damaged: (?!.*stumbled)[^\n]+$/);
    expect(() => exchangesOn(tape)).toThrow(/^the cassette is damaged: /);
  });

  test.each([null, [], 'x', {}, { verdicts: {} }, { ...named, verdicts: [null] }])(
    'is refused with a sentence where it says %j of itself',
    (about) => {
      expect(() => readCassette(cassetteBytes({ about: about as never, tape: cassette.tape }), 'it')).toThrow(
        /^the cassette is damaged: /,
      );
    },
  );

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
  const { about, tape } = await recordedHere(['paging.link.p*']);
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
