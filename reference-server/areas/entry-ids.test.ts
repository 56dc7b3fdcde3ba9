import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Content } from '../ports/store.ts';
import { appendItems, entryIdFrom, itemsOf, numberItems } from './content.ts';
import { sample } from './auth-sample.fixture.ts';

const { contents } = sample().service;

type Move = { readonly kind: 'append' | 'drop' | 'replace'; readonly count: number; readonly ids: readonly number[] };

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('append', 'drop', 'replace'),
  count: fc.nat(3),
  ids: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
});

test('an id is never given twice, however items come and go', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      let holder: Content = { name: 'a', items: [] };
      const gone = new Set<unknown>();
      for (const step of moves) {
        const before = idsIn(holder);
        holder = moved(holder, step);
        const after = idsIn(holder);
        expect(new Set(after).size).toBe(after.length);
        expect(after.filter((id) => gone.has(id))).toEqual([]);
        for (const id of before) if (!after.includes(id)) gone.add(id);
      }
    }),
  );
});

test('ids of a fresh entry count from 1 at every depth, whatever the client sent', () => {
  const content = { name: 'a', inner: [{ $entryId: 7, deep: [{ $entryId: 7 }, {}] }, { deep: [] }], tags: ['x'] };
  expect(contents.withEntryIds([{ entryId: 5, content }])).toEqual([
    {
      name: 'a',
      inner: [
        { $entryId: 1, deep: [{ $entryId: 1 }, { $entryId: 2 }], $lastEntryIds: { deep: 2 } },
        { $entryId: 2, deep: [] },
      ],
      tags: ['x'],
      $lastEntryIds: { inner: 2 },
    },
  ]);
});

test('an array that is left out keeps its count', () => {
  const first = numberItems({ items: [{}, {}] }, {});
  const second = numberItems({ name: 'without items' }, first);
  expect(idsIn(numberItems({ items: [{ $entryId: 1 }] }, second))).toEqual([3]);
});

test('a kept item keeps the ids inside it', () => {
  const before = numberItems({ items: [{ deep: [{}, {}] }] }, {});
  const after = numberItems({ items: [{ $entryId: 1, deep: [{ $entryId: 2 }, {}] }] }, before);
  expect(after).toMatchObject({ items: [{ $entryId: 1, deep: [{ $entryId: 2 }, { $entryId: 3 }] }] });
});

test.each([1, '1', 42, '42'])('takes %j as an id', (given) => {
  expect(entryIdFrom(given)).toBe(Number(given));
});

test.each([0, -1, 1.5, '01', '+1', ' 1', '1e3', '', '-', null, true, {}, 1e21, '9'.repeat(30)])(
  'takes %j as none',
  (given) => {
    expect(entryIdFrom(given)).toBeUndefined();
  },
);

function moved(holder: Content, { kind, count, ids }: Move): Content {
  if (kind === 'append')
    return appendItems(
      holder,
      'items',
      Array.from({ length: count }, () => ({})),
    );
  if (kind === 'drop') return { ...holder, items: itemsOf(holder, 'items').slice(count) };
  return numberItems({ items: ids.map(($entryId) => ({ $entryId })) }, holder);
}

function idsIn(holder: Content): readonly unknown[] {
  return itemsOf(holder, 'items').map((item) => item.$entryId);
}
