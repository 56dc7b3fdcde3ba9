import { AsyncLocalStorage } from 'node:async_hooks';

const going = new AsyncLocalStorage<true>();

/** No request of the work takes a detour. */
export function goStraight<T>(work: () => Promise<T>): Promise<T> {
  return going.run(true, work);
}

export function isGoingStraight(): boolean {
  return going.getStore() === true;
}
