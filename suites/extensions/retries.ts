import { randomUUID } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import { type CaseContext, schedule } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { Extension, ScriptedAnswer } from '../../judge/extension/extension.ts';
import { rules } from '../../judge/rule.ts';
import {
  type Called,
  type Sent,
  always,
  atOnceMs,
  attemptsOf,
  called,
  endedAttempts,
  expectSchedule,
  expectSixAttempts,
  failing,
  failingForEver,
  givenUpAt,
  inTurn,
  passSilence,
  queuedGapsMs,
  queuedScheduleMs,
  sentTo,
  sentToEach,
  silenceMs,
  validationGapsMs,
} from './delivery-attempts.ts';

/** The whole row with its tolerance and the silence after it. */
const seconds = (queuedScheduleMs + silenceMs) / 1000;

const cappedGapsMs = [...queuedGapsMs, 64_000, 128_000, 256_000, 300_000, 300_000];

/** Seven attempts with the tolerance of their gaps. */
const sevenMs = 133_000;

/** Longer than four attempts and their gaps with the tolerance, in ms. */
const outcomeMs = 20_000;

/** Longer than the gap before a fourth retry, in ms. */
const validationSilenceMs = 18_000;

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

export const retryRules = rules('delivery', {
  'delivery.event.retry-gaps': {
    level: 'must',
    source: 'extensions: Limits, retries row 1; Errors, rule 2',
    statement:
      'An event that keeps failing transiently is attempted six times: the first call and five retries after 2, 4, 8, 16 and 32 s.',
    fault: 'The fourth gap is 12 s instead of 16 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(74, async (context) => {
      const { given, triggers } = context;
      const [fresh, used] = await Promise.all([
        sentTo(context, failingForEver),
        sentTo(context, inTurn({ status: 503 }, { status: 503 }, { status: 200 }, { status: 503 })),
      ]);
      given.assume(
        (await endedAttempts(used, 3, 8000)).length === 3,
        'an event that is acknowledged at its second retry',
      );
      const next = await triggers.event(used.extension);
      await Promise.all([
        expectSchedule(context, fresh.extension, { about: fresh.event }),
        expectSchedule(context, used.extension, { about: next }),
      ]);
    }),
  },
  'delivery.event.no-sixth-retry': {
    level: 'must',
    source: 'extensions: Limits, retries row 1; Events, rule 3',
    statement: 'After the fifth failed retry the event is dropped: no further attempt.',
    fault: 'Six retries.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(seconds, async (context) => {
      const { clock, expect, given, triggers } = context;
      const sent = await sentTo(context, failingForEver);
      const updated = await sentAndUpdated(context);
      given.assume((await endedAttempts(sent, 6, queuedScheduleMs)).length === 6, 'six attempts');
      await passSilence(context);
      if (updated !== undefined)
        expect(
          attemptsOf(updated).length,
          'attempts of an event whose registration is updated after the third',
        ).toSatisfy('six at most', (count) => count <= 6);
      clock.expectCalls(`attempts ${silenceMs / 1000} s after the sixth`, attemptsOf(sent), 6);
      sent.extension.setScript(always());
      const next = await triggers.event(sent.extension);
      await sent.extension.call({ about: next }, { withinMs: atOnceMs });
    }),
  },
  'delivery.event.recovery-stops-retries': {
    level: 'must',
    source: 'extensions: Limits, retries row 1; Events, rule 2',
    statement: 'When attempt k (1 to 6) is answered 200 there are exactly k attempts.',
    fault: 'A success on the fifth retry is not recognised and one more attempt follows.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(seconds, async (context) => {
      const sent = await sentToEach(context, [0, 1, 2, 3, 4, 5].map(failing));
      await context.clock.pass(queuedScheduleMs + silenceMs + sent.length * context.clock.granularityMs);
      for (const [failures, one] of sent.entries())
        context.clock.expectCalls(
          `attempts when number ${failures + 1} is acknowledged`,
          attemptsOf(one),
          failures + 1,
        );
    }),
  },
  'delivery.event.same-content-on-retry': {
    level: 'should',
    source: 'extensions: Call envelope, row id; Events, rules 1 and 4',
    statement:
      'All attempts of one event carry the same payload and, when the trigger had a correlation id, the same envelope id.',
    fault: 'Envelope id is regenerated on a retry in spite of an incoming correlation id.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    test: schedule(20, async (context) => {
      const { expect, given, notes, triggers } = context;
      const extension = await given.extension({ script: failingForEver });
      const id = randomUUID();
      const event = await triggers.event(extension, undefined, { headers: { [headerNames.correlationId]: id } });
      await extension.ended(1, { about: event });
      await triggers.event(extension, undefined, { headers: { [headerNames.correlationId]: randomUUID() } });
      const attempts = await extension.ended(4, { about: event }, { withinMs: 15_000, oneByOne: true });
      given.assume(attempts.length === 4, 'four attempts');
      for (const attempt of attempts) {
        expect(contentOf(attempt), 'payload of an attempt').toEqual(contentOf(attempts[0]));
        expect(attempt.envelope.id, 'id of the envelope').toEqual(id);
      }
      notes.observe(
        'each attempt has a token of its own',
        new Set(attempts.map(({ envelope }) => envelope.accessToken)).size === 4,
      );
      await noteOwnIds(context);
    }),
  },
  'delivery.task.retry-gaps': {
    level: 'must',
    source: 'extensions: Limits, retries row 1',
    statement: 'A task call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Task calls are not retried.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: schedule(seconds, async (context) => {
      const { profile, triggers, notes } = context;
      const task = await failingFor(context, 'ExternalTask');
      await expectSixAttempts(context, task, { about: task.about });
      if (profile.all.routes?.job !== undefined)
        notes.observe('job whose task was never acknowledged', (await triggers.job(task.about)).text);
    }),
  },
  'delivery.email.retry-gaps': {
    level: 'must',
    source: 'extensions: Limits, retries row 1',
    statement: 'A mail call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Mail calls use the validation schedule.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
    test: schedule(seconds, async (context) => {
      const mail = await failingFor(context, 'Email');
      await expectSixAttempts(context, mail, { about: mail.about });
    }),
  },
  'delivery.simple-endpoint.retry-gaps': {
    level: 'must',
    source: 'extensions: Limits, retries row 1 (endpoint calls)',
    statement:
      'A simple endpoint call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Simple endpoints are called once.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: schedule(seconds, async (context) => {
      const endpoint = await context.given.endpoint({ script: failingForEver });
      await context.triggers.endpoint(endpoint);
      await expectSixAttempts(context, endpoint);
    }),
  },
  'delivery.trusted-endpoint.retry-gaps': {
    level: 'must',
    source: 'extensions: Limits, retries row 1 (endpoint calls); Registered trusted external endpoint',
    statement:
      'A trusted endpoint call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Trusted endpoints are called once.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: schedule(seconds, async (context) => {
      const { expect, given, notes, triggers } = context;
      const endpoint = await given.endpoint({ trusted: true, script: failingForEver });
      await triggers.endpoint(endpoint);
      await expectSixAttempts(context, endpoint);
      const tokens = endpoint.calls().map(tokenOf);
      for (const token of tokens) expect(token, 'access_token in the query').toBePresent();
      notes.observe('each attempt has a token of its own', new Set(tokens).size === tokens.length);
    }),
  },
  'delivery.validation.retry-gaps': {
    level: 'must',
    source: 'extensions: Limits, retries row 2',
    statement:
      'A validation call that keeps failing transiently is attempted four times: the first call and retries after 2, 4 and 8 s.',
    fault: 'Validation uses the event schedule.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    test: schedule(20, async (context) => {
      const { clock, expect, given } = context;
      const { extension, outcome } = await validated(context, failingForEver);
      const { reply } = given.present(await clock.until(outcome, outcomeMs * 5), 'the outcome of the validation');
      clock.expectGaps(extension.calls(), validationGapsMs);
      expect(reply).notToSucceed();
    }),
  },
  'delivery.validation.no-fourth-retry': {
    level: 'must',
    source: 'extensions: Limits, retries row 2',
    statement:
      'After the third failed retry no further validation call is made for that request, and the triggering request gets its error.',
    fault: 'Four retries.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['delivery.validation.retry-gaps'],
    test: schedule(38, async (context) => {
      const { clock, expect, given } = context;
      const { extension, outcome } = await validated(context, failingForEver);
      const attempts = await extension.ended(4, {}, { withinMs: outcomeMs, oneByOne: true });
      given.assume(attempts.length === 4, 'four attempts');
      await passSilence(context, validationSilenceMs);
      clock.expectCalls(`attempts ${validationSilenceMs / 1000} s after the fourth`, extension.calls(), 4);
      const { reply, endedAt } = given.present(await clock.until(outcome, 1), 'the trigger to have ended by then');
      clock.expectDue('the outcome after the fourth attempt', endedAt, attempts[3]?.arrivedAt ?? 0, {
        lateMs: validationSilenceMs,
        zero: { at: attempts[0]?.arrivedAt ?? 0, label: 'the first attempt' },
      });
      expect(reply).notToSucceed();
    }),
  },
  'delivery.validation.retry-forever-ignored': {
    level: 'must',
    source: 'extensions: Limits, retries row 2 (only the timeout is configurable)',
    statement: 'retryForever true on a validation record does not change its three retries.',
    fault: 'retryForever applies to validations.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['delivery.validation.retry-gaps'],
    test: schedule(38, async (context) => {
      const { clock } = context;
      const { extension } = await validated(context, failingForEver, { retryForever: true });
      clock.expectGaps(await extension.ended(4, {}, { withinMs: outcomeMs, oneByOne: true }), validationGapsMs);
      await passSilence(context, validationSilenceMs);
      clock.expectCalls(`attempts ${validationSilenceMs / 1000} s after the fourth`, extension.calls(), 4);
    }),
  },
  'delivery.validation.recovers': {
    level: 'must',
    source: 'extensions: Limits, retries row 2; Calls to extensions, row ExternalValidation',
    statement: 'A validation that succeeds on a retry yields the verdict of that answer.',
    fault: 'A validation with a failed first attempt ends in an error although the retry succeeded.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['calls.validation.verdict-applied'],
    test: schedule(8, async (context) => {
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
  },
  'delivery.retry-forever.continues': {
    level: 'must',
    source: 'extensions: Extension metadata record, row retryForever; Errors, rule 2',
    statement:
      'With retryForever true an event goes on after the fifth retry, with the exponential gaps continued: 64 s, then 128 s.',
    fault: 'retryForever is ignored, delivery ends after five retries.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(sevenMs / 1000 + 10, async (context) => {
      const { clock } = context;
      const sent = await sentTo(context, failing(6), { record: { retryForever: true } });
      clock.expectGaps(await endedAttempts(sent, 7, sevenMs), [...queuedGapsMs, 64_000]);
      // an eighth would come after 128 s: too long a wait in real time
      await passSilence(context, clock.controlled ? 140_000 : 10_000);
      clock.expectCalls('attempts after the acknowledgement of the seventh', attemptsOf(sent), 7);
    }),
  },
  'delivery.retry-forever.cap': {
    level: 'must',
    source: 'extensions: Errors, rule 2 (up to 5 minutes, then one retry each 5 minutes)',
    statement: 'With retryForever the gaps go 2, 4, 8, 16, 32, 64, 128, 256 s and then stay at 300 s.',
    fault: 'Backoff has no upper bound.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'long-run'],
    after: ['delivery.retry-forever.continues'],
    test: schedule(1170, async (context) => {
      const sent = await sentTo(context, failingForEver, { record: { retryForever: true } });
      const attempts = await endedAttempts(sent, cappedGapsMs.length + 1, 1_170_000);
      context.clock.expectGaps(attempts, cappedGapsMs);
    }),
  },
  'delivery.retry-forever.endpoints': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row retryForever; Registered trusted external endpoint',
    statement: 'retryForever of a simple or trusted endpoint registration has the same effect as for a record.',
    fault: 'retryForever is honoured for extensions only.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['delivery.simple-endpoint.retry-gaps'],
    test: schedule(sevenMs / 1000, async ({ given, triggers, clock, expect }) => {
      const kinds = [true, false].flatMap((retryForever) =>
        [true, false].map((trusted) => ({ retryForever, trusted })),
      );
      const endpoints = await Promise.all(
        kinds.map(({ retryForever, trusted }) =>
          given.endpoint({ trusted, script: failingForEver, registration: { retryForever } }),
        ),
      );
      await Promise.all(endpoints.map((endpoint) => triggers.endpoint(endpoint)));
      await clock.pass(sevenMs + 7 * clock.granularityMs);
      for (const [index, endpoint] of endpoints.entries()) {
        const seven = kinds[index]?.retryForever === true;
        const attempts = endpoint.calls();
        given.assume(attempts.length > 0, 'the call of each endpoint');
        if (seven) clock.expectGaps(attempts, [...queuedGapsMs, 64_000]);
        else expect(attempts.length, 'attempts without retryForever').toSatisfy('six at most', (count) => count <= 6);
      }
    }),
  },
  'delivery.timeout.validation': {
    level: 'must',
    source: 'extensions: Limits, retries row 2 (the timeout is configurable) and request timeout',
    statement: 'requestTimeout of a validation record is honoured.',
    fault: 'Validation calls always wait 100 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    test: schedule(26, async (context) => {
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
  },
});

