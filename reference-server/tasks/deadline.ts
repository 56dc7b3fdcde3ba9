import type { Service } from '../service.ts';
import type { Reading, Writing } from '../store/store.ts';
import { jobWith, keepJob, type Job } from './job.ts';
import { timeoutsOf } from './timeouts.ts';

/** Kind of document that says, by job, when its task has run out of time. It is there while the task runs. */
const documentKind = 'taskDeadline';

/** Notes on the job that its task was acknowledged, from when on its time runs. Source: ledger task-timeout-clock */
export async function noteTaskStart(service: Service, writing: Writing, id: string): Promise<void> {
  const job = await jobWith(writing, id);
  if (job?.state !== 'Scheduled') return;
  const deadlineAt = service.behaviours.taskDeadline(service, job);
  await keepJob(writing, { ...job, state: 'Running', ...(deadlineAt !== undefined && { deadlineAt }) });
  if (deadlineAt === undefined) return;
  await writing.putDocument(documentKind, id, String(deadlineAt));
  timeoutsOf(service).wake();
}

/** Notes on the job that its task never will be called. Source: ledger task-delivery-failure */
export async function noteTaskLost(writing: Writing, id: string): Promise<void> {
  const job = await jobWith(writing, id);
  if (job?.state === 'Scheduled')
    await keepJob(writing, { ...job, state: 'Failed', message: 'The call of the task was not acknowledged.' });
}

/** When a task that is acknowledged now has run out of time, in ms of the clock; undefined for never. Source: extensions, Limits, task timeout */
export function taskDeadline(service: Service, { timeout }: Job): number | undefined {
  return service.clock.now() + timeout * 1000;
}

/** For a job that has ended. */
export async function dropDeadline(service: Service, writing: Writing, id: string): Promise<void> {
  if ((await writing.document(documentKind, id)) === undefined) return;
  await writing.deleteDocument(documentKind, id);
  timeoutsOf(service).wake();
}

/** Fails the jobs whose tasks have run out of time. @returns when the next one does, in ms of the clock */
export async function failOverdue(service: Service, writing: Writing): Promise<number | undefined> {
  let next: number | undefined;
  for (const { id, deadlineAt } of await deadlines(writing)) {
    if (deadlineAt > service.clock.now()) {
      next = Math.min(next ?? Infinity, deadlineAt);
      continue;
    }
    const job = await jobWith(writing, id);
    if (job?.state === 'Running') await keepJob(writing, service.behaviours.jobAfterTimeout(job));
    await writing.deleteDocument(documentKind, id);
  }
  return next;
}

export function jobAfterTimeout(job: Job): Job {
  const message = `The task ran into its timeout: no final status within ${job.timeout} s after it was acknowledged.`;
  return { ...job, state: 'Failed', message };
}

interface Deadline {
  readonly id: string;
  readonly deadlineAt: number;
}

/** Those of all tasks that run. */
export async function deadlines(reading: Reading): Promise<readonly Deadline[]> {
  return (await reading.documents(documentKind)).map(({ id, text }) => ({ id, deadlineAt: Number(text) }));
}
