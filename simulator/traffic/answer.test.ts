import { createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'undici';
import { describe, expect, test } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import { AnswerReader, BadAnswer } from './answer.ts';
import { openSender } from './send.ts';
import type { HttpStep } from './step.ts';

/** How a client saw the answers to two requests that it sent one after the other. */
interface Seen {
  readonly answers: readonly (Told | 'an error')[];
  readonly connections: number;
}

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a target sends to the first request; to the second one an answer that is right. */
interface Odd {
  readonly bytes: string;
  /** The connection ends behind it. */
  readonly ends?: true;
}

const right = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright';
const patienceMs = 2000;

const whole = (more: string, body = ''): string => `HTTP/1.1 200 OK\r\n${more}\r\n${body}`;

const corpus: Readonly<Record<string, Odd>> = {
  'a length': { bytes: whole('Content-Length: 3\r\n', 'abc') },
  'a length of nothing': { bytes: whole('Content-Length: 0\r\n') },
  chunks: { bytes: whole('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n') },
  'chunks with extensions': { bytes: whole('Transfer-Encoding: chunked\r\n', '3;a=b\r\nabc\r\n0;c\r\n\r\n') },
  'chunks with trailers': { bytes: whole('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\nX: y\r\n\r\n') },
  'a chunk longer than it says': { bytes: whole('Transfer-Encoding: chunked\r\n', '3\r\nabcd\r\n0\r\n\r\n') },
  'a chunk of no size': { bytes: whole('Transfer-Encoding: chunked\r\n', 'x\r\nabc\r\n0\r\n\r\n') },
  'a chunk of a negative size': { bytes: whole('Transfer-Encoding: chunked\r\n', '-3\r\nabc\r\n0\r\n\r\n') },
  'chunks that break off': { bytes: whole('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n'), ends: true },
  'chunks whose lines end with LF': { bytes: whole('Transfer-Encoding: chunked\r\n', '3\nabc\n0\n\n'), ends: true },
  'another coding before chunks': { bytes: whole('Transfer-Encoding: gzip, chunked\r\n', '3\r\nabc\r\n0\r\n\r\n') },
  'another coding alone': { bytes: whole('Transfer-Encoding: gzip\r\n', 'abc'), ends: true },
  'a length beside chunks': {
    bytes: whole('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
  },
  'chunks beside a length': {
    bytes: whole('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '3\r\nabc\r\n0\r\n\r\n'),
  },
  'two lengths': { bytes: whole('Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd') },
  'the same length twice': { bytes: whole('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc') },
  'a list of lengths': { bytes: whole('Content-Length: 3, 3\r\n', 'abc') },
  'a negative length': { bytes: whole('Content-Length: -3\r\n', 'abc') },
  'a length with a sign': { bytes: whole('Content-Length: +3\r\n', 'abc') },
  'an empty length': { bytes: whole('Content-Length: \r\n', 'abc'), ends: true },
  'a hexadecimal length': { bytes: whole('Content-Length: 0x3\r\n', 'abc') },
  'an interim answer before': {
    bytes: `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${whole('Content-Length: 3\r\n', 'abc')}`,
  },
  'several interim answers before': {
    bytes: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${whole('Content-Length: 1\r\n', 'a')}`,
    ends: true,
  },
  'another protocol': {
    bytes: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ends: true,
  },
  '204': { bytes: 'HTTP/1.1 204 No Content\r\nX: y\r\n\r\n' },
  '304 with a length': { bytes: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n' },
  'no length, until the end': { bytes: whole('X: y\r\n', 'abc'), ends: true },
  'an announced end': { bytes: whole('Connection: close\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'an announced end in a list': { bytes: whole('Connection: x, Close\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a body that breaks off': { bytes: whole('Content-Length: 5\r\n', 'abc'), ends: true },
  'a body that stops': { bytes: whole('Content-Length: 5\r\n', 'abc') },
  'a head that breaks off': { bytes: 'HTTP/1.1 200 OK\r\nContent-Le', ends: true },
  'no byte at all': { bytes: '', ends: true },
  'HTTP/1.0': { bytes: 'HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc', ends: true },
  'HTTP/1.0 that is kept': { bytes: 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc' },
  'no reason': { bytes: 'HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nabc' },
  'no reason and no blank': { bytes: 'HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc' },
  'a status of two digits': { bytes: 'HTTP/1.1 20 OK\r\nContent-Length: 3\r\n\r\nabc', ends: true },
  'a status of four digits': { bytes: 'HTTP/1.1 2000 OK\r\nContent-Length: 3\r\n\r\nabc', ends: true },
  'lines that end with LF': { bytes: 'HTTP/1.1 200 OK\nContent-Length: 3\n\nabc', ends: true },
  'one line that ends with LF': { bytes: whole('X: y\nContent-Length: 3\r\n', 'abc'), ends: true },
  'CR without LF': { bytes: whole('X: y\rContent-Length: 3\r\n', 'abc'), ends: true },
  'a folded header': { bytes: whole('X: y\r\n z\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a blank before the colon': { bytes: whole('X : y\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a header without a colon': { bytes: whole('X\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a header without a name': { bytes: whole(': y\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a header without a value': { bytes: whole('X:\r\nContent-Length: 3\r\n', 'abc') },
  'a header with blanks around': { bytes: whole('X: \t y \t \r\nContent-Length: 3\r\n', 'abc') },
  'a header twice': { bytes: whole('X: y\r\nx: z\r\nContent-Length: 3\r\n', 'abc') },
  'a null byte in a header': { bytes: whole('X: a\0b\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a control character in a header': { bytes: whole('X: a\u0001b\r\nContent-Length: 3\r\n', 'abc'), ends: true },
  'a header beyond ASCII': { bytes: whole('X: \u00fc\r\nContent-Length: 3\r\n', 'abc') },
  'headers of 15 KiB': { bytes: whole(`X: ${'y'.repeat(15 * 1024)}\r\nContent-Length: 3\r\n`, 'abc') },
  'headers of 20 KiB': { bytes: whole(`X: ${'y'.repeat(20 * 1024)}\r\nContent-Length: 3\r\n`, 'abc'), ends: true },
  'a body of 300 KiB': { bytes: whole(`Content-Length: ${300 * 1024}\r\n`, 'z'.repeat(300 * 1024)) },
  garbage: { bytes: 'no HTTP at all\r\n\r\n', ends: true },
  'another protocol by name': { bytes: 'ICY 200 OK\r\nContent-Length: 3\r\n\r\nabc', ends: true },
  'empty lines before': { bytes: `\r\n${whole('Content-Length: 3\r\n', 'abc')}` },
};

/** Behind an answer that is whole. It is that answer, and the connection is not used again. */
const behind: Readonly<Record<string, string>> = {
  'an answer that nobody asked for': right,
  garbage: 'garbage',
  'an empty line': '\r\n',
};

/** What is another thing to undici, as RFC 9110 and 9112 have it. */
const apart: Readonly<Record<string, Partial<Seen>>> = {
  // section 15.2: a client takes interim answers that it does not expect; undici takes 100 for an error
  'several interim answers before': {
    answers: [{ status: 200, headers: { 'content-length': '1' }, body: 'a' }, rightTold()],
  },
  // section 6.3: the length of a 304 is that of what it is about, and no body follows; undici connects anew
  '304 with a length': { connections: 1 },
  // section 5.1: blanks behind a value are no part of it
  'a header with blanks around': {
    answers: [{ status: 200, headers: { x: 'y', 'content-length': '3' }, body: 'abc' }, rightTold()],
  },
};

function rightTold(): Told {
  return { status: 200, headers: { 'content-length': '5' }, body: 'right' };
}

const step: HttpStep = { kind: 'http', op: 'x', method: 'GET', path: '/x' };

async function served(odd: Odd, cuts: readonly number[]) {
  let connections = 0;
  let asked = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (!bytes.includes('\r\n\r\n')) return;
      asked += 1;
      if (asked > 1) return void socket.write(right);
      void write(socket, odd, cuts);
    });
  });
  return { ...(await listen(server)), connections: () => connections };
}

async function write(socket: Socket, { bytes, ends }: Odd, cuts: readonly number[]): Promise<void> {
  const all = Buffer.from(bytes, 'latin1');
  const places = [
    0,
    ...cuts.map((cut) => cut % Math.max(1, all.length)).toSorted((one, other) => one - other),
    all.length,
  ];
  for (const [index, from] of places.slice(0, -1).entries()) {
    if (index > 0) await turn();
    socket.write(all.subarray(from, places[index + 1]));
  }
  if (ends === true) socket.end();
}

async function seenByUndici(odd: Odd, cuts: readonly number[]): Promise<Seen> {
  await using target = await served(odd, cuts);
  const client = new Client(target.url, { headersTimeout: patienceMs, bodyTimeout: patienceMs });
  const ask = async (): Promise<Told | 'an error'> => {
    try {
      const { statusCode: status, headers, body } = await client.request({ path: '/x', method: 'GET' });
      const texts = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')] as const);
      return { status, headers: Object.fromEntries(texts), body: await body.text() };
    } catch {
      return 'an error';
    }
  };
  const answers = [await ask()];
  await turn();
  answers.push(await ask());
  await client.destroy();
  return { answers, connections: target.connections() };
}

async function seenByUs(odd: Odd, cuts: readonly number[]): Promise<Seen> {
  await using target = await served(odd, cuts);
  const setup = { baseUrl: target.url, authorizationOf: () => 'Bearer x', timeoutMs: patienceMs };
  await using sender = openSender(setup, 1);
  const ask = async (): Promise<Told | 'an error'> => {
    const { result, error } = await sender.send(step);
    return error === undefined ? result : 'an error';
  };
  const answers = [await ask()];
  await turn();
  answers.push(await ask());
  return { answers, connections: target.connections() };
}

describe('an odd answer is the same to undici and to the client of journeys', () => {
  test.for(Object.entries(corpus))('%s', async ([name, odd]) => {
    const everywhere = Array.from({ length: Math.min(odd.bytes.length, 200) }, (_, index) => index);
    for (const cuts of [[], everywhere]) {
      const [theirs, ours] = await Promise.all([seenByUndici(odd, cuts), seenByUs(odd, cuts)]);
      expect(ours).toEqual({ ...theirs, ...apart[name] });
      if (name in apart) expect(ours).not.toEqual(theirs);
    }
  });

  test.for(Object.entries(behind))('%s behind an answer is not the next answer', async ([, more]) => {
    const odd = { bytes: whole('Content-Length: 3\r\n', 'abc') + more };
    const [theirs, ours] = await Promise.all([seenByUndici(odd, []), seenByUs(odd, [])]);
    expect(ours.answers).toEqual([expect.objectContaining({ body: 'abc' }), rightTold()]);
    expect(theirs.answers[0]).toEqual(ours.answers[0]);
    expect(ours.connections).toBe(2);
  });
});

describe('a reader of answers', () => {
  const read = (bytes: string, cuts: readonly number[]): unknown => {
    const reader = new AnswerReader();
    const all = Buffer.from(bytes, 'latin1');
    const places = [
      0,
      ...cuts.map((cut) => cut % Math.max(1, all.length)).toSorted((one, other) => one - other),
      all.length,
    ];
    const room = Buffer.alloc(all.length);
    try {
      for (const [index, from] of places.slice(0, -1).entries()) {
        const to = places[index + 1] ?? all.length;
        // the room is used again, as that of a connection is
        room.fill('#');
        all.copy(room, 0, from, to);
        const answer = reader.read(room, to - from);
        if (answer !== undefined)
          return { ...answer, pieces: Buffer.concat(answer.pieces).toString('latin1'), keeps: undefined };
      }
      const last = reader.end();
      return last === undefined
        ? 'nothing'
        : { ...last, pieces: Buffer.concat(last.pieces).toString('latin1'), keeps: undefined };
    } catch (error) {
      if (error instanceof BadAnswer) return 'bad';
      throw error;
    }
  };

  test('reads the same wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(corpus)),
        fc.array(fc.nat(400), { maxLength: 12 }),
        ({ bytes }, cuts) => {
          expect(read(bytes, cuts)).toEqual(read(bytes, []));
        },
      ),
      { numRuns: 400 },
    );
  });
});
