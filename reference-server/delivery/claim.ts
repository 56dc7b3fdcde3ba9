import type { Service } from '../service.ts';
import type { StoredDelivery } from '../store/queue.ts';
import type { Writing } from '../store/store.ts';
import { entryOf } from './delivery-log.ts';
import type { DeliveryPolicy } from './delivery.ts';

/** A host that delivers, and what it does just now. */
export interface Host {
  readonly id: string;
  /** How long before it may start a delivery is taken, so that its request is made when its time has come. */
  readonly headStartMs: number;
  /** Time of its last look at all endpoints: what was ready then and was not taken had no free place, and is found when one gets free. */
  readonly lookedUntil: number;
  /** Calls of its own that are on their way: to the endpoint, or to all. */
  running(endpoint?: string): number;
  isRunning(deliveryId: string): boolean;
}

export interface Claim {
  /** On lease for the host from now on. */
  readonly deliveries: readonly StoredDelivery[];
  readonly lookedUntil: number;
  /** When to look again at all, be it past already; undefined when nothing waits for time. */
  readonly nextReadyAt: number | undefined;
}

/** Deliveries of an endpoint that are looked at together. */
const mostPlaces = 16;
/** How long those of an endpoint wait whose policy cannot be told. */
const unknownPolicyMs = 60_000;

/** Takes what is ready and may start, in one change set: a delivery that is on lease was not begun by another host. */
export async function claimReady(
  service: Service,
  writing: Writing,
  host: Host,
  endpoints: ReadonlySet<string> | 'all',
): Promise<Claim> {
  const now = service.clock.now();
  const ahead = now + host.headStartMs;
  const looked = endpoints === 'all' ? await writing.readyEndpoints(ahead) : endpoints;
  const deliveries: StoredDelivery[] = [];
  for (const endpoint of looked) {
    const onTheWay = deliveries.length;
    deliveries.push(...(await claimOf(service, writing, host, endpoint, now, onTheWay)));
  }
  // time may have been set back
  const lookedUntil = endpoints === 'all' ? ahead : Math.min(host.lookedUntil, ahead);
  return { deliveries, lookedUntil, nextReadyAt: await writing.nextReadyAt(host.id, lookedUntil) };
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
  // a call of ours whose lease ran out while the process stood still is ready, too, and goes on
  const ready = await writing.readyDeliveries(endpoint, now + host.headStartMs, mostPlaces + running);
  const candidates = ready.filter(({ id }) => !host.isRunning(id));
  const [first] = candidates;
  if (first === undefined) return [];
  const places = service.behaviours.freePlaces({
    toEndpoint: running + (await writing.leasedElsewhere(host.id, now, endpoint)),
    toAll: host.running() + justTaken,
  });
  if (places === 0) return [];
  const policy = await policyIfTold(service, writing, first);
  if (policy === 'not told') {
    await writing.holdEndpoint(endpoint, now + host.headStartMs, now + unknownPolicyMs);
    return [];
  }
  if (policy === undefined) return removeAll(service, writing, candidates);
  if (!policy.active) return parkAll(writing, candidates);
  return leaseAllowed(service, writing, { host: host.id, endpoint, now, policy }, candidates.slice(0, places));
}

/** What is wrong with one endpoint must not keep the others waiting, whose deliveries are claimed with it. */
async function policyIfTold(
  service: Service,
  writing: Writing,
  delivery: StoredDelivery,
): Promise<DeliveryPolicy | 'not told' | undefined> {
  try {
    return await service.behaviours.policyOf(service, writing, delivery);
  } catch (error) {
    const fields = { err: error, endpoint: delivery.endpoint };
    service.log.error(
      fields,
      `the policy of an endpoint cannot be told; its deliveries wait for ${unknownPolicyMs / 1000} s`,
    );
    return 'not told';
  }
}

async function removeAll(
  service: Service,
  writing: Writing,
  deliveries: readonly StoredDelivery[],
): Promise<readonly []> {
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
    const startsAt = startOf(delivery, now);
    const decision = behaviours.rateDecision(await writing.rateWindow(policy.rateKey), startsAt, policy.rateLimit);
    await writing.putRateWindow(policy.rateKey, decision.window);
    if (decision.kind === 'hold') {
      if (decision.starts) await logPause(service, writing, delivery, policy, decision.until - startsAt);
      await behaviours.holdBack(service, writing, delivery, decision.until);
      await writing.holdEndpoint(endpoint, startsAt, decision.until);
      return taken;
    }
    await writing.leaseDelivery(delivery.id, host, behaviours.leaseFor(now));
    taken.push(delivery);
  }
  return taken;
}

/** When a delivery that is taken at `now` starts. */
export function startOf({ readyAt }: StoredDelivery, now: number): number {
  return Math.max(readyAt ?? now, now);
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
