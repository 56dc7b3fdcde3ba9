import { parentPort, workerData } from 'node:worker_threads';
import type { RuleId } from '../../contract/rule.ts';
import type { BookingNews } from '../case/bookings.ts';
import type { Catalogue } from '../rule.ts';
import { judgedInTime } from './deadline.ts';
import { isBreach, isStumble, type Outcome } from '../outcome.ts';
import { isUnjudged } from './settle.ts';
import { caseLimitMsOf, type Judgement, type OpenJudge, type Plan, type Run } from './run.ts';
import type { JudgeOpener } from './judge.ts';
import { learnedSince } from '../redact/redact.ts';
import { openTurns } from './turns.ts';
import type { ThreadRequest, ThreadModules, ThreadReport } from './thread.ts';
import { messageOf } from '../../contract/thrown.ts';

// The thread of the cases: it loads the rules while nobody needs them yet, judges those of one run after another, and tells each judgement as it comes.

/** A case that does not even end at its deadline is given up so much later, in ms. */
const graceMs = 1000;
const beatMs = 500;
const defaultConcurrency = 16;

/** Ends the run that goes on. */
let stop = new AbortController();
const loading = loadModules(workerData as ThreadModules);
// whoever asks for a run hears of it
loading.catch(() => undefined);
process.on('uncaughtException', tellStray);
process.exit = refuseExit;
setInterval(() => tell({ kind: 'beat' }), beatMs);
parentPort?.on('message', (request: ThreadRequest) => {
  if (request.kind === 'stop') stop.abort();
  else
    void judgeRules(request.run)
      .catch(tellStray)
      .finally(() => tell({ kind: 'end' }));
});

async function judgeRules(run: Run): Promise<void> {
  stop = new AbortController();
  const { catalogue, openJudge } = await loading;
  const onNews = (news: BookingNews): void => tell({ kind: 'booking', news });
  await using open = openJudge(catalogue, run, run.collect === true ? onNews : undefined);
  const elsewhere = new Set(run.elsewhere);
  const plan: Plan = {
    ...open.plan,
    standsOn: (rule) => (open.plan.standsOn?.(rule) ?? []).filter((id) => !elsewhere.has(id)),
    isElsewhere: (rule) => elsewhere.has(rule),
  };
  await judgeAll(run, { ...open, plan });
  tell({ kind: 'judged' });
  if (open.recorded !== undefined) tell({ kind: 'recorded', tape: await open.recorded() });
}

async function judgeAll(run: Run, open: OpenJudge): Promise<void> {
  const judged = new Map<RuleId, Outcome>();
  const note = ({ outcome }: Judgement): void => void (outcome && judged.set(outcome.rule, outcome));
  const atOnce = run.groundsAtOnce === true && run.alone !== true ? groundsInTurn(run, open, note) : undefined;
  await judgeRound(
    run.rules,
    run,
    open,
    (judgement) => {
      note(judgement);
      tell({ kind: 'judgement', judgement });
    },
    atOnce,
  );
  if (run.alone !== true) await judgeGrounds(run, open, judged);
}

/**
 * What judges the grounds of a rule in its turn, each once; those that wait for a turn of their own are left to the end.
 * @param note told of each
 */
function groundsInTurn(
  run: Run,
  open: OpenJudge,
  note: (judgement: Judgement) => void,
): (judgement: Judgement) => Promise<void> {
  const own = new Set(run.rules);
  const { plan } = open;
  const isOrdinary = (rule: RuleId): boolean =>
    plan.secondsOf(rule) === undefined && plan.comesLast?.(rule) !== true && plan.claims?.(rule) === undefined;
  const judgements = new Map<RuleId, Promise<Judgement>>();
  const lacking = new Lacking();
  const judgeOnce = (rule: RuleId): Promise<Judgement> => {
    const known = judgements.get(rule);
    if (known !== undefined) return known;
    const judging = judgeInTime(rule, run, open).then((judgement) => {
      note(judgement);
      tell({ kind: 'judgement', judgement: asGround(judgement) });
      lacking.note(judgement);
      return judgement;
    });
    judgements.set(rule, judging);
    return judging;
  };
  return async ({ outcome }) => {
    const seen = new Set<RuleId>(own);
    const found = new Map<RuleId, Outcome>(outcome === undefined ? [] : [[outcome.rule, outcome]]);
    const next = (): readonly RuleId[] => groundsOf(found, open).filter((rule) => !seen.has(rule) && isOrdinary(rule));
    for (let grounds = next(); grounds.length > 0 && !stop.signal.aborted; grounds = next())
      for (const rule of grounds) {
        seen.add(rule);
        const judgement = await judgeOnce(rule);
        if (judgement.outcome !== undefined) found.set(rule, judgement.outcome);
      }
    lacking.tellAbove(found, open);
  };
}

/** A breach is told by the rule at its root, whether that was selected or not. */
async function judgeGrounds(run: Run, open: OpenJudge, judged: Map<RuleId, Outcome>): Promise<void> {
  const lacking = new Lacking();
  for (let grounds = groundsOf(judged, open); grounds.length > 0; grounds = groundsOf(judged, open)) {
    if (stop.signal.aborted) return;
    await open.letTimeGoOn?.();
    await judgeRound(grounds, run, open, (judgement) => {
      if (judgement.outcome !== undefined) judged.set(judgement.outcome.rule, judgement.outcome);
      tell({ kind: 'judgement', judgement: asGround(judgement) });
      lacking.note(judgement);
    });
  }
  lacking.tellAbove(judged, open);
}

