import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Answer, Log, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundContent, type Route, readingRoute, writingRoute } from '../http/route.ts';
import type { Clock } from '../../clock/clock.ts';
import { isoTime } from '../rfc3339.ts';
import { Alarm, type Outgoing } from '../ports/outgoing.ts';
import { type Content, type Reading, type Store, type Writing, detach } from '../ports/store.ts';
import type { Caching } from './caching.ts';

/** Where data-exchange jobs are. Source: ledger trigger-task-binding, job-route */
export const jobsPath = '/api/space/{spaceId}/dx';

/** How a task can end by its own report. Source: extensions, External task status */
export const taskStatuses = ['Completed', 'Canceled', 'Failed'] as const;

export type TaskStatus = (typeof taskStatuses)[number];

/** Files that a task reports, in the unmanaged files of the space. */
interface ReportedFiles {
  readonly outputFilePath?: string;
  readonly logFilePath?: string;
}

/** A data-exchange job as it is kept. */
export interface Job extends ReportedFiles {
  readonly id: string;
  readonly spaceId: string;
  readonly recordId: string;
  readonly inputPath: string;
  /** In seconds, from the acknowledgement of the task on. */
  readonly timeout: number;
  /** `Scheduled` until the task is acknowledged; the last two are final. */
  readonly state: 'Scheduled' | 'Running' | 'Completed' | 'Failed';
  readonly scheduledBy: string;
  /** What the task reported of itself in the end. */
  readonly taskStatus?: TaskStatus;
  /** What it reported last on its way. */
  readonly progress?: string;
  readonly message?: string;
  /** When the job fails without a final report, in ms of the clock. */
  readonly deadlineAt?: number;
}

/** Kind of document under which jobs stand in the store, by id. */
const jobKind = 'job';

/** Kind of document that says, by job, when its task has run out of time. It is there while the task runs. */
const deadlineKind = 'taskDeadline';

interface Deadline {
  readonly id: string;
  readonly deadlineAt: number;
}

/** Longest path of a file that is kept on a job, and longest text of progress, in UTF-16 units. */
export const longestPathChars = 4096;

export const longestProgressChars = 10_000;

const messages: Readonly<Partial<Record<TaskStatus, string>>> = {
  Canceled: 'The task was cancelled.',
  Failed: 'The task reported that it failed.',
};

/** Before a change set is tried again that the store did not take. */
const storeRetryMs = 1000;

/** From one look at a store that others use as well to the next: what they began and cannot end is found then. */
const sharedLookMs = 30_000;

interface Needs {
  readonly clock: Clock;
  readonly log: Log;
  readonly outgoing: Outgoing;
  readonly store: Store;
  readonly caching: Caching;
}

/** Ends tasks that run out of time. When that is stands in the store; any number of hosts may look, and one that dies leaves nothing behind. */
class TaskTimeouts {
  readonly #ports: Pick<Needs, 'clock' | 'log' | 'outgoing' | 'store'>;
  readonly #failOverdue: (writing: Writing) => Promise<number | undefined>;
  readonly #alarm: Alarm;
  #wanted = false;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(
    ports: Pick<Needs, 'clock' | 'log' | 'outgoing' | 'store'>,
    failOverdue: (writing: Writing) => Promise<number | undefined>,
  ) {
    this.#ports = ports;
    this.#failOverdue = failOverdue;
    this.#alarm = new Alarm(ports.clock, 'task timeout', () => this.wake());
  }

  /** Looks at what runs. May be called inside the change set that changes it. */
  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#looking ??= detach(() => this.#ports.outgoing.activity.work(() => this.#look()));
  }

  /** Resolves when what was begun is on record. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm.clear();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (this.#wanted && !this.#closed) {
      this.#wanted = false;
      const next = await this.#next();
      if (!this.#closed) this.#alarm.set(next);
    }
    this.#looking = undefined;
  }

  async #next(): Promise<number | undefined> {
    const { store, log, clock } = this.#ports;
    try {
      const next = await store.change((writing) => this.#failOverdue(writing));
      return store.isShared ? Math.min(next ?? Infinity, clock.now() + sharedLookMs) : next;
    } catch (error) {
      log.error({ err: error }, 'the store did not take the end of a task');
      return clock.now() + storeRetryMs;
    }
  }
}

/** Jobs and the time their tasks have. */
export class Jobs extends Area<Needs> {
  private readonly timeouts: TaskTimeouts;

  constructor(needs: Needs) {
    super(needs);
    this.timeouts = new TaskTimeouts(needs, (writing) => this.failOverdue(writing));
  }

