import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { corpus } from './corpus.ts';
import { tryOne } from './try-one.ts';

const folder = makeFolder();

/** `npm run bench:hostile` says whether ten are enough. */
const patienceSeconds = 300;

/** One of a kind; `npm run bench:hostile` tries all. */
const sample = [
  'wire: a head without end',
  'redirect: 302 to "http://{{host}}/"',
  'body: a million lists, nested with 201',
  'spoiled: a 404, each 1.',
  'profile: a bomb of aliases',
  'profile: a hundred thousand keys',
  'place: /dev/zero',
  'environment: stdout full',
  'environment: record is full',
] as const;

describe('the corpus', () => {
  test('holds at least three hundred, each by a name of its own', () => {
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
    expect(corpus.length).toBeGreaterThanOrEqual(300);
  });

  test.concurrent.each(sample)('%s is not green, ends in time and takes little', async (name) => {
    const hostile = corpus.find((one) => one.name === name);
    expect(hostile, name).toBeDefined();
    if (hostile === undefined) return;
    const ending = await tryOne(hostile, join(folder, String(corpus.indexOf(hostile))), patienceSeconds);
    expect(ending.wrong).toBeUndefined();
    expect([1, 2, 3]).toContain(ending.exitCode);
  });
});
