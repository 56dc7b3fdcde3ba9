import { type CaseContext, holdingSchedule, schedule } from '../../judge/case.ts';
import type { Call, CallFilter } from '../../judge/extension/call.ts';
import type { Reached } from '../../judge/extension/extension.ts';
import { callWaitMs, triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { report } from './checks/task-jobs.ts';
import {
  type Sent,
  answerAlways,
  answerFirst,
  answerInTurn,
  atOnceMs,
  attemptsOf,
  beyondTimersSeconds,
  callTyped,
  endedAttempts,
  passSilence,
  queuedGapsMs,
  secondsOf,
  sendBeside,
  sendTo,
  silenceMs,
  startValidation,
  timeGivenUp,
  withPromptEnds,
} from './checks/delivery-attempts.ts';
import { attemptsAt, queueBesideEvents } from './checks/queued-calls.ts';
import { retire } from './checks/same-records.ts';
import { expectNewTimeoutOfEndpoints } from './checks/endpoint-settings.ts';
import { expectNewTimeout, expectTimeoutLeftOut } from './checks/updated-records.ts';
import { sendAnyAction } from './checks/triggered-calls.ts';
import { TooLate, unlessRefused } from '../../judge/violation.ts';

const neverAnswered = answerAlways({ never: true });
const unansweredOnce = answerFirst({ never: true });

/** A failed call, the gap behind it and a retry that is given up after 2 s, with much time to spare and much less than the default. */
const retryGivenUpMs = 12_000;

/** Source: extensions, Limits, request timeout */
const defaultMs = 100_000;
const byDefault = { afterMs: defaultMs, lateMs: 5000 } as const;

/** Source: extensions, Limits, request timeout */
const emailSeconds = 600;

/** Longer than the time by default of any call but a mail. */
const longMs = 240_000;

/** How late an attempt after one that was given up may come beyond its gap, in ms. */
const lateAttemptMs = 5000;

/** Six attempts that time out at the default, with the tolerance of their gaps. */
const exhaustedMs = 672_000;

interface GivenUp {
  /** When the trigger was sent: no call can have begun before, in ms of the clock. */
  readonly since: number;
  readonly afterMs: number;
  readonly lateMs: number;
}

/** Of mails and tasks: more than a service may be late with an attempt. */
const typedSeconds = 30;

export const timeoutRules = rules('delivery', {
  'delivery.timeout.default': {
    source: 'extensions: Limits, request timeout; Extension metadata record, row requestTimeout',
    statement:
      'Without requestTimeout a call is given up after 100 s, be it that of an event, a task, a validation, an action or an endpoint, whatever time was stated for the registration before it, or for other records of its host.',
    fault: 'Default is 30 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: holdingSchedule(110, async (context) => {
      const { clock } = context;
      await registerShort(context);
      const { extension, event, since } = await sendTo(context, unansweredOnce);
      const others = await queueBesideEvents(context, unansweredOnce, { except: ['mail'] });
      const expectFirst = async (): Promise<void> => {
        for (const one of [{ reached: extension, filter: { about: event }, since }, ...others])
          await expectGivenUp(context, one.reached, one.filter, { ...byDefault, since: one.since });
      };
      // a service may have no more places for calls: as few as may be are open at once
      if (clock.controlled) await expectFirst();
      const validation = await startUnanswered(context);
      const action = await startUnansweredAction(context);
      // the default of a mail is another one
      const beside = (await sendBeside(context, unansweredOnce, { own: {}, others: { requestTimeout: 2 } })).filter(
        ({ extension: { records } }) => records.every(({ extensionType }) => extensionType !== 'Email'),
      );
      if (!clock.controlled) await expectFirst();
      for (const one of beside)
        await expectGivenUp(context, one.extension, { about: one.event }, { ...byDefault, since: one.since });
      await validation?.();
      await action?.();
    }),
  },
  'delivery.timeout.configured': {
    source:
      'extensions: Extension metadata record, row requestTimeout; Registered external endpoint, row requestTimeout',
    statement:
      'requestTimeout in a record, and in an endpoint registration, sets the seconds after which a call is given up; a fraction in a record may be cut off or rounded up, and those of the last update count, or those of the default where it states none; those of another record of its host do not.',
    fault: 'requestTimeout of an event record is taken as milliseconds.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: holdingSchedule(36, async (context) => {
      const { given, triggers, clock, profile, notes } = context;
      const events = await Promise.all(
        [2, 2.9, 5].map(async (requestTimeout) => ({
          ...(await sendTo(context, neverAnswered, { record: { requestTimeout } })),
          requestTimeout,
        })),
      );
      const waited: number[] = [];
      for (const { extension, event, since, requestTimeout } of events) {
        const afterMs = Math.floor(requestTimeout) * 1000;
        const lateMs = Math.ceil(requestTimeout) * 1000 - afterMs + 250;
        const call = await expectGivenUp(context, extension, { about: event }, { since, afterMs, lateMs });
        waited.push((call.endedAt ?? since) - call.arrivedAt);
      }
      notes.observe('seconds until given up, of 2, 2.9 and 5', secondsOf(waited));
      const settings = { own: { requestTimeout: 2 }, others: { requestTimeout: 60 } };
      for (const { extension, event, since } of await sendBeside(context, neverAnswered, settings))
        await expectGivenUp(context, extension, { about: event }, { since, afterMs: 2000, lateMs: 250 });
      await Promise.all([expectNewTimeout(context), expectTimeoutLeftOut(context)]);
      // minutes, which are waited for only where time jumps
      if (clock.controlled) await expectLongTimeouts(context);
      for (const type of ['Email', 'ExternalTask'] as const) {
        const since = clock.now();
        const called = await callTyped(context, type, neverAnswered, { requestTimeout: 2 });
        if (called === undefined) continue;
        await expectGivenUp(context, called, { about: called.about }, { since, afterMs: 2000, lateMs: 250 });
        if (clock.controlled && triggeredTypes(context).includes(type)) await expectSecondGivenUp(context, type);
      }
      const action = await startUnansweredAction(context, { requestTimeout: 2 }, { afterMs: 2000, lateMs: 250 });
      await action?.();
      if (profile.all.triggers?.endpoint === undefined) return;
      await expectNewTimeoutOfEndpoints(context);
      for (const trusted of [false, true]) {
        const endpoint = await given.endpoint({ trusted, script: neverAnswered, registration: { requestTimeout: 2 } });
        const since = clock.now();
        await triggers.endpoint(endpoint);
        await expectGivenUp(context, endpoint, {}, { since, afterMs: 2000, lateMs: 250 });
      }
    }),
  },
  'delivery.timeout.validation': {
    source: 'extensions: Limits, retries row 2 (the timeout is configurable) and request timeout',
    statement: 'requestTimeout of a validation record is honoured, at a retry too.',
    fault: 'Validation calls always wait 100 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    test: holdingSchedule(40, async (context) => {
      const { clock, notes } = context;
      const since = clock.now();
      const { extension, outcome } = await startValidation(context, answerInTurn({ never: true }), {
        requestTimeout: 2,
      });
      const call = await extension.call({}, { withinMs: 2000 });
      const endedAt = await timeGivenUp(extension, {}, 4000);
      clock.expectCame('end of a validation that is not answered', endedAt, { of: 'end' });
      clock.expectDue('the end of the call, 2 s after its start', endedAt ?? 0, since + 2000, {
        lateMs: call.arrivedAt - since + 250,
        of: 'end',
        zero: { at: since, label: 'the trigger' },
      });
      await clock.until(outcome, 24_000);
      notes.bound(
        'retriesTimeouts',
        'a validation without an answer in time is made again',
        extension.calls().length > 1,
      );
      notes.observe('attempts of a validation that is never answered', extension.calls().length);
      await retire(context, extension);
      await expectRetryGivenUp(context);
    }),
  },
  'delivery.timeout.slow-answer-accepted': {
    source: 'extensions: Limits, request timeout',
    statement:
      'An answer within the timeout counts, also when its body arrives in slow pieces, or the timeout of a record or an endpoint is longer than most timers are.',
    fault: 'An answer that comes in the second half of the time counts as a timeout.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.timeout.configured'],
    test: holdingSchedule(46, async (context) => {
      const { clock, notes, triggers } = context;
      const options = { record: { requestTimeout: 5 } };
      const answeredLate = answerAlways({ status: 200, delayMs: 3500, json: {} });
      const late = await sendTo(context, answeredLate, options);
      const slow = await sendTo(
        context,
        answerAlways({ status: 200, dribbleMs: 3000, text: 'a'.repeat(200) }),
        options,
      );
      const slower = await sendTo(
        context,
        answerAlways({ status: 200, dribbleMs: 8000, text: 'a'.repeat(200) }),
        options,
      );
      const settings = { requestTimeout: beyondTimersSeconds };
      const patient = await unlessRefused(() => sendTo(context, answeredLate, { record: settings }));
      const others = await queueBesideEvents(context, answeredLate, { settings });
      // as few calls as may be are open at once
      if (clock.controlled) await clock.pass(9000);
      const held = await sendTo(context, answerAlways({ status: 200, delayMs: 40_000 }));
      await clock.pass(33_000);
      await triggers.event(held.extension);
      await clock.pass(11_000);
      for (const sent of [late, slow]) assertAnsweredWithin(sent, options.record.requestTimeout);
      clock.expectCalls('attempts when the answer comes after 3.5 s of 5', attemptsOf(late), 1);
      clock.expectCalls('attempts when the body takes 3 s of 5', attemptsOf(slow), 1);
      clock.expectCalls(
        'attempts when the answer takes 40 s, and another event is sent meanwhile',
        attemptsOf(held),
        1,
      );
      notes.observe(`a record with a timeout of ${beyondTimersSeconds} s`, patient === undefined ? 'refused' : 'taken');
      // what is so long may keep the record from being used
      if (patient !== undefined && attemptsOf(patient).length > 0)
        clock.expectCalls('attempts when a record has a very long timeout', attemptsOf(patient), 1);
      for (const one of others)
        clock.expectCalls(`attempts of a ${one.kind} with a very long timeout`, attemptsAt(one), 1);
      notes.observe('attempts when the head comes in time and the body does not', attemptsOf(slower).length);
    }),
  },
  'delivery.timeout.email-default': {
    source: 'extensions: Limits, request timeout (600 s for email)',
    statement:
      'A mail call without a configured requestTimeout is given up after 600 s, not after 100 s; where the profile takes the 100 s of the table of records, after these.',
    fault: 'Mail calls use 100 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email', 'long-run'],
    test: schedule(640, async (context) => {
      const { clock, given, profile } = context;
      const { emailTimeoutSeconds: seconds = emailSeconds } = profile.all.expect ?? {};
      const since = clock.now();
      const mail = given.present(await callTyped(context, 'Email', neverAnswered), 'a trigger for mail');
      const call = await mail.call({ about: mail.about });
      if (seconds === emailSeconds) {
        await clock.pass(110_000);
        const ended = [call].filter(({ endedAt }) => endedAt !== undefined);
        clock.expectCalls('ends of the call in its first 110 s', ended, 0, { of: 'end' });
      }
      await expectGivenUp(context, mail, { about: mail.about }, { since, afterMs: seconds * 1000, lateMs: 30_000 });
    }),
  },
  'delivery.timeout.exhausted': {
    level: 'should',
    source: 'extensions: Limits, request timeout and retries row 1; Errors, rule 3',
    statement:
      'With every attempt timing out at the default 100 s there are six attempts with gaps of 2 to 32 s between abort and next request, 662 s in all, and none after.',
    fault: 'Timeouts do not use up retries, so the attempts go on.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'long-run'],
    after: ['delivery.transient.no-response-in-time'],
    test: schedule((exhaustedMs + silenceMs) / 1000, async (context) => {
      const byDefault = await sendTo(context, neverAnswered);
      const sooner = await sendTo(context, neverAnswered, { record: { requestTimeout: 2 } });
      const typed = await Promise.all(
        (['Email', 'ExternalTask'] as const)
          .filter((type) => triggeredTypes(context).includes(type))
          .map((type) => callTyped(context, type, neverAnswered, { requestTimeout: typedSeconds })),
      );
      const since = context.clock.now();
      const others = typed
        .filter((called) => called !== undefined)
        .map((called) => ({ extension: called, event: called.about, since }));
      await Promise.all([
        expectExhausted(context, sooner, 2000),
        expectExhausted(context, byDefault, defaultMs),
        ...others.map((sent) => expectExhausted(context, sent, typedSeconds * 1000)),
      ]);
    }),
  },
});

