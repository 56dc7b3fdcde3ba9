import { setTimeout as pause } from 'node:timers/promises';
import { caseMsOf, type Profile } from '../../contract/profile.ts';
import { type Connection, Connections } from './connections.ts';
import { exchangeOf } from './exchange-of.ts';
import { Departures } from './departure.ts';
import { ConnectionLost, failureOf, NoAnswer } from './failure.ts';
import { receiveRaw, sendAndLeave } from './raw.ts';
import { Way } from './reach.ts';
import { receive, type Received } from './receive.ts';
import { Silences } from './silences.ts';
import { Turns } from './turns.ts';
import { answerSizeLimitBytes, isChunked, type Sent, splitUrl, type WireAnswer, type WireRequest } from './wire.ts';
import type { Ask, PlayedAsk, Tape } from '../cassette/tape.ts';
import { type Exchange, headerIn } from '../exchange.ts';
import { waitMsOf } from '../../contract/patience.ts';
import type { Trace } from '../case/trace.ts';
import { reading } from '../case/part.ts';
import { Holding, mayTimePass } from '../time/keeper.ts';
import { sleep } from '../time/real-time.ts';
import type { Waits } from '../case/waits.ts';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const options = { maxOutputLength: answerSizeLimitBytes };

const decoders: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array> = new Map([
  ['gzip', (bytes) => gunzipSync(bytes, options)],
  ['x-gzip', (bytes) => gunzipSync(bytes, options)],
  ['deflate', (bytes) => inflateSync(bytes, options)],
  ['br', (bytes) => brotliDecompressSync(bytes, options)],
]);

/** Keeps the starts of requests at least 1/rate apart. */
class Pace {
  readonly #gapMs: number;
  #next = 0;

  /** @param perSecond most starts a second; undefined for no limit */
  constructor(perSecond: number | undefined) {
    this.#gapMs = perSecond === undefined ? 0 : 1000 / perSecond;
  }

