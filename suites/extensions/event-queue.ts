import { request } from 'undici';
import type { Profile } from '../../contract/profile.ts';
import { type CaseContext, schedule } from '../../judge/case.ts';
import { type Call, holdsWhole } from '../../judge/extension/call.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import { absoluteUrl } from '../../judge/requests.ts';
import { rules } from '../../judge/rule.ts';
import { PreconditionFailed } from '../../judge/violation.ts';
import {
  always,
  atOnceMs,
  attemptsOf,
  endedAttempts,
  failing,
  failingForEver,
  first,
  inTurn,
  passSilence,
  queuedGapsMs,
  sentTo,
  tellSeen,
} from './delivery-attempts.ts';
import { limitedTo, minuteMs } from './timeouts-and-rates.ts';

/** Past any retry that was armed, and past the pause. */
const afterMs = 70_000;

/** The log says what became of a delivery within it, in ms. */
const afterMsOfLog = 6000;

/** Past the third attempt, before the fourth. */
const thirdWithinMs = 8000;

/** How long what comes after the restart is waited for. */
const afterMsOfRestart = 120_000;

const redirects = [301, 302, 307, 308];

export const queueRules = rules('delivery', {
  'delivery.redirect.followed': {
    level: 'observe',
    source: 'extensions: Errors, rule 1 (3xx not named)',
    statement: 'The reaction to 301, 302, 307 and 308 is not documented.',
    fault: 'Not applicable as a failure; recorded variant: not followed, permanent failure.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(12, async (context) => {
      const { given, triggers, clock, notes } = context;
      for (const status of redirects) {
        const extension = await given.extension();
        extension.setScript(always({ status, headers: { Location: `${extension.url}/elsewhere` } }));
        const event = await triggers.event(extension);
        await extension.call({ about: event });
        await clock.pass(2500);
        const followed = extension.everything().find(({ path }) => path === '/elsewhere');
        notes.observe(`attempts after ${status}`, extension.calls({ about: event }).length);
        notes.observe(`request that follows a ${status}`, followed === undefined ? 'none' : storyOf(followed));
      }
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
        answers.map((step) => given.extension({ types: ['ExternalAction'], script: always(step) })),
      );
      const outcomes = extensions.map((extension) => clock.through(() => actOn(context, extension)));
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
      const unavailable = await sentTo(context, first({ status: 503, headers: { 'Retry-After': '7' } }));
      const tooMany = await sentTo(context, first({ status: 429, headers: { 'Retry-After': '1' } }));
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
    test: schedule(16, async (context) => {
      const { clock, notes } = context;
      const slow = { status: 503, delayMs: 1500 };
      const attempts = await endedAttempts(await sentTo(context, first(slow, slow)), 3, 14_000);
      tellSeen(context, 'attempts answered after 1.5 s', attempts);
      const fromEnd = clock.gaps(attempts);
      const fromStart = attempts.slice(1).map(({ arrivedAt }, index) => arrivedAt - (attempts[index]?.arrivedAt ?? 0));
      notes.observe('gaps from the end of an attempt, in s', secondsOf(fromEnd));
      notes.observe('gaps from the start of an attempt, in s', secondsOf(fromStart));
      if (isAbout(fromEnd[0], 2000)) notes.bound('gapClock', 'what a gap counts from', 'end');
      else if (isAbout(fromStart[0], 2000)) notes.bound('gapClock', 'what a gap counts from', 'start');
    }),
  },
  'delivery.rate.pause-start': {
    level: 'observe',
    source: 'extensions: Limits, rate limit (start of the minute not defined)',
    statement:
      'Whether the pause starts at the first execution, at the last allowed one or at the first excess request is not said.',
    fault: 'Not applicable as a failure; recorded variant: pause starts at the excess request.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(125, async (context) => {
      const { triggers, clock, notes } = context;
      const extension = await limitedTo(context, 3);
      const since = clock.now();
      for (let count = 0; count < 3; count += 1) {
        await triggers.event(extension);
        await clock.pass(10_000);
      }
      const excess = await triggers.event(extension);
      const call = await extension.arrived({ about: excess }, { withinMs: minuteMs + 5000 });
      const afterMs = (call?.arrivedAt ?? Infinity) - since;
      tellSeen(context, 'calls with a limit of 3, a fourth event after 30 s', extension.calls());
      notes.observe('arrival of the excess event, in s from the first', Math.round(afterMs / 1000));
      const [start] = (['first', 'last', 'excess'] as const).filter((_, index) =>
        isAbout(afterMs, [60_000, 80_000, 90_000][index] ?? 0, 4000),
      );
      if (start !== undefined) notes.bound('ratePauseStart', 'what starts the pause', start);
      const next = await Promise.all([1, 2, 3].map(() => triggers.event(extension)));
      await clock.pass(2000);
      notes.observe(
        'of three events right after it so many come at once',
        next.filter((event) => extension.calls({ about: event }).length > 0).length,
      );
    }),
  },
  'delivery.rate.retries-counted': {
    level: 'observe',
    source: 'extensions: Limits, retries and rate limit (interplay silent)',
    statement: 'Whether a retry counts as an execution, and whether a pause shifts a due retry, is not said.',
    fault: 'Not applicable as a failure; recorded variant: retries count.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(135, async (context) => {
      const { clock, notes, given, triggers } = context;
      const limited = await sentTo(context, failing(4), { record: { rateLimitNumberOfExecutions: 2 } });
      const byDefault = await sentTo(context, failingForEver, { record: { rateLimitNumberOfExecutions: undefined } });
      const thing = await given.object();
      const asked = await validator(context, [thing]);
      const outcome = asked && clock.through(() => triggers.validation(thing));
      outcome?.catch(() => undefined);
      await clock.pass(130_000);
      tellSeen(context, 'attempts with a limit of 2', attemptsOf(limited));
      tellSeen(context, 'attempts with the default limit', attemptsOf(byDefault));
      if (asked !== undefined) tellSeen(context, 'attempts of a validation with a limit of 1', asked.calls());
      notes.observe('attempts with a limit of 2, in s', secondsOf(startsOf(attemptsOf(limited))));
      notes.observe('attempts with the default limit, in s', secondsOf(startsOf(attemptsOf(byDefault))));
      if (asked !== undefined)
        notes.observe('attempts of a validation with a limit of 1, in s', secondsOf(startsOf(asked.calls())));
      const [, , third] = startsOf(attemptsOf(limited));
      if (third !== undefined) notes.bound('rateCountsRetries', 'a retry counts as an execution', third > minuteMs / 2);
    }),
  },
  'delivery.queue.order': {
    level: 'observe',
    source: 'extensions: Limits, rate limit; Events (order silent)',
    statement:
      'The order of queued events, and whether an event that waits for a retry holds back later ones of the same endpoint, is not said.',
    fault: 'Not applicable as a failure; recorded variant: first in, first out without blocking.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(25, async (context) => {
      const { given, triggers, notes } = context;
      const slow = await given.extension({ script: always({ status: 200, delayMs: 300 }) });
      const events: Triggered[] = [];
      for (let count = 0; count < 10; count += 1) events.push(await triggers.event(slow));
      const calls = await slow.ended(events.length, {}, { withinMs: 10_000 });
      const order = calls.map(({ text }) => events.findIndex(({ marker }) => holdsWhole(text, marker)) + 1);
      notes.observe('order in which ten events arrive', order.join(', '));
      notes.observe('most calls in flight at once', mostAtOnce(calls));
      const extension = await given.extension({ script: inTurn({ status: 503 }, { status: 200 }) });
      await extension.call({ about: await triggers.event(extension) });
      const healthy = await triggers.event(extension);
      const call = await extension.arrived({ about: healthy }, { withinMs: 10_000 });
      notes.observe(
        'an event that waits for its retry holds back the next',
        (call?.arrivedAt ?? Infinity) > (extension.calls()[0]?.endedAt ?? 0) + 1500,
      );
    }),
  },
  'delivery.queue.failing-host-isolated': {
    level: 'should',
    source: 'extensions: Errors, rule 1 (policy per endpoint); Limits',
    statement: 'A host that fails or hangs does not hold up deliveries to another host.',
    fault: 'Calls with a timeout of 20 s are made one after another.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(16, async (context) => {
      const { given, triggers, clock, expect } = context;
      const record = { requestTimeout: 20 };
      const hanging = await given.extension({ script: always({ never: true }), record });
      const healthy = await given.extension({ script: always(), record });
      for (let count = 1; count <= 3; count += 1) {
        await triggers.event(hanging);
        await hanging.call();
        const event = await triggers.event(healthy);
        const call = await healthy.arrived({ about: event }, { withinMs: atOnceMs });
        expect(call?.arrivedAt, `arrival of event ${count} for a healthy host, while another one hangs`).toBePresent();
        await clock.pass(2000);
      }
    }),
  },
  'delivery.queue.delete-cancels': {
    level: 'must',
    source: 'extensions: Events, rule 3 (cancelled by a user)',
    statement: 'An event that a user deletes while it waits for a retry or in a rate pause is not sent any more.',
    fault: 'Deletion hides the event and the retry timer stays armed.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'event-delete'],
    after: ['delivery.event.retry-gaps'],
    test: schedule(86, async (context) => {
      await Promise.all([expectRetryCancelled(context), expectPausedCancelled(context)]);
    }),
  },
  'delivery.queue.restart': {
    level: 'observe',
    source: 'extensions: Events (persistence silent)',
    statement: 'Whether queued events survive a restart of the service, and at which retry they continue, is not said.',
    fault: 'Not applicable as a failure; recorded variant: queue in memory is lost.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'restart-control'],
    test: schedule(130, async (context) => {
      const { given, triggers, clock, notes, profile } = context;
      const retried = await sentTo(context, failing(3));
      const limited = await limitedTo(context, 1);
      await limited.call({ about: await triggers.event(limited) });
      const paused = await triggers.event(limited);
      const [, , third] = await endedAttempts(retried, 3, thirdWithinMs);
      given.assume(third?.endedAt !== undefined, 'three attempts of an event');
      given.assume(limited.calls({ about: paused }).length === 0, 'a pause after one execution');
      await restarted(profile.all);
      await clock.pass(afterMsOfRestart);
      tellSeen(context, 'attempts of an event, with a restart after the third', attemptsOf(retried));
      const [fourth, ...later] = attemptsOf(retried).slice(3);
      notes.observe(
        'attempts after the restart, of an event that waited for its fourth',
        attemptsOf(retried).length - 3,
      );
      notes.observe('it goes on with the gap of its fourth attempt', isDue(fourth?.arrivedAt, third?.endedAt));
      notes.observe('it is sent again after an acknowledgement', later.length > 0);
      notes.observe(
        'calls after the restart, of an event that waited for the end of a pause',
        limited.calls({ about: paused }).length,
      );
    }),
  },
  'delivery.log.entries': {
    level: 'observe',
    source: 'extensions: Errors, rule 3; Events, rule 3',
    statement:
      'Five kinds of entries are documented (rate limit exceeded; transient error with its wait and its place in the retry count, which may be endless; timeout with its length; queue removal; user cancellation), without a way to read them.',
    fault: 'Not applicable as a failure; recorded variant: no entry on cancellation.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(10, async (context) => {
      const { clock, notes, triggers } = context;
      const events = await documentedEvents(context);
      await clock.pass(afterMsOfLog);
      const log = await triggers.log();
      if (log === undefined) notes.observe('route of the log', 'none named in the profile');
      else {
        notes.observe('status of the log', log.status, log);
        for (const [name, event] of Object.entries(events))
          notes.observe(`entries about ${name}`, told(log.json, event), log);
      }
    }),
  },
});

