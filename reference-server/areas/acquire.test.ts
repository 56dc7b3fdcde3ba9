import { describe, expect, test } from 'vitest';
import { onStage, record } from './calls-host.fixture.ts';
import { allKeptKeys, type KeptKeys } from './api-keys.ts';
import { callbackPath, inScene, pathOf, signatureOver, withPermissions, type Scene } from './scene.fixture.ts';

async function registerTrusted(scene: Scene, id: string, permissions?: object): Promise<void> {
  const headers = [{ name: 'content-type', value: 'application/json' }];
  const endpoint = { id, url: `${scene.hostUrl}/hook`, method: 'POST', category: 'c', headers, tokenLifeTime: 5 };
  const made = await scene.ask('cora', 'POST', '/api/admin/trustedExternalEndpoint', {
    ...endpoint,
    ...(permissions && { permissions }),
  });
  expect(made.status).toBe(201);
}

describe('keys that are asked for', () => {
  test('are found by the id of the record, of the registration, and of a trusted endpoint', () =>
    inScene(async (scene) => {
      const registration = await scene.register([
        withPermissions(scene, 'one', ['SnapshotAPI'], '/other'),
        withPermissions(scene, 'two', ['AdministrationAPI']),
      ]);
      await registerTrusted(scene, 'trusted', { tokenCallback: scene.callback, permissions: ['SnapshotAPI'] });
      await registerTrusted(scene, 'bare');
      await registerTrusted(scene, 'half', { permissions: ['SnapshotAPI'] });
      expect(await scene.acquire('two', ['AdministrationAPI'])).toBe(204);
      expect(await scene.acquire(registration, ['AdministrationAPI'])).toBe(204);
      expect(await scene.acquire(registration, ['SnapshotAPI'])).toBe(403);
      expect(await scene.acquire('one', ['AdministrationAPI'])).toBe(403);
      expect(await scene.acquire('trusted', ['SnapshotAPI'])).toBe(204);
      expect(scene.arrived.at(-1)?.headers['authorization']).toBeUndefined();
      expect(await scene.acquire('bare', ['SnapshotAPI'])).toBe(403);
      expect(await scene.acquire('half', ['SnapshotAPI'])).toBe(403);
      expect(await scene.acquire('nobody', ['SnapshotAPI'])).toBe(404);
      const [one = {}, other = {}] = scene.brought();
      expect(one).toEqual(other);
      expect(scene.arrived).toHaveLength(3);
    }));

  test.each([
    ['/permissions', { permissions: undefined }],
    ['/permissions', { permissions: [] }],
    ['/permissions/1', { permissions: ['SnapshotAPI', 1] }],
    ['/tokenCallback', { tokenCallback: undefined }],
    ['/tokenCallback', { tokenCallback: '' }],
    ['/tokenCallback', { tokenCallback: null }],
  ])('need a proper body: %s %j', (pointer, change) =>
    inScene(async (scene) => {
      await scene.register([withPermissions(scene, 'one', ['SnapshotAPI'])]);
      const body = { tokenCallback: scene.callback, permissions: ['SnapshotAPI'], ...change };
      const answer = await scene.ask('cora', 'POST', pathOf('one'), body);
      expect([answer.status, await answer.json()]).toMatchObject([422, { pointer }]);
      expect(scene.arrived).toEqual([]);
    }),
  );

  test('are not issued to a registration that is switched off, nor to a callback without host', () =>
    inScene(async (scene) => {
      await scene.register([withPermissions(scene, 'off', ['SnapshotAPI'])], { active: false });
      await scene.register([
        record('bare', 'Email', { permissions: { tokenCallback: '/keys', permissions: ['SnapshotAPI'] } }),
      ]);
      expect(await scene.acquire('off', ['SnapshotAPI'])).toBe(403);
      expect(await scene.acquire('bare', ['SnapshotAPI'], { tokenCallback: '/keys' })).toBe(422);
      expect(await scene.store.read(allKeptKeys)).toEqual([]);
    }));
});

describe('who asks', () => {
  test.each([
    ['no credential', undefined, 401],
    ['a member of a space', 'Bearer svcpat-edda-7d1c0b9e5a', 403],
    ['the signature of the path', `Bearer ${signatureOver(pathOf('one'))}`, 204],
    ['that of another path', `Bearer ${signatureOver(pathOf('two'))}`, 401],
    ['that of another key', `Bearer ${signatureOver(pathOf('one'), Buffer.alloc(64, 4).toString('base64'))}`, 401],
  ])('with %s', (_what, authorization, status) =>
    inScene(async (scene) => {
      await scene.register([withPermissions(scene, 'one', ['SnapshotAPI'])]);
      const answer = await fetch(scene.server.url + pathOf('one'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
        body: JSON.stringify({ tokenCallback: scene.callback, permissions: ['SnapshotAPI'] }),
      });
      expect(answer.status).toBe(status);
      expect(scene.arrived).toHaveLength(status === 204 ? 1 : 0);
    }),
  );
});

