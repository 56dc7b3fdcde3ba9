import { describe, expect, test } from 'vitest';
import vectors from '../../fixtures/vectors/patch.json' with { type: 'json' };
import { sample } from './patch-sample.fixture.ts';
import fc from 'fast-check';
import pointerVectors from '../../fixtures/vectors/pointer.json' with { type: 'json' };
import { pointerBelow } from '../http/json-text.ts';

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

describe('dated elements', () => {
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

const { operations } = sample().service;

const token = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '-', ' ', 'é', '%') });

test.each(pointerVectors.vectors)('reads $text', ({ text, tokens }) => {
  expect(operations.pointerTokens(text) ?? null).toEqual(tokens);
});

test('reads back the tokens that a pointer was made of', () => {
  fc.assert(
    fc.property(fc.array(token), (tokens) => {
      expect(operations.pointerTokens(tokens.reduce((path, name) => pointerBelow(path, name), ''))).toEqual(tokens);
    }),
  );
});

test('tells different tokens apart', () => {
  fc.assert(
    fc.property(token, token, (left, right) => {
      expect(pointerBelow('', left) === pointerBelow('', right)).toBe(left === right);
    }),
  );
});
