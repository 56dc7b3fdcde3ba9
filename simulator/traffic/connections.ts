import { connect, isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as connectSecurely, type SecureContext } from 'node:tls';
import { messageOf } from '../../contract/thrown.ts';
import { type Answer, AnswerReader } from './answer.ts';

/** After so long, in ms, an end that came with the last answer has been read. */
export const restMs = 5;

/** A connection ended in an orderly way, before the answer. */
export const endedCode = 'closed before the answer';
const timeoutCode = 'timeout';
/** What is said of requests once everything is closed. */
export const closedCode = 'the connections are closed';

/** Where all connections read to, 64 KiB at once: what comes is taken before the next one reads. */
const room = Buffer.allocUnsafeSlow(64 * 1024);

/** Whoever uses a connection for one request. Told of one end, never before `send` returns. */
export interface ConnectionUser {
  /** The bytes go out. */
  sent(): void;
  taken(answer: Answer): void;
  /** @param code of the error, or one of the words above. @param hasBegun whether any byte of an answer had come */
  lost(code: string, hasBegun: boolean): void;
}

export interface PackedRequest {
  /** Of a text, one a character. */
  readonly bytes: string | Buffer;
  /** Follows the bytes. */
  readonly stream?: Readable;
}

/** One connection of its own, made anew when it has ended. */
export class Connection {
  /** It has answered since it was made. */
  wasKept = false;
  /** When it was given back, in monotonic ms. */
  givenAt = 0;
  /** When something went out or came in last, in monotonic ms. */
  activeAt = 0;
  readonly #origin: URL;
  readonly #secureContext: SecureContext | undefined;
  #reader = new AnswerReader();
  #socket: Socket | undefined;
  #isConnected = false;
  #user: ConnectionUser | undefined;
  #request: PackedRequest | undefined;
  /** Of what follows the request that is under way. */
  #stream: Readable | undefined;
  #isClosed = false;

  constructor(origin: URL, { secureContext }: Pick<ConnectionOptions, 'secureContext'> = {}) {
    this.#origin = origin;
    this.#secureContext = secureContext;
  }

