import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createServer } from '../../reference-server/server.ts';
import type { Listening } from '../../fixtures/listening.fixture.ts';
import { answeringAlike, hanging } from '../check/bad-target.fixture.ts';
import { run } from '../run.ts';
import { captureOutput, type Output } from '../output.fixture.ts';
import {
  behindPath,
  closing,
  endless,
  grantingEarly,
  grantingForEver,
  lackingScope,
  mislabelling,
  ofTwoMinds,
  redirecting,
  refusingGrants,
  creating,
  selfSigned,
  tokenOf,
} from './broken-target.fixture.ts';
import { authorityIn, hasOpenssl, type Authority } from './tls.fixture.ts';
import { linesNamed, swap, triedProfile, type Change } from './tried-profile.fixture.ts';

/** What a command came to. */
type Told = Pick<Output, 'exitCode' | 'printed'>;

const { at, bundled, checkOf, doctorOf, folder, profileWith } = await triedProfile();

const editor = 'editor: { username: edda, password: edda-password,';
const as = (name: string): Change => swap(editor, `editor: { username: ${name}, password: ${name}-password,`);
const hasty: Change = (profile) => `${profile}limits: { requestTimeoutSeconds: 0.4 }\n`;
const unhurried: Change = (profile) => profile;
const reading = ['reading.*'];
const secrets = /edda-password|conformance-secret/;

function expiredToken(): string {
  const [head, body] = tokenOf({ sub: 'edda', iat: 1_700_000_000, exp: 1_700_003_600, jti: 'one' }).split('.');
  const key = Buffer.from(/signingKey: (\S+)/.exec(bundled)?.[1] ?? '', 'base64');
  return `${head}.${body}.${createHmac('sha512', key).update(`${head}.${body}`).digest('base64url')}`;
}

/** Both say these words, name a line of the profile that begins so, and end with 3. */
function expectTold(profile: string, told: readonly Told[], words: readonly string[], line: string): void {
  for (const { exitCode, printed } of told) {
    for (const word of words) expect(printed).toContain(word);
    const named = linesNamed(profile, printed).map((text) => text.trim());
    expect(
      named.some((text) => text.startsWith(line)),
      `${line} among ${named.join(' | ')} in ${printed}`,
    ).toBe(true);
    expect(printed).not.toMatch(secrets);
    expect(exitCode).toBe(3);
  }
}

type Profiled = readonly [
  what: string,
  change: Change,
  words: readonly string[],
  line: string,
  rules: readonly string[],
];
type Targeted = readonly [what: string, target: () => Promise<Listening>, words: readonly string[], line: string];

