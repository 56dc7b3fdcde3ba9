import { describe, expect, test } from 'vitest';
import { allKeptKeys, type KeptKeys } from './api-keys.ts';
import { inScene, withPermissions, type Scene } from './scene.fixture.ts';

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
