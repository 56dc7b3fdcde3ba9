import { type CaseContext, schedule } from '../../judge/case.ts';
import { type Changes, isSuccess } from '../../judge/exchange.ts';
import type { Call } from '../../judge/extension/call.ts';
import { type Extension, type Reached, jsonHeader } from '../../judge/extension/extension.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import type { Clock } from '../../judge/time/clock.ts';
import type { Due } from '../../judge/time/timeline.ts';
import {
  answerAlways,
  answerFirst,
  atOnceMs,
  attemptsOf,
  extensionLimitedTo,
  failFirst,
  failingForEver,
  isAbout,
  minuteMs,
  secondsOf,
  sendTo,
  startsOf,
  tellSeen,
} from './checks/delivery-attempts.ts';
import { eventRecord } from './checks/extension-hosts.ts';
import { deleteBehindLimit, holdBackBesides } from './checks/held-back.ts';
import { type QueuedKind, queueBesideEvents, takesTasks } from './checks/queued-calls.ts';
import { hasPlaceFor, urlInSecondSpace } from './checks/triggered-calls.ts';
import { expectNewLimitOfEndpoints } from './checks/endpoint-settings.ts';
import { expectLimitLeftOut, expectNewLimit, watchedMs } from './checks/updated-records.ts';
import { type EventsOfTwo, expectHeldForTheirUsers } from './checks/use-of-tokens.ts';
import { unlessRefused } from '../../judge/violation.ts';

/** How late the first call after a pause may come. */
const lateMs = 3000;

/** More than one a second for a minute. */
const manyEvents = 61;

/** One pause and what may be late. */
const pauseMs = minuteMs + lateMs + atOnceMs;

/** Into a minute of the clock, in ms: where time is moved most begins as one does. */
const intoMinuteMs = 37_000;

/** Past the first retry, in ms. */
const pastRetryMs = 2500;

/** Triggers sent at once, and where their calls arrive. */
interface Burst {
  readonly reached: Reached;
  readonly events: readonly Triggered[];
  /** Before the first and after the last trigger, in ms of the clock. */
  readonly since: number;
  readonly until: number;
}

