import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import type { Reach, Variant } from './judge-variant.ts';
import type { Task, TaskAnswer } from './kill.worker.ts';

/** Threads for each processor: three quarters of the time a thread waits, for timers and for what must not come. */
const threadsOfAProcessor = 4;

/** Threads that each do one task at a time. */
export interface Threads extends AsyncDisposable {
  readonly width: number;
  judge(variant: Variant): Promise<readonly Outcome[]>;
  reachOf(rules: readonly RuleId[], seed: number, runs: number): Promise<Reach>;
}

/** Opens as many as the machine can run and the work asks for. */
export function openThreads(tasks: number): Threads {
  const width = Math.max(1, Math.min(tasks, availableParallelism() * threadsOfAProcessor));
  const all = Array.from(
    { length: width },
    () => new Worker(new URL(`kill.worker${extname(import.meta.url)}`, import.meta.url)),
  );
  const idle = [...all];
  const ask = async (task: Task): Promise<TaskAnswer> => {
    const thread = idle.pop();
    if (thread === undefined) throw new Error('Every thread is at work.');
    thread.postMessage(task);
    const [answer] = (await once(thread, 'message')) as [TaskAnswer];
    idle.push(thread);
    return answer;
  };
  return {
    width,
    async judge(variant) {
      const answer = await ask({ variant });
      if ('outcomes' in answer) return answer.outcomes;
      throw new Error(
        `${variant.fault} could not be judged: ${'error' in answer ? answer.error : 'another answer came'}`,
      );
    },
    async reachOf(rules, seed, runs) {
      const answer = await ask({ reachOf: rules, seed, runs });
      if ('reach' in answer) return answer.reach;
      throw new Error(
        `What the cases reach could not be found out: ${'error' in answer ? answer.error : 'another answer came'}`,
      );
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map((thread) => thread.terminate()))),
  };
}