  routes(): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: `${jobsPath}/{jobId}`,
        access: 'space',
        effect: 'read',
        needs: { place: (call, reading) => this.locateJob(call, reading) },
        handle: (call) => this.readJob(call),
      }),
      writingRoute({
        method: 'PUT',
        path: `${jobsPath}/{jobId}/status/{status}`,
        access: 'participant',
        effect: 'write',
        needs: {
          place: (call, reading) => this.locateJob(call, reading),
          mediaTypes: [mediaTypes.json],
          json: objectFrom,
          bodyOptional: true,
        },
        handle: (call, writing) => this.reportStatus(call, writing),
      }),
      writingRoute({
        method: 'PUT',
        path: `${jobsPath}/{jobId}/progress`,
        access: 'participant',
        effect: 'write',
        needs: {
          place: (call, reading) => this.locateJob(call, reading),
          mediaTypes: [mediaTypes.json],
          json: progressFrom,
        },
        handle: (call, writing) => this.reportProgress(call, writing),
      }),
    ];
  }

  /** The job that the path names. @throws {Refusal} 404, also for one of another space */
  async locateJob({ params, space }: SpaceCall, reading: Reading): Promise<Job> {
    const { jobId = '' } = params;
    const job = await jobWith(reading, jobId);
    if (job?.spaceId === space.id) return job;
    throw new Refusal(404, `There is no job ${jobId} in the space ${space.id}.`, { pointer: 'jobId' });
  }

  private async readJob(call: SpaceCall & { readonly place: Job }): Promise<Answer> {
    return this.needs.caching.conditional(call, { status: 200, body: jobOut(call.place) });
  }

  /** Notes on the job that its task was acknowledged, from when on its time runs. Source: ledger task-timeout-clock */
  async noteTaskStart(writing: Writing, id: string): Promise<void> {
    const job = await jobWith(writing, id);
    if (job?.state !== 'Scheduled') return;
    const deadlineAt = this.taskDeadline(job);
    await keepJob(writing, { ...job, state: 'Running', ...(deadlineAt !== undefined && { deadlineAt }) });
    if (deadlineAt === undefined) return;
    await writing.putDocument(deadlineKind, id, String(deadlineAt));
    this.timeouts.wake();
  }

  /** When a task that is acknowledged now has run out of time, in ms of the clock; undefined for never. Source: extensions, Limits, task timeout */
  taskDeadline({ timeout }: Job): number | undefined {
    return this.needs.clock.now() + timeout * 1000;
  }

  /** For a job that has ended. */
  async dropDeadline(writing: Writing, id: string): Promise<void> {
    if ((await writing.document(deadlineKind, id)) === undefined) return;
    await writing.deleteDocument(deadlineKind, id);
    this.timeouts.wake();
  }

  /** Fails the jobs whose tasks have run out of time. @returns when the next one does, in ms of the clock */
  private async failOverdue(writing: Writing): Promise<number | undefined> {
    let next: number | undefined;
    for (const { id, deadlineAt } of await deadlines(writing)) {
      if (deadlineAt > this.needs.clock.now()) {
        next = Math.min(next ?? Infinity, deadlineAt);
        continue;
      }
      const job = await jobWith(writing, id);
      if (job?.state === 'Running') await keepJob(writing, jobAfterTimeout(job));
      await writing.deleteDocument(deadlineKind, id);
    }
    return next;
  }

  /** PUT of a final status. Source: extensions, Callbacks from an external task; ledger task-status-letter-case */
  async reportStatus(call: SpaceCall & FoundContent<Job, Content | undefined>, writing: Writing): Promise<Answer> {
    const { place: job } = call;
    const status = taskStatusFrom(call.params['status'] ?? '');
    const files = this.reportedFilesOf(call);
    assertOpen(job);
    const next = this.jobAfterReport(job, status, files);
    await keepJob(writing, next);
    if (isEnded(next)) await this.dropDeadline(writing, job.id);
    return { status: 204 };
  }

  /** PUT of what the task is at, which buys no time. Source: extensions, Callbacks from an external task; ledger task-timeout-clock */
  async reportProgress({ place: job, json: text }: FoundContent<Job, string>, writing: Writing): Promise<Answer> {
    assertOpen(job);
    await keepJob(writing, this.jobAfterProgress(job, text));
    return { status: 204 };
  }

  /** Source: extensions, External task status */
  jobAfterReport(job: Job, status: TaskStatus, files: ReportedFiles): Job {
    const message = messages[status];
    return {
      ...job,
      ...files,
      state: status === 'Completed' ? 'Completed' : 'Failed',
      taskStatus: status,
      ...(message !== undefined && { message }),
    };
  }

  jobAfterProgress(job: Job, progress: string): Job {
    return { ...job, progress };
  }

  /** Files named in the body, which may be left out. @throws {Refusal} 422 */
  reportedFilesOf({ json: body = {} }: FoundContent<Job, Content | undefined>): ReportedFiles {
    const [outputFilePath, logFilePath] = [pathIn(body, 'outputFilePath'), pathIn(body, 'logFilePath')];
    return {
      ...(outputFilePath !== undefined && { outputFilePath }),
      ...(logFilePath !== undefined && { logFilePath }),
    };
  }

  /** Goes on with the tasks that an earlier run, or another host, saw begin. One look at the store, and nothing more when none runs and nobody else uses it. */
  async startTasks(): Promise<void> {
    if (this.needs.store.isShared) return this.timeouts.wake();
    const running = await this.needs.store.read(deadlines);
    if (running.length > 0) this.timeouts.wake();
  }

  /** Ends no task any more. */
  async closeTasks(): Promise<void> {
    await this.timeouts.close();
  }
}

