import { messageOf } from '../../../contract/thrown.ts';
import { callbackHeaders } from '../call.ts';
import { CallbackError } from '../client.ts';
import { HostArea } from '../surroundings.ts';
import { linkOf, statusUrlOf } from '../task/links.ts';
import type { FinalStatus, Outcome, ReportedPaths, Task } from '../task/task.ts';

/** Waits before a report is sent again that did not get through, in ms. */
const retryDelaysMs = [2000, 4000, 8000];

/** What tasks tell their jobs. Source: extensions, Callbacks from an external task */
export class Reports extends HostArea {
  /** Tells the job how far the task is. A report that fails stops nothing. */
  async reportProgress(task: Task, message: string, signal: AbortSignal): Promise<void> {
    task.log.push(message);
    const link = task.links.find(({ id }) => id === 'taskProgress');
    if (link === undefined) return;
    const { method, url } = link;
    const headers = { ...callbackHeaders(task.id, task.token), 'Content-Type': 'application/json' };
    const body = JSON.stringify(this.progressBody(message));
    await this.surroundings.client.demand({ method, url, headers, body }, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      task.log.push(`Progress was not taken: ${messageOf(error)}`);
    });
  }

  /** Reports the end of a task; again, where the report did not get through. @throws {CallbackError} it was refused */
  async reportEnd(task: Task, status: FinalStatus, paths: ReportedPaths, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.surroundings;
    const { method } = linkOf(task.links, 'taskStatus');
    const url = this.statusUrl(task, this.statusWord(status));
    const headers = { ...this.statusHeaders(task, status), 'Content-Type': 'application/json' };
    const outgoing = { method, url, headers, body: JSON.stringify(this.statusBody(paths)) };
    for (const delayMs of retryDelaysMs) {
      const { status } = await client.send(outgoing, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof CallbackError) return { status: 500 };
        throw error;
      });
      if (status < 500 && status !== 408) return assertTaken(status);
      await clock.sleep(delayMs, signal, 'status retry');
    }
    await client.demand(outgoing, signal);
  }

  /** Reports a task that could not be done, or not in its time. Source: extensions, External task status, row Failed */
  reportFailure(task: Task, _outcome: Outcome, paths: ReportedPaths, signal: AbortSignal): Promise<void> {
    return this.reportEnd(task, 'Failed', paths, signal);
  }

  /** A word of the documents. */
  statusWord(status: FinalStatus): string {
    return status;
  }

  statusUrl({ links }: Task, word: string): string {
    return statusUrlOf(linkOf(links, 'taskStatus'), word);
  }

  statusHeaders({ id, token }: Task, _status: FinalStatus): Readonly<Record<string, string>> {
    return callbackHeaders(id, token);
  }

  statusBody(paths: ReportedPaths): unknown {
    return paths;
  }

  progressBody(message: string): unknown {
    return { message };
  }
}

function assertTaken(status: number): void {
  if (status < 200 || status >= 300) throw new CallbackError(`The status of a task was answered ${status}`, status);
}
