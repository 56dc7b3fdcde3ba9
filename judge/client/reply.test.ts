import { expect, test } from 'vitest';
import type { Exchange } from '../exchange.ts';
import { replyOf } from './reply.ts';

const replyTo = (bytes: Uint8Array) =>
  replyOf({ status: 200, headers: [], bytes, exchange: {} as Exchange }, 'http://localhost/');

test.each([' \r\n\t{"a": [1]}', '[]', '"text"', '-1', '0', 'true', 'false', 'null', '\uFEFF{}'])(
  'the body %j is JSON',
  (text) => {
    expect(replyTo(Buffer.from(text)).json).toEqual(JSON.parse(text.replace('\uFEFF', '')));
  },
);

test.each(['', ' ', 'text', '<p>', '{', '\u00EFt', '\u0000'])('the body %j is no JSON', (text) => {
  expect(replyTo(Buffer.from(text)).json).toBeUndefined();
});
