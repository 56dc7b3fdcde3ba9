import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { HostCall } from '../../judge/host/host.ts';
import type { HostContext } from '../../judge/host/context.ts';
import { filePathOf } from '../../judge/host/played/files.ts';
import { type Arrival, chunkOf } from '../../judge/host/arrival.ts';
import { isObject } from '../../judge/json.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import type { Installation, Task, TaskOptions } from '../../judge/host/installation.ts';
import { behind, isBecauseOfCall } from './callbacks.ts';

/** How long the end of a task is waited for where other rules judge that it comes, unless the profile knows better, in s. */
const endSeconds = 20;

/** A task that the host was called with. */
export interface Begun {
  readonly installation: Installation;
  readonly task: Task;
  readonly call: HostCall;
  readonly reply: Reply;
  /** In ms of the clock of the host. */
  readonly calledAt: number;
}

/** A task is left so much real time, in s: enough where many wait for their turn, and short enough to wait for its end when the run is over. */
const realTimeoutSeconds = 60;

/** How often a task may take the time that the profile tells: a host may do two one after the other, and keeps some of the time for its last reports. */
const timesOfProfile = 2.5;

/** How long a task may take, in s: so many, or what the profile says of its samples allows where that is more. */
export function lastingSeconds({ samples }: HostContext, usual: number): number {
  return Math.max(usual, timesOfProfile * (samples.all.task?.seconds ?? 0));
}

export function endMsOf(context: HostContext): number {
  return lastingSeconds(context, endSeconds) * 1000;
}

/** Calls the task record of the host with a job of its own, which it takes. @param prepare what is arranged at the service before */
export async function beginTask(
  context: HostContext,
  options?: TaskOptions,
  prepare?: (installation: Installation) => void,
): Promise<Begun> {
  const begun = await callTask(context, options, prepare);
  context.given.succeeded(begun.reply, 'the task is acknowledged', [
    'tasks.host.acknowledged-first',
    'signing.extension-host.query-ignored',
  ]);
  return begun;
}

/** The same, whatever the host answers; at a service of its own unless one is given. */
export async function callTask(
  context: HostContext,
  options: TaskOptions = {},
  prepare: (installation: Installation) => void = () => undefined,
  place?: Installation,
): Promise<Begun> {
  const { host, records, stage, samples, clock } = context;
  const installation = place ?? (await stage.installation());
  prepare(installation);
  const task = installation.task({
    ...(!clock.controlled && { timeout: lastingSeconds(context, realTimeoutSeconds) }),
    ...options,
  });
  const { record } = options.sample ?? samples.all.task?.success ?? {};
  const call = task.call(records.named(record, 'ExternalTask'));
  const reply = await host.call(call);
  // until it was taken it may have been held back
  return { installation, task, call, calledAt: clock.now() - reply.exchange.durationMs, reply };
}

/** A task of each other record that does not refuse the sample; nobody waits for their ends, and what comes of them is theirs. */
export async function beginOthers(context: HostContext): Promise<readonly Begun[]> {
  const { records, samples } = context;
  const sample = samples.task('success');
  const others = records.besides(records.named(sample.record, 'ExternalTask'));
  const begun: Begun[] = [];
  for (const { id } of others) begun.push(await callTask(context, { sample: { ...sample, record: id } }));
  return begun.filter(({ reply }) => isSuccess(reply.status));
}

/** The report of the end, if it comes within that time from when the host has come to the task. @throws {Inconclusive} it has not come to it yet */
export async function endOf({ given }: HostContext, { installation }: Pick<Begun, 'installation'>, withinMs: number) {
  const final = await installation.arrivedInTurn({ kind: 'status' }, withinMs);
  if (final === undefined && (await installation.isBehind())) given.inconclusive(behind);
  return final;
}

/** Asserts that a report came in its time, which a busy machine may have kept from that once, and returns its status. */
export function expectReport({ clock }: HostContext, report: Arrival | undefined, what: string): string {
  clock.expectCame(what, report?.arrivedAt);
  return report === undefined ? 'none' : statusOf(report);
}

/** The status that a report is about. */
export function statusOf({ path }: Arrival): string {
  const [, reported = ''] = /\/dx\/[^/]+\/status\/?(.*)$/.exec(path) ?? [];
  return decodeSegment(reported);
}

/** The task, once the host reported its end; that it does is the business of another rule. @param judgeUnfinished looks at what came of one that goes on */
export async function finishedTask(
  context: HostContext,
  options: TaskOptions = {},
  prepare?: (installation: Installation) => void,
  judgeUnfinished?: (begun: Begun) => void,
): Promise<Begun & { readonly final: Arrival }> {
  const task = await beginTask(context, options, prepare);
  const final = await endOf(context, task, endMsOf(context));
  if (final !== undefined) return { ...task, final };
  judgeUnfinished?.(task);
  return context.given.inconclusive(
    `the host reported no status of the task within ${endMsOf(context) / 1000} s, which tasks.host.final-status judges (extensionHost.samples.task.seconds of the profile can make it longer)`,
  );
}

/** The path that a report tells of the result. */
export function outputOf({ json }: Arrival): string | undefined {
  const told = isObject(json) ? json['outputFilePath'] : undefined;
  return typeof told === 'string' && told !== '' ? told : undefined;
}

/** Everything that came because of the task, oldest first. */
export function requestsOf({ installation }: Begun): readonly Arrival[] {
  return installation.arrivals({ where: isBecauseOfCall });
}

export function uploadsOf(task: Begun): readonly Arrival[] {
  return requestsOf(task).filter(({ kind }) => kind === 'upload' || kind === 'chunk');
}

/** Whether nothing came of a task but that it is not done, when so much of its time was over that a host which then came to it may have had none left. */
export function isTooLate(task: Begun): boolean {
  const [first] = requestsOf(task);
  if (first?.kind !== 'status' || statusOf(first) === 'Completed') return false;
  return first.arrivedAt - task.calledAt > (Number(task.call.envelope.payload['timeout']) * 1000) / 3;
}

/** Path of the directory of the input, with a slash at its end; empty for the root. */
export function directoryOf({ inputPath }: Task): string {
  return inputPath.slice(0, inputPath.lastIndexOf('/') + 1);
}

/** The name with more behind it, before its ending. */
export function nameWith(name: string, more: string): string {
  return name.replace(/(?=\.[^.]*$)|(?<!\.[^.]*$)$/, `-${more}`);
}

/** Path of an upload below the file area. */
export function pathOf(arrival: Arrival): string {
  return arrival.kind === 'chunk' ? (chunkOf(arrival)?.path ?? '') : filePathOf(arrival);
}

/** A task that has come to its end is no running one any more. Source: extensions, States and transitions */
export function tellFurtherEnds({ notes }: HostContext, tasks: readonly Begun[]): void {
  for (const { installation } of tasks) {
    const ends = installation.arrivals({ kind: 'status', where: ({ seen }) => isSuccess(seen.status) });
    if (ends.length > 1)
      return notes.remark(
        `the host reported the end of one task ${ends.length} times: ${ends.map(statusOf).join(', ')}`,
      );
  }
}