describe('doctor and check name the cause, the key to change and its line', () => {
  test.each<Profiled>([
    [
      'a wrong client secret',
      swap('clientSecret: conformance-secret', 'clientSecret: mistyped'),
      ['refused the identity editor', 'auth.clientSecret'],
      'clientSecret:',
      reading,
    ],
    [
      'a client that is not known',
      swap('clientId: conformance', 'clientId: stranger'),
      ['refused the identity editor', 'auth.clientId'],
      'clientId:',
      reading,
    ],
    [
      'a wrong password',
      swap('edda-password', 'mistyped'),
      ['refused the identity editor', 'identities.editor.password'],
      'editor:',
      reading,
    ],
    [
      'a wrong token endpoint',
      swap('tokenUrl: /auth/token', 'tokenUrl: /nowhere'),
      ['no token endpoint at', 'auth.tokenUrl'],
      'tokenUrl:',
      reading,
    ],
    [
      'a wrong base path',
      (text) => text.replace(/^(baseUrl: .*)$/m, '$1/elsewhere'),
      ['no token endpoint at', '(404)', 'baseUrl'],
      'baseUrl:',
      reading,
    ],
    ['a space that is not known', swap('space: main', 'space: nowhere'), ['space ("nowhere")'], 'space:', reading],
    ['a space without a role in it', as('otto'), ['the role of identities.editor in it'], 'editor:', reading],
    [
      'an editor who may only read',
      as('rita'),
      ['give identities.editor a role in it that may create'],
      'editor:',
      reading,
    ],
    [
      'a SoftType that is not known',
      swap('definitionId: Document', 'definitionId: Documnet'),
      ['softTypes.primary.definitionId'],
      'definitionId: Documnet',
      reading,
    ],
    [
      'an input schema that is not known',
      swap('inputSchemaId: documentInput', 'inputSchemaId: documentInptu'),
      ['softTypes.primary.inputSchemaId'],
      'inputSchemaId: documentInptu',
      reading,
    ],
    [
      'a body that the model refuses',
      swap("body: { title: 'Document {{unique}}' }", 'body: { titel: x }'),
      ['softTypes.primary.body'],
      'body: { titel',
      reading,
    ],
    [
      'a token that is not one',
      (text) => swap(editor, 'editor: { username: edda, token: not-a-token,')(text),
      ['the target does not accept the token of identities.editor'],
      'editor:',
      reading,
    ],
    [
      'a token that has ended',
      (text) => swap(editor, `editor: { username: edda, token: ${expiredToken()},`)(text),
      ['ended at 2023-11-14', 'identities.editor.token'],
      'editor:',
      reading,
    ],
    [
      'a listener that the service cannot reach',
      swap("publicUrl: 'http://127.0.0.1:{port}'", "publicUrl: 'http://127.0.0.1:9'"),
      ['listener.publicUrl (http://127.0.0.1:9)'],
      'listener:',
      ['registration.*'],
    ],
    [
      'an area that its identity may not use',
      swap('collection: { as: administrator }', 'collection: { as: editor }'),
      ['files.areas.collection.as'],
      'collection: { as',
      ['files.*'],
    ],
    [
      'a wrong administration key',
      swap('adminApiKey: Y', 'adminApiKey: Z'),
      ['bulk.adminApiKey'],
      'adminApiKey: Z',
      ['bulk-upload.*'],
    ],
    [
      'a name that nobody knows',
      (text) => text.replace(/^baseUrl: .*$/m, 'baseUrl: http://service.invalid'),
      ['nothing answers at http://service.invalid', 'correct baseUrl'],
      'baseUrl:',
      reading,
    ],
    [
      'https where plain HTTP is spoken',
      (text) => text.replace('baseUrl: http:', 'baseUrl: https:'),
      ['does not speak TLS', 'use http://'],
      'baseUrl:',
      reading,
    ],
  ])('%s', async (_what, change, words, line, rules) => {
    const profile = profileWith(change);
    const doctor = await doctorOf(profile);
    expectTold(profile, [doctor, await checkOf(profile, rules)], words, line);
    // what cannot come by the same cause is not waited for
    expect(doctor.printed).not.toContain('no call came');
  });

  test.each<Targeted>([
    [
      'a proxy that redirects',
      () => redirecting('https://login.example/sign-in'),
      ['answered 302 and leads to https://login.example/sign-in', 'auth.tokenUrl or baseUrl'],
      'tokenUrl:',
    ],
    [
      'a captive portal',
      () => answeringAlike(200, 'text/html', '<html>welcome</html>'),
      ['with text/html and no access_token', 'auth.tokenUrl or baseUrl'],
      'baseUrl:',
    ],
    [
      'a gateway without the service behind it',
      () => answeringAlike(502, 'text/html', '<h1>Bad gateway</h1>'),
      ['a gateway answered 502', 'baseUrl'],
      'baseUrl:',
    ],
    [
      'nothing but 404',
      () => answeringAlike(404, 'text/plain', 'no such page'),
      ['no token endpoint at', 'baseUrl'],
      'baseUrl:',
    ],
    [
      'clocks that differ by 11 minutes',
      () => grantingEarly(660),
      ['the token of identities.editor is valid from', 'differ by 6', 'set the clock of the service', 'auth.tokenUrl'],
      'tokenUrl:',
    ],
    [
      'a refused token without an end',
      grantingForEver,
      ['the token of identities.editor has no exp', 'auth.tokenUrl'],
      'tokenUrl:',
    ],
    [
      'a client without a scope',
      () => refusingGrants('invalid_scope'),
      ['(400 invalid_scope)', 'give the client a scope', 'auth.clientId'],
      'clientId:',
    ],
    [
      'a client that may not use the grant',
      () => refusingGrants('unauthorized_client'),
      ['(400 unauthorized_client)', 'allow the client the password grant', 'auth.clientId'],
      'clientId:',
    ],
    [
      'a token whose scope does not hold the API',
      lackingScope,
      ['the scope of the token does not hold this', 'auth.clientId'],
      'clientId:',
    ],
    [
      'a token that one of two hosts takes',
      ofTwoMinds,
      ['took one token of identities.editor in ', 'whether every host behind'],
      'editor:',
    ],
    [
      'a new object that is not where its Location leads',
      () => creating({ Location: '/api/space/main/softtype/lost' }),
      ['no object with $oid and version can be read at its Location (/api/space/main/softtype/lost)'],
      'outputSchemaId:',
    ],
    ['JSON that is a page', mislabelling, ['where the API would answer with JSON', 'baseUrl'], 'baseUrl:'],
    [
      'a server that closes at once',
      closing,
      ['the connection was lost', 'see whether baseUrl', 'what closes connections'],
      'baseUrl:',
    ],
    ['a server that never answers', hanging, ['limits.requestTimeoutSeconds (0.4)', 'baseUrl'], 'limits:'],
    [
      'a port that wants TLS',
      () => answeringAlike(400, 'text/html', '<h1>The plain HTTP request was sent to HTTPS port</h1>'),
      ['it speaks TLS', 'write https://'],
      'baseUrl:',
    ],
  ])('%s', async (_what, open, words, line) => {
    await using target = await open();
    // what answers is given its time
    const profile = profileWith((text) => (open === hanging ? hasty : unhurried)(at(target.url)(text)));
    expectTold(profile, [await doctorOf(profile), await checkOf(profile)], words, line);
  });

  test('an answer without an end', async () => {
    await using target = await endless();
    const profile = profileWith(at(target.url));
    const told = [await doctorOf(profile), await checkOf(profile)];
    expectTold(profile, told, ['was cut off', 'correct baseUrl'], 'baseUrl:');
  });

  test('nobody listens', async () => {
    const gone = createServer();
    const url = await gone.listen();
    await gone.close();
    const profile = profileWith(at(url));
    const told = [await doctorOf(profile), await checkOf(profile)];
    expectTold(profile, told, [`nothing answers at ${url}`, 'correct baseUrl'], 'baseUrl:');
  });
});

