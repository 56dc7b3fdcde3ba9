import { isSuccess } from '../../judge/exchange.ts';
import { headerNames } from '../../contract/names.ts';
import { comparableId } from '../../judge/service/guid.ts';
import { type CaseContext, holdingSchedule, schedule } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { rules } from '../../judge/rule.ts';
import { partHere } from '../../judge/case/part.ts';
import { withBearer } from '../../judge/service/token.ts';
import { unlessRefused } from '../../judge/violation.ts';
import {
  type Sent,
  answerAlways,
  answerFirst,
  answerInTurn,
  atOnceMs,
  attemptsOf,
  endedAttempts,
  expectNoLongerLife,
  expectCapped,
  expectEndpointCountsEach,
  expectSchedule,
  expectScheduleBeside,
  expectSixAttempts,
  expectSixAttemptsEach,
  expectSameValidation,
  failFirst,
  failFor,
  failingForEver,
  isAbout,
  minuteMs,
  expectOutcome,
  expectRetriedBesideAnother,
  expectSamePayload,
  passSilence,
  queuedGapsMs,
  queuedScheduleMs,
  secondsOf,
  sevenMs,
  sendBeside,
  sendTo,
  sendToCut,
  sendToEach,
  silenceMs,
  startValidation,
  tellSeen,
  validationGapsMs,
  unavailableTimes,
} from './checks/delivery-attempts.ts';
import {
  attemptsAt,
  expectSameCall,
  type Queued,
  queueBesideEvents,
  queueByMethods,
  tokensOf,
} from './checks/queued-calls.ts';
import { expectFilterKept, sendAnyAction } from './checks/triggered-calls.ts';
import { expectRecoversInBatch } from './checks/stopped-promotes.ts';
import { expectEndpointsRetried, expectNewRetriesOfEndpoints } from './checks/endpoint-settings.ts';
import { expectNewRetries, failThenUpdate, noteKeySince } from './checks/updated-records.ts';
import { filterAt } from '../../judge/service/queries.ts';
import { retire } from './checks/same-records.ts';

/** The whole row with its tolerance and the silence after it. */
const sixAttemptsSeconds = (queuedScheduleMs + silenceMs) / 1000;

/** Past the first gap of five minutes, whichever is the first. */
const cappedRetries = 10;

/** So many with their tolerance, in ms. */
const cappedMs = 1_215_000;

/** Retries of one event where time can be made to pass. */
const manyRetries = 36;

/** One status six times over that is no 503, and six of them by turns. */
const otherFailures = [
  answerAlways({ status: 408 }),
  answerInTurn(...[500, 408, 502, 504, 408, 599].map((status) => ({ status }))),
];

/** Longer than four attempts and their gaps with the tolerance take at a service that is slow with all else, in ms. */
const outcomeMs = 30_000;

/** Longer than the gap before a fourth retry, in ms. */
const validationSilenceMs = 18_000;

/** Enough for six attempts of which every second one waits for the end of a pause, and for more if there were any, in ms. */
const heldBackMs = 420_000;

