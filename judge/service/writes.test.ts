import { expect, test } from 'vitest';
import type { Target } from './target.ts';
import type { Thing } from '../things.ts';
import { datedPathIn } from './writes.ts';

test('a dated element inside an entry is addressed by the ids of the first entries', async () => {
  const data = { files: [{ $entryId: 'a/1', prices: [{ $entryId: 7 }] }, { $entryId: 'b' }] };
  const service = { readLong: async () => ({ json: { data } }) } as unknown as Target;
  const thing = {} as Thing;
  const pathIn = (path: string) => datedPathIn({ service }, thing, { path });
  expect(await pathIn('/price')).toBe('/price');
  expect(await pathIn('/files/{entryId}/price')).toBe('/files/a~11/price');
  expect(await pathIn('/files/{entryId}/prices/{entryId}')).toBe('/files/a~11/prices/7');
});
