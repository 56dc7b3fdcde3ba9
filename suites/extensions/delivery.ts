import { connect } from 'node:net';
import { type CaseContext, schedule } from '../../judge/case.ts';
import { holdsWhole } from '../../judge/extension/call.ts';
import { rules } from '../../judge/rule.ts';
import type { ScriptedAnswer, Step } from '../../judge/extension/extension.ts';
import {
  type Sent,
  always,
  attemptsOf,
  called,
  endedAttempts,
  first,
  givenUpAtOnce,
  inTurn,
  sentTo,
  sentToEach,
} from './delivery-attempts.ts';

const patienceMs = 5000;

/** Past the fourth retry. */
const seconds = 40;

/** How long an answer is held, in ms. */
const heldMs = 5000;

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

const clientErrors = [400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 451];

export const deliveryRules = rules('delivery', {
  'delivery.success.200-sent-once': {
    level: 'must',
    source: 'extensions: Events, rule 2; Calls to extensions, row ExternalEvent',
    statement: 'An event answered with 200 is delivered once and never sent again.',
    fault: 'Retry timer is not cancelled when the answer has no body.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(seconds, async (context) => {
      const [held] = await Promise.all([
        sentAndUpdated(context),
        expectSentOnce(context, [{ status: 200 }, { status: 200, json: { received: true } }]),
      ]);
      if (held !== undefined)
        context.expect(attemptsOf(held).length, 'calls when the registration is updated before the answer').toEqual(1);
    }),
  },
  'delivery.success.201-sent-once': {
    level: 'must',
    source: 'extensions: Events, rule 2; Calls to extensions, rows ExternalEvent and Email',
    statement: '201 is a success like 200: one delivery and no repeat.',
    fault: 'Only 200 counts as success, and 201 is tried again.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(seconds, async (context) => {
      await expectSentOnce(context, [{ status: 201 }, { status: 201, json: { received: true } }]);
    }),
  },
  'delivery.success.other-2xx': {
    level: 'observe',
    source: 'extensions: Events, rule 2 (only 200 and 201 named)',
    statement: '202, 204 and 206 are neither documented successes nor transient errors; the reaction is recorded.',
    fault: 'Not applicable as a failure; recorded variant: treated as a permanent failure, one attempt.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(seconds, async (context) => {
      const { clock, notes } = context;
      const statuses = [202, 204, 206];
      const sent = await sentToEach(
        context,
        statuses.map((status) => always({ status })),
      );
      await clock.pass(seconds * 1000);
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
    level: 'must',
    source: 'extensions: Errors, rule 1 (connection failure); Limits, retries',
    statement: 'An event whose connection is refused is retried and arrives once the host listens again.',
    fault: 'Connection refused counts as a permanent failure.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(72, async ({ given, triggers, clock, expect, notes }) => {
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
  },
  'delivery.transient.connection-reset': {
    level: 'must',
    source: 'extensions: Errors, rule 1 (network failure); Limits, retries',
    statement:
      'A connection that breaks before a response (reset after the request, close without a response, half of the status line) is retried.',
    fault: 'A socket closed without a response counts as delivered.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(20, async (context) => {
      // some clients send again by themselves when a connection breaks that was used before: so each event gets one of its own
      const ownListener = context.profile.all.listener?.publicUrl.includes('{port}') === true;
      const sent = await Promise.all(
        cuts.map((cut) => sentTo(context, [closingAfterMetadata, ...first(cut)], { ownListener })),
      );
      await expectOneRetry(context, sent);
    }),
  },
  'delivery.transient.server-errors': {
    level: 'must',
    source: 'extensions: Errors, rule 1 (any 5xx)',
    statement: 'Any status from 500 to 599 on an event call is transient and is retried.',
    fault: '501 counts as permanent.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(20, async (context) => {
      await expectOneRetry(
        context,
        await sentToEach(
          context,
          serverErrors.map((status) => first({ status })),
        ),
      );
    }),
  },
  'delivery.transient.request-timeout-status': {
    level: 'must',
    source: 'extensions: Errors, rule 1 (408)',
    statement: '408 on an event call is transient and is retried.',
    fault: 'All 4xx are permanent, 408 included.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(20, async (context) => {
      await expectOneRetry(context, [await sentTo(context, first({ status: 408 }))]);
    }),
  },
  'delivery.transient.no-response-in-time': {
    level: 'should',
    source:
      'extensions: Errors, rules 1 and 3 (timeout logged with waited time, not listed by name among the transient errors)',
    statement: 'A request that ran into its requestTimeout is retried like a network failure.',
    fault: 'A timeout is final.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.timeout.configured'],
    test: schedule(22, async (context) => {
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
  },
  'delivery.permanent.client-errors': {
    level: 'must',
    source: 'extensions: Errors, rule 1 (other errors are not retried)',
    statement: 'A 4xx status other than 408 ends the delivery after one attempt.',
    fault: '429 is retried.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(40, async (context) => {
      const { clock, notes, profile, given } = context;
      const sent = await sentToEach(
        context,
        clientErrors.map((status) => always({ status })),
      );
      const beside = await sentTo(context, always({ status: 500 }));
      await clock.pass(40_000);
      given.assume(attemptsOf(beside).length > 1, 'an event that is answered with 500 to be sent again meanwhile');
      for (const [index, status] of clientErrors.entries()) {
        const attempts = sent.slice(index, index + 1).flatMap(attemptsOf);
        if (status === 429)
          notes.bound('retriesTooManyRequests', 'an event answered with 429 is sent again', attempts.length > 1);
        if (status === 429 && profile.all.expect?.retriesTooManyRequests === true) continue;
        clock.expectCalls(`attempts of an event that is answered with ${status}`, attempts, 1);
      }
    }),
  },
  'delivery.permanent.after-transient': {
    level: 'must',
    source: 'extensions: Errors, rule 1',
    statement: 'A permanent error during the retries ends them.',
    fault: 'The class of the error is decided by the first attempt only.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.transient.server-errors'],
    test: schedule(28, async (context) => {
      const { clock } = context;
      const sent = await sentTo(context, inTurn({ status: 500 }, { status: 503 }, { status: 400 }));
      const attempts = await endedAttempts(sent, 3, 8000);
      clock.expectGaps(attempts, [2000, 4000]);
      await clock.pass(20_000);
      clock.expectCalls('attempts 20 s after a 400', attemptsOf(sent), 3);
    }),
  },
  'delivery.retry-forever.permanent-error-stops': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row retryForever (non-transient errors are failed and logged)',
    statement: 'retryForever concerns transient errors only: a permanent error ends the delivery.',
    fault: 'retryForever repeats permanent errors as well.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(42, async (context) => {
      const { clock } = context;
      const options = { record: { retryForever: true } };
      const atOnce = await sentTo(context, always({ status: 404 }), options);
      const later = await sentTo(context, inTurn({ status: 503 }, { status: 404 }), options);
      await clock.pass(40_000);
      clock.expectCalls('attempts of an event that is answered with 404', attemptsOf(atOnce), 1);
      clock.expectCalls('attempts of an event that is answered with 503, then with 404', attemptsOf(later), 2);
    }),
  },
});

