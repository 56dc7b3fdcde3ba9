import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RuleId } from '../contract/rule.ts';
import { selectRules } from '../judge/run/selection.ts';
import { catalogue } from '../suites/catalogue.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { openChildren } from './mutants/children.ts';
import { isNoticed } from './mutants/fate.ts';
import { instrument, root } from './mutants/instrument.ts';
import type { JudgeCoverage, JudgeTask, JudgeTried } from './mutants/judge.child.ts';
import { diffOf, isSame, type Mutant } from './mutants/mutant.ts';
import { type Ground, groundOf } from './mutants/places.ts';
import { judgeLinesOf, linesOf } from './mutants/print.ts';
import { goneFrom, loadReviews, reviewOf } from './mutants/reviewed.ts';
import { sampleOf } from './mutants/sample.ts';
import type { Coverage, ServiceTask, Tried } from './mutants/service.child.ts';
import { tallyOf } from './mutants/tally.ts';
import { type JudgeRow, surveyJudge, tryJudgeMutants } from './mutants/try-judge.ts';
import { isReached, keptSurvey, survey, type Surveyed, type Surveying } from './mutants/survey.ts';
import { type Row, tryMutants, tryUnder, underLinesOf } from './mutants/try-service.ts';
import { execFileSync } from 'node:child_process';

const mainNames = ['origin/main', 'main'];

/**
 * How many of the small mistakes that a tool puts into the reference server and the extension host the cases notice. With `--judge` the tool
 * works on the judge and the suites instead, and it is the kill matrix that has to notice. With `--under` each that is noticed at large is on
 * in one circumstance alone. Exit 1: `--changed`, and some that nobody has reviewed survived.
 */
const { values } = parseArgs({
  options: {
    judge: { type: 'boolean', default: false },
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '20' },
    areas: { type: 'string' },
    files: { type: 'string', default: '' },
    changed: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: String(2 * availableParallelism()) },
    minutes: { type: 'string', default: '600' },
    most: { type: 'string', default: '120' },
    json: { type: 'string' },
    again: { type: 'string' },
    resume: { type: 'boolean', default: false },
    reviewed: { type: 'boolean', default: false },
    rules: { type: 'string' },
    survey: { type: 'string' },
    unreached: { type: 'boolean', default: false },
    under: { type: 'boolean', default: false },
  },
});
const startedAt = performance.now();
const seed = wholeNumber('seed');
const runs = wholeNumber('runs');
const size = wholeNumber('sample');
const grounds: readonly Ground[] = values.judge ? ['judge'] : ['service', 'host'];
const endsAt = startedAt + wholeNumber('minutes') * 60_000;
const hasTime = (): boolean => performance.now() < endsAt;
/** Mutants that an earlier run, of which this is the JSON, did not notice. */
const again = values.again === undefined ? undefined : unnoticedIn(values.again);
const changed = values.changed ? changedFiles() : undefined;
const areas = values.areas?.split(',');

await using copy = await instrument(grounds);
await using scratch = await makeScratch();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const folder of [copy.folder, scratch.file('')]) rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  });
const wanted = copy.mutants.filter(
  (mutant) =>
    (areas?.includes(mutant.area) ?? true) &&
    (changed?.has(mutant.file) ?? true) &&
    (again?.some((other) => isSame(other, mutant)) ?? true) &&
    mutant.file.includes(values.files),
);
if (wanted.length === 0) console.log('There is nothing to mutate: no file that is chosen has changed or exists.');
else await (values.judge ? judgeJudge() : judgeService());

async function judgeService(): Promise<void> {
  const sample = sampleOf(wanted, size, seed);
  console.log(`${sample.length} of ${wanted.length} mutants, seed ${seed}`);
  const reviews = await loadReviews();
  await using children = openChildren<ServiceTask, Coverage | Tried>(scriptIn(root, 'service'), openingOptions());
  const rows: Row[] = [...earlierRows<Row>()];
  const left = sample.filter((mutant) => !rows.some((row) => isSame(row.mutant, mutant)));
  const isExcused = (mutant: Mutant): boolean => !values.reviewed && reviewOf(mutant, reviews) !== undefined;
  const trial = { children, hasTime, isExcused, seed, runs, rules: chosenRules() };
  const surveyed = new Map<Ground, Surveyed>();
  for (const ground of new Set(sample.map(groundOf))) surveyed.set(ground, await surveyOf(ground, trial));
  for (const ground of surveyed.keys()) tellReached(ground, surveyed);
  if (values.unreached)
    return tellUnreached(wanted.filter((mutant) => !isExcused(mutant) && !isReached(mutant, surveyed)));
  tellUnsteady([...surveyed.values()].flatMap(({ unsteady }) => unsteady));
  if (values.under) {
    await tryUnder(left, surveyed, trial, (row) => tell(rows, row, sample));
    console.log(underLinesOf(rows).join('\n'));
    return tellMachine();
  }
  await tryMutants(left, surveyed, trial, (row) => tell(rows, row, sample));
  tellUntried(rows, sample);
  const tally = tallyOf(rows, reviews);
  console.log(linesOf(tally, goneFrom(reviews, copy.mutants)).join('\n'));
  tellMachine();
  if (values.changed && tally.newSurvivors.length > 0) process.exitCode = 1;
}