/** Decoder of what `keepJob` wrote. */
export async function jobWith(reading: Reading, id: string): Promise<Job | undefined> {
  const text = await reading.document(jobKind, id);
  return text === undefined ? undefined : (JSON.parse(text) as Job);
}

export async function keepJob(writing: Writing, job: Job): Promise<void> {
  await writing.putDocument(jobKind, job.id, JSON.stringify(job));
}

function isEnded({ state }: Job): boolean {
  return state === 'Completed' || state === 'Failed';
}

/** A job as it is read, with where its files can be read. Source: ledger job-route */
export function jobOut({ deadlineAt, ...job }: Job): object {
  return {
    ...job,
    ...(deadlineAt !== undefined && { deadline: isoTime(deadlineAt) }),
    ...hrefMember('outputFileHref', job.spaceId, job.outputFilePath),
    ...hrefMember('logFileHref', job.spaceId, job.logFilePath),
  };
}

/** Nothing for a path that is none of a file. */
function hrefMember(name: string, spaceId: string, path: string | undefined): object {
  const segments = path?.split('/').filter(Boolean) ?? [];
  if (segments.length === 0 || segments.some((segment) => segment === '.' || segment === '..')) return {};
  return { [name]: `/api/space/${encodeURIComponent(spaceId)}/fs/file/${segments.map(encodeURIComponent).join('/')}` };
}

/** Notes on the job that its task never will be called. Source: ledger task-delivery-failure */
export async function noteTaskLost(writing: Writing, id: string): Promise<void> {
  const job = await jobWith(writing, id);
  if (job?.state === 'Scheduled')
    await keepJob(writing, { ...job, state: 'Failed', message: 'The call of the task was not acknowledged.' });
}

function jobAfterTimeout(job: Job): Job {
  const message = `The task ran into its timeout: no final status within ${job.timeout} s after it was acknowledged.`;
  return { ...job, state: 'Failed', message };
}

/** Those of all tasks that run. */
export async function deadlines(reading: Reading): Promise<readonly Deadline[]> {
  return (await reading.documents(deadlineKind)).map(({ id, text }) => ({ id, deadlineAt: Number(text) }));
}

/** @throws {Refusal} 400 for any other spelling */
function taskStatusFrom(text: string): TaskStatus {
  const status = taskStatuses.find((known) => known === text);
  if (status !== undefined) return status;
  throw new Refusal(400, `Expected a status of ${taskStatuses.join(', ')}; found ${text}.`, { pointer: 'status' });
}

/** @throws {Refusal} 409 for a job that has ended. Source: ledger task-final-state-changes */
function assertOpen(job: Job): void {
  if (isEnded(job))
    throw new Refusal(409, `The job ${job.id} has ended as ${job.state} already; reports come too late.`);
}

/** @throws {Refusal} 422 */
function progressFrom(json: unknown): string {
  const { message } = objectFrom(json);
  if (typeof message === 'string' && message.length <= longestProgressChars) return message;
  throw new Refusal(422, `Expected message to be a text of at most ${longestProgressChars} characters.`, {
    pointer: '/message',
  });
}

/** @throws {Refusal} 422 */
function objectFrom(json: unknown): Content {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Content;
  throw new Refusal(422, 'Expected an object.', { pointer: '' });
}

function pathIn(body: Content, member: string): string | undefined {
  const value = body[member];
  if (value === undefined || (typeof value === 'string' && value.length <= longestPathChars)) return value;
  throw new Refusal(422, `Expected ${member} to be a path of at most ${longestPathChars} characters.`, {
    pointer: `/${member}`,
  });
}