export const retryRules = rules('delivery', {
  'delivery.event.retry-gaps': {
    source: 'extensions: Limits, retries row 1; Errors, rule 2',
    statement:
      'An event that keeps failing transiently is attempted six times: the first call and five retries after 2, 4, 8, 16 and 32 s, whichever transient status it meets each time, and whatever became of the event before it, or of one beside it.',
    fault: 'The fourth gap is 12 s instead of 16 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(74, async (context) => {
      const { clock, triggers } = context;
      const [fresh, beside, used, refused] = await Promise.all([
        sendTo(context, failingForEver),
        sendTo(context, failingForEver),
        sendTo(context, answerInTurn({ status: 503 }, { status: 503 }, { status: 200 }, { status: 503 })),
        sendTo(context, answerInTurn({ status: 503 }, { status: 400 }, { status: 503 })),
      ]);
      clock.expectGaps(await endedAttempts(used, 3, 8000), queuedGapsMs.slice(0, 2));
      clock.expectGaps(await endedAttempts(refused, 2, 8000), queuedGapsMs.slice(0, 1));
      const other = await Promise.all(otherFailures.map((script) => sendTo(context, script)));
      const next = await triggers.event(used.extension);
      const afterRefused = await triggers.event(refused.extension);
      const second = await triggers.event(beside.extension);
      await Promise.all([
        expectScheduleBeside(context, beside.extension, second),
        expectSchedule(context, fresh.extension, { about: fresh.event }),
        expectSchedule(context, used.extension, { about: next }),
        expectSchedule(context, refused.extension, { about: afterRefused }),
        ...other.map(({ extension, event }) => expectSchedule(context, extension, { about: event })),
      ]);
    }),
  },
  'delivery.event.no-sixth-retry': {
    source: 'extensions: Limits, retries row 1; Events, rule 3',
    statement:
      'After the fifth failed retry, also where connections broke, the event is dropped: no further attempt, none either where retryForever is false or is true of another record of the host, be it that of an event, a task or a mail, and none more because the registration was updated meanwhile, or because a rate limit held some of them back; the next event is delivered.',
    fault: 'Six retries.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(sixAttemptsSeconds, async (context) => {
      const { clock, given, triggers } = context;
      const sent = await sendTo(context, failingForEver);
      const stated = await sendTo(context, failingForEver, { record: { retryForever: false } });
      const beside = await sendBeside(context, failingForEver, { own: {}, others: { retryForever: true } });
      const cut = await sendToCut(context);
      const updated = await failThenUpdate(context);
      // minutes, which are waited for only where time jumps
      const held = clock.controlled
        ? await sendTo(context, failingForEver, { record: { rateLimitNumberOfExecutions: 2 } })
        : undefined;
      const { length } = await endedAttempts(sent, 6, queuedScheduleMs);
      given.assume(length === 6, `six attempts, of which ${length} came`);
      await passSilence(context);
      if (updated !== undefined) {
        noteKeySince(context, updated);
        clock.expectCalls('attempts of an event whose registration is updated after the third', attemptsOf(updated), {
          most: 6,
        });
      }
      for (const one of [sent, stated, ...beside, ...cut])
        clock.expectCalls(`attempts ${silenceMs / 1000} s after the sixth`, attemptsOf(one), 6);
      if (held !== undefined) {
        await clock.pass(heldBackMs);
        clock.expectCalls('attempts of an event of which two a minute may go out', attemptsOf(held), { most: 6 });
      }
      sent.extension.setScript(answerAlways());
      const next = await triggers.event(sent.extension);
      const delivered = await sent.extension.arrived({ about: next }, { withinMs: atOnceMs });
      clock.expectCame('the call of the next event', delivered?.arrivedAt);
    }),
  },
  'delivery.event.recovery-stops-retries': {
    source: 'extensions: Limits, retries row 1; Events, rule 2',
    statement:
      'When attempt k (1 to 6) of an event is answered 200 or 201 there are exactly k attempts, and so there are when the third or the last one of a task, a mail or the call of an endpoint is; the job of such a task has not failed.',
    fault: 'A success on the fifth retry is not recognised and one more attempt follows.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(sixAttemptsSeconds, async (context) => {
      const ends = [200, 201, 201, 200, 201, 200].map((status) => ({ status }));
      const scripts = ends.map((end, failures) => answerInTurn(...unavailableTimes(failures), end));
      const sent = await sendToEach(context, scripts);
      const others = await Promise.all([2, 5].map((failures) => queueBesideEvents(context, failFirst(failures))));
      await context.clock.pass(queuedScheduleMs + silenceMs + sent.length * context.clock.granularityMs);
      for (const [failures, one] of sent.entries())
        context.clock.expectCalls(
          `attempts when number ${failures + 1} is acknowledged`,
          attemptsOf(one),
          failures + 1,
        );
      for (const [index, failures] of [2, 5].entries())
        for (const one of others[index] ?? [])
          context.clock.expectCalls(
            `attempts of a ${one.kind} when number ${failures + 1} is acknowledged`,
            attemptsAt(one),
            failures + 1,
          );
      for (const one of others.flat()) await expectJobGoesOn(context, one);
    }),
  },
  'delivery.event.same-content-on-retry': {
    source: 'extensions: Call envelope, row id; Events, rules 1 and 4',
    statement:
      'All attempts of one event carry the same payload and, when the trigger had a correlation id, the same envelope id; those of a task, a mail, an endpoint and a validation are the same call as well, signed and with a token where the first one is. The token of each speaks for the user of the first, whoever set off an event meanwhile, and lives no longer than that of the first.',
    fault: 'Envelope id is regenerated on a retry in spite of an incoming correlation id.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    test: schedule(27, async (context) => {
      const { expect, given, notes, triggers } = context;
      const extension = await given.extension({ script: failingForEver });
      const script = failFirst(2);
      const others = [...(await queueBesideEvents(context, script)), ...(await queueByMethods(context, script))];
      const id = partHere().id();
      const filter = filterAt(context, '2026-03-01T00:00:00Z');
      const headers = { [headerNames.correlationId]: id };
      const event = await triggers.event(extension, undefined, { headers, filter });
      const [first] = await extension.ended(1, { about: event });
      const isOwn = await tokenCheck(context, first);
      const other = { headers: { [headerNames.correlationId]: partHere().id() } };
      const byOther =
        isOwn && (await unlessRefused(() => triggers.event(extension, undefined, { ...other, as: 'secondEditor' })));
      if (byOther === undefined) await triggers.event(extension, undefined, other);
      const attempts = await extension.ended(4, { about: event }, { withinMs: 15_000, oneByOne: true });
      given.assume(attempts.length === 4, `four attempts, of which ${attempts.length} came`);
      for (const attempt of attempts) {
        expect(payloadOf(attempt), 'payload of an attempt').toEqual(payloadOf(attempts[0]));
        expect(comparableId(attempt.envelope.id), 'id of the envelope').toEqual(id);
        expectNoLongerLife(context, attempt.envelope.accessToken, attempts[0]?.envelope.accessToken);
      }
      expectFilterKept(context, attempts, filter);
      for (const attempt of attempts) await isOwn?.(attempt);
      notes.observe(
        'each attempt has a token of its own',
        new Set(attempts.map(({ envelope }) => envelope.accessToken)).size === 4,
      );
      await noteOwnIds(context);
      for (const one of others) await expectSameCall(context, one);
      await expectSameValidation(context, filter);
    }),
  },
  'delivery.task.retry-gaps': {
    source: 'extensions: Limits, retries row 1',
    statement: 'A task call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Task calls are not retried.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: schedule(sixAttemptsSeconds, async (context) => {
      const { profile, triggers, notes } = context;
      const task = await failFor(context, 'ExternalTask');
      await expectSixAttemptsEach(context, task, task.about, () => triggers.task(task));
      if (profile.all.routes?.job !== undefined)
        notes.observe('job whose task was never acknowledged', (await triggers.job(task.about)).text);
    }),
  },
  'delivery.email.retry-gaps': {
    source: 'extensions: Limits, retries row 1',
    statement: 'A mail call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Mail calls use the validation schedule.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
    test: schedule(sixAttemptsSeconds, async (context) => {
      const mail = await failFor(context, 'Email');
      await expectSixAttemptsEach(context, mail, mail.about, () => context.triggers.email(mail));
    }),
  },
  'delivery.simple-endpoint.retry-gaps': {
    source: 'extensions: Limits, retries row 1 (endpoint calls)',
    statement:
      'A simple endpoint call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s.',
    fault: 'Simple endpoints are called once.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: schedule(sixAttemptsSeconds, async (context) => {
      const endpoint = await context.given.endpoint({ script: failingForEver });
      await context.triggers.endpoint(endpoint);
      await Promise.all([expectSixAttempts(context, endpoint), expectEndpointCountsEach(context, false)]);
    }),
  },
  'delivery.trusted-endpoint.retry-gaps': {
    source: 'extensions: Limits, retries row 1 (endpoint calls); Registered trusted external endpoint',
    statement:
      'A trusted endpoint call that keeps failing transiently is attempted six times with gaps of 2, 4, 8, 16 and 32 s, each by a token that lives no longer than that of the first.',
    fault: 'Trusted endpoints are called once.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: schedule(sixAttemptsSeconds, async (context) => {
      const { expect, given, notes, triggers } = context;
      const endpoint = await given.endpoint({
        trusted: true,
        script: failingForEver,
        registration: { tokenLifeTime: 5 },
      });
      await triggers.endpoint(endpoint);
      await Promise.all([expectSixAttempts(context, endpoint), expectEndpointCountsEach(context, true)]);
      const tokens = endpoint.calls().map(tokensOf);
      for (const { length } of tokens) expect(length, 'parameters access_token in the query').toEqual(1);
      for (const [token] of tokens) expectNoLongerLife(context, token, tokens[0]?.[0]);
      notes.observe('each attempt has a token of its own', new Set(tokens.flat()).size === tokens.length);
    }),
  },
  'delivery.validation.retry-gaps': {
    source: 'extensions: Limits, retries row 2',
    statement:
      'A validation call that keeps failing transiently is attempted four times: the first call and retries after 2, 4 and 8 s, also while another one fails at the same extension, or the same one at another.',
    fault: 'Validation uses the event schedule.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['calls.validation.payload-fields', 'metadata.records.several-types-usable'],
    test: schedule(44, async (context) => {
      const { clock, expect, given, triggers } = context;
      const { extension, outcome, thing } = await startValidation(context, failingForEver);
      const beside = await given.object();
      await extension.ended(2, { objectId: thing.oid }, { withinMs: 4000, oneByOne: true });
      extension.concern(beside);
      const outcomeBeside = clock.through(() => triggers.validation(beside));
      outcomeBeside.catch(() => undefined);
      const { reply } = await expectOutcome(context, outcome, outcomeMs * 5);
      clock.expectGaps(extension.calls({ objectId: thing.oid }), validationGapsMs);
      expect(reply).notToSucceed();
      const { reply: replyBeside } = await expectOutcome(context, outcomeBeside, outcomeMs * 5);
      clock.expectGaps(extension.calls({ objectId: beside.oid }), validationGapsMs);
      expect(replyBeside).notToSucceed();
      await expectRetriedBesideAnother(context);
    }),
  },
  'delivery.validation.no-fourth-retry': {
    source: 'extensions: Limits, retries row 2',
    statement:
      'After the third failed retry no further validation call is made for that request, and the triggering request gets its error.',
    fault: 'Four retries.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['delivery.validation.retry-gaps'],
    test: schedule(38, async (context) => {
      const { clock, expect, given } = context;
      const { extension, outcome } = await startValidation(context, failingForEver);
      const attempts = await extension.ended(4, {}, { withinMs: outcomeMs, oneByOne: true });
      given.assume(attempts.length === 4, `four attempts, of which ${attempts.length} came`);
      await passSilence(context, validationSilenceMs);
      clock.expectCalls(`attempts ${validationSilenceMs / 1000} s after the fourth`, extension.calls(), 4);
      const { reply, endedAt } = await expectOutcome(context, outcome, 1);
      const zero = { at: attempts[0]?.arrivedAt ?? 0, label: 'the first attempt' };
      const due = { of: 'something else', lateMs: validationSilenceMs, zero } as const;
      clock.expectDue('the outcome after the fourth attempt', endedAt, attempts[3]?.arrivedAt ?? 0, due);
      expect(reply).notToSucceed();
    }),
  },
  'delivery.validation.retry-forever-ignored': {
    source: 'extensions: Limits, retries row 2 (only the timeout is configurable)',
    statement: 'retryForever true on a validation record does not change its three retries.',
    fault: 'retryForever applies to validations.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['delivery.validation.retry-gaps'],
    test: schedule(38, async (context) => {
      const { clock } = context;
      const { extension } = await startValidation(context, failingForEver, { retryForever: true });
      clock.expectGaps(await extension.ended(4, {}, { withinMs: outcomeMs, oneByOne: true }), validationGapsMs);
      await passSilence(context, validationSilenceMs);
      clock.expectCalls(`attempts ${validationSilenceMs / 1000} s after the fourth`, extension.calls(), 4);
    }),
  },
  'delivery.validation.recovers': {
    source: 'extensions: Limits, retries row 2; Calls to extensions, row ExternalValidation',
    statement:
      'A validation that succeeds on a retry, the third one included, yields the verdict of that answer, whichever transient status came before (408, 500, 503), or where the connection broke, for a promote of a batch too; an answer that is malformed then, an empty one too, is no verdict. Each attempt carries the same payload and has its own time.',
    fault: 'A validation with a failed first attempt ends in an error although the retry succeeded.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['calls.validation.verdict-applied', 'delivery.validation.retry-gaps'],
    test: schedule(64, async (context) => {
      const { clock, expect } = context;
      for (const [statuses, isValid] of [
        [[408], true],
        [[503], false],
        [[500], true],
        [[503, 500, 408], true],
      ] as const) {
        const failures = statuses.map((status) => ({ status }));
        const { extension, outcome } = await startValidation(
          context,
          answerInTurn(...failures, { status: 200, json: { isValid, message: 'judged' } }),
          // less than all attempts and their waits take together
          { requestTimeout: 12 },
        );
        const withinMs = outcomeMs + statuses.length * clock.granularityMs;
        const { reply } = await expectOutcome(context, outcome, withinMs);
        if (isValid) expect(reply).toSucceed();
        else expect(reply).notToSucceed();
        clock.expectGaps(extension.calls(), validationGapsMs.slice(0, statuses.length));
        expectSamePayload(context, extension.calls());
        await retire(context, extension);
      }
      await expectNoVerdictInNonsense(context);
      await expectRecoversFromCut(context);
      await expectContextKept(context);
      await expectRecoversInBatch(context, outcomeMs + 3 * clock.granularityMs);
    }),
  },
  'delivery.retry-forever.continues': {
    source: 'extensions: Extension metadata record, row retryForever; Errors, rule 2',
    statement:
      'With retryForever true an event, a task, a mail or the call of an endpoint goes on after the fifth retry, the sixth following after 64 s, also where connections break, and ends when an attempt is acknowledged; the retryForever of the last update counts.',
    fault: 'retryForever is ignored, delivery ends after five retries.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(sevenMs / 1000 + 10, async (context) => {
      await Promise.all([expectNewRetries(context), expectGoesOn(context)]);
    }),
  },
  'delivery.retry-forever.cap': {
    source: 'extensions: Errors, rule 2 (up to 5 minutes, then one retry each 5 minutes)',
    statement:
      'With retryForever the gaps go 2, 4, 8, 16, 32, 64, 128, 256 s and then stay at 300 s, however many follow, be it those of an event, a mail or an endpoint; where five minutes are those of all waits together, they stay so from the one of 256 s on.',
    fault: 'Backoff has no upper bound.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'long-run'],
    after: ['delivery.retry-forever.continues'],
    test: schedule(cappedMs / 1000, async (context) => {
      const settings = { retryForever: true };
      const sent = await sendTo(context, failingForEver, { record: settings });
      // a job may fail a task whose time is over
      const others = await queueBesideEvents(context, failingForEver, { settings, except: ['task'] });
      expectCapped(context, await endedAttempts(sent, cappedRetries + 1, cappedMs), cappedRetries);
      for (const { reached, filter } of others) {
        const attempts = await reached.ended(cappedRetries + 1, filter, { withinMs: minuteMs, oneByOne: true });
        expectCapped(context, attempts, cappedRetries);
      }
      // hours, which nobody waits for in real time
      if (context.clock.controlled) await expectCapKept(context, sent);
    }),
  },
  'delivery.retry-forever.endpoints': {
    source: 'extensions: Registered external endpoint, row retryForever; Registered trusted external endpoint',
    statement:
      'retryForever of a simple or trusted endpoint registration, as the last update brought it, has the same effect as for a record, on a server error and on 408.',
    fault: 'retryForever is honoured for extensions only.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['delivery.simple-endpoint.retry-gaps'],
    test: schedule(sevenMs / 1000 + 10, async (context) => {
      await Promise.all([expectNewRetriesOfEndpoints(context), expectEndpointsRetried(context)]);
    }),
  },
  'delivery.action.retries': {
    level: 'observe',
    source: 'extensions: Limits, retries (actions not listed); Errors, rules 1 and 4',
    statement:
      'Whether and how action calls are retried is not said; 500 is a documented answer of actions and a transient status as well.',
    fault: 'Not applicable as a failure; recorded variant: no retry.',
    needs: ['collection-admin', 'extension-listener', 'trigger-action'],
    test: schedule(70, async (context) => {
      const { clock, notes, given } = context;
      const answers = [{ status: 503 }, { status: 500, json: { errors: [{ message: 'It cannot be done.' }] } }];
      const extensions = await Promise.all(
        answers.map((step) => given.extension({ types: ['ExternalAction'], script: answerAlways(step) })),
      );
      const outcomes = extensions.map((extension) => clock.through(() => sendAnyAction(context, extension)));
      for (const outcome of outcomes) outcome.catch(() => undefined);
      await clock.pass(68_000);
      for (const [index, extension] of extensions.entries()) {
        tellSeen(context, `attempts of an action after ${answers[index]?.status}`, extension.calls());
        notes.observe(
          `attempts and gaps after ${answers[index]?.status}`,
          `${extension.calls().length}: ${secondsOf(extension.gaps())}`,
        );
      }
      notes.bound('retriesActions', 'an action is made again after 503', (extensions[0]?.calls().length ?? 0) > 1);
    }),
  },
  'delivery.retry.after-header': {
    level: 'observe',
    source: 'extensions: Errors, rule 2 (no header mentioned)',
    statement: 'Whether a Retry-After header on 503 or 429 changes the schedule is not said.',
    fault: 'Not applicable as a failure; recorded variant: header ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(12, async (context) => {
      const { clock, notes } = context;
      const unavailable = await sendTo(context, answerFirst({ status: 503, headers: { 'Retry-After': '7' } }));
      const tooMany = await sendTo(context, answerFirst({ status: 429, headers: { 'Retry-After': '1' } }));
      await clock.pass(12_000);
      tellSeen(context, 'attempts after 503 with Retry-After: 7', attemptsOf(unavailable));
      tellSeen(context, 'attempts after 429 with Retry-After: 1', attemptsOf(tooMany));
      notes.observe('gap after 503 with Retry-After: 7, in s', secondsOf(clock.gaps(attemptsOf(unavailable))));
      notes.observe('gap after 429 with Retry-After: 1, in s', secondsOf(clock.gaps(attemptsOf(tooMany))));
    }),
  },
  'delivery.retry.gap-clock': {
    level: 'observe',
    source: 'extensions: Limits, retries (start of the gap not defined)',
    statement: 'Whether a gap starts at the start or at the end of the failed attempt is not said.',
    fault: 'Not applicable as a failure; recorded variant: gap from the start of the attempt.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: holdingSchedule(16, async (context) => {
      const { clock, notes } = context;
      const slow = { status: 503, delayMs: 1500 };
      const attempts = await endedAttempts(await sendTo(context, answerFirst(slow, slow)), 3, 14_000);
      tellSeen(context, 'attempts answered after 1.5 s', attempts);
      const fromEnd = clock.gaps(attempts);
      const fromStart = attempts.slice(1).map(({ arrivedAt }, index) => arrivedAt - (attempts[index]?.arrivedAt ?? 0));
      notes.observe('gaps from the end of an attempt, in s', secondsOf(fromEnd));
      notes.observe('gaps from the start of an attempt, in s', secondsOf(fromStart));
      if (isAbout(fromEnd[0], 2000)) notes.bound('gapClock', 'what a gap counts from', 'end');
      else if (isAbout(fromStart[0], 2000)) notes.bound('gapClock', 'what a gap counts from', 'start');
    }),
  },
});

