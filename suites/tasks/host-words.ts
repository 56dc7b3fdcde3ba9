import type { Reply } from '../../judge/exchange.ts';
import type { HostCall, HostContext } from '../../judge/host/host.ts';
import type { Arrival } from '../../judge/host/stage/arrival.ts';
import type { Installation, Task, TaskOptions } from '../../judge/host/stage/installation.ts';

/** How long the end of a task is waited for where other rules judge that it comes, in ms. */
const endMs = 20_000;
/** Cases withhold answers, and a host that has one queue for all its work then keeps the tasks of others waiting. */
const oneAtATime = 'a host that does one thing after another needs --concurrency 1';
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
  { host, records, stage, given, samples }: HostContext,
  options: TaskOptions = {},
  prepare: (installation: Installation) => void = () => undefined,
): Promise<Begun> {
  const installation = await stage.installation();
  prepare(installation);
  const task = installation.task(options);
  const { record } = options.sample ?? samples.all.task?.success ?? {};
  const call = task.call(records.named(record, 'ExternalTask'));
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
  if (final !== undefined) return { ...task, final };
  return context.given.inconclusive(
    `the host reported no status of the task within ${endMs / 1000} s, which tasks.host.final-status judges; ${oneAtATime}`,
  );
}

/** The task with whatever the host sent because of it. @throws {Inconclusive} it sent nothing */
export async function working(context: HostContext, options: TaskOptions = {}): Promise<Begun> {
  const task = await begun(context, options);
  await task.installation.arrived({ kind: 'status' }, endMs);
  if (requestsOf(task).length === 0)
    context.given.notExercised(`the host sent nothing because of a task within ${endMs / 1000} s (${oneAtATime})`);
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
