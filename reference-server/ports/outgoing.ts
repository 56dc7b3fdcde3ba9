import { setMaxListeners } from 'node:events';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../../clock/clock.ts';
import { Activity } from '../../clock/activity.ts';
import type { CallOutcome } from './deliveries.ts';

/** A call on its way that can be given up. */
interface Interruptible {
  readonly outcome: Promise<unknown>;
  interrupt(): void;
}

/** What the calls of one server to other hosts share. Made with the first call: a server that never calls pays nothing. */
export class Outgoing {
  readonly activity: Activity;
  readonly #allowed: readonly string[] | undefined;
  readonly #closing = new AbortController();
  readonly #calls = new Set<Interruptible>();
  #agent: Promise<Agent> | undefined;
  /** The same, once it is there. */
  openAgent: Agent | undefined;

  /** @param allowed hosts that may be called, each with its port where that is not the usual one; any unless given */
  constructor(activity = new Activity(), allowed?: readonly string[]) {
    this.activity = activity;
    this.#allowed = allowed;
    setMaxListeners(0, this.#closing.signal);
  }

  /** Ends what waits for time when the server closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Connections, loaded when first asked for: the client takes 80 ms to load. */
  async agent(): Promise<Agent> {
    this.#agent ??= openedAgent();
    this.openAgent = await this.#agent;
    return this.openAgent;
  }

  mayCall(url: string): boolean {
    if (this.#allowed === undefined) return true;
    const { protocol, host } = new URL(url);
    return this.#allowed.some((allowed) => URL.parse(`${protocol}//${allowed}`)?.host === host);
  }

  enter(call: Interruptible): void {
    this.#calls.add(call);
  }

  leave(call: Interruptible): void {
    this.#calls.delete(call);
  }

  /** Resolves when the calls that are on their way now have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#calls.values().map((call) => call.outcome));
  }

  /** Gives up what is on its way. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The server closes.'));
    for (const call of this.#calls) call.interrupt();
    await (await this.#agent)?.destroy();
  }
}

/** Largest body of an answer that is read. Source: ledger response-size-limits */
const longestBodyBytes = 1024 * 1024;

type Controller = Dispatcher.DispatchController;
type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Advice = Pick<Extract<CallOutcome, { readonly kind: 'answered' }>, 'location' | 'retryAfter'>;

/** One request on its way, and what comes of it. The first end counts: of the answer, of the connection, of the time, or of the server. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<CallOutcome>();
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #status = 0;
  #advice: Advice = {};
  #ended = false;
  #controller: Controller | undefined;

  /** Rejects when the server closes first. */
  get outcome(): Promise<CallOutcome> {
    return this.#outcome.promise;
  }

  expire(waitedMs: number): void {
    this.#end({ kind: 'timeout', waitedMs, phase: this.#controller === undefined ? 'connection' : 'response' });
    this.#abort();
  }

  fail(error: unknown): void {
    this.#end({ kind: 'failed', reason: reasonOf(error) });
  }

  interrupt(): void {
    this.#ended = true;
    this.#outcome.reject(new Error('The server closes.'));
    this.#abort();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#ended) this.#abort();
  }

  /** Called for informational answers as well, and then again. */
  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    this.#status = status;
    this.#advice = adviceIn(headers);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes <= longestBodyBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#end({ kind: 'answered', status: this.#status, body: '', oversized: true });
    this.#abort();
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString();
    this.#end({ kind: 'answered', status: this.#status, body, ...this.#advice });
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error);
  }

  #end(outcome: CallOutcome): void {
    this.#ended = true;
    this.#outcome.resolve(outcome);
  }

  #abort(): void {
    this.#controller?.abort(new Error('The call was given up.'));
  }
}

function adviceIn({ location, 'retry-after': retryAfter }: Headers): Advice {
  return {
    ...(typeof location === 'string' && { location }),
    ...(typeof retryAfter === 'string' && { retryAfter }),
  };
}

/** Why a sleep ends for which there is no reason any more. */
const calledOff = new Error('The alarm was called off.');

/** At most one sleep, until the time that was set last. */
export class Alarm {
  readonly #clock: Clock;
  readonly #tag: string;
  readonly #ring: () => void;
  #at: number | undefined;
  #sleep: AbortController | undefined;

  constructor(clock: Clock, tag: string, ring: () => void) {
    this.#clock = clock;
    this.#tag = tag;
    this.#ring = ring;
  }

  /** When it rings, in ms of the clock. */
  get at(): number | undefined {
    return this.#at;
  }

  /** @param at in ms of the clock; undefined calls it off */
  set(at: number | undefined): void {
    if (at === this.#at) return;
    this.clear();
    if (at === undefined) return;
    this.#at = at;
    this.#sleep = new AbortController();
    void this.#wait(at, this.#sleep.signal);
  }

  clear(): void {
    this.#at = undefined;
    this.#sleep?.abort(calledOff);
    this.#sleep = undefined;
  }

  async #wait(at: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(Math.max(at - this.#clock.now(), 0), { tag: this.#tag, signal });
    } catch {
      return;
    }
    if (signal.aborted) return;
    this.#at = undefined;
    this.#sleep = undefined;
    this.#ring();
  }
}

/** Timeouts are those of the clock; a call that fails is not repeated, nor is a redirect followed. */
async function openedAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false });
}

/** Name of the failure with what the platform says about it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message || 'no connection'}`;
}