/** An event that fails for ever, with its registration updated after the third attempt; undefined where registrations cannot be updated. */
async function sentAndUpdated(context: CaseContext): Promise<Sent | undefined> {
  const { given, profile, registrations } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const sent = await sentTo(context, failingForEver);
  given.assume((await endedAttempts(sent, 3, 8000)).length === 3, 'three attempts');
  const reply = await registrations.update(given.present(sent.extension.registration, 'a registration'), {
    tokenLifeTime: 61,
  });
  given.succeeded(reply, 'the registration is updated');
  return sent;
}

async function failingFor(context: CaseContext, type: 'ExternalTask' | 'Email'): Promise<Called> {
  return context.given.present(await called(context, type, failingForEver), `a trigger for ${type}`);
}

/** What the documents show of it. Source: extensions, Payloads by extension type, row ExternalEvent */
function contentOf(attempt: Call | undefined): unknown {
  const { contentPayload, id, spaceId } = attempt?.payload ?? {};
  return { contentPayload, id, spaceId };
}

/** Whether an id that the service made stays. Source: ledger envelope-id-on-retry */
async function noteOwnIds(context: CaseContext): Promise<void> {
  const attempts = await endedAttempts(await sentTo(context, failing(1)), 2, 4000);
  const ids = new Set(attempts.map(({ envelope }) => envelope.id));
  context.notes.observe('an id of its own making stays the same', attempts.length === 2 && ids.size === 1);
}

function tokenOf({ query }: Call): string | undefined {
  return query.find(([name]) => name === 'access_token')?.[1];
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
