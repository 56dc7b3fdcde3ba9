import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { startBoth } from '../../api/deployment.ts';
import type { Profile } from '../../contract/profile.ts';
import { readCassette } from '../../judge/cassette/file.ts';
import { isSecretText } from '../../judge/redact/redact.fixture.ts';
import { readReport } from '../../reports/report-file.ts';
import { claimCommand, claimKeysCommand, verifyCommand } from '../claim.ts';
import { checkCommand } from '../check.ts';
import { captureOutput } from '../output.fixture.ts';
import { examineClaim } from './examine.ts';
import { keyVariable } from './keys.ts';
import { brokenRule, kinds, type Original, type Workshop } from './tampering.fixture.ts';

const rules = ['reading.body.*', 'auth.grant.*', 'auth.missing-token.*', 'auth.role.*'];
const folder = makeFolder();
let workshop: Workshop;
let trusted: KeyObject;

const inFolder = (name: string): string => join(folder, name);

async function claimed(
  name: string,
  seed: number,
  faults: NonNullable<Parameters<typeof startBoth>[0]>['faults'] = [],
  asked: readonly string[] = rules,
  stated: (profile: Profile) => Profile = (profile) => profile,
): Promise<Original> {
  const [out, record, file] = [inFolder(name), inFolder(`${name}.cassette`), inFolder(`${name}.claim.json`)];
  await captureOutput(() =>
    checkCommand({ out, record, rules: asked, seed, runs: 2, quiet: true }, async () => {
      const both = await startBoth({ faults });
      return Object.assign(both, { loaded: { ...both.loaded, profile: stated(both.loaded.profile) } });
    }),
  );
  const about = { key: inFolder('claim.key'), implementationVersion: '4.2', contact: 'us@vendor.example', out: file };
  const { exitCode, printed } = await captureOutput(() => claimCommand(join(out, 'report.json'), record, about));
  expect(printed).toContain('is signed by sha256:');
  expect(exitCode).toBe(0);
  return {
    text: readFileSync(file, 'utf8'),
    key: createPrivateKey(readFileSync(inFolder('claim.key'))),
    report: readReport(join(out, 'report.json')),
    cassette: readFileSync(record),
  };
}

beforeAll(async () => {
  await captureOutput(() => claimKeysCommand({ out: inFolder('claim.key') }));
  trusted = createPublicKey(readFileSync(inFolder('claim.key.pub')));
  workshop = {
    good: await claimed('good', 1),
    faulty: await claimed('faulty', 2, [brokenRule]),
    other: await claimed('other', 3),
    stranger: generateKeyPairSync('ed25519').privateKey,
  };
});