function surveyOf(ground: Ground, surveying: Surveying): Promise<Surveyed> {
  const { survey: file } = values;
  return file === undefined
    ? survey(ground, surveying)
    : keptSurvey(ground, surveying, { file, mutants: copy.mutants });
}

async function judgeJudge(): Promise<void> {
  await using children = openChildren<JudgeTask, JudgeCoverage | JudgeTried>(
    scriptIn(copy.folder, 'judge'),
    openingOptions(),
  );
  const trial = { children, hasTime, seed, runs, most: wholeNumber('most'), rules: chosenRules() };
  const reach = await surveyJudge(copy.mutants, trial);
  const reached = wanted.filter((mutant) => reach.isReached(mutant));
  const sample = sampleOf(reached, size, seed);
  console.log(
    `${sample.length} of ${reached.length} mutants that cases of the matrix reach, seed ${seed}; ${wanted.length - reached.length} more are reached by none`,
  );
  tellUnsteady(reach.unsteady);
  const rows: JudgeRow[] = [...earlierRows<JudgeRow>()];
  const left = sample.filter((mutant) => !rows.some((row) => isSame(row.mutant, mutant)));
  await tryJudgeMutants(left, reach, trial, (row) => tell(rows, row, sample));
  tellUntried(rows, sample);
  console.log(judgeLinesOf(rows).join('\n'));
  tellMachine();
}

function unnoticedIn(file: string): readonly Mutant[] {
  const rows = JSON.parse(readFileSync(file, 'utf8')) as readonly Row[];
  return rows.filter(({ fate }) => fate === 'unjudged' || !isNoticed(fate)).map(({ mutant }) => mutant);
}

/** What an interrupted run wrote. */
function earlierRows<R extends Row | JudgeRow>(): readonly R[] {
  if (!values.resume || values.json === undefined || !existsSync(values.json)) return [];
  return JSON.parse(readFileSync(values.json, 'utf8')) as readonly R[];
}

function chosenRules(): ReadonlySet<RuleId> {
  const rules = values.rules?.split(',');
  return new Set(selectRules({ ...(rules && { rules }) }, catalogue.all).map(({ id }) => id));
}

function openingOptions(): Parameters<typeof openChildren>[1] {
  return { folder: copy.folder, scratch: scratch.file(''), width: wholeNumber('at-once') };
}

function scriptIn(folder: string, name: string): string {
  return join(folder, 'bench/mutants', `${name}.child.ts`);
}

/** What goes on, for whoever waits. */
function tell<R extends Row | JudgeRow>(rows: R[], row: R, sample: readonly Mutant[]): void {
  rows.push(row);
  const text = [`${rows.length} of ${sample.length} ${row.fate}: ${diffOf(row.mutant)}`, ...row.by].join('\n  ');
  process.stderr.write(`${text}\n`);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows, undefined, 1));
}

function tellUnsteady(rules: readonly string[]): void {
  if (rules.length === 0) return;
  console.log(`not right with nothing switched on, so that they count for nothing: ${rules.join(', ')}`);
}

/** Few would mean that something else than the copy is judged. */
function tellReached(ground: Ground, surveyed: ReadonlyMap<Ground, Surveyed>): void {
  const all = copy.mutants.filter((mutant) => groundOf(mutant) === ground);
  const reached = all.filter((mutant) => isReached(mutant, surveyed));
  console.log(`${ground}: ${reached.length} of ${all.length} mutants are reached by a case`);
}

/** What nobody needs to try. */
function tellUnreached(mutants: readonly Mutant[]): void {
  console.log(
    [`${mutants.length} are reached by no case, and no reason excuses them:`, ...mutants.map(diffOf)].join('\n'),
  );
}

function tellUntried(rows: readonly unknown[], sample: readonly Mutant[]): void {
  if (rows.length < sample.length)
    console.log(
      `time was up after ${rows.length} of them, which are a sample themselves: they were tried in an order by lot`,
    );
}

function tellMachine(): void {
  console.log(`${machineLine()}; ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

function wholeNumber(name: 'sample' | 'seed' | 'runs' | 'most' | 'minutes' | 'at-once'): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`Expected --${name} to be a whole number from 1, found ${values[name]}.`);
  return value;
}

/**
 * Files that differ from where this branch left main, as they are in the folder now; on a main that nobody has touched, those of its last
 * commit. @throws {Error} no git, or no main
 */
function changedFiles(): ReadonlySet<string> {
  const base = mainNames.map((name) => said('merge-base', name, 'HEAD')).find((found) => found !== undefined);
  if (base === undefined) throw new Error(`--changed needs a clone that knows ${mainNames.join(' or ')}.`);
  const changed = differingFrom(base);
  if (changed.size > 0 || base !== commitAt('HEAD')) return changed;
  const before = commitAt('HEAD^');
  return before === undefined ? changed : differingFrom(before);
}

function differingFrom(base: string): ReadonlySet<string> {
  const names = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return new Set(names.flatMap((text) => text.split('\n')).filter((name) => name !== ''));
}

/** Undefined where the clone does not go back as far. */
function commitAt(name: string): string | undefined {
  return said('rev-parse', '--verify', name);
}

function said(...words: readonly string[]): string | undefined {
  try {
    return git(...words).trim();
  } catch {
    return undefined;
  }
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
