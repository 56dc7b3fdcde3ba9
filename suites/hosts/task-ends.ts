import { type Arrival, type ArrivalKind, finalStatuses } from '../../judge/host/arrival.ts';
import { isSuccess, isTransient } from '../../judge/exchange.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall, TaskSample } from '../../judge/host/host.ts';
import type { Held, Installation, Task } from '../../judge/host/installation.ts';
import { inputOf } from '../../judge/host/payloads.ts';
import { filePathOf } from '../../judge/host/played/files.ts';
import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { isObject } from '../../judge/json.ts';
import {
  beginTask,
  type Begun,
  callTask,
  endMsOf,
  endOf,
  expectReport,
  finishedTask,
  requestsOf,
  statusOf,
  uploadsOf,
  nameWith,
  outputOf,
} from './task-work.ts';

/** How long a report is waited for that comes again, in ms. */
const againMs = 10_000;

/** A timeout is a number, and no integer. Source: extensions, Payloads, row ExternalTask */
const fractionSeconds = 600.5;

/** More than most timers take, in s. */
const monthSeconds = 2_592_000;

/** What a report may come later than the timeout, in ms. */
export const lateMs = 250;

/** How long what is sent at the same time as a status may take to come, and how long what comes after it is waited for, in ms. */
export const besideStatusMs = 300;
export const furtherRealMs = 2000;

/** What a host does for a task while it is under way. */
const whileAtWork = ['progress', 'upload', 'chunk', 'deletion'] as const;

/** How long the answer to a call is waited for that comes again, in ms. */
const repeatedMs = 5000;

/** How long a download takes that is slow, in ms. */
const slowDownloadMs = 2000;

const byteValues = 256;
const oddBytes = 2 * byteValues;
const otherLetters = 'Ænđ 灯台 маяк \u{1F4A1} e\u0301\n';
const longLineBytes = 100_000;

/** A task that can be done and one that cannot. */
export interface Pair {
  readonly good: TaskSample;
  readonly bad: TaskSample;
}

/**
 * A job leaves a task 600 s unless told otherwise. What a host leaves its own requests is not said: one that ends at once because of a slow download
 * may have read another unit. Source: extensions, Payloads, row ExternalTask (timeout)
 */
export async function tellHaste(context: HostContext): Promise<void> {
  let held: Held | undefined;
  const { installation } = await beginTask(
    context,
    { sample: context.samples.task('success'), timeout: defaultTaskTimeoutSeconds },
    (place) => {
      held = place.hold('download');
    },
  );
  const download = await installation.arrivedInTurn({ kind: 'download' }, repeatedMs);
  const final = download && (await installation.arrived({ kind: 'status' }, slowDownloadMs));
  held?.release();
  if (final !== undefined && statusOf(final) !== 'Completed')
    context.notes.remark(
      `a task was reported as ${statusOf(final)} whose download took less than ${slowDownloadMs / 1000} s, although its timeout is ${defaultTaskTimeoutSeconds} s`,
    );
}

/** However long a job leaves a task, one that can be done is. Source: extensions, Payloads, row ExternalTask (timeout) */
export async function tellLongTime(context: HostContext): Promise<void> {
  const begun = await callTask(context, { sample: context.samples.task('success'), timeout: monthSeconds });
  if (!isSuccess(begun.reply.status)) return;
  const final = await endOf(context, begun, endMsOf(context));
  if (final !== undefined && statusOf(final) !== 'Completed')
    context.notes.remark(`a task whose timeout is ${monthSeconds} s was reported as ${statusOf(final)}`);
}

