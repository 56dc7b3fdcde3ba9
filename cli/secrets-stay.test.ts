import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { conversation } from './init/init.fixture.ts';
import { initCommand } from './init.ts';
import { captureOutput } from './output.fixture.ts';
import { run } from './run.ts';
import { Flood, startReflecting, startReflectingBefore, textsIn } from './flood.fixture.ts';
import { serve } from './served.fixture.ts';
import { secretsOf } from '../judge/redact/profile-secrets.ts';
import { loadProfile } from '../judge/profile/load.ts';
import { jsonOf } from '../contract/json.ts';

const secrets = {
  SVC_PASSWORD: 'pa55/w+rd&"edda',
  SVC_CLIENT_SECRET: 'cl1ent-5ecret',
  TOKEN: 'opaque-t0ken-4711',
  PAT: 'per5onal-acce55-t0ken',
};
const granted = 'granted-t0ken-2342';
const ofAddress = 'ga7e-passw0rd-31';
const ofQuery = 'quer7-api-k3y-64';
const signing = randomBytes(48).toString('base64');
const apiKey = randomBytes(48).toString('base64');

const flood = new Flood([...Object.values(secrets), granted, ofAddress, ofQuery, signing]);
const ofHost = new Flood([apiKey]);
const folder = makeFolder();
let target: Listening;
let host: Listening;
let refusesGrants = false;

