import type { Step } from '../../simulator/extension/step.ts';
import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { lasting } from '../calls/words.ts';
import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { GivenTask, TaskOptions } from '../../judge/tasks/tasks.ts';
import { jobOf, outcomeIfRead, outcomeOf, reported, takes, taskOf } from './words.ts';

const timeoutSeconds = 10;
/** When a task is looked at last before its timeout, and how late the job may show that it is over, in ms. */
const beforeMs = 500;
const lateMs = 5000;
const pollMs = 250;
const acknowledgedAfterMs = 3000;
const twinMs = 20_000;

const longBeforeMs = 5000;
const longLateMs = 30_000;
const longPollMs = 2000;

export const timeoutCases = {
  'tasks.timeout.configured-fails-job': schedule(twinMs / 1000, async (context) => {
    const { expect, notes, tasks } = context;
    assumeTimeoutTaken(context);
    const options = { timeout: timeoutSeconds };
    const silent = await taskOf(context, options);
    const busy = await taskOf(context, options);
    const done = await taskOf(context, options);
    const slow = await taskAnswered(context, { status: 200, delayMs: acknowledgedAfterMs }, options);
    await passUntil(context, silent, 5000);
    expect(await tasks.progress(busy, { message: 'half way' })).toSucceed();
    await passUntil(context, silent, 8000);
    expect(await reported(context, done, 'Completed')).toSucceed();
    const dueMs = timeoutSeconds * 1000;
    await expectNotFailedAt(context, silent, dueMs - beforeMs, dueMs);
    for (const task of [busy, slow]) await expectNotFailedAt(context, task, 0, dueMs);
    const failedAfter = await failures(context, [silent, busy, slow], { untilMs: twinMs, everyMs: pollMs });
    expectFailed(context, failedAfter.get(silent), { fromMs: dueMs - beforeMs, atMostMs: dueMs + lateMs });
    notes.observe('seconds from the call to the failure, with progress after 5 s', secondsOf(failedAfter.get(busy)));
    notes.observe('the same with an acknowledgement after 3 s', secondsOf(failedAfter.get(slow)));
    expectClock(context, failedAfter.get(slow));
    await expectNotFailedAt(context, done, twinMs);
  }),

  'tasks.timeout.default-fails-job': schedule(defaultTaskTimeoutSeconds + longLateMs / 1000, async (context) => {
    const task = await taskOf(context);
    const dueMs = defaultTaskTimeoutSeconds * 1000;
    await expectNotFailedAt(context, task, dueMs - longBeforeMs, dueMs);
    const failedAfter = await failures(context, [task], { untilMs: dueMs + longLateMs, everyMs: longPollMs });
    expectFailed(context, failedAfter.get(task), { fromMs: dueMs - longBeforeMs, atMostMs: dueMs + longLateMs });
  }),

  'tasks.timeout.late-report': schedule(15, async (context) => {
    const { notes } = context;
    assumeTimeoutTaken(context);
    const late = await taskOf(context, { timeout: 5 });
    const refused = await taskAnswered(context, { status: 400 }, { timeout: 5 });
    const failedAfter = await failures(context, [refused], { untilMs: 12_000, everyMs: pollMs });
    notes.observe('seconds from a call answered with 400 to the failure', secondsOf(failedAfter.get(refused)));
    await passUntil(context, late, 12_000);
    const reply = await reported(context, late, 'Completed');
    notes.observe('answer to Completed after the timeout', reply.status, reply);
    notes.observe('the job after a late Completed', await outcomeIfRead(context, late));
  }),
} satisfies SomeCasesOf<'tasks'>;

function assumeTimeoutTaken(context: CaseContext): void {
  if (!takes(context, 'timeout'))
    context.given.inconclusive('The trigger has no place for {{timeout}}: add it to triggers.task of the profile.');
}

/** A task whose call is answered so. */
async function taskAnswered(context: CaseContext, step: Step, options: TaskOptions): Promise<GivenTask> {
  const script = [{ when: { kind: 'task' }, steps: [step], afterwards: 'last' as const }];
  return context.given.task(await lasting(context, { types: ['ExternalTask'], script }), options);
}

/** Lets time pass until so long after the call of the task. */
async function passUntil({ clock }: CaseContext, { call }: GivenTask, ms: number): Promise<void> {
  const leftMs = call.arrivedAt + ms - clock.now();
  if (leftMs > 0) await clock.pass(leftMs);
}

/** @param dueMs from when on the job may show that it failed: what is read later says nothing */
async function expectNotFailedAt(context: CaseContext, task: GivenTask, ms: number, dueMs = Infinity): Promise<void> {
  await passUntil(context, task, ms);
  const job = await jobOf(context, task);
  const readMs = context.clock.now() - task.call.arrivedAt;
  const at = secondsOf(readMs);
  if (outcomeOf(context, job) === 'failed')
    context.given.assume(readMs < dueMs, 'the job to be read before its timeout');
  context.expect(outcomeOf(context, job), `the job ${at} s after the call`, job).notToEqual('failed');
}

/** Looks at the jobs until all have failed or the time is over. @returns ms from the call of each to its failure */
async function failures(
  context: CaseContext,
  watched: readonly GivenTask[],
  { untilMs, everyMs }: { readonly untilMs: number; readonly everyMs: number },
): Promise<ReadonlyMap<GivenTask, number>> {
  const { clock } = context;
  const end = Math.max(...watched.map(({ call }) => call.arrivedAt)) + untilMs;
  const failed = new Map<GivenTask, number>();
  for (;;) {
    for (const task of watched)
      if (!failed.has(task) && outcomeOf(context, await jobOf(context, task)) === 'failed')
        failed.set(task, clock.now() - task.call.arrivedAt);
    if (failed.size === watched.length || clock.now() + everyMs > end) return failed;
    await clock.pass(everyMs);
  }
}

interface FailureDue {
  readonly fromMs: number;
  readonly atMostMs: number;
}

function expectFailed(
  { expect, clock }: CaseContext,
  failedAfterMs: number | undefined,
  { fromMs, atMostMs }: FailureDue,
): void {
  clock.tell({
    title: 'the failure of a job whose task is silent',
    zero: { at: 0, label: 'the call of the task' },
    due: [{ label: 'the job has failed', from: fromMs, until: atMostMs }],
    calls: failedAfterMs === undefined ? [] : [{ arrivedAt: failedAfterMs, label: 'read as failed' }],
  });
  expect(secondsOf(failedAfterMs), 'seconds from the call to the failure of the job').toSatisfy(
    `${atMostMs / 1000} at most`,
    () => failedAfterMs !== undefined && failedAfterMs <= atMostMs,
  );
}

/** Asserts what starts the timeout, where the profile says it. */
function expectClock({ expect, profile }: CaseContext, failedAfterMs: number | undefined): void {
  const bound = profile.all.tasks?.timeoutClock;
  if (bound === undefined) return;
  const middleMs = timeoutSeconds * 1000 + acknowledgedAfterMs / 2;
  const seen = failedAfterMs !== undefined && failedAfterMs < middleMs ? 'call' : 'acknowledgement';
  expect(seen, `what starts the timeout of a task acknowledged after ${acknowledgedAfterMs / 1000} s`).toEqual(bound);
}

/** Whole seconds, so that runs can be compared. */
function secondsOf(ms: number | undefined): number | string {
  return ms === undefined ? 'none' : Math.round(ms / 1000);
}
