import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Client } from 'autocannon';
import { mostBodyBytes } from './answer.ts';
import { restMs } from './connections.ts';
import type { ConnectionEnd } from './resend.ts';

/** A request as it goes out. */
export interface Outgoing {
  readonly bytes: string | Buffer;
  /** Follows the bytes. */
  readonly stream?: Readable;
  /** It must not be sent twice: an end of the connection that came with the last answer is waited for. */
  readonly isDelicate: boolean;
}

export interface Incoming {
  readonly status: number;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly pieces: readonly Buffer[];
  /** From the request to the end of the answer, in ms. */
  readonly durationMs: number;
}

/** Whoever uses the connection; neither may throw, as that would end the process. */
export interface ConnectionUser {
  /** The next request; none when there is to be no more. `end`: the connection of the last one ended without a byte of answer; null when some had come, or the time was over. */
  next(end: ConnectionEnd | null): Outgoing | undefined;
  takeAnswer(incoming: Incoming): void;
}

/** What autocannon's client is made of; no part of its documented interface, and pinned by closed-loop.test.ts. */
interface Inner extends EventEmitter {
  readonly conn?: Socket;
  readonly destroyed: boolean;
  readonly pipelinedRequests: {
    addBody(slice: Buffer): void;
    peek(): { readonly bytes: number } | undefined;
    clear(): void;
  };
  readonly parser: Parser;
  _connect(): void;
  _doRequest(): void;
  getRequestBuffer(): string | Buffer;
}

interface Parser {
  execute: (piece: Buffer) => unknown;
  finish(): void;
  reinitialize(type: 'RESPONSE'): void;
  /** Of the piece that is read, in bytes: how far it is, and where it ends. */
  offset: number;
  readonly end: number;
}

interface Head {
  readonly statusCode: number;
  readonly headers: readonly string[];
}

/**
 * Puts a user in charge of what a client of autocannon sends, and takes care of what that leaves out: bytes of an answer stay bytes; a
 * connection that was left is heard no more, and half an answer on it spoils no later one; an end that is announced is kept to; an answer
 * without a length ends with its connection; one that nobody asked for ends its connection too, and would end the process else.
 */
export class UserConnection {
  readonly #client: Inner;
  readonly #user: ConnectionUser;
  readonly #connect: () => void;
  readonly #doRequest: () => void;
  #head: Head = { statusCode: 0, headers: [] };
  #pieces: Buffer[] = [];
  /** Of the pieces, in bytes. */
  #length = 0;
  #outgoing: Outgoing = { bytes: '', isDelicate: false };
  /** Not sent yet. */
  #waiting: Outgoing | undefined;
  #end: ConnectionEnd | null = null;
  #code: string | undefined;
  #isFresh = true;
  #wasKept = false;
  #isFinishing = false;
  /** The target ended a connection that it had kept, and had not said so. */
  #endsSilently = false;

  constructor(client: Client, user: ConnectionUser) {
    const inner = client as unknown as Inner;
    [this.#client, this.#user] = [inner, user];
    [this.#connect, this.#doRequest] = [inner._connect.bind(inner), inner._doRequest.bind(inner)];
    client.setRequests([{}]);
    inner.getRequestBuffer = () => this.#outgoing.bytes;
    inner._connect = () => this.#reconnect();
    inner._doRequest = () => this.#request();
    const execute = inner.parser.execute.bind(inner.parser);
    inner.parser.execute = (piece) =>
      inner.pipelinedRequests.peek() === undefined ? this.#dropUnasked() : execute(piece);
    // each piece would be decoded by itself, which breaks characters that stand on two of them
    inner.pipelinedRequests.addBody = (slice) => this.#take(slice);
    inner.on('headers', (head: Head) => {
      this.#head = head;
    });
    inner.on('connError', ({ code }: NodeJS.ErrnoException) => {
      this.#code = code ?? 'none';
    });
    inner.on('response', (_status: number, _bytes: number, durationMs: number) => this.#takeAnswer(durationMs));
  }

  /** It ends without a word, so that what must not be sent twice waits for that. */
  get waits(): boolean {
    return this.#endsSilently;
  }

  #take(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length <= mostBodyBytes) this.#pieces.push(piece);
    else this.#client.conn?.destroy(new Error(`the answer is longer than ${mostBodyBytes} bytes`));
  }

  #takeAnswer(durationMs: number): void {
    const { statusCode: status, headers: rawHeaders } = this.#head;
    const pieces = this.#pieces;
    [this.#pieces, this.#length] = [[], 0];
    this.#wasKept = true;
    this.#user.takeAnswer({ status, rawHeaders, pieces, durationMs });
  }

  #dropUnasked(): void {
    if (!this.#client.destroyed) this.#reconnect();
  }

  /** The connection ended, or is the first one. */
  #reconnect(): void {
    const { conn, parser, pipelinedRequests } = this.#client;
    const underWay = pipelinedRequests.peek();
    // not when this side ended it, as after a timeout
    const isEndedThere = this.#code !== undefined || conn?.readableEnded === true;
    if (this.#wasKept && isEndedThere && !isLast(this.#head)) this.#endsSilently = true;
    this.#end =
      underWay?.bytes === 0 ? { wasKept: this.#wasKept, ...(this.#code !== undefined && { code: this.#code }) } : null;
    if (underWay !== undefined && this.#code === undefined) this.#finish();
    parser.reinitialize('RESPONSE');
    parser.offset = parser.end;
    pipelinedRequests.clear();
    conn
      ?.removeAllListeners()
      .on('error', () => undefined)
      .destroy();
    [this.#pieces, this.#length] = [[], 0];
    this.#code = undefined;
    [this.#isFresh, this.#wasKept] = [true, false];
    this.#connect();
  }

  #finish(): void {
    this.#isFinishing = true;
    this.#client.parser.finish();
    this.#isFinishing = false;
  }

  #request(): void {
    if (this.#isFinishing) return;
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    const { parser } = this.#client;
    const isFollowed = parser.offset < parser.end;
    if (!isFresh && (isFollowed || isLast(this.#head))) return this.#reconnect();
    const outgoing = this.#waiting ?? this.#user.next(this.#end);
    this.#end = null;
    this.#waiting = undefined;
    if (outgoing === undefined) return;
    if (isFresh || !outgoing.isDelicate) this.#send(outgoing);
    else this.#sendLater(outgoing);
  }

  #send(outgoing: Outgoing): void {
    this.#outgoing = outgoing;
    this.#doRequest();
    const { conn } = this.#client;
    if (conn !== undefined) outgoing.stream?.pipe(conn, { end: false });
  }

  /** Two turns of the event loop later, as the end of a connection is read after the answer; some ms later where one has come without a word before. On the connection that there is then. */
  #sendLater(outgoing: Outgoing): void {
    this.#waiting = outgoing;
    const { conn } = this.#client;
    const turned = (): void => {
      if (this.#waiting !== outgoing || this.#client.conn !== conn || this.#client.destroyed) return;
      this.#waiting = undefined;
      this.#send(outgoing);
    };
    if (this.#endsSilently) setTimeout(turned, restMs);
    else setImmediate(() => setImmediate(turned));
  }
}

/** Whether the target announced that the connection ends with this answer. */
function isLast({ headers }: Head): boolean {
  for (let index = 0; index < headers.length; index += 2)
    if (headers[index]?.toLowerCase() === 'connection')
      return headers[index + 1]?.toLowerCase().includes('close') === true;
  return false;
}
