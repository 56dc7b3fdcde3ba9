import type { RuleId } from '../../contract/rule.ts';
import type { Rule } from '../rule.ts';
import { CaseTimedOut, ConnectionLost, NoAnswer } from '../client/failure.ts';
import { curlLine } from '../curl/curl.ts';
import { scriptLines } from '../curl/script.ts';
import type { Reply } from '../exchange.ts';
import { gatewaySentence } from '../every-answer/gateway.ts';
import { isOnOthers } from '../every-answer/server-errors.ts';
import type { UnmetNeed } from '../needs.ts';
import { blockedBecause, type Outcome, type Verdict, type ViolationReport } from '../outcome.ts';
import { printableUpTo } from '../describe.ts';
import type { CaseRecord } from './record.ts';
import type { Secrets } from '../redact/redact.ts';
import { boundedTimelines } from '../time/timeline.ts';
import {
  Inconclusive,
  MachineStalled,
  NoEntryId,
  NoReference,
  ObjectLost,
  PreconditionFailed,
  Violation,
} from '../violation.ts';

/** What came of running a case. */
export interface Attempt {
  readonly record: CaseRecord;
  readonly error?: unknown;
}

const longestText = 4000;
const longestCurl = 20_000;
const mostCurls = 20;

type Ending = Pick<Outcome, 'verdict' | 'reason' | 'standsOn' | 'missing' | 'precondition' | 'violation'>;

/** The outcome of a rule whose needs the profile does not meet. */
export function blockedFor(rule: RuleId, unmet: readonly UnmetNeed[]): Outcome {
  const reason = unmet.map(({ need, hint }) => `the profile does not meet ${need}: ${hint}`).join('; ');
  return { ...blockedBecause(rule, reason), missing: unmet.map(({ need }) => need) };
}

/** The outcome of a case; every text in it is redacted, printable and cut to a limit. */
export function outcomeOf(rule: Rule, attempt: Attempt, secrets: Secrets, durationMs: number): Outcome {
  const { record } = attempt;
  const ending = endingOf(rule, attempt, secrets);
  const { violation, ...rest } = ending;
  const outcome: Outcome = {
    ...rest,
    rule: rule.id,
    observations: record.observations,
    remarks: record.remarks,
    ...(record.timelines.size > 0 && { timelines: boundedTimelines([...record.timelines.values()]) }),
    ...(violation !== undefined && record.trace?.name !== undefined && { trace: record.trace.name }),
    assertions: record.assertions,
    exchanges: record.exchanges,
    ...(record.retries.length > 0 && { retries: record.retries }),
    durationMs,
  };
  const safe = secrets.redactAll(outcome, printableUpTo(longestText));
  const kept = { rule: rule.id, verdict: ending.verdict, ...(ending.standsOn && { standsOn: ending.standsOn }) };
  return { ...safe, ...kept, ...(violation && { violation }) };
}

function endingOf(rule: Rule, { record, error }: Attempt, secrets: Secrets): Ending {
  if (error === undefined) return endOfGoodCase(rule, record);
  const byOthers = sentenceOfOthers(rule, record, error);
  if (byOthers !== undefined) return blockedByTarget(new NoAnswer(byOthers));
  if (error instanceof Violation) return { ...endOfViolation(rule, error, secrets), ...leaningOf(rule, record) };
  if (error instanceof MachineStalled) return { verdict: 'broken', reason: error.message };
  if (error instanceof Inconclusive)
    return {
      verdict: 'blocked',
      reason: error.message,
      ...(error.missing.length > 0 && { missing: error.missing }),
      ...(error.standsOn && { standsOn: error.standsOn }),
    };
  if (error instanceof ObjectLost && rule.level !== 'observe') {
    const violation = error.asViolation(record.history(error.reply.exchange));
    return { ...endOfViolation(rule, violation, secrets), ...leaningOf(rule, record) };
  }
  if (error instanceof PreconditionFailed) return { ...blockedByTarget(error), standsOn: error.standsOn };
  if (error instanceof NoAnswer || error instanceof ConnectionLost) return blockedByTarget(error);
  if (error instanceof CaseTimedOut) return { verdict: 'broken', reason: error.message };
  return { verdict: 'broken', reason: `the suite stumbled: ${stumble(error)}` };
}