export const rateRules = rules('delivery', {
  'delivery.rate.default-five': {
    source: 'extensions: Limits, rate limit; Extension metadata record, row rateLimitNumberOfExecutions',
    statement:
      "Without a configured limit five executions go through within a minute, be it of events, tasks, mails or an endpoint; the sixth waits until the endpoint's pause of one minute is over.",
    fault: 'Default limit is 10.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(pauseMs / 1000, async (context) => {
      const extension = await extensionLimitedTo(context, undefined);
      const burst = await sendBurst(context, extension, 7);
      const others = await sendBurstOfEach(context, undefined, 7);
      await Promise.all([burst, ...others].map((one) => expectHeldBack(context, one, 5)));
    }),
  },
  'delivery.rate.configured': {
    source: 'extensions: Extension metadata record, row rateLimitNumberOfExecutions; Call envelope, row accessToken',
    statement:
      'rateLimitNumberOfExecutions n of a record of events, tasks or mail, as the last update brought it, lets n executions through before the pause of a minute, which what comes during it makes no longer, more than one a second too, also where it is retried for ever, and whatever spaces and users its events come from, and those it holds back have a token of whoever set them off; a trigger that is refused is no execution; an update that states none leads back to five.',
    fault: 'A configured limit above 5 is cut down to 5.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule((2 * (pauseMs + pastRetryMs)) / 1000, async (context) => {
      const { given } = context;
      await expectInactiveNotCounted(context, 2);
      // the last one is beyond what a limit is usually
      const limits = [1, 8, 30];
      const limited = await Promise.all(limits.map((limit) => extensionLimitedTo(context, limit)));
      const bursts = await Promise.all(
        limited.map((extension, index) => sendBurst(context, extension, (limits[index] ?? 0) + 2)),
      );
      const endless = await given.extension({
        record: { rateLimitNumberOfExecutions: 2, retryForever: true },
        script: answerAlways(),
      });
      const others = await sendBurstOfEach(context, 2, 4, ['simple endpoint', 'trusted endpoint']);
      const asTwo = [await sendBurst(context, endless, 4), ...others];
      if (hasPlaceFor(context, 'event', 'recordId')) asTwo.push(await sendBurstBesideOther(context, 2));
      await Promise.all([
        ...bursts.map((one, index) => expectHeldBack(context, one, limits[index] ?? 0)),
        ...limited.slice(0, 1).map((extension) => sendDuringPause(context, extension)),
        ...asTwo.map((one) => expectHeldBack(context, one, 2)),
        expectHeldBackWithRetry(context, 3),
        expectHeldBackWithinMinute(context, 2),
        expectNewLimit(context),
        expectLimitLeftOut(context),
        expectOneLimitForAll(context, 2),
        expectRefusedNotCounted(context, 2),
        expectNoPauseBelow(context, 100, manyEvents),
      ]);
    }),
  },
  'delivery.rate.endpoint-registrations': {
    source: 'extensions: Registered external endpoint, row rateLimitNumberOfExecutions',
    statement:
      'The limit of a simple or trusted endpoint registration, as the last update brought it, is honoured in the same way, and calls that it holds back have the configured headers like any.',
    fault: 'Rate limiting exists for extensions only.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: schedule((2 * pauseMs) / 1000 + 10, async (context) => {
      const { given, triggers, expect } = context;
      const registration = { rateLimitNumberOfExecutions: 2 };
      const own = { name: 'X-Own', value: given.unique('own') };
      const kinds = [
        { trusted: false, registration },
        { trusted: true, registration },
        { trusted: true, registration: { ...registration, retryForever: true } },
      ];
      const endpoints = await Promise.all(
        kinds.map((kind) => given.endpoint({ ...kind, headers: [jsonHeader, own], script: answerAlways() })),
      );
      const bursts = await Promise.all(
        endpoints.map((endpoint) => sendBurstTo(context, endpoint, 4, () => triggers.endpoint(endpoint))),
      );
      await Promise.all([...bursts.map((one) => expectHeldBack(context, one, 2)), expectNewLimitOfEndpoints(context)]);
      for (const call of endpoints.flatMap((endpoint) => endpoint.calls()))
        expect(call.header(own.name), `${own.name} of a call, held back or not`).toEqual([own.value]);
    }),
  },
  'delivery.rate.drains-in-windows': {
    source: 'extensions: Limits, rate limit; Registered external endpoint, row rateLimitNumberOfExecutions',
    statement:
      'The queued excess is delivered n at a time, each group after a further pause, until the queue is empty.',
    fault: 'After the first pause the whole queue is flushed at once.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.rate.configured'],
    test: schedule((2 * pauseMs) / 1000, async (context) => {
      const { clock } = context;
      const sent = await sendBurst(context, await extensionLimitedTo(context, 3), 8);
      await expectHeldBack(context, sent, 3);
      const calls = await sent.reached.ended(8, {}, { withinMs: minuteMs + lateMs + lateOfMs(clock, 4) });
      clock.expectCame('8 calls after two pauses', calls[7]?.arrivedAt);
      const [, , , fourth, fifth, sixth, seventh] = calls.map(({ arrivedAt }) => arrivedAt);
      const [due = 0, dueLast = 0] = [fourth, sent.since + 2 * minuteMs];
      const latest = (sixth ?? 0) + minuteMs + lateMs;
      tellGroups(clock, sent, [
        { label: 'the first group', from: sent.since, until: sent.since + lateOfMs(clock, 3), calls: 3 },
        {
          label: 'the second group, one right after the other',
          from: sent.since + minuteMs,
          until: due + lateOfMs(clock, 2),
          calls: 3,
        },
        {
          label: 'the third group, after a further pause',
          from: dueLast,
          until: latest + clock.granularityMs,
          calls: 2,
        },
      ]);
      for (const at of [fifth, sixth])
        clock.expectDue('the second group, one right after the other', at ?? 0, due, {
          lateMs: lateOfMs(clock, 2),
          isTold: true,
        });
      clock.expectDue('the third group, after a further pause', seventh ?? 0, dueLast, {
        lateMs: latest - dueLast,
        isTold: true,
        mayEndMinute: true,
      });
    }),
  },
  'delivery.rate.none-lost-none-doubled': {
    source: 'extensions: Limits, rate limit (queued); Events, rule 2',
    statement:
      'Each event of a burst beyond the limit is delivered exactly once, also where more of them wait than two pauses let out, and so is each task, mail and call of an endpoint; what fails when its pause is over is tried again.',
    fault: 'The first event that meets a full window is dropped.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.rate.drains-in-windows'],
    test: schedule((3 * pauseMs) / 1000 + 15, async (context) => {
      const { clock } = context;
      await expectCountedForMinute(context, 2);
      const expectOthersCome = await holdBackBesides(context);
      const { reached, events } = await sendBurst(context, await extensionLimitedTo(context, 3), 12);
      const others = await sendBurstOfEach(context, 2, 4);
      await reached.ended(events.length, {}, { withinMs: 3 * (pauseMs + clock.granularityMs) });
      await clock.pass(10_000);
      for (const event of events) clock.expectCalls(`calls with ${event.marker}`, reached.calls({ about: event }), 1);
      clock.expectCalls('calls in all', reached.calls(), events.length);
      for (const { kind, reached, events } of others)
        clock.expectCalls(`calls of a burst of each ${kind}`, reached.calls(), events.length);
      await expectOthersCome();
    }),
  },
  'delivery.rate.below-limit-not-delayed': {
    source: 'extensions: Limits, rate limit',
    statement: 'Traffic that stays below the limit is never held back, also behind events that were deleted.',
    fault: 'Executions are never forgotten, the sixth ever made is delayed.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(96, async (context) => {
      const { clock, triggers } = context;
      const expectRoom = await deleteBehindLimit(context);
      const extension = await extensionLimitedTo(context, undefined);
      const zero = { at: clock.now(), label: 'the first trigger' };
      const due: Due[] = [];
      for (let count = 1; count <= 6; count += 1) {
        due.push({ label: `event ${count}`, from: clock.now(), until: clock.now() + atOnceMs + clock.granularityMs });
        const event = await triggers.event(extension);
        const call = await extension.arrived({ about: event }, { withinMs: atOnceMs });
        clock.tell({ title: 'events below the limit', zero, due, calls: extension.calls(), name: 'call' });
        clock.expectCame(`arrival of event ${count} within ${atOnceMs / 1000} s of its trigger`, call?.arrivedAt);
        await clock.pass(16_000);
      }
      await expectRoom();
    }),
  },
  'delivery.rate.per-endpoint': {
    source: 'extensions: Limits, rate limit (each endpoint)',
    statement:
      'A pause holds back the endpoint whose limit was reached and no other host, nor another endpoint that was registered with the same address; whether it holds back another record of the same host is recorded.',
    fault: 'One counter for all endpoints with a limit of four.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.rate.configured'],
    test: schedule(20, async (context) => {
      const { clock, given, notes, triggers } = context;
      await expectLimitForEach(context);
      const record = { rateLimitNumberOfExecutions: 4 };
      const busy = await given.extension({ types: ['ExternalEvent', 'ExternalEvent'], record, script: answerAlways() });
      const other = await given.extension({ record, script: answerAlways() });
      const [recordId, besideId] = busy.records.map(({ id }) => id);
      const { reached, since } = await sendBurstTo(context, busy, 6, () =>
        triggers.event(busy, undefined, { recordId: recordId ?? '' }),
      );
      await reached.ended(4, {}, { withinMs: lateOfMs(clock, 4) });
      const { length } = reached.calls();
      given.assume(length === 4, `a pause after four executions, and not ${length}`);
      const beside = await triggers.event(busy, undefined, { recordId: besideId ?? '' });
      const elsewhere = await triggers.event(other);
      const arrived = await other.arrived({ about: elsewhere }, { withinMs: atOnceMs });
      clock.expectCame('arrival of an event for another host during the pause', arrived?.arrivedAt);
      const alone = await clock.at(clock.now(), () => busy.arrived({ about: beside }, { withinMs: atOnceMs }), {
        until: since + minuteMs,
        what: 'the pause is over',
        isRight: (call) => call === undefined,
      });
      notes.bound('rateScope', 'what a pause holds back', alone === undefined ? 'host' : 'record');
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
      const extension = await extensionLimitedTo(context, 3);
      for (let count = 0; count < 3; count += 1) {
        await triggers.event(extension);
        await clock.pass(10_000);
      }
      const excess = await triggers.event(extension);
      const call = await extension.arrived({ about: excess }, { withinMs: minuteMs + 5000 });
      const [first, , last] = extension.calls();
      const begun = { first: first?.arrivedAt, last: last?.arrivedAt, excess: excess.sentAt };
      const afterMs = (from: number | undefined): number => (call?.arrivedAt ?? Infinity) - (from ?? Number.NaN);
      tellSeen(context, 'calls with a limit of 3, a fourth event after 30 s', extension.calls());
      notes.observe('arrival of the excess event, in s from the first', Math.round(afterMs(begun.first) / 1000));
      const starts = (['first', 'last', 'excess'] as const).filter((name) =>
        isAbout(afterMs(begun[name]), minuteMs, 4000),
      );
      const [start] = starts;
      if (start !== undefined && starts.length === 1) notes.bound('ratePauseStart', 'what starts the pause', start);
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
    test: schedule(135, countRetries, { isAlone: true }),
  },
});

