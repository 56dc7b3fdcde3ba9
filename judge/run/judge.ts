import type { Need } from '../../contract/needs.ts';
import { ruleOf } from '../../contract/rules.ts';
import { caseOf } from '../../suites/cases.ts';
import type { Case } from '../case.ts';
import { TargetUnreachable } from '../client/failure.ts';
import type { Outcome } from '../outcome.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { sideProfile } from '../host/host-needs.ts';
import { runCase, type CaseRun } from '../run-case.ts';
import { isTimeControlled, realSeconds } from '../time/budget.ts';
import { booked, closeSession, openSession } from '../session.ts';
import { brokenOutcome } from './deadline.ts';
import type { Judge, JudgeModule, Plan } from './handover.ts';

export interface JudgeSetup {
  readonly loaded: LoadedProfile;
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Longest time of one case, in ms. */
  readonly caseLimitMs: number;
  /** Whether it matters afterwards what the cases created. */
  readonly collect: boolean;
  /** Part of every name that is new in this run, on a target that has seen others. */
  readonly mark?: string;
}

/** A judge with connections of its own. */
export interface OpenJudge extends AsyncDisposable {
  readonly judge: Judge;
}

export function openJudge({ loaded, seed, runs, caseLimitMs, collect, mark }: JudgeSetup): OpenJudge {
  const session = openSession(loaded, mark);
  return {
    judge: async (rule, signal) => {
      const theCase = caseOf(rule);
      const run = { session, seed, runs, deadlineMs: caseLimitMs + realMs(loaded, theCase), signal };
      const outcome = await caseOutcome(rule, theCase, run);
      return { outcome, booked: collect ? booked(session).filter(({ madeBy }) => madeBy === rule) : [] };
    },
    [Symbol.asyncDispose]: () => closeSession(session),
  };
}

/** For the thread of the cases, where the connections live as long as the thread. */
export const judgeWith: JudgeModule<JudgeSetup>['judgeWith'] = async (setup) => openJudge(setup).judge;

/** Schedules that do not fit into the run begin and end as blocked. */
export const planOf = ({ loaded }: Pick<JudgeSetup, 'loaded'>): Plan => ({
  secondsOf: (rule) => caseOf(rule).seconds,
  jumps: isTimeControlled(loaded.profile) || isTimeControlled(sideProfile(loaded.profile, 'extension')),
  restarts: (rule) => ruleOf(rule).needs.includes('restart-control'),
  // chains of requests, and waits for what must not come
  lasts: (rule) => caseOf(rule).kind === 'model' || ruleOf(rule).needs.some((need) => waitingNeeds.has(need)),
});

const waitingNeeds: ReadonlySet<Need> = new Set(['extension-listener', 'host-directory']);

/** Real time that a schedule takes, in ms, with the 5 % that it may be late. */
function realMs({ profile }: LoadedProfile, theCase: Case): number {
  const { seconds, side } = theCase;
  const own = sideProfile(profile, side);
  return seconds === undefined || isTimeControlled(own) ? 0 : realSeconds(own, seconds) * 1050;
}

/** Where nobody answers the suite can say nothing about the rule; whether the run goes on is decided by who runs it. */
async function caseOutcome(rule: Outcome['rule'], theCase: Case, run: CaseRun): Promise<Outcome> {
  try {
    return await runCase(ruleOf(rule), theCase, run);
  } catch (error) {
    if (error instanceof TargetUnreachable) return brokenOutcome(rule, error.message);
    throw error;
  }
}
