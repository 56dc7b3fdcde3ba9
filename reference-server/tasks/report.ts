import { mediaTypes } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Content, Writing } from '../store/store.ts';
import { isEnded, keepJob, taskStatuses, type Job, type ReportedFiles, type TaskStatus } from './job.ts';

/** Longest path of a file that is kept on a job, and longest text of progress, in UTF-16 units. */
export const longestPathChars = 4096;
export const longestProgressChars = 10_000;

/** PUT of a final status. Source: extensions, Callbacks from an external task; ledger task-status-letter-case */
export async function reportStatus(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  const job = await behaviours.locateJob(service, call, writing);
  const status = behaviours.taskStatusFrom(call.params['status'] ?? '');
  const files = behaviours.reportedFilesOf(service, call);
  behaviours.assertOpen(job);
  const next = behaviours.jobAfterReport(job, status, files);
  await keepJob(writing, next);
  if (isEnded(next)) await behaviours.dropDeadline(service, writing, job.id);
  return { status: 204 };
}

/** PUT of what the task is at, which buys no time. Source: extensions, Callbacks from an external task; ledger task-timeout-clock */
export async function reportProgress(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  const job = await behaviours.locateJob(service, call, writing);
  const text = behaviours.progressOf(service, call);
  behaviours.assertOpen(job);
  await keepJob(writing, behaviours.jobAfterProgress(job, text));
  return { status: 204 };
}

/** @throws {Refusal} 400 for any other spelling */
export function taskStatusFrom(text: string): TaskStatus {
  const status = taskStatuses.find((known) => known === text);
  if (status !== undefined) return status;
  throw new Refusal(400, `Expected a status of ${taskStatuses.join(', ')}; found ${text}.`, { pointer: 'status' });
}

/** @throws {Refusal} 409 for a job that has ended. Source: ledger task-final-state-changes */
export function assertOpen(job: Job): void {
  if (isEnded(job))
    throw new Refusal(409, `The job ${job.id} has ended as ${job.state} already; reports come too late.`);
}

/** Source: extensions, External task status */
export function jobAfterReport(job: Job, status: TaskStatus, files: ReportedFiles): Job {
  const message = messages[status];
  return {
    ...job,
    ...files,
    state: status === 'Completed' ? 'Completed' : 'Failed',
    taskStatus: status,
    ...(message !== undefined && { message }),
  };
}

const messages: Readonly<Partial<Record<TaskStatus, string>>> = {
  Canceled: 'The task was cancelled.',
  Failed: 'The task reported that it failed.',
};

export function jobAfterProgress(job: Job, progress: string): Job {
  return { ...job, progress };
}

/** Files named in the body, which may be left out. @throws {Refusal} 400, 415, 422 */
export function reportedFilesOf(service: Service, call: SpaceCall): ReportedFiles {
  if (call.body === undefined || call.body.length === 0) return {};
  const body = reportBody(service, call);
  const [outputFilePath, logFilePath] = [pathIn(body, 'outputFilePath'), pathIn(body, 'logFilePath')];
  return {
    ...(outputFilePath !== undefined && { outputFilePath }),
    ...(logFilePath !== undefined && { logFilePath }),
  };
}

/** @throws {Refusal} 400, 415, 422 */
export function progressOf(service: Service, call: SpaceCall): string {
  const { message } = reportBody(service, call);
  if (typeof message === 'string' && message.length <= longestProgressChars) return message;
  throw new Refusal(422, `Expected message to be a text of at most ${longestProgressChars} characters.`, {
    pointer: '/message',
  });
}

function reportBody(service: Service, call: SpaceCall): Content {
  service.behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const body = service.behaviours.jsonBodyOf(service, call);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Content;
  throw new Refusal(422, 'Expected an object.', { pointer: '' });
}

function pathIn(body: Content, member: string): string | undefined {
  const value = body[member];
  if (value === undefined || (typeof value === 'string' && value.length <= longestPathChars)) return value;
  throw new Refusal(422, `Expected ${member} to be a path of at most ${longestPathChars} characters.`, {
    pointer: `/${member}`,
  });
}
