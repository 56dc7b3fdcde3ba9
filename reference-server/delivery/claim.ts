import type { Service } from '../service.ts';
import type { StoredDelivery } from '../store/queue.ts';
import type { Writing } from '../store/store.ts';
import { entryOf } from './delivery-log.ts';
import type { DeliveryPolicy } from './delivery.ts';

/** A host that delivers, and what it does just now. */
export interface Host {
  readonly id: string;
  /** Calls of its own that are on their way: to the endpoint, or to all. */
  running(endpoint?: string): number;
  isRunning(deliveryId: string): boolean;
}

export interface Claim {
  /** On lease for the host from now on. */
  readonly deliveries: readonly StoredDelivery[];
  /** When to look again; undefined when nothing waits for time. */
  readonly nextReadyAt: number | undefined;
}

/** Takes what is ready and may start, in one change set: a delivery that is on lease was not begun by another host. */
export async function claimReady(
  service: Service,
  writing: Writing,
  host: Host,
  endpoints: ReadonlySet<string> | 'all',
): Promise<Claim> {
  const now = service.clock.now();
  const looked = endpoints === 'all' ? await writing.readyEndpoints(now) : endpoints;
  const deliveries: StoredDelivery[] = [];
  for (const endpoint of looked) {
    const onTheWay = deliveries.length;
    deliveries.push(...(await claimOf(service, writing, host, endpoint, now, onTheWay)));
  }
  return { deliveries, nextReadyAt: await writing.nextReadyAt(host.id, now) };
}

async function claimOf(
  service: Service,
  writing: Writing,
  host: Host,
  endpoint: string,
  now: number,
  justTaken: number,
): Promise<readonly StoredDelivery[]> {
  const running = host.running(endpoint);
  const places = service.behaviours.freePlaces({
    toEndpoint: running + (await writing.leasedElsewhere(host.id, now, endpoint)),
    toAll: host.running() + justTaken,
  });
  if (places === 0) return [];
  // a call of ours whose lease ran out while the process stood still is ready, too, and goes on
  const ready = await writing.readyDeliveries(endpoint, now, places + running);
  const candidates = ready.filter(({ id }) => !host.isRunning(id)).slice(0, places);
  const [first] = candidates;
  if (first === undefined) return [];
  const policy = await service.behaviours.policyOf(service, writing, first);
  if (policy === undefined) return removeAll(service, writing, candidates);
  if (!policy.active) return parkAll(writing, candidates);
  return leaseAllowed(service, writing, { host: host.id, endpoint, now, policy }, candidates);
}

async function removeAll(service: Service, writing: Writing, deliveries: readonly StoredDelivery[]): Promise<readonly []> {
  for (const delivery of deliveries) {
    await service.behaviours.removeDelivery(service, writing, delivery, 'failed');
    const entry = entryOf(service, delivery, undefined, 'removed', 'removed from the queue: its registration is gone');
    await service.behaviours.logEntry(service, writing, entry);
  }
  return [];
}

async function parkAll(writing: Writing, deliveries: readonly StoredDelivery[]): Promise<readonly []> {
  for (const { id } of deliveries) await writing.parkDelivery(id);
  return [];
}

interface Lease {
  readonly host: string;
  readonly endpoint: string;
  readonly now: number;
  readonly policy: DeliveryPolicy;
}

/** Each attempt counts against the limit, retries included. Source: ledger rate-retries-counted */
async function leaseAllowed(
  service: Service,
  writing: Writing,
  { host, endpoint, now, policy }: Lease,
  candidates: readonly StoredDelivery[],
): Promise<readonly StoredDelivery[]> {
  const { behaviours } = service;
  const taken: StoredDelivery[] = [];
  for (const delivery of candidates) {
    const decision = behaviours.rateDecision(await writing.rateWindow(policy.rateKey), now, policy.rateLimit);
    await writing.putRateWindow(policy.rateKey, decision.window);
    if (decision.kind === 'hold') {
      if (decision.starts) await logPause(service, writing, delivery, policy, decision.until - now);
      await behaviours.holdBack(service, writing, delivery, decision.until);
      await writing.holdEndpoint(endpoint, now, decision.until);
      return taken;
    }
    await writing.leaseDelivery(delivery.id, host, behaviours.leaseFor(now));
    taken.push(delivery);
  }
  return taken;
}

async function logPause(
  service: Service,
  writing: Writing,
  delivery: StoredDelivery,
  policy: DeliveryPolicy,
  waitMs: number,
): Promise<void> {
  const message = `rate limit of ${policy.rateLimit} executions a minute exceeded, all requests pause for ${waitMs / 1000} s`;
  const entry = { ...entryOf(service, delivery, policy, 'rate-limit', message), waitMs };
  await service.behaviours.logEntry(service, writing, entry);
}

/** What becomes of a delivery that meets a full window: it stays, in its place, and goes out later. Source: extensions, Limits, rate limit */
export async function holdBack(
  _service: Service,
  writing: Writing,
  delivery: StoredDelivery,
  until: number,
): Promise<void> {
  await writing.holdDelivery(delivery.id, until);
}
