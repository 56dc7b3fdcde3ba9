import type { Reply } from '../engine/exchange.ts';
import type { HostCall, HostContext } from '../engine/host/host.ts';
import type { Arrival } from '../engine/host/stage/arrival.ts';
import type { Installation, Task, TaskOptions } from '../engine/host/stage/installation.ts';

/** How long the end of a task is waited for where other rules judge that it comes, in ms. */
const endMs = 20_000;
export const finalStatuses = ['Completed', 'Canceled', 'Failed'];

/** A task that the host was called with. */
export interface Begun {
  readonly installation: Installation;
  readonly task: Task;
  readonly call: HostCall;
  readonly reply: Reply;
}

/** Calls the task record of the host with a job of its own. @param prepare what is arranged at the service before */
export async function begun(
  { host, records, stage, given }: HostContext,
  options: TaskOptions = {},
  prepare: (installation: Installation) => void = () => undefined,
): Promise<Begun> {
  const installation = await stage.installation();
  prepare(installation);
  const task = installation.task(options);
  const call = task.call(records.of('ExternalTask'));
  const reply = await host.call(call);
  given.succeeded(reply, 'the task is acknowledged', [
    'tasks.host.acknowledged-first',
    'signing.extension-host.query-ignored',
  ]);
  return { installation, task, call, reply };
}

/** The task, once the host reported its end; that it does is the business of another rule. */
export async function ended(
  context: HostContext,
  options: TaskOptions = {},
): Promise<Begun & { readonly final: Arrival }> {
  const task = await begun(context, options);
  const final = await task.installation.arrived({ kind: 'status' }, endMs);
  return { ...task, final: context.given.present(final, 'a status report of the task', ['tasks.host.final-status']) };
}

/** The task with whatever the host sent because of it. @throws {Inconclusive} it sent nothing */
export async function working(context: HostContext, options: TaskOptions = {}): Promise<Begun> {
  const task = await begun(context, options);
  await task.installation.arrived({ kind: 'status' }, endMs);
  if (requestsOf(task).length === 0) context.given.notExercised('the host sent nothing because of a task');
  return task;
}

/** The status that a report is about. */
export function statusOf({ path }: Arrival): string {
  return decodeURIComponent(path.split('/').at(-1) ?? '');
}

/** Everything that came because of the task, oldest first. */
export function requestsOf({ installation }: Begun): readonly Arrival[] {
  return installation.arrivals({ where: ({ kind }) => !['acquire', 'keyed', 'other'].includes(kind) });
}