/** A call that the suite itself answered too late, by the longest time that it can have taken, may rightly be made again. @throws {TooLate} */
function assertAnsweredWithin(sent: Sent, seconds: number): void {
  const [first, second] = attemptsOf(sent);
  const tookMs = (first?.endedAt ?? Infinity) - sent.since;
  if (second !== undefined && tookMs > seconds * 1000)
    throw new TooLate(`the suite may have answered a call later than within ${seconds} s, and it was made again`);
}

/** What states a short time of its own, ahead of others of its kind that state none. */
async function registerShort({ given, profile }: CaseContext): Promise<void> {
  const requestTimeout = 2;
  await given.extension({ record: { requestTimeout } });
  if (profile.all.triggers?.endpoint === undefined) return;
  for (const trusted of [false, true]) await given.endpoint({ trusted, registration: { requestTimeout } });
}

/** A validation that is not answered at first, where time jumps; what asserts when it is given up. */
async function startUnanswered(context: CaseContext): Promise<(() => Promise<void>) | undefined> {
  const { clock, profile, given } = context;
  const isBound = triggeredTypes(context).includes('ExternalValidation');
  if (!clock.controlled || !isBound || profile.all.softTypes?.primary === undefined) return undefined;
  const since = clock.now();
  const verdict = { status: 200, json: { isValid: true, message: '' } };
  const { extension, outcome } = await startValidation(context, answerInTurn({ never: true }, verdict));
  if ((await extension.arrived()) === undefined) return undefined;
  return async () => {
    await expectGivenUp(context, extension, {}, { ...byDefault, since });
    given.present(await clock.until(outcome, lateAttemptMs), 'the outcome of the validation');
  };
}

