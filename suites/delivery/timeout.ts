import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { CallFilter } from '../../judge/extension/call.ts';
import type { Reached } from '../../judge/extension/extension.ts';
import {
  always,
  atOnceMs,
  attemptsOf,
  called,
  endedAttempts,
  givenUpAt,
  givenUpAtOnce,
  passSilence,
  queuedGapsMs,
  sentTo,
  silenceMs,
  type Sent,
} from './words.ts';

const neverAnswered = always({ never: true });
const defaultMs = 100_000;
const emailMs = 600_000;
/** How late an attempt after one that was given up may come beyond its gap, in ms. */
const lateAttemptMs = 5000;
/** Six attempts that time out at the default, with the tolerance of their gaps. */
const exhaustedMs = 672_000;

export const timeoutCases = {
  'delivery.timeout.default': schedule(110, async (context) => {
    const { extension, event, since } = await sentTo(context, neverAnswered);
    await expectGivenUp(context, extension, { about: event }, { since, afterMs: defaultMs, lateMs: 5000 });
  }),

  'delivery.timeout.configured': schedule(12, async (context) => {
    const { given, triggers, clock, profile } = context;
    const events = await Promise.all(
      [2, 5].map((requestTimeout) => sentTo(context, neverAnswered, { record: { requestTimeout } })),
    );
    for (const [index, { extension, event, since }] of events.entries())
      await expectGivenUp(
        context,
        extension,
        { about: event },
        { since, afterMs: [2000, 5000][index] ?? 0, lateMs: 250 },
      );
    if (profile.all.triggers?.endpoint === undefined) return;
    const endpoint = await given.endpoint({ script: neverAnswered, registration: { requestTimeout: 2 } });
    const since = clock.now();
    await triggers.endpoint(endpoint);
    await expectGivenUp(context, endpoint, {}, { since, afterMs: 2000, lateMs: 250 });
  }),

  'delivery.timeout.slow-answer-accepted': schedule(46, async (context) => {
    const { clock, notes } = context;
    const options = { record: { requestTimeout: 5 } };
    const late = await sentTo(context, always({ status: 200, delayMs: 4000, json: {} }), options);
    const slow = await sentTo(context, always({ status: 200, dribbleMs: 3000, text: 'a'.repeat(200) }), options);
    const slower = await sentTo(context, always({ status: 200, dribbleMs: 8000, text: 'a'.repeat(200) }), options);
    await clock.pass(44_000);
    clock.expectCalls('attempts when the answer comes after 4 s of 5', attemptsOf(late), 1);
    clock.expectCalls('attempts when the body takes 3 s of 5', attemptsOf(slow), 1);
    notes.observe('attempts when the head comes in time and the body does not', attemptsOf(slower).length);
  }),

  'delivery.timeout.email-default': schedule(640, async (context) => {
    const { clock, expect, given } = context;
    const since = clock.now();
    const mail = given.present(await called(context, 'Email', neverAnswered), 'a trigger for mail');
    const call = await mail.call({ about: mail.about });
    await clock.pass(110_000);
    expect(call.endedAt, 'end of the call in its first 110 s').toBeAbsent();
    await expectGivenUp(context, mail, { about: mail.about }, { since, afterMs: emailMs, lateMs: 30_000 });
  }),

  'delivery.timeout.exhausted': schedule((exhaustedMs + silenceMs) / 1000, async (context) => {
    const byDefault = await sentTo(context, neverAnswered);
    const sooner = await sentTo(context, neverAnswered, { record: { requestTimeout: 2 } });
    await Promise.all([expectExhausted(context, sooner, 2000), expectExhausted(context, byDefault, defaultMs)]);
  }),
} satisfies SomeCasesOf<'delivery'>;

interface GivenUp {
  /** When the trigger was sent: no call can have begun before, in ms of the clock. */
  readonly since: number;
  readonly afterMs: number;
  readonly lateMs: number;
}

/** The first call is given up when its time is over, which begins between the trigger and the arrival of the call. */
async function expectGivenUp(
  { clock, expect }: CaseContext,
  reached: Reached,
  filter: CallFilter,
  { since, afterMs, lateMs }: GivenUp,
): Promise<void> {
  const call = await reached.call(filter);
  const endedAt = await givenUpAt(reached, filter, since + afterMs + lateMs + atOnceMs - clock.now());
  expect(endedAt, `end of a call that is not answered in ${(afterMs + lateMs) / 1000} s`).toBePresent();
  const name = `the end of the call, ${afterMs / 1000} s after its start`;
  clock.expectDue(name, endedAt ?? 0, since + afterMs, {
    lateMs: call.arrivedAt - since + lateMs,
    zero: { at: since, label: 'the trigger' },
  });
}

/** Timeouts use up the retries like any other transient error. Source: ledger timeout-is-transient */
async function expectExhausted(context: CaseContext, sent: Sent, timeoutMs: number): Promise<void> {
  const { clock, expect, notes, profile } = context;
  const attempts = await endedAttempts(sent, 6, exhaustedMs);
  notes.bound('retriesTimeouts', 'a call without an answer in time is made again', attempts.length > 1);
  if (profile.all.expect?.retriesTimeouts === false) return;
  // where waits count from the start of an attempt, some are over before it is
  if (profile.all.expect?.gapClock !== 'start') clock.expectGaps(givenUpAtOnce(attempts, timeoutMs), queuedGapsMs);
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
