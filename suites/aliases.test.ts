import { expect, it } from 'vitest';
import { aliases } from '../contract/aliases.ts';
import { catalogue } from './catalogue.ts';

it('no id of before is a rule of today, and each leads to rules', () => {
  for (const [former, now] of Object.entries(aliases)) {
    expect(catalogue.has(former)).toBe(false);
    expect(now).not.toEqual([]);
    for (const id of now) expect(catalogue.has(id), id).toBe(true);
  }
});
