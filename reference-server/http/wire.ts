import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mediaTypes } from '../../contract/names.ts';
import { STATUS_CODES } from '../../contract/node-http.ts';
import type { Clock } from '../../clock/clock.ts';
import type { FileStream } from '../ports/file-store.ts';
import type { Answer, StreamedContent, Transport } from './call.ts';

/** An answer as bytes; `content` is undefined where there is none, which is not the same as empty. */
interface Message {
  readonly status: number;
  readonly headers: Record<string, string | number>;
  readonly content: string | Buffer | undefined;
}

/** As much of a body that nobody wants is read, in bytes, so that its sender gets to see the answer; then the connection ends. */
const toleratedBytes = 4 * 1024 * 1024;

const toleratedMs = 2_000;

/**
 * Sends an answer as it stands, whatever it says: being right is the business of areas. `isLast` is asked when the answer leaves,
 * after a delay: the connection ends with it then, which is announced.
 */
export async function transmit(
  response: ServerResponse,
  answer: Answer,
  clock: Clock,
  isLast: () => boolean,
): Promise<void> {
  const message = messageOf(answer);
  const { status, headers, content } = message;
  const { transport = {}, stream } = answer;
  const unread = !response.req.complete && !response.req.destroyed;
  await prepare(response, transport, clock);
  if (isLast() || transport.close === 'announced' || unread) headers['Connection'] = 'close';
  if (transport.close === 'silent') closeBehind(response);
  if (!hasNoContent(status)) frame(response, message, answer);
  else if (content !== undefined) return sendVerbatim(response, message);
  response.writeHead(status, transport.upperCaseHeaders ? inUpperCase(headers) : headers);
  if (stream) return sendStream(response, stream);
  if (unread) await sendAhead(response, content, clock);
  else send(response, content, transport.chunked ?? false);
}

/** What comes before the head, and in its first line. */
async function prepare(
  response: ServerResponse,
  { interim, dateless, reason, delayMs }: Transport,
  clock: Clock,
): Promise<void> {
  if (interim) response.writeEarlyHints({ link: '</api>; rel=preconnect' });
  if (dateless) response.sendDate = false;
  if (reason !== undefined) response.statusMessage = reason;
  if (delayMs) await clock.sleep(delayMs, { tag: 'slow answer' });
}

/** The body has its length, unless it ends with the connection or comes in chunks. */
function frame(response: ServerResponse, { headers, content = '' }: Message, { stream, transport }: Answer): void {
  if (transport?.close === 'with the body') response.useChunkedEncodingByDefault = false;
  else if (!transport?.chunked) headers['Content-Length'] = stream?.size ?? Buffer.byteLength(content);
}

/** The answer to a request whose body was not read to its end: all of it leaves, then the rest of the body may come, then the connection ends. */
async function sendAhead(response: ServerResponse, content: string | Buffer | undefined, clock: Clock): Promise<void> {
  response.flushHeaders();
  if (content !== undefined) response.write(content);
  await drainUnread(response.req, clock);
  response.end();
}

/** A connection that ends on the way ends the reading too. */
async function sendStream(response: ServerResponse, { content }: StreamedContent): Promise<void> {
  if (response.req.method === 'HEAD') {
    content.destroy();
    return void response.end();
  }
  try {
    await pipeline(content, leaving(response, content));
    response.end();
  } catch {
    response.destroy();
  }
}

/** Hands pieces to the connection one by one, and gives their memory back when they have left: new memory for each costs more than all else. */
function leaving(response: ServerResponse, content: FileStream): Writable {
  const pieces = new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      response.write(piece, (error) => {
        content.release?.(piece);
        done(error);
      });
    },
  });
  response.once('close', () => pieces.destroy());
  return pieces;
}

/**
 * The wire form of an answer. JSON.stringify and no compiled serialiser: that would mend what a wrong answer got wrong (a version that
 * is a text, say), costs 36 ms a process, and measured equal on reads of an instance and twice as slow on pages.
 */
export function messageOf({ status, headers, body, raw }: Answer): Message {
  if (raw !== undefined) return { status, headers: { ...headers }, content: raw };
  if (body === undefined) return { status, headers: { ...headers }, content: undefined };
  const typed = headers !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    status,
    headers: typed ? { ...headers } : { 'Content-Type': mediaTypes.json, ...headers },
    content: JSON.stringify(body),
  };
}

function send(response: ServerResponse, content: string | Buffer | undefined, chunked: boolean): void {
  if (content === undefined || !chunked) return void response.end(content);
  const bytes = Buffer.from(content);
  const middle = Math.ceil(bytes.length / 2);
  response.write(bytes.subarray(0, middle));
  response.end(bytes.subarray(middle));
}

function inUpperCase(headers: Message['headers']): Message['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}

/** The response lets go of its socket as soon as it is finished, so the socket is kept from before. */
function closeBehind(response: ServerResponse): void {
  const { socket } = response;
  response.once('finish', () => socket?.destroySoon());
}

function hasNoContent(status: number): boolean {
  return status === 204 || status === 304;
}

/** Content behind a status that has none: Node drops it, so it goes to the socket by hand, and the connection ends with it. */
function sendVerbatim(response: ServerResponse, { status, headers, content = '' }: Message): void {
  const length = { 'Content-Length': Buffer.byteLength(content), Connection: 'close' };
  const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  const { socket } = response;
  socket?.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
  socket?.end(content);
}

/**
 * Reads what a client still sends although it has its answer, within limits: who closes a connection while bytes arrive
 * makes the other side lose the answer as well. Resolves when there is no more, or enough.
 */
async function drainUnread(request: IncomingMessage, clock: Clock): Promise<void> {
  const over = new AbortController();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > toleratedBytes) over.abort();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, () => over.abort());
  request.resume();
  try {
    await clock.sleep(toleratedMs, { signal: over.signal, tag: 'body that nobody wants' });
  } catch (error) {
    if (!over.signal.aborted) throw error;
  }
}
