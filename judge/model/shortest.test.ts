import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findShortest, findSimplest } from './shortest.ts';

const lists = fc.array(fc.nat({ max: 9 }), { maxLength: 40 });
const needed = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 4 });

/** Whether the items come in this order, with others between. */
function holdsInOrder(list: readonly number[], items: readonly number[]): boolean {
  let next = 0;
  for (const item of list) if (item === items[next]) next += 1;
  return next === items.length;
}

describe('shortest', () => {
  test('leaves what is needed, in order, and not one item more', async () => {
    await fc.assert(
      fc.asyncProperty(lists, needed, async (list, items) => {
        expect(
          await findShortest([...list, ...items, ...list], async (candidate) => holdsInOrder(candidate, items)),
        ).toEqual(items);
      }),
    );
  });

  test('leaves a list alone of which nothing can go', async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        expect(await findShortest(list, async () => false)).toEqual(list);
      }),
    );
  });

  test('asks far less often than there are parts of the list', async () => {
    let asked = 0;
    await findShortest(
      Array.from({ length: 64 }, (_item, index) => index),
      async (candidate) => {
        asked += 1;
        return candidate.includes(17);
      },
    );
    expect(asked).toBeLessThan(64);
  });
});

describe('simplest', () => {
  test('makes every change under which it still fails', async () => {
    const changes = [(value: number) => value - 1, (value: number) => value - 4, (value: number) => Math.min(value, 2)];
    expect(await findSimplest(7, changes, async (value) => value >= 3)).toBe(6);
    expect(await findSimplest(9, changes, async (value) => value >= 3)).toBe(4);
  });
});
