import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Judgement, Run } from './run.ts';
import { messageOf } from '../../contract/thrown.ts';

/** Where the thread finds what it judges with. */
export interface ThreadModules {
  /** URL of the module that exports the `catalogue` of rules. */
  readonly catalogue: string;
  /** URL of the module that exports `openJudge`. */
  readonly judge: string;
}

/** What the thread is told. */
export type ThreadRequest = { readonly kind: 'run'; readonly run: Run } | { readonly kind: 'stop' };

/** What the thread tells: a stray error belongs to no case, a beat says that no case keeps it from listening. */
export type ThreadReport =
  | { readonly kind: 'judgement'; readonly judgement: Judgement }
  | { readonly kind: 'stray'; readonly message: string }
  | { readonly kind: 'recorded'; readonly tape: Uint8Array }
  | { readonly kind: 'beat' }
  | { readonly kind: 'end' };

/** The thread in which the cases of one run are judged. */
export interface Thread extends AsyncDisposable {
  /** Resolves with a sentence when the thread ends before it was disposed of. */
  readonly died: Promise<string>;
  /** Whoever is to hear what the thread tells from now on. */
  listen(onReport: (report: ThreadReport) => void): void;
  ask(request: ThreadRequest): void;
}

const extension = extname(import.meta.url);

/** What cases leave behind dies young: more room for it costs memory that is touched anew each time, and spares nothing. */
const maxYoungGenerationSizeMb = 24;

/** Starts a thread, which begins to load the rules at once. What the cases print is seen by nobody. */
export function startThread(
  catalogue: string,
  judge: string = new URL(`judge${extension}`, import.meta.url).href,
): Thread {
  const workerData: ThreadModules = { catalogue, judge };
  const worker = new Worker(new URL(`cases.worker${extension}`, import.meta.url), {
    workerData,
    stdout: true,
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise: died, resolve } = Promise.withResolvers<string>();
  const onExit = (code: number): void => resolve(`it ended with ${code} before its last case`);
  worker.on('error', (error) => resolve(messageOf(error)));
  worker.on('exit', onExit);
  return {
    died,
    listen: (onReport) => void worker.on('message', onReport),
    ask: (request) => worker.postMessage(request),
    [Symbol.asyncDispose]: async () => {
      worker.off('exit', onExit);
      await worker.terminate();
    },
  };
}