/** Of two events that wait for their second retry one is deleted. */
async function expectRetryCancelled({ given, triggers, clock, expect }: CaseContext): Promise<void> {
  const failingTwice = first({ status: 503 }, { status: 503 });
  const [extension, beside] = await Promise.all([
    given.extension({ script: failingTwice }),
    given.extension({ script: failingTwice }),
  ]);
  const [event, untouched] = await Promise.all([triggers.event(extension), triggers.event(beside)]);
  given.assume(
    (await extension.ended(2, { about: event }, { withinMs: 4000, oneByOne: true })).length === 2,
    'two attempts',
  );
  given.succeeded(await triggers.deleteEvent(event), 'to delete an event');
  await clock.pass(afterMs);
  expect(
    extension.calls({ about: event }).length,
    `attempts ${afterMs / 1000} s after the deletion, which came after the second`,
  ).toEqual(2);
  given.assume(beside.calls({ about: untouched }).length === 3, 'three attempts of an event that is not deleted');
}

/** Of three events that wait for the end of a pause the second is deleted. */
async function expectPausedCancelled(context: CaseContext): Promise<void> {
  const { given, triggers, clock, expect } = context;
  const extension = await limitedTo(context, 2);
  for (const _passed of [1, 2]) await extension.call({ about: await triggers.event(extension) });
  const before = await triggers.event(extension);
  const deleted = await triggers.event(extension);
  const behind = await triggers.event(extension);
  await clock.pass(atOnceMs);
  given.assume(extension.calls().length === 2, 'a pause after two executions');
  given.succeeded(await triggers.deleteEvent(deleted), 'to delete an event');
  await passSilence(context, minuteMs + 10_000);
  expect(extension.calls({ about: deleted }).length, 'calls of an event that was deleted in the pause').toEqual(0);
  for (const untouched of [before, behind])
    given.assume(extension.calls({ about: untouched }).length === 1, 'the call of an event that is not deleted');
}

