import { connect } from 'node:net';
import { type CaseContext, holdingSchedule, schedule } from '../../judge/case.ts';
import { type Call, type CalledType, type CallFilter, tells } from '../../judge/extension/call.ts';
import { aside } from '../../judge/case/part.ts';
import { rules } from '../../judge/rule.ts';
import type { Extension, Step } from '../../judge/extension/extension.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import {
  type Sent,
  answerAlways,
  answerFirst,
  answerInTurn,
  attemptsOf,
  queuedGapsMs,
  closingAfterMetadata,
  endedAttempts,
  sendTo,
  sendToEach,
  withPromptEnds,
} from './checks/delivery-attempts.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { mayListenAlone } from './checks/extension-hosts.ts';
import { sendAnyAction } from './checks/triggered-calls.ts';
import { type Queued, attemptsAt, queueBesideEvents } from './checks/queued-calls.ts';
import { Inconclusive, unlessRefused } from '../../judge/violation.ts';

/** How long a connection is tried, in ms. */
const patienceMs = 5000;

/** Past the fourth retry. */
const watchedSeconds = 40;

/** How long an answer is held, in ms. */
const answerHeldMs = 5000;

/** Any second attempt is due within it, in ms. */
const firstRetryMs = 6000;

/** Past the third attempt, in ms. */
const thirdAttemptMs = 10_000;

/** When a connection that is refused is tried for the fifth time, in ms after the first. */
const fifthAttemptMs = 30_000;

const cuts: readonly Step[] = [
  { cut: 'before-answer' },
  { cut: 'before-answer', how: 'close' },
  { cut: 'in-status-line' },
];

/** As many as there are retries, those that are taken for permanent among them. */
const errorsOfOthers = [500, 501, 502, 504, 599];
const serverErrors = [500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 599];

/** All that have a meaning, but those which a client may answer by itself: 407, 411, 417 and 421. */
const clientErrors = [
  400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 414, 415, 416, 418, 422, 423, 424, 425, 426, 428, 429, 431,
  451, 499,
];

/** A body that speaks of a failure: the status alone decides. Source: extensions, Events 2 */
const tellingOfErrors = { error: 'unavailable', errors: [{ message: 'try again' }], status: 503, success: false };

const redirectStatuses = [301, 302, 307, 308];

/** What is tried below with a callee of each kind proves nothing where the gaps of one are wrong. */
const retryGaps = [
  'delivery.simple-endpoint.retry-gaps',
  'delivery.task.retry-gaps',
  'delivery.trusted-endpoint.retry-gaps',
] as const;

