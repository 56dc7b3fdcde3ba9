import type { Need } from '../../contract/needs.ts';
import type { Case, Catalogue, Rule } from '../rule.ts';
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
  /** URL of the module that exports the catalogue of rules. */
  readonly catalogue: string;
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

export function openJudge(
  catalogue: Catalogue,
  { loaded, seed, runs, caseLimitMs, collect, mark }: Omit<JudgeSetup, 'catalogue'>,
): OpenJudge {
  const session = openSession(loaded, mark);
  return {
    judge: async (id, signal) => {
      const rule = catalogue.get(id);
      const run = { session, seed, runs, deadlineMs: caseLimitMs + realMs(loaded, rule.test), signal };
      const outcome = await caseOutcome(rule, run);
      return { outcome, booked: collect ? booked(session).filter(({ madeBy }) => madeBy === id) : [] };
    },
    [Symbol.asyncDispose]: () => closeSession(session),
  };
}

/** For the thread of the cases, where the connections live as long as the thread. */
export const judgeWith: JudgeModule<JudgeSetup>['judgeWith'] = async (setup) =>
  openJudge(await loadCatalogue(setup), setup).judge;

async function loadCatalogue({ catalogue }: Pick<JudgeSetup, 'catalogue'>): Promise<Catalogue> {
  const module = (await import(catalogue)) as { readonly catalogue: Catalogue };
  return module.catalogue;
}

/** Schedules that do not fit into the run begin and end as blocked. */
export const planOf: JudgeModule<JudgeSetup>['planOf'] = async (setup) =>
  planRun(await loadCatalogue(setup), setup.loaded);

export function planRun(catalogue: Catalogue, { profile }: LoadedProfile): Plan {
  return {
    secondsOf: (rule) => catalogue.get(rule).test.seconds,
    jumps: isTimeControlled(profile) || isTimeControlled(sideProfile(profile, 'extension')),
    restarts: (rule) => catalogue.get(rule).needs.includes('restart-control'),
    // chains of requests, and waits for what must not come
    lasts: (rule) => {
      const { test, needs } = catalogue.get(rule);
      return test.kind === 'model' || needs.some((need) => waitingNeeds.has(need));
    },
  };
}

const waitingNeeds: ReadonlySet<Need> = new Set(['extension-listener', 'host-directory']);

/** Real time that a schedule takes, in ms, with the 5 % that it may be late. */
function realMs({ profile }: LoadedProfile, theCase: Case): number {
  const { seconds, side } = theCase;
  const own = sideProfile(profile, side);
  return seconds === undefined || isTimeControlled(own) ? 0 : realSeconds(own, seconds) * 1050;
}

/** Where nobody answers the suite can say nothing about the rule; whether the run goes on is decided by who runs it. */
async function caseOutcome(rule: Rule, run: CaseRun): Promise<Outcome> {
  try {
    return await runCase(rule, rule.test, run);
  } catch (error) {
    if (error instanceof TargetUnreachable) return brokenOutcome(rule.id, error.message);
    throw error;
  }
}
