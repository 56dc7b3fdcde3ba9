import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { envelopeIn, hostKey, onStage, record, type Stage } from './calls-host.fixture.ts';
import { loadConfiguration } from '../load-configuration.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { type Forged, forgedPats, forgedSignatures, forgedTokens } from '../../fixtures/forged-credentials.fixture.ts';

const { auth, users, administrationKey = '' } = loadConfiguration();
const edda = users.get('edda');
const pat = edda?.pat ?? '';
const bulkPath = '/admin/fileupload/main';
const acquirePath = '/api/collection/externalExtension/acquireAccessToken/task';
const filePath = '/api/space/main/fs/file/in/a.txt';

interface Asked {
  readonly status: number;
  readonly body: string;
}

/** One route that a credential may open. */
interface Door {
  readonly what: string;
  ask(header: string): Promise<Asked>;
  readonly right: string;
  readonly opened: number;
  /** Whether it takes the bearer value alone, so that a forged scheme is none there. */
  readonly inQuery?: true;
}

interface Scene {
  readonly stage: Stage;
  readonly doors: readonly Door[];
  readonly jobPath: string;
  readonly source: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const ready = Promise.withResolvers<Scene>();
const over = Promise.withResolvers<void>();
const staged = onStage(async (stage) => {
  ready.resolve(await sceneOn(stage));
  await over.promise;
});
staged.catch(ready.reject);
const scene = await ready.promise;

afterAll(async () => {
  over.resolve();
  await staged;
  agent.destroy();
});

async function sceneOn(stage: Stage): Promise<Scene> {
  const permissions = { tokenCallback: `${stage.hostUrl}/keys`, permissions: ['AdministrationAPI'] };
  await stage.register([record('task', 'ExternalTask', { permissions })]);
  const headers = { authorization: `Bearer ${pat}`, checksum: '5d41402abc4b2a76b9719d911017c592' };
  const uploaded = await fetch(stage.server.url + filePath.replace('/file/', '/file/stream/'), {
    method: 'POST',
    headers,
    body: 'hello',
  });
  expect(uploaded.status).toBe(201);
  const made = await stage.ask('edda', 'POST', '/api/space/main/softtype/Document/documentInput', { title: 't' });
  const oid = made.headers.get('location')?.split('/').at(-1) ?? '';
  const job = await stage.ask('edda', 'POST', '/api/space/main/dx', { recordId: 'task', inputPath: 'in/a.txt' });
  const jobPath = job.headers.get('location') ?? '';
  const { accessToken } = envelopeIn((await stage.calls(1))[0]);
  const source = makeFolder();
  await writeFile(join(source, 'bulk.txt'), 'bulk');
  return {
    stage,
    doors: doorsOn(stage, `/api/space/main/softtype/${oid}`, jobPath, source, accessToken),
    jobPath,
    source,
  };
}

function doorsOn(stage: Stage, object: string, jobPath: string, source: string, token: string): readonly Door[] {
  const at = (method: string, path: string, body?: unknown) => (authorization: string) =>
    asked(stage, method, path, { authorization }, body);
  const right = `Bearer ${token}`;
  return [
    { what: 'a read', ask: at('GET', object), right, opened: 200 },
    { what: 'a download', ask: at('GET', filePath), right, opened: 200 },
    {
      what: 'a download by its query',
      ask: (header) =>
        asked(stage, 'GET', `${filePath}?token=${encodeURIComponent(header.replace(/^Bearer /, ''))}`, {}),
      right,
      opened: 200,
      inQuery: true,
    },
    {
      what: 'bulk upload',
      ask: at('POST', bulkPath, { sourceDirectory: source, writeLog: true, deleteFilesAfterUpload: true }),
      right: `Bearer ${signatureOf(administrationKey, bulkPath)}`,
      opened: 200,
    },
    {
      what: 'an acquisition of keys',
      ask: at('POST', acquirePath, { tokenCallback: `${stage.hostUrl}/keys`, permissions: ['AdministrationAPI'] }),
      right: `Bearer ${signatureOf(hostKey, acquirePath)}`,
      opened: 204,
    },
    { what: 'a report on a task', ask: at('PUT', `${jobPath}/status/Failed`, {}), right, opened: 204 },
  ];
}

function signatureOf(key: string, path: string): string {
  return createHmac('sha512', Buffer.from(key, 'base64')).update(path).digest('base64url');
}

/** Takes header values that `fetch` would not send. */
async function asked(
  stage: Stage,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Asked> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const filter = { 'svc-informationfilter': 'e30=' };
  return new Promise((resolve, reject) => {
    const sent = request(stage.server.url + path, {
      method,
      agent,
      headers: {
        ...filter,
        ...headers,
        ...(content !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(content),
        }),
      },
    });
    sent.on('error', reject);
    sent.on(
      'response',
      (response) =>
        void text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject),
    );
    sent.end(content);
  });
}

/** Every forgery of every credential; those of signatures for the path of each signed route. */
function corpus(): readonly Forged[] {
  const now = Math.floor(Date.now() / 1000);
  const { stage } = scene;
  const token = scene.doors[0]?.right.slice('Bearer '.length) ?? '';
  expect(stage.arrived).toHaveLength(1);
  return [
    ...forgedTokens({
      token,
      key: auth.signingKey,
      otherKeys: [auth.idTokenKey, Buffer.from(administrationKey, 'base64'), Buffer.from(hostKey, 'base64')],
      now,
    }),
    ...forgedPats({ name: 'edda', password: edda?.password ?? '', pat, otherName: 'emil' }),
    ...forgedSignatures({
      key: administrationKey,
      path: bulkPath,
      otherKeys: [hostKey, auth.signingKey.toString('base64')],
    }),
    ...forgedSignatures({
      key: hostKey,
      path: acquirePath,
      otherKeys: [administrationKey, auth.signingKey.toString('base64')],
    }),
  ];
}

test('no forged credential opens anything, and the right one opens', async () => {
  const forged = corpus();
  expect(new Set(forged.map(({ header }) => header)).size).toBeGreaterThan(400);
  const opened: string[] = [];
  const askAll = async (door: Door): Promise<void> => {
    for (const { note, header } of forged) {
      if (door.inQuery && !header.startsWith('Bearer ')) continue;
      const { status, body } = await door.ask(header);
      const isRefused = (status === 401 || status === 403) && body.includes(`"status":${status}`);
      if (!isRefused) opened.push(`${door.what}: ${status} for ${note}: ${header.slice(0, 120)}`);
    }
  };
  await Promise.all(scene.doors.map(askAll));
  expect(opened).toEqual([]);
  await expectUntouched();
  for (const { what, ask, right, opened: status } of scene.doors)
    expect([what, (await ask(right)).status]).toEqual([what, status]);
  expect((await readdir(scene.source)).map((name) => name.replace(/\d+/, ''))).toEqual(['FileUpload_.log']);
});

async function expectUntouched(): Promise<void> {
  const { stage, jobPath, source } = scene;
  expect(await readdir(source)).toEqual(['bulk.txt']);
  expect(stage.arrived).toHaveLength(1);
  expect(await (await stage.ask('edda', 'GET', jobPath)).json()).toMatchObject({ state: 'Running' });
  expect((await stage.ask('edda', 'GET', '/api/space/main/fs/file/bulk.txt')).status).toBe(404);
}
