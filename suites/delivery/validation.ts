import type { ScriptedAnswer } from '../../simulator/extension/step.ts';
import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { failingForEver, givenUpAt, inTurn, passSilence, validationGapsMs } from './words.ts';

/** Longer than four attempts and their gaps with the tolerance, in ms. */
const outcomeMs = 20_000;
/** Longer than the gap before a fourth retry, in ms. */
const silenceMs = 18_000;

export const validationCases = {
  'delivery.validation.retry-gaps': schedule(20, async (context) => {
    const { clock, expect, given } = context;
    const { extension, outcome } = await validated(context, failingForEver);
    const { reply } = given.present(await clock.until(outcome, outcomeMs * 5), 'the outcome of the validation');
    clock.expectGaps(extension.calls(), validationGapsMs);
    expect(reply).notToSucceed();
  }),

  'delivery.validation.no-fourth-retry': schedule(38, async (context) => {
    const { clock, expect, given } = context;
    const { extension, outcome } = await validated(context, failingForEver);
    const attempts = await extension.ended(4, {}, { withinMs: outcomeMs, oneByOne: true });
    given.assume(attempts.length === 4, 'four attempts');
    await passSilence(context, silenceMs);
    clock.expectCalls(`attempts ${silenceMs / 1000} s after the fourth`, extension.calls(), 4);
    const { reply, endedAt } = given.present(await clock.until(outcome, 1), 'the trigger to have ended by then');
    clock.expectDue('the outcome after the fourth attempt', endedAt, attempts[3]?.arrivedAt ?? 0, {
      lateMs: silenceMs,
      zero: { at: attempts[0]?.arrivedAt ?? 0, label: 'the first attempt' },
    });
    expect(reply).notToSucceed();
  }),

  'delivery.validation.retry-forever-ignored': schedule(38, async (context) => {
    const { clock } = context;
    const { extension } = await validated(context, failingForEver, { retryForever: true });
    clock.expectGaps(await extension.ended(4, {}, { withinMs: outcomeMs, oneByOne: true }), validationGapsMs);
    await passSilence(context, silenceMs);
    clock.expectCalls(`attempts ${silenceMs / 1000} s after the fourth`, extension.calls(), 4);
  }),

  'delivery.validation.recovers': schedule(8, async (context) => {
    const { clock, expect, given } = context;
    for (const isValid of [true, false]) {
      const { extension, outcome } = await validated(
        context,
        inTurn({ status: 503 }, { status: 200, json: { isValid, message: 'judged' } }),
      );
      const { reply } = given.present(await clock.until(outcome, outcomeMs), 'the outcome of the validation');
      if (isValid) expect(reply).toSucceed();
      else expect(reply).notToSucceed();
      clock.expectGaps(extension.calls(), [2000]);
    }
  }),

  'delivery.timeout.validation': schedule(26, async (context) => {
    const { clock, expect, notes } = context;
    const since = clock.now();
    const { extension, outcome } = await validated(context, inTurn({ never: true }), { requestTimeout: 2 });
    const call = await extension.call({}, { withinMs: 2000 });
    const endedAt = await givenUpAt(extension, {}, 4000);
    expect(endedAt, 'end of a validation that is not answered').toBePresent();
    clock.expectDue('the end of the call, 2 s after its start', endedAt ?? 0, since + 2000, {
      lateMs: call.arrivedAt - since + 250,
      zero: { at: since, label: 'the trigger' },
    });
    await clock.until(outcome, 24_000);
    notes.bound(
      'retriesTimeouts',
      'a validation without an answer in time is made again',
      extension.calls().length > 1,
    );
    notes.observe('attempts of a validation that is never answered', extension.calls().length);
  }),
} satisfies SomeCasesOf<'delivery'>;

interface Outcome {
  readonly reply: Reply;
  /** In ms of the clock. */
  readonly endedAt: number;
}

interface Validated {
  readonly extension: Extension;
  /** Comes when the validated operation is answered: time may pass until then. */
  readonly outcome: Promise<Outcome>;
}

/** A fresh object, an extension that is asked about it, and the operation that asks. */
async function validated(
  { given, triggers, clock }: CaseContext,
  script: readonly ScriptedAnswer[],
  record: Readonly<Record<string, unknown>> = {},
): Promise<Validated> {
  const thing = await given.object();
  const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing], script, record });
  const outcome = clock.through(async () => {
    const { reply } = await triggers.validation(thing);
    return { reply, endedAt: clock.now() };
  });
  outcome.catch(() => undefined);
  return { extension, outcome };
}
