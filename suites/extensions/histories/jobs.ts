import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { type Call, tells } from '../../../judge/extension/call.ts';
import type { Extension, MetadataRecord } from '../../../judge/extension/extension.ts';
import type { GivenTask } from '../../../judge/extension/tasks.ts';
import { plainTextOf } from '../../../judge/service/answers.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import type { InputPlan, JobPlan } from '../../../judge/model/task-history.ts';
import { outcomeOf } from '../checks/task-jobs.ts';

/** How long a job may take to show what was reported, in ms. */
const shownMs = { message: 5000, end: 10_000, again: 1000 } as const;

/** What is called. */
export interface TaskHost {
  readonly extension: Extension;
  /** By the index of the record over all hosts. */
  readonly records: ReadonlyMap<number, MetadataRecord>;
  /** In Base64, the first one first. */
  readonly keys: string[];
}

/** A job as it has to be. */
export interface Job {
  readonly index: number;
  readonly plan: JobPlan;
  readonly as: InputPlan['by'];
  readonly space: string;
  readonly host: TaskHost;
  /** Stands in its settings. */
  readonly marker: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Keys of the host before the one that it had when the job was scheduled. */
  readonly formerKeys: number;
  /** As the attempt tells it that was acknowledged, once one was. */
  task: GivenTask;
  isAcknowledged: boolean;
  /** `unknown`: what became of it the documents leave open. */
  state: 'open' | 'completed' | 'failed' | 'unknown';
  /** What its task said last; undefined where it said nothing, or what shows the documents leave open. */
  message: string | undefined;
  /** All that its task ever sent as a message. */
  readonly texts: Set<string>;
  /** Paths of files that its task ever named as its own. */
  readonly paths: Set<string>;
  /** Those that it ended with, by the member. */
  readonly reported: Map<string, string>;
}

/** The jobs of a history. */
export class Jobs {
  readonly all: Job[] = [];
  /** Messages that were refused: they show on no job. */
  readonly refused = new Set<string>();
  readonly #context: CaseContext;
  readonly #isAgain: boolean;
  /** Where a job of the first space was read, and its id. */
  #read: { readonly url: string; readonly id: string } | undefined;
  /** Of whose jobs, and of which space, a first read told that they cannot be read as it was tried. */
  readonly #unread = new Set<string>();
  readonly #readAs = new Set<string>();
  /** Which reported files the service shows on jobs, by the end and the member. */
  readonly #shown = new Map<string, boolean>();

  /** @param isAgain whether something was waited for in vain already */
  constructor(context: CaseContext, isAgain: boolean) {
    this.#context = context;
    this.#isAgain = isAgain;
  }

  at(index: number): Job | undefined {
    return this.all.find((job) => job.index === index);
  }

  /** The job that a call is of, by what was sent or by its id. */
  of(call: Pick<Call, 'text' | 'json' | 'envelope'>): Job | undefined {
    const own = this.all.find(({ marker }) => tells(call, marker));
    return own ?? this.all.find(({ task }) => comparableId(call.envelope.id) === comparableId(task.jobId));
  }

  /** Every job is as it has to be. @param touched those that may take their time, also to be read at all */
  async expectAll(...touched: readonly Job[]): Promise<void> {
    for (const job of touched) await this.#expect(job, true);
    for (const job of this.all) if (!touched.includes(job)) await this.#expect(job, false);
  }

  /** The same of those that are touched or may still change: what shows on one that has ended stays. */
  async expectOpen(...touched: readonly Job[]): Promise<void> {
    for (const job of touched) await this.#expect(job, true);
    for (const job of this.all) if (!touched.includes(job) && job.state === 'open') await this.#expect(job, false);
  }