/** Until the seventh attempt is acknowledged. */
async function expectGoesOn(context: CaseContext): Promise<void> {
  const { clock } = context;
  const settings = { retryForever: true };
  const sent = await sendTo(context, failFirst(6), { record: settings });
  const timedOut = unavailableTimes(6).map(() => ({ status: 408 }));
  const late = await sendTo(context, answerFirst(...timedOut), { record: settings });
  const cut = await sendToCut(context, { times: 6, record: settings });
  const others = await queueBesideEvents(context, failFirst(6), { settings });
  const beside = await sendBeside(context, failFirst(6), { own: settings, others: { retryForever: false } });
  for (const one of [sent, late, ...cut, ...beside])
    clock.expectGaps(await endedAttempts(one, 7, sevenMs), [...queuedGapsMs, 64_000]);
  // an eighth would come after 128 s: too long a wait in real time
  await passSilence(context, clock.controlled ? 140_000 : 10_000);
  clock.expectCalls('attempts after the acknowledgement of the seventh', attemptsOf(sent), 7);
  for (const one of others) {
    clock.expectGaps(attemptsAt(one).slice(0, 7), [...queuedGapsMs, 64_000]);
    clock.expectCalls(`attempts of a ${one.kind} after the acknowledgement of the seventh`, attemptsAt(one), 7);
  }
}