/** Tells when attempts come whose retries are more than the limit. */
async function countRetries(context: CaseContext): Promise<void> {
  const { clock, notes, given, triggers } = context;
  const limited = await sendTo(context, failFirst(4), { record: { rateLimitNumberOfExecutions: 2 } });
  const byDefault = await sendTo(context, failingForEver, { record: { rateLimitNumberOfExecutions: undefined } });
  const thing = await given.object();
  const asked = await limitedValidator(context, [thing]);
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
}

/** How late the last of so many calls may come that are made one after the other, in ms. */
function lateOfMs({ granularityMs }: Clock, count: number): number {
  return count * (atOnceMs + granularityMs);
}

/** The first `limit` calls come right away, the next one after the pause of a minute, from whichever execution or excess it counts. */
async function expectHeldBack({ clock }: CaseContext, burst: Burst, limit: number): Promise<void> {
  const { reached, since, until } = burst;
  const promptMs = lateOfMs(clock, limit);
  const prompt = await reached.ended(limit, {}, { withinMs: promptMs });
  const atOnce = { label: 'right away', from: since, until: since + promptMs, calls: limit };
  tellGroups(clock, burst, [atOnce]);
  clock.expectCame(`${limit} calls that arrive within ${promptMs / 1000} s`, prompt[limit - 1]?.arrivedAt, {
    among: prompt,
  });
  const next: Call | undefined = (await reached.ended(limit + 1, {}, { withinMs: pauseMs }))[limit];
  const lastAt = Math.max(until, prompt.at(-1)?.arrivedAt ?? 0);
  const later = {
    label: 'after a pause of a minute',
    from: since + minuteMs,
    until: lastAt + minuteMs + lateMs + clock.granularityMs,
    calls: Math.max(1, reached.calls().length - limit),
  };
  tellGroups(clock, burst, [atOnce, later]);
  clock.expectCame(`arrival of call ${limit + 1} after a pause of a minute`, next?.arrivedAt, { among: prompt });
  clock.expectDue(`call ${limit + 1}, after a pause of a minute`, next?.arrivedAt ?? 0, since + minuteMs, {
    lateMs: lastAt - since + lateMs,
    isTold: true,
    mayEndMinute: true,
    among: prompt,
  });
}