describe('doctor and check name what is wrong with a certificate', () => {
  const isMissing = !hasOpenssl();
  test.runIf(isMissing && process.env['CI'] === 'true')('needs openssl to make certificates', () => {
    expect.fail('openssl is not installed, and CI=true: install it, so that certificates are tried');
  });

  const both = async (profile: string, authority?: Authority): Promise<readonly Told[]> => {
    if (authority === undefined) return [await doctorOf(profile), await checkOf(profile)];
    const check = ['check', '--quiet', '--rules', 'reading.*', '--out', join(profile, '..', 'out')];
    return Promise.all([['doctor'], check].map((words) => inProcess([...words, '--profile', profile], authority)));
  };
  const freshFolder = (): string => mkdtempSync(join(folder, 'tls-'));

  test.skipIf(isMissing)('that nobody signed (skipped without openssl)', async () => {
    await using target = await selfSigned(freshFolder());
    const profile = profileWith(at(target.url));
    expectTold(profile, await both(profile), ['nobody known has signed', 'NODE_EXTRA_CA_CERTS', 'baseUrl'], 'baseUrl:');
  });

  test.skipIf(isMissing)('that nobody signed, and init its own option (skipped without openssl)', async () => {
    await using target = await selfSigned(freshFolder());
    const words = ['--yes', '--url', target.url, '--space', 'main', '--token-env', 'PATH'];
    const { exitCode, printed } = await inProcess(['init', ...words, '--out', join(freshFolder(), 'profile.yaml')], {
      file: '',
    });
    expect(printed).toContain('give the certificate of its issuer in a variable that --issuer-env names');
    expect(exitCode).toBe(3);
  });

  test.skipIf(isMissing).each([
    ['that has expired', { name: 'IP:127.0.0.1', isOver: true }, ['has expired (CERT_HAS_EXPIRED)', 'renew it']],
    ['of another host', { name: 'DNS:elsewhere.example' }, ['for another name', 'use that name, or correct baseUrl']],
  ] as const)('%s (skipped without openssl)', async (_what, wording, words) => {
    const authority = authorityIn(freshFolder());
    await using target = await authority.speakingTls(wording);
    const profile = profileWith(at(target.url));
    expectTold(profile, await both(profile, authority), words, 'baseUrl:');
  });

  test.skipIf(isMissing)('plain HTTP where TLS is spoken (skipped without openssl)', async () => {
    await using target = await selfSigned(freshFolder());
    const profile = profileWith(at(target.url.replace('https:', 'http:')));
    expectTold(profile, await both(profile), ['the connection was lost', 'not TLS (https://)'], 'baseUrl:');
  });
});

