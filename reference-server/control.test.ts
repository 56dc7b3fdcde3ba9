import fc from 'fast-check';
import { request as send } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { longestTokenSeconds, mostSeedObjects } from '../contract/control/service.ts';
import { createVariant, type VariantOptions } from '../variants/create-variant.ts';
import { openSqliteStore } from './ports/sqlite.ts';
import type { Server } from './server.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';

const folder = makeFolder();

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // whatever the route under test answers
  readonly body: Record<string, never>;
}

interface Controlled {
  readonly server: Server;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Reply>;
  /** A request to the service itself, by its editor unless another credential is given. */
  serve(method: string, path: string, body?: unknown, bearer?: string): Promise<Reply>;
}

const editor = 'svcpat-edda-7d1c0b9e5a';

async function started(options: VariantOptions): Promise<Controlled> {
  const server = createVariant({ control: true, ...options });
  await server.listen();
  const sent = async (method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Reply> => {
    const written = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body: written }) });
    const read = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(read) : { text: read } };
  };
  return {
    server,
    ask: (method, path, body, token = server.controlToken) =>
      sent(method, `/_control/${path}`, body, { authorization: `Bearer ${token}` }),
    serve: (method, path, body, bearer = editor) =>
      sent(method, path, body, {
        authorization: `Bearer ${bearer}`,
        'svc-informationfilter': btoa('{}'),
        'content-type': 'application/json',
      }),
  };
}

async function withServer(options: VariantOptions, work: (controlled: Controlled) => Promise<void>): Promise<void> {
  const controlled = await started(options);
  try {
    await work(controlled);
  } finally {
    await controlled.server.close();
  }
}

/** For what needs no server of its own. */
const shared = await started({});
afterAll(() => shared.server.close());

const documents = '/api/space/main/softtype/Document/documentInput';

describe('who may use the control routes', () => {
  test('those who know the token', () =>
    withServer({}, async ({ ask, server }) => {
      expect(await ask('GET', 'faults', undefined, 'wrong')).toMatchObject({
        status: 401,
        body: { detail: 'Expected the control token as bearer token, found another credential.' },
      });
      const bare = await fetch(`${server.url}/_control/faults`);
      expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="control"']);
      expect(await bare.json()).toMatchObject({
        detail: 'Expected the control token as bearer token, found no Authorization header.',
      });
      expect((await fetch(`${server.url}/_control/openapi.json`)).status).toBe(200);
    }));

  test('a token that is given opens them and stands in no profile', () =>
    withServer({ controlToken: 'sixteen-or-more!' }, async ({ ask, server }) => {
      expect(server.controlToken).toBe('sixteen-or-more!');
      expect((await ask('GET', 'clock')).status).toBe(200);
      const profile = String((await ask('GET', 'profile.yaml')).body['text']);
      expect(profile).not.toContain('sixteen-or-more!');
      expect(profile.match(/"token":"\$\{SVC_CONTROL_TOKEN\}"/g)).toHaveLength(3);
    }));

  test.each(['fifteen-letters', 'sixteen letters!', 'sixteen-lettërs!'])('a token %j is refused', (controlToken) => {
    expect(() => createVariant({ control: true, controlToken })).toThrow(/Expected a control token of 16 or more/);
  });

  test('a page whose name leads here, or somebody who hands on, does not get the token with the profile', () =>
    withServer({}, async ({ server }) => {
      const statusOf = (headers: Readonly<Record<string, string>>): Promise<number> =>
        new Promise((resolve, reject) => {
          send(`${server.url}/_control/profile.yaml`, { headers }, (answer) =>
            text(answer).then(() => resolve(answer.statusCode ?? 0), reject),
          )
            .on('error', reject)
            .end();
        });
      for (const host of ['localhost', 'server.localhost:1', '127.0.0.1', '[::1]:80'])
        expect(await statusOf({ host })).toBe(200);
      for (const headers of [
        { host: 'evil.example' },
        { host: `127.0.0.1.evil.example:${server.port}` },
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'x-forwarded-for': '192.0.2.1' },
        { via: '1.1 proxy' },
      ])
        expect([headers, await statusOf(headers)]).toEqual([headers, 401]);
    }));

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal);

  test.skipIf(outside === undefined)('this machine only, unless others were asked for', async () => {
    for (const [control, statuses] of [
      [true, [403, 403, 403]],
      ['any', [401, 200, 401]],
    ] as const) {
      const server = createVariant({ control });
      await server.listen({ host: '0.0.0.0' });
      const from = (path: string, address: string): Promise<number> =>
        new Promise((resolve, reject) => {
          send(`http://${address}:${server.port}/_control/${path}`, (answer) =>
            text(answer).then(() => resolve(answer.statusCode ?? 0), reject),
          )
            .on('error', reject)
            .end();
        });
      const address = outside?.address ?? '';
      const seen = [
        await from('faults', address),
        await from('openapi.json', address),
        await from('profile.yaml', address),
      ];
      expect(seen).toEqual(statuses);
      expect(await from('profile.yaml', '127.0.0.1')).toBe(200);
      await server.close();
    }
  });
});

