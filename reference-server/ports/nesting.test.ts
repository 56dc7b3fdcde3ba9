import { describe, expect, test } from 'vitest';
import { detach, NestedStoreError } from './store.ts';
import type { Store } from './store.ts';
import { describeStores, withStore } from './stores.fixture.ts';

type Visit = (store: Store, work: () => Promise<unknown>) => Promise<unknown>;

const visits: readonly (readonly [string, Visit])[] = [
  ['read', (store, work) => store.read(work)],
  ['change', (store, work) => store.change(work)],
];
const pairs = visits.flatMap(([outerName, outer]) =>
  visits.map(([innerName, inner]) => [innerName, outerName, inner, outer] as const),
);

const nothing = async (): Promise<void> => undefined;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describeStores(({ open }) => {
  describe.each(pairs)('a %s inside the work of a %s', (innerName, outerName, inner, outer) => {
    test('rejects with what to do, at whatever depth, and leaves the store as it was', () =>
      withStore(open(), async (store) => {
        const nested = outer(store, async () => {
          await turn();
          await inner(store, nothing);
        });
        await expect(nested).rejects.toThrow(NestedStoreError);
        await expect(nested).rejects.toThrow(`store.${innerName}() inside the work of a store.${outerName}()`);
        await expect(inner(store, async () => 'free')).resolves.toBe('free');
      }));

    test('is let through once that work is over, where it is detached, or in another store', () =>
      withStore(open(), (store) =>
        withStore(open(), async (other) => {
          let later: Promise<unknown> = Promise.resolve();
          let beside: Promise<unknown> = Promise.resolve();
          const over = Promise.withResolvers<void>();
          await outer(store, async () => {
            later = over.promise.then(() => inner(store, async () => 'later'));
            beside = detach(() => inner(store, async () => 'beside'));
            await inner(other, nothing);
          });
          over.resolve();
          expect(await Promise.all([later, beside])).toEqual(['later', 'beside']);
        }),
      ));
  });
});
