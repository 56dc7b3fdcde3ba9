import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import vectors from '../../fixtures/vectors/patch.json' with { type: 'json' };
import { emptyModel, predicted, shown, type SomeOperation } from './operations-model.fixture.ts';
import { sample } from './patch-sample.fixture.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}` }));

test.each(vectors.operations)('$name', async ({ body, lists, status, found }) => {
  const { create, operate, read } = sample();
  const oid = await create(body);
  const statuses: number[] = [];
  for (const list of lists) statuses.push((await operate(oid, list)).status);
  expect(statuses.at(-1)).toBe(status);
  const data = await read(oid);
  for (const [name, value] of Object.entries(found)) expect(data[name] ?? null).toEqual(value);
  expect(data.$version).toBe(1 + statuses.filter((one) => one === 204).length);
});

test('the order of the members of an operation makes no difference', async () => {
  const { create, operate } = sample();
  for (const body of [
    '[{"value":"x","path":"/note","op":"add","more":1}]',
    '[{"path":"/note","op":"add","value":"x"}]',
  ]) {
    expect(await operate(await create({ title: 't' }), body)).toEqual({ status: 204, version: '2' });
  }
});

const id = fc.integer({ min: 0, max: 4 });
const path = fc.oneof(
  fc.constantFrom(
    '/title',
    '/note',
    '/remark',
    '/dimensions',
    '/dimensions/width',
    '/files',
    '/files/-',
    '/',
    '',
    '/nope',
    '/$version',
    '/files/',
    '/files/-/name',
  ),
  fc
    .tuple(id, fc.constantFrom('', '/', '/name', '/comment', '/nope', '/revisions', '/revisions/-', '/revisions/'))
    .map(([file, rest]) => `/files/${file}${rest}`),
  fc
    .tuple(id, id, fc.constantFrom('', '/', '/text', '/author', '/name'))
    .map(([file, revision, rest]) => `/files/${file}/revisions/${revision}${rest}`),
);
const value = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom<unknown>(
    null,
    0,
    [],
    {},
    { name: 'a' },
    { text: 'b' },
    { width: '1' },
    { nope: 'x' },
    [{ name: 'c' }, { name: 'd' }],
    [{ author: 'e' }],
  ),
  fc.constant({ name: 'f', revisions: [{ text: 'g' }, {}] }),
);
const operation: fc.Arbitrary<SomeOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace'), path, value }),
  fc.record({ op: fc.constant('remove'), path }),
);
/** Ones that often succeed, so that sequences get somewhere. */
const likely: fc.Arbitrary<SomeOperation> = fc.oneof(
  fc.record({
    op: fc.constant('add'),
    path: fc.constantFrom('/files', '/files/-'),
    value: fc.constant({ name: 'h', revisions: [{ text: 'i' }] }),
  }),
  fc.record({
    op: fc.constantFrom('add', 'replace'),
    path: fc.constantFrom('/note', '/files/1/comment', '/files/2/name'),
    value: fc.string({ maxLength: 2 }),
  }),
  fc.record({
    op: fc.constant('add'),
    path: id.map((file) => `/files/${file}/revisions`),
    value: fc.constant({ text: 'j' }),
  }),
  fc.record({ op: fc.constant('remove'), path: id.map((file) => `/files/${file}/name`) }),
);

test('any run of lists leaves the object as the rules predict', async () => {
  const seen = { accepted: 0, refused: 0 };
  const { create, operate, read } = sample();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.oneof(operation, likely), { maxLength: 3 }), { maxLength: 12 }),
      async (lists) => {
        let model = emptyModel('t');
        let version = 1;
        const oid = await create({ title: 't' });
        for (const list of lists) {
          const next = predicted(model, list);
          const outcome = await operate(oid, list);
          expect(outcome.status).toBe(next === undefined ? 422 : 204);
          seen[next === undefined ? 'refused' : 'accepted'] += 1;
          if (next !== undefined) [model, version] = [next, version + 1];
          const { $oid, $softType, $version, engineering, approval, ...data } = await read(oid);
          expect({ contacts: [], describes: [], keywords: [], ...data }).toEqual({
            ...shown(model),
            contacts: [],
            describes: [],
            keywords: [],
          });
          expect($version).toBe(version);
          expect([$oid, $softType]).toEqual([oid, 'Document']);
          expect([engineering, approval]).not.toContain(undefined);
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(50);
});

describe('entries are rows', () => {
  test('an edit of one entry leaves all others as they were, on every page', async () => {
    const { create, operate, stored } = sample();
    const oid = await create({ title: 't', files: names(25) });
    const before = (await stored(oid))?.arrays.files ?? [];
    await operate(oid, [
      { op: 'replace', path: '/files/14/name', value: 'x' },
      { op: 'remove', path: '/files/3/' },
      { op: 'add', path: '/files', value: { name: 'last' } },
    ]);
    const expected = before
      .filter(({ entryId }) => entryId !== 3)
      .map((entry) => (entry.entryId === 14 ? { entryId: 14, content: { name: 'x' } } : entry));
    expect((await stored(oid))?.arrays.files).toEqual([...expected, { entryId: 26, content: { name: 'last' } }]);
  });
});

