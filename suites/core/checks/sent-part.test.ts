import { expect, test } from 'vitest';
import { asSent } from './sent-part.ts';

test('what a service adds by itself is left out, and what it lost is not made up', () => {
  const sent = {
    a: 1,
    object: { b: 'x' },
    entries: [{ text: 'one' }, { name: 'two', inner: [{ c: 1 }] }],
    list: ['x'],
  };
  const shown = {
    $oid: '7',
    a: 2,
    object: { b: 'x', createdOn: 'today' },
    entries: [
      { $entryId: 1, text: 'one', index: 0 },
      { $entryId: 2, name: 'two', inner: [{ $entryId: 1, c: 1 }] },
    ],
    list: ['x', 'y'],
  };
  expect(asSent(shown, sent)).toEqual({
    a: 2,
    object: { b: 'x' },
    entries: [{ text: 'one' }, { name: 'two', inner: [{ c: 1 }] }],
    list: ['x', 'y'],
  });
  expect(asSent({ object: null }, sent)).toEqual({ object: null });
  expect(asSent('text', { a: 1 })).toBe('text');
});