/** What is said where the case ended by the answer, or the silence, of somebody other than the service: no word about that. */
function sentenceOfOthers(rule: Rule, record: CaseRecord, error: unknown): string | undefined {
  const inPlace = answerInPlace(rule, record, error);
  if (inPlace !== undefined) return gatewaySentence(inPlace);
  return isOfStrangers(record, error) ? strangersSentence : undefined;
}

/** What somebody before the service answered in its place, where the case ended by that, or by a write that may have taken effect. */
function answerInPlace({ side }: Rule, { inPlace }: CaseRecord, error: unknown): Reply | undefined {
  if (side !== 'service' || !(error instanceof Violation || error instanceof ObjectLost)) return undefined;
  return error.reply?.isInPlace === true ? error.reply : inPlace.toWrite;
}

const strangersSentence =
  'a promote says that whoever validates the object could not be asked, and this case has registered nobody: remove an extension that another run, or one that was killed, has left registered';

/** Whether the case ended by a promote about which the service asked somebody whom the case does not know. */
function isOfStrangers({ called }: CaseRecord, error: unknown): boolean {
  if (called.length > 0 || !(error instanceof Violation || error instanceof PreconditionFailed)) return false;
  return error.reply !== undefined && isOnOthers(error.reply);
}

/** What the target does not do is no fault of the suite, whichever rule it breaks by that. */
function blockedByTarget({ message }: Error): Ending {
  return { verdict: 'blocked', reason: message, precondition: message };
}

function leaningOf(rule: Rule, { leansOn }: CaseRecord): Pick<Outcome, 'standsOn'> {
  const standsOn = [...leansOn].filter((id) => id !== rule.id);
  return standsOn.length === 0 ? {} : { standsOn };
}

function endOfGoodCase(rule: Rule, record: CaseRecord): Ending {
  if (rule.level === 'observe') {
    return record.observations.length > 0
      ? { verdict: 'observed' }
      : { verdict: 'broken', reason: 'the case ended without an observation' };
  }
  return record.assertions > 0
    ? { verdict: 'pass' }
    : { verdict: 'broken', reason: 'the case ended without an assertion' };
}

/** A rule that only records fails through the profile alone. */
function endOfViolation(rule: Rule, violation: Violation, secrets: Secrets): Ending {
  if (rule.level === 'observe' && (violation instanceof NoReference || violation instanceof NoEntryId))
    return blockedByTarget(violation);
  const verdicts: Readonly<Record<Rule['level'], Verdict>> = {
    must: 'fail',
    should: 'warn',
    observe: violation.bound ? 'fail' : 'broken',
  };
  const verdict = verdicts[rule.level];
  if (verdict !== 'broken') return { verdict, violation: reportOf(violation, secrets) };
  return { verdict, reason: `a rule that only records asserted something: ${violation.message}` };
}

function reportOf(violation: Violation, secrets: Secrets): ViolationReport {
  const exchange = violation.reply?.exchange ?? violation.history.at(-1)?.exchange;
  const safe = (text: string, limit = longestText): string => printableUpTo(limit)(secrets.redact(text));
  return {
    expected: safe(violation.expected),
    actual: safe(violation.actual),
    curl: linesOf(violation, secrets).map((line) => safe(line, longestCurl)),
    ...(exchange && { exchange: secrets.redactAll(exchange, printableUpTo(longestText)) }),
    ...(violation.counterexample !== undefined && { counterexample: safe(violation.counterexample) }),
  };
}

function linesOf({ history, isScript }: Violation, secrets: Secrets): readonly string[] {
  if (isScript) return scriptLines(history, secrets);
  return history.slice(-mostCurls).map(({ request }) => curlLine(request, secrets));
}

/** An error of our own with the place in the suite where it was thrown; the package has suites in chunks. */
function stumble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place =
    error.stack
      ?.split('\n')
      .find((line) => /\/(?:suites|judge|chunks)\//.test(line))
      ?.trim() ?? '';
  return `${error.message} ${place}`.trim();
}
