import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { BookingNews } from '../case/bookings.ts';
import type { Judgement, Run } from './run.ts';
import { messageOf } from '../../contract/thrown.ts';
import { learn, type learnedSince } from '../redact/redact.ts';
import { startWorker } from './start-worker.ts';

/** Where the thread finds what it judges with. */
export interface ThreadModules {
  /** URL of the module that exports the `catalogue` of rules. */
  readonly catalogue: string;
  /** URL of the module that exports `openJudge`. */
  readonly judge: string;
}

/** What the thread is told. */
export type ThreadRequest = { readonly kind: 'run'; readonly run: Run } | { readonly kind: 'stop' };

/** What the thread tells: all cases are judged, and it is over with what is made of them; a stray error belongs to no case, a beat says that no case keeps it from listening; what was learned may show in what the other threads let out. */
export type ThreadReport =
  | { readonly kind: 'judgement'; readonly judgement: Judgement }
  | { readonly kind: 'booking'; readonly news: BookingNews }
  | { readonly kind: 'stray'; readonly message: string }
  | { readonly kind: 'judged' }
  | { readonly kind: 'recorded'; readonly tape: Uint8Array }
  | { readonly kind: 'learned'; readonly secrets: ReturnType<typeof learnedSince> }
  | { readonly kind: 'beat' }
  | { readonly kind: 'end' };

/** The thread in which the cases of one run are judged. */
export interface Thread extends AsyncDisposable {
  /** Resolves with a sentence when the thread ends before it was disposed of. */
  readonly died: Promise<string>;
  /** Whoever is to hear what the thread tells from now on. */
  listen(onReport: (report: ThreadReport) => void): void;
  ask(request: ThreadRequest): void;
  /** Says that the run has left nothing behind in the thread, so that it may serve another one. */
  release(): void;
}

const extension = extname(import.meta.url);

/** What cases leave behind dies young: more room for it costs memory that is touched anew each time, and spares nothing. */
const maxYoungGenerationSizeMb = 24;

/** Workers that wait for another run, by what they judge with. */
const resting = new Map<string, Worker[]>();
let mostResting = 0;

/** Lets so many threads that were released wait for the next run of this process: most of what a short run costs is their start. None unless called. */
export function keepThreads(most: number): void {
  mostResting = most;
}

/** Starts a thread, which begins to load the rules at once, or takes one that rests. What the cases print is seen by nobody. */
export function startThread(
  catalogue: string,
  judge: string = new URL(`judge${extension}`, import.meta.url).href,
): Thread {
  const modules: ThreadModules = { catalogue, judge };
  const key = JSON.stringify(modules);
  const worker = resting.get(key)?.pop() ?? startJudging(modules, key);
  worker.ref();
  const { promise: died, resolve } = Promise.withResolvers<string>();
  const onError = (error: Error): void => resolve(messageOf(error));
  const onExit = (code: number): void => resolve(`it ended with ${code} before its last case`);
  worker.on('error', onError).on('exit', onExit);
  let isClean = true;
  let isDisposed = false;
  return {
    died,
    listen: (onReport) =>
      void worker.on('message', (report: ThreadReport) => {
        if (report.kind === 'learned') for (const [variable, secret] of report.secrets) learn(variable, secret);
        onReport(report);
      }),
    ask: (request) => {
      isClean = false;
      if (!isDisposed) worker.postMessage(request);
    },
    release: () => {
      isClean = true;
    },
    [Symbol.asyncDispose]: async () => {
      if (isDisposed) return;
      isDisposed = true;
      worker.off('error', onError).off('exit', onExit).removeAllListeners('message');
      const isAlive = worker.threadId !== -1;
      if (!(isAlive && isClean && rest(key, worker))) await worker.terminate();
    },
  };
}

function startJudging(workerData: ThreadModules, key: string): Worker {
  const worker = startWorker(new URL(`cases.worker${extension}`, import.meta.url), {
    workerData,
    stdout: true,
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const forget = (): void => void resting.set(key, resting.get(key)?.filter((other) => other !== worker) ?? []);
  worker.on('error', forget).on('exit', forget);
  return worker;
}

/** False where enough of them rest. */
function rest(key: string, worker: Worker): boolean {
  const others = resting.get(key) ?? [];
  if (others.length >= mostResting) return false;
  worker.unref();
  resting.set(key, [...others, worker]);
  return true;
}
