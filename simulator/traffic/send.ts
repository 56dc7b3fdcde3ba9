import type { Dispatcher } from 'undici';
import { type Connection, Connections, type Waiter } from './connections.ts';
import type { Begin, Send, Sent } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import { mayResend } from './resend.ts';
import type { HttpStep } from './step.ts';
import { mostBodyBytes, pathOnWire, pathPrefixOf, textOf, wireRequestOf } from './wire.ts';

/** What undici says of requests of a client that is closed. */
const closedCode = 'UND_ERR_DESTROYED';
/** The connection ended; what else an error may tell is about the request or the answer. */
const endCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

type SenderSetup = Pick<EngineSetup, 'baseUrl' | 'authorizationOf' | 'informationFilter' | 'timeoutMs'>;

/** A sender over undici's dispatch, on connections of its own. */
export interface Sender extends AsyncDisposable {
  readonly begin: Begin;
  readonly send: Send;
  /** Requests that were sent again on a new connection. */
  readonly reconnected: number;
  /** Requests that were lost with a kept connection, and must not be sent again. */
  readonly lost: number;
}

/** @param connections most connections at once */
export function openSender(setup: SenderSetup, connections: number): Sender {
  const { origin } = new URL(setup.baseUrl);
  const pool = new Connections({ origin, most: connections, timeoutMs: setup.timeoutMs });
  const line: Line = { setup, pool, prefix: pathPrefixOf(setup.baseUrl), reconnected: 0, lost: 0 };
  const begin: Begin = (step, done) => pool.take(new Exchange(line, step, done), step.method !== 'GET');
  return {
    begin,
    send: (step) => new Promise((resolve) => begin(step, resolve)),
    get reconnected() {
      return line.reconnected;
    },
    get lost() {
      return line.lost;
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** What all exchanges of a sender share. */
interface Line {
  readonly setup: SenderSetup;
  readonly pool: Connections;
  readonly prefix: string;
  reconnected: number;
  lost: number;
}

/** One request on its way, and once more where that may be. */
class Exchange implements Dispatcher.DispatchHandler, Waiter {
  readonly #line: Line;
  readonly #step: HttpStep;
  readonly #done: (sent: Sent) => void;
  #connection: Connection | undefined;
  #isRepeated = false;
  #sentAt = performance.now();
  #status = 0;
  #headers: Record<string, string> = {};
  readonly #pieces: Buffer[] = [];
  #length = 0;

  constructor(line: Line, step: HttpStep, done: (sent: Sent) => void) {
    this.#line = line;
    this.#step = step;
    this.#done = done;
  }

  /** What must not be sent twice goes out a turn of the event loop later, as the end of a connection is read after the last answer on it. */
  receive(connection: Connection | undefined): void {
    this.#connection = connection;
    if (connection === undefined) queueMicrotask(() => this.#end(closedCode));
    else if (this.#step.method !== 'GET' && connection.wasKept) setImmediate(() => this.#dispatch(connection));
    else this.#dispatch(connection);
  }

  #dispatch({ client }: Connection): void {
    const { setup, prefix } = this.#line;
    try {
      const { method, path, headers, body } = wireRequestOf(this.#step, setup);
      client.dispatch({ path: pathOnWire(prefix, path), method, headers, body: body ?? null }, this);
    } catch (error) {
      queueMicrotask(() => this.#end(describeError(error)));
    }
  }

  onRequestStart(): void {
    if (!this.#isRepeated) this.#sentAt = performance.now();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = flattenHeaders(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > mostBodyBytes) controller.abort(new Error(`the answer is longer than ${mostBodyBytes} bytes`));
    else this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    if (this.#connection !== undefined) this.#connection.wasKept = true;
    this.#end();
  }

  /** A turn later: undici is still taking the connection down, and must not be given another request while it does. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    queueMicrotask(() => this.#fail(describeError(error)));
  }

  #fail(code: string): void {
    const connection = this.#connection;
    const wasKept = connection?.wasKept === true && this.#status === 0 && endCodes.has(code);
    if (wasKept) this.#line.pool.endsSilently = true;
    if (connection === undefined || this.#isRepeated || !mayResend(this.#step, { wasKept, code })) {
      if (wasKept) this.#line.lost += 1;
      return this.#end(code);
    }
    this.#isRepeated = true;
    this.#line.reconnected += 1;
    this.#dispatch(connection);
  }

  #end(error?: string): void {
    const endedAt = performance.now();
    const sentAt = this.#sentAt;
    const headers = this.#headers;
    const binary = this.#step.about?.kind === 'download';
    if (this.#connection !== undefined) this.#line.pool.give(this.#connection);
    if (error === undefined)
      this.#done({ result: { status: this.#status, headers, body: textOf(this.#pieces, binary) }, sentAt, endedAt });
    else this.#done({ result: { status: 0, headers, body: '' }, sentAt, endedAt, error });
  }
}

/** Names are in lower case already. */
function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) texts[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return texts;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