export const deliveryRules = rules('delivery', {
  'delivery.success.200-sent-once': {
    source: 'extensions: Events, rule 2; Calls to extensions, row ExternalEvent',
    statement:
      'An event, a task, a mail or the call of an endpoint that is answered with 200, whatever its body says, is delivered once and never sent again; an update of the registration meanwhile changes nothing about an event.',
    fault: 'Retry timer is not cancelled when the answer has no body.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: holdingSchedule(watchedSeconds, async (context) => {
      const [held] = await Promise.all([
        sendAndUpdate(context),
        expectSentOnce(context, [
          { status: 200 },
          { status: 200, json: { received: true } },
          { status: 200, text: 'OK. '.repeat(20_000) },
          { status: 200, json: tellingOfErrors },
        ]),
      ]);
      if (held !== undefined)
        context.clock.expectCalls('calls when the registration is updated before the answer', attemptsOf(held), 1);
    }),
  },
  'delivery.success.201-sent-once': {
    source: 'extensions: Events, rule 2; Calls to extensions, rows ExternalEvent and Email',
    statement:
      '201 is a success like 200: one delivery of an event, a task, a mail or the call of an endpoint, and no repeat.',
    fault: 'Only 200 counts as success, and 201 is tried again.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(watchedSeconds, async (context) => {
      await expectSentOnce(context, [
        { status: 201 },
        { status: 201, json: { received: true } },
        { status: 201, text: 'OK' },
        { status: 201, json: tellingOfErrors },
      ]);
    }),
  },
  'delivery.success.action-called-once': {
    source: 'extensions: Errors, rules 1 and 4; Calls to extensions, row ExternalAction',
    statement:
      'An action that is answered with 200, whatever its body, or with 400, is called once, and no other extension of its type with it.',
    fault: 'An action whose success has no body is called again.',
    needs: ['collection-admin', 'extension-listener', 'trigger-action'],
    test: schedule(watchedSeconds, async (context) => {
      const { clock, given } = context;
      if (!triggeredTypes(context).includes('ExternalAction'))
        given.inconclusive('The triggers of actions in the profile do not name the extension that they are for.');
      const steps: readonly Step[] = [
        { status: 200, json: { statusCode: 200, location: '', svcUOIVersion: 1 } },
        { status: 200 },
        { status: 200, text: 'OK' },
        { status: 200, json: tellingOfErrors },
        // not 404: who is told of that sends it again, as an extension may not be known yet
        { status: 400 },
      ];
      const extensions = [];
      for (const step of steps)
        extensions.push(await given.extension({ types: ['ExternalAction'], script: answerAlways(step) }));
      for (const extension of extensions) await clock.through(() => sendAnyAction(context, extension));
      await clock.pass(watchedSeconds * 1000);
      // that a trigger as the profile has it leads to a call at all is judged elsewhere
      given.assume(
        extensions.every((extension) => extension.calls().length > 0),
        'a call of each action that is triggered',
      );
      for (const [index, extension] of extensions.entries())
        clock.expectCalls(`calls of an action that is answered with ${told(steps[index])}`, extension.calls(), 1);
    }),
  },
  'delivery.success.other-2xx': {
    level: 'observe',
    source: 'extensions: Events, rule 2 (only 200 and 201 named)',
    statement: '202, 204 and 206 are neither documented successes nor transient errors; the reaction is recorded.',
    fault: 'Not applicable as a failure; recorded variant: treated as a permanent failure, one attempt.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(watchedSeconds, async (context) => {
      const { clock, notes } = context;
      const statuses = [202, 204, 206];
      const sent = await sendToEach(
        context,
        statuses.map((status) => answerAlways({ status })),
      );
      await clock.pass(watchedSeconds * 1000);
      for (const [index, one] of sent.entries()) {
        notes.observe(`attempts after ${statuses[index]}`, attemptsOf(one).length);
        notes.bound(
          'retriesOtherSuccess',
          `an event answered with ${statuses[index]} is sent again`,
          attemptsOf(one).length > 1,
        );
      }
    }),
  },
  'delivery.transient.connection-refused': {
    source: 'extensions: Errors, rule 1 (connection failure); Limits, retries',
    statement:
      'An event, a task, a mail or the call of an endpoint whose connection is refused is retried and arrives once the host listens again.',
    fault: 'Connection refused counts as a permanent failure.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: retryGaps,
    test: schedule(72, async (context) => {
      const { triggers, clock, notes } = context;
      const extension = await extensionThatRefuses(context);
      const since = clock.now();
      const event = await triggers.event(extension);
      const others: CallFilter[] = [];
      for (const type of refusedTypes(context).slice(1)) {
        const isMail = type === 'Email';
        const sent = await unlessRefused(() => (isMail ? triggers.email(extension) : triggers.task(extension)));
        if (sent !== undefined) others.push({ kind: isMail ? 'email' : 'task' });
      }
      const hooks = await callEndpointsAt(context, extension);
      await clock.at(clock.now() + 8000, () => extension.reopen(), {
        until: since + fifthAttemptMs,
        what: 'the fifth attempt',
      });
      const reopenedAt = clock.now();
      const call = await extension.arrived({ about: event }, { withinMs: 24_000 });
      clock.expectCame('arrival of an attempt once connections are accepted', call?.arrivedAt);
      notes.observe(
        'seconds from the end of the refusals to the attempt',
        Math.round(((call?.arrivedAt ?? 0) - reopenedAt) / 100) / 10,
      );
      await clock.pass(40_000);
      for (const filter of [{ about: event }, ...others])
        clock.expectCalls(`attempts of ${filter.kind ?? 'an event'} that arrived`, extension.calls(filter), 1);
      for (const hook of hooks)
        clock.expectCalls(
          `attempts of the endpoint ${hook} that arrived`,
          extension.everything().filter(({ path }) => path === hook),
          1,
        );
    }),
  },
  'delivery.transient.connection-reset': {
    source: 'extensions: Errors, rule 1 (network failure); Limits, retries',
    statement:
      'A connection that breaks before a response (reset after the request, close without a response, half of the status line) is retried, after 4 s where it breaks once more or a 503 follows, be it that of an event, a task, a mail or an endpoint.',
    fault: 'A socket closed without a response counts as delivered.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: retryGaps,
    test: schedule(20, async (context) => {
      // some clients send again by themselves when a connection breaks that was used before: so each event gets one of its own
      const ownListener = mayListenAlone(context);
      const sent = await Promise.all(
        cuts.map((cut) => sendTo(context, [closingAfterMetadata, ...answerFirst(cut)], { ownListener })),
      );
      const script = [closingAfterMetadata, ...answerFirst({ cut: 'before-answer' })];
      const others = await queueBesideEvents(context, script, { ownListener });
      // one count for all that goes wrong
      const again = [{ cut: 'before-answer' } as const, { status: 503 }].map((then) =>
        answerFirst({ cut: 'before-answer' }, then),
      );
      // beside others its second call might go over a connection that one of them has used
      const twice = ownListener
        ? await Promise.all(again.map((fails) => sendTo(context, [closingAfterMetadata, ...fails], { ownListener })))
        : [];
      const isAlone = ({ kind }: Queued): boolean => !kind.endsWith('endpoint');
      await expectOneRetry(context, sent, others.filter(isAlone));
      await Promise.all(twice.map((one) => endedAttempts(one, 3, firstRetryMs + thirdAttemptMs)));
      for (const one of twice) context.clock.expectGaps(attemptsOf(one), [2000, 4000]);
      for (const one of others.filter((other) => !isAlone(other)))
        context.clock.expectCalls(`attempts of a ${one.kind} whose connection broke`, attemptsAt(one), { least: 2 });
    }),
  },
  'delivery.transient.server-errors': {
    source: 'extensions: Errors, rule 1 (any 5xx)',
    statement:
      'Any status from 500 to 599 on a call is transient and is retried: each on that of an event, five on that of a task, a mail and an endpoint.',
    fault: '501 counts as permanent.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: retryGaps,
    test: schedule(66, async (context) => {
      const [sent, others] = await Promise.all([
        sendToEach(
          context,
          serverErrors.map((status) => answerFirst({ status })),
        ),
        queueBesideEvents(context, answerFirst(...errorsOfOthers.map((status) => ({ status }))), {
          settings: { rateLimitNumberOfExecutions: 2 * errorsOfOthers.length },
        }),
      ]);
      await expectOneRetry(context, sent);
      // each retry of a service that looks at its queue now and then may be as late
      for (const gapMs of queuedGapsMs.slice(1)) await context.clock.pass(gapMs + 2 * context.clock.granularityMs);
      for (const one of others) context.clock.expectGaps(attemptsAt(one), queuedGapsMs);
    }),
  },
  'delivery.transient.request-timeout-status': {
    source: 'extensions: Errors, rule 1 (408)',
    statement: '408 on the call of an event, a task, a mail or an endpoint is transient and is retried.',
    fault: 'All 4xx are permanent, 408 included.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: retryGaps,
    test: schedule(20, async (context) => {
      const script = answerFirst({ status: 408 });
      await expectOneRetry(context, [await sendTo(context, script)], await queueBesideEvents(context, script));
    }),
  },
  'delivery.transient.no-response-in-time': {
    level: 'should',
    source:
      'extensions: Errors, rules 1 and 3 (timeout logged with waited time, not listed by name among the transient errors)',
    statement:
      'A request that ran into its requestTimeout is retried like a network failure, be it that of an event, a task, a mail or an endpoint, and the retry has the same time and is retried as well.',
    fault: 'A timeout is final.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.timeout.configured', ...retryGaps],
    test: holdingSchedule(34, async (context) => {
      const { notes, profile, clock } = context;
      const timeoutMs = 3000;
      const settings = { requestTimeout: timeoutMs / 1000 };
      const script = answerFirst({ never: true }, { never: true });
      const sent = await sendTo(context, script, { record: settings });
      const others = await queueBesideEvents(context, script, { settings });
      await endedAttempts(sent, 3, firstRetryMs + thirdAttemptMs + 2 * timeoutMs);
      await clock.pass(thirdAttemptMs);
      const attempts = attemptsOf(sent);
      notes.bound('retriesTimeouts', 'a call without an answer in time is made again', attempts.length > 1);
      if (profile.all.expect?.retriesTimeouts === false) return;
      // where waits count from the start of an attempt, this one is over before the attempt is
      for (const made of [attempts, ...others.map(attemptsAt)])
        if (profile.all.expect?.gapClock === 'start') clock.expectCalls('attempts', made, 3);
        else clock.expectGaps(withPromptEnds(clock, made, timeoutMs), [2000, 4000]);
    }),
  },
  'delivery.permanent.client-errors': {
    source: 'extensions: Errors, rule 1 (other errors are not retried)',
    statement:
      'A 4xx status other than 408 ends the delivery after one attempt, for good, also where the extension is updated behind it: each that of an event, two that of a task, a mail and an endpoint; for 429 the profile may say otherwise.',
    fault: '429 is retried.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(40, async (context) => {
      const { clock, notes, profile, given } = context;
      const sent = await sendToEach(
        context,
        clientErrors.map((status) => answerAlways({ status })),
      );
      const beside = await sendTo(context, answerAlways({ status: 500 }));
      const others = await Promise.all(
        [401, 404].map((status) => queueBesideEvents(context, answerAlways({ status }))),
      );
      const [first] = sent;
      if (first !== undefined) await updateBehind(context, first);
      await clock.pass(40_000);
      given.assume(attemptsOf(beside).length > 1, 'an event that is answered with 500 to be sent again meanwhile');
      for (const [index, status] of clientErrors.entries()) {
        const attempts = sent.slice(index, index + 1).flatMap(attemptsOf);
        if (status === 429)
          notes.bound('retriesTooManyRequests', 'an event answered with 429 is sent again', attempts.length > 1);
        if (status === 429 && profile.all.expect?.retriesTooManyRequests === true) continue;
        clock.expectCalls(`attempts of an event that is answered with ${status}`, attempts, 1);
      }
      for (const one of others.flat())
        clock.expectCalls(`attempts of a ${one.kind} that is answered with 401 or 404`, attemptsAt(one), 1);
    }),
  },
  'delivery.permanent.after-transient': {
    source: 'extensions: Errors, rule 1',
    statement: 'A permanent error during the retries of an event, a task, a mail or the call of an endpoint ends them.',
    fault: 'The class of the error is decided by the first attempt only.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.transient.server-errors'],
    test: schedule(28, async (context) => {
      const { clock } = context;
      const script = answerInTurn({ status: 500 }, { status: 503 }, { status: 400 });
      const sent = await sendTo(context, script);
      const others = await queueBesideEvents(context, script);
      const attempts = await endedAttempts(sent, 3, 8000);
      clock.expectGaps(attempts, [2000, 4000]);
      await clock.pass(20_000);
      clock.expectCalls('attempts 20 s after a 400', attemptsOf(sent), 3);
      for (const one of others) clock.expectCalls(`attempts of a ${one.kind} 20 s after a 400`, attemptsAt(one), 3);
    }),
  },
  'delivery.redirect.followed': {
    level: 'observe',
    source: 'extensions: Errors, rule 1 (3xx not named)',
    statement: 'The reaction to 301, 302, 307 and 308 is not documented.',
    fault: 'Not applicable as a failure; recorded variant: not followed, permanent failure.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(12, async (context) => {
      const { given, triggers, clock, notes } = context;
      for (const status of redirectStatuses) {
        const extension = await given.extension();
        extension.setScript(answerAlways({ status, headers: { Location: `${extension.url}/elsewhere` } }));
        const event = await triggers.event(extension);
        await extension.call({ about: event });
        await clock.pass(2500);
        const followed = extension.everything().find(({ path }) => path === '/elsewhere');
        notes.observe(`attempts after ${status}`, extension.calls({ about: event }).length);
        notes.observe(`request that follows a ${status}`, followed === undefined ? 'none' : storyOf(followed));
      }
    }),
  },
  'delivery.retry-forever.permanent-error-stops': {
    source: 'extensions: Registered external endpoint, row retryForever (non-transient errors are failed and logged)',
    statement:
      'retryForever concerns transient errors only: a permanent error ends the delivery of an event, a task, a mail or the call of an endpoint.',
    fault: 'retryForever repeats permanent errors as well.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(42, async (context) => {
      const { clock } = context;
      const options = { record: { retryForever: true } };
      const atOnce = await sendTo(context, answerAlways({ status: 404 }), options);
      const thenGone = answerInTurn({ status: 503 }, { status: 404 });
      const later = await sendTo(context, thenGone, options);
      const others = await queueBesideEvents(context, thenGone, { settings: options.record });
      await clock.pass(40_000);
      clock.expectCalls('attempts of an event that is answered with 404', attemptsOf(atOnce), 1);
      clock.expectCalls('attempts of an event that is answered with 503, then with 404', attemptsOf(later), 2);
      for (const one of others)
        clock.expectCalls(`attempts of a ${one.kind} that is answered with 503, then with 404`, attemptsAt(one), 2);
    }),
  },
});

