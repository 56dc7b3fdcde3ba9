import type { ScriptedAnswer, Step } from '../../simulator/extension/step.ts';
import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { isRefused } from './refused-connection.ts';
import { attemptsOf, endedAttempts, first, givenUpAtOnce, sentTo, sentToEach, type Sent } from './words.ts';

/** Any second attempt is due within it, in ms. */
const firstRetryMs = 6000;
/** Past the third attempt, in ms. */
const afterMs = 10_000;
const cuts: readonly Step[] = [
  { cut: 'before-answer' },
  { cut: 'before-answer', how: 'close' },
  { cut: 'in-status-line' },
];
const closingAfterMetadata: ScriptedAnswer = {
  when: { kind: 'metadata' },
  steps: [{ headers: { Connection: 'close' } }],
  afterwards: 'last',
};
const serverErrors = [500, 501, 502, 503, 504, 505, 511, 599];

export const transientCases = {
  'delivery.transient.connection-refused': schedule(72, async ({ given, triggers, clock, expect, notes }) => {
    const extension = await given.extension({ ownListener: true });
    await extension.shut();
    if (!(await isRefused(extension.url)))
      given.inconclusive('somebody else answers at the port of the listener while it is closed');
    const event = await triggers.event(extension);
    await clock.pass(8000);
    await extension.reopen();
    const reopenedAt = clock.now();
    const call = await extension.arrived({ about: event }, { withinMs: 24_000 });
    expect(call?.arrivedAt, 'arrival of an attempt once connections are accepted').toBePresent();
    notes.observe(
      'seconds from the end of the refusals to the attempt',
      Math.round(((call?.arrivedAt ?? 0) - reopenedAt) / 100) / 10,
    );
    await clock.pass(40_000);
    expect(extension.calls({ about: event }).length, 'attempts that arrived').toEqual(1);
  }),

  'delivery.transient.connection-reset': schedule(20, async (context) => {
    // some clients send again by themselves when a connection breaks that was used before: so each event gets one of its own
    const ownListener = context.profile.all.listener?.publicUrl.includes('{port}') === true;
    const sent = await Promise.all(
      cuts.map((cut) => sentTo(context, [closingAfterMetadata, ...first(cut)], { ownListener })),
    );
    await expectOneRetry(context, sent);
  }),

  'delivery.transient.server-errors': schedule(20, async (context) => {
    await expectOneRetry(
      context,
      await sentToEach(
        context,
        serverErrors.map((status) => first({ status })),
      ),
    );
  }),

  'delivery.transient.request-timeout-status': schedule(20, async (context) => {
    await expectOneRetry(context, [await sentTo(context, first({ status: 408 }))]);
  }),

  'delivery.transient.no-response-in-time': schedule(22, async (context) => {
    const { notes, profile, clock } = context;
    const timeoutMs = 3000;
    const sent = await sentTo(context, first({ never: true }), { record: { requestTimeout: timeoutMs / 1000 } });
    await endedAttempts(sent, 2, firstRetryMs + timeoutMs);
    await clock.pass(afterMs);
    const attempts = attemptsOf(sent);
    notes.bound('retriesTimeouts', 'a call without an answer in time is made again', attempts.length > 1);
    if (profile.all.expect?.retriesTimeouts === false) return;
    // where waits count from the start of an attempt, this one is over before the attempt is
    if (profile.all.expect?.gapClock === 'start') context.expect(attempts.length, 'attempts').toEqual(2);
    else clock.expectGaps(givenUpAtOnce(attempts, timeoutMs), [2000]);
  }),
} satisfies SomeCasesOf<'delivery'>;

/** Two attempts each, the second 2 s after the first has failed. */
async function expectOneRetry({ clock, given }: CaseContext, sent: readonly Sent[]): Promise<void> {
  await Promise.all(sent.map((one) => endedAttempts(one, 2, firstRetryMs)));
  await clock.pass(afterMs);
  for (const one of sent) {
    const attempts = attemptsOf(one);
    given.assume(attempts.length > 0, 'the call of the event');
    clock.expectGaps(attempts, [2000]);
  }
}
