import { expect, test } from 'vitest';
import { callOf, sample } from './auth-sample.fixture.ts';
import type { Answer } from '../http/call.ts';

const { service } = sample();
const data = { status: 200, body: { id: 'a', name: 'A' } };

function answerTo(ifNoneMatch?: string, answer: Answer = data): Answer {
  const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  return service.caching.conditional(callOf({ headers }), answer);
}

const etag = answerTo().headers?.['ETag'] ?? '';

test('a 200 gets a strong quoted tag, and the same one for the same data', () => {
  expect(answerTo()).toEqual({ ...data, headers: { ETag: etag, 'Cache-Control': 'private, no-cache' } });
  expect(etag).toMatch(/^"[\w-]{43}"$/);
});

test.each([etag, `W/${etag}`, '*', ' * ', `"a", ${etag}`, `${etag} , "a"`, `"a,b",W/${etag},`, `,${etag}`])(
  'If-None-Match %s: 304 without payload',
  (header) => {
    expect(answerTo(header)).toEqual({ status: 304, headers: { ETag: etag, 'Cache-Control': 'private, no-cache' } });
  },
);

test('a 304 of text does not describe a payload', () => {
  const text: Answer = { status: 200, headers: { 'Content-Type': 'application/json' }, raw: '{}' };
  const tag = answerTo(undefined, text).headers?.['ETag'] ?? '';
  expect(answerTo(tag, text)).toEqual({ status: 304, headers: { ETag: tag, 'Cache-Control': 'private, no-cache' } });
});

const bare = etag.slice(1, -1);
test.each([
  '',
  bare,
  '"a"',
  '1',
  '"1"',
  `"${bare}x"`,
  `${etag}${etag}`,
  `"a" ${etag}`,
  `x, ${etag}`,
  `w/${etag}`,
  `*, ${etag}`,
  `"${bare}`,
])('If-None-Match %s: 200 with the data', (header) => {
  expect(answerTo(header)).toMatchObject({ status: 200, body: data.body });
});