/** Asserts that the gaps stay as long where twice as many seconds as before would not fit into 32 bits any more. */
async function expectCapKept(context: CaseContext, sent: Sent): Promise<void> {
  expectCapped(context, await endedAttempts(sent, manyRetries + 1, manyRetries * 320_000), manyRetries);
}

/** What the documents show of it. Source: extensions, Payloads by extension type, row ExternalEvent */
function payloadOf(attempt: Call | undefined): unknown {
  const { contentPayload, id, spaceId } = attempt?.payload ?? {};
  return { contentPayload, id, spaceId };
}

/** Whether an id that the service made stays. Source: ledger envelope-id-on-retry */
async function noteOwnIds(context: CaseContext): Promise<void> {
  const attempts = await endedAttempts(await sendTo(context, failFirst(1)), 2, 4000);
  const ids = new Set(attempts.map(({ envelope }) => envelope.id));
  context.notes.observe('an id of its own making stays the same', attempts.length === 2 && ids.size === 1);
}

/** A task that was acknowledged works on, whichever attempt it was. */
async function expectJobGoesOn({ expect, profile, tasks, triggers }: CaseContext, one: Queued): Promise<void> {
  if (one.kind !== 'task' || profile.all.routes?.job === undefined) return;
  const job = await triggers.job(one.about);
  expect(
    tasks.stateOf(job),
    `state of the job of a task whose attempt ${attemptsAt(one).length} was acknowledged`,
    job,
  ).toSatisfy('none that says it has failed', () => !tasks.isFailed(job));
}

