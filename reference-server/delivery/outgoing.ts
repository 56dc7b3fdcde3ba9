import { setMaxListeners } from 'node:events';
import type { Agent } from 'undici';
import { Activity } from '../clock/activity.ts';
import type { Service } from '../service.ts';

/** A call on its way that can be given up. */
export interface Interruptible {
  readonly outcome: Promise<unknown>;
  interrupt(): void;
}

/** What the calls of one server to other hosts share. Made with the first call: a server that never calls pays nothing. */
export class Outgoing {
  readonly activity: Activity;
  readonly #closing = new AbortController();
  readonly #calls = new Set<Interruptible>();
  #agent: Promise<Agent> | undefined;
  /** The same, once it is there. */
  openAgent: Agent | undefined;

  constructor(activity = new Activity()) {
    this.activity = activity;
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

const outgoingOfService = new WeakMap<Service, Outgoing>();

export function outgoingOf(service: Service): Outgoing {
  const known = outgoingOfService.get(service);
  if (known) return known;
  const outgoing = new Outgoing();
  outgoingOfService.set(service, outgoing);
  return outgoing;
}

/** The calls of a service that takes the place of one that was closed: whoever moves time, and how many calls it holds, stays the same. */
export function succeedOutgoing(closed: Service, successor: Service): void {
  const former = outgoingOfService.get(closed);
  if (former) outgoingOfService.set(successor, new Outgoing(former.activity));
}

export function outgoingIfAny(service: Service): Outgoing | undefined {
  return outgoingOfService.get(service);
}

/** Timeouts are those of the clock; a call that fails is not repeated, nor is a redirect followed. */
async function openedAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false });
}
