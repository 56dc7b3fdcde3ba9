import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { permissionNames } from '../../contract/names.ts';
import { hostKey, onStage, record, type Stage } from './calls-host.fixture.ts';
import { controlledClock, type ControlledClock } from '../../clock/controlled.ts';
import { loadConfiguration } from '../load-configuration.ts';
import { createServer } from '../server.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { administrationKey, bulkSignature, onBulkStage } from './host.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

const path = '/admin/fileupload/main';
const hourMs = 60 * 60 * 1000;

interface Scene extends Stage {
  readonly clock: ControlledClock;
  readonly registration: string;
  /** Keys by permission, as the callback brings them. */
  acquire(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** A bulk upload under a key; resolves with the status. */
  upload(key: string | undefined): Promise<number>;
}

async function withKeys(work: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = controlledClock({ startAt: Date.UTC(2030, 0, 1) });
  const source = makeFolder();
  await writeFile(join(source, 'a.txt'), 'a');
  await onStage(async (stage) => work(await sceneOn(stage, clock, source)), { clock, administrationKey });
}

async function sceneOn(stage: Stage, clock: ControlledClock, source: string): Promise<Scene> {
  const tokenCallback = `${stage.hostUrl}/keys`;
  const registration = await stage.register([
    record('one', 'Email', { permissions: { tokenCallback, permissions: permissionNames } }),
  ]);
  const acquire: Scene['acquire'] = async (permissions) => {
    const route = '/api/collection/externalExtension/acquireAccessToken/one';
    expect((await stage.ask('cora', 'POST', route, { tokenCallback, permissions })).status).toBe(204);
    const keys = JSON.parse(stage.arrived.at(-1)?.body ?? '') as Readonly<Record<string, { readonly apiKey: string }>>;
    return Object.fromEntries(Object.entries(keys).map(([name, { apiKey }]) => [name, apiKey]));
  };
  const upload: Scene['upload'] = async (key = '') =>
    (
      await stage.ask(
        '',
        'POST',
        path,
        { sourceDirectory: source, writeLog: false },
        { authorization: `Bearer ${bulkSignature(path, key)}` },
      )
    ).status;
  return Object.assign(stage, { clock, registration, acquire, upload });
}

describe('a key that was acquired', () => {
  test('opens it for 24 hours and 5 minutes, the next one from its issue on', () =>
    withKeys(async ({ acquire, upload, clock }) => {
      const { AdministrationAPI: first } = await acquire(['AdministrationAPI']);
      await clock.advanceBy(24 * hourMs);
      expect(await upload(first)).toBe(200);
      const { AdministrationAPI: next } = await acquire(['AdministrationAPI']);
      expect([await upload(first), await upload(next)]).toEqual([200, 200]);
      await clock.advanceBy(5 * 60_000 - 1);
      expect(await upload(first)).toBe(200);
      await clock.advanceBy(1);
      expect([await upload(first), await upload(next)]).toEqual([401, 200]);
    }));

  test('opens it already when the callback has it', () =>
    withKeys(async (scene) => {
      const used: Promise<number>[] = [];
      scene.answer = async ({ body }) => {
        used.push(scene.upload(JSON.parse(body).AdministrationAPI.apiKey));
        return { status: (await used[0]?.then(() => 200)) ?? 500 };
      };
      await scene.acquire(['AdministrationAPI']);
      expect(await used[0]).toBe(200);
    }));

  test('opens nothing while its registration is off, or lacks the permission, or when it is gone', () =>
    withKeys(async ({ acquire, upload, ask, register, registration, hostUrl }) => {
      const { AdministrationAPI } = await acquire(['AdministrationAPI']);
      const fields = { hostUri: hostUrl, apiKey: hostKey, tokenLifeTime: 5 };
      const put = async (more: object): Promise<number> =>
        (await ask('cora', 'PUT', `/api/admin/svcExtension/${registration}`, { ...fields, ...more })).status;
      await put({ active: false });
      expect(await upload(AdministrationAPI)).toBe(401);
      await put({ active: true });
      expect(await upload(AdministrationAPI)).toBe(200);
      const tokenCallback = `${hostUrl}/keys`;
      const other = await register([
        record('one', 'Email', { permissions: { tokenCallback, permissions: ['SnapshotAPI'] } }),
      ]);
      await put({});
      expect(await upload(AdministrationAPI)).toBe(401);
      await register([record('one', 'Email', { permissions: { tokenCallback, permissions: permissionNames } })]);
      await put({});
      expect(await upload(AdministrationAPI)).toBe(200);
      expect((await ask('cora', 'DELETE', `/api/admin/svcExtension/${registration}`)).status).toBe(204);
      expect(await upload(AdministrationAPI)).toBe(401);
      expect(other).not.toBe(registration);
    }));

  test('is still one after a restart', async () => {
    const folder = makeFolder();
    const file = join(folder, 'store.db');
    const store = openSqliteStore(file);
    const keys: string[] = [];
    await onStage(
      async (stage) => {
        const { acquire } = await sceneOn(stage, controlledClock({ startAt: 0 }), folder);
        keys.push(...Object.values(await acquire(['AdministrationAPI'])));
      },
      { store },
    );
    await store.close();
    const again = openSqliteStore(file);
    await onBulkStage(
      async ({ upload }) => {
        const right = { authorization: `Bearer ${bulkSignature(path, keys[0])}` };
        expect((await upload(path, {}, right)).status).toBe(200);
      },
      { store: again },
    );
    await again.close();
  });
});

describe('bulk upload', () => {
  test('opens to the key that the server was started with, and no more to that of its configuration', () =>
    onBulkStage(async ({ upload }) => {
      const bundled = { authorization: `Bearer ${bulkSignature(path, loadConfiguration().administrationKey)}` };
      expect((await upload(path)).status).toBe(200);
      expect((await upload(path, {}, bundled)).status).toBe(401);
    }));

  test('opens to nobody where no key is configured', () =>
    onBulkStage(async ({ source }) => {
      const { administrationKey: _key, ...configuration } = loadConfiguration();
      const bare = createServer({ configuration });
      const url = await bare.listen();
      const headers = { authorization: `Bearer ${bulkSignature(path, '')}`, 'content-type': 'application/json' };
      const answer = await fetch(url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ sourceDirectory: source, writeLog: false }),
      });
      expect(answer.status).toBe(401);
      await bare.close();
    }));

  test('signs its path as it is sent, without the query', () =>
    onBulkStage(async ({ upload }) => {
      const signed = (over: string) => ({ authorization: `Bearer ${bulkSignature(over)}` });
      expect((await upload(`${path}?a=b`, {}, signed(path))).status).toBe(200);
      expect((await upload(`${path}?a=b`, {}, signed(`${path}?a=b`))).status).toBe(401);
      expect((await upload('/admin/fileupload/m%61in', {}, signed('/admin/fileupload/m%61in'))).status).toBe(200);
      expect((await upload('/admin/fileupload/m%61in', {}, signed(path))).status).toBe(401);
      expect((await upload(`/api${path}`, {}, signed(`/api${path}`))).status).toBe(404);
    }));
});

test.each([
  ['', /found 0 bytes/],
  [Buffer.alloc(15).toString('base64'), /found 15 bytes/],
  ['no Base64 at all!', /found no Base64/],
  [Buffer.alloc(16).toString('base64').slice(0, -1), /found no Base64/],
])('a server does not start with the key %j', (key, complaint) => {
  expect(() => createServer({ administrationKey: key })).toThrow(complaint);
});

test('a key of 16 bytes is long enough', async () => {
  const server = createServer({ administrationKey: Buffer.alloc(16).toString('base64') });
  await server.close();
});
