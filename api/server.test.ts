import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Agent, request } from 'undici';
import { watchOpen } from '../fixtures/left-open.fixture.ts';
import { headerNames } from '../contract/names.ts';
import type { SeedSource, TemplatesSource } from '../reference-server/load-configuration.ts';
import { freePort } from '../reference-server/ports/postgres.fixture.ts';
import { startServer, type Service } from './index.ts';

const json = { 'Content-Type': 'application/json', 'Svc-InformationFilter': btoa('{}') };

const headersOf = async (service: Service, identity = 'editor'): Promise<Record<string, string>> => ({
  Authorization: `Bearer ${await service.tokens(identity)}`,
  ...json,
});

interface Answered {
  readonly status: number;
  readonly json: unknown;
}

/** On a connection of its own, which ends with the answer. */
async function asked(service: Service, path: string, options: Parameters<typeof request>[1] = {}): Promise<Answered> {
  const agent = new Agent();
  const { statusCode, body } = await request(service.url + path, { ...options, dispatcher: agent });
  const text = await body.text();
  await agent.close();
  return { status: statusCode, json: text === '' ? undefined : JSON.parse(text) };
}

async function created(service: Service, title = 'Plan'): Promise<void> {
  const { status, json } = await asked(service, '/api/space/main/softtype/Document/documentInput', {
    method: 'POST',
    headers: await headersOf(service),
    body: JSON.stringify({ title }),
  });
  expect(status, JSON.stringify(json)).toBe(201);
}

/** Whether an object that is made is answered with its version, as the documents say. */
async function isVersionTold(service: Service): Promise<boolean> {
  const { statusCode, headers, body } = await request(`${service.url}/api/space/main/softtype/Document/documentInput`, {
    method: 'POST',
    headers: await headersOf(service),
    body: '{"title":"Plan"}',
  });
  await body.dump();
  expect(statusCode).toBe(201);
  return headers[headerNames.version.toLowerCase()] !== undefined;
}

async function namesOf(service: Service): Promise<number> {
  const { json } = await asked(service, '/api/space/main/instances/Document', { headers: await headersOf(service) });
  return JSON.stringify(json).split('Plan').length - 1;
}

test('a server keeps state until it is reset, at the same address', async () => {
  await using server = await startServer();
  await created(server);
  expect(await namesOf(server)).toBe(1);
  const { url, port } = server;
  await server.reset();
  expect(await namesOf(server)).toBe(0);
  expect([server.url, server.port]).toEqual([url, port]);
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
});

test('a token is one of the identity or of the user, and may be over', async () => {
  await using server = await startServer();
  const statusWith = async (token: string): Promise<number> =>
    (await asked(server, '/api/space/main/instances/Document', { headers: { Authorization: `Bearer ${token}` } }))
      .status;
  expect(await statusWith(await server.tokens('editor'))).toBe(200);
  expect(await statusWith(await server.tokens('edda', { lifetimeSeconds: 5 }))).toBe(200);
  expect(await statusWith(await server.tokens('editor', { lifetimeSeconds: -1 }))).toBe(401);
  await expect(server.tokens('nobody')).rejects.toThrow(
    /Expected an identity of the profile or a user, found "nobody"; known are editor, /,
  );
});

test('time stands still where it is told to, moves, and begins anew with a reset', async () => {
  await using server = await startServer({ clock: '2027-01-31T12:00:00Z' });
  expect(server.clock.now().toISOString()).toBe('2027-01-31T12:00:00.000Z');
  const token = await server.tokens('editor', { lifetimeSeconds: 60 });
  const status = async (): Promise<number> =>
    (await asked(server, '/api/space/main/instances/Document', { headers: { Authorization: `Bearer ${token}` } }))
      .status;
  await server.clock.advance({ seconds: 59 });
  expect(await status()).toBe(200);
  await server.clock.advance({ seconds: 1 });
  expect(await status()).toBe(401);
  await server.clock.advanceTo('2027-02-01T00:00:00Z');
  await expect(server.clock.advanceTo(0)).rejects.toThrow(RangeError);
  await server.reset();
  expect(server.clock.now().toISOString()).toBe('2027-01-31T12:00:00.000Z');
});