/** The same of an action, for which somebody waits; what becomes of it after its time is not said. */
async function startUnansweredAction(
  context: CaseContext,
  record: Readonly<Record<string, unknown>> = {},
  times: Omit<GivenUp, 'since'> = byDefault,
): Promise<(() => Promise<unknown>) | undefined> {
  const { clock, given } = context;
  if (!clock.controlled || !triggeredTypes(context).includes('ExternalAction')) return undefined;
  const since = clock.now();
  const extension = await given.extension({ types: ['ExternalAction'], script: neverAnswered, record });
  const outcome = clock.through(() => sendAnyAction(context, extension));
  outcome.catch(() => undefined);
  if ((await extension.arrived()) === undefined) return undefined;
  return () => expectGivenUp(context, extension, {}, { since, ...times });
}

/** A time beyond the one by default is not cut down to it. */
async function expectLongTimeouts(context: CaseContext): Promise<void> {
  const settings = { requestTimeout: longMs / 1000 };
  const sent = await sendTo(context, neverAnswered, { record: settings });
  const others = await queueBesideEvents(context, neverAnswered, { settings });
  const givenUp = { afterMs: longMs, lateMs: 5000 };
  await expectGivenUp(context, sent.extension, { about: sent.event }, { ...givenUp, since: sent.since });
  for (const { reached, filter, since } of others) await expectGivenUp(context, reached, filter, { ...givenUp, since });
}