beforeAll(async () => {
  for (const [name, value] of Object.entries({ ...secrets, SIGNING: signing })) vi.stubEnv(name, value);
  target = await startReflecting(flood, () => refusesGrants);
  host = await startReflecting(ofHost, () => true);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await target[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

function withUser(): string {
  return target.url.replace('://', `://gate:${ofAddress}@`);
}

function profileIn(out: string): string {
  const file = join(out, 'profile.yaml');
  writeFileSync(
    file,
    `profileVersion: 1
implementation: reflecting
baseUrl: ${withUser()}
space: main
auth: { tokenUrl: '${target.url}/token?api_key=${ofQuery}', clientId: conformance, clientSecret: '\${SVC_CLIENT_SECRET}', signingKey: '\${SIGNING}' }
identities:
  editor: { username: edda, password: '\${SVC_PASSWORD}' }
  reader: { token: '\${TOKEN}' }
  outsider: { pat: '\${PAT}' }
softTypes:
  primary: { definitionId: Document, inputSchemaId: in, outputSchemaId: out, body: { title: x } }
limits: { requestTimeoutSeconds: 5, caseSeconds: 5, totalSeconds: 20 }
`,
  );
  return file;
}

test.each([
  ['an alias', '*S3cret-word'],
  ['the head of a block', '|S3cret-word'],
  ['a comma in a flow', 'pa,S3cret-word'],
])('a password that reads as %s is not shown by what refuses it', async (_what, password) => {
  const out = mkdtempSync(join(folder, 'out-'));
  const profile = join(out, 'profile.yaml');
  const text = readFileSync(profileIn(out), 'utf8').replace(/password: '[^']*'/, `password: ${password}`);
  writeFileSync(profile, password.startsWith('|') ? text.replace(/^(auth: ).*$/m, `$1${password}`) : text);
  const { exitCode, printed } = await captureOutput(() => run(['check', '--profile', profile, '--out', out]));
  expect({ exitCode, printed }).toEqual({
    exitCode: 2,
    printed: expect.stringMatching(/^(?!.*S3cret)svc-conf.*:\d+:\d+: /),
  });
});

test('an address of a profile is named without what opens it', async () => {
  const out = mkdtempSync(join(folder, 'out-'));
  const address = `${withUser()}/profile.yaml?token=${granted}`;
  const { exitCode, printed } = await captureOutput(() => run(['check', '--profile', address, '--out', out]));
  expect({ exitCode, leaks: flood.leaksIn(new Map([['printed', printed]])) }).toEqual({ exitCode: 2, leaks: [] });
});

interface Left {
  readonly exitCode: number;
  /** By its name, what was printed and what is in each file. */
  readonly texts: ReadonlyMap<string, string>;
}

/** What a command prints, and the files that it leaves in its folder. */
async function leaving(work: (out: string) => Promise<number>, out = mkdtempSync(join(folder, 'out-'))): Promise<Left> {
  const { exitCode, stdout, stderr } = await captureOutput(() => work(out));
  return { exitCode, texts: new Map([['stdout', stdout], ['stderr', stderr], ...textsIn(out, ['profile.yaml'])]) };
}

/** Nothing of the flood, and nothing that a terminal would act upon. */
function expectClean({ texts }: Left, flood: Flood): void {
  expect(flood.leaksIn(texts)).toEqual([]);
  for (const [name, text] of texts) {
    if (/decoded$|cassette$/.test(name)) continue;
    expect([name, acted.exec(text)?.[0]]).toEqual([name, undefined]);
    if (/\.(?:json|sarif|ctrf|badge-json)$/.test(name)) expect([name, typeof jsonOf(text)]).toEqual([name, 'object']);
  }
}

/** What a terminal would act upon. */
const acted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

const formats = ['junit', 'sarif', 'ctrf', 'badge', 'badge-json', 'html', 'markdown', 'json'];
const reportsIn = (out: string): string[] =>
  formats.flatMap((name) => ['--report', `${name}=${join(out, `further.${name}`)}`]);
const trafficReports = (out: string): string[] =>
  ['json', 'html', 'markdown', 'junit', 'openmetrics'].flatMap((name) => [
    '--report',
    `${name}=${join(out, `traffic.${name}`)}`,
  ]);

describe.each([false, true])('of a target that sends every secret back, refusing grants: %s,', (refuses) => {
  test.each<[string, (out: string) => Promise<number>]>([
    [
      'check',
      (out) => run(['check', '--profile', profileIn(out), '--out', out, '--rules', 'reading.*', ...reportsIn(out)]),
    ],
    [
      'check --json',
      (out) => run(['check', '--profile', profileIn(out), '--out', out, '--rules', 'reading.*', '--json']),
    ],
    ['check --against', (out) => run(['check', '--profile', profileIn(out), '--out', out, '--against', withUser()])],
    ['doctor', (out) => run(['doctor', '--profile', profileIn(out)])],
    [
      'check-extension',
      (out) => run(['check-extension', '--url', host.url, '--api-key', apiKey, '--out', out, ...reportsIn(out)]),
    ],
    [
      'simulate traffic',
      (out) => run(['simulate', 'traffic', '--profile', profileIn(out), '--duration', '1s', ...trafficReports(out)]),
    ],
    [
      'init',
      (out) =>
        initCommand(
          {
            url: target.url,
            space: 'main',
            username: 'edda',
            clientId: 'conformance',
            tokenUrl: `${target.url}/token`,
            clientSecretEnv: 'SVC_CLIENT_SECRET',
            passwordEnv: 'SVC_PASSWORD',
            out: join(out, 'new.yaml'),
            yes: true,
          },
          conversation(undefined, secrets),
        ),
    ],
  ])('%s lets none out', async (command, work) => {
    refusesGrants = refuses;
    const told = command === 'check-extension' ? ofHost : flood;
    told.forget();
    const left = await leaving(work);
    expect(left.exitCode).not.toBe(0);
    expect([...left.texts.values()].join('').length).toBeGreaterThan(20);
    expectClean(left, told);
  });
});

describe('of a target that is right but for what it sends back', () => {
  let out: string;
  let reflected: Flood;
  let before: Listening;
  let profile: string;
  const collected: Buffer[] = [];
  const served = serve();
  const rules = ['reading.*', 'auth.*', 'caching.match.*', 'api-keys.*'].flatMap((pattern) => ['--rules', pattern]);

  beforeAll(async () => {
    const { url, profile: text } = await served;
    out = mkdtempSync(join(folder, 'right-'));
    profile = join(out, 'profile.yaml');
    writeFileSync(profile, text);
    reflected = new Flood(secretsOf(await loadProfile(profile)).map(({ value }) => value));
    before = await startReflectingBefore(url, reflected);
    writeFileSync(profile, text.replaceAll(url, before.url));
  });
  afterAll(() => before[Symbol.asyncDispose]());

  test('check lets none out, nor into its cassette, to a collector or into the summary of a step', async () => {
    await using collector = await listen(
      createServer((request, response) => {
        request.on('data', (chunk: Buffer) => collected.push(chunk)).on('end', () => response.end());
      }),
    );
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    vi.stubEnv('GITHUB_STEP_SUMMARY', join(out, 'summary.md'));
    const left = await leaving(
      () =>
        run([
          'check',
          '--profile',
          profile,
          '--out',
          out,
          ...rules,
          '--record',
          join(out, 'run.cassette'),
          '--seed',
          '7',
          '--runs',
          '2',
          ...reportsIn(out),
        ]),
      out,
    );
    for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'GITHUB_ACTIONS', 'GITHUB_STEP_SUMMARY'])
      vi.stubEnv(name, undefined);
    expect(Buffer.concat(collected).length).toBeGreaterThan(1000);
    const spans = ['utf8', 'latin1'].map((encoding) => Buffer.concat(collected).toString(encoding as 'utf8'));
    expect(left.exitCode).toBe(1);
    expectClean(
      {
        ...left,
        texts: new Map([
          ...left.texts,
          ['collector', spans.join('\n').replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')],
        ]),
      },
      reflected,
    );
    expect(left.texts.get('summary.md')).toContain('reference');
  });

  test.each<[string, (name: string) => readonly string[]]>([
    ['check --json', (into) => ['check', '--profile', profile, '--out', into, '--rules', 'reading.*', '--json']],
    [
      'check to standard output',
      (into) => ['check', '--profile', profile, '--out', into, '--rules', 'auth.*', '--report', 'json=-'],
    ],
    ['doctor', () => ['doctor', '--profile', profile]],
    [
      'simulate traffic',
      (into) => ['simulate', 'traffic', '--profile', profile, '--duration', '2s', ...trafficReports(into)],
    ],
    ['simulate traffic --export', (into) => ['simulate', 'traffic', '--profile', profile, '--export', into]],
    [
      'check --against',
      (into) => ['check', '--profile', profile, '--out', into, '--against', before.url, '--runs', '1'],
    ],
    ['rejudge', () => ['rejudge', join(out, 'run.cassette')]],
    ['report', () => ['report', 'html', join(out, 'outcomes.ndjson')]],
    ['report of a cassette', () => ['report', 'har', join(out, 'run.cassette')]],
    [
      'compare',
      (into) => ['compare', join(out, 'report.json'), join(out, 'report.json'), '--html', join(into, 'compared.html')],
    ],
    ['claim keys', () => ['claim', 'keys', '--out', join(out, 'key')]],
    [
      'claim',
      (into) => [
        'claim',
        join(out, 'report.json'),
        join(out, 'run.cassette'),
        '--key',
        join(out, 'key'),
        '--implementation-version',
        '1',
        '--contact',
        'us',
        '--out',
        join(into, 'made.claim.json'),
      ],
    ],
  ])('%s lets none out', async (_command, words) => {
    reflected.forget();
    const left = await leaving((into) => run(words(into)));
    expectClean(left, reflected);
  });
});
