import { assert, constantFrom, integer, property, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BulkAreaName, drawBulkHistory, tellBulkHistory } from './bulk-history.ts';

const areas = ['space', 'collection', 'participant', 'second space', 'second participant'] as const;

const scopes = uniqueArray(constantFrom<BulkAreaName>(...areas)).map((some) => ({
  areas: ['space', ...some.filter((name) => name !== 'space')] as const,
}));

describe('a history of bulk uploads', () => {
  test('follows from its seed', () => {
    expect(drawBulkHistory(7, { areas })).toEqual(drawBulkHistory(7, { areas }));
    expect(drawBulkHistory(7, { areas })).not.toEqual(drawBulkHistory(8, { areas }));
  });

  test('is about the areas and the sources that there are', () => {
    assert(
      property(integer(), scopes, (seed, scope) => {
        const { sources, steps } = drawBulkHistory(seed, scope);
        const known: readonly string[] = scope.areas;
        for (const step of steps) {
          if (step.kind !== 'change') expect(known).toContain(step.area);
          if ('source' in step) expect(sources[step.source]).toBeDefined();
          if (step.kind === 'refused bulk upload') expect(step.signedFor).not.toBe(step.area);
        }
      }),
    );
  });

  test('has no file where another one needs a folder', () => {
    assert(
      property(integer(), (seed) => {
        const { sources, steps } = drawBulkHistory(seed, { areas });
        const changed = steps.flatMap((step) => (step.kind === 'change' ? Object.keys(step.files) : []));
        const names = [...sources.flatMap((tree) => Object.keys(tree)), ...changed];
        const targets = steps.flatMap((step) => ('target' in step && step.target !== '/' ? [step.target ?? ''] : []));
        const folders = [...targets.map((target) => `${target}/`), ...names.flatMap((name) => foldersOf(name))];
        expect(names.filter((name) => folders.includes(`${name}/`))).toEqual([]);
      }),
    );
  });

  test('is told by what its sources hold and what happens', () => {
    const history = drawBulkHistory(1, { areas });
    expect(tellBulkHistory(history)).toMatch(/^source 1 holds .*; a bulk upload of source 1 to the /);
    expect(tellBulkHistory({ ...history, steps: [] })).toBe('');
  });
});

/** Each with a slash behind it. */
function foldersOf(name: string): readonly string[] {
  const segments = name.split('/').slice(0, -1);
  return segments.map((_segment, index) => `${segments.slice(0, index + 1).join('/')}/`);
}