  /** By one read or the next: each may be answered by a copy of its own, which takes its time to follow. */
  async #expect(job: Job, isTouched: boolean): Promise<void> {
    const { clock, expect, given } = this.#context;
    const changes = this.#readBy(job);
    if (changes === undefined) return;
    const see = (): Promise<Reply> => this.#context.tasks.job(job.task, changes);
    const usualMs = job.state === 'open' ? shownMs.message : shownMs.end;
    const withinMs = this.#isAgain ? shownMs.again : usualMs;
    const isSeen = (read: Reply): boolean => this.#isRight(job, read) || (!isTouched && this.#mayBeUnread(job, read));
    const reply = job.state === 'unknown' ? await see() : await clock.look(withinMs, see, isSeen);
    if (this.#read === undefined) given.succeeded(reply, 'the job to be read');
    if (job.space === this.#context.profile.all.space)
      this.#read ??= { url: reply.exchange.request.url, id: job.task.jobId };
    if (!this.#isReadable(job, reply)) return;
    // for how long one that has ended can be read is not said
    if (job.state === 'open') expect(reply).toSucceed();
    if (!isSuccess(reply.status)) return;
    const name = `job ${job.index + 1}`;
    if (job.state !== 'unknown')
      expect(outcomeOf(this.#context, reply), `how ${name} stands`, reply).toEqual(outcomeDue(job));
    const { message } = job;
    if (message !== undefined && job.state === 'open')
      expect(reply.json, name, reply).toSatisfy(`one that shows "${message}", which its task said last`, () =>
        this.#showsText(reply, message),
      );
    this.#expectNothingOfOthers(job, reply);
    this.#expectFiles(job, reply);
  }

  /** Who may read the jobs of a second user, and where those of a second space are read, is not said: the first read tells. */
  #isReadable(job: Job, reply: Reply): boolean {
    const whose = `${job.as} ${job.space}`;
    if (!this.#readAs.has(whose) && !isSuccess(reply.status)) {
      this.#unread.add(whose);
      this.#context.notes.observe('a job of another user or space', 'is not read', reply);
    }
    this.#readAs.add(whose);
    return !this.#unread.has(whose);
  }

  /** An answer without the job: it has ended, or nobody knows yet whether such jobs can be read. */
  #mayBeUnread(job: Job, { status }: Reply): boolean {
    const isKnown = this.#read === undefined || this.#readAs.has(`${job.as} ${job.space}`);
    return !isSuccess(status) && (job.state !== 'open' || !isKnown);
  }

  #showsText(reply: Reply, text: string): boolean {
    return this.#context.tasks.shows(reply, text);
  }

  #isRight(job: Job, reply: Reply): boolean {
    const isShown = job.state !== 'open' || job.message === undefined || this.#showsText(reply, job.message);
    return isSuccess(reply.status) && outcomeOf(this.#context, reply) === outcomeDue(job) && isShown;
  }

  #expectNothingOfOthers(job: Job, reply: Reply): void {
    const { expect } = this.#context;
    const others = this.all.filter((other) => other !== job);
    const texts = [...this.refused, ...others.flatMap((other) => [...other.texts])];
    const foreign = texts.filter((text) => !job.texts.has(text) && this.#showsText(reply, text));
    expect(foreign, `messages of others, or refused ones, that job ${job.index + 1} shows`, reply).toEqual([]);
    const paths = others
      .flatMap((other) => [...other.paths])
      .filter((path) => !job.paths.has(path) && plainTextOf(reply).includes(path));
    expect(paths, `files that tasks of others named and job ${job.index + 1} shows`, reply).toEqual([]);
  }

  /** Whether a job shows the files that it was reported with is a guideline: what is shown on one is shown on all that ended so. */
  #expectFiles(job: Job, reply: Reply): void {
    if (job.state === 'open' || job.state === 'unknown') return;
    for (const [member, path] of job.reported) {
      const key = `${job.state} ${member}`;
      const isShown = plainTextOf(reply).includes(path);
      if (this.#shown.get(key) === true)
        this.#context
          .expect(isShown, `job ${job.index + 1} shows its ${member}, as one before did`, reply)
          .toEqual(true);
      this.#shown.set(key, isShown);
    }
  }

  /** How the job is read; undefined where that is not known. */
  #readBy(job: Job): Changes | undefined {
    const { routes, space } = this.#context.profile.all;
    if (routes?.job === undefined || this.#unread.has(`${job.as} ${job.space}`)) return undefined;
    const as = routes.job.as === undefined && job.as === 'secondEditor' ? { as: job.as } : {};
    if (job.space === space) return as;
    const [from, to] = [space, job.space].map((id) => `/space/${encodeURIComponent(id)}/`);
    if (this.#read === undefined || !this.#read.url.includes(from ?? '')) return undefined;
    const url = this.#read.url
      .replace(from ?? '', () => to ?? '')
      .replace(encodeURIComponent(this.#read.id), () => encodeURIComponent(job.task.jobId));
    return { ...as, url };
  }
}

function outcomeDue({ state }: Job): string {
  return state === 'open' ? 'neither' : state;
}
