import { isoTime } from '../clock/iso-time.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Reading, Writing } from '../store/store.ts';

/** Where data-exchange jobs are. Source: ledger trigger-task-binding, job-route */
export const jobsPath = '/api/space/{spaceId}/dx';

/** How a task can end by its own report. Source: extensions, External task status */
export const taskStatuses = ['Completed', 'Canceled', 'Failed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Files that a task reports, in the unmanaged files of the space. */
export interface ReportedFiles {
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
  /** Why the job failed. */
  readonly message?: string;
  /** When the job fails without a final report, in ms of the clock. */
  readonly deadlineAt?: number;
}

/** Kind of document under which jobs stand in the store, by id. */
const documentKind = 'job';

/** Decoder of what `keepJob` wrote. */
export async function jobWith(reading: Reading, id: string): Promise<Job | undefined> {
  const text = await reading.document(documentKind, id);
  return text === undefined ? undefined : (JSON.parse(text) as Job);
}

export async function keepJob(writing: Writing, job: Job): Promise<void> {
  await writing.putDocument(documentKind, job.id, JSON.stringify(job));
}

/** Whether the job has come to its end. */
export function isEnded({ state }: Job): boolean {
  return state === 'Completed' || state === 'Failed';
}

/** The job that the path names. @throws {Refusal} 404, also for one of another space */
export async function locateJob(_service: Service, { params, space }: SpaceCall, reading: Reading): Promise<Job> {
  const { jobId = '' } = params;
  const job = await jobWith(reading, jobId);
  if (job?.spaceId === space.id) return job;
  throw new Refusal(404, `There is no job ${jobId} in the space ${space.id}.`, { pointer: 'jobId' });
}

export async function readJob(service: Service, call: SpaceCall, reading: Reading): Promise<Answer> {
  const job = await service.behaviours.locateJob(service, call, reading);
  return service.behaviours.conditional(service, call, { status: 200, body: service.behaviours.jobOut(job) });
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
