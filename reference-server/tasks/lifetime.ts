import type { Service } from '../service.ts';
import { deadlines } from './deadline.ts';
import { timeoutsOf } from './timeouts.ts';

/** Goes on with the tasks that an earlier run, or another host, saw begin. One look at the store, and nothing more when none runs and nobody else uses it. */
export async function startTasks(service: Service): Promise<void> {
  if (service.store.isShared) return timeoutsOf(service).wake();
  const running = await service.store.read(deadlines);
  if (running.length > 0) timeoutsOf(service).wake();
}

/** Ends no task any more. */
export async function closeTasks(service: Service): Promise<void> {
  await timeoutsOf(service).close();
}
