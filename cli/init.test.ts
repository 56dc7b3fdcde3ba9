import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { allRules } from '../contract/rules.ts';
import { createServer, type Server } from '../reference-server/server.ts';
import { parseRun } from '../reports/run.ts';
import { loadProfile } from '../suites/engine/profile/load.ts';
import { unmetNeeds } from '../suites/engine/needs.ts';
import { checkCommand } from './check.ts';
import { objectStore, sendJson, type Handle } from '../suites/engine/small-service.fixture.ts';
import { answering } from './doctor/broken-target.fixture.ts';
import { answeringAlike } from './check/bad-target.fixture.ts';
import { initCommand } from './init.ts';
import type { Conversation, InitOptions } from './init/answers.ts';
import { mostLines } from './init/profile-text.ts';
import { run } from './run.ts';
import { said, type Said } from './said.fixture.ts';
import { UsageError } from './usage.ts';

const secrets = { SVC_PASSWORD: 'edda-password', SVC_CLIENT_SECRET: 'conformance-secret' };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-init-'));
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Nobody is there to answer unless lines are given. */
function conversation(
  lines?: readonly string[],
  environment: Conversation['environment'] = secrets,
): Conversation & { readonly asked: () => string } {
  const [input, asked] = [new PassThrough(), [] as string[]];
  const left = [...(lines ?? [])];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      asked.push(chunk.toString());
      const line = chunk.toString().endsWith(': ') ? left.shift() : '';
      if (line === undefined) setImmediate(() => input.end());
      else if (line !== '') setImmediate(() => input.write(`${line}\n`));
      done();
    },
  });
  return { input, output, isTerminal: lines !== undefined, environment, asked: () => asked.join('') };
}

const place = (): string => join(mkdtempSync(join(folder, 'out-')), 'profile.yaml');
const environmentNames = { clientSecretEnv: 'SVC_CLIENT_SECRET', passwordEnv: 'SVC_PASSWORD' };
const answers = (url: string, more: Partial<InitOptions> = {}): InitOptions => ({
  url,
  space: 'main',
  username: 'edda',
  clientId: 'conformance',
  participant: 'owner',
  ...environmentNames,
  out: place(),
  yes: true,
  ...more,
});

