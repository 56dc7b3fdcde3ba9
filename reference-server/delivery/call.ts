import type { Agent } from 'undici';
import type { Service } from '../service.ts';
import type { CallOutcome, Delivery, OutgoingRequest } from './delivery.ts';
import { Exchange } from './exchange.ts';
import { outgoingOf, type Outgoing } from './outgoing.ts';

/** Why the timer of a call that has ended is called off. */
const over = new Error('The call is over.');

/**
 * One request to another host. Its time runs from the start to the last byte of the answer. Source: ledger request-timeout-scope.
 * @throws {Error} the server closes
 */
export async function call(service: Service, request: OutgoingRequest): Promise<CallOutcome> {
  const outgoing = outgoingOf(service);
  const agent = outgoing.openAgent ?? (await outgoing.activity.work(() => outgoing.agent()));
  outgoing.closing.throwIfAborted();
  return outgoing.activity.call(() => timed(service, outgoing, agent, request));
}

async function timed(
  service: Service,
  outgoing: Outgoing,
  agent: Agent,
  request: OutgoingRequest,
): Promise<CallOutcome> {
  const exchange = new Exchange();
  const timer = new AbortController();
  void expiring(service, exchange, request.timeoutMs, timer.signal);
  outgoing.enter(exchange);
  try {
    send(agent, request, exchange);
    return await exchange.outcome;
  } finally {
    outgoing.leave(exchange);
    timer.abort(over);
  }
}

async function expiring({ clock }: Service, exchange: Exchange, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const startedAt = clock.now();
  try {
    await clock.sleep(timeoutMs, { signal, tag: 'timeout' });
  } catch {
    return;
  }
  exchange.expire(clock.now() - startedAt);
}

function send(agent: Agent, { method, url, headers, body }: OutgoingRequest, exchange: Exchange): void {
  try {
    const { origin, pathname, search } = new URL(url);
    agent.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, exchange);
  } catch (error) {
    exchange.fail(error);
  }
}

/** The request of one attempt, made for it; undefined where the registration is gone. @param count that of the attempt, from 1 */
export function preparedRequest(
  service: Service,
  delivery: Delivery,
  count: number,
): Promise<OutgoingRequest | undefined> {
  const { behaviours, store } = service;
  return outgoingOf(service).activity.work(() =>
    store.read((reading) => behaviours.requestFor(service, reading, delivery, count)),
  );
}

/** @throws {Error} the server closes */
export async function sent(service: Service, request: OutgoingRequest | undefined): Promise<CallOutcome> {
  if (request === undefined) return { kind: 'failed', reason: 'its registration is gone', gone: true };
  return service.behaviours.call(service, request);
}

/** One attempt, request and all, made at once. @param count that of the attempt, from 1. @throws {Error} the server closes */
export async function attempt(service: Service, delivery: Delivery, count: number): Promise<CallOutcome> {
  return sent(service, await preparedRequest(service, delivery, count));
}