describe('a claim', () => {
  test('holds where the run found out what its profile does not say', async () => {
    const { text } = await claimed('completed', 4, [], ['reading.body.*'], ({ expect: _, ...profile }) => profile);
    expect(JSON.parse(text)).toHaveProperty('payload');
  });

  test.each(['good', 'faulty', 'other'] as const)('holds as it was signed: %s', async (name) => {
    const now = new Date();
    const bytes = Buffer.from(workshop[name].text);
    expect(await examineClaim(bytes, { key: trusted, now })).toMatchObject({ problems: [] });
    expect(await examineClaim(bytes, { now })).toMatchObject({ problems: [] });
  });

  test('is made of a run that judged more than it was asked for, to tell what its violations stand on', async () => {
    const rule = 'paging.link.pages-count';
    const { report } = await claimed('grounds', 4, [rule], [rule]);
    expect(report.rules.length).toBeGreaterThan(1);
  });

  test('says what it is about', async () => {
    const { exitCode, stdout } = await captureOutput(() =>
      verifyCommand(inFolder('faulty.claim.json'), { key: inFolder('claim.key.pub') }),
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('reference-server 4.2, judged ');
    expect(stdout).toContain('2 failed, exit code 1.');
    expect(stdout).toMatch(/access +partly/);
  });

  test('is not made of a report that its cassette contradicts, nor without a key', async () => {
    const about = { implementationVersion: '1', contact: 'us', out: inFolder('none.json') };
    const mixed = await captureOutput(() =>
      claimCommand(inFolder('good/report.json'), inFolder('other.cassette'), { ...about, key: inFolder('claim.key') }),
    );
    expect(mixed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nothing was signed') });
    expect(mixed.stderr).toContain('the seed of the report is 1, that of the cassette 3');
    vi.stubEnv(keyVariable, '');
    await expect(claimCommand(inFolder('good/report.json'), inFolder('good.cassette'), about)).rejects.toThrow(
      /no key to sign with/,
    );
    vi.unstubAllEnvs();
    expect(statSync(about.out, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('takes its key from the environment as well', async () => {
    vi.stubEnv(keyVariable, readFileSync(inFolder('claim.key'), 'utf8'));
    const about = { implementationVersion: '1', contact: 'us', out: inFolder('from-environment.json') };
    const { exitCode } = await captureOutput(() =>
      claimCommand(inFolder('good/report.json'), inFolder('good.cassette'), about),
    );
    vi.unstubAllEnvs();
    expect(exitCode).toBe(0);
  });

  test('holds no secret of the profile and not the key that signed it', () => {
    const { predicate } = JSON.parse(Buffer.from(JSON.parse(workshop.good.text).payload, 'base64').toString());
    const { about, tape } = readCassette(Buffer.from(predicate.content['run.cassette'], 'base64'), 'it');
    const text = [
      JSON.stringify(predicate),
      zstdDecompressSync(Buffer.from(predicate.content['report.json'], 'base64')).toString(),
      JSON.stringify(about),
      zstdDecompressSync(tape).toString(),
    ].join('\n');
    const pem = readFileSync(inFolder('claim.key'), 'utf8').split('\n')[1] ?? '';
    expect(pem.length).toBeGreaterThan(40);
    const seed = readFileSync(new URL('../../fixtures/seed.yaml', import.meta.url), 'utf8');
    const bundled = [...seed.matchAll(/(?:password|pat|clientSecret|\w+Key): ([^\s,}]+)/g)].map(
      ([, secret = '']) => secret,
    );
    expect(bundled.length).toBeGreaterThan(15);
    const secrets = [...bundled, pem, pem.slice(22)];
    expect(secrets.filter((secret) => isSecretText(text, secret))).toEqual([]);
  });
});

test('what a stranger wrote into a claim stays in its line, and moves no cursor', async () => {
  const strange = { implementationVersion: '1\u001b[31m', contact: 'us\u001b[2J\nSigned by all of us.' };
  const about = { ...strange, key: inFolder('claim.key'), out: inFolder('strange.json') };
  await captureOutput(() => claimCommand(inFolder('good/report.json'), inFolder('good.cassette'), about));
  const { stdout } = await captureOutput(() => verifyCommand(about.out, {}));
  expect(stdout).toContain(' holds.');
  expect(stdout).not.toMatch(/\u001b|^Signed by all/m);
});

test('nothing that is read is written over', async () => {
  const about = { implementationVersion: '1', contact: 'us', key: inFolder('claim.key') };
  for (const out of [about.key, inFolder('good/report.json'), inFolder('good.cassette')]) {
    const before = readFileSync(out);
    await expect(
      claimCommand(inFolder('good/report.json'), inFolder('good.cassette'), { ...about, out }),
    ).rejects.toThrow(/would be written over/);
    expect(readFileSync(out)).toEqual(before);
  }
});

describe('keys', () => {
  test('are both there or none is', async () => {
    writeFileSync(inFolder('half.key.pub'), 'of somebody else');
    await expect(claimKeysCommand({ out: inFolder('half.key') })).rejects.toThrow(/half\.key\.pub is there already/);
    expect(statSync(inFolder('half.key'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('are for their owner, and never written over', async () => {
    expect(statSync(inFolder('claim.key')).mode & 0o077).toBe(0);
    await expect(claimKeysCommand({ out: inFolder('claim.key') })).rejects.toThrow(/is there already/);
  });

  test('of another kind are refused, and none is shown', async () => {
    const rsa = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(inFolder('ec.key'), rsa);
    writeFileSync(inFolder('text.key'), 'my secret words');
    const claim = inFolder('good.claim.json');
    await expect(verifyCommand(claim, { key: inFolder('claim.key') })).rejects.toThrow(/holds a private key/);
    await expect(verifyCommand(claim, { key: inFolder('text.key') })).rejects.not.toThrow(/secret words/);
    for (const key of ['ec.key', 'text.key'])
      await expect(
        claimCommand(inFolder('good/report.json'), inFolder('good.cassette'), {
          key: inFolder(key),
          implementationVersion: '1',
          contact: 'us',
          out: inFolder('x'),
        }),
      ).rejects.toThrow(/expected an Ed25519 private key/);
  });
});

describe('tampering', () => {
  test('has a hundred kinds and more, each with a name', () => {
    expect(new Set(kinds.map(([what]) => what)).size).toBe(kinds.length);
    expect(kinds.length).toBeGreaterThanOrEqual(100);
  });

  test.each(kinds)('is refused: %s', async (_what, make) => {
    const bytes = Buffer.from(make(workshop));
    // of this thread, which unpacks and reads: others share the process
    const before = process.threadCpuUsage();
    const { problems } = await examineClaim(bytes, { key: trusted, now: new Date() });
    const { user, system } = process.threadCpuUsage(before);
    expect(problems).not.toEqual([]);
    // sentences, not what a library says
    for (const problem of problems) expect(problem).toMatch(/^[a-z][^\n]*[^.]$/i);
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});