/** What answers the retry of a validation without a verdict is none; the service may ask again. */
async function expectNoVerdictInNonsense(context: CaseContext): Promise<void> {
  const { clock, expect } = context;
  for (const text of ['nonsense', '', '{"message":"judged"}', '[{"isValid":true}]']) {
    const script = answerInTurn({ status: 503 }, { status: 200, text });
    const { extension, outcome } = await startValidation(context, script);
    const { reply } = await expectOutcome(context, outcome, outcomeMs + clock.granularityMs);
    expect(reply).notToSucceed();
    const calls = extension.calls().slice(0, 2);
    clock.expectGaps(calls, validationGapsMs.slice(0, 1));
    expectSamePayload(context, calls);
    await retire(context, extension);
  }
}

/** A validation whose connection breaks is made again, however often the client of the service does so by itself. */
async function expectRecoversFromCut(context: CaseContext): Promise<void> {
  const { given, expect } = context;
  const verdict = { status: 200, json: { isValid: true, message: 'judged' } };
  const { extension, outcome } = await startValidation(context, answerInTurn({ cut: 'before-answer' }, verdict));
  const { reply } = await expectOutcome(context, outcome, outcomeMs);
  given.assume(extension.calls().length > 0, 'the call of the validation');
  expect(reply).toSucceed();
  await retire(context, extension);
}

