import { systemClock } from '../clock/system.ts';
import type { Service } from '../service.ts';
import { dispatcherIfAny, dispatcherOf } from './dispatcher.ts';
import { outgoingIfAny } from './outgoing.ts';

/** How long calls that are on their way may take when the server closes, in real time. */
const patienceMs = 1000;

/**
 * Goes on with what an earlier run, or another host, left in the queue. One look at the store, and nothing more when it is empty, unless other
 * hosts may use it: they may die and leave something at any time.
 */
export async function startDeliveries(service: Service): Promise<void> {
  if (service.store.isShared) return dispatcherOf(service).watch();
  const next = await service.store.read((reading) => reading.nextReadyAt('', -Infinity));
  if (next !== undefined) dispatcherOf(service).wake('all');
}

/** Begins no call any more, lets those that are on their way end, gives up what takes too long, and gives it back to the queue. */
export async function closeDeliveries(service: Service): Promise<void> {
  const outgoing = outgoingIfAny(service);
  const dispatcher = dispatcherIfAny(service);
  dispatcher?.stop();
  if (outgoing === undefined) return;
  await patiently(Promise.all([dispatcher?.ended(), outgoing.ended()]));
  await outgoing.close();
  await dispatcher?.ended();
  await dispatcher?.giveBack();
}

async function patiently(ended: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const patience = systemClock.sleep(patienceMs, { signal: enough.signal }).catch(() => undefined);
  await Promise.race([ended, patience]);
  enough.abort();
}
