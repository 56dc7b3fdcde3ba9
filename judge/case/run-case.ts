import { createHash } from 'node:crypto';
import type { Area } from '../../contract/areas.ts';
import type { Case, Rule } from '../rule.ts';
import type { CaseContext, CaseKind, Generation } from '../case.ts';
import type { Sent } from '../client/wire.ts';
import { isSuccess, type Exchange } from '../exchange.ts';
import type { ConductLog } from './conduct.ts';
import { CaseTimedOut, ConnectionLost, NoAnswer, TargetUnreachable, Unsendable } from '../client/failure.ts';
import { longestChangeMs, longestPutToUseMs } from '../extension/put-to-use.ts';
import { blockedByHost, sideProfile } from '../host/host-needs.ts';
import { openHostContext } from '../host/context.ts';
import { isObject, jsonOf } from '../json.ts';
import { unmetNeeds } from '../needs.ts';
import { type ContextOptions, openContext } from './open-context.ts';
import { blockedBecause, isBreach, isStumble, type Outcome } from '../outcome.ts';
import { aside, Part, reading, runAs } from './part.ts';
import { CaseRecord } from './record.ts';
import { type Attempt, blockedFor, outcomeOf } from './outcome-of.ts';
import type { Finding, RepeatBudget } from '../repeat/playing.ts';
import { repetitionOf } from '../repeat/repeat.ts';
import { gatewaySentence } from '../every-answer/gateway.ts';
import { matches } from '../run/glob.ts';
import { isThere } from '../run/preflight.ts';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import {
  Inconclusive,
  MachineStalled,
  ObjectLost,
  PreconditionFailed,
  TooLate,
  UnfitProfile,
  Undecidable,
  unlessRefused,
  Violation,
} from '../violation.ts';
import { isTimeControlled, overBudget } from '../time/budget.ts';
import { readTime, startDeadline } from '../time/real-time.ts';
import type { Trace } from './trace.ts';
import { startTakingOff } from '../run/taken-off.ts';
import { Waits } from './waits.ts';

/** What one case has of its run; each rule derives a seed of its own. */
export interface CaseRun extends Pick<Run, 'seed' | 'runs' | 'asFound' | 'notSupported' | 'unusable'> {
  readonly session: Session;
  /** Longest time of the case, in ms. */
  readonly deadlineMs: number;
  /** Ends the case early: it is then broken. */
  readonly signal?: AbortSignal;
  /** Hears what the case does. */
  readonly conduct?: ConductLog;
  /** Hears every exchange. */
  readonly onSent?: (sent: Sent) => void;
  /** Where whoever limits the time of the case sees what it waits for. */
  readonly waits?: Waits;
  /** What the requests of the case say of where they come from. */
  readonly trace?: Trace;
  /** What may be spent on making a script of what it finds; none is made unless given. */
  readonly repeats?: RepeatBudget;
  /** Whether requests may take detours. */
  readonly mayTakeDetours?: boolean;
  /** Whether a rule that this one stands on was seen to be violated: what the case finds is then no finding of its own. */
  readonly isExplained?: () => boolean;
}

const reuseUntilLost = 3;

/** So often a case is run that the machine, or another case, keeps from judging. */
const mostAttempts = 3;

/** What a case waited for in vain says nothing where the machine took a quarter of that time, and so many ms at least. */
const leastShare = 0.25;
const leastStallMs = 250;
/** As far back as a stall may be the reason that a case ended so, in ms. */
const lookBackMs = 5000;

/**
 * Judges one rule by its case. Rejects only with TargetUnreachable, which ends the run; what the suite itself does wrong is `broken`.
 * A case whose connection was lost while something was written is run once more, each request on a connection of its own; likewise one that
 * came too late itself, or saw nothing but lateness, where there is the time; one that the machine or another case kept from judging, twice more,
 * and one that met a service which was away as often, once that is back.
 */
