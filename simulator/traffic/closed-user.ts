import type { Client } from 'autocannon';
import { messageOf } from '../../contract/thrown.ts';
import { type ConnectionUser, type Incoming, type Outgoing, UserConnection } from './autocannon-client.ts';
import type { chooserWithOwn } from './chance.ts';
import { envOf, isAccepted } from './drive.ts';
import type { EngineSetup, TrafficExchange, TrafficObserver } from './engine.ts';
import { journeyNamed } from './own-journeys.ts';
import { type ConnectionEnd, mayResend } from './resend.ts';
import { noAnswer } from './results.ts';
import type { HttpStep, Result, Step } from './step.ts';
import { packedRequestOf, type Place, textOf } from './wire.ts';

/** So many requests in a row without an answer, and the target is gone: autocannon would connect again for ever. */
const mostLostInARow = 50;
/** A timer may ring so much too early, in ms. */
const timerSlackMs = 20;

interface Shared {
  readonly setup: EngineSetup;
  readonly observer: TrafficObserver;
  readonly place: Place;
  readonly choose: ReturnType<typeof chooserWithOwn>;
  readonly giveUp: () => void;
}

/** A request that has no answer yet. */
interface Pending {
  readonly step: HttpStep;
  readonly outgoing: Outgoing;
  readonly madeAt: number;
  isRepeated: boolean;
}

interface Underway {
  readonly name: string;
  readonly steps: Generator<Step, void, Result>;
  /** Without an error so far. */
  whole: boolean;
}

/** One user: a connection of autocannon, for which the journey says what to send next. */
export class ClosedUser implements ConnectionUser {
  /** Connections that ended before their answer. */
  dropped = 0;
  /** Requests that were sent again on a new connection. */
  reconnected = 0;
  failure: string | undefined;
  readonly #user: number;
  readonly #shared: Shared;
  readonly #connection: UserConnection;
  #iteration = 0;
  #journey: Underway | undefined;
  #pending: Pending | undefined;
  #result = noAnswer;
  #lostInARow = 0;

  constructor(client: Client, user: number, shared: Shared) {
    this.#user = user;
    this.#shared = shared;
    this.#connection = new UserConnection(client, this);
  }

  /** Its connection ends without a word, so that what must not be sent twice waits for that. */
  get waits(): boolean {
    return this.#connection.waits;
  }

  /** The load is over: what is under way is cut off. */
  end(): void {
    if (this.#pending !== undefined)
      this.#tell(noAnswer, performance.now() - this.#pending.madeAt, 'cut off at the end', true);
  }

  takeAnswer({ status, rawHeaders, pieces, durationMs }: Incoming): void {
    if (this.#pending === undefined) return;
    if (status < 200)
      this.#fail(`the target sent an interim answer ${status}, which this engine takes for the last; use --rate.`);
    this.#lostInARow = 0;
    const { step, isRepeated, madeAt } = this.#pending;
    this.#result = { status, headers: headersIn(rawHeaders), body: textOf(pieces, step.about?.kind === 'download') };
    this.#guard(() => this.#tell(this.#result, isRepeated ? performance.now() - madeAt : durationMs));
  }

  /** When the load is broken off, what is under way stays so until `end`. */
  next(end: ConnectionEnd | null): Outgoing | undefined {
    if (this.#shared.setup.signal.aborted || this.failure !== undefined) return undefined;
    const again = this.#resend(end);
    if (again !== undefined) return again;
    if (this.#pending !== undefined) this.#lose();
    return this.#guard(() => this.#makeRequest());
  }

  /** An exception in here would end the process. */
  #guard<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#fail(messageOf(error));
      return undefined;
    }
  }

  #resend(end: ConnectionEnd | null): Outgoing | undefined {
    const pending = this.#pending;
    if (pending === undefined || pending.isRepeated || end === null || !mayResend(pending.step, end)) return undefined;
    pending.isRepeated = true;
    this.reconnected += 1;
    return pending.outgoing;
  }

  #lose(): void {
    this.#lostInARow += 1;
    this.#result = noAnswer;
    const waitedMs = performance.now() - (this.#pending?.madeAt ?? 0);
    // autocannon makes the next request before it tells of the timeout of this one
    const isTimeout = waitedMs >= this.#shared.setup.timeoutMs - timerSlackMs;
    if (!isTimeout) this.dropped += 1;
    this.#guard(() => this.#tell(noAnswer, waitedMs, isTimeout ? 'timeout' : 'closed before the answer'));
    if (this.#lostInARow >= mostLostInARow) this.#fail(`${mostLostInARow} requests in a row got no answer.`);
  }

  #makeRequest(): Outgoing {
    const step = this.#nextStep();
    this.#result = noAnswer;
    const { bytes, stream } = packedRequestOf(step, this.#shared.setup, this.#shared.place);
    const outgoing: Outgoing = { bytes, isDelicate: step.method !== 'GET', ...(stream && { stream }) };
    this.#pending = { step, outgoing, madeAt: performance.now(), isRepeated: false };
    return outgoing;
  }

  /** The next request of the journey, or the first of the next one that sends one. */
  #nextStep(): HttpStep {
    const { observer } = this.#shared;
    for (let begun = 0; begun < 100;) {
      const journey = this.#journey ?? this.#begin();
      const next = journey.steps.next(this.#result);
      const of = { journey: journey.name, user: this.#user, iteration: this.#iteration - 1 };
      if (next.done === true) {
        observer.journeyEnded(journey.name, journey.whole, of);
        this.#journey = undefined;
        begun += 1;
      } else if (next.value.kind === 'http') return next.value;
      else if (next.value.kind === 'check') observer.check(next.value, of);
    }
    throw new Error('none of the journeys of the mix sends a request with this profile.');
  }

  #begin(): Underway {
    const { setup, choose } = this.#shared;
    const name = choose(this.#user, this.#iteration);
    const journey = {
      name,
      steps: journeyNamed(name, setup.own)(envOf(setup, this.#user, this.#iteration)),
      whole: true,
    };
    this.#iteration += 1;
    this.#journey = journey;
    return journey;
  }

  #tell(result: Result, durationMs: number, error?: string, cutOff = false): void {
    if (this.#pending === undefined || this.#journey === undefined) return;
    const { step, madeAt } = this.#pending;
    const endedAt = performance.now();
    const exchange: TrafficExchange = {
      journey: this.#journey.name,
      user: this.#user,
      iteration: this.#iteration - 1,
      step,
      result,
      sentAt: madeAt,
      endedAt,
      dueAt: endedAt - durationMs,
      ...(error !== undefined && { error }),
      ...(cutOff && { cutOff }),
    };
    this.#pending = undefined;
    this.#journey.whole &&= isAccepted(exchange);
    this.#shared.observer.exchange(exchange);
  }

  #fail(failure: string): void {
    this.failure ??= failure;
    this.#shared.giveUp();
  }
}

/** By lower-case name; several of one name in one text. */
function headersIn(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 1; index < raw.length; index += 2) {
    const [name, value] = [raw[index - 1]?.toLowerCase() ?? '', raw[index] ?? ''];
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
