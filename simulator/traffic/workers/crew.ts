import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../contract/thrown.ts';
import type { Authorizations } from '../credentials.ts';
import type { Answer, Ended, Order, Orders, ShareNews } from './messages.ts';

/** How long a worker may take to end when it is told to, in ms; the report is to be there within a second. */
const patienceMs = 400;

/** How a worker ended: with its share made, by itself, or not in time. */
export type Ending = Ended | { readonly failure: string } | 'late';

/** Threads that make load together. They are opened early, as they take a while to be there, and begin all at once. */
export interface Crew extends AsyncDisposable {
  readonly size: number;
  /** Resolves when all are there, with what one of them failed by. */
  readonly ready: Promise<string | undefined>;
  /** Gives everybody the same orders but for the number, and the newest authorizations; the first failure, and `signal`, stop all of them. */
  begin(
    orders: Omit<Orders, 'index' | 'of' | 'authorizations'>,
    signal: AbortSignal,
    heard: (worker: number, news: ShareNews) => void,
  ): Promise<readonly Ending[]>;
  /** Before the load begins, and whenever there are new ones. */
  renew(authorizations: Authorizations): void;
}

const usualEntry = new URL(`load.worker${extname(import.meta.url)}`, import.meta.url);

/** @param entry module of a worker */
export function openCrew(size: number, entry = usualEntry): Crew {
  const members = Array.from({ length: size }, () => new Member(entry));
  let authorizations: Authorizations = new Map();
  const tell = (order: Order): void => members.forEach((member) => member.tell(order));
  return {
    size,
    ready: Promise.all(members.map(({ ready }) => ready)).then((failures) =>
      failures.find((failure) => failure !== undefined),
    ),
    begin: async (orders, signal, heard) => {
      const late = Promise.withResolvers<'late'>();
      const stopped = new AbortController();
      const stop = (): void => {
        if (stopped.signal.aborted) return;
        stopped.abort();
        tell({ kind: 'stop' });
        setTimeout(() => late.resolve('late'), patienceMs).unref();
      };
      for (const [index, member] of members.entries()) {
        member.heard = (news) => heard(index, news);
        member.tell({ kind: 'begin', orders: { ...orders, authorizations, index, of: size } });
        void member.ended.then((ending) => 'failure' in ending && stop());
      }
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      const endings = await Promise.all(members.map(({ ended }) => Promise.race([ended, late.promise])));
      signal.removeEventListener('abort', stop);
      return endings;
    },
    renew: (all) => {
      authorizations = new Map(all);
      tell({ kind: 'authorizations', authorizations });
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all(members.map((member) => member.close()))),
  };
}

class Member {
  /** With what it failed by before. */
  readonly ready: Promise<string | undefined>;
  readonly ended: Promise<Ended | { readonly failure: string }>;
  heard: (news: ShareNews) => void = () => undefined;
  readonly #worker: Worker;

  constructor(entry: URL) {
    const [ready, ended] = [
      Promise.withResolvers<string | undefined>(),
      Promise.withResolvers<Ended | { readonly failure: string }>(),
    ];
    [this.ready, this.ended] = [ready.promise, ended.promise];
    const fail = (failure: string): void => {
      ready.resolve(failure);
      ended.resolve({ failure });
    };
    this.#worker = new Worker(entry);
    this.#worker.on('error', (error: unknown) => fail(messageOf(error)));
    this.#worker.on('exit', (exitCode) => fail(`exit code ${exitCode}`));
    this.#worker.on('message', (answer: Answer) => {
      if (answer.kind === 'ready') ready.resolve(undefined);
      else if (answer.kind === 'news') this.heard(answer);
      else ended.resolve(answer);
    });
  }

  tell(order: Order): void {
    this.#worker.postMessage(order);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
