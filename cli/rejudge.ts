import { stdout } from './outlet.ts';
import type { Reached } from '../judge/coverage/reached.ts';
import { extname } from 'node:path';
import type { RejudgeOptions } from './options.ts';
import { incompleteExitCode, violatedExitCode } from './exit-codes.ts';
import { asUsage } from './usage.ts';
import type { RuleId } from '../contract/rule.ts';
import {
  type About,
  CassetteError,
  headOf,
  readCassette,
  readCassetteFile,
  type RecordedVerdict,
} from '../judge/cassette/file.ts';
import type { Head } from '../judge/cassette/lines.ts';
import type { PlayedRun } from '../judge/cassette/played-judge.ts';
import type { Outcome } from '../judge/outcome.ts';
import { runCases } from '../judge/run/run-cases.ts';
import { SelectionError, selectRules } from '../judge/run/selection.ts';
import { settle } from '../judge/run/settle.ts';
import { startThread } from '../judge/run/thread.ts';
import { counted, foundInWords } from '../reports/text.ts';
import { catalogue, catalogueUrl } from '../suites/catalogue.ts';

const playedJudgeUrl = new URL(`../judge/cassette/played-judge${extname(import.meta.url)}`, import.meta.url).href;

/** A verdict that is another one now. */
export interface Difference {
  readonly rule: RuleId;
  readonly recorded: string;
  readonly now: string;
  /** Why, where it can be told. */
  readonly reason?: string;
}

/** What judging a recorded run again came to. */
export interface Rejudged {
  readonly about: About;
  /** As it was made when it was recorded. */
  readonly run: Head['run'];
  readonly outcomes: readonly Outcome[];
  readonly differences: readonly Difference[];
  /** Which parts of the documents the recorded requests reached. */
  readonly reached?: Reached;
}

/**
 * Judges recorded runs again by what their cases saw then, one after the other, and prints which verdicts are others now. Resolves with 1
 * where one is, with 3 where a cassette does not tell of a rule or of none was judged, else with 0.
 * @throws {UsageError} a file cannot be played, or the selection is none
 */
export async function rejudgeCommand(files: readonly string[], options: RejudgeOptions): Promise<number> {
  try {
    let [different, open] = [0, 0];
    for (const file of files) {
      const { about, outcomes, differences } = await rejudge(readCassetteFile(file), file, options);
      if (options.quiet !== true) for (const difference of differences) stdout.write(lineOf(difference));
      stdout.write(`${files.length > 1 ? `${file}: ` : ''}${resultOf(about, outcomes, differences)}\n`);
      const untold = differences.filter(isUntold).length;
      different += differences.length - untold;
      open += outcomes.length === 0 ? 1 : untold;
    }
    if (different > 0) return violatedExitCode;
    return open === 0 ? 0 : incompleteExitCode;
  } catch (error) {
    throw asUsage(error, CassetteError, SelectionError);
  }
}

function lineOf({ rule, recorded, now, reason }: Difference): string {
  return `${rule}: ${recorded} when it was recorded, ${now} now${reason === undefined ? '' : `: ${reason}`}\n`;
}

/** As the judge begins to say that an answer is not there. */
const notOnCassette = 'not on the cassette: ';

/** Whether the rule asks for more than was recorded, so that nothing is known about it. */
function isUntold({ reason }: Difference): boolean {
  return reason?.startsWith(notOnCassette) === true;
}

/** @param name of the file, for sentences @throws {CassetteError | SelectionError} */
export async function rejudge(
  bytes: Uint8Array,
  name: string,
  {
    areas,
    rules: patterns,
    totalSeconds,
  }: Pick<RejudgeOptions, 'areas' | 'rules'> & Pick<PlayedRun, 'totalSeconds'> = {},
): Promise<Rejudged> {
  // it loads the rules while the cassette is read
  await using thread = startThread(catalogueUrl, playedJudgeUrl);
  const { about, tape } = readCassette(bytes, name);
  const { run } = headOf(tape);
  const wanted = new Set(
    selectRules({ ...(areas && { areas }), ...(patterns && { rules: patterns }) }, catalogue.all).map(({ id }) => id),
  );
  const recorded = about.verdicts.filter(({ rule }) => wanted.has(rule) || !catalogue.has(rule));
  const asked = recorded.map(({ rule }) => rule).filter((rule) => catalogue.has(rule));
  const rules = asked.some(isOfHost)
    ? about.verdicts.map(({ rule }) => rule).filter((rule) => asked.includes(rule) || isOfHost(rule))
    : asked;
  const played: PlayedRun = {
    ...run,
    rules,
    tape,
    alone: true,
    asGiven: true,
    concurrency: Math.max(1, rules.length),
    ...(totalSeconds !== undefined && { totalSeconds }),
  };
  const judged: Outcome[] = [];
  const { aborted, reached } = await runCases(played, { onOutcome: (outcome) => judged.push(outcome) }, thread);
  if (aborted !== undefined) throw new CassetteError(`${name} cannot be played to its end: ${aborted}`);
  const outcomes = settle(judged, (rule) => catalogue.standsOn(rule)).filter(({ rule }) => asked.includes(rule));
  return { about, run, outcomes, differences: differencesOf(recorded, outcomes), ...(reached && { reached }) };
}

/** What one such case got of the host, as its keys, others go on with: they are played together. */
function isOfHost(rule: RuleId): boolean {
  return catalogue.has(rule) && catalogue.get(rule).side === 'extension';
}

function differencesOf(recorded: readonly RecordedVerdict[], outcomes: readonly Outcome[]): readonly Difference[] {
  const byRule = new Map<string, Outcome>(outcomes.map((outcome) => [outcome.rule, outcome]));
  return recorded.flatMap(({ rule, verdict: before }): readonly Difference[] => {
    const outcome = byRule.get(rule);
    if (outcome === undefined)
      return [{ rule, recorded: before, now: 'gone', reason: 'there is no such rule any more' }];
    if (outcome.verdict === before) return [];
    const reason = outcome.reason ?? foundInWords(outcome.violation);
    return [{ rule, recorded: before, now: outcome.verdict, ...(reason !== undefined && { reason }) }];
  });
}

function resultOf(about: About, outcomes: readonly Outcome[], differences: readonly Difference[]): string {
  const what = `${about.implementation}, recorded ${about.startedAt} with the suite ${about.suiteVersion}`;
  if (outcomes.length === 0 && differences.length === 0)
    return `Nothing was judged again: none of the rules is on the cassette (${what}).`;
  const judged = `${counted(outcomes.length, 'rule')} judged again`;
  if (differences.length === 0) return `${judged}, all as recorded (${what}).`;
  const untold = differences.filter(isUntold).length;
  const lacks =
    untold === 0
      ? ''
      : ` Of ${untold} the cassette does not tell: the rules ask for more than was recorded; record the run again.`;
  return `${judged}, ${differences.length} not as recorded (${what}).${lacks}`;
}