  async turn(): Promise<void> {
    if (this.#gapMs === 0) return;
    const now = performance.now();
    const start = Math.max(now, this.#next);
    this.#next = start + this.#gapMs;
    if (start > now) await pause(start - now);
  }
}

/** Where an exchange is recorded and how it may be made. */
export interface Sender {
  readonly reuse: boolean;
  readonly signal?: AbortSignal;
  readonly retries: string[];
  /** How often it is sent again where its connection was lost: what nobody judges, and does no harm twice. Unless given a GET may be, and nothing else. */
  readonly mayLose?: number;
  /** Told what is waited for. */
  readonly waits?: Waits;
  /** What the requests say of where they come from; nothing unless given. */
  readonly trace?: Trace | undefined;
  /** Part of the run on whose behalf it is made; that around the cases unless given. */
  readonly part?: string;
  /** Told of what goes out; `sentAt` as of its exchange. */
  begins?(request: WireRequest, sentAt: number): void;
  add(sent: Sent): void;
}

/** An answer with which the target asked for patience. */
export interface Patience {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Connections that a GET may lose, a kept one that had ended among them. */
const mostLostByGet = 2;

/** Long answers that are held at once: what many of them take together the judge may not have. */
const mostLongAnswers = 3;

/** The suite's HTTP client: no redirect followed, nothing repeated without a record of it. */
export class HttpClient {
  /** Every 429 and 503 so far that made the suite wait. */
  readonly patience: Patience[] = [];
  requests = 0;
  readonly #way: Way;
  readonly #connections: Connections;
  readonly #pace: Pace;
  readonly #timeoutMs: number;
  /** For requests during which time is moved: how long that takes is no matter of the service. */
  readonly #movedTimeoutMs: number;
  readonly #startedAt = performance.now();
  readonly #holding = new Holding();
  readonly #longAnswers = new Turns(mostLongAnswers);
  readonly #silences = new Silences();
  readonly #departures = new Departures();
  readonly #tape: Tape | undefined;

  /** @param tape where the run is recorded, or played from. @throws {Error} tls of the profile cannot be used */
  constructor({ limits = {}, ...reach }: Pick<Profile, 'limits' | 'tls' | 'proxy'> = {}, tape?: Tape) {
    this.#tape = tape;
    this.#way = new Way(reach);
    this.#connections = new Connections(limits.concurrency ?? 32, this.#way);
    this.#pace = new Pace(limits.requestsPerSecond);
    this.#timeoutMs = (limits.requestTimeoutSeconds ?? 30) * 1000;
    this.#movedTimeoutMs = Math.max(this.#timeoutMs, caseMsOf({ limits }));
  }

  /** From when on exchanges tell their times, in ms since the epoch. */
  get openedAt(): number {
    return performance.timeOrigin + this.#startedAt;
  }

  /** Requests under way during which time may not pass. */
  get holdingTime(): number {
    return this.#holding.count;
  }

  /** Whether these wait for time to pass themselves; `isKnown` of a service that does so. */
  isLockedOut(isKnown: boolean): boolean {
    return this.#holding.isLockedOut(isKnown);
  }

  /**
   * Sends a request, again where the target asks for patience, and where it may lose its connection.
   * @throws {TargetUnreachable | ConnectionLost | NoAnswer} the last also where a 429 stays one: it says nothing about the request
   */
  async send(request: WireRequest, sender: Sender): Promise<WireAnswer> {
    for (let repeated = 0; ; repeated += 1) {
      const answer = await this.#sendAfterLoss(request, sender);
      this.#connections.learn(answer.status === 429, this.#startedAt + answer.exchange.sentAt);
      const retryAfter = headerIn(answer.headers, 'retry-after');
      const answeredAt = Date.parse(headerIn(answer.headers, 'date') ?? '');
      const now = (): number => reading('wall', Date.now);
      const waitMs = waitMsOf({ status: answer.status, retryAfter, answeredAt, now }, repeated);
      if (waitMs === undefined) return answered(answer, request);
      this.patience.push({ status: answer.status, retryAfter });
      sender.retries.push(`${nameOf(request)}: ${answer.status}, sent again after ${Math.round(waitMs)} ms`);
      const wait = sleep(waitMs, sender.signal);
      const what = `the time after which ${nameOf(request)} may be sent again, as a ${answer.status} asked`;
      await this.#holding.before(sender.waits?.heldBack(what, wait) ?? wait);
    }
  }

  /** As send, below any HTTP client and never repeated: `bytes` is all that follows the head. */
  async sendRaw(asked: WireRequest, sender: Sender): Promise<WireAnswer> {
    const { ask, request } = this.#begin(asked, sender);
    const place = { origin: splitUrl(request.url).origin, reused: false, ask };
    if (isPlayed(ask)) return this.#recorded(request, sender, place, () => ask.answer(sender.signal));
    await this.#pace.turn();
    this.requests += 1;
    const limits = { timeoutMs: this.#timeoutMs, sizeBytes: answerSizeLimitBytes };
    return this.#recorded(request, sender, place, () => receiveRaw(request, limits, this.#way));
  }

  /** Sends a request whole and cuts the connection instead of waiting for the answer; on record as one without an answer. */
  async sendAndLeave(asked: WireRequest, sender: Sender, stayMs?: number): Promise<void> {
    const { ask, request } = this.#begin(asked, sender);
    if (!isPlayed(ask)) await this.#pace.turn();
    this.requests += 1;
    const started = isPlayed(ask) ? ask.sentAt : performance.now();
    if (isPlayed(ask)) await ask.answer(sender.signal);
    else await sendAndLeave(request, this.#way, stayMs);
    if (ask !== undefined && !isPlayed(ask)) ask.end({ received: nothing, sentAt: started });
    const error = 'the connection was cut by the suite after the request was sent';
    const exchange = exchangeOf(request, {
      error,
      sentAt: started - this.#startedAt,
      durationMs: performance.now() - started,
    });
    sender.add({ request, exchange });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** A GET whose connection was lost changed nothing, nor does it the next time: it is sent again on a fresh one. */
  async #sendAfterLoss(request: WireRequest, sender: Sender): Promise<WireAnswer> {
    // what does not know the chunked coding may take the body for requests, and answer these to whoever comes next on the connection
    let reuse = sender.reuse && !isChunked(request);
    for (let left = sender.mayLose ?? (request.method === 'GET' ? mostLostByGet : 0); ; left -= 1) {
      try {
        return await this.#exchange(request, sender, reuse);
      } catch (error) {
        if (!(error instanceof ConnectionLost) || left === 0) throw error;
        const what = error.reused ? 'the kept connection had ended' : 'the connection was lost';
        sender.retries.push(`${nameOf(request)}: ${what}, sent again on a fresh one`);
        reuse = false;
      }
    }
  }

  async #exchange(asked: WireRequest, sender: Sender, reuse: boolean): Promise<WireAnswer> {
    const { ask, request } = this.#begin(asked, sender);
    if (isPlayed(ask)) {
      this.requests += 1;
      const place = { origin: splitUrl(request.url).origin, reused: false, ask };
      return this.#recorded(request, sender, place, () => ask.answer(sender.signal));
    }
    const turn = this.#turn(splitUrl(request.url).origin, reuse);
    const what = () => `a place for ${nameOf(request)} among other requests`;
    const connection = await this.#holding.before(sender.waits?.heldBack(what, turn) ?? turn);
    const place = { origin: connection.origin, reused: connection.used, ask };
    const receiving = (): Promise<Received> => this.#receive(connection, request, sender, reuse);
    return this.#recorded(request, sender, place, receiving, () => this.#connections.stepAside(connection));
  }

  /** The place on the cassette is found by the request as it was asked for: what it is traced by differs with each run. */
  #begin(asked: WireRequest, { part = partAround, trace }: Sender): Begun {
    return { ask: this.#tape?.ask(part, asked), request: trace?.on(asked) ?? asked };
  }

  async #turn(origin: string, reuse: boolean): Promise<Connection> {
    const connection = await this.#connections.take(origin, reuse);
    await this.#pace.turn();
    return connection;
  }

  async #recorded(
    request: WireRequest,
    sender: Sender,
    { ask, ...place }: RequestPlace,
    receive: () => Promise<Received>,
    letGo?: () => void,
  ): Promise<WireAnswer> {
    const release = await this.#holding.begin(request.url, letGo);
    const started = isPlayed(ask) ? ask.sentAt : performance.now();
    sender.begins?.(request, started - this.#startedAt);
    const record = (end: { readonly received?: Received; readonly error?: string }): Exchange => {
      const exchange = exchangeOf(request, {
        ...end,
        sentAt: started - this.#startedAt,
        durationMs: performance.now() - started,
      });
      sender.add({ request, exchange });
      return exchange;
    };
    try {
      const receiving = receive();
      const received = await (sender.waits?.on(() => `the answer to ${nameOf(request)}`, receiving) ?? receiving);
      this.#departures.answered(place.origin);
      if (ask !== undefined && !isPlayed(ask)) ask.end({ received, sentAt: started });
      const plain = withoutCoding(received);
      return { ...plain, exchange: record({ received: plain }) };
    } catch (error) {
      const failure = failureOf(error, {
        ...place,
        request: nameOf(request),
        // its own place is free again by now
        isCrowded: this.#connections.inUse > 0,
        departure: () => this.#departures.sentenceAbout(place.origin),
      });
      if (failure instanceof ConnectionLost) this.#departures.lost(place.origin, nameOf(request));
      if (ask !== undefined && !isPlayed(ask)) ask.end({ error: failure, sentAt: started });
      record({ error: failure.message });
      throw failure;
    } finally {
      release();
    }
  }

  async #receive(connection: Connection, request: WireRequest, sender: Sender, reuse: boolean): Promise<Received> {
    let sound = false;
    this.requests += 1;
    try {
      const limits = {
        timeoutMs: mayTimePass() ? this.#movedTimeoutMs : this.#timeoutMs,
        silences: this.#silences,
        sizeBytes: answerSizeLimitBytes,
        turns: this.#longAnswers,
        last: !reuse,
        isCrowded: () => this.#connections.inUse > 1,
        ...(sender.signal && { signal: sender.signal }),
      };
      const received = await receive(connection.client, request, limits);
      connection.used = true;
      sound = reuse;
      return received;
    } finally {
      this.#connections.release(connection, sound);
    }
  }
}

/** A request as it is sent, and what records or plays its answer. */
interface Begun {
  readonly ask: Ask | PlayedAsk | undefined;
  readonly request: WireRequest;
}

/** Where a request goes, and how it is recorded. */
interface RequestPlace {
  readonly origin: string;
  readonly reused: boolean;
  readonly ask: Ask | PlayedAsk | undefined;
}

/** What is asked around the cases, or for all of them. */
export const partAround = 'run';

const nothing: Received = { status: 0, headers: [], bytes: new Uint8Array() };

function isPlayed(ask: Ask | PlayedAsk | undefined): ask is PlayedAsk {
  return ask !== undefined && 'answer' in ask;
}

function answered(answer: WireAnswer, request: WireRequest): WireAnswer {
  if (answer.status !== 429) return answer;
  const advice = 'lower limits.concurrency or limits.requestsPerSecond in the profile';
  throw new NoAnswer(`${nameOf(request)} is still answered with 429 (too many requests): ${advice}`);
}

function nameOf(request: WireRequest): string {
  return `${request.method} ${splitUrl(request.url).path}`;
}

/** The answer without the content codings that it says it has: to who does not say what he takes, any may be sent. Source: RFC 9110 section 12.5.3 */
export function withoutCoding(answer: Received): Received {
  const codings = answer.headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length === 0 || answer.bytes.byteLength === 0) return answer;
  try {
    return { ...answer, bytes: codings.toReversed().reduce(decoded, answer.bytes) };
  } catch {
    // what is not what it says it is stays as it came
    return answer;
  }
}

function decoded(bytes: Uint8Array, coding: string): Uint8Array {
  const decode = decoders.get(coding);
  if (decode === undefined) throw new RangeError(`nobody here knows the coding ${coding}`);
  return decode(bytes);
}