/** Another installation may have a job of the same id: each is reported to its own. Source: extensions, Call envelope, rows id and baseAddress */
export async function tellSameJobs(context: HostContext, one: Installation, other: Installation): Promise<void> {
  const { samples, records, notes } = context;
  const sample = samples.all.task?.success;
  if (sample === undefined || records.all.every(({ type }) => type !== 'ExternalTask')) return;
  const reported = async (place: Installation, twin?: Task): Promise<Task | undefined> => {
    const { task, reply } = await callTask(context, { sample, ...(twin && { twin }) }, undefined, place);
    const ofTask = { kind: 'status', where: ({ path }: Arrival) => path.includes(task.jobId) } as const;
    const isReported = isSuccess(reply.status) && (await place.arrivedInTurn(ofTask, endMsOf(context))) !== undefined;
    return isReported ? task : undefined;
  };
  const task = await reported(one);
  if (task === undefined || (await reported(other, task)) !== undefined) return;
  // on a busy machine its end may come late, and before what came after it
  const isLaterReported = (await reported(other)) !== undefined;
  const isHere = other.arrivals({ kind: 'status', where: ({ path }) => path.includes(task.jobId) }).length > 0;
  if (isLaterReported && !isHere && !(await other.isBehind()))
    notes.remark('no end of a task was reported after one of another installation that had its id');
}

/** Another task of that service, which has the usual time. What the host answers is the business of other rules. */
export function callPatient({ host, records, samples }: HostContext, place: Installation): Task {
  const sample = samples.task('success');
  const task = place.task({ sample, timeout: defaultTaskTimeoutSeconds });
  host.call(task.call(records.named(sample.record, 'ExternalTask'))).catch(() => undefined);
  return task;
}

/** A task ends by its own time, and not by that of another which is over. Source: extensions, Payloads, row ExternalTask (timeout) */
export async function tellSharedTime(
  { clock, notes }: HostContext,
  place: Installation,
  { jobId }: Task,
): Promise<void> {
  await clock.until(new Promise<never>(() => undefined), besideStatusMs);
  const [final] = place.arrivals({ kind: 'status', where: ({ path }) => path.includes(jobId) });
  if (final !== undefined && statusOf(final) !== 'Completed')
    notes.remark(
      `a task whose timeout is ${defaultTaskTimeoutSeconds} s was reported as ${statusOf(final)} when the time of another was over`,
    );
}

/** What a task is for may be done without its input, and hardly where that was asked for and never came. Source: extensions, States and transitions */
export function tellDone({ notes }: HostContext, installation: Installation, final: Arrival | undefined): void {
  const isAsked = installation.arrivals({ kind: 'download', where: ({ method }) => method === 'GET' }).length > 0;
  if (isAsked && final !== undefined && statusOf(final) === 'Completed')
    notes.remark('a task whose download did not end was reported as Completed');
}

/** Asserts that whatever is told of the end of a task is a status. */
export function expectStatuses({ expect }: HostContext, { installation, call }: Begun): void {
  for (const arrival of installation.arrivals({ kind: 'status' }))
    expect(
      statusOf(arrival),
      `the status reported of a task of record ${JSON.stringify(call.record.id)}`,
      arrival.seen,
    ).toBeOneOf(finalStatuses);
}

/** A job whose end is told once, while the service restarts, is taken for one that never ended. How often a report is sent is not said. */
export async function tellLostReport(context: HostContext): Promise<void> {
  const { notes, expect } = context;
  let came = 0;
  const { installation, call, reply } = await callTask(
    context,
    { sample: context.samples.task('success'), timeout: fractionSeconds },
    (place) => place.refuse('status', 503, () => (came += 1) === 1),
  );
  if (reply.status === 400 || reply.status === 422)
    return notes.remark(`a task whose timeout is ${fractionSeconds} s was refused with ${reply.status}`);
  const lost = await installation.arrivedInTurn({ kind: 'status' }, endMsOf(context));
  if (lost === undefined) return;
  const isLater = (arrival: Arrival): boolean => arrival !== lost;
  const again = await installation.arrivedInTurn({ kind: 'status', where: isLater }, againMs);
  if (again === undefined)
    notes.remark('a report of the end that was answered with 503 did not come again within 10 s');
  else if (statusOf(again) !== statusOf(lost))
    notes.remark(`a report of ${statusOf(lost)} that was answered with 503 came again as ${statusOf(again)}`);
  else if (outputOf(again) !== outputOf(lost))
    notes.remark(
      `a report that was answered with 503 named ${outputOf(lost) ?? 'no result'}, and ${outputOf(again) ?? 'none'} when it came again`,
    );
  // whose token it carries at all is the business of another rule
  if (again !== undefined && lost.callId === call.envelope.id)
    expect(again.callId ?? 'none', 'the call whose token a report carries that comes again', again.seen).toEqual(
      lost.callId,
    );
}