describe.each(['plain', 'strange'] as const)('a first profile of the %s server', (dialect) => {
  let server: Server;
  let written: Said;
  let out: string;

  beforeAll(async () => {
    server = createServer(dialect === 'strange' ? { dialect } : {});
    const options = answers(await server.listen());
    out = options.out;
    written = await said(() => initCommand(options, conversation()));
  }, 60_000);

  afterAll(() => server.close());

  test('is written whole, short, without secrets, and alone', () => {
    expect(written.exitCode, written.printed).toBe(0);
    const text = readFileSync(out, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(mostLines);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+docs\/profile\.schema\.json\n/);
    expect(text).toContain('password: "${SVC_PASSWORD}"');
    expect(text + written.printed).not.toMatch(/edda-password|conformance-secret/);
    expect(readdirSync(join(out, '..'))).toEqual(['profile.yaml']);
  });

  test('is read by check, with most of what the service side can show', async () => {
    const { profile } = await loadProfile(out);
    expect(Object.keys(profile.softTypes?.primary ?? {})).toEqual(
      expect.arrayContaining(['scalars', 'arrayPort', 'secondArrayPort', 'object', 'reference', 'renamed', 'escaped']),
    );
    expect(Object.keys(profile.routes ?? {})).toEqual(
      expect.arrayContaining(['softTypePut', 'softTypeDelete', 'demote', 'lockTake', 'lockFree', 'openApiDynamic']),
    );
    expect(Object.keys(profile.files?.areas ?? {})).toEqual(['space', 'user', 'participant']);
    expect(profile).toMatchObject({
      informationFilter: { dateMember: 'time' },
      softTypes: { primary: { dated: { path: '/price', datePath: '/price/effectivity' } } },
      filters: { fixed: { id: 'drawings', matching: { category: 'drawing' } }, withValue: { member: 'category' } },
    });
    expect(profile.maturity?.states).toHaveLength(3);
    const testable = allRules.filter((rule) => unmetNeeds(rule, profile).length === 0).length;
    expect(written.printed).toContain(`Testable now: ${testable} of ${allRules.length} rules.`);
    expect(testable).toBeGreaterThan(250);
  });

  test('says which line unlocks more', () => {
    expect(written.printed).toMatch(
      /^ +\d+ \/ \d+ {2}add identities\.reader with username and password, token or pat$/m,
    );
    expect(written.printed).toMatch(/^Not testable yet: .*registration/m);
  });

  test('leaves nothing behind', () => {
    expect(written.printed).not.toContain('Not deleted');
  });

  test('is judged: green, or blocked with reasons', { timeout: 120_000 }, async () => {
    const report = join(out, '..', 'report');
    const areas = ['reading', 'paging', 'patch', 'openapi', 'multi-create', 'maturity'] as const;
    const { exitCode } = await said(() =>
      checkCommand({ profile: out, out: report, seed: 5, runs: 1, areas, quiet: true }),
    );
    const { outcomes } = parseRun(readFileSync(join(report, 'outcomes.ndjson'), 'utf8'), 'outcomes.ndjson');
    expect(
      outcomes
        .filter(({ verdict }) => verdict === 'fail' || verdict === 'broken')
        .map(({ rule, reason }) => `${rule}: ${reason}`),
    ).toEqual([]);
    expect(outcomes.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(80);
    expect(outcomes.filter(({ verdict, reason }) => verdict === 'blocked' && (reason ?? '') === '')).toEqual([]);
    expect(exitCode).toBe(3);
  });
});

/** A service without a dynamic document, whose objects can be deleted or not; its static document shows settings with an ETag. */
function undescribed(canDelete: boolean): Handle {
  const objects = objectStore();
  const gone = new Set<string>();
  const paths = { '/api/space/{spaceId}/settings': { get: {} }, '/api/space/{spaceId}/news': { get: {} } };
  return (request, response, message) => {
    const { method, url } = request;
    if (url === '/auth/token') return sendJson({ access_token: 'a-token' }, response);
    if (url === '/api/openApi/space') return sendJson({ openapi: '3.1.0', paths }, response);
    if (url === '/api/space/main/settings') response.setHeader('ETag', '"1"');
    if (/\/(?:settings|news)$/.test(url)) return sendJson({}, response);
    const isKnown = url.startsWith('/api/space/main/softtype/') && method !== 'PUT' && !gone.has(url);
    if (!isKnown || (method === 'DELETE' && !canDelete)) return sendJson({}, response, 404);
    if (method !== 'DELETE') return objects(request, response, message);
    gone.add(url).add(url.replace('/softtype/', '/softtype/Document/out/'));
    response.writeHead(204).end();
  };
}

describe('a first profile of a deployment without OpenAPI of its SoftTypes', () => {
  const type = {
    definitionId: 'Document',
    inputSchemaId: 'in',
    outputSchemaId: 'out',
    body: { title: 'x {{unique}}' },
  };

  test.each([true, false])(
    'has the usual routes that work (delete: %s) and cached resources',
    { timeout: 60_000 },
    async (canDelete) => {
      await using target = await answering(undescribed(canDelete));
      const options = answers(target.url, type);
      const { exitCode, printed } = await said(() => initCommand(options, conversation()));
      expect(exitCode, printed).toBe(0);
      const { profile } = await loadProfile(options.out);
      expect(profile.caching?.resources).toEqual([{ path: '/api/space/main/settings' }]);
      const softTypeDelete = canDelete ? '/api/space/{spaceId}/softtype/{objectId}' : undefined;
      expect([profile.routes?.softTypeDelete, profile.routes?.softTypePut]).toEqual([softTypeDelete, undefined]);
      expect(printed.includes('Not deleted: '), printed).toBe(!canDelete);
    },
  );
});

describe('answers', () => {
  test('that are missing are told at once, all of them, where nobody can be asked', async () => {
    const { exitCode, printed } = await said(() =>
      run(['init', '--yes', '--password-env', 'SVC_NOWHERE', '--out', place()]),
    );
    expect(exitCode).toBe(2);
    for (const word of ['--url URL', '--space ID', '--username NAME', '--client-id ID', 'export SVC_NOWHERE=…'])
      expect(printed).toContain(word);
    expect(printed).toContain('5 answers are missing');
  });

  test('are asked for on a terminal, and only those that the flags lack', async () => {
    const server = createServer();
    const url = await server.listen();
    const talk = conversation(['main', 'edda']);
    const options = { url, clientId: 'conformance', ...environmentNames, out: place() };
    const { exitCode } = await said(() => initCommand(options, talk));
    await server.close();
    expect(exitCode).toBe(0);
    expect(talk.asked()).toMatch(/Id of a space[^]*User with an editor role/);
    expect(talk.asked()).not.toMatch(/Address of|Client id/);
  });

  test('that cannot be used are asked for again, and an input that ends leaves the rest missing', async () => {
    const talk = conversation(['nowhere', 'http://127.0.0.1:9']);
    await expect(initCommand({ ...environmentNames, out: place() }, talk)).rejects.toThrow(
      /^3 answers are missing:\n {2}--space ID/,
    );
    expect(talk.asked()).toContain('Expected an address as https://service.example.com/path');
  });

  test('of a token take the place of those for the grant', async () => {
    const options = {
      url: 'http://127.0.0.1:9',
      space: 'main',
      tokenEnv: 'SVC_TOKEN',
      ...environmentNames,
      out: place(),
      yes: true,
    } as const;
    await expect(initCommand(options, conversation(undefined, {}))).rejects.toThrow(
      /^One answer is missing:\n {2}export SVC_TOKEN=… +Access token of the editor$/,
    );
  });
});

describe('nothing is written', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer();
    await server.listen();
  });
  afterAll(() => server.close());

  test.each<
    readonly [what: string, more: Partial<InitOptions>, environment: Conversation['environment'], words: string]
  >([
    [
      'a wrong password',
      {},
      { ...secrets, SVC_PASSWORD: 'mistyped' },
      'correct --username and the password in its variable',
    ],
    ['a token endpoint that is not there', { tokenUrl: '/nowhere' }, secrets, 'correct --token-url or --url'],
    ['a space that is not known', { space: 'nowhere' }, secrets, 'correct --space ("nowhere")'],
    [
      'a user who may only read',
      { username: 'rita' },
      { ...secrets, SVC_PASSWORD: 'rita-password' },
      'name a user with --username whose role there may create',
    ],
    [
      'a SoftType by flags that is not known',
      { definitionId: 'None', inputSchemaId: 'none', outputSchemaId: 'none' },
      secrets,
      'None (',
    ],
  ])('for %s', async (_what, more, environment, words) => {
    const options = answers(server.url, more);
    const { exitCode, printed } = await said(() => initCommand(options, conversation(undefined, environment)));
    expect(printed).toContain(words);
    expect(printed).toMatch(/^svc-conformance: nothing was written: [^\n]+\n$/);
    expect(printed).not.toMatch(/rita-password|edda-password|mistyped|conformance-secret/);
    expect(exitCode).toBe(3);
    expect(readdirSync(join(options.out, '..'))).toEqual([]);
  });

  test('for a deployment whose names would read an environment variable', async () => {
    const path = '/api/space/main/softtype/$%7BSVC_PASSWORD%7D/in';
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    const answer = { properties: { data: schema }, type: 'object' };
    const content = (inner: object): object => ({ content: { 'application/json': { schema: inner } } });
    const document = {
      openapi: '3.1.0',
      paths: {
        [path]: { post: { requestBody: content(schema) } },
        [`${path}/{id}`]: { get: { responses: { 200: content(answer) } } },
      },
    };
    await using target = await answering(({ method, url }, response) => {
      if (url === '/auth/token') return sendJson({ access_token: 'a-token' }, response);
      if (url.endsWith('softtype.openApi')) return sendJson(document, response);
      if (method === 'POST') return void response.writeHead(201, { Location: '/api/space/main/softtype/1' }).end();
      return url.endsWith('/1')
        ? sendJson({ data: { $oid: '1', title: 'x' }, version: 1 }, response)
        : sendJson({}, response, 404);
    });
    const { exitCode, printed } = await said(() => initCommand(answers(target.url), conversation()));
    expect(printed).toContain('would take for an environment variable');
    expect(exitCode).toBe(3);
  });

  test('for a page that answers everything', async () => {
    await using target = await answeringAlike(200, 'text/html', '<html>welcome</html>');
    const { exitCode, printed } = await said(() => initCommand(answers(target.url), conversation()));
    expect(printed).toContain('with text/html and no access_token: correct --token-url or --url');
    expect(exitCode).toBe(3);
  });

  test('over a file that is there, unless told', async () => {
    const options = answers(server.url);
    writeFileSync(options.out, 'mine\n');
    await expect(initCommand(options, conversation())).rejects.toThrow(UsageError);
    expect(readFileSync(options.out, 'utf8')).toBe('mine\n');
    expect((await said(() => initCommand({ ...options, force: true }, conversation()))).exitCode).toBe(0);
    expect(readFileSync(options.out, 'utf8')).toContain('profileVersion: 1');
  });

  test('into a folder that is not there', async () => {
    const options = answers(server.url, { out: join(folder, 'absent', 'profile.yaml') });
    await expect(said(() => initCommand(options, conversation()))).rejects.toThrow('name another file with --out');
  });
});