export async function runCase(rule: Rule, test: Case, run: CaseRun): Promise<Outcome> {
  const { session } = run;
  const profile = sideProfile(session.profile.all, test.side);
  // without a need that is not offered the rule cannot be judged, whatever else the profile lacks
  const declined = declinedFor(rule, run.notSupported);
  if (declined !== undefined) return declined;
  const unmet = unmetNeeds(rule, profile).filter(({ need }) => run.unusable?.[need] === undefined);
  if (unmet.length > 0) return blockedFor(rule.id, unmet);
  const [useless] = rule.needs.flatMap((need) => run.unusable?.[need] ?? []);
  if (useless !== undefined) return blockedBecause(rule.id, useless);
  const blocked = test.side === 'extension' ? await blockedByHost(rule, session) : undefined;
  if (blocked !== undefined) return blocked;
  const beyond = test.seconds === undefined ? undefined : overBudget(profile, test.seconds);
  if (beyond !== undefined) return { ...blockedBecause(rule.id, beyond), missing: ['long-run'] };
  return runAs(wholeOf(rule, run), () => tryCase(rule, test, run));
}

async function tryCase(rule: Rule, test: Case, run: CaseRun): Promise<Outcome> {
  const { session } = run;
  const startedAt = performance.now();
  const { conduct, onSent, trace, waits = new Waits() } = run;
  const reuse = session.lostConnections < reuseUntilLost;
  const isTimed = test.kind === 'schedule' && !isTimeControlled(sideProfile(session.profile.all, test.side));
  const takenOffMs = startTakingOff({ session, waits, deadlineMs: run.deadlineMs });
  let made = 0;
  const once = (number: number): Promise<Attempt> =>
    attempt(rule, test, run, new CaseRecord(reuse, { conduct, onSent, trace, waits, isOfRule: true }), number);
  const detoured = takesDetours(rule, test, run) ? await once(byDetours[0]) : undefined;
  let last = detoured !== undefined && holds(detoured) ? detoured : await once(0);
  if (detoured !== undefined && last !== detoured && holds(last))
    last = await session.detours.decide(
      rule.id,
      { detoured, straight: last },
      {
        again: () => once(byDetours[1]),
        isDoubtful: (one) => doubtAbout(one, session, isTimed) !== undefined,
      },
    );
  const attempts = [last];
  for (let number = 1; number < mostAttempts; number += 1) {
    const spentMs = reading('spent', () => performance.now() - startedAt - takenOffMs());
    // each attempt takes about as long as the others
    const hasTime = spentMs * (1 + 1 / number) < run.deadlineMs;
    // what goes wrong twice on a machine that lets it go on stays wrong
    const repeat = number === 1 || isPassing(last, session);
    const more = repeat ? repeatOf(last, session, { hasTime, isTimed }) : undefined;
    if (more === undefined) {
      if (number === 1 && !hasTime) last = { ...last, error: unlessDoubtful(last, session) };
      break;
    }
    if (test.side !== 'extension' && away(last) !== undefined)
      await aside('comeback', () => session.comeback.within((run.deadlineMs - spentMs) / mostAttempts, run.signal));
    const record = new CaseRecord(more.reuse, { ...more, conduct, onSent, trace, waits, isOfRule: true });
    const anew = () => attempt(rule, test, run, record, number);
    const again = await (more.apart ? session.validatorChanges.apart(anew) : anew());
    if (leavesUntold(again, last)) break;
    made = number;
    last = again;
    attempts.push(last);
  }
  if (last.error instanceof TargetUnreachable) throw last.error;
  if (last.error instanceof ConnectionLost) session.everyAnswer.noteLost(last.error.asked, rule.id);
  const gone = made > 0 ? validatorChange(last, session) : undefined;
  if (gone !== undefined) last = { ...last, error: new Inconclusive(`${gone}, each time the case ran`) };
  if (isOfTheService(attempts, session)) delete last.record.inPlace.toWrite;
  const judged = outcomeOf(rule, last, session.secrets, performance.now() - startedAt);
  const leftMs = run.deadlineMs - (performance.now() - startedAt - takenOffMs());
  const outcome = await withRepetition(judged, last, { ...run, rule, attempt: made, leftMs });
  if (isBreach(outcome) || isStumble(outcome)) session.bookings.keep(rule.id, `the case of ${rule.id} did not pass`);
  return outcome;
}