/** A service whose call was taken and not answered sends it again, and gives the job up where that is refused for good. Source: extensions, Limits, retries; Errors 1 */
export async function tellRepeated({ host, clock, notes }: HostContext, call: HostCall): Promise<void> {
  const answer = host.call(call);
  answer.catch(() => undefined);
  const status = (await clock.until(answer, repeatedMs))?.status ?? 0;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429)
    notes.remark(
      `a task call that came again before the task was done, as after a lost acknowledgement, was answered ${status}`,
    );
}

/** A task that was reported, and how. */
interface Ended {
  readonly installation: Installation;
  readonly call: HostCall;
  readonly ended: string;
}

/** Asserts that nothing is sent for a task after the status that ends it, and that what this names stays. Source: extensions, States and transitions */
export async function expectEndIsLast(
  context: HostContext,
  sample: TaskSample,
  input: Uint8Array = inputOf(sample),
): Promise<Ended> {
  const { clock, expect, notes } = context;
  const holds: Held[] = [];
  const { installation, task, call, final } = await finishedTask(context, { sample, input }, (place) =>
    holds.push(place.hold('status')),
  );
  const ended = statusOf(final);
  // what was sent beside the status, and not after it, has come by then
  await clock.until(new Promise<never>(() => undefined), besideStatusMs);
  const before = installation.arrivals();
  for (const held of holds) held.release();
  const isLater = (arrival: Arrival): boolean =>
    !before.includes(arrival) && (arrival.kind !== 'deletion' || isOfReported(arrival, final));
  const atWork = { kind: [...whileAtWork], where: isLater };
  await installation.arrived(atWork, furtherRealMs);
  const [late] = installation.arrivals(atWork);
  expect(late?.kind ?? 'none', `what the host sends for a task after the status ${ended}`, late?.seen).toEqual('none');
  const second = installation.arrivals({ kind: 'status' }).find((arrival) => statusOf(arrival) !== ended);
  expect(statusOf(second ?? final), `a further status of a task that was reported as ${ended}`, second?.seen).toEqual(
    ended,
  );
  if (installation.arrivals({ kind: 'deletion' }).some((arrival) => filePathOf(arrival) === task.inputPath))
    notes.remark(`the host deleted the input of a task that was reported as ${ended}`);
  return { installation, call, ended };
}

/** The job uses the files that the end of its task names. Source: extensions, States and transitions */
function isOfReported(deletion: Arrival, { json }: Arrival): boolean {
  const told = isObject(json) ? [json['outputFilePath'], json['logFilePath']] : [];
  const paths = told.filter((path) => typeof path === 'string').map((path) => path.replace(/^\/+/, ''));
  return paths.some((path) => path !== '' && `/${filePathOf(deletion)}`.endsWith(`/${path}`));
}

/** Asserts that another task is taken as the first was, once that has ended: who is busy says so by a status that passes. Source: extensions, Calls to extensions, row ExternalTask; Errors 1 */
export async function expectNextTaken(context: HostContext, installation: Installation, call: HostCall): Promise<void> {
  const { host, expect } = context;
  if ((await installation.arrivedInTurn({ of: call, kind: 'status' }, endMsOf(context))) === undefined) return;
  const reply = await host.call(installation.task().call(call.record));
  expect(reply.status, 'status of another task call, when the task of the first has ended', reply).toSatisfy(
    '2xx, or one by which it comes again',
    (status) => isSuccess(status) || isTransient(status) || status === 429,
  );
}

/** Asserts that the end of another task of the same space is told of its own job, and of no other, how soon is judged elsewhere; and then that of one which has the input of that as well. */
export async function expectEndOfNext(context: HostContext, place: Installation): Promise<void> {
  const { samples, host, records, given, expect } = context;
  const sample = samples.task('success');
  const task = place.task({ sample });
  const before = place.arrivals({ kind: 'status' });
  const call = task.call(records.named(sample.record, 'ExternalTask'));
  given.succeeded(await host.call(call), 'another task is acknowledged', ['tasks.host.acknowledged-first']);
  const isOwn = ({ path }: Arrival): boolean => path.includes(task.jobId);
  const final = await place.arrivedInTurn({ kind: 'status', where: isOwn }, endMsOf(context));
  const [other] = place.arrivals({ kind: 'status', where: (arrival) => !before.includes(arrival) });
  if (final === undefined && (other === undefined || (await place.isBehind()))) return;
  expect(
    final === undefined ? 'none' : statusOf(final),
    `the status reported within ${endMsOf(context) / 1000} s of another job of the same space`,
    (final ?? other)?.seen,
  ).toBeOneOf(finalStatuses);
  if (final !== undefined) await expectEndOfSameInput(context, place, { task, final });
}

