import { gzipSync } from 'node:zlib';
import type { Piece } from './wires.ts';

/** An answer of the right server, before it is spoiled. */
export interface Right {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** What goes out in the place of an answer: another one, or something that is none. */
export type Spoiler = (right: Right, before: Right) => Right | readonly Piece[];

const withBody = (right: Right, body: string | Buffer): Right => ({ ...right, body: Buffer.from(body) });
const withStatus = (status: number, body = ''): Right => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(body),
});
const withHeader = (right: Right, name: string, value: string): Right => ({
  ...right,
  headers: [...right.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase()), [name, value]],
});
const textOf = ({ body }: Right): string => body.toString();
const headOf = ({ status, headers }: Right): string =>
  `HTTP/1.1 ${status} x\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;

/** 200 MB of nothing. */
let bomb: Buffer | undefined;
const packedNothing = (): Buffer => (bomb ??= gzipSync(Buffer.alloc(200_000_000)));

/** What a broken service, or something between, makes of right answers now and then. */
export const spoilers: Readonly<Record<string, Spoiler>> = {
  'the answer to the request before': (_right, before) => before,
  'the body of the answer before': (right, before) => withBody(right, before.body),
  'the head of the answer before': (right, before) => ({ ...before, body: right.body }),
  'a 200 without content': () => withStatus(200),
  'a 200 with an empty object': () => withStatus(200, '{}'),
  'a 204': () => withStatus(204),
  'a 404': () => withStatus(404, '{"title":"Not Found"}'),
  'a 500': () => withStatus(500, '{"title":"oops"}'),
  'a 502 of a proxy': () => ({
    ...withStatus(502, '<html>Bad Gateway</html>'),
    headers: [['Content-Type', 'text/html']],
  }),
  'a portal': () => ({ ...withStatus(200, '<html>Sign in</html>'), headers: [['Content-Type', 'text/html']] }),
  'a redirect to itself': () => withHeader(withStatus(302), 'Location', '/'),
  'a redirect to somebody': () => withHeader(withStatus(307), 'Location', 'http://elsewhere.invalid/'),
  'another status of success': (right) => ({ ...right, status: right.status === 200 ? 201 : 200 }),
  'half the body': (right) => withBody(right, right.body.subarray(0, right.body.length >> 1)),
  'half the body, and the length of the whole': (right) => [
    `${headOf(right)}Content-Length: ${right.body.length + 1}\r\n\r\n${textOf(right).slice(0, right.body.length >> 1)}`,
    { end: 'close' },
  ],
  'a body that stops': (right) => [
    `${headOf(right)}Content-Length: ${right.body.length + 100}\r\n\r\n${textOf(right)}`,
  ],
  'a little that is much when it is unpacked': (right) =>
    withHeader(withBody(right, packedNothing()), 'Content-Encoding', 'gzip'),
  'bytes that are no UTF-8': (right) => withBody(right, Buffer.concat([right.body, Buffer.from([0xff, 0xfe, 0xc3])])),
  'a zero behind the body': (right) => withBody(right, `${textOf(right)}\0`),
  'something behind the body': (right) => withBody(right, `${textOf(right)}\n-- served by node 3`),
  'the body twice': (right) => withBody(right, textOf(right) + textOf(right)),
  'numbers as texts': (right) => withBody(right, textOf(right).replaceAll(/:(\d+)([,}])/g, ':"$1"$2')),
  'numbers that are too large': (right) => withBody(right, textOf(right).replaceAll(/:(\d+)([,}])/g, ':$1e30$2')),
  'ids in capitals': (right) =>
    withBody(
      right,
      textOf(right).replaceAll(/"\$oid":"[^"]*"/g, (text) => text.toUpperCase()),
    ),
  'versions that are one more': (right) =>
    withBody(
      right,
      textOf(right).replaceAll(/"version":(\d+)/g, (_all, version: string) => `"version":${Number(version) + 1}`),
    ),
  'a version header of yesterday': (right) => withHeader(right, 'Svc-UOIVersion', '0'),
  'no headers': (right) => ({ ...right, headers: [] }),
  'gzip that nobody asked for': (right) =>
    withHeader(withBody(right, gzipSync(right.body)), 'Content-Encoding', 'gzip'),
  'text in place of JSON': (right) => withHeader(right, 'Content-Type', 'text/plain'),
  'members without names': (right) => withBody(right, textOf(right).replaceAll('"data"', '"payload"')),
  'lists cut to one': (right) => withBody(right, textOf(right).replaceAll(/\[(\{[^[\]{}]*\}),[^[\]]*\]/g, '[$1]')),
  'a page of millions': (right) =>
    withBody(right, textOf(right).replaceAll(/"totalNumber":\d+/g, '"totalNumber":99999999')),
  'a reset': () => [{ end: 'reset' }],
  silence: () => [],
};
