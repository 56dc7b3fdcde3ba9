import type { EventEmitter } from 'node:events';
import type { Client, Request } from 'autocannon';
import type { chooser } from './choose.ts';
import { envOf, isAccepted } from './drive.ts';
import type { EngineSetup, TrafficExchange, TrafficObserver } from './engine.ts';
import { journeys } from './journeys/journeys.ts';
import type { JourneyName } from './mix.ts';
import type { HttpStep, Result, Step } from './step.ts';
import { pathPrefixOf, wireRequestOf } from './wire.ts';

/** So many requests in a row without an answer, and the target is gone: autocannon would connect again for ever. */
const mostLostInARow = 50;
/** A timer may ring so much too early, in ms. */
const timerSlackMs = 20;

interface Shared {
  readonly setup: EngineSetup;
  readonly observer: TrafficObserver;
  readonly choose: ReturnType<typeof chooser>;
  readonly giveUp: () => void;
}

/** What autocannon keeps of the requests under way; no part of its documented interface, and pinned by closed-loop.test.ts. */
interface Pipeline {
  addBody(slice: Buffer): void;
  peek(): { body: string } | undefined;
  clear(): void;
}

interface Underway {
  readonly name: JourneyName;
  readonly steps: Generator<Step, void, Result>;
  /** Without an error so far. */
  whole: boolean;
}

/** One user: a connection of autocannon, whose hooks ask for the next step of the journey. */
export class ClosedUser {
  /** Connections that ended before their answer. */
  dropped = 0;
  failure: string | undefined;
  readonly #user: number;
  readonly #shared: Shared;
  #iteration = 0;
  #journey: Underway | undefined;
  /** What is under way, with the time at which it was made. */
  #pending: { readonly step: HttpStep; readonly madeAt: number } | undefined;
  #answer: Result | undefined;
  #lostInARow = 0;

  constructor(client: Client, user: number, shared: Shared) {
    this.#user = user;
    this.#shared = shared;
    const pipeline = Reflect.get(client, 'pipelinedRequests') as Pipeline;
    // each piece is decoded by itself there, which breaks characters that stand on two of them: so bytes are kept until the end
    pipeline.addBody = (slice) => {
      const under = pipeline.peek();
      if (under !== undefined) under.body += slice.toString('latin1');
    };
    // events that its types leave out
    const events: EventEmitter = client as EventEmitter;
    events.on('request', () => {
      // a request that is followed by another one without an answer was lost; left in the queue it would shift all that come after
      if (this.#pending !== undefined) pipeline.clear();
    });
    client.on('response', (_status, _bytes, durationMs) => this.#answered(durationMs));
    client.setRequests([{ setupRequest: () => this.#next(), onResponse: (status, body, _context, headers = {}) => this.#received(status, body, headers) }]);
  }

  /** The load is over: what is under way is cut off. */
  end(): void {
    if (this.#pending !== undefined) this.#tell({ status: 0, headers: {}, body: '' }, performance.now() - this.#pending.madeAt, 'cut off at the end', true);
  }

  #received(status: number, body: string, headers: object): void {
    const binary = this.#pending?.step.about?.kind === 'download';
    this.#answer = { status, headers: lowered(headers), body: binary ? body : Buffer.from(body, 'latin1').toString('utf8') };
    if (status < 200) this.#give(`the target sent an interim answer ${status}, which this engine takes for the last; use --rate.`);
  }

  #answered(durationMs: number): void {
    const { setup } = this.#shared;
    if (this.#answer === undefined || setup.signal.aborted) return;
    this.#lostInARow = 0;
    this.#tell(this.#answer, durationMs);
  }

  /** Asked whenever a request is to be made, also when the connection had to be made anew: then there was no answer. An exception in here would end the process. */
  #next(): Request {
    try {
      if (this.#pending !== undefined && this.#answer === undefined) this.#lost();
      return this.#made();
    } catch (error) {
      this.#give(error instanceof Error ? error.message : String(error));
      return { method: 'GET', path: '/', headers: {} };
    }
  }

  #lost(): void {
    this.#lostInARow += 1;
    const waitedMs = performance.now() - (this.#pending?.madeAt ?? 0);
    // autocannon makes the next request before it tells of the timeout of this one
    const isTimeout = waitedMs >= this.#shared.setup.timeoutMs - timerSlackMs;
    if (!isTimeout) this.dropped += 1;
    this.#tell({ status: 0, headers: {}, body: '' }, waitedMs, isTimeout ? 'timeout' : 'closed before the answer');
    if (this.#lostInARow >= mostLostInARow) this.#give(`${mostLostInARow} requests in a row got no answer.`);
  }

  #made(): Request {
    const { setup } = this.#shared;
    const step = this.#step();
    this.#answer = undefined;
    this.#pending = { step, madeAt: performance.now() };
    const { method, path, headers, body } = wireRequestOf(step, setup);
    return { method, path: pathPrefixOf(setup.baseUrl) + path, headers, ...(typeof body === 'string' && { body }), ...(body instanceof Uint8Array && { body: Buffer.from(body) }) };
  }

  /** The next request of the journey, or the first of the next one that has any. */
  #step(): HttpStep {
    const { observer } = this.#shared;
    for (let begun = 0; begun < 100; ) {
      const journey = this.#journey ?? this.#begin();
      const next = journey.steps.next(this.#answer ?? { status: 0, headers: {}, body: '' });
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
    const journey = { name, steps: journeys[name](envOf(setup, this.#user, this.#iteration)), whole: true };
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

  #give(failure: string): void {
    this.failure ??= failure;
    this.#shared.giveUp();
  }
}

function lowered(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]: [string, unknown]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value)]));
}