/** One event for each kind of entry. Source: extensions, Errors 3; Events 3 */
async function documentedEvents(context: CaseContext): Promise<Readonly<Record<string, Triggered>>> {
  const { triggers, profile } = context;
  const limited = await limitedTo(context, 1);
  await limited.call({ about: await triggers.event(limited) });
  const excess = await triggers.event(limited);
  const transient = await sentTo(context, first({ status: 503 }));
  const endless = await sentTo(context, first({ status: 503 }), { record: { retryForever: true } });
  const timeout = await sentTo(context, always({ never: true }), { record: { requestTimeout: 1 } });
  const removed = await sentTo(context, always({ status: 404 }));
  const cancelled = await triggers.event(limited);
  if (profile.all.routes?.eventDelete !== undefined) await triggers.deleteEvent(cancelled);
  return {
    'an event beyond the rate limit': excess,
    'a transient error': transient.event,
    'a transient error that is retried for ever': endless.event,
    'a timeout': timeout.event,
    'an event that fails for good': removed.event,
    'an event that a user deletes': cancelled,
  };
}

/** The entries in which the id of the event stands, as their kinds where they name one. */
function told(log: unknown, { id, marker }: Triggered): string {
  const entries = entriesIn(log).filter((entry) =>
    [id, marker].some((text) => text !== undefined && holdsWhole(JSON.stringify(entry), text)),
  );
  if (entries.length === 0) return 'none';
  return entries.map((entry) => String(Reflect.get(Object(entry), 'kind') ?? 'of no kind')).join(', ');
}

