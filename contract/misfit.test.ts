import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { fitting, offsetIn, pointerTo } from './misfit.ts';
import { Type } from './type.ts';

const closed = { additionalProperties: false } as const;
const schema = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 3 }),
    share: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.25 })),
    name: Type.Optional(Type.String({ minLength: 2, maxLength: 3, pattern: '^[a-z]*$' })),
    kind: Type.Optional(Type.Enum(['event', 'validation'])),
    list: Type.Optional(Type.Array(Type.Integer(), { minItems: 1, maxItems: 2, uniqueItems: true })),
    names: Type.Optional(Type.Record(Type.String(), Type.Integer(), { minProperties: 1, maxProperties: 1 })),
    either: Type.Optional(Type.Union([Type.Literal('last'), Type.Integer()])),
    'a/b': Type.Optional(Type.Object({ inner: Type.Boolean() }, closed)),
  },
  closed,
);
const read = fitting<unknown>(schema, {}, 'the body');

test.each([
  [{ count: 1, share: 0.25, name: 'ab', list: [1], names: { a: 1 }, either: 'last' }],
  [{ count: 3, share: 0.75, name: 'abc', list: [1, 2], either: 0, kind: 'event', 'a/b': { inner: true } }],
])('%j fits', (value) => {
  expect(read(value)).toEqual({ value });
});

test.each<[unknown, string, string]>([
  [[], '', 'the body must be a mapping, found []'],
  [{}, '', 'the body lacks "count"'],
  [{ count: 0 }, '/count', 'count must be 1 or more, found 0'],
  [{ count: 4 }, '/count', 'count must be 3 or less, found 4'],
  [{ count: 1.5 }, '/count', 'count must be of type integer, found 1.5'],
  [{ count: 1, share: 0 }, '/share', 'share must be more than 0, found 0'],
  [{ count: 1, share: 1 }, '/share', 'share must be less than 1, found 1'],
  [{ count: 1, share: 0.3 }, '/share', 'share must be a multiple of 0.25, found 0.3'],
  [{ count: 1, name: 'a' }, '/name', 'name must be a text of 2 characters or more, found "a"'],
  [{ count: 1, name: 'abcd' }, '/name', 'name must be a text of 3 characters at most, found "abcd"'],
  [{ count: 1, name: 'AB' }, '/name', 'name must be text of the form ^[a-z]*$, found "AB"'],
  [
    { count: 1, kind: 'evnet' },
    '/kind',
    'kind must be one of "event", "validation", found "evnet"; did you mean "event"?',
  ],
  [{ count: 1, kind: 'task' }, '/kind', 'kind must be one of "event", "validation", found "task"'],
  [{ count: 1, list: [] }, '/list', 'list must be a list of 1 or more, found []'],
  [{ count: 1, list: [1, 2, 3] }, '/list', 'list must be a list of 2 at most, found [1,2,3]'],
  [{ count: 1, list: [1, 1] }, '/list', 'list must be a list without repetition, found [1,1]'],
  [{ count: 1, list: [1, '2'] }, '/list/1', 'list.1 must be of type integer, found "2"'],
  [{ count: 1, names: {} }, '/names', 'names must be a mapping with 1 or more keys, found {}'],
  [{ count: 1, names: { a: 1, b: 1 } }, '/names', 'names must be a mapping with 1 keys at most, found {"a":1,"b":1}'],
  [{ count: 1, either: 'lost' }, '/either', 'either must be "last" or of type integer, found "lost"'],
  [{ count: 1, 'a/b': { iner: true } }, '/a~1b/iner', 'unknown key "iner" in a/b; did you mean "inner"?'],
  [{ cuont: 1 }, '/cuont', 'unknown key "cuont" in the body; did you mean "count"?'],
  [{ count: 'x'.repeat(99) }, '/count', `count must be of type integer, found "${'x'.repeat(79)}…`],
])('%j does not fit, at %s', (value, pointer, sentence) => {
  const found = read(value);
  if ('value' in found) throw new Error('it was taken');
  expect([pointerTo(found.misfit), found.misfit.sentence]).toEqual([pointer, sentence]);
});

test('a place in a document is that of a key, of a value, or of the deepest part that is there', () => {
  const text = 'one:\n  two: [3, 4]\n';
  const document = parseDocument(text);
  const at = (path: (string | number)[], key?: string): string => text.slice(offsetIn(document, path, key));
  expect(at(['one', 'two', 1])).toMatch(/^4\]/);
  expect(at(['one'], 'two')).toMatch(/^two:/);
  expect(at(['one', 'two', 9])).toMatch(/^\[3/);
  expect(at([])).toBe(text);
});
