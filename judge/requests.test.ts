import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestFrom } from './requests.ts';

const template = {
  method: 'POST',
  path: '/api/space/{{spaceId}}/x?c={{id}}',
  headers: { 'X-Id': 'a {{id}}' },
  body: { whole: '{{value}}', mixed: '<{{id}}>', list: ['{{value}}', '{{absent}}'], gone: '{{absent}}', kept: null },
};

test('a whole placeholder becomes any JSON value, an absent one leaves nothing behind', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, id) => {
      const request = requestFrom(template, { spaceId: 'main', value, id });
      expect(request.body).toEqual({ whole: value, mixed: `<${id}>`, list: [value], kept: null });
      expect(request.url).toBe(`/api/space/main/x?c=${encodeURIComponent(id.toWellFormed())}`);
      expect(request.headers).toEqual({ 'X-Id': `a ${id}` });
    }),
  );
});

test('a path that asks for what is not known says so', () => {
  expect(() => requestFrom(template, { id: 'x', value: 1 })).toThrow('{{spaceId}}');
});