/** The first call is given up when its time is over, which begins between the trigger and the arrival of the call. */
async function expectGivenUp(
  { clock }: CaseContext,
  reached: Reached,
  filter: CallFilter,
  { since, afterMs, lateMs }: GivenUp,
): Promise<Call> {
  const call = await reached.call(filter);
  // a service may have put the registration to use only after a while
  const endedAt = await timeGivenUp(reached, filter, call.arrivedAt + afterMs + lateMs + atOnceMs - clock.now());
  clock.expectCame(`end of a call that is not answered in ${(afterMs + lateMs) / 1000} s`, endedAt, {
    of: 'end',
    among: [call],
  });
  const name = `the end of the call, ${afterMs / 1000} s after its start`;
  clock.expectDue(name, endedAt ?? 0, since + afterMs, {
    lateMs: call.arrivedAt - since + lateMs,
    of: 'end',
    among: [call],
    zero: { at: since, label: 'the trigger' },
  });
  return call;
}

/** A call behind one that was answered, and whose task is done, is given up after the same time. */
async function expectSecondGivenUp(context: CaseContext, type: 'Email' | 'ExternalTask'): Promise<void> {
  const { given, triggers, clock } = context;
  const script = answerInTurn({ status: 200 }, { never: true });
  const extension = await given.extension({ types: [type], script, record: { requestTimeout: 2 } });
  if (type === 'Email') await extension.ended(1, { about: await triggers.email(extension) }, { withinMs: callWaitMs });
  else await report(context, await given.task(extension), 'Completed');
  const since = clock.now();
  const about = await (type === 'Email' ? triggers.email(extension) : triggers.task(extension));
  await expectGivenUp(context, extension, { about }, { since, afterMs: 2000, lateMs: 250 });
}

