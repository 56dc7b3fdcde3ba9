import type { RuleId } from '../../contract/rule.ts';
import type { Booking } from '../case/bookings.ts';
import { brokenOutcome, isStumble } from '../outcome.ts';
import type { Judge, Judgement } from './run.ts';
import { aborted, startDeadline, within } from '../time/real-time.ts';

/** How long a case that was told to end may take to say what it booked. */
const graceMs = 500;

interface CaseLimits {
  readonly limitMs: number;
  /** Ends the run. */
  readonly stopped: AbortSignal;
  /** Time so far that is no part of the limit; none unless given. */
  readonly heldBackMs?: (rule: RuleId) => number;
  /** What it waits for when its time is over, as the end of a sentence. */
  readonly waitedFor?: (rule: RuleId) => string;
}

/** The judgement of a rule, `broken` when it takes longer than its limit, without an outcome when the run is stopped meanwhile. */
export async function judgedInTime(
  judge: Judge,
  rule: RuleId,
  { limitMs, stopped, heldBackMs = () => 0, waitedFor }: CaseLimits,
): Promise<Judgement> {
  const startedAt = performance.now();
  const over = new AbortController();
  let waited: string | undefined;
  const endWatch = startDeadline(
    limitMs,
    () => heldBackMs(rule),
    () => {
      waited = waitedFor && `; it waited for ${waitedFor(rule)}`;
      over.abort();
    },
  );
  const deadline = over.signal;
  const judgement = await untilGrace(judge, rule, AbortSignal.any([deadline, stopped])).finally(endWatch);
  const conclusive = judgement?.outcome !== undefined && !isStumble(judgement.outcome);
  if (judgement !== undefined && (conclusive || !(deadline.aborted || stopped.aborted))) return judgement;
  const booked = judgement?.booked ?? [];
  if (stopped.aborted) return { booked: booked.map(released) };
  const reason = `the case did not end within ${Math.round(limitMs) / 1000} s${waited ?? ''}; see whether the target hangs, or raise limits.caseSeconds`;
  return { outcome: brokenOutcome(rule, reason, performance.now() - startedAt), booked };
}

/** A case that was stopped shows nothing for which its objects would be worth keeping. */
function released({ keepBecause: _, ...booking }: Booking): Booking {
  return booking;
}

/** Undefined when the judge goes on after the signal and its grace. */
async function untilGrace(judge: Judge, rule: RuleId, signal: AbortSignal): Promise<Judgement | undefined> {
  const judging = judge(rule, signal).catch((error: unknown) => ({
    outcome: brokenOutcome(rule, `the suite stumbled: ${String(error)}`),
    booked: [],
  }));
  await Promise.race([judging, aborted(signal)]);
  return within(graceMs, judging);
}
