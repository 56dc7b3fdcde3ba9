import type { Level, RuleId } from '../../contract/rule.ts';
import { isBreach, type Outcome } from '../../judge/outcome.ts';
import { foundInWords } from '../../reports/text.ts';
import { catalogue } from '../../suites/catalogue.ts';
import type { Mistake } from '../../variants/mistakes/mistake.ts';
import { mistakes as known } from '../../variants/mistakes/mistakes.ts';
import { bystanderRuns, judgeVariant, type Start, type Variant } from './judge-variant.ts';
import { mapAtOnce } from './map-at-once.ts';
import { controlKills, type ControlKill } from './matrix.ts';
import { openThreads } from './threads.ts';
import { meetingBy, reachIn } from './try-faults.ts';

export interface MistakeTrial {
  readonly mistakes: readonly string[];
  /** Rules whose cases judge them. */
  readonly rules: readonly RuleId[];
  /** Every case meets every mistake; else the first kill ends it. */
  readonly all: boolean;
  readonly seed?: number;
  readonly runs?: number;
  /** Hears of each mistake when it has met its last case. */
  readonly ended?: (row: MistakeRow) => void;
  /** Starts what is judged, in this thread; threads of their own start reference servers unless given. */
  readonly start?: Start;
}

/** Which rules see which mistakes. */
export interface MistakeMatrix {
  readonly mode: 'first-kill' | 'all';
  readonly durationMs: number;
  /** The server without any mistake. */
  readonly control: { readonly cases: number; readonly killedBy: readonly ControlKill[] };
  readonly mistakes: readonly MistakeRow[];
}

/** What became of one mistake. `observed`: only rules that record saw it. `survived`: none did. */
export interface MistakeRow extends Pick<Mistake, 'source' | 'breaks' | 'survives'> {
  readonly mistake: string;
  readonly verdict: 'killed' | 'observed' | 'survived';
  readonly killedBy: readonly Sighting[];
  readonly observedBy: readonly Sighting[];
  /** Cases that stumbled over the mistake: a defect of the suite. */
  readonly broken: readonly Sighting[];
  /** Cases that it kept from judging. Where none sees it, one of them asks for what it should assert, or stands on a rule that sees too little. */
  readonly blocked: readonly Sighting[];
  /** Cases that met it. */
  readonly cases: number;
}

/** A rule that saw a mistake, and what its case found. */
export interface Sighting {
  readonly rule: RuleId;
  readonly level: Level;
  readonly found: string;
}

/** Cases that meet a mistake on one server before it is asked whether it was killed. */
const portionLength = 60;

/**
 * Starts a reference server with each mistake, and one without, and lets the cases judge them. Those about the section of the mistake come
 * first, and try as many generated values as they do alone. Any other case is left out under a mistake that replaces nothing of what it sets in motion.
 */
export async function mistakeMatrix({
  mistakes,
  rules,
  all,
  seed = 1,
  runs = 20,
  ended = () => undefined,
  start,
}: MistakeTrial): Promise<MistakeMatrix> {
  const startedAt = performance.now();
  await using threads = start === undefined ? openThreads(mistakes.length + 1) : undefined;
  const judge = (variant: Variant) => (threads === undefined ? judgeVariant(variant, start) : threads.judge(variant));
  const judged = rules.filter((rule) => catalogue.get(rule).side === 'service');
  const looksBack = (rule: RuleId): boolean => 'looksBack' in catalogue.get(rule).test;
  const served = judged.filter((rule) => !looksBack(rule));
  // they judge what all others of a server were answered
  const lookingBack = judged.filter(looksBack);
  const fewRuns = Math.min(runs, bystanderRuns);
  const meets = threads === undefined ? () => true : meetingBy(await reachIn(threads, served, seed, fewRuns));
  const tryMistake = async (name: string): Promise<MistakeRow> => {
    const mistake = mistakeNamed(name);
    const outcomes: Outcome[] = [];
    for (const { own, others } of portionsOf(served, mistake, (rule) => meets(name, rule))) {
      const found = await judge({ fault: name, own, others, seed, runs, lookingBack, asFound: true });
      outcomes.push(...(await settled(found, (again) => judge({ fault: name, own: [], others: again, seed, runs }))));
      if (!all && outcomes.some(isKill)) break;
    }
    const row = mistakeRow(name, mistake, outcomes);
    ended(row);
    return row;
  };
  const [control, rows] = await Promise.all([
    judge({ fault: 'control', own: [], others: served, seed, runs, lookingBack }),
    mapAtOnce(mistakes, Math.max(1, (threads?.width ?? 1) - 1), tryMistake),
  ]);
  return {
    mode: all ? 'all' : 'first-kill',
    durationMs: Math.round(performance.now() - startedAt),
    control: { cases: casesOf(control), killedBy: controlKills(control) },
    mistakes: rows,
  };
}

/** @throws {RangeError} there is none */
function mistakeNamed(name: string): Mistake {
  const mistake = known.get(name);
  if (mistake === undefined) throw new RangeError(`There is no mistake ${name}.`);
  return mistake;
}