describe('the key of a period', () => {
  const period = 24 * 60 * 60 * 1000;

  test('is the same until 24 hours have passed, then another', () =>
    inScene(async (scene) => {
      await scene.register([withPermissions(scene, 'one', ['AdministrationAPI'])]);
      for (const delayMs of [0, period - 1, 1]) {
        await scene.clock.advanceBy(delayMs);
        expect(await scene.acquire('one', ['AdministrationAPI'])).toBe(204);
      }
      const [first, last, next] = scene.brought();
      expect(last).toEqual(first);
      expect(next).not.toEqual(first);
    }));

  test('is in no line of the log, and in no answer of the registration', async () => {
    const lines: string[] = [];
    await onStage(
      async (stage) => {
        const tokenCallback = stage.hostUrl + callbackPath;
        const id = await stage.register([
          record('one', 'Email', { permissions: { tokenCallback, permissions: ['AdministrationAPI'] } }),
        ]);
        for (const status of [200, 500]) {
          stage.answer = () => ({ status });
          await stage.ask('cora', 'POST', pathOf('one'), { tokenCallback, permissions: ['AdministrationAPI'] });
        }
        const key = JSON.parse(stage.arrived[0]?.body ?? '').AdministrationAPI.apiKey;
        const read = await (await stage.ask('cora', 'GET', `/api/admin/svcExtension/${id}`)).text();
        expect(lines.length).toBeGreaterThan(0);
        expect(lines.join('') + read).not.toContain(key);
      },
      { log: { level: 'info', destination: { write: (line) => void lines.push(line) } } },
    );
  });
});

describe('a callback that fails', () => {
  test.each([500, 404, 302])('with %i gets one attempt, and issues nothing', (status) =>
    inScene(async (scene) => {
      await scene.register([withPermissions(scene, 'one', ['SnapshotAPI'])]);
      scene.answer = () => ({ status });
      expect(await scene.acquire('one', ['SnapshotAPI'])).toBe(502);
      expect(scene.arrived).toHaveLength(1);
      expect(await scene.store.read(allKeptKeys)).toEqual([]);
      scene.answer = () => ({ status: 202 });
      expect(await scene.acquire('one', ['SnapshotAPI'])).toBe(204);
      const [lost, kept] = scene.brought();
      expect(kept).not.toEqual(lost);
    }),
  );

  /** Two acquisitions at once, the first of which makes the key; `ends` says how their callbacks end, in that order. */
  async function both(
    scene: Scene,
    ends: readonly [readonly [0 | 1, number], readonly [0 | 1, number]],
    between: (keys: readonly KeptKeys[]) => void,
  ): Promise<readonly KeptKeys[]> {
    await scene.register([withPermissions(scene, 'one', ['SnapshotAPI'])]);
    const callbacks = [Promise.withResolvers<{ status: number }>(), Promise.withResolvers<{ status: number }>()];
    scene.answer = () => callbacks[scene.arrived.length - 1]?.promise ?? { status: 500 };
    const asked = [scene.acquire('one', ['SnapshotAPI'])];
    await expect.poll(() => scene.arrived.length).toBe(1);
    asked.push(scene.acquire('one', ['SnapshotAPI']));
    await expect.poll(() => scene.arrived.length).toBe(2);
    for (const [which, status] of ends) {
      callbacks[which]?.resolve({ status });
      expect(await asked[which]).toBe(status === 200 ? 204 : 502);
      if (which === ends[0][0]) between(await scene.store.read(allKeptKeys));
    }
    const [one, other] = scene.brought();
    expect(one).toEqual(other);
    return scene.store.read(allKeptKeys);
  }

  test.each([
    [
      [
        [0, 500],
        [1, 200],
      ],
      0,
    ],
    [
      [
        [0, 200],
        [1, 500],
      ],
      1,
    ],
    [
      [
        [1, 200],
        [0, 500],
      ],
      1,
    ],
    [
      [
        [1, 500],
        [0, 200],
      ],
      1,
    ],
  ] as const)('beside one that works leaves the key that both were for: %j', (ends, keysBetween) =>
    inScene(async (scene) => {
      const kept = await both(scene, ends, (keys) => expect(keys).toHaveLength(keysBetween));
      expect(kept).toMatchObject([{ keys: [{ key: scene.brought()[0]?.['SnapshotAPI']?.apiKey, brought: true }] }]);
    }),
  );

  test('beside another that fails leaves nothing', () =>
    inScene(async (scene) => {
      expect(
        await both(
          scene,
          [
            [1, 500],
            [0, 500],
          ],
          (keys) => expect(keys).toHaveLength(1),
        ),
      ).toEqual([]);
    }));
});
