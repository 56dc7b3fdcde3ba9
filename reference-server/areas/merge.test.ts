import fc from 'fast-check';
import { expect, test } from 'vitest';
import vectors from '../../fixtures/vectors/patch.json' with { type: 'json' };
import type { Content } from '../ports/store.ts';
import { sample } from './auth-sample.fixture.ts';
import { isContent } from './content.ts';

const { editing } = sample().service;
const leaf = fc.oneof(
  fc.string({ maxLength: 2 }),
  fc.integer({ min: 0, max: 3 }),
  fc.constant([1]),
  fc.constant([{ a: 1 }]),
);
const name = fc.constantFrom('a', 'b', 'c', '__proto__');
/** Content as the service stores it: no null in it. */
const content = fc.letrec<{ tree: Content; value: unknown }>((tie) => ({
  tree: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('tree')),
})).tree;
const edits = fc.letrec<{ tree: Content; value: unknown }>((tie) => ({
  tree: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.constant(null), tie('tree')),
})).tree;

test.each(vectors.merge)('merges $edits into $target', ({ target, edits, result }) => {
  expect(editing.mergePatch(target, edits)).toEqual(result);
});

test('an empty edit changes nothing', () => {
  fc.assert(
    fc.property(content, (target) => {
      expect(editing.mergePatch(target, {})).toEqual(target);
    }),
  );
});

test('the same edit twice is the edit once', () => {
  fc.assert(
    fc.property(content, edits, (target, edit) => {
      const once = editing.mergePatch(target, edit);
      expect(editing.mergePatch(once, edit)).toEqual(once);
    }),
  );
});

test('content merged into nothing comes out as it is', () => {
  fc.assert(
    fc.property(content, (target) => {
      expect(editing.mergePatch(undefined, target)).toEqual(target);
    }),
  );
});

test('every path ends up as the edit says, or as it was where the edit says nothing', () => {
  fc.assert(
    fc.property(content, edits, (target, edit) => {
      const merged = leaves(editing.mergePatch(target, edit));
      const named = leaves(edit);
      for (const [path, value] of named) if (!isContent(value)) expect(merged.get(path)).toEqual(value ?? undefined);
      for (const [path, value] of leaves(target)) if (!touches(named, path)) expect(merged.get(path)).toEqual(value);
      for (const path of merged.keys()) expect(touches(named, path) || leaves(target).has(path)).toBe(true);
    }),
  );
});

test('no null is ever stored, and neither side is changed', () => {
  fc.assert(
    fc.property(content, edits, (target, edit) => {
      const before = JSON.stringify([target, edit]);
      expect(JSON.stringify(editing.mergePatch(target, edit))).not.toContain('null');
      expect(JSON.stringify([target, edit])).toBe(before);
    }),
  );
});

/** Values at the ends of all ways down, by path; an empty object is an end. */
function leaves(value: Content, path = ''): Map<string, unknown> {
  const found = Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}/${key}`;
    return isContent(inner) && Object.keys(inner).length > 0
      ? [...leaves(inner, at)]
      : [[at, isContent(inner) ? {} : inner] as const];
  });
  return new Map(found);
}

function touches(named: ReadonlyMap<string, unknown>, path: string): boolean {
  return named.keys().some((other) => path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`));
}
