import { createHash } from 'node:crypto';
import type { Case, Rule } from './rule.ts';
import type { Generation } from './case.ts';
import type { ConductLog } from './conduct.ts';
import { CaseTimedOut, ConnectionLost, TargetUnreachable } from './client/failure.ts';
import { longestPutToUseMs } from './extension/put-to-use.ts';
import { blockedByHost, sideProfile } from './host/host-needs.ts';
import { openHostContext } from './host/context.ts';
import { unmetNeeds } from './needs.ts';
import { type ContextOptions, openContext } from './open-context.ts';
import { isBreach, isStumble, type Outcome } from './outcome.ts';
import { Part, runAs } from './part.ts';
import { CaseRecord } from './record.ts';
import { type Attempt, blockedBecause, blockedFor, outcomeOf } from './run-case/outcome-of.ts';
import { matches } from './run/glob.ts';
import type { Run, Unusable } from './run/run.ts';
import type { Session } from './session.ts';
import { PreconditionFailed, TooLate, Violation } from './violation.ts';
import { startDeadline } from './run/within.ts';
import { isTimeControlled, overBudget } from './time/budget.ts';
import { Waits } from './waits.ts';

/** What one case has of its run; each rule derives a seed of its own. */
export interface CaseRun extends Pick<Run, 'seed' | 'runs'> {
  readonly session: Session;
  /** Needs and rules, or patterns of them, that are not to be judged, with the reasons; none unless given. */
  readonly notSupported?: Readonly<Record<string, string>>;
  readonly unusable?: Unusable;
  /** Longest time of the case, in ms. */
  readonly deadlineMs: number;
  /** Ends the case early: it is then broken. */
  readonly signal?: AbortSignal;
  /** Hears what the case does. */
  readonly conduct?: ConductLog;
  /** Where whoever limits the time of the case sees what it waits for. */
  readonly waits?: Waits;
}

const reuseUntilLost = 3;

/**
 * Judges one rule by its case. Rejects only with TargetUnreachable, which ends the run; what the suite itself does wrong is `broken`.
 * A case whose connection was lost while something was written is run once more, each request on a connection of its own; likewise one that
 * came too late itself, or saw nothing but lateness, where there is the time.
 */
export async function runCase(rule: Rule, test: Case, run: CaseRun): Promise<Outcome> {
  const { session } = run;
  const profile = sideProfile(session.profile.all, test.side);
  const unmet = unmetNeeds(rule, profile);
  if (unmet.length > 0) return blockedFor(rule.id, unmet);
  const declined = declinedFor(rule, run.notSupported);
  if (declined !== undefined) return declined;
  const [useless] = rule.needs.flatMap((need) => run.unusable?.[need] ?? []);
  if (useless !== undefined) return blockedBecause(rule.id, useless);
  const blocked = test.side === 'extension' ? await blockedByHost(rule, session) : undefined;
  if (blocked !== undefined) return blocked;
  const beyond = test.seconds === undefined ? undefined : overBudget(profile, test.seconds);
  if (beyond !== undefined) return blockedBecause(rule.id, beyond);
  const startedAt = performance.now();
  const { conduct, waits = new Waits() } = run;
  const reuse = session.lostConnections < reuseUntilLost;
  const first = await attempt(rule, test, run, new CaseRecord(reuse, { conduct, waits }), 0);
  const hasTime = performance.now() - startedAt - waits.heldBackMs < run.deadlineMs / 2;
  const isTimed = test.kind === 'schedule' && !isTimeControlled(profile);
  const repeat = repeatOf(first, session, { hasTime, isTimed });
  const last =
    repeat === undefined
      ? first
      : await attempt(rule, test, run, new CaseRecord(repeat.reuse, { ...repeat, conduct, waits }), 1);
  if (last.error instanceof TargetUnreachable) throw last.error;
  const outcome = outcomeOf(rule, last, session.secrets, performance.now() - startedAt);
  if (isBreach(outcome) || isStumble(outcome))
    session.bookings.keep(rule.id, `the case of ${rule.id} ended as ${outcome.verdict}`);
  return outcome;
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
  readonly reuse: boolean;
  readonly retries: readonly string[];
  readonly patienceMs: number;
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
    return { reuse: false, retries: [...retries, sentence], patienceMs: 0 };
  }
  const isUnmet = error instanceof Violation || error instanceof PreconditionFailed;
  const isUncalled = isUnmet && record.settling.some((isSilent) => isSilent());
  if (isUncalled) session.putToUse.widen();
  const reason = isUncalled
    ? 'no call came to an extension that the service may not have put to use yet'
    : lateness(error, chance.isTimed);
  if (reason === undefined || !chance.hasTime) return undefined;
  const patienceMs = isUncalled ? longestPutToUseMs : 0;
  return { reuse, retries: [...retries, `${reason}: the case ran once more`], patienceMs };
}

/** What a busy machine may have caused, which is late now and then: a service that does wrong is so each time. */
function lateness(error: unknown, isTimed: boolean): string | undefined {
  if (error instanceof TooLate || (isTimed && error instanceof PreconditionFailed)) return error.message;
  if (error instanceof Violation && error.isLate) return `found ${error.actual} where expected ${error.expected}`;
  return undefined;
}

async function attempt(rule: Rule, test: Case, run: CaseRun, record: CaseRecord, number: number): Promise<Attempt> {
  const ending = new AbortController();
  const { waits } = record;
  const endWatch = startDeadline(
    run.deadlineMs,
    () => waits.heldBackMs,
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
    };
    const generation = {
      seed: seedOf(run.seed, rule.id),
      runs: run.runs,
      begin: (kept?: number) => record.begin(kept),
    };
    const running = runAs(partOf(rule, run, number), () => runWith(test, run.session, options, generation));
    await Promise.race([running, ended(ending.signal)]);
    return record.breach === undefined ? { record } : { record, error: record.breach };
  } catch (error) {
    return { record, error };
  } finally {
    await run.session.tape?.end(partName(rule, number));
    await record.end();
    endWatch();
    run.signal?.removeEventListener('abort', onStop);
  }
}

function sentenceAboutTime(limitMs: number, waits: Waits): string {
  const heldSeconds = Math.round(waits.heldBackMs / 1000);
  const besides = heldSeconds > 0 ? `, not counting ${heldSeconds} s in which its requests were held back` : '';
  return `the case did not end within ${limitMs / 1000} s${besides}; it waited for ${waits.tell()}; raise limits.caseSeconds where the target may be that slow`;
}

function partName({ id }: Pick<Rule, 'id'>, attempt: number): string {
  return `${id}#${attempt}`;
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
  if (test.side === 'extension') await test.run(await openHostContext(session, options), generation);
  else await test.run(openContext(session, options), generation);
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The seed of one rule's generated data: a 32-bit integer made of the seed of the run and the rule, whatever runs beside it. */
function seedOf(seed: number, rule: string): number {
  return createHash('sha256').update(`${seed} ${rule}`).digest().readInt32BE(0);
}