/** Numbers of the attempts whose requests take detours. */
const byDetours = [mostAttempts, mostAttempts + 1] as const;

/** Whose cases ask for data and state alone, one request after another. */
const detourAreas: ReadonlySet<Area> = new Set([
  'reading',
  'paging',
  'patch',
  'batch',
  'multi-create',
  'maturity',
  'versioning',
]);
const detourKinds: ReadonlySet<CaseKind> = new Set(['scenario', 'property', 'model']);

/** Whether a right service comes to the same where requests of the case take detours. */
function takesDetours({ area, level, needs }: Rule, test: Case, { session, mayTakeDetours }: CaseRun): boolean {
  if (mayTakeDetours !== true || reading('detours', () => Number(session.detours.areWorthwhile)) === 0) return false;
  const isCalled = needs.some((need) => need.startsWith('extension-') || need === 'restart-control');
  return (
    detourAreas.has(area) &&
    level === 'must' &&
    !isCalled &&
    test.side === undefined &&
    test.looksBack !== true &&
    test.isAlone !== true &&
    detourKinds.has(test.kind)
  );
}

function holds({ error, record }: Attempt): boolean {
  return error === undefined && record.breach === undefined;
}

/** The outcome with its violation as a script, where one is wanted. */
async function withRepetition(
  outcome: Outcome,
  { record, error }: Attempt,
  { repeats, isExplained, session, ...finding }: CaseRun & Pick<Finding, 'rule' | 'attempt' | 'leftMs'>,
): Promise<Outcome> {
  if (repeats === undefined || outcome.violation === undefined || !(error instanceof Violation)) return outcome;
  const { prelude, called, deeds, unanswered } = record;
  const budget = isExplained?.() === true ? { ...repeats, findings: 0 } : repeats;
  const repetition = await repetitionOf(
    { ...finding, violation: error, prelude, called, deeds, unanswered },
    session,
    budget,
  );
  return { ...outcome, violation: { ...outcome.violation, repetition } };
}

/** The outcome of a rule that the profile says is not offered, by its id or by what it needs: whatever it would show counts for nothing. */
function declinedFor({ id, needs }: Rule, notSupported: CaseRun['notSupported'] = {}): Outcome | undefined {
  const [name, reason] =
    Object.entries(notSupported).find(([entry]) => [id, ...needs].some((named) => matches(entry, named))) ?? [];
  if (name === undefined) return undefined;
  const missing = needs.filter((need) => matches(name, need));
  const outcome = blockedBecause(id, `the profile declares ${name} as not supported: ${reason}`);
  return missing.length === 0 ? outcome : { ...outcome, missing };
}

/** What a second attempt has of the first one. */
interface Repeat {
  /** Whether others are kept from taking a validation extension away meanwhile. */
  readonly apart: boolean;
  readonly reuse: boolean;
  readonly retries: readonly string[];
  readonly patienceMs: number;
  readonly changeMs?: number;
}

interface Chance {
  /** Whether another attempt fits into the time of the case. */
  readonly hasTime: boolean;
  /** Whether the case waits for something that comes by its time, in real time. */
  readonly isTimed: boolean;
}

/** With what a case is worth a second attempt, because the first one shows nothing that another could not; undefined where it does. */
function repeatOf({ record, error }: Attempt, session: Session, chance: Chance): Repeat | undefined {
  const { retries, reuse } = record;
  if (error instanceof ConnectionLost) {
    session.lostConnections += 1;
    const sentence = `${error.message}: the case ran once more, each request on a connection of its own`;
    return { apart: false, reuse: false, retries: [...retries, sentence], patienceMs: 0 };
  }
  const uncalled = silence({ record, error });
  if (uncalled !== undefined) session.putToUse.widen();
  const gone = validatorChange({ record, error }, session);
  const stale = staleness({ record, error });
  const reason = doubtAbout({ record, error }, session, chance.isTimed);
  if (reason === undefined || !chance.hasTime) return undefined;
  return {
    apart: gone !== undefined,
    reuse,
    retries: [...retries, `${reason}: the case ran once more`],
    patienceMs: uncalled === undefined ? 0 : longestPutToUseMs,
    changeMs: stale === undefined ? 0 : longestChangeMs,
  };
}