/** Calls that are due in groups, counted from the first trigger. */
function tellGroups(clock: Clock, { reached, since }: Burst, due: readonly Due[]): void {
  clock.tell({
    title: 'calls in groups',
    zero: { at: since, label: 'the first trigger' },
    due,
    calls: reached.calls(),
    name: 'call',
  });
}

/** One more in the middle of the pause: the calls that it holds back are due when they were. */
async function sendDuringPause({ clock, triggers }: CaseContext, extension: Extension): Promise<void> {
  await clock.pass(minuteMs / 2);
  await triggers.event(extension);
}

/** However long so many take, no pause is among them. */
async function expectNoPauseBelow(context: CaseContext, limit: number, count: number): Promise<void> {
  const { clock, expect } = context;
  const burst = await sendBurst(context, await extensionLimitedTo(context, limit), count);
  const calls = await burst.reached.ended(count, {}, { withinMs: lateOfMs(clock, count) });
  clock.expectCame(`${count} calls at a limit of ${limit}`, calls[count - 1]?.arrivedAt);
  const gaps = calls.map(({ arrivedAt }, index) => arrivedAt - (calls[index - 1]?.arrivedAt ?? burst.since));
  expect(Math.max(...gaps), `longest time without one of ${count} calls at a limit of ${limit}, in ms`).toSatisfy(
    'less than a pause',
    (longest) => longest < minuteMs - lateMs,
  );
}