/** A job is known by its id, and its input may have been that of another before. Source: extensions, Call envelope, row id */
async function expectEndOfSameInput(
  context: HostContext,
  place: Installation,
  before: { readonly task: Task; readonly final: Arrival },
): Promise<void> {
  const { samples, host, records, notes } = context;
  const sample = samples.task('success');
  const task = place.task({ sample, besides: before.task });
  const { status } = await host.call(task.call(records.named(sample.record, 'ExternalTask')));
  const isOwn = ({ path }: Arrival): boolean => path.includes(task.jobId);
  const final = await place.arrivedInTurn({ kind: 'status', where: isOwn }, endMsOf(context));
  if (!isSuccess(status) || (final === undefined && (await place.isBehind()))) return;
  expectEnd(
    context,
    final,
    `the status reported within ${endMsOf(context) / 1000} s for a job whose input was that of another job`,
  );
  if (final !== undefined && statusOf(final) !== statusOf(before.final))
    notes.remark(
      `a job was reported as ${statusOf(final)} whose input was that of another job, which was reported as ${statusOf(before.final)}`,
    );
}

/** What other calls come to ends no task that is under way: one whose object is not there, or one that is no call. Source: extensions, States and transitions */
export async function expectEndBesideTrouble(context: HostContext): Promise<void> {
  const { samples, records, host, clock } = context;
  let held: Held | undefined;
  const begun = await beginTask(context, { sample: samples.task('success') }, (place) => {
    held = place.hold('download');
    place.refuse('object', 404);
  });
  const { installation, call } = begun;
  await installation.arrivedInTurn({ kind: ['download', 'status'] }, endMsOf(context));
  const others = records.all.filter(({ type }) => type !== 'ExternalTask');
  const troubles = [
    ...others.map((record) => host.call(installation.call(record))),
    host.call(call, { body: '{', fresh: true }),
  ];
  await clock.until(Promise.allSettled(troubles), repeatedMs);
  held?.release();
  const final = await installation.arrivedInTurn({ kind: 'status' }, endMsOf(context));
  if (final === undefined && (await installation.isBehind())) return;
  expectEnd(
    context,
    final,
    `the status reported within ${endMsOf(context) / 1000} s for a task beside calls that cannot be done`,
  );
}

/** What is told on the way is not what a task is for: that the service does not take it ends no task in silence. Source: extensions, States and transitions. @param usual the end of a task like it whose progress is taken */
export async function expectEndWithoutProgress(context: HostContext, usual: Arrival): Promise<void> {
  const { samples } = context;
  const begun = await beginTask(context, { sample: samples.task('success') }, (place) => place.refuse('progress', 400));
  const { installation } = begun;
  const final = await endOf(context, begun, endMsOf(context));
  expectEnd(
    context,
    final,
    `the status reported within ${endMsOf(context) / 1000} s for a task whose progress is refused`,
  );
  const isRefused = installation.arrivals({ kind: 'progress' }).length > 0;
  if (isRefused && final !== undefined && statusOf(final) !== statusOf(usual))
    context.notes.remark(
      `a task that is reported as ${statusOf(usual)} otherwise is reported as ${statusOf(final)} where its progress is refused`,
    );
}

