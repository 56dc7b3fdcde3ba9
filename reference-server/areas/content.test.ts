import { describe, expect, test } from 'vitest';
import { sample } from './patch-sample.fixture.ts';
import fc from 'fast-check';
import type { Content } from '../ports/store.ts';
import { appendItems, entryIdFrom, itemsOf, numberItems } from './content.ts';

const wrong: readonly (readonly [string, unknown, string])[] = [
  ['no object', [], ''],
  ['null', null, ''],
  ['an unknown member', { title: 't', nope: 1 }, '/nope'],
  ['an output name', { title: 't', displayLabel: 'x' }, '/displayLabel'],
  ['a name with slash and tilde', { title: 't', 'scale/~1': 1 }, '/scale~1~01'],
  ['a member called constructor', { title: 't', constructor: 'x' }, '/constructor'],
  ['a wrong scalar', { title: 't', pageCount: '1' }, '/pageCount'],
  ['a fraction', { title: 't', pageCount: 1.5 }, '/pageCount'],
  ['an integer that is not exact', { title: 't', pageCount: 2 ** 53 }, '/pageCount'],
  ['null in a list', { title: 't', keywords: ['a', null] }, '/keywords/1'],
  ['no list', { title: 't', keywords: 'a' }, '/keywords'],
  ['an unknown member inside an object', { title: 't', dimensions: { depth: '1' } }, '/dimensions/depth'],
  [
    'an unknown member inside an entry',
    { title: 't', files: [{ name: 'a' }, { name: 'b', $version: 1 }] },
    '/files/1/$version',
  ],
  [
    'a wrong scalar deep inside',
    { title: 't', files: [{ name: 'a', revisions: [{ text: {} }] }] },
    '/files/0/revisions/0/text',
  ],
  ['an entry without its mandatory member', { title: 't', files: [{ comment: 'c' }] }, '/files/0/name'],
  ['an entry that is no object', { title: 't', files: ['a'] }, '/files/0'],
  ['null in an entry', { title: 't', files: [{ name: 'a', comment: null }] }, '/files/0/comment'],
  [
    'a dated element with a date that is none',
    { title: 't', price: { value: '1', effectivity: 'today' } },
    '/price/effectivity',
  ],
  ['a dated element without value', { title: 't', price: {} }, '/price/value'],
  [
    'a reference that only a multi-create can resolve',
    { title: 't', describes: [{ value: { instanceRef: 'x' } }] },
    '/describes/0/value/instanceRef',
  ],
  ['a reference to nothing', { title: 't', describes: [{ value: { $oid: 'nowhere' } }] }, '/describes/0/value/$oid'],
  [
    'a reference of another definition',
    { title: 't', describes: [{ value: { softTypeId: 'Document' } }] },
    '/describes/0/value/softTypeId',
  ],
];

describe('a body is refused with the pointer to the culprit', () => {
  test.each(wrong)('%s', async (_name, body, pointer) => {
    const { create, merge, put } = sample();
    const oid = await create({ title: 'before' });
    await expect(create(body)).rejects.toMatchObject({ status: 422, pointer });
    expect(await put(oid, body)).toMatchObject({ status: 422, pointer });
    expect(await merge(oid, body)).toMatchObject({ status: 422, pointer });
  });

  test('an own member called __proto__', async () => {
    const { create, merge } = sample();
    await expect(create('{"title":"t","__proto__":{"polluted":true}}')).rejects.toMatchObject({
      status: 422,
      pointer: '/__proto__',
    });
    expect(await merge(await create({ title: 't' }), '{"dimensions":{"__proto__":{}}}')).toMatchObject({
      status: 422,
      pointer: '/dimensions/__proto__',
    });
  });

  test('an absent mandatory member, where the body has to be complete', async () => {
    const { create, merge, put } = sample();
    const oid = await create({ title: 't' });
    await expect(create({})).rejects.toMatchObject({ status: 422, pointer: '/title' });
    expect(await put(oid, {})).toMatchObject({ status: 422, pointer: '/title' });
    expect(await merge(oid, {})).toMatchObject({ status: 204 });
    expect(await merge(oid, { title: null })).toMatchObject({ status: 422, pointer: '/title' });
  });

  test('null, where it does not take a value away', async () => {
    const { create, put } = sample();
    await expect(create({ title: 't', note: null })).rejects.toMatchObject({ status: 422, pointer: '/note' });
    expect(await put(await create({ title: 't' }), { title: 't', dimensions: null })).toMatchObject({
      status: 422,
      pointer: '/dimensions',
    });
  });
});

