import { callbackHeaders } from '../calls/call.ts';
import { CallbackError } from '../work/client.ts';
import type { WorkingHost } from '../working-host.ts';
import { linkOf, statusUrlOf } from './links.ts';
import type { FinalStatus, Outcome, ReportedPaths, Task } from './task.ts';

/** Waits before a report is sent again that did not get through, in ms. */
const retryDelaysMs = [2000, 4000, 8000];

/** Tells the job how far the task is. A report that fails stops nothing. Source: extensions, Callbacks from an external task */
export async function reportProgress(
  host: WorkingHost,
  task: Task,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  task.log.push(message);
  const link = task.links.find(({ id }) => id === 'taskProgress');
  if (link === undefined) return;
  const headers = { ...callbackHeaders(task.id, task.token), 'Content-Type': 'application/json' };
  const body = JSON.stringify(host.behaviours.progressBody(message));
  await host.client.demand({ method: link.method, url: link.url, headers, body }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    task.log.push(`Progress was not taken: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** Reports the end of a task; again, where the report did not get through. @throws {CallbackError} it was refused */
export async function reportEnd(
  host: WorkingHost,
  task: Task,
  status: FinalStatus,
  paths: ReportedPaths,
  signal: AbortSignal,
): Promise<void> {
  const { behaviours } = host;
  const { method } = linkOf(task.links, 'taskStatus');
  const url = behaviours.statusUrl(task, behaviours.statusWord(status));
  const headers = { ...behaviours.statusHeaders(task), 'Content-Type': 'application/json' };
  const outgoing = { method, url, headers, body: JSON.stringify(behaviours.statusBody(paths)) };
  for (const delayMs of retryDelaysMs) {
    const { status } = await host.client.send(outgoing, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof CallbackError) return { status: 500 };
      throw error;
    });
    if (status < 500 && status !== 408) return assertTaken(status);
    await host.clock.sleep(delayMs, signal, 'status retry');
  }
  await host.client.demand(outgoing, signal);
}

/** Reports a task that could not be done, or not in its time. Source: extensions, External task status, row Failed */
export function reportFailure(
  host: WorkingHost,
  task: Task,
  _outcome: Outcome,
  paths: ReportedPaths,
  signal: AbortSignal,
): Promise<void> {
  return reportEnd(host, task, 'Failed', paths, signal);
}

/** A word of the documents. Source: extensions, Callbacks from an external task */
export function statusWord(status: FinalStatus): string {
  return status;
}

export function statusUrl({ links }: Task, word: string): string {
  return statusUrlOf(linkOf(links, 'taskStatus'), word);
}

export function statusHeaders({ id, token }: Task): Readonly<Record<string, string>> {
  return callbackHeaders(id, token);
}

export function statusBody(paths: ReportedPaths): unknown {
  return paths;
}

export function progressBody(message: string): unknown {
  return { message };
}

function assertTaken(status: number): void {
  if (status < 200 || status >= 300) throw new CallbackError(`The status of a task was answered ${status}`, status);
}