/** A task may find nothing in its input, and be scheduled in another language. What comes of it is not said, but that it ends is. Source: extensions, States and transitions. @param timeout in s */
export async function expectEndOfEmpty(context: HostContext, timeout: number): Promise<void> {
  const sample = context.samples.task('success');
  const { installation, reply } = await callTask(context, { sample, input: new Uint8Array(), timeout, isAbroad: true });
  // which languages a host knows is not said
  if (!isSuccess(reply.status)) return context.notes.observe('status of a task of another language', reply.status);
  const final = await installation.arrivedInTurn({ kind: 'status' }, timeout * 1000);
  if (final === undefined && (await installation.isBehind())) return;
  expectEnd(
    context,
    final,
    `the status reported within ${timeout} s for a task of another language whose input is empty`,
  );
}

export function withOtherLetters(sample: TaskSample): Uint8Array {
  return Buffer.concat([inputOf(sample), Buffer.from(otherLetters)]);
}

/** What a task makes of an input that is no sample's is not said, but that it ends is. Source: extensions, States and transitions. @param timeout in s */
export async function expectEndOfOdd(context: HostContext, timeout: number): Promise<void> {
  const sample = context.samples.task('success');
  const inputs = [
    ['holds every byte', Uint8Array.from({ length: oddBytes }, (_, index) => index % byteValues)],
    ['goes on with other letters', withOtherLetters(sample)],
    ['is one long line', Buffer.alloc(longLineBytes, 'x')],
  ] as const;
  const begun: (readonly [string, Begun])[] = [];
  for (const [what, input] of inputs) begun.push([what, await beginTask(context, { sample, input, timeout })]);
  for (const [what, { installation }] of begun) {
    const final = await installation.arrivedInTurn({ kind: 'status' }, timeout * 1000);
    if (final === undefined && (await installation.isBehind())) return;
    expectEnd(context, final, `the status reported within ${timeout} s for a task whose input ${what}`);
  }
}

/** Source: extensions, States and transitions. @param timeout in s */
export async function expectEndOfMissing(context: HostContext, begun: Begun, timeout: number): Promise<void> {
  const final = await endOf(context, begun, timeout * 1000);
  expectEnd(context, final, `the status reported within ${timeout} s for a task whose input is not there`);
  context.notes.observe('the end of a task whose input is not there', final === undefined ? 'none' : statusOf(final));
}

/** What a task is for may be done, and yet its time be over, which counts from when the host begins. Source: extensions, Payloads, row ExternalTask. Nothing follows that, when the upload is answered at last. @param timeout in s */
export async function expectEndOfSending(
  context: HostContext,
  sending: Begun,
  { timeout, release }: { readonly timeout: number; readonly release: () => void },
): Promise<void> {
  const { installation } = sending;
  const [begun] = requestsOf(sending);
  if (begun === undefined || uploadsOf(sending).length === 0) return;
  const leftMs = begun.arrivedAt + timeout * 1000 + lateMs - context.clock.now();
  const final = await installation.arrived({ kind: 'status' }, Math.max(1, leftMs));
  expectEnd(context, final, `the status reported within the timeout of ${timeout} s, while an upload is not answered`);
  if (final === undefined) return;
  const before = installation.arrivals();
  release();
  const isLater = (arrival: Arrival): boolean => !before.includes(arrival);
  const other = await installation.arrived({ kind: 'status', where: isLater }, furtherRealMs);
  if (other !== undefined && statusOf(other) !== statusOf(final))
    context.notes.remark(
      `a task whose time was over was reported as ${statusOf(final)}, and as ${statusOf(other)} when its upload was answered`,
    );
  const late = installation.arrivals({ kind: ['progress', 'upload', 'chunk'], where: isLater })[0];
  if (late !== undefined)
    context.notes.remark(
      `the host sent ${late.kind} for a task whose time was over, after it was reported as ${statusOf(final)}`,
    );
}

/** The input of a task is its own: where that is refused, none is that another task had under its name. Source: extensions, States and transitions. @param timeout in s */
export async function expectNothingKept(context: HostContext, timeout: number): Promise<void> {
  const options = { sample: context.samples.task('success'), timeout };
  const { installation, final } = await finishedTask(context, options);
  if (statusOf(final) !== 'Completed') return;
  installation.refuse('download', 403);
  const refused = await callTask(context, options, undefined, installation);
  const isOwn = ({ path }: Arrival): boolean => path.includes(refused.task.jobId);
  const end = await installation.arrivedInTurn({ kind: 'status', where: isOwn }, timeout * 1000);
  const isOfTask = ({ callId }: Arrival): boolean => callId === refused.call.envelope.id;
  const isAsked = installation.arrivals({ kind: 'download', where: isOfTask }).length > 0;
  if (!isAsked || (end === undefined && (await installation.isBehind()))) return;
  const what = 'the status reported for a task whose input is refused, behind one that had its own under that name';
  context.expect(expectReport(context, end, what), what, end?.seen).toBeOneOf(['Failed', 'Canceled']);
}