test('a token that is stated and refused is the one thing that doctor tells', async () => {
  const profile = profileWith((text) => swap(editor, 'editor: { username: edda, token: not-a-token,')(text));
  const { printed } = await doctorOf(profile);
  expect(printed).not.toMatch(/^ {2}ok +a token of the identity editor$/m);
  expect(printed.match(/^ {2}failed /gm)).toHaveLength(1);
});

test('a new object that nothing leads to is told by doctor, and by check as a violation', async () => {
  await using target = await creating({});
  const profile = profileWith(at(target.url));
  const words = ['without Location or anything else that tells where it is', 'headers.location.*'];
  expectTold(profile, [await doctorOf(profile)], words, 'outputSchemaId:');
  const { exitCode, printed } = await checkOf(profile, ['headers.location.*']);
  expect(printed).toMatch(/Exit 1: [^\n]*rules? violated/);
  expect(exitCode).toBe(1);
});

test('the path of a gateway that addresses leave out is told by doctor, and by check as a note', async () => {
  const [, origin = ''] = /^baseUrl: (.*)$/m.exec(bundled) ?? [];
  await using gateway = await behindPath('/gw/svc', origin);
  const profile = profileWith(at(`${gateway.url}/gw/svc`));
  const words = 'leave out /gw/svc, the path of baseUrl';
  expect((await doctorOf(profile)).printed).toContain(`Addresses ${words}`);
  const { exitCode, printed } = await checkOf(profile, ['headers.location.leads-to-object']);
  expect(printed).toContain(`Note: 1 of the rules failed at addresses that ${words}`);
  expect(exitCode).toBe(1);
});

describe('doctor and check refuse a profile with the place of the mistake', () => {
  test.each<readonly [what: string, change: Change, words: string, line: string]>([
    ['a key that is not known', swap('participant:', 'particpant:'), 'unknown key "particpant"', 'particpant:'],
    [
      'a value of another type',
      swap('tokenLifetimeSeconds: 3600', 'tokenLifetimeSeconds: soon'),
      'auth.tokenLifetimeSeconds must be of type number',
      'tokenLifetimeSeconds:',
    ],
    [
      'a list in the place of a mapping',
      swap('dateMember: time', 'dateMember: [time]'),
      'informationFilter.dateMember must be of type string',
      'dateMember:',
    ],
    ['a missing key', (text) => text.replace(/^space: .*\n/m, ''), 'the file lacks "space"', 'profileVersion:'],
    [
      'a variable that is not set',
      swap('clientId: conformance', 'clientId: ${NOBODY_SETS_THIS}'),
      'NOBODY_SETS_THIS is not set',
      'clientId:',
    ],
    ['no YAML', swap('space: main', 'space: [main'), 'this is no YAML', ''],
  ])('%s', async (_what, change, words, line) => {
    const profile = profileWith(change);
    const check = ['check', '--profile', profile, '--out', join(profile, '..', 'out')];
    for (const argv of [['doctor', '--profile', profile], check]) {
      const { exitCode, printed } = await captureOutput(() => run(argv));
      expect(printed).toMatch(/^svc-conformance: [^\n]*profile\.yaml:\d+:\d+: [^\n]*\n$/);
      expect(printed).toContain(words);
      expect(linesNamed(profile, printed)[0]?.trim()).toMatch(new RegExp(`^${line}`));
      expect(exitCode).toBe(2);
    }
  });
});

/** A process of its own: which authorities are known is decided when it starts. */
function inProcess(words: readonly string[], { file }: Pick<Authority, 'file'>): Promise<Told> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: file };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['cli/main.ts', ...words], { env }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, printed: stdout + stderr }),
    );
  });
}
