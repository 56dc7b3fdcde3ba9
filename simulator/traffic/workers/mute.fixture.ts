import { parentPort } from 'node:worker_threads';

/** A worker that hears nothing any more once it began. */
parentPort?.on('message', () => {
  for (;;);
});
parentPort?.postMessage({ kind: 'ready' });
