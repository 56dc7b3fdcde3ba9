import { extname } from 'node:path';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../outcome.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { isTimeControlled, timeBudgetSeconds } from '../time/budget.ts';
import type { JudgeSetup } from './judge.ts';
import { runCases, type EndOfCases } from './run-cases.ts';

export interface RunSuites {
  /** URL of the module that exports the catalogue of rules. */
  readonly catalogue: string;
  readonly loaded: LoadedProfile;
  readonly rules: readonly RuleId[];
  /** Whether they are to begin in that order. */
  readonly asGiven?: boolean;
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Whether it matters afterwards what the cases created. */
  readonly collect: boolean;
  /** Part of every name that is new in this run, on a target that has seen others. */
  readonly mark: string;
  /** Cases under way at once. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Whether the run ends after this outcome. */
  readonly stopsAt: (outcome: Outcome) => boolean;
  /** Undefined while somebody answers at the base URL, else a sentence about it. */
  readonly isAlive: () => Promise<string | undefined>;
}

const defaultConcurrency = 16;
const defaultCaseSeconds = 120;
const defaultTotalSeconds = 900;
/** A case that does not even end at its deadline is given up so much later, in ms. */
const graceMs = 1000;
/** So many broken outcomes in a row raise the question whether the target is still there. */
const suspiciousInARow = 5;

/** Runs the case of each rule on the target. Every outcome is told as it comes, before settling. */
export async function runSuites(run: RunSuites): Promise<EndOfCases> {
  const { profile } = run.loaded;
  const { caseSeconds = defaultCaseSeconds } = profile.limits ?? {};
  const caseLimitMs = caseSeconds * 1000;
  const setup: JudgeSetup = {
    catalogue: run.catalogue,
    loaded: run.loaded,
    seed: run.seed,
    runs: run.runs,
    caseLimitMs,
    collect: run.collect,
    mark: run.mark,
  };
  return runCases({
    rules: run.rules,
    asGiven: run.asGiven ?? false,
    setup,
    judgeModule: new URL(`judge${extname(import.meta.url)}`, import.meta.url).href,
    caseLimitMs: caseLimitMs + graceMs,
    totalSeconds: profile.limits?.totalSeconds ?? usualTotalSeconds(profile),
    concurrency: run.concurrency ?? defaultConcurrency,
    onOutcome: run.onOutcome,
    stopAfter: stopper(run),
    ...(run.signal !== undefined && { signal: run.signal }),
  });
}

/** Schedules in real time may take their whole budget, whatever else is to do. */
function usualTotalSeconds(profile: Profile): number {
  return defaultTotalSeconds + (isTimeControlled(profile) ? 0 : timeBudgetSeconds(profile));
}

function stopper({ stopsAt, isAlive }: RunSuites): (outcome: Outcome) => Promise<string | undefined> {
  let inARow = 0;
  return async (outcome) => {
    if (stopsAt(outcome)) return 'the first violation ended it, as --bail asked for';
    inARow = outcome.verdict === 'broken' ? inARow + 1 : 0;
    if (inARow < suspiciousInARow) return undefined;
    inARow = 0;
    const sentence = await isAlive();
    return sentence === undefined ? undefined : `the target stopped answering: ${sentence}`;
  };
}
