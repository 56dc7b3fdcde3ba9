import { once } from 'node:events';
import { extname } from 'node:path';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Outcome } from '../../suites/engine/outcome.ts';
import type { Variant } from './judge-variant.ts';
import type { VariantAnswer } from './variant.worker.ts';

/** Variants that a thread judges at once: one waits for its timers while the other works. */
const variantsOfAThread = 2;

/** Threads that judge variants, one at a time each. */
export interface Threads extends AsyncDisposable {
  readonly width: number;
  judge(variant: Variant): Promise<readonly Outcome[]>;
}

/** Opens as many as the machine can run and the work asks for. */
export function openThreads(variants: number): Threads {
  const width = Math.max(1, Math.min(variants, availableParallelism() * variantsOfAThread));
  const idle = Array.from({ length: width }, () => new Worker(new URL(`variant.worker${extname(import.meta.url)}`, import.meta.url)));
  const all = [...idle];
  return {
    width,
    async judge(variant) {
      const thread = idle.pop();
      if (thread === undefined) throw new Error('Every thread is at work.');
      thread.postMessage(variant);
      const [answer] = (await once(thread, 'message')) as [VariantAnswer];
      idle.push(thread);
      if ('error' in answer) throw new Error(`${variant.fault} could not be judged: ${answer.error}`);
      return answer.outcomes;
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map((thread) => thread.terminate()))),
  };
}