function sendBurst(context: CaseContext, extension: Extension, count: number): Promise<Burst> {
  return sendBurstTo(context, extension, count, () => context.triggers.event(extension));
}

async function sendBurstTo(
  { clock }: CaseContext,
  reached: Reached,
  count: number,
  trigger: () => Promise<Triggered>,
): Promise<Burst> {
  const since = clock.now();
  const events = await Promise.all(Array.from({ length: count }, trigger));
  return { reached, events, since, until: clock.now() };
}

/** As many calls at once of each kind but an event. */
async function sendBurstOfEach(
  context: CaseContext,
  limit: number | undefined,
  count: number,
  except: readonly QueuedKind[] = [],
): Promise<readonly (Burst & { readonly kind: QueuedKind })[]> {
  const settings = { rateLimitNumberOfExecutions: limit };
  const takes = await takesTasks(context, count, {
    script: answerAlways(),
    withinMs: lateOfMs(context.clock, count),
  });
  const skipped: readonly QueuedKind[] = takes ? except : [...except, 'task'];
  const queued = await queueBesideEvents(context, answerAlways(), { settings, except: skipped });
  return Promise.all(
    queued.map(async ({ kind, reached, about, since, trigger }) => {
      const more = await Promise.all(Array.from({ length: count - 1 }, trigger));
      return { kind, reached, events: [about, ...more], since, until: context.clock.now() };
    }),
  );
}

/** Two endpoints with one address have a limit each; they are told apart by their methods. */
async function expectLimitForEach(context: CaseContext): Promise<void> {
  const { given, triggers, clock, profile, notes } = context;
  if (profile.all.triggers?.endpoint === undefined) return;
  const registration = { rateLimitNumberOfExecutions: 2 };
  const busy = await given.endpoint({ registration, script: answerAlways() });
  const other = await unlessRefused(() =>
    given.endpoint({ method: 'PUT', registration: { ...registration, url: busy.url } }),
  );
  if (other === undefined) return notes.observe('a second endpoint with the same address', 'is not taken');
  await sendBurstTo(context, busy, 3, () => triggers.endpoint(busy));
  const { length } = await busy.ended(2, { method: 'POST' }, { withinMs: lateOfMs(clock, 2) });
  // one registration may have taken the place of the other
  if (length < 2) return notes.observe('two endpoints with one address', 'are not called side by side');
  await triggers.endpoint(other);
  const arrived = await busy.arrived({ method: 'PUT' }, { withinMs: atOnceMs });
  clock.expectCame('arrival of a call of another endpoint with the same address during the pause', arrived?.arrivedAt);
}