/** Grounds that were not judged for what the profile lacks: they are told where they lie above a breach, to which the way down leads through them. */
class Lacking {
  readonly #outcomes = new Map<RuleId, Outcome>();

  note({ outcome }: Judgement): void {
    if (outcome !== undefined && isUnjudged(outcome) && !isStumble(outcome)) this.#outcomes.set(outcome.rule, outcome);
  }

  tellAbove(judged: ReadonlyMap<RuleId, Outcome>, { plan }: OpenJudge): void {
    const isAbove = (rule: RuleId, seen: Set<RuleId>): boolean =>
      belowOf(rule, judged, plan).some((id) => {
        const below = judged.get(id);
        if (below === undefined || seen.has(id)) return false;
        seen.add(id);
        return isBreach(below) || (isUnjudged(below) && isAbove(id, seen));
      });
    for (const [rule, outcome] of this.#outcomes)
      if (isAbove(rule, new Set([rule]))) {
        this.#outcomes.delete(rule);
        // what else it holds was told
        tell({ kind: 'judgement', judgement: withRemark({ booked: [], outcome }) });
      }
  }
}

async function judgeRound(
  rules: readonly RuleId[],
  run: Run,
  open: OpenJudge,
  onJudgement: (judgement: Judgement) => void,
  beforeTelling: (judgement: Judgement) => Promise<void> = async () => undefined,
): Promise<void> {
  const { plan } = open;
  // when a case begins is decided there
  const turns = openTurns(rules, run.concurrency ?? defaultConcurrency, plan);
  const lasts = (rule: RuleId): boolean => run.asGiven !== true && (plan.lasts?.(rule) ?? false);
  const judgeRule = async (rule: RuleId): Promise<void> => {
    const judgement = await turns.take(rule, stop.signal, async () => {
      const own = await judgeInTime(rule, run, open);
      await beforeTelling(own);
      return own;
    });
    if (judgement !== undefined) onJudgement(judgement);
  };
  // one that is soon over comes first, so that whoever waits sees something
  const [first, ...others] = rules.filter((rule) => !lasts(rule));
  const ordered = [...(first === undefined ? [] : [first]), ...rules.filter(lasts), ...others];
  await Promise.all(ordered.map(judgeRule));
}

function judgeInTime(rule: RuleId, run: Run, { judge, plan, heldBackMs, waitedFor }: OpenJudge): Promise<Judgement> {
  const limitMs = caseLimitMsOf(run) + graceMs + (plan.realMs?.(rule) ?? 0);
  return judgedInTime(judge, rule, { limitMs, stopped: stop.signal, heldBackMs, waitedFor });
}

/** Rules that were not judged, and on which others stand that did not hold: by themselves, or through what could not be judged. */
function groundsOf(judged: ReadonlyMap<RuleId, Outcome>, { plan }: OpenJudge): readonly RuleId[] {
  const open = [...judged.values()].filter((outcome) => isBreach(outcome) || isStumble(outcome));
  const grounds = new Set<RuleId>();
  const seen = new Set(open);
  for (const { rule } of open)
    for (const id of belowOf(rule, judged, plan)) {
      const below = judged.get(id);
      if (below === undefined) grounds.add(id);
      else if (isUnjudged(below) && !seen.has(below)) {
        seen.add(below);
        open.push(below);
      }
    }
  return [...grounds].filter((rule) => plan.isElsewhere?.(rule) !== true);
}

function belowOf(rule: RuleId, judged: ReadonlyMap<RuleId, Outcome>, plan: Plan): readonly RuleId[] {
  return [...(judged.get(rule)?.standsOn ?? []), ...(plan.standsOn?.(rule) ?? [])];
}

/** A ground that holds was not asked for, and explains nothing: nor is what it reached told, which nobody who judges the cassette again would see. */
function asGround(judgement: Judgement): Judgement {
  const { outcome, reached: _, ...rest } = judgement;
  return outcome !== undefined && (isBreach(outcome) || isStumble(outcome))
    ? withRemark({ ...judgement, outcome })
    : rest;
}

function withRemark(judgement: Judgement & { readonly outcome: Outcome }): Judgement {
  const { outcome } = judgement;
  const remarks = ['judged because a selected rule that did not hold stands on it', ...outcome.remarks];
  return { ...judgement, outcome: { ...outcome, remarks } };
}

async function loadModules(modules: ThreadModules): Promise<{ catalogue: Catalogue; openJudge: JudgeOpener }> {
  const [{ openJudge }, { catalogue }] = await Promise.all([
    import(modules.judge) as Promise<{ readonly openJudge: JudgeOpener }>,
    import(modules.catalogue) as Promise<{ readonly catalogue: Catalogue }>,
  ]);
  return { catalogue, openJudge };
}

/** What went wrong outside of every case could belong to any of them. */
function tellStray(error: unknown): void {
  tell({ kind: 'stray', message: messageOf(error) });
}

function refuseExit(): never {
  throw new Error('it called process.exit, and a case may not end the run');
}

function tell(report: ThreadReport): void {
  const secrets = learnedSince();
  if (secrets.length > 0) parentPort?.postMessage({ kind: 'learned', secrets } satisfies ThreadReport);
  parentPort?.postMessage(report);
}