/** A validation in the context object module, made again, where that module can be tried. */
async function expectContextKept(context: CaseContext): Promise<void> {
  const { given, triggers, clock, profile } = context;
  if (profile.all.triggers?.validationInContext === undefined) return;
  const [thing, owner] = [await given.object(), await given.object()];
  const script = answerInTurn({ status: 503 }, { status: 200, json: { isValid: true, message: 'judged' } });
  const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing], script });
  const outcome = clock.through(() => triggers.validation(thing, { extension, contextObjectId: owner.oid }));
  given.present(await clock.until(outcome, outcomeMs), 'the outcome of a validation in context');
  expectSamePayload(context, extension.calls());
  await retire(context, extension);
}

/**
 * Asserts of a later attempt that its token reads what only the editor has; undefined where that of the first does not, because somebody else
 * owns the subscription, or where no two users have areas of their own.
 */
async function tokenCheck(
  { given, files, expect, profile }: CaseContext,
  first: Call | undefined,
): Promise<((attempt: Call) => Promise<void>) | undefined> {
  const { identities, files: bound } = profile.all;
  if (first === undefined || identities.secondEditor === undefined || bound?.areas.user === undefined) return undefined;
  const { area, path } = await given.file({ area: files.userArea('editor') });
  const read = ({ envelope }: Call) => files.download(area, path, withBearer(envelope.accessToken ?? ''));
  if (!isSuccess((await read(first)).status)) return undefined;
  return async (attempt) => {
    expect(await read(attempt)).toSucceed();
  };
}
