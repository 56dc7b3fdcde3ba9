import { describe, expect, test } from 'vitest';
import { rightAreas } from '../areas.ts';
import { type Variant, replaces } from '../../variants/breaks.ts';
import { sample, type Sample } from './patch-sample.fixture.ts';
import fc from 'fast-check';
import vectors from '../../fixtures/vectors/patch.json' with { type: 'json' };
import type { Content } from '../ports/store.ts';
import { isContent } from './content.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}` }));

describe('merge PATCH', () => {
  test('takes a value away by null, and passes system members over', async () => {
    const { create, merge, stored } = sample();
    const oid = await create({ title: 't', note: 'n', contacts: [{ name: 'c' }] });
    const before = await stored(oid);
    expect(await merge(oid, { note: null, contacts: null, $version: 9, $oid: 'x', engineering: {} })).toEqual({
      status: 204,
      version: '2',
    });
    const after = await stored(oid);
    expect(after?.content).not.toHaveProperty('note');
    expect([after?.content.$states, after?.arrays.contacts]).toEqual([before?.content.$states, []]);
  });

  test('replaces an array that is named and keeps the ids that it knows', async () => {
    const { create, merge, stored } = sample();
    const oid = await create({
      title: 't',
      files: [...names(11), { name: 'nested', revisions: [{ text: 'x' }, { text: 'y' }] }],
    });
    const nested = { $entryId: 12, name: 'N', revisions: [{ $entryId: '2', text: 'Y' }, { text: 'z' }] };
    await merge(oid, {
      files: [
        nested,
        { $entryId: 12, name: 'same id again', revisions: [{ $entryId: 2, text: 'w' }] },
        { $entryId: 99, name: 'unknown id' },
        { $entryId: '3', name: 'third' },
      ],
    });
    const files = (await stored(oid))?.arrays.files ?? [];
    expect(files.map(({ entryId }) => entryId)).toEqual([12, 13, 14, 3]);
    expect(files[1]?.content).toMatchObject({ revisions: [{ $entryId: 1, text: 'w' }] });
    expect(files[0]?.content).toMatchObject({
      name: 'N',
      revisions: [
        { $entryId: 2, text: 'Y' },
        { $entryId: 3, text: 'z' },
      ],
    });
  });

  test('reads and writes one row when no array is named', async () => {
    const touched: string[] = [];
    const { create, merge } = sample(watching(touched)(rightAreas));
    const oid = await create({ title: 't', files: names(3) });
    touched.length = 0;
    await merge(oid, { note: 'n' });
    expect(touched).toEqual(['object', 'updateObject']);
  });
});

test('DELETE takes the entries too, and compares a version that is given', async () => {
  const { create, remove, stored } = sample();
  const oid = await create({ title: 't', files: names(3) });
  expect(await remove(oid, { version: 2 })).toMatchObject({ status: 409 });
  expect(await remove(oid, { version: 'x' })).toMatchObject({ status: 400 });
  expect(await remove(oid, { version: 1 })).toEqual({ status: 204, version: undefined });
  expect(await stored(oid)).toBeUndefined();
});

describe('an edit that is refused changes nothing', () => {
  const edits: readonly (readonly [string, (at: Sample, oid: string, request: object) => Promise<object>])[] = [
    ['merge', ({ merge }, oid, request) => merge(oid, { note: 'x', files: [] }, request)],
    ['put', ({ put }, oid, request) => put(oid, { title: 'x' }, request)],
    [
      'operations',
      ({ operate }, oid, request) =>
        operate(
          oid,
          [
            { op: 'remove', path: '/files' },
            { op: 'replace', path: '/title', value: 'x' },
          ],
          request,
        ),
    ],
  ];
  const requests = [
    [{ version: 2_147_483_647 }, 409],
    [{ version: '01' }, 400],
    [{ version: '1, 1' }, 400],
    [{ version: '"1"' }, 400],
    [{ definitionId: 'Part' }, 404],
    [{ contentType: 'text/plain' }, 415],
  ] as const;

  test.each(edits)('%s', async (_name, edit) => {
    const at = sample();
    const oid = await at.create({ title: 't', note: 'n', files: names(12) });
    const before = await at.stored(oid);
    for (const [request, status] of requests) {
      expect(await edit(at, oid, request)).toMatchObject({ status });
      expect(await at.stored(oid)).toEqual(before);
    }
    expect(await edit(at, oid, {})).toEqual({ status: 204, version: '2' });
  });

  test('the form that belongs to the other route', async () => {
    const { create, merge, operate } = sample();
    const oid = await create({ title: 't' });
    expect(await merge(oid, [], { contentType: 'application/json-patch+json' })).toMatchObject({ status: 415 });
    expect(await operate(oid, [], { contentType: 'application/json' })).toMatchObject({ status: 415 });
    expect(await operate(oid, [], { contentType: 'Application/JSON-Patch+JSON; charset=utf-8' })).toMatchObject({
      status: 204,
    });
  });

  test('an array already written when a later check fails', async () => {
    const at = sample();
    const oid = await at.create({ title: 't', files: names(3) });
    const before = await at.stored(oid);
    expect(await at.merge(oid, { files: [], describes: [{ value: { $oid: 'nowhere' } }] })).toMatchObject({
      status: 422,
    });
    expect(await at.stored(oid)).toEqual(before);
  });
});

/** Notes the calls of the store port by a merge. */
function watching(touched: string[]): Variant {
  return replaces('dispatcher', 'carryOutWrite', (right, areas, route, call, writing) => {
    const noted = new Proxy(writing, {
      get(port, name, receiver) {
        touched.push(String(name));
        return Reflect.get(port, name, receiver);
      },
    });
    return right(areas, route, call, noted);
  });
}

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
