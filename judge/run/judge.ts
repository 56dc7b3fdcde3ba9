import type { Need } from '../../contract/needs.ts';
import type { Profile, TriggerName } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Case, Catalogue, Rule } from '../rule.ts';
import type { BookingNews } from '../case/bookings.ts';
import { Recorder } from '../cassette/recorder.ts';
import type { Tape } from '../cassette/tape.ts';
import { TargetUnreachable } from '../client/failure.ts';
import { ConductLog, RouteNames } from '../case/conduct.ts';
import { Observer } from '../coverage/observer.ts';
import { ReachedLog } from '../coverage/reached.ts';
import { brokenOutcome, isBreach, type Outcome } from '../outcome.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { sideProfile } from '../host/host-needs.ts';
import { runCase, type CaseRun } from '../case/run-case.ts';
import { namesExtension } from '../extension/own-call.ts';
import { makesFewCalls } from '../extension/calls-at-once.ts';
import { validatesByOne } from '../extension/trigger-calls.ts';
import { openRepeatBudget } from '../repeat/playing.ts';
import { isTimeControlled, realSeconds } from '../time/budget.ts';
import { Waits } from '../case/waits.ts';
import { startTakingOff } from './taken-off.ts';
import { booked, closeSession, openSession, type Session } from './session.ts';
import { Trace } from '../case/trace.ts';
import { printableUpTo } from '../describe.ts';
import { caseLimitMsOf, type OpenJudge, type Plan, type RuleTrace, type Run } from './run.ts';

const waitingNeeds: ReadonlySet<Need> = new Set(['extension-listener', 'extension-task', 'host-directory']);

/** Triggers that may name no extension, and the needs of the cases that use them. */
const sharedTriggers: readonly (readonly [TriggerName, readonly Need[]])[] = [
  ['email', ['trigger-email']],
  ['task', ['trigger-task']],
  ['actionForm', ['trigger-action', 'trigger-action-form']],
  ['actionRibbon', ['trigger-action', 'trigger-action-ribbon']],
];

const slowAnswerMs = 50;

/** Opens the judge of a run; the thread of the cases takes it from the module that it is told. */
export type JudgeOpener = (catalogue: Catalogue, run: Run, onNews?: (news: BookingNews) => void) => OpenJudge;

/** A run of which it may be open which rules are asked for; all that are judged unless given. */
type OpenRun = Omit<Run, 'rules'> & Partial<Pick<Run, 'rules'>>;

/**
 * A judge of the rules of that catalogue, on the target of the run.
 * @param onNews told of what the cases make
 */
export function openJudge(catalogue: Catalogue, run: OpenRun, onNews?: (news: BookingNews) => void): OpenJudge {
  if (run.record !== true) return openJudgeWith(catalogue, run, undefined, onNews);
  const recorder = new Recorder();
  return { ...openJudgeWith(catalogue, run, recorder, onNews), recorded: () => recorder.finish(run) };
}

/** @param tape where the run is recorded, or played from */
export function openJudgeWith(
  catalogue: Catalogue,
  run: OpenRun,
  tape?: Tape,
  onNews?: (news: BookingNews) => void,
): OpenJudge {
  const { loaded } = run;
  const session = openSession(loaded, run.mark, tape, onNews);
  for (const secret of run.granted ?? []) session.secrets.hide('GRANTED', secret);
  const caseLimitMs = caseLimitMsOf(run);
  const names = new RouteNames(loaded.profile);
  const observer = new Observer(loaded, session.secrets);
  const reachedByAll = new ReachedLog();
  const underWay = new Map<RuleId, { readonly waits: Waits; readonly notOwnMs: () => number }>();
  const { sends = false, keeps = false } = run.tracing ?? {};
  const tracing = { sends: sends && loaded.profile.tracing !== false, keeps };
  const repeats = run.repeat === true ? openRepeatBudget(run.collect === true) : undefined;
  const watchersOf = (rule: Rule): Pick<CaseRun, 'conduct' | 'trace' | 'repeats'> => ({
    ...(run.observe === true && { conduct: new ConductLog(names) }),
    ...((tracing.sends || tracing.keeps) && { trace: new Trace(rule, tracing) }),
    ...(repeats !== undefined && { repeats }),
  });
  const plan = planCases(catalogue, loaded);
  const violated = new Set<string>();
  return {
    heldBackMs: (id) => underWay.get(id)?.notOwnMs() ?? 0,
    letTimeGoOn: async () => session.time.letGoOn?.(),
    waitedFor: (id) => underWay.get(id)?.waits.tell() ?? 'its turn',
    plan,
    judge: async (id, signal) => {
      const rule = catalogue.get(id);
      const deadlineMs = caseLimitMs + realMs(loaded, rule.test);
      const log = run.observe === true || run.rules?.includes(id) === false ? new ReachedLog() : reachedByAll;
      const watchers = watchersOf(rule);
      const startedAt = performance.now();
      const waits = new Waits();
      underWay.set(id, { waits, notOwnMs: startTakingOff({ session, waits, deadlineMs }) });
      if (tape !== undefined && !(await tape.begin(id))) return { outcome: notOnCassette(id, 'its case'), booked: [] };
      const judged = await outcomeOf(rule, {
        ...run,
        ...watchers,
        session,
        deadlineMs,
        signal,
        waits,
        onSent: (sent) => observer.note(sent, log),
        // who wants to know what a case does wants to know it of its own requests; and they take longer
        mayTakeDetours: run.observe !== true && (run.fastestAnswerMs ?? 0) < slowAnswerMs,
        isExplained: () => plan.standsOn?.(id).some((ground) => violated.has(ground)) ?? false,
      });
      if (isBreach(judged)) violated.add(id);
      const missing = tape?.missingFor(id);
      const outcome = missing === undefined ? judged : notOnCassette(id, missing);
      const reached = log.take();
      const { conduct, trace } = watchers;
      return {
        outcome,
        booked: run.collect === true ? booked(session, id) : [],
        ...(conduct !== undefined && { conduct: conduct.tell() }),
        ...(reached !== undefined && { reached }),
        ...(trace !== undefined && tracing.keeps && { trace: traceOf(id, trace, session, startedAt) }),
      };
    },
    [Symbol.asyncDispose]: () => closeSession(session),
  };
}