describe('dated elements', () => {
  test('replace stamps the element with the date of the information filter, and nothing else', async () => {
    const { create, operate, read } = sample();
    const oid = await create({ title: 't', price: { value: '1', effectivity: '2001-01-01T00:00:00Z' }, note: 'n' });
    for (const [path, time] of [
      ['/price', '2010-05-05T00:00:00Z'],
      ['/price/value', '2011-06-06T00:00:00Z'],
    ] as const) {
      const list = [
        { op: 'replace', path, value: time },
        { op: 'replace', path: '/note', value: time },
      ];
      expect(await operate(oid, list, { filter: { time } })).toMatchObject({ status: 204 });
      expect(await read(oid)).toMatchObject({ price: { value: time, effectivity: time }, note: time });
    }
  });

  test('the date itself is no target', async () => {
    const { create, operate } = sample();
    const oid = await create({ title: 't', price: '1' });
    expect(
      await operate(oid, [{ op: 'replace', path: '/price/effectivity', value: '2010-05-05T00:00:00Z' }]),
    ).toMatchObject({ status: 422 });
  });
});

describe('lists of plain values', () => {
  test.each([
    [['a'], '/keywords', 'b', ['a', 'b']],
    [['a'], '/keywords/-', 'b', ['a', 'b']],
    [undefined, '/keywords', ['b', 'c'], ['b', 'c']],
    [['a'], '/keywords', ['b'], undefined],
    [['a'], '/keywords/0', 'b', undefined],
    [['a'], '/keywords', 1, undefined],
  ])('from %j, add at %s of %j makes %j', async (before, path, added, after) => {
    const { create, operate, read } = sample();
    const oid = await create({ title: 't', ...(before ? { keywords: before } : {}) });
    expect(await operate(oid, [{ op: 'add', path, value: added }])).toMatchObject({ status: after ? 204 : 422 });
    expect((await read(oid)).keywords).toEqual(after ?? before);
  });
});

describe('references', () => {
  test('are added, led elsewhere and removed; one without target goes as a whole', async () => {
    const { create, operate, stored } = sample();
    const part = await create({ name: 'p' }, { definitionId: 'Part', inputSchemaId: 'partInput' });
    const other = await create({ name: 'q' }, { definitionId: 'Part', inputSchemaId: 'partInput' });
    const oid = await create({ title: 't' });
    const reference = (target: string) => ({
      op: 'add',
      path: '/describes',
      value: { id: 'free', value: { $oid: target } },
    });
    expect(await operate(oid, [reference('nowhere')])).toMatchObject({ status: 422 });
    expect(await operate(oid, [reference(oid)])).toMatchObject({ status: 422 });
    expect(await operate(oid, [reference(part), reference(part)])).toMatchObject({ status: 204 });
    expect(await operate(oid, [{ op: 'replace', path: '/describes/1/value/$oid', value: oid }])).toMatchObject({
      status: 422,
    });
    expect(await operate(oid, [{ op: 'replace', path: '/describes/1/value/$oid', value: other }])).toMatchObject({
      status: 204,
    });
    expect(await operate(oid, [{ op: 'remove', path: '/describes/2/value/$oid' }])).toMatchObject({ status: 204 });
    expect((await stored(oid))?.arrays.describes).toEqual([
      { entryId: 1, content: { id: 'free', value: { $oid: other } } },
    ]);
  });
});

describe('a problem says where', () => {
  test.each([
    [
      [
        { op: 'replace', path: '/title', value: 'x' },
        { op: 'replace', path: '/nope', value: 'x' },
      ],
      422,
      '/1/path',
      'Operation 1 (replace /nope)',
    ],
    [
      [{ op: 'add', path: '/files', value: { name: 'a', revisions: [{ text: 1 }] } }],
      422,
      '/0/value/revisions/0/text',
      'Operation 0 (add /files)',
    ],
    [
      [
        { op: 'add', path: '/note', value: 'x' },
        { op: 'add', path: '/remark' },
      ],
      400,
      '/1/value',
      "'value'",
    ],
    [[{ path: '/note', value: 'x' }], 400, '/0/op', "'op'"],
    [[{ op: 'remove' }], 400, '/0/path', "'path'"],
    [['x'], 400, '/0', 'object'],
    [{}, 400, '', 'array'],
  ] as const)('%j: %d at %s', async (body, status, pointer, words) => {
    const { create, operate } = sample();
    const outcome = await operate(await create({ title: 't' }), body);
    expect(outcome).toMatchObject({ status, pointer });
    expect(outcome.detail).toContain(words);
  });
});