describe('orders that are not as described', () => {
  test.each([
    ['GET', 'clock?x=1', undefined, 'Unknown query parameter "x"; this route takes none.', 'x'],
    [
      'GET',
      'log?corelationId=1',
      undefined,
      'Unknown query parameter "corelationId"; did you mean "correlationId"?',
      'corelationId',
    ],
    [
      'GET',
      'log?correlationId=1&correlationId=2',
      undefined,
      'Expected correlationId once in the query, found it 2 times.',
      'correlationId',
    ],
    ['POST', 'reset', '{}', 'Expected no body, as POST /_control/reset takes none.', ''],
    ['POST', 'clock', '', 'Expected a body as {"by":60000}, found none.', ''],
    ['POST', 'clock', '[]', 'The body must be a mapping, found [].', ''],
    ['POST', 'clock', '{"by":1,"run":true}', 'Expected one of by, to, next and run, found by and run.', ''],
    ['POST', 'clock', '{"bye":1}', 'Unknown key "bye" in the body; did you mean "by"?', '/bye'],
    ['POST', 'clock', '{"by":-1}', 'By must be 0 or more, found -1.', '/by'],
    ['POST', 'clock', '{"by":"1"}', /./, '/by'],
    ['POST', 'clock', '{"next":false}', /./, '/next'],
    ['POST', 'clock', '{"held":-1}', /./, '/held'],
    ['POST', 'clock', '{"by":1', /^Expected a body of JSON: .* at line 1, column 8\./, ''],
    [
      'PUT',
      'faults',
      '{"faults":["paging.page-one.holds-the-rst"]}',
      'Expected rules that this server can break, found "paging.page-one.holds-the-rst"; did you mean "paging.page-one.holds-the-rest"?',
      '/faults/0',
    ],
    [
      'POST',
      'tokens',
      '{"identity":"editer"}',
      'Expected an identity of the profile or a user, found "editer"; did you mean "editor"?',
      '/identity',
    ],
    ['POST', 'tokens', '{"identity":"nobody"}', /found "nobody"; known are editor, .*, cora\.$/, '/identity'],
    [
      'PUT',
      'faults',
      '{"faults":["nothing-like-it"]}',
      'Expected rules that this server can break, found "nothing-like-it".',
      '/faults/0',
    ],
    ['POST', 'tokens', '{"identity":"editor","kind":"expird"}', /did you mean "expired"\?$/, '/kind'],
  ])('%s %s %j', async (method, path, body, detail, pointer) => {
    const reply = await shared.ask(method, path, body);
    expect(reply).toMatchObject({ status: 400, body: { status: 400, pointer } });
    expect(reply.body['detail']).toMatch(detail);
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});

describe('reset', () => {
  test.each([
    ['in memory', {}],
    ['on disk', { store: openSqliteStore(join(folder, 'one.db')), files: join(folder, 'files') }],
  ])('takes everything back that was made, %s, and keeps the connection of whoever asks again', (_, options) =>
    withServer({ ...options, faults: ['reading.create.status-201'] }, async ({ ask, serve, server }) => {
      const href = (await serve('POST', documents, { title: 'a' })).headers.get('location') ?? '';
      const file = '/api/space/main/fs/file/stream/one.txt';
      const checksum = '0cc175b9c0f1b6a831c399e269772661';
      const headers = { authorization: `Bearer ${editor}`, checksum, 'content-type': 'text/plain' };
      const upload = async (): Promise<number> =>
        (await fetch(server.url + file, { method: 'POST', headers, body: 'a' })).status;
      const first = await upload();
      expect(first).toBeLessThan(300);
      expect(await upload()).toBeGreaterThanOrEqual(400);
      expect((await serve('GET', href)).status).toBe(200);
      await ask('PUT', 'faults', { faults: ['control'] });
      const { now } = (await ask('POST', 'clock', { by: 86_400_000 })).body;
      expect((await ask('POST', 'reset')).status).toBe(204);
      expect((await serve('GET', href)).status).toBe(404);
      expect(await upload()).toBe(first);
      const clock = (await ask('GET', 'clock')).body;
      expect(clock).toMatchObject({ running: true });
      expect(Number(now) - Number(clock['now'])).toBeGreaterThan(80_000_000);
      expect((await ask('GET', 'faults')).body).toMatchObject({ set: ['reading.create.status-201'] });
      expect(String((await ask('GET', 'log')).body['text'])).not.toContain('86400');
    }),
  );

  test('is not asked for twice at once', () =>
    withServer({}, async ({ ask }) => {
      const statuses = (await Promise.all([ask('POST', 'reset'), ask('POST', 'reset')])).map(({ status }) => status);
      expect(statuses.toSorted()).toSatisfy(([one, other]) => one === 204 && [204, 409].includes(other));
      expect((await ask('POST', 'reset')).status).toBe(204);
    }));

  test('lets requests wait that come meanwhile, and answers all of them', () =>
    withServer({}, async ({ ask, serve }) => {
      const answers = await Promise.all([
        ask('POST', 'reset'),
        ...Array.from({ length: 20 }, () => serve('POST', documents, { title: 'b' })),
      ]);
      expect(new Set(answers.slice(1).map(({ status }) => status))).toEqual(new Set([201]));
    }));

  test('is there for whoever runs the server in the same process', () =>
    withServer({}, async ({ server, serve }) => {
      const href = (await serve('POST', documents, { title: 'a' })).headers.get('location') ?? '';
      await server.reset();
      expect((await serve('GET', href)).status).toBe(404);
    }));
});

describe('faults', () => {
  test('are listed, set and cleared while the server runs, over the same data', () =>
    withServer({}, async ({ ask, serve }) => {
      const { body } = await ask('GET', 'faults');
      expect(body).toMatchObject({ set: [], known: expect.arrayContaining(['reading.create.status-201']) });
      const href = (await serve('POST', documents, { title: 'kept' })).headers.get('location') ?? '';
      expect((await ask('PUT', 'faults', { faults: ['reading.create.status-201'] })).body).toMatchObject({
        set: ['reading.create.status-201'],
      });
      expect((await serve('POST', documents, { title: 'b' })).status).not.toBe(201);
      expect((await ask('DELETE', 'faults')).body).toMatchObject({ set: [] });
      expect((await serve('POST', documents, { title: 'c' })).status).toBe(201);
      expect((await serve('GET', href)).body).toMatchObject({ data: { title: 'kept' } });
    }));

  test('a request with one that is not known changes nothing', () =>
    withServer({ faults: ['reading.create.status-201'] }, async ({ ask }) => {
      expect((await ask('PUT', 'faults', { faults: ['control', 'nope'] })).status).toBe(400);
      expect((await ask('GET', 'faults')).body).toMatchObject({ set: ['reading.create.status-201'] });
      const most = Array.from({ length: 100 }, () => 'control');
      expect((await ask('PUT', 'faults', { faults: most })).body).toMatchObject({ set: ['control'] });
      expect((await ask('PUT', 'faults', { faults: [...most, 'control'] })).status).toBe(400);
    }));
});

describe('the clock', () => {
  test('runs on from where it stands when it is told to', () =>
    withServer({}, async ({ ask }) => {
      const { now } = (await ask('POST', 'clock', { by: 3_600_000 })).body;
      expect((await ask('GET', 'clock')).body).toMatchObject({ now, running: false });
      expect((await ask('POST', 'clock', { run: true })).body).toMatchObject({ running: true, fired: [] });
      await expect.poll(async () => Number((await ask('GET', 'clock')).body['now'])).toBeGreaterThan(Number(now));
      const stopped = (await ask('POST', 'clock', { run: false })).body;
      expect(stopped).toMatchObject({ running: false });
      expect(Number(stopped['now']) - Date.now()).toBeGreaterThan(3_500_000);
      expect((await ask('POST', 'clock', { to: Number(stopped['now']) })).status).toBe(200);
      expect((await ask('POST', 'clock', { to: Number(stopped['now']) - 1 })).status).toBe(400);
    }));
});

describe('tokens', () => {
  const reads = (serve: Controlled['serve'], token: string): Promise<number> =>
    serve('GET', '/api/space/main/instances/Document', undefined, token).then(({ status }) => status);

  test.each([
    ['editor', {}, 'edda', 200],
    ['rita', {}, 'rita', 200],
    ['outsider', {}, 'otto', 403],
    ['editor', { kind: 'valid', lifetimeSeconds: 1 }, 'edda', 200],
    ['editor', { kind: 'valid', lifetimeSeconds: longestTokenSeconds }, 'edda', 200],
    ['editor', { kind: 'expired' }, 'edda', 401],
    ['editor', { kind: 'not-yet-valid' }, 'edda', 401],
    ['editor', { kind: 'foreign' }, 'edda', 401],
    ['editor', { kind: 'unknown-user' }, /^nobody-/, 401],
  ])('of %s with %j names %s and gets %i', async (identity, more, user, status) => {
    const { ask, serve } = shared;
    // a token of a second must not run out before it is used
    await ask('POST', 'clock', { by: 0 });
    const answer = await ask('POST', 'tokens', { identity, ...more });
    expect(answer).toMatchObject({ status: 201, body: { user: expect.stringMatching(user) } });
    expect(await reads(serve, String(answer.body['accessToken']))).toBe(status);
  });

  test('live as long as was asked for, and not a second longer', () =>
    withServer({}, async ({ ask, serve }) => {
      await ask('POST', 'clock', { by: 0 });
      const { accessToken, expiresAt } = (await ask('POST', 'tokens', { identity: 'editor', lifetimeSeconds: 60 }))
        .body;
      await ask('POST', 'clock', { to: Number(expiresAt) * 1000 - 1 });
      expect(await reads(serve, String(accessToken))).toBe(200);
      await ask('POST', 'clock', { by: 1 });
      expect(await reads(serve, String(accessToken))).toBe(401);
    }));

  test.each([0, longestTokenSeconds + 1, 1.5])('of %d seconds are not issued', async (lifetimeSeconds) => {
    expect((await shared.ask('POST', 'tokens', { identity: 'editor', lifetimeSeconds })).status).toBe(400);
  });
});

describe('a seed', () => {
  const seed = (objects: readonly object[], more: object = {}): object => ({ objects, ...more });

  test('puts objects where they are asked for, with arrays, references and versions', () =>
    withServer({ faults: ['reading.create.status-201'] }, async ({ ask, serve }) => {
      const files = Array.from({ length: 12 }, (_, index) => ({ name: `file ${index}` }));
      const made = await ask(
        'POST',
        'seed',
        seed([
          { $id: 'doc-1', $softType: 'Document', data: { title: 'First', files }, version: 7 },
          { $softType: 'Document', data: { title: 'Second' } },
        ]),
      );
      expect(made).toMatchObject({ status: 201, body: { objects: [{ $oid: 'doc-1', version: 7 }, { version: 1 }] } });
      const read = await serve('GET', '/api/space/main/softtype/doc-1');
      expect(read.body).toMatchObject({ version: 7, data: { $oid: 'doc-1', $version: 7, title: 'First' } });
      expect(read.body['links']).toContainEqual(expect.objectContaining({ rel: 'page', totalNumber: 12 }));
    }));

  test('is taken whole or not at all', () =>
    withServer({}, async ({ ask, serve }) => {
      const one = { $id: 'one', $softType: 'Document', data: { title: 'x' } };
      const refused = await ask('POST', 'seed', seed([one, { $softType: 'Document', data: { titel: 'y' } }]));
      expect(refused).toMatchObject({ status: 422, body: { pointer: expect.stringMatching(/^\/objects\/1\/data/) } });
      expect((await serve('GET', '/api/space/main/softtype/one')).status).toBe(404);
      expect((await ask('POST', 'seed', seed([one]))).status).toBe(201);
      expect(await ask('POST', 'seed', seed([one]))).toMatchObject({
        status: 409,
        body: { pointer: '/objects/0/$id' },
      });
      expect(await ask('POST', 'seed', seed([one], { space: 'nowhere' }))).toMatchObject({ status: 404 });
      expect(await ask('POST', 'seed', seed([{ $softType: 'Dcument' }]))).toMatchObject({ status: 422 });
    }));

  test('makes up what an object has to hold where it says nothing: readable, and the same each time', () =>
    withServer({}, async ({ ask, serve }) => {
      const titles = async (): Promise<readonly string[]> => {
        const objects = ['one', 'two'].map(($id) => ({ $id, $softType: 'Document' }));
        expect((await ask('POST', 'seed', seed(objects))).status).toBe(201);
        const read = await Promise.all(['one', 'two'].map((id) => serve('GET', `/api/space/main/softtype/${id}`)));
        return read.map(({ body }) => String(Object(body['data'])['title']));
      };
      const first = await titles();
      for (const title of first) expect(title).toMatch(/^\p{Lu}[\p{L} -]+ \p{L}+$/u);
      expect(new Set(first).size).toBe(2);
      await ask('POST', 'reset');
      expect(await titles()).toEqual(first);
      expect((await ask('POST', 'seed', seed([{ $softType: 'Document', data: {} }]))).status).toBe(422);
    }));

  test('has room for as many objects as are announced, and no more', () =>
    withServer({}, async ({ ask }) => {
      const many = Array.from({ length: mostSeedObjects }, () => ({ $softType: 'Document', data: { title: 'x' } }));
      expect((await ask('POST', 'seed', seed([...many, many[0] ?? {}]))).status).toBe(400);
      expect((await ask('POST', 'seed', seed(many))).body['objects']).toHaveLength(mostSeedObjects);
      expect((await ask('POST', 'seed', seed([]))).status).toBe(400);
    }));

  test('whatever identifiers and versions it holds, the service shows them', () =>
    withServer({}, async ({ ask, serve }) => {
      const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(id, { minLength: 1, maxLength: 5 }),
          fc.integer({ min: 1, max: 1_000_000 }),
          async (ids, version) => {
            await ask('POST', 'reset');
            const objects = ids.map(($id) => ({ $id, $softType: 'Document', data: { title: $id }, version }));
            expect((await ask('POST', 'seed', seed(objects))).status).toBe(201);
            for (const $id of ids)
              expect((await serve('GET', `/api/space/main/softtype/${$id}`)).body).toMatchObject({
                version,
                data: { $oid: $id, title: $id },
              });
          },
        ),
        { numRuns: 15 },
      );
    }));
});
