import { type IncomingMessage, createServer as createHttpServer, request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';
import type { Authority } from '../../cli/doctor/tls.fixture.ts';
import { createVariant } from '../../variants/create-variant.ts';
import type { Target } from './corpus.ts';
import { type Right, spoilers } from './spoilers.ts';
import type { Piece, Wire } from './wires.ts';

/** Something that listens, for as long as a run lasts. */
export interface Opened extends Listening {
  /** The profile of the server behind it, where there is one. */
  readonly profile?: string;
}

/** So many answers are right, so that a run begins. */
const rightOnes = 60;

/** @param authority signs certificates, where openssl is there */
export async function openTarget(target: Target, authority: Authority | undefined): Promise<Opened> {
  switch (target.kind) {
    case 'none':
      return { url: '', [Symbol.asyncDispose]: async () => undefined };
    case 'wire':
      return saying(target.wire, target.tls === undefined ? undefined : certificateOf(target.tls, authority));
    case 'spoiled':
      return spoiling(target.spoiler, target.every);
    case 'faulty':
      return serving([target.fault]);
  }
}

function certificateOf(kind: 'unknown' | 'over' | 'other-name', authority: Authority | undefined) {
  if (authority === undefined) throw new Error('Expected openssl, which makes the certificates.');
  const name = kind === 'other-name' ? 'DNS:other.example' : 'IP:127.0.0.1';
  return authority.sign({ name, ...(kind === 'over' && { isOver: true }) });
}

async function saying(wire: Wire, tls?: { readonly key: string; readonly certificate: string }): Promise<Opened> {
  const hear = (socket: Socket): void => {
    const { localPort = 0 } = socket;
    socket.on('error', () => undefined);
    socket.on('data', () => void say(socket, wire, `127.0.0.1:${localPort}`));
  };
  const server =
    tls === undefined ? createServer(hear) : createTlsServer({ key: tls.key, cert: tls.certificate }, hear);
  server.on('tlsClientError', () => undefined);
  return listen(server, tls === undefined ? 'http' : 'https');
}

/** Says the pieces one after the other, no faster than they are taken. */
async function say(socket: Socket, pieces: readonly Piece[], host: string): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (typeof piece === 'string') await write(socket, piece.replaceAll('{{host}}', host));
    else if ('hex' in piece) await write(socket, Buffer.from(piece.hex, 'hex'));
    else if ('waitMs' in piece) await sleep(piece.waitMs);
    else if ('of' in piece) await repeat(socket, piece);
    else if (piece.end === 'reset') socket.resetAndDestroy();
    else socket.end();
  }
}

async function repeat(socket: Socket, { of, times, everyMs }: Extract<Piece, { of: string }>): Promise<void> {
  const bytes = Buffer.from(of);
  for (let time = 0; time < times && !socket.destroyed; time += 1) {
    await write(socket, bytes);
    if (everyMs !== undefined) await sleep(everyMs);
  }
}

/** Resolves when it may go on, or never will. */
function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

async function serving(faults: readonly string[]): Promise<Required<Opened>> {
  const server = createVariant({ control: true, faults: [...faults] as never });
  const url = await server.listen();
  const profile = await (await fetch(`${url}/_control/profile.yaml`)).text();
  return { url, profile, [Symbol.asyncDispose]: () => server.close() };
}

/** The right server behind somebody who spoils each n-th answer, once the run has begun. */
async function spoiling(name: string, every: number): Promise<Opened> {
  const spoil = spoilers[name];
  if (spoil === undefined) throw new Error(`Expected a spoiler, found ${name}.`);
  const right = await serving([]);
  let [count, before]: [number, Right] = [0, { status: 200, headers: [], body: Buffer.from('{}') }];
  const passOn = async (message: IncomingMessage): Promise<void> => {
    const answer = await answerOf(message, right.url);
    count += 1;
    const isSpoiled = count > rightOnes && count % every === 0 && !message.url?.startsWith('/_control');
    const said = isSpoiled ? spoil(answer, before) : answer;
    before = answer;
    await say(message.socket, 'status' in said ? [{ hex: bytesOf(said).toString('hex') }] : said, '');
  };
  const gateway = createHttpServer({ requestTimeout: 0 }, (message) => {
    passOn(message).catch(() => message.socket.destroy());
  });
  const own = await listen(gateway);
  return {
    url: own.url,
    profile: right.profile.replaceAll(right.url, own.url),
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await right[Symbol.asyncDispose]();
    },
  };
}

async function answerOf(message: IncomingMessage, behind: string): Promise<Right> {
  const { method = 'GET', url = '/', headers } = message;
  const body = await buffer(message);
  const onward = request(behind, { method, path: url, headers: { ...headers, 'content-length': body.length } });
  onward.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    onward.on('response', resolve).on('error', reject),
  );
  const raw = answer.rawHeaders;
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
  const own = pairs.filter(([name]) => !/^(content-length|transfer-encoding|connection|keep-alive)$/i.test(name));
  return { status: answer.statusCode ?? 0, headers: own, body: await buffer(answer) };
}

function bytesOf({ status, headers, body }: Right): Buffer {
  const isBare = status === 204 || status === 304;
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length = isBare ? '' : `Content-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} x\r\n${head}${length}\r\n`), isBare ? Buffer.alloc(0) : body]);
}