test('lengths of time add up', async () => {
  await using server = await startServer({ clock: 0 });
  const part = fc.nat(1000);
  await fc.assert(
    fc.asyncProperty(
      fc.record({ days: part, hours: part, minutes: part, seconds: part, milliseconds: part }, { requiredKeys: [] }),
      async (by) => {
        const { days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = by;
        const before = server.clock.now().getTime();
        await server.clock.advance(by);
        const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
        expect(server.clock.now().getTime() - before).toBe(ms);
      },
    ),
    { numRuns: 20 },
  );
  for (const wrong of [-1, Number.NaN, { weeks: 1 }, { hours: Number.POSITIVE_INFINITY }])
    await expect(server.clock.advance(wrong as number)).rejects.toThrow(/Expected ms, or a record/);
});

test.each(['strange', 'foreign', 'peculiar'] as const)('faults and the %s dialect outlive a reset', async (dialect) => {
  await using server = await startServer({ faults: ['headers.uoi-version.on-create'], dialect });
  await server.reset();
  expect(await isVersionTold(server)).toBe(false);
});

test('faults change while it runs: data and address stay, and a reset brings those of the start back', async () => {
  const id = 'headers.uoi-version.on-create';
  await using server = await startServer();
  expect(await isVersionTold(server)).toBe(true);
  await server.faults.set([id]);
  expect([[...server.faults], await isVersionTold(server)]).toEqual([[id], false]);
  await server.faults.clear();
  expect([[...server.faults], await isVersionTold(server), await namesOf(server)]).toEqual([[], true, 3]);
  await server.faults.set([id]);
  await server.reset();
  expect([[...server.faults], await isVersionTold(server)]).toEqual([[], true]);
  // @ts-expect-error nobody can break that
  await expect(server.faults.set(['no.such.rule'])).rejects.toThrow(/There is no fault no.such.rule/);
});

test('a token of nobody is refused', async () => {
  await using server = await startServer();
  // @ts-expect-error nobody is named
  await expect(server.tokens()).rejects.toMatchObject({ code: 'OPTION' });
});

test('objects are put where a test wants them, all or none', async () => {
  await using server = await startServer({ faults: ['headers.uoi-version.on-create'] });
  const objects = [
    { $id: 'plan-1', $softType: 'Document', data: { title: 'Plan 1' }, version: 3 },
    { $softType: 'Document', data: { title: 'Plan 2' } },
  ];
  const [first, second] = await server.seed(objects);
  expect(first).toMatchObject({ $oid: 'plan-1', version: 3, href: expect.stringContaining('plan-1') });
  expect(second).toMatchObject({ version: 1 });
  const { json } = await asked(server, '/api/space/main/softtype/plan-1', { headers: await headersOf(server) });
  expect(json).toMatchObject({ data: { title: 'Plan 1' }, version: 3 });
  await expect(server.seed([{ $softType: 'Document' }, ...objects])).rejects.toThrow(/plan-1/);
  await expect(server.seed([{ $softType: 'Document' }], { space: 'nowhere' })).rejects.toThrow(/nowhere/);
  // @ts-expect-error there is no such member
  await expect(server.seed([{ $softTyp: 'Document' }])).rejects.toThrow(/unknown key|lacks/i);
  expect(await namesOf(server)).toBe(2);
});

test('time that was moved is let run again from where it stands', async () => {
  await using server = await startServer({ clock: '2027-01-31T12:00:00Z' });
  await server.clock.advance({ hours: 1 });
  expect(server.clock.isRunning).toBe(false);
  await server.clock.run();
  expect(server.clock.isRunning).toBe(true);
  await expect.poll(() => server.clock.now().toISOString() > '2027-01-31T13:00:00.000Z').toBe(true);
  expect(server.clock.now().toISOString()).toMatch(/^2027-01-31T13:/);
});

test('a database that cannot be reached is told without its password', async () => {
  const refused = startServer({ store: `postgres://svc:hush@127.0.0.1:${await freePort()}/svc` });
  await expect(refused).rejects.toMatchObject({
    code: 'STORE',
    message: expect.stringContaining('postgres://svc@127'),
  });
  await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('hush') });
});

test('a store in a file is there for the next server, and a reset empties it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-api-'));
  const store = join(folder, 'service.db');
  {
    await using server = await startServer({ store });
    await created(server);
  }
  {
    await using server = await startServer({ store });
    expect(await namesOf(server)).toBe(1);
    await server.reset();
    expect(await namesOf(server)).toBe(0);
    await created(server);
  }
  await using server = await startServer({ store });
  expect(await namesOf(server)).toBe(1);
  await server.close();
  rmSync(folder, { recursive: true });
});

test('users and SoftTypes are what it is told, by contents or by files', async () => {
  const templates: TemplatesSource['templates'] = {
    small: {
      name: 'Small',
      softTypes: {
        Note: {
          members: { text: { kind: 'string', mandatory: true } },
          inputs: { noteInput: {} },
          outputs: { noteFull: {} },
        },
      },
      filters: {},
      maturity: {},
    },
  };
  const key = Buffer.alloc(64, 7).toString('base64');
  const seed: SeedSource = {
    collection: { id: 'small', name: 'Small' },
    auth: {
      clientId: 'tests',
      clientSecret: 'secret',
      signingKey: key,
      tokenLifetimeSeconds: 60,
      idTokenIssuer: 'https://login.example',
      idTokenAudience: 'svc',
      idTokenKey: key,
    },
    roles: { editor: { methods: ['GET', 'POST'] } },
    spaces: { attic: { name: 'Attic', template: 'small', participants: { owner: { ada: 'editor' } } } },
    users: { ada: { displayName: 'Ada', password: 'p', pat: 'pat-ada' } },
  };
  await using server = await startServer({
    space: { templates },
    seed,
  });
  const { status } = await asked(server, '/api/space/attic/softtype/Note/noteInput', {
    method: 'POST',
    headers: { Authorization: `Bearer ${await server.tokens('ada')}`, ...json },
    body: '{"text":"hello"}',
  });
  expect(status).toBe(201);
  await using same = await startServer({ seed: new URL('../fixtures/seed.yaml', import.meta.url) });
  await created(same);
  await expect(startServer({ seed: { ...seed, users: {} } })).rejects.toMatchObject({
    code: 'CONFIGURATION',
  });
});

