import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { mediaTypes } from '../../contract/names.ts';
import { STATUS_CODES, createServer, originForm } from '../../contract/node-http.ts';

/** Where a server listens. */
export interface Place {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How long a connection is kept between two requests. */
const keepAliveMs = 72_000;

/** How long a caller may send nothing of a body that it has begun: one that stalls would keep what it opened for ever. */
const longestPauseMs = 65_000;

/** Connections that one run of a server answers, from when its handler is known. */
class Guests {
  readonly #sockets = new Set<Duplex>();
  #known = Promise.withResolvers<Handler>();
  #handler: Handler | undefined;

  enter(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  receive(handler: Handler): void {
    this.#handler = handler;
    this.#known.resolve(handler);
  }

  /** Has them wait for another handler. */
  suspend(): void {
    this.#handler = undefined;
    this.#known = Promise.withResolvers<Handler>();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#handler) return this.#handler(request, response);
    const handler = await this.#known.promise;
    if (!request.socket.destroyed) handler(request, response);
  }

  /** Ends their connections, whatever is on its way. */
  dismiss(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * Where clients come in. It stays open from the first run of a server to its last: a port that is given up for a moment may be somebody
 * else's in the next. Who connects between two runs waits for the second.
 */
export class Door {
  readonly #server = createServer((request, response) => {
    this.#underWay.set(request.socket, response);
    request.url = originForm(request.url);
    void this.#hosts.get(request.socket)?.answer(request, response);
  });
  readonly #hosts = new WeakMap<Duplex, Guests>();
  /** The answer to the last request of each connection. */
  readonly #underWay = new WeakMap<Duplex, ServerResponse>();
  #guests = new Guests();

  constructor(pauseMs = longestPauseMs) {
    this.#server.timeout = pauseMs;
    this.#server.on('timeout', (socket) => this.#noteSilence(socket));
    this.#server.keepAliveTimeout = keepAliveMs;
    this.#server.requestTimeout = 0;
    this.#server.on('clientError', refuseMalformed);
    this.#server.on('connection', (socket) => {
      this.#hosts.set(socket, this.#guests);
      this.#guests.enter(socket);
    });
  }

  /** With a listener Node leaves every such connection to it. A request whose body is whole may wait for its answer as long as it takes. */
  #noteSilence(socket: Socket): void {
    const response = this.#underWay.get(socket);
    if (response === undefined || response.writableFinished) return void socket.destroy();
    const { complete, readableLength, readableHighWaterMark } = response.req;
    // where what has come is not read yet, it is for the server to go on
    if (!complete && readableLength < readableHighWaterMark)
      refuse(socket, 408, 'The body stalled before it was whole.');
  }

  /** Resolves with the address. @throws {Error} the port is taken */
  async listen(place: Place): Promise<string> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return urlOf(server.address());
  }

  /** Takes a connection that came another way than by a port. */
  admit(connection: Duplex): void {
    this.#server.emit('connection', connection);
  }

  /** Has those answered by it who have come since the last turn, and who come from now on. */
  open(handler: Handler): void {
    this.#guests.receive(handler);
  }

  /** Lets all requests from now on wait for the next handler, on the connections that there are. */
  pause(): void {
    this.#guests.suspend();
  }

  /** Lets those who come from now on wait for the next handler. Connections without a request end; ends the others when it is called. */
  turn(): () => void {
    const former = this.#guests;
    this.#guests = new Guests();
    this.#server.closeIdleConnections();
    return () => former.dismiss();
  }

  /** Lets nobody in any more. Connections without a request end; ends the others when it is called, and resolves when all have ended. */
  close(): () => Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    return () => {
      this.#guests.dismiss();
      return closed;
    };
  }
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('Expected to listen on a port.');
  const { address: host, port, family } = address;
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

/** Answers bytes that are no HTTP request: there is no call, so there is nothing that an area could be asked. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  refuse(socket, statusOf(error), 'Expected a request that HTTP/1.1 knows.');
}

/** Answers below everything that knows routes, and ends the connection. */
function refuse(socket: Duplex, status: number, detail: string): void {
  const title = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
  });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${mediaTypes.problem}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function statusOf(error: NodeJS.ErrnoException): number {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431;
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}
