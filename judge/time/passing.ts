import { AsyncLocalStorage } from 'node:async_hooks';

const marks = new AsyncLocalStorage<true>();

/** Runs something during which time may pass: the requests that it sends do not hold time back. */
export function asPassing<T>(run: () => Promise<T>): Promise<T> {
  return marks.run(true, run);
}

/** Whether time may pass while the current step is under way. */
export function isPassing(): boolean {
  return marks.getStore() === true;
}
