import { type ChildProcess, fork } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildAnswer } from './child.ts';
import { activeMutantVariable } from './switch.ts';

/** Processes that each do one task at a time; one that hangs or dies is replaced. */
export interface Children<Task, Answer> extends AsyncDisposable {
  readonly width: number;
  /** What a child makes of the task, or how it fell. */
  ask(task: Task, options: Asking): Promise<Answer | Fall>;
  /** Ends the process that is kept for the mutant, if there is one. */
  finish(mutant: string): void;
}

export interface Asking {
  /** Longest time, in ms; then the child is ended. */
  readonly limitMs: number;
  /** A mutant that gets a process of its own, in which it is on from the first; the process is kept for it until it is finished. */
  readonly from?: string;
}

/** No answer came. */
export interface Fall {
  readonly fell: string;
}

export function isFall(answer: object): answer is Fall {
  return 'fell' in answer;
}

export interface Opening {
  /** The instrumented copy, which the script is told. */
  readonly folder: string;
  /** Where alone they may write: no mutant reaches a file that is somebody's. */
  readonly scratch: string;
  /** Processes at once. */
  readonly width: number;
}

export function openChildren<Task extends object, Answer extends object>(
  script: string,
  { folder, scratch, width }: Opening,
): Children<Task, Answer> {
  const idle: ChildProcess[] = [];
  const keptFor = new Map<string, ChildProcess>();
  const all = new Set<ChildProcess>();
  const endAll = (): void => {
    for (const child of all) child.kill('SIGKILL');
  };
  // one that computes without end would outlive a parent that is interrupted
  process.once('exit', endAll);
  const open = async (from?: string): Promise<ChildProcess> => {
    const temporary = join(scratch, 'tmp');
    await mkdir(temporary, { recursive: true });
    const child = fork(script, [folder], {
      execArgv: ['--permission', '--allow-fs-read=*', `--allow-fs-write=${scratch}`, '--max-old-space-size=1500'],
      env: {
        ...process.env,
        TMPDIR: temporary,
        NODE_COMPILE_CACHE: join(scratch, 'compiled'),
        ...(from !== undefined && { [activeMutantVariable]: from }),
      },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    all.add(child);
    child.once('exit', () => all.delete(child));
    return child;
  };
  return {
    width,
    async ask(task, { limitMs, from }) {
      const child = (from === undefined ? idle.pop() : keptFor.get(from)) ?? (await open(from));
      const answer = await answerOf<Answer>(child, task, limitMs);
      if (from !== undefined) keptFor.set(from, child);
      if (isFall(answer)) {
        child.kill('SIGKILL');
        if (from !== undefined) keptFor.delete(from);
      } else if (from === undefined) idle.push(child);
      return answer;
    },
    finish: (mutant) => {
      keptFor.get(mutant)?.kill('SIGKILL');
      keptFor.delete(mutant);
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', endAll);
      endAll();
    },
  };
}

/** How much of what a child wrote before its end is told. */
const lastWordsLength = 2000;

/** @throws {Error} what the child itself could not do */
async function answerOf<Answer extends object>(
  child: ChildProcess,
  task: object,
  limitMs: number,
): Promise<Answer | Fall> {
  let words = '';
  const onWords = (bytes: Buffer): void => void (words = `${words}${String(bytes)}`.slice(-lastWordsLength));
  child.stderr?.on('data', onWords);
  const heard = Promise.withResolvers<Answer | Fall>();
  const onMessage = (message: ChildAnswer<Answer>): void => {
    if ('answer' in message) heard.resolve(message.answer);
    else heard.reject(new Error(message.error));
  };
  const onExit = (): void => heard.resolve({ fell: `it ended by itself: ${words.trim()}` });
  child.once('message', onMessage);
  child.once('exit', onExit);
  const timer = setTimeout(() => heard.resolve({ fell: `no answer within ${limitMs / 1000} s` }), limitMs);
  child.send(task);
  return heard.promise.finally(() => {
    clearTimeout(timer);
    child.off('message', onMessage);
    child.off('exit', onExit);
    child.stderr?.off('data', onWords);
  });
}