/** Whether nobody accepts a connection at the address of the URL. */
export function isRefused(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname, port: port === '' ? usualPort : Number(port), timeout: patienceMs });
  socket.once('connect', () => resolve(false));
  socket.once('timeout', () => resolve(false));
  socket.once('error', () => resolve(true));
  return promise.finally(() => socket.destroy());
}

/** An event whose registration is updated while its call is held; undefined where registrations cannot be updated. */
async function sentAndUpdated(context: CaseContext): Promise<Sent | undefined> {
  const { clock, given, profile, registrations } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const sent = await sentTo(context, always({ status: 200, delayMs: heldMs }));
  await sent.extension.call({ about: sent.event });
  const reply = await registrations.update(given.present(sent.extension.registration, 'a registration'), {
    tokenLifeTime: 61,
  });
  given.succeeded(reply, 'the registration is updated');
  await clock.pass(heldMs);
  return sent;
}

/** Events, and a task and a mail where the profile has triggers for them, are sent once when they are answered so. */
async function expectSentOnce(context: CaseContext, steps: readonly Step[]): Promise<void> {
  const { clock, trace } = context;
  const [plain = always()] = steps.map(always);
  const sent = await sentToEach(context, steps.map(always));
  const others = [await called(context, 'ExternalTask', plain), await called(context, 'Email', plain)];
  for (const { extension, event } of sent) await extension.call({ about: event });
  for (const other of others) await other?.call({ about: other.about });
  await clock.pass(seconds * 1000);
  const markers = [...sent.map(({ event }) => event), ...others.map((other) => other?.about)].map(
    (triggered) => triggered?.marker,
  );
  const calls = await trace();
  for (const marker of markers.filter((text) => text !== undefined))
    clock.expectCalls(
      `calls with ${marker} in ${seconds} s`,
      calls.filter(({ text }) => holdsWhole(text, marker)),
      1,
    );
}

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
