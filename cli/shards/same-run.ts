import { catalogue } from '../../suites/catalogue.ts';
import { isDeepStrictEqual } from 'node:util';
import type { RuleId } from '../../contract/rule.ts';
import type { Rule } from '../../judge/rule.ts';
import type { Run } from '../../reports/run.ts';
import { counted } from '../../reports/text.ts';
import { isBreach, isStumble, type Outcome, type RunHeader, type Shard } from '../../judge/outcome.ts';
import { UsageError } from '../usage.ts';
import { rulesOfShard } from '../../judge/run/selection.ts';

/** The record of a part of a run. */
export interface ShardRun {
  readonly file: string;
  readonly run: Run;
  readonly shard: Shard;
}

/** What has to be the same in every part, in the words of the sentence that says it is not. */
const common: readonly (readonly [string, (header: RunHeader) => unknown])[] = [
  ['seed', ({ seed }) => seed],
  ['number of runs', ({ runs }) => runs],
  ['version of the suite', ({ suiteVersion }) => suiteVersion],
  ['implementation', ({ implementation }) => implementation],
  ['profile (its digest)', ({ profileDigest }) => profileDigest],
  ['number of shards', ({ shard }) => shard?.of],
  ['declarations', ({ notSupported, knownFailures, expired }) => ({ notSupported, knownFailures, expired })],
  ['gate', ({ gate }) => gate],
  // without what may differ from machine to machine
  ['command', ({ command }) => withoutShard(command).replaceAll(/ --(?:profile|url) (?:'[^']*'|\S)+/g, '')],
];

const longestShown = 120;
/** Missing shards that are named. */
const mostNamed = 20;

/** The records as the parts of one run, in order. @throws {UsageError} parts of different runs, or not every part once */
export function shardsOfOneRun(files: readonly string[], runs: readonly Run[]): readonly ShardRun[] {
  const shards = runs.map((run, index) => asShard(files[index] ?? '', run));
  const [first, ...others] = shards;
  if (first === undefined) throw new UsageError('Expected the outcomes.ndjson of every shard, found none.');
  for (const other of others) assertAlike(first, other);
  assertComplete(shards, first.shard.of);
  assertDealt(shards);
  return shards.toSorted((one, other) => one.shard.index - other.shard.index);
}

/** The command of the whole run. */
export function withoutShard(command: string): string {
  return command.replace(/ --shard \d+\/\d+/, '');
}

/** Rules of all the parts, in the order of the contract. */
export function selectedIn(shards: readonly ShardRun[]): readonly RuleId[] {
  return wholeOf(shards).map(({ id }) => id);
}

function asShard(file: string, run: Run): ShardRun {
  const { shard } = run.header;
  if (shard === undefined) throw new UsageError(`${file} is the record of a whole run; expected one of check --shard.`);
  return { file, run, shard };
}

function assertAlike(first: ShardRun, other: ShardRun): void {
  for (const [what, of] of common) {
    const [one, two] = [of(first.run.header), of(other.run.header)];
    if (isDeepStrictEqual(one, two)) continue;
    throw new UsageError(
      `${first.file} and ${other.file} are shards of different runs: the ${what} is ${shown(one)} in one and ${shown(two)} in the other.`,
    );
  }
}

function assertComplete(shards: readonly ShardRun[], of: number): void {
  const byIndex = Map.groupBy(shards, ({ shard }) => shard.index);
  for (const [index, [one, two]] of byIndex)
    if (two !== undefined)
      throw new UsageError(
        `Shard ${index} of ${of} is there twice: ${one?.file ?? ''} and ${two.file}. Name each shard once.`,
      );
  const missing = of - byIndex.size;
  if (missing === 0) return;
  const first = Array.from({ length: Math.min(of, byIndex.size + mostNamed) }, (_, place) => place + 1);
  const named = first.filter((index) => !byIndex.has(index)).slice(0, mostNamed);
  throw new UsageError(
    `${counted(missing, 'shard')} of ${of} missing: ${named.join(', ')}${missing > named.length ? ' and more' : ''}. Name the outcomes.ndjson of every shard.`,
  );
}

/** Parts that were cut out of different selections would leave rules out without a trace. */
function assertDealt(shards: readonly ShardRun[]): void {
  const whole = wholeOf(shards);
  const selected = new Set(whole.map(({ id }) => id));
  for (const { file, run, shard } of shards) {
    const own = rulesOfShard(whole, shard).map(({ id }) => id);
    if (!isDeepStrictEqual(own, [...run.header.selected]))
      throw new UsageError(
        `${file} does not hold what shard ${shard.index} of ${shard.of} holds of all that the shards selected. Run every shard with the same --areas, --rules and --level.`,
      );
    const foreign = run.outcomes.find(({ rule }) => !own.includes(rule) && !isGround(rule, run, selected));
    if (foreign !== undefined)
      throw new UsageError(
        `${file} tells how ${foreign.rule} ended, which is no rule of shard ${shard.index} of ${shard.of}: these are lines of another record.`,
      );
  }
}

/**
 * Whether a part may tell how the rule ended, though it is not among its own: because another one that did not hold stands on it. What the
 * catalogue says of a rule of another part is left to that one; what a case found in its way was asked for at once, whoever's rule it is.
 */
function isGround(rule: RuleId, { outcomes }: Run, selected: ReadonlySet<RuleId>): boolean {
  const isFound = (one: Outcome): boolean =>
    (isBreach(one) || isStumble(one)) && one.rule !== rule && one.standsOn?.includes(rule) === true;
  return outcomes.some((one) => (selected.has(rule) ? isFound(one) : standsOn(one).includes(rule)));
}

function standsOn({ rule, standsOn: named = [] }: Outcome): readonly string[] {
  return [...catalogue.standsOn(rule), ...named];
}

function wholeOf(shards: readonly ShardRun[]): readonly Rule[] {
  const selected = new Set<RuleId>(shards.flatMap(({ run }) => run.header.selected));
  return catalogue.all.filter(({ id }) => selected.has(id));
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? 'not recorded');
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