/** Timeouts use up the retries like any other transient error. Source: ledger timeout-is-transient */
async function expectExhausted(context: CaseContext, sent: Sent, timeoutMs: number): Promise<void> {
  const { clock, expect, notes, profile } = context;
  const attempts = await endedAttempts(sent, 6, exhaustedMs);
  notes.bound('retriesTimeouts', 'a call without an answer in time is made again', attempts.length > 1);
  if (profile.all.expect?.retriesTimeouts === false) return;
  clock.expectGaps(withPromptEnds(clock, attempts, timeoutMs), queuedGapsMs);
  // until the next one arrives, an attempt took its time and its gap
  for (const [index, gapMs] of queuedGapsMs.entries()) {
    const [attempt, next] = attempts.slice(index, index + 2);
    const dueMs = timeoutMs + (profile.all.expect?.gapClock === 'start' ? 0 : gapMs);
    const lateMs =
      clock.granularityMs + lateAttemptMs + 0.05 * dueMs + gapMs * (profile.all.expect?.gapClock === 'start' ? 1 : 0);
    expect(
      (next?.arrivedAt ?? Infinity) - (attempt?.arrivedAt ?? 0),
      `ms from attempt ${index + 1} to the next`,
    ).toSatisfy(`${dueMs + lateMs} at most`, (ms) => ms <= dueMs + lateMs);
  }
  await passSilence(context);
  clock.expectCalls(`attempts ${silenceMs / 1000} s after the sixth`, attemptsOf(sent), 6);
}

/** The retry of a validation that is not answered ends as the first call would: its connection does, or another retry comes. */
async function expectRetryGivenUp(context: CaseContext): Promise<void> {
  const { clock, given } = context;
  const script = answerInTurn({ status: 503 }, { never: true });
  const { extension, outcome } = await startValidation(context, script, { requestTimeout: 2 });
  await extension.ended(2, {}, { withinMs: retryGivenUpMs, oneByOne: true });
  const [, retry, next] = extension.calls();
  given.assume(retry !== undefined, 'the retry of a validation');
  clock.expectCame('end of the retry of a validation, which is not answered', retry?.endedAt ?? next?.arrivedAt, {
    of: 'end',
  });
  // each attempt has the time for itself; where time stands it arrives as it begins
  if (clock.controlled && retry?.endedAt !== undefined)
    clock.expectDue('the end of the retry, 2 s after its start', retry.endedAt, retry.arrivedAt + 2000, {
      lateMs: 250,
      of: 'end',
    });
  await clock.until(outcome, 24_000);
  await retire(context, extension);
}
