import { usualLimit } from '../../../judge/model/call-history/draw.ts';
import {
  type Fate,
  fateOf,
  freeFrom,
  gapBefore,
  inForce,
  longestGapBefore,
} from '../../../judge/model/call-history/due.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Call } from '../../../judge/extension/call.ts';
import { atOnceMs, minuteMs } from '../checks/delivery-attempts.ts';
import type { Burst, Callee, Sent } from './callees.ts';

type Attempts = ReadonlyMap<Sent | undefined, readonly Call[]>;

/** How late the first call after a pause may come, in ms. */
const lateMs = 3000;

/** What a call that was sent before a deletion may still be on its way, in ms. */
const onTheWayMs = 1000;

/** In seconds. Source: extensions, Limits, request timeout */
const usualTimeout = 100;

/** Retries of what is not retried for ever. Source: extensions, Limits, retries */
const retries = { queued: 5, validation: 3 } as const;

/** When an attempt is due, in ms of the clock. */
interface Due {
  /** What it counts from. */
  readonly from: number;
  readonly at: number;
  readonly until: number;
  /** Whether the documents leave open that it comes. */
  readonly mayBeLeftOut: boolean;
}

/** Asserts when the attempts of one trigger came, and that there were no more and no fewer. */
export function expectTimes(context: CaseContext, callee: Callee, sent: Sent, attempts: Attempts): void {
  const { clock, expect } = context;
  const own = attempts.get(sent) ?? [];
  for (const [index, attempt] of [...own, undefined].entries()) {
    const what = `attempt ${index + 1} of a call of kind ${callee.plan.kind}`;
    const due = dueOf(context, callee, { sent, attempts, index });
    if (due === undefined) {
      expect(
        attempt === undefined ? 'none' : `one at ${attempt.arrivedAt - sent.sentAt} ms`,
        `${what}, which ended before`,
      ).toEqual('none');
      return;
    }
    if (attempt === undefined) {
      if (!due.mayBeLeftOut && due.until + clock.granularityMs < clock.now())
        clock.expectCame(`${what}, ${Math.round(due.at - due.from) / 1000} s after the one before`, undefined);
      return;
    }
    clock.expectDue(what, attempt.arrivedAt, due.at, { from: due.from, lateMs: due.until - due.at, isTold: true });
    expectNotStopped(context, callee, sent, attempt);
  }
}

/** Nothing begins for what a user has deleted, nor for what was set off while its callee is switched off. Source: extensions, Events 3; Registered extension, row active */
function expectNotStopped(
  { clock, expect }: CaseContext,
  { versions }: Callee,
  { deletion, step }: Sent,
  { arrivedAt }: Call,
): void {
  if (deletion?.isTaken === true && arrivedAt > deletion.since)
    clock.expectDue('the last attempt of an event that was deleted', arrivedAt, deletion.since, {
      lateMs: onTheWayMs,
      isTold: true,
    });
  const [first] = inForce(versions, step, arrivedAt);
  const isOff = inForce(versions, step, arrivedAt).every(({ stated }) => !stated.active);
  expect(first !== undefined && isOff, 'a call came that was set off while its callee is switched off').toEqual(false);
}

interface Place {
  readonly sent: Sent;
  readonly attempts: Attempts;
  /** Of the attempt, from 0. */
  readonly index: number;
}

/** Undefined where no attempt may come any more. */
function dueOf(context: CaseContext, callee: Callee, place: Place): Due | undefined {
  const { sent, attempts, index } = place;
  const own = attempts.get(sent) ?? [];
  const due = index === 0 ? firstDue(callee, place) : nextDue(context, callee, place);
  if (due === undefined) return undefined;
  const { deletion, step } = sent;
  const fates = own.slice(0, index).map((attempt) => fateOf(attempt, context.profile.all.expect ?? {}));
  const latest = due.until + context.clock.granularityMs;
  const isStopped = deletion !== undefined && latest >= deletion.from;
  // what an update does to what waits is not said, nor what becomes of that while its callee is switched off
  const versions = inForce(callee.versions, step, latest);
  const isSwitched = versions.some(({ stated }) => !stated.active);
  const isOpen = isStopped || versions.length > 1 || isSwitched || fates.includes('unsaid');
  return { ...due, until: isSwitched ? Infinity : due.until, mayBeLeftOut: due.mayBeLeftOut || isOpen };
}

