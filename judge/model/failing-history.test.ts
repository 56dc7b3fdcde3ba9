import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFirst } from './failing-history.ts';

describe('the first value found', () => {
  test('is the first in order, whatever ends first', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.scheduler(),
        async (values, width, s) => {
          const begun: number[] = [];
          const indexed = values.map((bad, index) => ({ bad, index }));
          const looking = findFirst(indexed, width, async ({ bad, index }) => {
            begun.push(index);
            await s.schedule(Promise.resolve());
            return bad ? `found ${index}` : undefined;
          });
          const result = await s.waitFor(looking);
          const first = values.indexOf(true);
          expect(result).toEqual(first === -1 ? undefined : { index: first, found: `found ${first}` });
          expect(begun).toEqual(begun.toSorted((one, other) => one - other));
          expect(begun.length).toBeGreaterThan(first === -1 ? values.length - 1 : first);
        },
      ),
    );
  });

  test('counts more than what stood in the way of another', async () => {
    const look = async (value: string): Promise<string | undefined> => {
      if (value === 'wall') throw new Error('a wall');
      return value === 'gold' ? value : undefined;
    };
    expect(await findFirst(['wall', 'gold'], 2, look)).toEqual({ index: 1, found: 'gold' });
    await expect(findFirst(['earth', 'wall'], 2, look)).rejects.toThrow('a wall');
  });
});
