import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { type CaseContext, holdingSchedule, schedule } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { Step } from '../../judge/extension/extension.ts';
import type { GivenTask, TaskOptions } from '../../judge/extension/tasks.ts';
import { contentOf } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import type { Before } from '../../judge/time/clock.ts';
import { TooLate, unlessRefused } from '../../judge/violation.ts';
import { beyondTimersSeconds } from './checks/delivery-attempts.ts';
import { inputFileOf, jobOf, outcomeIfRead, outcomeOf, report, taskOf, taskWithInput } from './checks/task-jobs.ts';
import { assumeTimeoutTaken, lastingExtension, takesTimeout } from './checks/triggered-calls.ts';

/** Timeout that a task is configured with, where the service looks at its queue all the time: where time jumps so long that twice as long is too late. */
const configuredSeconds = { jumping: 60, real: 10 } as const;

/** When a task is looked at last before its timeout, in ms. */
const beforeMs = 500;

/** How late a job may show that the time of its task is over, in ms: a service may look at what runs only so often. */
const lateMs = 30_000;

/** How long a task is watched whose timeout is very long, in ms. */
const patientMs = 5000;

/** Between two looks at a job, in ms. */
const pollMs = 250;

/** How long before the middle between both ends of a timeout a job has to have been read, in ms. */
const clockMs = 1000;

/** Longest wait for the call of a task beside one that runs, in ms: that one must not run out of its time meanwhile. */
const besideMs = 2000;

/** Tasks of one extension that both run into their timeouts, one begun behind the other. */
const silentBesides = 2;

/** How late a slow task is acknowledged, in ms. */
const acknowledgedAfterMs = 3000;

/** How long tasks with a configured timeout are watched beyond it, in ms. */
const watchedMs = lateMs + 5000;

/** When a task with the default timeout is looked at last before it, and between two looks, in ms. */
const longBeforeMs = 5000;

const longPollMs = 2000;

interface FailureDue {
  readonly fromMs: number;
  readonly atMostMs: number;
}

/** When a job was seen to have failed, in ms since the call of its task as far as that is known. */
interface Failure {
  /** The end of the first read that showed it, since the trigger; undefined where none did. */
  readonly seenMs: number | undefined;
  /** The beginning of the last read that did not show it, since the arrival of the call. */
  readonly notYetMs: number;
}

/** Not much longer than the default timeout, in minutes. */
const tokenLifeTime = defaultTaskTimeoutSeconds / 60 + 1;

/** How long a token of a minute is good, in ms. */
const briefMs = 60_000;