/** At once, where nothing else is under way at the same callee. */
function firstDue({ bursts, plan, versions, sent: all }: Callee, { sent, attempts }: Place): Due {
  const { sentAt: at, answeredAt } = sent;
  // what a limit holds back is looked at with the others of its burst; an extension may be given its tasks one after the other
  const isHeld = bursts.some((burst) => burst.sent.includes(sent)) || (plan.kind === 'task' && all[0] !== sent);
  const others = [...attempts].filter(([other]) => other !== sent && other !== undefined && other.sentAt <= answeredAt);
  const pending = others.map(([other, calls]) => ({ from: other?.sentAt ?? 0, to: endOf(calls) }));
  const soon = answeredAt + atOnceMs;
  const free = freeFrom(soon, pending);
  const isOff = inForce(versions, sent.step, at).some(({ stated }) => !stated.active);
  const until = free > soon ? free + atOnceMs : soon;
  // an id that is no GUID may be refused, but not changed
  const isRefused = sent.plan.correlation === 'text' && [400, 422].includes(sent.triggered?.reply.status ?? 0);
  const mayBeLeftOut = sent.triggered === undefined || isRefused;
  return { from: at, at, until: isHeld || isOff ? Infinity : until, mayBeLeftOut };
}

function endOf(calls: readonly Call[]): number {
  return calls.at(-1)?.endedAt ?? Infinity;
}

/** After the gap, where another attempt at the same callee is not under way just then. */
function nextDue({ profile }: CaseContext, callee: Callee, { sent, attempts, index }: Place): Due | undefined {
  const before = attempts.get(sent)?.[index - 1];
  if (before === undefined) return undefined;
  const { answers } = sent.plan;
  // a verdict that cannot be read may be asked for again. Source: ledger validation-status-code
  const isUnread = answers[Math.min(index, answers.length) - 1]?.isMalformed === true;
  const fate: Fate = isUnread ? 'unsaid' : fateOf(before, profile.all.expect ?? {});
  const most = mostRetries(callee, sent, before.arrivedAt);
  if (fate === 'done' || fate === 'failed' || index > most.most) return undefined;
  const gapMs = gapBefore(index);
  const { arrivedAt, endedAt = Infinity } = before;
  const from = profile.all.expect?.gapClock === 'end' ? promptEnd(callee, before) : arrivedAt;
  const longestMs = longestGapBefore(index);
  const until = endedAt + longestMs + lateAfter(longestMs);
  const busy = [...attempts.values()].flat().map((call) => ({ from: call.arrivedAt, to: call.endedAt ?? Infinity }));
  const free = freeFrom(until, busy);
  return {
    from,
    at: from + gapMs,
    until: free > until ? free + lateAfter(gapMs) : until,
    mayBeLeftOut: isUnread || index > most.fewest,
  };
}

/** The listener may learn late that an attempt was given up. */
function promptEnd(callee: Callee, { arrivedAt, endedAt = Infinity, ending }: Call): number {
  if (ending !== 'abandoned') return endedAt;
  const timeouts = callee.versions.map(({ stated }) => stated.settings.requestTimeout ?? usualTimeoutOf(callee));
  return Math.min(endedAt, arrivedAt + Math.min(...timeouts.map((seconds) => seconds ?? Infinity)) * 1000);
}

/** In seconds; of a mail that states none the documents say two. Source: ledger email-timeout-contradiction */
function usualTimeoutOf({ plan }: Callee): number | undefined {
  return plan.kind === 'mail' ? undefined : usualTimeout;
}

function lateAfter(gapMs: number): number {
  return Math.max(250, gapMs * 0.05);
}

/** That of the record may have changed meanwhile. */
function mostRetries(
  { plan, versions }: Callee,
  { step }: Sent,
  until: number,
): { readonly fewest: number; readonly most: number } {
  if (plan.kind === 'validation') return { fewest: retries.validation, most: retries.validation };
  if (plan.kind === 'action') return { fewest: 0, most: Infinity };
  const counts = inForce(versions, step, until).map(({ stated }) =>
    stated.settings.retryForever === true ? Infinity : retries.queued,
  );
  return { fewest: Math.min(...counts), most: Math.max(...counts) };
}