function told({ status, json, text }: Step = {}): string {
  return `${status} and ${json === undefined ? (text ?? 'no body') : JSON.stringify(json)}`;
}

/** An event whose registration is updated while its call is held; undefined where registrations cannot be updated. */
async function sendAndUpdate(context: CaseContext): Promise<Sent | undefined> {
  const { clock, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const sent = await sendTo(context, answerAlways({ status: 200, delayMs: answerHeldMs }));
  await sent.extension.call({ about: sent.event });
  await updateExtension(context, sent.extension);
  await clock.pass(answerHeldMs);
  return sent;
}

/** Updates the registration when the first attempt has ended, where registrations can be updated. */
async function updateBehind(context: CaseContext, sent: Sent): Promise<void> {
  if (context.profile.all.routes?.registrationUpdate === undefined) return;
  await endedAttempts(sent, 1, firstRetryMs);
  await updateExtension(context, sent.extension);
}

async function updateExtension({ given, registrations }: CaseContext, { registration }: Extension): Promise<void> {
  const reply = await registrations.update(given.present(registration, 'a registration'), { tokenLifeTime: 61 });
  given.succeeded(reply, 'the registration is updated');
}

/** Events, and what else is queued where the profile has triggers for it, are sent once when they are answered so. */
async function expectSentOnce(context: CaseContext, steps: readonly Step[]): Promise<void> {
  const { clock, trace } = context;
  const [plain = answerAlways()] = steps.map(answerAlways);
  const sent = await sendToEach(context, steps.map(answerAlways));
  const others = await queueBesideEvents(context, plain);
  for (const { extension, event } of sent) await extension.call({ about: event });
  await clock.pass(watchedSeconds * 1000);
  for (const one of others) clock.expectCalls(`calls of a ${one.kind} in ${watchedSeconds} s`, attemptsAt(one), 1);
  const shown = others.filter(({ reached, about }) => reached.calls({ about }).length > 0);
  const calls = await trace();
  const all = [...sent.map(({ extension, event }) => ({ reached: extension, about: event })), ...shown];
  for (const { reached, about } of all)
    clock.expectCalls(
      `calls with ${about.marker} in ${watchedSeconds} s`,
      (isNamedByService(about) ? reached.calls() : calls).filter((call) => tells(call, about.marker)),
      1,
    );
}

/** Whether it is known by a text of the service: a short one, as the id of a job may be, can stand in calls of others as well. */
function isNamedByService({ marker, id, shown }: Triggered): boolean {
  return marker === id || marker === shown;
}

/** Calls of endpoints that were registered with addresses of that host, as far as they are taken; their paths. */
async function callEndpointsAt(
  { given, triggers, profile }: CaseContext,
  { url }: Extension,
): Promise<readonly string[]> {
  if (profile.all.triggers?.endpoint === undefined) return [];
  const hooks: string[] = [];
  for (const trusted of [false, true]) {
    const hook = trusted ? '/trusted' : '/simple';
    const sent = await unlessRefused(async () =>
      triggers.endpoint(await given.endpoint({ trusted, registration: { url: `${url}${hook}` } })),
    );
    if (sent !== undefined) hooks.push(hook);
  }
  return hooks;
}

/** Events, and what else of an extension is queued. */
function refusedTypes(context: CaseContext): readonly CalledType[] {
  const others = triggeredTypes(context).filter((type) => type === 'ExternalTask' || type === 'Email');
  return ['ExternalEvent', ...others];
}

/** Its port is free for anybody while it is shut: where somebody took it, another one is shut. */
async function extensionThatRefuses(context: CaseContext): Promise<Extension> {
  const { given } = context;
  const others: Reaction[] = [];
  while (others.length < 3) {
    const extension = await given.extension({ ownListener: true, types: refusedTypes(context) });
    await extension.shut();
    const reaction = await aside('connection', () => reactionOf(extension.url));
    if (reaction === 'refuses') return extension;
    others.push(reaction);
  }
  throw new Inconclusive(`the port of a listener that is shut ${others.join(', then another one ')}`);
}

type Reaction = 'accepts' | 'refuses' | `says nothing for ${number} s`;

/** What becomes of a connection to the address of the URL. */
function reactionOf(url: string): Promise<Reaction> {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const { promise, resolve } = Promise.withResolvers<Reaction>();
  const socket = connect({ host: hostname, port: port === '' ? usualPort : Number(port), timeout: patienceMs });
  socket.once('connect', () => resolve('accepts'));
  socket.once('timeout', () => resolve(`says nothing for ${patienceMs / 1000} s`));
  socket.once('error', () => resolve('refuses'));
  return promise.finally(() => socket.destroy());
}

/** Two attempts each, the second 2 s after the first has failed. */
async function expectOneRetry(
  { clock, given }: CaseContext,
  sent: readonly Sent[],
  others: readonly Queued[] = [],
): Promise<void> {
  await Promise.all(sent.map((one) => endedAttempts(one, 2, firstRetryMs)));
  await clock.pass(thirdAttemptMs);
  for (const one of sent) {
    const attempts = attemptsOf(one);
    given.assume(attempts.length > 0, 'the call of the event');
    clock.expectGaps(attempts, [2000]);
  }
  for (const one of others) clock.expectGaps(attemptsAt(one), [2000]);
}

/** What a request shows of the one that was redirected. */
function storyOf(call: Call): string {
  const parts = [
    call.method,
    `${call.bytes.length} bytes`,
    call.bearer === undefined ? 'no Authorization' : 'with Authorization',
  ];
  return [...parts, call.signedOver.length > 0 ? 'signed for its path' : 'not signed for its path'].join(', ');
}