export const taskTimeoutRules = rules('tasks', {
  'tasks.links.input-file-while-running': {
    level: 'should',
    source:
      'extensions: External task links, row inputFile (token in query); Payloads, row ExternalTask (timeout); Limits, token validity',
    statement:
      'As long as a task may run and the token of its envelope is good, inputFile delivers the input file: here shortly before the default timeout, and at once where the tokens of earlier tasks have ended.',
    fault: 'The token of the link ends after a minute.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'long-run'],
    after: ['tasks.links.input-file-usable', 'calls.token.accepted-by-api'],
    test: schedule(defaultTaskTimeoutSeconds, async (context) => {
      const { clock, expect, given, tasks } = context;
      const brief = await given.extension({ types: ['ExternalTask'], tokenLifeTime: 1 });
      await report(context, await taskWithInput(context, {}, brief), 'Completed');
      // a link may be good for one download
      const { token } = await inputFileOf(context, await taskWithInput(context));
      const extension = await given.extension({ types: ['ExternalTask'], tokenLifeTime });
      const task = await taskWithInput(context, {}, extension);
      const dueMs = defaultTaskTimeoutSeconds * 1000;
      const read = await clock.at(
        Math.min(task.call.arrivedAt + dueMs - longBeforeMs, task.triggered.sentAt + dueMs - beforeMs),
        () => tasks.follow(task.link('inputFile'), { token }),
        {
          until: task.triggered.sentAt + dueMs,
          what: 'the timeout of the task',
          isRight: ({ status }) => isSuccess(status),
        },
      );
      expect(read).toSucceed();
      const what = `the input file ${(dueMs - longBeforeMs) / 1000} s after the call`;
      expect(contentOf(read.bytes, task.input.bytes), what, read).toEqual(contentOf(task.input.bytes));
      const later = await taskWithInput(context, {}, brief);
      const fresh = await clock.at(later.call.arrivedAt, () => tasks.follow(later.link('inputFile'), { token }), {
        until: later.triggered.sentAt + briefMs,
        what: 'the end of a token of a minute',
        isRight: ({ status }) => isSuccess(status),
      });
      expect(fresh).toSucceed();
      const others = 'the input file of a task that came when the token of one before it had ended';
      expect(contentOf(fresh.bytes, later.input.bytes), others, fresh).toEqual(contentOf(later.input.bytes));
    }),
  },
  'tasks.timeout.configured-fails-job': {
    source: 'extensions: Payloads, row ExternalTask (timeout); Limits, task timeout',
    statement:
      'A task that reports no final status within its configured timeout makes the job fail, and not earlier, whatever reports of it were refused, and whatever other one, of another extension or of its own, has begun or ended meanwhile; one that reported Completed in time does not fail, nor does one whose timeout is longer than most timers are.',
    fault: 'Timeout is not enforced.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['tasks.payload.timeout-configured', 'calls.token.accepted-by-api'],
    test: holdingSchedule(configuredSeconds.real + watchedMs / 1000, async (context) => {
      const { clock, expect, given, notes, tasks } = context;
      assumeTimeoutTaken(context);
      const options = { timeout: timeoutSeconds(context) };
      const dueMs = options.timeout * 1000;
      const done = await taskOf(context, options);
      // one extension may be given its tasks one after the other
      const besides: GivenTask[] = [];
      for (let count = 0; count < silentBesides; count += 1) {
        const beside = await unlessRefused(() => given.task(done.extension, { ...options, withinMs: besideMs }));
        if (beside === undefined) break;
        besides.push(beside);
      }
      const silent = await taskOf(context, options);
      const completed = () => report(context, done, 'Completed');
      expect(await clock.at(clock.now(), completed, beforeTimeout(done, dueMs))).toSucceed();
      await sendRefusedReports(context, silent);
      const busy = await taskOf(context, options);
      const slow = await taskAnsweredWith(context, { status: 200, delayMs: acknowledgedAfterMs }, options);
      const progress = await clock.at(
        silent.call.arrivedAt + 5000,
        () => tasks.progress(busy, { message: 'half way' }),
        beforeTimeout(busy, dueMs, ({ status }) => isSuccess(status)),
      );
      expect(progress).toSucceed();
      await expectNotFailedAt(context, silent, dueMs - beforeMs, dueMs);
      for (const task of [busy, slow]) await expectNotFailedAt(context, task, 0, dueMs);
      const alone = [silent, ...besides];
      const failedAfter = await failures(context, [...alone, busy, slow], {
        untilMs: dueMs + watchedMs,
        everyMs: pollMs,
      });
      for (const task of alone)
        expectFailed(context, failedAfter.get(task), { fromMs: dueMs - beforeMs, atMostMs: dueMs + lateMs });
      notes.observe(
        'seconds from the call to the failure, with progress after 5 s',
        secondsOf(failedAfter.get(busy)?.seenMs),
      );
      notes.observe('the same with an acknowledgement after 3 s', secondsOf(failedAfter.get(slow)?.seenMs));
      expectClock(context, { silent: failedAfter.get(silent), slow: failedAfter.get(slow) });
      const like = { like: done, timeout: beyondTimersSeconds };
      const patient = await unlessRefused(() => given.task(done.extension, like));
      notes.observe(
        `a task with a timeout of ${beyondTimersSeconds} s`,
        patient === undefined ? 'is not called' : 'is called',
      );
      await expectNotFailedAt(context, done, dueMs + watchedMs);
      if (patient !== undefined) await expectNotFailedAt(context, patient, patientMs);
    }),
  },
  'tasks.timeout.default-fails-job': {
    source: 'extensions: Payloads, row ExternalTask (default 600); Limits, task timeout',
    statement:
      'Without configuration the job fails 600 s after the task was called; one whose task is configured with more has not failed by then.',
    fault: 'Default timeout is 6000 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read', 'long-run'],
    after: ['tasks.timeout.configured-fails-job'],
    test: schedule(defaultTaskTimeoutSeconds + lateMs / 1000, async (context) => {
      const task = await taskOf(context);
      const dueMs = defaultTaskTimeoutSeconds * 1000;
      const longer = takesTimeout(context)
        ? await taskOf(context, { timeout: 2 * defaultTaskTimeoutSeconds })
        : undefined;
      await expectNotFailedAt(context, task, dueMs - longBeforeMs, dueMs);
      const failedAfter = await failures(context, [task], { untilMs: dueMs + lateMs, everyMs: longPollMs });
      expectFailed(context, failedAfter.get(task), { fromMs: dueMs - longBeforeMs, atMostMs: dueMs + lateMs });
      if (longer !== undefined) await expectNotFailedAt(context, longer, dueMs + longBeforeMs, 2 * dueMs);
    }),
  },
  'tasks.timeout.late-report': {
    level: 'observe',
    source: 'extensions: States and transitions (report after the timeout silent)',
    statement:
      "What a Completed report after the timeout does is not said; nor the job's state after the delivery of the call finally failed.",
    fault: 'Not applicable as a failure; recorded variant: late report is refused.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    test: schedule(15, async (context) => {
      const { notes } = context;
      assumeTimeoutTaken(context);
      const late = await taskOf(context, { timeout: 5 });
      const refused = await taskAnsweredWith(context, { status: 400 }, { timeout: 5 });
      const failedAfter = await failures(context, [refused], { untilMs: 12_000, everyMs: pollMs });
      notes.observe(
        'seconds from a call answered with 400 to the failure',
        secondsOf(failedAfter.get(refused)?.seenMs),
      );
      await passUntil(context, late, 12_000);
      const reply = await report(context, late, 'Completed');
      notes.observe('answer to Completed after the timeout', reply.status, reply);
      notes.observe('the job after a late Completed', await outcomeIfRead(context, late));
    }),
  },
});