/** What a task needs of the service, which has trouble with it all the time: what is read before anything else, and the rest. */
const troubles: readonly (readonly ArrivalKind[])[] = [['download'], ['object', 'upload', 'chunk']];

/** Tasks of services that are in trouble. @param timeout in s */
export function callInTrouble(context: HostContext, timeout: number): Promise<readonly Begun[]> {
  const options = { sample: context.samples.task('success'), timeout };
  const callOne = (kinds: readonly ArrivalKind[]): Promise<Begun> =>
    callTask(context, options, (place) => {
      for (const kind of kinds) place.refuse(kind, 503);
    });
  return Promise.all(troubles.map(callOne));
}

/** How often a host asks again is not said, but the time of the task, which counts from when the host begins. Source: extensions, Payloads, row ExternalTask. @param timeout in s */
export async function expectEndInTrouble(
  context: HostContext,
  tasks: readonly Begun[],
  timeout: number,
): Promise<void> {
  for (const task of tasks) {
    const [begun] = requestsOf(task);
    const refused = requestsOf(task).find(({ seen }) => seen.status === 503);
    if (begun === undefined || refused === undefined) continue;
    const leftMs = begun.arrivedAt + timeout * 1000 + lateMs - context.clock.now();
    const final = await task.installation.arrived({ kind: 'status' }, Math.max(1, leftMs));
    const what = `the status reported within the timeout of ${timeout} s, while each ${refused.kind} is answered 503`;
    expectEnd(context, final, what);
  }
}

/** Links are known by their ids: whatever their order, a task ends where others do. Source: extensions, External task links */
export async function expectEndByLinks(context: HostContext, task: Begun): Promise<void> {
  const { installation } = task;
  if (installation.arrivals({ kind: 'status' }).length === 0) await finishedTask(context);
  // a host that is slow now and then has it later than that of one behind it
  const [reported] = installation.arrivals({ kind: 'status' });
  const final = reported ?? (await endOf(context, task, endMsOf(context)));
  const what = 'the status reported for a task whose links stand in another order';
  context.expect(final === undefined ? 'none' : statusOf(final), what, final?.seen).toBeOneOf(finalStatuses);
}

/** A host that comes late to a task, as others of the run are under way, may have no time left for it. @param seconds what it had */
export async function isCompletedLater(context: HostContext, seconds: number): Promise<boolean> {
  const timeout = 3 * seconds;
  const begun = await beginTask(context, { sample: context.samples.task('success'), timeout });
  const final = await endOf(context, begun, timeout * 1000);
  return final !== undefined && statusOf(final) === 'Completed';
}

function expectEnd(context: HostContext, final: Arrival | undefined, what: string): void {
  context.expect(expectReport(context, final, what), what, final?.seen).toBeOneOf(finalStatuses);
}

/** Both with one name of their files, which no other task has: what a host keeps by that name is one for both. As they are where the host goes by the name. */
export async function namedAlike(context: HostContext): Promise<Pair> {
  const { samples, given } = context;
  const pair = { good: samples.task('success'), bad: samples.task('failure') };
  const named = (sample: TaskSample, name = given.unique('alike')): TaskSample => ({
    ...sample,
    inputName: nameWith(pair.good.inputName, name),
  });
  // each of a name of its own, by which nothing is known
  const endAlone = async (sample: TaskSample): Promise<string> => {
    const final = await endOf(context, await beginTask(context, { sample: named(sample) }), endMsOf(context));
    return final === undefined ? 'none' : statusOf(final);
  };
  if ((await endAlone(pair.good)) !== 'Completed' || (await endAlone(pair.bad)) === 'Completed') return pair;
  const name = given.unique('alike');
  return { good: named(pair.good, name), bad: named(pair.bad, name) };
}