test.each([
  [{ faults: ['no.such.rule'] }, /There is no fault no.such.rule/],
  [{ clock: 'tomorrow' }, /Expected a moment for the clock/],
  [{ store: '/no/such/folder/service.db' }, /^Cannot open the store \/no\/such\/folder/],
  [{ store: 'postgres:svc' }, /^Cannot read the address of the store; expected postgres:/],
  [{ faults: ['paging.page-one.hold'] }, /did you mean "paging\.page-one\.holds-the-rest"\?$/],
  [{ faults: 'paging.page-one.holds-the-rest' }, /^Expected a list as faults of startServer, found "paging/],
  [{ fault: [] }, /^startServer has no option "fault"; did you mean "faults"\?$/],
  [{ dialect: 'strnge' }, /^Unknown dialect of startServer: "strnge"; did you mean "strange"\?$/],
  [{ port: 65_536 }, /^Expected a whole number from 0 to 65535 as port of startServer, found 65536\.$/],
  [{ store: 'mysql:svc' }, /^Expected memory, sqlite:FILE or postgres:/],
  [{ port: '80' }, /^Expected a number as port of startServer, found "80"\.$/],
  [{ seed: 'nowhere.yaml' }, /^nowhere\.yaml:1:1: /],
  [null, /^startServer takes its options as a record, found null/],
] as const)('%j is refused', async (options, sentence) => {
  await expect(startServer(options as object)).rejects.toMatchObject({
    message: expect.stringMatching(sentence),
    code: expect.any(String),
  });
});

test('hundreds in one process leave nothing open: no handle, no timer, no file', async () => {
  const leftOpen = await watchOpen();
  const own = new Set<string>();
  for (let batch = 0; batch < 10; batch += 1) {
    const servers = await Promise.all(Array.from({ length: 20 }, () => startServer()));
    expect(new Set(servers.map(({ url }) => url)).size).toBe(20);
    const [first] = servers;
    if (first !== undefined) {
      await created(first);
      const { hostDirectory } = first.profile.bulk ?? {};
      if (hostDirectory !== undefined) own.add(hostDirectory.path);
    }
    await Promise.all(servers.map((server) => server.close()));
  }
  // what cannot begin leaves nothing either
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-api-'));
  const store = join(folder, 'service.db');
  await using other = await startServer();
  await expect(startServer({ store, port: other.port })).rejects.toThrow(/EADDRINUSE/);
  await expect(startServer({ store, clock: 'tomorrow' })).rejects.toThrow(RangeError);
  await other.close();
  expect(readdirSync(folder)).toEqual(['service.db']);
  rmSync(folder, { recursive: true });
  expect(own.size).toBe(10);
  expect([...own].filter((path) => existsSync(path))).toEqual([]);
  expect(await leftOpen()).toEqual([]);
});

/** Starts a server in a process of its own, asks it something, and tells the packages that it loaded. */
const loading = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load: (url, context, next) => {
      packages.add(url.match(/\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*\\/node_modules\\/)/)?.[1]);
      return next(url, context);
    },
  });
  const { startServer } = await import(${JSON.stringify(new URL('server.ts', import.meta.url).href)});
  const server = await startServer();
  await (await fetch(server.url)).bytes();
  await server.close();
  console.log([...packages].join(' '));
`;

test('a first server loads no library that only types are taken from, or that compiles what nobody asks for', () => {
  const node = [process.execPath, ['--input-type=module', '--eval', loading]] as const;
  const packages = execFileSync(...node, { encoding: 'utf8' })
    .trim()
    .split(' ');
  expect(packages).toContain('jose');
  for (const name of [
    'fastify',
    'typebox',
    'pino',
    '@fastify/busboy',
    'ajv',
    'undici',
    'yaml',
    'fast-check',
    '@faker-js/faker',
  ])
    expect(packages).not.toContain(name);
});

test('what else a service is told is held against what there is', async () => {
  await using server = await startServer({ store: 'sqlite::memory:' });
  const wrong = { lifetime: 5 };
  await expect(server.tokens('editor', wrong as object)).rejects.toThrow('did you mean "lifetimeSeconds"?');
  await expect(server.clock.advanceTo('tomorrow')).rejects.toMatchObject({ code: 'OPTION' });
  await expect(server.tokens('nobody')).rejects.toMatchObject({ code: 'OPTION' });
});