/** Neither is a final status: the time of the task runs on. */
async function sendRefusedReports(context: CaseContext, task: GivenTask): Promise<void> {
  const replies = [await report(context, task, 'Done'), await report(context, task, 'Completed', { as: null })];
  const isTaken = replies.some(({ status }) => isSuccess(status));
  context.given.present(isTaken ? undefined : task, 'reports that are refused', [
    'tasks.status.invalid-refused',
    'tasks.callback.missing-credential-401',
  ]);
}

/** Its time may run before its call comes: so much that five tasks are called one after the other in it. */
function timeoutSeconds({ clock }: CaseContext): number {
  const { jumping, real } = configuredSeconds;
  return (clock.controlled ? jumping : real) + Math.ceil((5 * clock.granularityMs) / 1000);
}

/** A task whose call is answered so. */
async function taskAnsweredWith(context: CaseContext, step: Step, options: TaskOptions): Promise<GivenTask> {
  const script = [{ when: { kind: 'task' }, steps: [step], afterwards: 'last' as const }];
  return context.given.task(await lastingExtension(context, { types: ['ExternalTask'], script }), options);
}

/** Lets time pass until so long after the call of the task. */
async function passUntil({ clock }: CaseContext, { call }: GivenTask, ms: number): Promise<void> {
  const leftMs = call.arrivedAt + ms - clock.now();
  if (leftMs > 0) await clock.pass(leftMs);
}

/** What is done before the timeout of a task can be over, which begins when it is called, or later. */
function beforeTimeout<T>({ triggered }: GivenTask, dueMs: number, isRight?: (result: T) => boolean): Before<T> {
  return { until: triggered.sentAt + dueMs, what: 'the timeout of the task', ...(isRight && { isRight }) };
}

