/** A part of what a wire says: text, bytes in hex, a part said many times, a wait, or the end. */
export type Piece =
  | string
  | { readonly hex: string }
  | { readonly of: string; readonly times: number; readonly everyMs?: number }
  | { readonly waitMs: number }
  | { readonly end: 'close' | 'reset' };

/** What is said to every request, whatever it asks. */
export type Wire = readonly Piece[];

/** No answer needs more: it is as good as endless for whoever waits 1 s and takes 32 MB. */
const ever = 1_000_000;
const line = (times: number, of: (index: number) => string): string =>
  Array.from({ length: times }, (_item, index) => `${of(index)}\r\n`).join('');
const close: Piece = { end: 'close' };

/** A whole answer with this body. */
export function answer(status: number | string, body: string, more = '', type = 'application/json'): string {
  return `HTTP/1.1 ${status}${typeof status === 'number' ? ' x' : ''}\r\nContent-Type: ${type}\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const begun = (more = ''): string => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${more}`;
const chunked = (...pieces: Wire): Wire => [begun('Transfer-Encoding: chunked\r\n\r\n'), ...pieces];

/** What is hardly HTTP, or none. */
export const wires: Readonly<Record<string, Wire>> = {
  'never a word': [],
  'closed at once': [close],
  'reset at once': [{ end: 'reset' }],
  'closed after a while': [{ waitMs: 700 }, close],
  'half a status line': ['HTTP/1.1 20', close],
  'half a status line, then silence': ['HTTP/1.1 20'],
  SSH: ['SSH-2.0-OpenSSH_9.6\r\n'],
  SMTP: ['220 mail.example ESMTP\r\n', close],
  'FTP, politely': ['220 ready\r\n', { waitMs: 200 }, '421 timeout\r\n', close],
  Redis: ["-ERR unknown command 'GET'\r\n"],
  'HTTP 0.9': ['<html>hello</html>', close],
  'HTTP/2 preface': [{ hex: '505249202a20485454502f322e300d0a0d0a534d0d0a0d0a000000040000000000' }],
  'HTTP/2 GOAWAY': [{ hex: '0000080700000000000000000000000001' }, close],
  'alert of TLS': [{ hex: '15030100020250' }, close],
  'gRPC error': ['HTTP/1.1 200 OK\r\ncontent-type: application/grpc\r\ngrpc-status: 14\r\nContent-Length: 0\r\n\r\n'],
  noise: [{ hex: 'deadbeef00ff17cafe0180fe0d0a0d0a99' }, close],
  'zeros for ever': [{ of: '\0'.repeat(65_536), times: ever }],
  'line ends for ever': [{ of: '\r\n'.repeat(4096), times: ever }],
  'a status line without end': ['HTTP/1.1 200 ', { of: 'O'.repeat(65_536), times: ever }],
  'a head without end': [begun(), { of: 'X-A: b\r\n'.repeat(1000), times: ever }],
  'a header without end': [begun('X-A: '), { of: 'b'.repeat(65_536), times: ever }],
  'a head that drips': [begun(), { of: 'X-A: b\r\n', times: ever, everyMs: 50 }],
  'a flood of headers': [begun(), line(5000, (index) => `X-${index}: ${index}`), 'Content-Length: 2\r\n\r\n{}'],
  'a flood of cookies': [
    begun(),
    line(2000, (index) => `Set-Cookie: c${index}=${'v'.repeat(12)}${index}`),
    'Content-Length: 2\r\n\r\n{}',
  ],
  'one header of 1 MB': [begun(`X-A: ${'b'.repeat(2 ** 20)}\r\n`), 'Content-Length: 2\r\n\r\n{}'],
  'a header without colon': [begun('nonsense\r\n'), 'Content-Length: 2\r\n\r\n{}'],
  'a header without name': [begun(': x\r\n'), 'Content-Length: 2\r\n\r\n{}'],
  'a header with a zero': [begun('X-A: a\0b\r\n'), 'Content-Length: 2\r\n\r\n{}'],
  'a header with an escape': [begun('X-A: \u001b[31mred\r\n'), 'Content-Length: 2\r\n\r\n{}'],
  'a folded header': [begun('X-A: a\r\n  b\r\n'), 'Content-Length: 2\r\n\r\n{}'],
  'a header named as no other': [begun('__proto__: x\r\nconstructor: y\r\n'), 'Content-Length: 2\r\n\r\n{}'],
  'lone line feeds': ['HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'],
  'a negative length': [begun('Content-Length: -1\r\n\r\n'), '{}'],
  'a length in words': [begun('Content-Length: two\r\n\r\n'), '{}'],
  'a length beyond all numbers': [begun(`Content-Length: ${'9'.repeat(40)}\r\n\r\n`), '{}'],
  'a length of 9 PB': [begun('Content-Length: 9007199254740991\r\n\r\n'), { of: 'x'.repeat(65_536), times: ever }],
  'two lengths': [begun('Content-Length: 2\r\nContent-Length: 3\r\n\r\n'), '{}'],
  'a length and chunks': [begun('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'), '2\r\n{}\r\n0\r\n\r\n'],
  'a length that is too long': [begun('Content-Length: 100\r\n\r\n'), '{}', close],
  'a length that is too long, then silence': [begun('Content-Length: 100\r\n\r\n'), '{}'],
  'a length that is too short': [begun('Content-Length: 2\r\n\r\n'), '{}{"more":true}'],
  'no length and no end': [begun('\r\n'), '{}'],
  'an unknown encoding of the transfer': [begun('Transfer-Encoding: rot13\r\n\r\n'), '{}', close],
  'a chunk of a negative size': chunked('-5\r\n{}\r\n0\r\n\r\n'),
  'a chunk of no size': chunked('zz\r\n{}\r\n0\r\n\r\n'),
  'a chunk of 16 EB': chunked('FFFFFFFFFFFFFFFF\r\n', { of: 'x'.repeat(65_536), times: ever }),
  'a chunk that ends elsewhere': chunked('5\r\n{}\r\n0\r\n\r\n', close),
  'chunks for ever': chunked({ of: `1000\r\n${'x'.repeat(4096)}\r\n`, times: ever }),
  'chunks of one byte for ever': chunked({ of: '1\r\nx\r\n', times: ever, everyMs: 20 }),
  'extensions of chunks without end': chunked('2;', { of: 'a=b;'.repeat(4096), times: ever }),
  'trailers without end': chunked('2\r\n{}\r\n0\r\n', { of: 'X-A: b\r\n'.repeat(1000), times: ever }),
  'a body that drips': [begun('Content-Length: 1000000\r\n\r\n'), { of: 'x', times: ever, everyMs: 20 }],
  'a body without end': [begun('\r\n'), { of: 'x'.repeat(65_536), times: ever }],
  'interim answers for ever': [{ of: 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', times: ever }],
  'interim answers that drip': [{ of: 'HTTP/1.1 100 Continue\r\n\r\n', times: ever, everyMs: 50 }],
  'another protocol': [
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    { hex: '8100' },
  ],
  'the version of a joke': ['HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
  'small letters': ['http/1.1 200 ok\r\ncontent-length: 2\r\n\r\n{}'],
  'HTTP/1.0 without length': ['HTTP/1.0 200 OK\r\n\r\n{}', close],
  'status 000': [answer('000 none', '{}')],
  'status 99': [answer('99 few', '{}')],
  'status 600': [answer(600, '{}')],
  'status 999': [answer(999, '{}')],
  'status in words': [answer('okay fine', '{}')],
  'a 204 with content': ['HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}'],
  'a 304 for all': ['HTTP/1.1 304 Not Modified\r\n\r\n'],
  'two answers to one request': [answer(200, '{}') + answer(500, '{"second":true}')],
  'gzip that is none': [begun('Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n'), '{}'],
  'gzip that is cut': [
    begun('Content-Encoding: gzip\r\nContent-Length: 12\r\n\r\n'),
    { hex: '1f8b08000000000000034b4c' },
  ],
  'an encoding nobody has': [begun('Content-Encoding: zstd, br, gzip, gzip\r\nContent-Length: 2\r\n\r\n'), '{}'],
  'patience for ever': [answer(503, '{}', 'Retry-After: 0\r\n')],
  'patience of a day': [answer(429, '{}', 'Retry-After: 86400\r\n')],
  'patience until long ago': [answer(429, '{}', 'Retry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\n')],
  'patience of nobody': [answer(429, '{}', 'Retry-After: soon\r\n')],
  'patience without end': [answer(503, '{}', `Retry-After: ${'9'.repeat(400)}\r\n`)],
};

const pages: Readonly<Record<string, string>> = {
  'a portal':
    '<html><head><meta http-equiv="refresh" content="0;url=http://portal.example/login"></head>Sign in</html>',
  'a parked domain': '<html>This domain is for sale</html>',
};

/** Pages of others in the place of the service. */
export const captive: Readonly<Record<string, Wire>> = Object.fromEntries(
  Object.entries(pages).flatMap(([name, page]) =>
    [200, 201, 403, 404, 502, 511].map((status) => [`${name} with ${status}`, [answer(status, page, '', 'text/html')]]),
  ),
);

/** Redirects to nowhere; the port is that of the wire itself. */
export const redirects: Readonly<Record<string, Wire>> = Object.fromEntries(
  [301, 302, 303, 307, 308].flatMap((status) =>
    ['/', '//{{host}}/x', 'http://{{host}}/', 'https://login.invalid/', 'file:///etc/passwd', 'http://[', ''].map(
      (to) => [`${status} to "${to}"`, [answer(status, '{}', `Location: ${to}\r\n`)]],
    ),
  ),
);

/** Bodies that claim to be JSON. */
export const bodies: Readonly<Record<string, string>> = {
  nothing: '',
  null: 'null',
  true: 'true',
  'a number': '17',
  'a text': '"text"',
  'an empty list': '[]',
  'an empty object': '{}',
  'a million lists, nested': '['.repeat(1_000_000),
  'a hundred thousand objects, nested': '{"data":'.repeat(100_000) + '1' + '}'.repeat(100_000),
  'numbers beyond all': `{"data":{"$oid":${'9'.repeat(5000)},"$version":1e999},"version":-1e999}`,
  'a version that is none': '{"data":{"$oid":"o","$version":"NaN"},"version":1.5,"links":17}',
  'a text of 20 MB': JSON.stringify({ data: 'x'.repeat(20_000_000) }),
  'blanks of 31 MB': ' '.repeat(31_000_000) + '{}',
  'three hundred thousand members': `{${Array.from({ length: 300_000 }, (_item, index) => `"m${index}":${index}`).join(',')}}`,
  'a million entries': `{"data":[${'{},'.repeat(999_999)}{}]}`,
  'members twice': '{"version":1,"version":2,"data":{"$oid":"a","$oid":"b"}}',
  'members of all objects':
    '{"__proto__":{"data":{"$oid":"o"}},"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":1}',
  'half a surrogate': '{"data":{"$oid":"\\ud800","$version":1},"version":1}',
  'escapes of terminals': '{"title":"\\u001b]0;owned\\u0007\\u001b[2J\\u202e","detail":"\\u009b31m"}',
  zeros: '{"data":{"$oid":"a\\u0000b"}}\0\0',
  'a mark of byte order': '\ufeff{"data":{}}',
  'a comma too many': '{"data":{},}',
  'two documents': '{"data":{}}{"data":{}}',
  'half a document': '{"data":{"$oid":"o","$vers',
  'a page': '<!doctype html><p>welcome</p>',
  'a fault in XML': '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><Error>&b;</Error>',
  'a stack': 'java.lang.NullPointerException\n\tat com.example.Main.main(Main.java:1)',
  'links to everywhere':
    '{"data":{"$oid":"o","$version":1},"version":1,"href":"http://169.254.169.254/latest","links":[{"rel":"page","href":"http://127.0.0.1:9/x","totalNumber":99999999,"pages":9999999},{"rel":"self","href":"file:///etc/passwd"}]}',
  'a page link of millions':
    '{"data":{"$oid":"o","$version":1,"files":[]},"version":1,"links":[{"rel":"page","sectionPath":"data/files","href":"/p/{pageNumber}","totalNumber":9007199254740991}]}',
};

/** The same to everything, with headers that make it look like a service. */
export const yesMen: Readonly<Record<string, Wire>> = Object.fromEntries(
  Object.entries(bodies).flatMap(([name, body]) =>
    [200, 201, 500].map((status) => [
      `${name} with ${status}`,
      [answer(status, body, 'Location: /api/space/main/softtype/o\r\nSvc-UOIVersion: 1\r\nETag: "1"\r\n')],
    ]),
  ),
);
