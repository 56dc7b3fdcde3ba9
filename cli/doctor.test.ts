import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../contract/needs.ts';
import { createServer, type Server } from '../reference-server/server.ts';
import { checkCommand } from './check.ts';
import { answeringAlike, hanging, type BadTarget } from './check/bad-target.fixture.ts';
import { sendJson } from '../suites/engine/small-service.fixture.ts';
import { answering, closing, grantingEarly, redirecting, selfSigned, tokenOf } from './doctor/broken-target.fixture.ts';
import { doctorCommand } from './doctor.ts';
import { run } from './run.ts';
import { said, type Said } from './said.fixture.ts';

let server: Server;
let bundled: string;
let folder: string;

beforeAll(async () => {
  server = createServer({ control: true });
  const url = await server.listen();
  bundled = await (await fetch(`${url}/_control/profile.yaml`)).text();
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-doctor-'));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

type Change = (profile: string) => string;

function profileWith(change: Change): string {
  const profile = join(mkdtempSync(join(folder, 'profile-')), 'profile.yaml');
  const changed = change(bundled);
  expect(changed, 'the change changes something').not.toBe(bundled);
  writeFileSync(profile, changed);
  return profile;
}

const doctorOf = (profile: string): Promise<Said> => said(() => doctorCommand({ profile }));
const checkOf = (profile: string, rules: readonly string[]): Promise<Said> =>
  said(() => checkCommand({ profile, out: join(profile, '..', 'out'), seed: 7, runs: 1, rules, quiet: true }));

const at =
  (url: string): Change =>
  (profile) =>
    profile.replaceAll(server.url, url);
const swap =
  (from: string, to: string): Change =>
  (profile) =>
    profile.replace(from, to);
const editor = 'editor: { username: edda, password: edda-password,';
const as = (name: string): Change => swap(editor, `editor: { username: ${name}, password: ${name}-password,`);
const hasty: Change = (profile) => `${profile}limits: { requestTimeoutSeconds: 0.4 }\n`;

function expiredToken(): string {
  const [head, body] = tokenOf({ sub: 'edda', iat: 1_700_000_000, exp: 1_700_003_600, jti: 'one' }).split('.');
  const key = Buffer.from(/signingKey: (\S+)/.exec(bundled)?.[1] ?? '', 'base64');
  return `${head}.${body}.${createHmac('sha512', key).update(`${head}.${body}`).digest('base64url')}`;
}

describe('doctor and check name the cause and the key to change', () => {
  const whole = ['reading.*'];
  test.each<readonly [what: string, change: Change, words: readonly string[], rules: readonly string[]]>([
    [
      'a wrong client secret',
      swap('clientSecret: conformance-secret', 'clientSecret: mistyped'),
      ['refused the identity editor', 'auth.clientSecret'],
      whole,
    ],
    [
      'a client that is not known',
      swap('clientId: conformance', 'clientId: stranger'),
      ['refused the identity editor', 'auth.clientId'],
      whole,
    ],
    [
      'a wrong password',
      swap('edda-password', 'mistyped'),
      ['refused the identity editor', 'identities.editor.password'],
      whole,
    ],
    [
      'a wrong token endpoint',
      swap('tokenUrl: /auth/token', 'tokenUrl: /nowhere'),
      ['no token endpoint at', 'auth.tokenUrl'],
      whole,
    ],
    ['a space that is not known', swap('space: main', 'space: nowhere'), ['space ("nowhere")'], whole],
    ['a space without a role in it', as('otto'), ['the role of identities.editor in it'], whole],
    ['an editor who may only read', as('rita'), ['give identities.editor a role in it that may create'], whole],
    [
      'a SoftType that is not known',
      swap('definitionId: Document', 'definitionId: Documnet'),
      ['softTypes.primary.definitionId'],
      whole,
    ],
    [
      'an input schema that is not known',
      swap('inputSchemaId: documentInput', 'inputSchemaId: documentInptu'),
      ['softTypes.primary.inputSchemaId'],
      whole,
    ],
    [
      'a body that the model refuses',
      swap("body: { title: 'Document {{unique}}' }", 'body: { titel: x }'),
      ['softTypes.primary.body'],
      whole,
    ],
    [
      'a token that has ended',
      (profile) => swap(editor, `editor: { username: edda, token: ${expiredToken()},`)(profile),
      ['ended at 2023-11-14', 'identities.editor.token'],
      whole,
    ],
    [
      'a listener that the service cannot reach',
      swap("publicUrl: 'http://127.0.0.1:{port}'", "publicUrl: 'http://127.0.0.1:9'"),
      ['listener.publicUrl (http://127.0.0.1:9)'],
      ['registration.*'],
    ],
    [
      'an area that its identity may not use',
      swap('collection: { as: administrator }', 'collection: { as: editor }'),
      ['files.areas.collection.as'],
      ['files.*'],
    ],
    ['a wrong administration key', swap('adminApiKey: Y', 'adminApiKey: Z'), ['bulk.adminApiKey'], ['bulk-upload.*']],
  ])('%s', { timeout: 30_000 }, async (_what, change, words, rules) => {
    const profile = profileWith(change);
    for (const { exitCode, printed } of [await doctorOf(profile), await checkOf(profile, rules)]) {
      for (const word of words) expect(printed).toContain(word);
      expect(exitCode).toBe(3);
      expect(printed).not.toMatch(/edda-password|conformance-secret/);
    }
  });

  test.each<readonly [what: string, target: () => Promise<BadTarget>, words: readonly string[]]>([
    [
      'a proxy that redirects',
      () => redirecting('https://login.example/sign-in'),
      ['answered 302 and leads to https://login.example/sign-in', 'auth.tokenUrl or baseUrl'],
    ],
    [
      'a captive portal',
      () => answeringAlike(200, 'text/html', '<html>welcome</html>'),
      ['with text/html and no access_token', 'auth.tokenUrl or baseUrl'],
    ],
    [
      'a gateway without the service behind it',
      () => answeringAlike(502, 'text/html', '<h1>Bad gateway</h1>'),
      ['a gateway answered 502', 'baseUrl'],
    ],
    [
      'clocks that differ by 10 minutes',
      () => grantingEarly(600),
      ['the token of identities.editor is valid from', 'set the clock of the service', 'auth.tokenUrl'],
    ],
    [
      'a server that closes at once',
      closing,
      ['the connection was lost', 'see whether baseUrl', 'what closes connections'],
    ],
    ['a server that never answers', hanging, ['limits.requestTimeoutSeconds (0.4)', 'baseUrl']],
    [
      'a certificate that nobody signed',
      () => selfSigned(folder),
      ['nobody known has signed', 'NODE_EXTRA_CA_CERTS', 'baseUrl'],
    ],
  ])('%s', { timeout: 30_000 }, async (_what, open, words) => {
    await using target = await open();
    const profile = profileWith((text) => hasty(at(target.url)(text)));
    for (const { exitCode, printed } of [await doctorOf(profile), await checkOf(profile, ['reading.*'])]) {
      for (const word of words) expect(printed).toContain(word);
      expect(exitCode).toBe(3);
    }
  });

  test('https where plain HTTP is spoken', async () => {
    const profile = profileWith((text) =>
      text.replace(`baseUrl: ${server.url}`, `baseUrl: ${server.url.replace('http:', 'https:')}`),
    );
    const { exitCode, printed } = await doctorOf(profile);
    expect(printed).toContain('does not speak TLS');
    expect(exitCode).toBe(3);
  });

  test('nobody listens', async () => {
    const gone = createServer();
    const url = await gone.listen();
    await gone.close();
    const { exitCode, printed } = await doctorOf(profileWith(at(url)));
    expect(printed).toContain(`nothing answers at ${url}`);
    expect(exitCode).toBe(3);
  });
});

describe('what only doctor tries', () => {
  test.each<readonly [what: string, change: Change, key: string]>([
    ['a route to take a lock', swap('/lock/{objectId}', '/lok/{objectId}'), 'correct routes.lockTake'],
    [
      'a route to delete',
      swap(
        'softTypeDelete: /api/space/{spaceId}/softtype/{objectId}',
        'softTypeDelete: /api/space/{spaceId}/softtype/gone/{objectId}',
      ),
      'correct routes.softTypeDelete',
    ],
    [
      'the log',
      (text) => text.replace(/(log: .*"token":")[^"]+/, '$1mistyped'),
      'correct probes.log.url or probes.log.token',
    ],
    [
      'the clock',
      (text) => text.replace(/(time: .*"token":")[^"]+/, '$1mistyped'),
      'correct time.control.url or time.control.token',
    ],
    [
      'a cached resource',
      swap(
        '{ path: /api/collection/template, as: administrator }',
        '{ path: /api/collection/templates, as: administrator }',
      ),
      'correct caching.resources',
    ],
    ['members', swap('scalars: [note, remark]', 'scalars: [note, remrak]'), 'correct softTypes.primary.scalars'],
  ])(
    '%s that is wrong is named, with request and answer where there is one',
    { timeout: 30_000 },
    async (_what, change, key) => {
      const { exitCode, printed } = await doctorOf(profileWith(change));
      expect(printed).toContain(key);
      expect(printed).toMatch(/^1 of \d+ fail/m);
      if (!key.includes('scalars')) expect(printed).toMatch(/^ {10}> [A-Z]+ http.*\n(?: {10}> .*\n)* {10}< \d{3}$/m);
      expect(exitCode).toBe(3);
    },
  );

  test('every need is told once, and 0 is the answer where all works', async () => {
    const { exitCode, printed } = await doctorOf(profileWith((text) => `${text}\n`));
    const told = Object.keys(needs).map((need) => printed.match(new RegExp(`^ {2}${need}(?: |$)`, 'gm'))?.length);
    expect(new Set(told)).toEqual(new Set([1]));
    expect(exitCode).toBe(0);
  });

  test('what is not offered is no failure and no lack', async () => {
    const { exitCode, printed } = await doctorOf(
      profileWith((text) => `${text}notSupported: { lock-route: nobody locks }\n`),
    );
    expect(printed).toMatch(/Needs that are not offered: 1\n {2}lock-route +nobody locks/);
    expect(exitCode).toBe(0);
  });

  test('a clock that is 10 minutes behind is told', async () => {
    await using target = await answering(({ url }, response) => {
      response.setHeader('Date', new Date(Date.now() - 600_000).toUTCString());
      sendJson({ access_token: url === '/auth/token' ? 'a-token' : '' }, response);
    });
    const { exitCode, printed } = await doctorOf(profileWith(at(target.url)));
    expect(printed).toMatch(/The clock of the service is (599|60\d) s behind that of this machine/);
    expect(exitCode).toBe(3);
  });

  test('a bad profile ends with 2 and its line', async () => {
    const { exitCode, printed } = await said(() =>
      run(['doctor', '--profile', profileWith(swap('participant:', 'particpant:'))]),
    );
    expect(printed).toMatch(/^svc-conformance: .*profile\.yaml:\d+:\d+: unknown key "particpant".*\n$/);
    expect(exitCode).toBe(2);
  });
});