/** Why what a case came to is no word about the service yet. */
function doubtAbout(last: Attempt, session: Session, isTimed: boolean): string | undefined {
  return (
    silence(last) ?? validatorChange(last, session) ?? lateness(last.error, isTimed) ?? away(last) ?? staleness(last)
  );
}

/** Whether it may be otherwise a third time: the machine stalled, others went on, a connection was lost, or the service was away. */
function isPassing(last: Attempt, session: Session): boolean {
  const { error } = last;
  if (error instanceof ConnectionLost || error instanceof MachineStalled) return true;
  return validatorChange(last, session) !== undefined || away(last) !== undefined;
}

/**
 * Whether what looks like the answers of a gateway are the service's own, which may say 502 of what it calls itself: each attempt met them
 * at the same writes, and came to the same violation by another answer, or by when a call that did come began or ended where time is moved.
 * What stands before a service and cannot reach it would not go on.
 */
function isOfTheService(attempts: readonly Attempt[], { time }: Session): boolean {
  const ends = attempts.map(({ record, error }) =>
    error instanceof Violation && (isOfAnAnswer(error) || (time.controlled && isOfACall(error)))
      ? `${error.expected.replaceAll(/[\da-f-]{4,}/gi, '')} ${[...record.writesInPlace].toSorted().join()}`
      : undefined,
  );
  return ends.length === mostAttempts && ends[0] !== undefined && new Set(ends).size === 1;
}

function isOfAnAnswer({ reply }: Violation): boolean {
  return reply !== undefined && reply.isInPlace !== true;
}

function isOfACall(error: Violation): boolean {
  return error.reply === undefined && error.isOutOfTime && !isOfAMissingCall(error);
}

function isOfAMissingCall({ claim }: Violation): boolean {
  return claim?.about === 'calls' && claim.is === 'missing';
}

/** What a case saw where the service was away: nobody answered, or somebody before it. */
function away(last: Attempt): string | undefined {
  return last.error instanceof TargetUnreachable ? last.error.message : answeredElsewhere(last);
}

/** What a case saw where somebody before the service answered one of its requests. */
function answeredElsewhere({ record: { inPlace }, error }: Attempt): string | undefined {
  const isEnd = error instanceof Violation || error instanceof PreconditionFailed || error instanceof ObjectLost;
  return isEnd && inPlace.any !== undefined ? gatewaySentence(inPlace.any) : undefined;
}

/** What is no word about the service, as another attempt could have shown, had there been the time for one. */
function unlessDoubtful(last: Attempt, session: Session): unknown {
  const reason = silence(last) ?? validatorChange(last, session);
  if (reason === undefined) return last.error;
  return new Inconclusive(`${reason}, and there was no time to run the case once more: raise limits.caseSeconds`);
}

/** What a case saw because an extension was not called that may be called later. */
function silence({ record, error }: Attempt): string | undefined {
  const isUnmet = error instanceof Violation || error instanceof PreconditionFailed;
  if (!isUnmet || !record.settling.some((isSilent) => isSilent())) return undefined;
  return 'no call came to an extension that the service may not have put to use yet';
}

/** What a case saw behind the change of a registration that not every host of the service may know of yet. */
function staleness({ record, error }: Attempt): string | undefined {
  const isUnmet = error instanceof Violation || error instanceof PreconditionFailed;
  return isUnmet && record.hasChanged
    ? 'a registration was changed, which may be put to use a little later'
    : undefined;
}