/** @param dueMs from when on the job may show that it failed: what is read later says nothing */
async function expectNotFailedAt(context: CaseContext, task: GivenTask, ms: number, dueMs = Infinity): Promise<void> {
  const { clock, expect } = context;
  const isRight = (job: Reply): boolean => outcomeOf(context, job) !== 'failed';
  const read = () => jobOf(context, task);
  const { until, ...before } = beforeTimeout(task, dueMs, isRight);
  const moment = Math.min(task.call.arrivedAt + ms, until - beforeMs);
  const job = await clock.at(moment, read, { until, ...before });
  const at = secondsOf(clock.now() - task.call.arrivedAt);
  expect(outcomeOf(context, job), `the job ${at} s after the call`, job).notToEqual('failed');
}

/** Whole seconds, so that runs can be compared. */
function secondsOf(ms: number | undefined): number | string {
  return ms === undefined ? 'none' : Math.round(ms / 1000);
}

/** Looks at the jobs until all have failed, or a look begins after the time is over. */
async function failures(
  context: CaseContext,
  watched: readonly GivenTask[],
  { untilMs, everyMs }: { readonly untilMs: number; readonly everyMs: number },
): Promise<ReadonlyMap<GivenTask, Failure>> {
  const { clock } = context;
  const end = Math.max(...watched.map(({ call }) => call.arrivedAt)) + untilMs + clock.granularityMs;
  const found = new Map<GivenTask, Failure>();
  const isOpen = (task: GivenTask): boolean => found.get(task)?.seenMs === undefined;
  for (;;) {
    const begunAt = clock.now();
    for (const task of watched.filter(isOpen)) {
      const { notYetMs = 0 } = found.get(task) ?? {};
      const lookedMs = clock.now() - task.call.arrivedAt;
      const hasFailed = outcomeOf(context, await jobOf(context, task)) === 'failed';
      found.set(
        task,
        hasFailed
          ? { seenMs: clock.now() - task.triggered.sentAt, notYetMs }
          : { seenMs: undefined, notYetMs: lookedMs },
      );
    }
    if (!watched.some(isOpen) || begunAt >= end) return found;
    await clock.pass(everyMs);
  }
}

function expectFailed(
  { expect, clock }: CaseContext,
  { seenMs, notYetMs }: Failure = { seenMs: undefined, notYetMs: Infinity },
  { fromMs, ...due }: FailureDue,
): void {
  const atMostMs = due.atMostMs + clock.granularityMs;
  clock.tell({
    title: 'the failure of a job whose task is silent',
    zero: { at: 0, label: 'the call of the task' },
    due: [{ label: 'the job has failed', from: fromMs, until: atMostMs }],
    calls: seenMs === undefined ? [] : [{ arrivedAt: seenMs, label: 'read as failed', isOff: notYetMs > atMostMs }],
  });
  expect(secondsOf(seenMs), 'seconds from the call to the failure of the job').toSatisfy(
    `${atMostMs / 1000} at most`,
    () => seenMs !== undefined && notYetMs <= atMostMs,
  );
}

/** Asserts what starts the timeout, where the profile says it: as late as the job of one task shows that, that of the other does. */
function expectClock(
  { expect, profile }: CaseContext,
  { silent, slow }: { readonly silent: Failure | undefined; readonly slow: Failure | undefined },
): void {
  const bound = profile.all.tasks?.timeoutClock;
  if (bound === undefined) return;
  const middleMs = (silent?.seenMs ?? Infinity) + acknowledgedAfterMs / 2;
  const { seenMs = Infinity, notYetMs = 0 } = slow ?? {};
  if (seenMs >= middleMs && notYetMs < middleMs - clockMs)
    throw new TooLate('the job was not read between both times at which the timeout may end');
  const seen = seenMs < middleMs ? 'call' : 'acknowledgement';
  expect(seen, `what starts the timeout of a task acknowledged after ${acknowledgedAfterMs / 1000} s`).toEqual(bound);
}
