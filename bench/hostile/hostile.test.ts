import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { tryOne } from './try-one.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    const ending = await tryOne(hostile, join(folder, String(corpus.indexOf(hostile))));
    expect(ending.wrong).toBeUndefined();
    expect([1, 2, 3]).toContain(ending.exitCode);
  });
});
