import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { conversation } from './init/init.fixture.ts';
import { initCommand } from './init.ts';
import { captureOutput } from './output.fixture.ts';
import { run } from './run.ts';

const secrets = { SVC_PASSWORD: 'pa55/w+rd&"edda', SVC_CLIENT_SECRET: 'cl1ent-5ecret', TOKEN: 'opaque-t0ken-4711' };
const cookie = 'c00kie-value-0815';
const granted = 'granted-t0ken-2342';
const renewing = 'renewing-t0ken-6789';
const ofAddress = 'ga7e-passw0rd-31';
const ofQuery = 'quer7-api-k3y-64';

const everyCharacter = (text: string, written: (code: string) => string): string =>
  [...text].map((character) => written(character.charCodeAt(0).toString(16))).join('');

/** Every spelling under which a target may send a secret back. */
const forms: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => encodeURIComponent(secret),
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  (secret) => everyCharacter(secret, (code) => `%${code}`),
  (secret) => everyCharacter(secret, (code) => `\\u00${code}`),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(`edda:${secret}`).toString('base64'),
  (secret) => Buffer.from(`edda:${secret}`).toString('base64url'),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => [...secret].join('\u00ad'),
  (secret) => [...secret].join('\u200b'),
];

const all = [...Object.values(secrets), cookie, granted, renewing, ofAddress, ofQuery];
const flood = all.flatMap((secret) => forms.map((form) => form(secret))).join(' | ');

let target: Listening;
const folder = makeFolder();
let refusesGrants = false;

beforeAll(async () => {
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const cookies = { 'set-cookie': `sid=${cookie}; HttpOnly` };
    if (incoming.url?.includes('token') === true && !refusesGrants) {
      outgoing.writeHead(200, { 'content-type': 'application/json', ...cookies });
      outgoing.end(JSON.stringify({ access_token: granted, refresh_token: renewing, expires_in: 300 }));
      return;
    }
    outgoing.writeHead(500, { 'content-type': 'text/plain', location: `/x?access_token=${granted}`, ...cookies });
    outgoing.end(`\u009b31m ${flood}`);
  });
  target = await listen(server);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await target[Symbol.asyncDispose]();
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
auth: { tokenUrl: '${target.url}/token?api_key=${ofQuery}', clientId: conformance, clientSecret: '\${SVC_CLIENT_SECRET}' }
identities:
  editor: { username: edda, password: '\${SVC_PASSWORD}' }
  reader: { token: '\${TOKEN}' }
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
  expect({ exitCode, leaks: leaksIn(printed) }).toEqual({ exitCode: 2, leaks: [] });
});

function leaksIn(text: string): readonly string[] {
  return all.flatMap((secret) => forms.map((form) => form(secret))).filter((form) => text.includes(form));
}

async function leaving(work: (out: string) => Promise<number>): Promise<{ exitCode: number; text: string }> {
  const out = mkdtempSync(join(folder, 'out-'));
  const { exitCode, printed } = await captureOutput(() => work(out));
  const files = readdirSync(out).filter((name) => name !== 'profile.yaml');
  return { exitCode, text: [printed, ...files.map((name) => readFileSync(join(out, name), 'utf8'))].join('\n') };
}

describe.each([false, true])('of a target that sends every secret back, refusing grants: %s,', (refuses) => {
  const reports = ['junit', 'sarif', 'ctrf', 'badge', 'badge-json'].flatMap((name) => ['--report', name]);
  test.each<[string, (out: string) => Promise<number>]>([
    [
      'check',
      (out) => {
        const named = reports.map((word) => (word.startsWith('--') ? word : `${word}=${join(out, word)}`));
        return run(['check', '--profile', profileIn(out), '--out', out, '--rules', 'reading.*', ...named]);
      },
    ],
    ['check --against', (out) => run(['check', '--profile', profileIn(out), '--out', out, '--against', withUser()])],
    ['doctor', (out) => run(['doctor', '--profile', profileIn(out)])],
    [
      'simulate traffic',
      (out) =>
        run([
          'simulate',
          'traffic',
          '--profile',
          profileIn(out),
          '--duration',
          '1s',
          '--report',
          `json=${join(out, 'traffic.json')}`,
        ]),
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
  ])('%s lets none out', async (_command, work) => {
    refusesGrants = refuses;
    const { exitCode, text } = await leaving(work);
    expect(exitCode).not.toBe(0);
    expect(text.length).toBeGreaterThan(20);
    expect(leaksIn(text)).toEqual([]);
    expect(text).not.toMatch(/[\u0080-\u009f]/);
  });
});