/** What a case saw because another one gave the service a validation extension that is to be asked, or took one from it. */
function validatorChange(last: Attempt, { validatorChanges }: Session): string | undefined {
  const exchange = refusalIn(last);
  const { status = 0 } = exchange?.response ?? {};
  if (exchange === undefined || status < 400) return undefined;
  if (reading('departures', () => Number(validatorChanges.isAround(exchange))) === 0) return undefined;
  return `a validation extension of another case came or went while ${status} was answered`;
}

/**
 * What the error is about; where the case waited in vain for something that no answer tells of, as a call, the last refusal that it saw, and
 * where that is held against the service, the last answer up to then.
 */
function refusalIn({ error, record }: Attempt): Exchange | undefined {
  if (error instanceof Violation)
    return (error.reply ?? (isOfAMissingCall(error) ? error.history.at(-1) : undefined))?.exchange;
  if (!(error instanceof PreconditionFailed)) return undefined;
  const isRefused = ({ exchange: { response } }: Sent): boolean => (response?.status ?? 0) >= 400;
  return error.reply === undefined ? record.history().findLast(isRefused)?.exchange : error.reply.exchange;
}

/** What a busy machine may have caused, which is late now and then, or moved time too soon: a service that does wrong does so each time. */
function lateness(error: unknown, isTimed: boolean): string | undefined {
  if (error instanceof TooLate || (isTimed && error instanceof PreconditionFailed)) return error.message;
  if (error instanceof Violation && (error.isLate || error.isOutOfTime))
    return `found ${error.actual} where expected ${error.expected}`;
  return undefined;
}

/** Whether an attempt has nothing to say against what the one before it saw out of time: what the service did then may be why this one comes to nothing. */
function leavesUntold({ error }: Attempt, before: Attempt): boolean {
  return error instanceof PreconditionFailed && before.error instanceof Violation && before.error.isOutOfTime;
}

async function attempt(rule: Rule, test: Case, run: CaseRun, record: CaseRecord, number: number): Promise<Attempt> {
  const part = partOf(rule, run, number);
  const ending = new AbortController();
  const { waits } = record;
  const startedAt = readTime();
  const endWatch = startDeadline(
    run.deadlineMs,
    startTakingOff({ session: run.session, waits, deadlineMs: run.deadlineMs }),
    () => ending.abort(new CaseTimedOut(sentenceAboutTime(run.deadlineMs, waits))),
  );
  const onStop = (): void => ending.abort(new CaseTimedOut('the run was stopped'));
  if (run.signal?.aborted) onStop();
  run.signal?.addEventListener('abort', onStop, { once: true });
  try {
    const options = {
      name: rule.id,
      needs: rule.needs,
      seed: run.seed,
      record,
      signal: ending.signal,
      attempt: number,
      byDetours: number >= mostAttempts,
    };
    const generation = {
      seed: createHash('sha256').update(`${run.seed} ${rule.id}`).digest().readInt32BE(0),
      runs: run.runs,
      asFound: number >= mostAttempts || (run.asFound ?? false),
      begin: (kept?: number) => record.begin(kept),
    };
    const running = runAs(part, () => runWith(test, run.session, options, generation));
    await Promise.race([running, ended(ending.signal)]);
    return record.breach === undefined ? { record } : { record, error: record.breach };
  } catch (error) {
    const reason = unlessStalled(error, run.session, record, startedAt);
    // a promise of the profile that was seen broken stays broken, whatever the case went on to lack
    return { record, error: reason instanceof PreconditionFailed ? (record.breach ?? reason) : reason };
  } finally {
    run.session.listeners.release(part);
    await run.session.tape?.end(partName(rule, number));
    await record.end();
    endWatch();
    run.signal?.removeEventListener('abort', onStop);
  }
}