/** A burst for the second record of a host, whose first has a higher limit. */
async function sendBurstBesideOther(context: CaseContext, limit: number): Promise<Burst> {
  const { given, triggers } = context;
  const records = [100, limit].map((rateLimitNumberOfExecutions) => ({
    ...eventRecord(context),
    rateLimitNumberOfExecutions,
  }));
  const host = await given.extension({ records, script: answerAlways() });
  return sendBurstTo(context, host, limit + 2, () =>
    triggers.event(host, undefined, { recordId: records[1]?.id ?? '' }),
  );
}

/** Events of two spaces, or of two users, count against one limit, where the profile has a second one. */
async function expectOneLimitForAll(context: CaseContext, limit: number): Promise<void> {
  const { secondEditor } = context.profile.all.identities;
  await Promise.all([
    expectOneLimit(context, limit, 'spaces', (first) => {
      const url = urlInSecondSpace(context, first);
      return url === undefined ? undefined : { url };
    }),
    ...(secondEditor === undefined ? [] : [expectLimitOfUsers(context, limit)]),
  ]);
}

async function expectLimitOfUsers(context: CaseContext, limit: number): Promise<void> {
  const events = await expectOneLimit(context, limit, 'users', () => ({ as: 'secondEditor' }));
  if (events !== undefined) await expectHeldForTheirUsers(context, events);
}

/**
 * Undefined where there is only one.
 * @param otherwise what makes an event one of the second, given one of the first; undefined where nothing does
 */
async function expectOneLimit(
  context: CaseContext,
  limit: number,
  what: string,
  otherwise: (first: Triggered) => Changes | undefined,
): Promise<EventsOfTwo | undefined> {
  const { clock, notes, triggers } = context;
  const extension = await extensionLimitedTo(context, limit);
  const since = clock.now();
  const first = await triggers.event(extension);
  const changes = otherwise(first);
  if (changes === undefined) return undefined;
  const second = await unlessRefused(() => triggers.event(extension, undefined, changes));
  if (second === undefined) {
    notes.observe(`events of two ${what}`, 'are not taken');
    return undefined;
  }
  const held = await Promise.all(
    Array.from({ length: limit }, async (_, index) => {
      const isOfSecond = index % 2 === 0;
      return { about: await triggers.event(extension, undefined, isOfSecond ? changes : undefined), isOfSecond };
    }),
  );
  const calls = await clock.at(since + watchedMs, async () => extension.calls(), {
    until: since + minuteMs,
    what: 'the pause is over',
    isRight: ({ length }) => length <= limit,
  });
  const name = `calls of ${limit + 2} events of two ${what} within ${watchedMs / 1000} s`;
  clock.expectCalls(name, calls, { most: limit }, { mayEndMinute: true });
  const atOnce = [first, second].map((about, index) => ({ about, isOfSecond: index === 1 }));
  return { extension, atOnce, held };
}

/**
 * What was executed counts until its minute is over, however far apart. All of it lies in one minute of the clock too, since where a minute
 * begins is not said: only where time is moved it can be chosen.
 */
async function expectCountedForMinute(context: CaseContext, limit: number): Promise<void> {
  const { clock, triggers } = context;
  if (!clock.controlled) return;
  const extension = await extensionLimitedTo(context, limit);
  await clock.pass(minuteMs - (clock.now() % minuteMs) + 1000);
  const begun = Math.floor(clock.now() / minuteMs);
  const first = await triggers.event(extension);
  await extension.call({ about: first });
  await clock.pass(35_000);
  for (let count = 0; count < limit; count += 1) await triggers.event(extension);
  await clock.pass(lateMs);
  const isOneMinute = Math.floor(clock.now() / minuteMs) === begun;
  context.notes.observe('executions half a minute apart lie in one minute', isOneMinute);
  const what = `calls within a minute, of ${limit + 1} events`;
  if (isOneMinute) clock.expectCalls(what, extension.calls(), { most: limit }, { mayEndMinute: true });
}

