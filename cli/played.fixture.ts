import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { rejudge } from './rejudge.ts';

/** A run that was recorded for other reasons too is judged again as it was. */
export async function expectPlayedAsRecorded(cassette: string, rules: readonly RuleId[]): Promise<void> {
  const bytes = await readFile(cassette);
  const { outcomes, differences } = await rejudge(bytes, 'run.cassette');
  expect(differences).toEqual([]);
  expect(outcomes.length).toBe(rules.length);
  expect(bytes.byteLength).toBeLessThan(10e6);
}