/** Asserts that as many of a burst as the limit go out at once, and as many after each pause of a minute. Source: extensions, Limits, rate limit */
export function expectGroups(
  { clock }: CaseContext,
  { versions, plan }: Callee,
  burst: Burst,
  attempts: Attempts,
): void {
  const { since, until, sent, step } = burst;
  if (plan.kind === 'task' || sent.some(({ triggered }) => triggered === undefined)) return;
  const [version] = inForce(versions, step, since);
  const limit = version?.stated.settings.rateLimitNumberOfExecutions ?? usualLimit;
  const calls = sent
    .flatMap((one) => (attempts.get(one) ?? []).slice(0, 1))
    .toSorted((one, other) => one.arrivedAt - other.arrivedAt);
  const kept = sent.filter(({ deletion }) => deletion === undefined);
  for (const one of kept)
    clock.expectCalls('attempts of a trigger beyond the limit', attempts.get(one) ?? [], { least: 1 });
  let lastAt = until;
  let from = 1;
  const followMs = (pauses: number, place: number): number =>
    // one after the other
    (pauses === 0 ? until - since : 0) + place * (atOnceMs + clock.granularityMs);
  const mayTakePlaces = sent.filter((one) => one.deletion !== undefined && (attempts.get(one) ?? []).length === 0);
  for (const [pauses, [first, ...others]] of groupsOf(calls, {
    limit,
    deleted: mayTakePlaces.length,
    followMs,
  }).entries()) {
    if (first === undefined) {
      lastAt += minuteMs + lateMs;
      continue;
    }
    const dueAt = since + pauses * minuteMs;
    const latest = pauses === 0 ? lastAt + atOnceMs : lastAt + minuteMs + lateMs;
    const what = pauses === 0 ? 'the first call of a burst' : `call ${from} of a burst with a limit of ${limit}`;
    clock.expectDue(what, first.arrivedAt, dueAt, { lateMs: latest - dueAt, isTold: true, mayEndMinute: true });
    for (const [index, other] of others.entries())
      clock.expectDue('a call that the limit lets out with it', other.arrivedAt, first.arrivedAt, {
        lateMs: followMs(pauses, index + 1),
        isTold: true,
      });
    lastAt = (others.at(-1) ?? first).arrivedAt;
    from += 1 + others.length;
  }
}

/** What lets calls out of a queue. */
interface Outlet {
  readonly limit: number;
  /** Events that were deleted before they were called: whether they keep their place in the queue is not said. */
  readonly deleted: number;
  /** By how many ms a call may follow the first of its group, by how many pauses there were and by its place. */
  readonly followMs: (pauses: number, place: number) => number;
}

/**
 * The calls of a burst in groups of as many as the limit, or fewer where deleted events may have taken the other
 * places; a group that they may have taken whole is empty.
 */
export function groupsOf<Timed extends { readonly arrivedAt: number }>(
  calls: readonly Timed[],
  { limit, deleted, followMs }: Outlet,
): readonly (readonly Timed[])[] {
  const groups: (readonly Timed[])[] = [];
  let unused = deleted;
  let lastAt = calls[0]?.arrivedAt ?? 0;
  for (let from = 0; from < calls.length;) {
    const whole = calls.slice(from, from + limit);
    const [first] = whole;
    const startsAt = first?.arrivedAt ?? lastAt;
    for (; unused >= limit && startsAt > lastAt + 1.5 * minuteMs; lastAt += minuteMs) {
      unused -= limit;
      groups.push([]);
    }
    const late = whole.findIndex(({ arrivedAt }, place) => arrivedAt > startsAt + followMs(groups.length, place));
    const missing = late > 0 ? limit - late : 0;
    const isCut = missing > 0 && missing <= unused;
    if (isCut) unused -= missing;
    const group = isCut ? whole.slice(0, late) : whole;
    lastAt = group.at(-1)?.arrivedAt ?? lastAt;
    groups.push(group);
    from += group.length;
  }
  return groups;
}

/** Asserts that an attempt without an answer was given up when its time was over. Source: extensions, Limits, request timeout */
export function expectGivenUp({ clock }: CaseContext, callee: Callee, { step }: Sent, call: Call): void {
  const { arrivedAt, endedAt, ending, answered } = call;
  if (ending !== 'abandoned' || answered !== undefined || endedAt === undefined) return;
  const { versions } = callee;
  const times = inForce(versions, step, arrivedAt).map(
    ({ stated }) => stated.settings.requestTimeout ?? usualTimeoutOf(callee),
  );
  const known = times.filter((seconds) => seconds !== undefined).map((seconds) => seconds * 1000);
  if (known.length < times.length || known.length === 0) return;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  clock.expectDue('the end of an attempt that is not answered', endedAt, arrivedAt + least - onTheWayMs / 4, {
    from: arrivedAt,
    lateMs: most - least + onTheWayMs / 2 + (most > 60_000 ? 5000 : 0),
    of: 'end',
    isTold: true,
  });
}
