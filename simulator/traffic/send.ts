import { messageOf } from '../../contract/thrown.ts';
import { secureContextOf } from '../../contract/secure-context.ts';
import type { Answer } from './answer.ts';
import {
  closedCode,
  type Connection,
  Connections,
  type ConnectionUser,
  endedCode,
  type PackedRequest,
  type Waiter,
} from './connections.ts';
import type { Begin, Send, Sent } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import { mayResend } from './resend.ts';
import { noAnswer } from './results.ts';
import type { HttpStep } from './step.ts';
import { packedRequestOf, type Place, placeOf, textOf } from './wire.ts';

/** The connection ended; what else an error may tell is about the request or the answer. */
const endCodes: ReadonlySet<string> = new Set([endedCode, 'ECONNRESET', 'EPIPE']);

type SenderSetup = Pick<EngineSetup, 'baseUrl' | 'authorizationOf' | 'informationFilter' | 'timeoutMs' | 'tls'>;

/**
 * A sender on connections of its own. The judge has undici; a load has a client that does nothing but what journeys need, at half the CPU of a
 * request, and is held against undici by different.test.ts.
 */
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
  const { tls, timeoutMs } = setup;
  const secureContext = tls && { secureContext: secureContextOf(tls) };
  const pool = new Connections({ origin, most: connections, timeoutMs, ...secureContext });
  const line: Line = { setup, pool, place: placeOf(setup.baseUrl), reconnected: 0, lost: 0 };
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
    [Symbol.asyncDispose]: async () => pool.close(),
  };
}

/** What all exchanges of a sender share. */
interface Line {
  readonly setup: SenderSetup;
  readonly pool: Connections;
  readonly place: Place;
  reconnected: number;
  lost: number;
}

/** One request on its way, and once more where that may be. */
class Exchange implements ConnectionUser, Waiter {
  readonly #line: Line;
  readonly #step: HttpStep;
  readonly #done: (sent: Sent) => void;
  #connection: Connection | undefined;
  #isRepeated = false;
  #sentAt = performance.now();

  constructor(line: Line, step: HttpStep, done: (sent: Sent) => void) {
    this.#line = line;
    this.#step = step;
    this.#done = done;
  }

  /** What must not be sent twice goes out a turn of the event loop later, as the end of a connection is read after the last answer on it. */
  receive(connection: Connection | undefined): void {
    this.#connection = connection;
    if (connection === undefined) queueMicrotask(() => this.#fail(closedCode));
    else if (this.#step.method !== 'GET' && connection.wasKept) setImmediate(() => this.#send(connection));
    else this.#send(connection);
  }

  #send(connection: Connection): void {
    let packed: PackedRequest;
    try {
      packed = packedRequestOf(this.#step, this.#line.setup, this.#line.place);
    } catch (error) {
      return queueMicrotask(() => this.#fail(messageOf(error)));
    }
    connection.send(packed, this);
  }

  sent(): void {
    if (!this.#isRepeated) this.#sentAt = performance.now();
  }

  taken({ status, headers, pieces }: Answer): void {
    const endedAt = performance.now();
    const body = textOf(pieces, this.#step.about?.kind === 'download');
    this.#giveBack();
    this.#done({ result: { status, headers, body }, sentAt: this.#sentAt, endedAt });
  }

  lost(code: string, hasBegun: boolean): void {
    const connection = this.#connection;
    const wasKept = connection?.wasKept === true && !hasBegun && endCodes.has(code);
    if (wasKept) this.#line.pool.endsSilently = true;
    if (connection === undefined || this.#isRepeated || !mayResend(this.#step, { wasKept, code })) {
      if (wasKept) this.#line.lost += 1;
      return this.#fail(code);
    }
    this.#isRepeated = true;
    this.#line.reconnected += 1;
    this.#send(connection);
  }

  #fail(error: string): void {
    const endedAt = performance.now();
    this.#giveBack();
    this.#done({ result: noAnswer, sentAt: this.#sentAt, endedAt, error });
  }

  #giveBack(): void {
    if (this.#connection !== undefined) this.#line.pool.give(this.#connection);
  }
}
