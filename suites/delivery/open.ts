import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { holdsWhole, type Call } from '../../judge/extension/call.ts';
import type { Extension, Triggered } from '../../judge/extension/extension.ts';
import { limitedTo, minuteMs } from './rate.ts';
import {
  always,
  attemptsOf,
  endedAttempts,
  failing,
  failingForEver,
  first,
  inTurn,
  sentTo,
  tellSeen,
} from './words.ts';

const redirects = [301, 302, 307, 308];

export const openCases = {
  'delivery.redirect.followed': schedule(12, async (context) => {
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

  'delivery.action.retries': schedule(70, async (context) => {
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

  'delivery.retry.after-header': schedule(12, async (context) => {
    const { clock, notes } = context;
    const unavailable = await sentTo(context, first({ status: 503, headers: { 'Retry-After': '7' } }));
    const tooMany = await sentTo(context, first({ status: 429, headers: { 'Retry-After': '1' } }));
    await clock.pass(12_000);
    tellSeen(context, 'attempts after 503 with Retry-After: 7', attemptsOf(unavailable));
    tellSeen(context, 'attempts after 429 with Retry-After: 1', attemptsOf(tooMany));
    notes.observe('gap after 503 with Retry-After: 7, in s', secondsOf(clock.gaps(attemptsOf(unavailable))));
    notes.observe('gap after 429 with Retry-After: 1, in s', secondsOf(clock.gaps(attemptsOf(tooMany))));
  }),

  'delivery.retry.gap-clock': schedule(16, async (context) => {
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

  'delivery.rate.pause-start': schedule(125, async (context) => {
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

  'delivery.rate.retries-counted': schedule(135, async (context) => {
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

  'delivery.queue.order': schedule(25, async (context) => {
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
} satisfies SomeCasesOf<'delivery'>;

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
