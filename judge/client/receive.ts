import { Readable } from 'node:stream';
import { errors, type Client, type Dispatcher } from 'undici';
import type { Headers } from '../exchange.ts';
import { crowdAdvice, NoAnswer } from './failure.ts';
import { kindOf, type Silences } from './silences.ts';
import type { Turns } from './turns.ts';
import { isChunked, isCoding, sentHeaders, splitUrl, type WireAnswer, type WireRequest } from './wire.ts';

export type Received = Omit<WireAnswer, 'exchange'>;

interface ReceiveLimits {
  /** Less where requests of the kind are left without an answer again and again. */
  readonly timeoutMs: number;
  readonly silences: Silences;
  readonly sizeBytes: number;
  /** Of answers that are long: what is left of one waits for its turn, and that time is not the target's. */
  readonly turns: Turns;
  /** Ends the exchange with its reason. */
  readonly signal?: AbortSignal;
  /** Whether other requests are under way. */
  readonly isCrowded: () => boolean;
  /** Asks the target to close the connection afterwards. */
  readonly last: boolean;
}

/** Sends one request and collects the whole answer. Nothing is followed, decoded or repeated. */
export function receive(client: Client, request: WireRequest, limits: ReceiveLimits): Promise<Received> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(client, request, limits, resolve, reject);
    try {
      client.dispatch({ ...dispatchOptions(request), reset: limits.last }, collector);
    } catch (error) {
      collector.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function dispatchOptions(request: WireRequest): Dispatcher.DispatchOptions {
  const headers = sentHeaders(request);
  const { body = null } = request;
  return {
    method: request.method as Dispatcher.HttpMethod,
    path: splitUrl(request.url).path,
    headers: headers.filter((header) => !isCoding(header)).flat(),
    body: body !== null && isChunked(request) ? Readable.from(inPieces(body)) : body,
  };
}

/** A body in pieces is sent without its length, in the chunked coding. Source: RFC 9112 section 7.1 */
function* inPieces(body: Uint8Array): Generator<Uint8Array> {
  const middle = Math.ceil(body.byteLength / 2);
  yield body.subarray(0, middle);
  if (middle < body.byteLength) yield body.subarray(middle);
}

/** Answers of more than this are long, and few of them are held at once. */
const longBytes = 1024 * 1024;

/** Lists, objects and commas that an answer may have: a value of two bytes takes a hundred when it is read. Bytes at random have half as many. */
export const mostMarks = 250_000;
const [comma, list, object] = [0x2c, 0x5b, 0x7b];

export function marksIn(chunks: readonly Uint8Array[]): number {
  let marks = 0;
  for (const chunk of chunks)
    // by index: what is listed byte by byte takes seconds
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (byte === comma || byte === list || byte === object) marks += 1;
    }
  return marks;
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  readonly #request: WireRequest;
  readonly #limits: ReceiveLimits;
  readonly #limitMs: number;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (error: Error) => void;
  #timer: NodeJS.Timeout;
  #timedFrom = performance.now();
  #leftMs: number;
  #endTurn: (() => void) | undefined;
  readonly #onAbort = (): void => this.#end(this.#limits.signal?.reason ?? new Error('ended'));
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<Received, 'status' | 'headers'> = { status: 0, headers: [] };
  #sizeBytes = 0;
  #marks = 0;
  /** Chunks whose marks are counted: few answers are long enough for that. */
  #counted = 0;

  constructor(
    client: Client,
    request: WireRequest,
    limits: ReceiveLimits,
    resolve: (received: Received) => void,
    reject: (error: Error) => void,
  ) {
    this.#client = client;
    this.#request = request;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#limitMs = limits.silences.limitMs(request, limits.timeoutMs);
    this.#leftMs = this.#limitMs;
    this.#timer = this.#startTimer();
    if (limits.signal?.aborted) queueMicrotask(this.#onAbort);
    limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#head = { status, headers: pairsOf(controller.rawHeaders) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sizeBytes += chunk.byteLength;
    if (this.#sizeBytes > this.#limits.sizeBytes) {
      this.#end(new NoAnswer(`an answer of more than ${this.#limits.sizeBytes} bytes was cut off`));
      return;
    }
    this.#chunks.push(chunk);
    if (this.#sizeBytes > longBytes) this.#endTurn ??= this.#takeTurn(controller);
    if (this.#sizeBytes <= mostMarks) return;
    this.#marks += marksIn(this.#chunks.slice(this.#counted));
    this.#counted = this.#chunks.length;
    if (this.#marks > mostMarks) this.#end(new NoAnswer(`an answer of more than ${mostMarks} values was cut off`));
  }

  onResponseEnd(): void {
    this.#settle();
    this.#limits.silences.note(this.#request, true);
    this.#resolve({ ...this.#head, bytes: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isWhole(error)) {
      this.onResponseEnd();
      return;
    }
    this.#settle();
    this.#reject(error);
  }

  /** The HTTP client reads a length with spaces behind it as another one, and drops what came whole. Source: RFC 9112 section 5 */
  #isWhole(error: Error): boolean {
    if (!(error instanceof errors.ResponseContentLengthMismatchError)) return false;
    const length = this.#head.headers.find(([name]) => name.toLowerCase() === 'content-length');
    return length !== undefined && Number(length[1]) === this.#sizeBytes;
  }

  #startTimer(): NodeJS.Timeout {
    this.#timedFrom = performance.now();
    return setTimeout(() => this.#endUnanswered(), this.#leftMs);
  }

  #endUnanswered(): void {
    const { silences, isCrowded } = this.#limits;
    const advice = 'limits.requestTimeoutSeconds of the profile allows more';
    const remark = `${silences.remark(this.#request)}${crowdAdvice(isCrowded())}`;
    silences.note(this.#request, false);
    this.#end(
      new NoAnswer(
        `no complete answer to ${kindOf(this.#request)} within ${this.#limitMs / 1000} s (${advice})${remark}`,
      ),
    );
  }

  #takeTurn(controller: Dispatcher.DispatchController): () => void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#timedFrom;
    controller.pause();
    return this.#limits.turns.take(() => {
      this.#timer = this.#startTimer();
      controller.resume();
    });
  }

  #end(reason: Error): void {
    this.#settle();
    this.#reject(reason);
    if (this.#controller === undefined) this.#client.destroy(reason).catch(() => undefined);
    else this.#controller.abort(reason);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#endTurn?.();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
  }
}

function pairsOf(raw: Dispatcher.DispatchController['rawHeaders']): Headers {
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  return texts.flatMap((name, index) => (index % 2 === 0 ? [[name, (texts[index + 1] ?? '').trim()] as const] : []));
}
