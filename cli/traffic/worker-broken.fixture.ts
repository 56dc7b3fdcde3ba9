/** Loaded before everything else, in each thread: one worker breaks down, either at once or so many ms after it was told to begin. */
import { isMainThread, parentPort, threadId } from 'node:worker_threads';
import type { Order } from '../../simulator/traffic/workers/messages.ts';

const fail = (): never => {
  throw new Error('out of everything');
};
if (!isMainThread && threadId % 2 === 1) {
  const { BROKEN: broken } = process.env;
  if (broken === 'at once') fail();
  parentPort?.on('message', ({ kind }: Order) => kind === 'begin' && setTimeout(fail, Number(broken)));
}