  send(request: PackedRequest, user: ConnectionUser): void {
    if (this.#isClosed) return queueMicrotask(() => user.lost(closedCode, false));
    this.#user = user;
    this.#request = request;
    this.activeAt = performance.now();
    if (this.#socket === undefined) this.#open();
    else if (this.#isConnected) this.#write();
  }

  /** Ends it when it has been idle for so long under way, in ms. */
  endWhenSilent(now: number, timeoutMs: number): void {
    if (this.#user !== undefined && now - this.activeAt > timeoutMs) this.#lose(timeoutCode);
  }

  close(): void {
    this.#isClosed = true;
    this.#lose(closedCode);
  }

  #open(): void {
    const { hostname, port, protocol } = this.#origin;
    const isSecure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const place = { host, port: Number(port || (isSecure ? 443 : 80)), noDelay: true };
    const took = (bytes: Buffer, length: number): void => {
      if (this.#socket === socket) this.#read(bytes, length);
    };
    const servername = isIP(host) === 0 ? host : '';
    const secureContext = this.#secureContext && { secureContext: this.#secureContext };
    const socket = isSecure
      ? connectSecurely({ ...place, servername, ALPNProtocols: ['http/1.1'], ...secureContext })
      : connect({
          ...place,
          onread: {
            buffer: room,
            callback: (length) => {
              took(room, length);
              return true;
            },
          },
        });
    this.#socket = socket;
    this.wasKept = false;
    this.#reader = new AnswerReader();
    const lost = (code: string): void => {
      if (this.#socket === socket) this.#lose(code);
    };
    if (isSecure) socket.on('data', (bytes: Buffer) => took(bytes, bytes.length));
    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      if (this.#socket !== socket) return;
      this.#isConnected = true;
      if (this.#request !== undefined) this.#write();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => lost(error.code ?? error.message));
    socket.on('end', () => this.#socket === socket && this.#end());
    socket.on('close', () => lost(endedCode));
  }

  #write(): void {
    const [socket, request, user] = [this.#socket, this.#request, this.#user];
    if (socket === undefined || request === undefined || user === undefined) return;
    this.#request = undefined;
    this.activeAt = performance.now();
    user.sent();
    if (typeof request.bytes === 'string') socket.write(request.bytes, 'latin1');
    else socket.write(request.bytes);
    const { stream } = request;
    if (stream === undefined) return;
    stream.on('data', () => (this.activeAt = performance.now()));
    stream.on('error', (error) => this.#socket === socket && this.#lose(error.message));
    stream.pipe(socket, { end: false });
    this.#stream = stream;
  }

  #read(bytes: Buffer, length: number): void {
    // nobody asked for it
    if (this.#user === undefined) return this.#drop();
    this.activeAt = performance.now();
    try {
      const answer = this.#reader.read(bytes, length);
      if (answer !== undefined) this.#take(answer);
    } catch (error) {
      this.#lose(messageOf(error));
    }
  }

  #end(): void {
    const answer = this.#user && this.#reader.end();
    if (answer !== undefined) this.#take(answer);
    else this.#lose(endedCode);
  }

  #take(answer: Answer): void {
    const user = this.#user;
    this.#user = undefined;
    const isWhollySent = this.#stream === undefined || this.#stream.readableEnded;
    if (!answer.keeps || !isWhollySent) this.#drop();
    else this.wasKept = true;
    this.#stream = undefined;
    user?.taken(answer);
  }

  #lose(code: string): void {
    const user = this.#user;
    const { hasBegun } = this.#reader;
    this.#user = undefined;
    this.#drop();
    user?.lost(code, hasBegun);
  }

  #drop(): void {
    const [socket, stream] = [this.#socket, this.#stream];
    this.#socket = undefined;
    this.#stream = undefined;
    this.#request = undefined;
    this.#isConnected = false;
    stream?.unpipe();
    stream?.destroy();
    socket?.destroy();
  }
}

/** Whoever wants a connection. */
export interface Waiter {
  /** @param connection none when all are closed */
  receive(connection: Connection | undefined): void;
}

export interface ConnectionOptions {
  readonly origin: string;
  /** At once. */
  readonly most: number;
  readonly timeoutMs: number;
  /** Where the target speaks TLS; that of every client unless given. */
  readonly secureContext?: SecureContext;
}

/** How often is looked for what is silent for too long: so many times within that time, and at least every so many ms. */
const [looks, rarestLookMs] = [20, 250];

/**
 * Connections of which each carries one request at a time. The one that was used last is taken first; whoever finds none free waits, in
 * order.
 */
export class Connections {
  /** The target ended a kept connection that a request was sent on. */
  endsSilently = false;
  readonly #options: ConnectionOptions;
  readonly #origin: URL;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  readonly #looking: NodeJS.Timeout;
  #waiting: Waiter[] = [];
  #served = 0;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#origin = new URL(options.origin);
    const { timeoutMs } = options;
    this.#looking = setInterval(
      () => {
        const now = performance.now();
        for (const connection of this.#all) connection.endWhenSilent(now, timeoutMs);
      },
      Math.min(rarestLookMs, Math.max(1, timeoutMs / looks)),
    ).unref();
  }

  /** Calls back at once, or when one is free. @param isDelicate where kept connections end silently, one that has just answered is the last choice */
  take(waiter: Waiter, isDelicate: boolean): void {
    if (this.#isClosed) return waiter.receive(undefined);
    const connection =
      isDelicate && this.endsSilently
        ? (this.#takeRested() ?? this.#openAnother() ?? this.#free.pop())
        : (this.#free.pop() ?? this.#openAnother());
    if (connection === undefined) this.#waiting.push(waiter);
    else waiter.receive(connection);
  }

  give(connection: Connection): void {
    connection.givenAt = performance.now();
    const next = this.#waiting[this.#served];
    if (next === undefined) return void this.#free.push(connection);
    this.#served += 1;
    if (this.#served * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#served);
      this.#served = 0;
    }
    next.receive(connection);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    const waiting = this.#waiting.slice(this.#served);
    this.#waiting = [];
    for (const connection of this.#all) connection.close();
    for (const waiter of waiting) waiter.receive(undefined);
  }

  /** The free ones are in the order in which they were given back. */
  #takeRested(): Connection | undefined {
    const before = performance.now() - restMs;
    const index = this.#free.findLastIndex(({ givenAt }) => givenAt < before);
    return index < 0 ? undefined : this.#free.splice(index, 1)[0];
  }

  #openAnother(): Connection | undefined {
    if (this.#all.length >= this.#options.most) return undefined;
    const connection = new Connection(this.#origin, this.#options);
    this.#all.push(connection);
    return connection;
  }
}
