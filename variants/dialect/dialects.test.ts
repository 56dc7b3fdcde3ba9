import { describe, expect, test } from 'vitest';
import { silences } from '../../contract/silences.ts';
import { choices } from './dialects.ts';

describe('the tables of choices', () => {
  const all = Object.values(choices).flat();

  test('every silence that they name is in the ledger', () => {
    const ids = Object.values(silences).flatMap((part) => part.map(({ id }) => id));
    expect(all.flatMap((choice) => choice.silences).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('no two choices are described alike', () => {
    expect(new Set(all.map(({ meets }) => meets)).size).toBe(all.length);
  });
});