/** What did not happen, or not in time, on a machine that did not let it happen, is no word about the service. */
function unlessStalled(error: unknown, { machine }: Session, { lookedInVain }: CaseRecord, startedAt: number): unknown {
  const isWaitedFor =
    error instanceof CaseTimedOut ||
    (error instanceof NoAnswer && !(error instanceof Unsendable)) ||
    (error instanceof Inconclusive &&
      !(error instanceof TooLate || error instanceof Undecidable) &&
      error.missing.length === 0) ||
    (error instanceof PreconditionFailed && !(error instanceof UnfitProfile) && error.reply === undefined) ||
    (error instanceof Violation && (error.isLate || lookedInVain));
  if (!isWaitedFor) return error;
  const now = readTime();
  const from = Math.max(startedAt, now - lookBackMs);
  const stalledMs = reading('stalled', () => machine.stalledMs(from, now));
  if (stalledMs < leastStallMs || stalledMs < (now - from) * leastShare) return error;
  return new MachineStalled(stalledMs, error.message);
}

function sentenceAboutTime(limitMs: number, waits: Waits): string {
  const heldSeconds = Math.round(waits.heldBackMs / 1000);
  const besides = heldSeconds > 0 ? `, not counting ${heldSeconds} s in which its requests were held back` : '';
  return `the case did not end within ${Math.round(limitMs) / 1000} s${besides}; it waited for ${waits.tell()}; raise limits.caseSeconds where the target may be that slow`;
}

function partName({ id }: Pick<Rule, 'id'>, attempt: number): string {
  return `${id}#${attempt}`;
}

/** What is decided about the attempts at a case. */
function wholeOf({ id }: Rule, { session }: CaseRun): Part {
  return new Part({ ...session.chance, name: id, stem: id, asides: session.tape });
}

/** What an attempt draws is the same for the same seed, whatever runs beside it. */
function partOf({ id }: Rule, { seed, session }: CaseRun, attempt: number): Part {
  return new Part({
    ...session.chance,
    name: partName({ id }, attempt),
    stem: `${seed} ${id} ${attempt}${session.mark}`,
    asides: session.tape,
  });
}

async function runWith(test: Case, session: Session, options: ContextOptions, generation: Generation): Promise<void> {
  if (test.side === 'extension') return test.run(await openHostContext(session, options), generation);
  const context = openContext(session, options);
  try {
    await test.run(context, generation);
  } catch (error) {
    throw await unlessIncomplete(await unlessGone(error, context), context);
  }
}

/** What came by itself, or did not, proves nothing of a service that is gone: all its calls end with it. */
async function unlessGone(error: unknown, context: CaseContext): Promise<unknown> {
  if (!(error instanceof Violation) || error.reply !== undefined) return error;
  const sentence = await isThere(context);
  return sentence === undefined ? error : new TargetUnreachable(sentence);
}

/**
 * Why a case whose remove was refused shows nothing, where it does not: from an object that lacks something mandatory anyway nothing may be
 * removed. What a service takes is complete where it takes no object without any member; elsewhere the smallest body of the profile may not be.
 */
async function unlessIncomplete(error: unknown, context: CaseContext): Promise<unknown> {
  if (!isRefusedRemove(error)) return error;
  const empty = await unlessRefused(() => context.service.create({}));
  if (empty === undefined || !isSuccess(empty.status)) return error;
  return new Undecidable(
    'a remove is refused, which is right where the smallest body of the profile lacks a mandatory member: the service takes objects without any',
    [],
    error instanceof PreconditionFailed ? error.standsOn : [],
  );
}

function isRefusedRemove(error: unknown): boolean {
  if (error instanceof PreconditionFailed) return isRemove(error.reply?.exchange);
  if (!(error instanceof Violation) || error.claim?.about !== 'status') return false;
  return error.claim.expected === '2xx' && isRemove(error.reply?.exchange);
}

function isRemove(exchange: Exchange | undefined): boolean {
  const { method, body = '' } = exchange?.request ?? {};
  if (method !== 'PATCH' || (exchange?.response?.status ?? 0) < 400) return false;
  const operations = jsonOf(body);
  return Array.isArray(operations) && operations.some((one) => isObject(one) && one['op'] === 'remove');
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
