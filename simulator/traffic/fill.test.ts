import { expect, test } from 'vitest';
import { fill, fillPath } from './fill.ts';

test.each<[string, unknown, unknown]>([
  ['alone it becomes the value as it is', { a: ['{{payload}}'] }, { a: [{ marker: 'm' }] }],
  ['inside a text it becomes text', { a: 'is {{id}}, {{payload}}' }, { a: 'is 7, {"marker":"m"}' }],
  ['alone and without a value it is left out', { a: '{{correlationId}}', b: 1 }, { b: 1 }],
  ['inside a text and without a value it is nothing', 'x{{correlationId}}y', 'xy'],
  ['what is no text stays', [1, null, true], [1, null, true]],
])('a placeholder: %s', (_what, template, filled) => {
  expect(JSON.parse(JSON.stringify(fill(template, { id: 7, payload: { marker: 'm' } })))).toEqual(filled);
});

test('a path has its values percent-encoded, and keeps what is not named', () => {
  expect(fillPath('/a/{{id}}/{{other}}', { id: 'x/y' })).toBe('/a/x%2Fy/{{other}}');
});
