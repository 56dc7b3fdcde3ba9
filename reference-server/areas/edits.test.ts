import { describe, expect, test } from 'vitest';
import { rightAreas } from '../areas.ts';
import { type Variant, replaces } from '../../variants/breaks.ts';
import { sample, type Sample } from './patch-sample.fixture.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}` }));

describe('merge PATCH', () => {
  test('edits what is named, keeps the rest, raises the version by one and says so', async () => {
    const { create, merge, stored } = sample();
    const oid = await create({ title: 't', note: 'n', dimensions: { width: '1', height: '2' }, files: names(18) });
    const before = await stored(oid);
    const edit = {
      remark: 'r',
      note: null,
      contacts: null,
      dimensions: { width: '3' },
      $version: 9,
      $oid: 'x',
      engineering: {},
    };
    expect(await merge(oid, edit)).toEqual({ status: 204, version: '2' });
    const after = await stored(oid);
    expect(after?.content).toMatchObject({ title: 't', remark: 'r', dimensions: { width: '3', height: '2' } });
    expect(after?.content).not.toHaveProperty('note');
    expect(after?.content.$states).toEqual(before?.content.$states);
    expect(after?.arrays).toEqual(before?.arrays);
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