function traceOf(rule: RuleId, trace: Trace, { client, secrets }: Session, startedAt: number): RuleTrace {
  const [from, to] = [startedAt, performance.now()].map((at) => performance.timeOrigin + at);
  const { id, rootSpanId } = trace;
  const spans = secrets.redactAll(trace.spans(client.openedAt), printableUpTo(longestText));
  return { rule, id, rootSpanId, startedAt: from ?? 0, endedAt: to ?? 0, spans };
}

const longestText = 4000;

function notOnCassette(rule: RuleId, what: string): Outcome {
  return brokenOutcome(rule, `not on the cassette: ${what}`);
}

/** When the cases may begin. Schedules that do not fit into the run begin and end as blocked. */
export function planCases(catalogue: Catalogue, loaded: LoadedProfile): Plan {
  const { profile } = loaded;
  // where a trigger names nobody, the service has one component for all that it sets off
  const shared = new Set(
    sharedTriggers
      .filter(([name]) => profile.triggers?.[name] !== undefined && !namesExtension(profile.triggers[name]))
      .flatMap(([, needs]) => needs),
  );
  if (validatesByOne(profile)) shared.add('trigger-validation');
  const jumps = isTimeControlled(profile) || isTimeControlled(sideProfile(profile, 'extension'));
  return {
    standsOn: (rule) => (catalogue.has(rule) ? catalogue.standsOn(rule) : []),
    secondsOf: (rule) => longestSeconds(catalogue.get(rule).test),
    realMs: (rule) => realMs(loaded, catalogue.get(rule).test),
    claims: (rule) => {
      const { needs, test } = catalogue.get(rule);
      // a service makes only so many calls at once, or serves nobody meanwhile: where time jumps, to wait for others costs nothing
      if (jumps && test.seconds !== undefined) return 'the service';
      return needs.some((need) => shared.has(need)) ? 'calls of nobody' : undefined;
    },
    jumps,
    comesLast: (rule) => comesLast(catalogue.get(rule), profile, jumps),
    // chains of requests, and waits for what must not come, or for the work of a host
    lasts: (rule) => {
      const { test, needs } = catalogue.get(rule);
      return test.kind === 'model' || test.side === 'extension' || needs.some((need) => waitingNeeds.has(need));
    },
  };
}

function comesLast({ needs, test }: Rule, profile: Profile, jumps: boolean): boolean {
  if (needs.includes('restart-control')) return true;
  if (test.looksBack === true) return true;
  // where time does not jump nothing is registered that would hold others up, and to wait for its turn would take minutes
  if (test.side !== undefined) return false;
  if (test.isAlone === true) return jumps || test.seconds === undefined;
  return test.holdsCalls === true && makesFewCalls(profile);
}

/** What a schedule takes in a run that gives it all that it has a use for; undefined for other cases. */
function longestSeconds(test: Case): number | undefined {
  const { seconds } = test;
  return seconds === undefined || test.side !== undefined ? seconds : Math.max(seconds, test.atMostSeconds ?? 0);
}

/** Real time that a schedule takes, in ms, with the 5 % that it may be late. */
function realMs({ profile }: LoadedProfile, test: Case): number {
  const own = sideProfile(profile, test.side);
  const seconds = longestSeconds(test);
  return seconds === undefined || isTimeControlled(own) ? 0 : realSeconds(own, seconds) * 1050;
}

/** Where nobody answers the suite can say nothing about the rule; whether the run goes on is decided by who runs it. */
async function outcomeOf(rule: Rule, run: CaseRun): Promise<Outcome> {
  try {
    return await runCase(rule, rule.test, run);
  } catch (error) {
    if (error instanceof TargetUnreachable) return brokenOutcome(rule.id, error.message);
    throw error;
  }
}