/** A list, at the root or in one of the members. */
function entriesIn(log: unknown): readonly unknown[] {
  if (Array.isArray(log)) return log;
  return Object.values(Object(log)).find((value) => Array.isArray(value)) ?? [];
}

/** Resolves when the service is back. */
async function restarted(profile: Profile): Promise<void> {
  const { url, token } = profile.restart ?? {};
  if (url === undefined) throw new PreconditionFailed('restart in the profile');
  const address = absoluteUrl(profile, url);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(address, { method: 'POST', headers, reset: true });
  await body.dump();
  if (statusCode >= 300)
    throw new PreconditionFailed(`a restart by ${address}, which answered ${statusCode}; check restart in the profile`);
}

/** Late by what a restart may take of the delay. */
function isDue(arrivedAt = Number.NaN, endedAt = Number.NaN): boolean {
  const [, , gapMs] = queuedGapsMs;
  return Math.abs(arrivedAt - endedAt - gapMs) <= gapMs / 4;
}

function actOn({ triggers, profile }: CaseContext, extension: Extension): Promise<Triggered> {
  if (profile.all.triggers?.actionRibbon !== undefined) return triggers.actionRibbon(extension);
  return triggers.actionForm(extension, { requestedRoute: '/', httpVerb: 'POST', payload: {} });
}

/** An extension that may be asked once a minute and never answers rightly; undefined where nothing asks it. */
async function validator(
  { given, profile }: CaseContext,
  concerns: Parameters<Extension['concern']>,
): Promise<Extension | undefined> {
  const { triggers, routes } = profile.all;
  if (triggers?.validation === undefined || routes?.registrationDelete === undefined) return undefined;
  return given.extension({
    types: ['ExternalValidation'],
    concerns,
    record: { rateLimitNumberOfExecutions: 1 },
    script: failingForEver,
  });
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

function startsOf(calls: readonly Call[]): readonly number[] {
  return calls.map(({ arrivedAt }) => arrivedAt - (calls[0]?.arrivedAt ?? 0));
}

function secondsOf(times: readonly number[]): string {
  return times.length === 0 ? 'none' : times.map((ms) => (ms / 1000).toFixed(1)).join(', ');
}

function isAbout(ms: number | undefined, expectedMs: number, toleranceMs = 400): boolean {
  return ms !== undefined && Math.abs(ms - expectedMs) <= toleranceMs;
}

function mostAtOnce(calls: readonly Call[]): number {
  const open = (at: number): number =>
    calls.filter(({ arrivedAt, endedAt = Infinity }) => arrivedAt <= at && at < endedAt).length;
  return Math.max(0, ...calls.map(({ arrivedAt }) => open(arrivedAt)));
}