/** Judges what the cases said under one mistake. */
export function mistakeRow(
  name: string,
  { source, breaks, survives }: Mistake,
  outcomes: readonly Outcome[],
): MistakeRow {
  const killedBy = outcomes.filter(isKill).map(sightingOf);
  const observedBy = outcomes.filter((outcome) => isBreach(outcome) && !isKill(outcome)).map(sightingOf);
  const broken = outcomes.filter(({ verdict }) => verdict === 'broken').map(sightingOf);
  const blocked = outcomes.filter(({ verdict }) => verdict === 'blocked').map(sightingOf);
  const seen = { killedBy, observedBy, broken, blocked, cases: casesOf(outcomes) };
  const about = { mistake: name, source, breaks, ...(survives !== undefined && { survives }) };
  if (killedBy.length > 0) return { ...about, verdict: 'killed', ...seen };
  return { ...about, verdict: observedBy.length > 0 ? 'observed' : 'survived', ...seen };
}

/** Those that look back judge each server by itself. */
function casesOf(outcomes: readonly Outcome[]): number {
  return new Set(outcomes.map(({ rule }) => rule)).size;
}

/** 0: every mistake is either killed or excused, no case stumbled and the control lives. 3: nothing was tried. Else 1. */
export function exitCodeOfMistakes({ mistakes, control }: MistakeMatrix): 0 | 1 | 3 {
  const isSound = (row: MistakeRow): boolean => !isUnexcused(row) && !isStale(row) && row.broken.length === 0;
  if (control.killedBy.length > 0 || !mistakes.every(isSound)) return 1;
  return mistakes.length === 0 ? 3 : 0;
}

/** Whether no rule that can fail saw the mistake, and nothing says why. */
export function isUnexcused({ verdict, survives }: MistakeRow): boolean {
  return verdict !== 'killed' && survives === undefined;
}

/** Whether there is an excuse for what a rule sees by now. */
export function isStale({ verdict, survives }: MistakeRow): boolean {
  return verdict === 'killed' && survives !== undefined;
}

/**
 * The rules about the section of the mistake, then the others of their areas, then the rest; of those two the ones that can reach it. What a case
 * reaches is seen on a server that keeps what earlier cases had it make, so that the first may be told wrongly: they are few enough to try all.
 */
function portionsOf(
  rules: readonly RuleId[],
  { source }: Mistake,
  reaches: (rule: RuleId) => boolean,
): readonly Pick<Variant, 'own' | 'others'>[] {
  const near = rulesNear(rules, source);
  const areas = new Set(near.map((rule) => catalogue.get(rule).area));
  const others = rules.filter((rule) => !near.includes(rule) && reaches(rule));
  const [beside, far] = [true, false].map((isBeside) =>
    others.filter((rule) => areas.has(catalogue.get(rule).area) === isBeside),
  );
  return [
    ...cut(near).map((own) => ({ own, others: [] })),
    ...[beside ?? [], far ?? []].flatMap(cut).map((some) => ({ own: [], others: some })),
  ];
}

/** Those about the section of a mistake. */
export function rulesNear(rules: readonly RuleId[], source: string): readonly RuleId[] {
  const [section = ''] = sectionsOf(source);
  return rules.filter((rule) => sectionsOf(catalogue.get(rule).source).includes(section));
}

function cut(rules: readonly RuleId[]): readonly (readonly RuleId[])[] {
  const count = Math.ceil(rules.length / portionLength);
  return Array.from({ length: count }, (_, index) => rules.slice(index * portionLength, (index + 1) * portionLength));
}

/** A case that stumbles is tried once more on another server: on a busy machine it may just have taken too long. */
async function settled(
  outcomes: readonly Outcome[],
  judgeAgain: (rules: readonly RuleId[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const broken = outcomes.filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule);
  if (broken.length === 0) return outcomes;
  const again = await judgeAgain(broken);
  return [...outcomes.filter(({ rule }) => !broken.includes(rule)), ...again];
}

/** `core: paging` and `core: limits` of `core: Paging 4; Limits`: a part that names no document is about that of the one before it. */
function sectionsOf(source: string): readonly string[] {
  let document = '';
  return source.split(';').map((part) => {
    const [, named, text = ''] = /^\s*(core|extensions)?:?(.*)$/s.exec(part) ?? [];
    document = named ?? document;
    const section = text
      .split(',', 1)[0]
      ?.replace(/\s+[\d(].*$/s, '')
      .trim()
      .toLowerCase();
    return `${document}: ${section}`;
  });
}

/** A breach of a rule that is more than a record. */
function isKill(outcome: Outcome): boolean {
  return isBreach(outcome) && catalogue.get(outcome.rule).level !== 'observe';
}

function sightingOf({ rule, verdict, violation, reason }: Outcome): Sighting {
  return { rule, level: catalogue.get(rule).level, found: foundInWords(violation) ?? reason ?? verdict };
}