/** A pause lasts as long where the limit is reached in the middle of a minute of the clock. */
async function expectHeldBackWithinMinute(context: CaseContext, limit: number): Promise<void> {
  const extension = await extensionLimitedTo(context, limit);
  await context.clock.pass(intoMinuteMs);
  await expectHeldBack(context, await sendBurst(context, extension, limit + 2), limit);
}

/** What an extension is not called with, since it is switched off, is no execution: when it is on again, as many as the limit has come at once. */
async function expectInactiveNotCounted(context: CaseContext, limit: number): Promise<void> {
  const { given, clock, notes, registrations, triggers, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return;
  const extension = await extensionLimitedTo(context, limit);
  const registration = given.present(extension.registration, 'a registration');
  const isTaken = async (active: boolean): Promise<boolean> =>
    isSuccess((await registrations.update(registration, { active })).status);
  if (!(await isTaken(false))) return;
  for (let count = 0; count < limit + 2; count += 1) await unlessRefused(() => triggers.event(extension));
  await clock.pass(pastRetryMs);
  if (!(await isTaken(true))) return;
  await clock.pass(pastRetryMs);
  const isKept = extension.calls({ kind: 'event' }).length > 0;
  notes.observe('events of the time in which an extension was switched off come later', isKept);
  if (isKept) return;
  const { reached } = await sendBurst(context, extension, limit);
  const prompt = await reached.ended(limit, {}, { withinMs: lateOfMs(clock, limit) });
  clock.expectCame(`${limit} calls at once behind ${limit + 2} events that found it off`, prompt[limit - 1]?.arrivedAt);
}

/** What was refused is no execution: as many as the limit come at once behind it. */
async function expectRefusedNotCounted(context: CaseContext, limit: number): Promise<void> {
  const { clock, triggers } = context;
  const extension = await extensionLimitedTo(context, limit);
  for (let count = 0; count < limit; count += 1) {
    const taken = await unlessRefused(() => triggers.event(extension, undefined, { as: null }));
    if (taken !== undefined) return;
  }
  const { reached } = await sendBurst(context, extension, limit);
  const prompt = await reached.ended(limit, {}, { withinMs: lateOfMs(clock, limit) });
  clock.expectCame(`${limit} calls at once behind ${limit} triggers that were refused`, prompt[limit - 1]?.arrivedAt);
}

/** Whether or not its retry counts, with it no more events than the limit are called within a minute. */
async function expectHeldBackWithRetry(context: CaseContext, limit: number): Promise<void> {
  const { given, clock } = context;
  const reached = await given.extension({
    record: { rateLimitNumberOfExecutions: limit },
    script: answerFirst({ status: 503 }),
  });
  const { events, since } = await sendBurst(context, reached, limit);
  await clock.pass(pastRetryMs);
  const excess = await context.triggers.event(reached);
  await clock.pass(Math.max(0, since + minuteMs - 2000 - clock.now()));
  const isInTime = ({ arrivedAt }: Call): boolean => arrivedAt < since + minuteMs - 2000;
  const came = [...events, excess].flatMap((about) => reached.calls({ about, where: isInTime }).slice(0, 1));
  given.assume(came.length > 0, 'the call of an event');
  const name = `events called within a minute, of ${events.length + 1}`;
  clock.expectCalls(name, came, { most: limit }, { mayEndMinute: true });
}

/** An extension that may be asked once a minute and never answers rightly; undefined where nothing asks it. */
async function limitedValidator(
  context: CaseContext,
  concerns: Parameters<Extension['concern']>,
): Promise<Extension | undefined> {
  const { given, clock } = context;
  // a service may hold back the validations of all other cases with it, and only where time jumps the schedule is alone
  if (!clock.controlled || !triggeredTypes(context).includes('ExternalValidation')) return undefined;
  return given.extension({
    types: ['ExternalValidation'],
    concerns,
    record: { rateLimitNumberOfExecutions: 1 },
    script: failingForEver,
  });
}
