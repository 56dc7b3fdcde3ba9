import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue } from '../suites/catalogue.ts';
import { mistakes } from '../variants/mistakes/mistakes.ts';

const page = readFileSync(new URL('../docs/museum.md', import.meta.url), 'utf8');

/** Cells of the rows that tell of an exhibit: bug, what went wrong, id, sentence, caught by. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ['))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

const idsIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, id = '']) => id);

const museum = [...mistakes].filter(([, mistake]) => mistake.museum).map(([id]) => id);

test('the page of the museum has each mistake that others made once', () => {
  expect(rows.flatMap(([, , id]) => idsIn(id)).toSorted()).toEqual(museum.toSorted());
});

test('each row leads to the bug and tells which sentence it breaks', () => {
  for (const [bug, , id, sentence] of rows) {
    expect(bug).toMatch(/^\[\S+ #\d+\]\(https:\/\/github\.com\/\S+\/(?:issues|pull)\/\d+\), \d{4}$/);
    const [name = ''] = idsIn(id);
    expect(sentence).toContain(mistakes.get(name)?.source);
  }
});

test('whoever caught a mistake is a rule, and the page counts them right', () => {
  const caught = rows.filter(([, , , , by]) => by !== 'survived');
  for (const rule of caught.flatMap(([, , , , by]) => idsIn(by))) expect(catalogue.has(rule), rule).toBe(true);
  expect(page).toContain(`Of ${rows.length} mistakes ${caught.length} were caught at first contact`);
});