test('content that was read can be sent again', async () => {
  const { create, put, read } = sample();
  const part = await create({ name: 'p' }, { definitionId: 'Part', inputSchemaId: 'partInput' });
  const files = [{ name: 'a', revisions: [{ text: 'x' }, { text: 'y' }] }];
  const oid = await create({ title: 't', price: '1', files, describes: [{ id: 'free', value: { $oid: part } }] });
  const { displayLabel: _renamed, ...before } = await read(oid);
  expect(await put(oid, before)).toEqual({ status: 204, version: '2' });
  expect(await read(oid)).toEqual({ ...before, $version: 2 });
});

test('a dated member is stamped with the filter date, else with the clock, unless it brings its own', async () => {
  const { create, merge, read } = sample();
  const time = '2020-02-29T12:00:00+01:00';
  const oid = await create({ title: 't', price: '1' });
  expect((await read(oid)).price).toEqual({ value: '1', effectivity: '1970-01-01T00:00:01.000Z' });
  await merge(oid, { price: '2' }, { filter: { time } });
  expect((await read(oid)).price).toEqual({ value: '2', effectivity: time });
  await merge(oid, { price: { value: '3', effectivity: '1999-12-31T23:59:59Z' } }, { filter: { time } });
  expect((await read(oid)).price).toEqual({ value: '3', effectivity: '1999-12-31T23:59:59Z' });
});

const { contents } = sample().service;

type Move = { readonly kind: 'append' | 'drop' | 'replace'; readonly count: number; readonly ids: readonly number[] };

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('append', 'drop', 'replace'),
  count: fc.nat(3),
  ids: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
});

test('an id is never given twice, however items come and go', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      let holder: Content = { name: 'a', items: [] };
      const gone = new Set<unknown>();
      for (const step of moves) {
        const before = idsIn(holder);
        holder = moved(holder, step);
        const after = idsIn(holder);
        expect(new Set(after).size).toBe(after.length);
        expect(after.filter((id) => gone.has(id))).toEqual([]);
        for (const id of before) if (!after.includes(id)) gone.add(id);
      }
    }),
  );
});

test('ids of a fresh entry count from 1 at every depth, whatever the client sent', () => {
  const content = { name: 'a', inner: [{ $entryId: 7, deep: [{ $entryId: 7 }, {}] }, { deep: [] }], tags: ['x'] };
  expect(contents.withEntryIds([{ entryId: 5, content }])).toEqual([
    {
      name: 'a',
      inner: [
        { $entryId: 1, deep: [{ $entryId: 1 }, { $entryId: 2 }], $lastEntryIds: { deep: 2 } },
        { $entryId: 2, deep: [] },
      ],
      tags: ['x'],
      $lastEntryIds: { inner: 2 },
    },
  ]);
});

test('an array that is left out keeps its count', () => {
  const first = numberItems({ items: [{}, {}] }, {});
  const second = numberItems({ name: 'without items' }, first);
  expect(idsIn(numberItems({ items: [{ $entryId: 1 }] }, second))).toEqual([3]);
});

test('a kept item keeps the ids inside it', () => {
  const before = numberItems({ items: [{ deep: [{}, {}] }] }, {});
  const after = numberItems({ items: [{ $entryId: 1, deep: [{ $entryId: 2 }, {}] }] }, before);
  expect(after).toMatchObject({ items: [{ $entryId: 1, deep: [{ $entryId: 2 }, { $entryId: 3 }] }] });
});

test.each([1, '1', 42, '42'])('takes %j as an id', (given) => {
  expect(entryIdFrom(given)).toBe(Number(given));
});

test.each([0, -1, 1.5, '01', '+1', ' 1', '1e3', '', '-', null, true, {}, 1e21, '9'.repeat(30)])(
  'takes %j as none',
  (given) => {
    expect(entryIdFrom(given)).toBeUndefined();
  },
);

function moved(holder: Content, { kind, count, ids }: Move): Content {
  if (kind === 'append')
    return appendItems(
      holder,
      'items',
      Array.from({ length: count }, () => ({})),
    );
  if (kind === 'drop') return { ...holder, items: itemsOf(holder, 'items').slice(count) };
  return numberItems({ items: ids.map(($entryId) => ({ $entryId })) }, holder);
}

function idsIn(holder: Content): readonly unknown[] {
  return itemsOf(holder, 'items').map((item) => item.$entryId);
}
