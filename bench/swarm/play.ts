import { appendFile, readFile } from 'node:fs/promises';
import type { RuleId } from '../../contract/rule.ts';
import { findShortest } from '../../judge/model/shortest.ts';
import { machineLine } from '../harness/figures.ts';
import { type Part, partsIn, textOf, textOfAll } from './draw.ts';
import { type Asked, type Ended, findingsOf, saidOf } from './judge.ts';

/** Options of the command line. */
export const swarmOptions = {
  runs: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '*' },
  with: { type: 'string' },
  log: { type: 'string' },
} as const;

/** What is judged by lot. */
interface Swarm {
  /** As in the name of the script. */
  readonly name: string;
  readonly rules: readonly RuleId[];
  readonly draw: (seed: number) => readonly Part[];
  readonly judge: (asked: Asked) => Promise<Ended>;
}

interface Range {
  readonly runs: string;
  readonly seed: string;
  /** Parts instead of those that are drawn. */
  readonly with?: string | undefined;
  readonly log?: string | undefined;
}

/** What more is found in one run has mostly the same cause. */
const mostShortened = 6;

interface Found {
  readonly said: string;
  readonly rule: RuleId;
  /** The fewest that show it; undefined where they do not show it without the other rules. */
  readonly fewest?: readonly string[];
}

interface Line {
  readonly seed: number;
  readonly parts: readonly string[];
  readonly verdicts: Readonly<Record<string, number>>;
  readonly refusal?: string;
  readonly found: readonly Found[];
}

/** Plays the runs of the range. Each is a line of the log, so that it goes on where it ended. Sets exit code 1 when something was found. */
export async function playSwarm(swarm: Swarm, range: Range): Promise<void> {
  const first = Number(range.seed);
  if (range.with !== undefined) {
    const { found } = await lineOf(swarm, first, partsIn(range.with));
    if (found.length > 0) process.exitCode = 1;
    return;
  }
  const log = range.log ?? `${swarm.name}.ndjson`;
  const isMeant = ({ seed }: Line): boolean => seed >= first && seed < first + Number(range.runs);
  const done = await logged(log);
  for (let seed = first; seed < first + Number(range.runs); seed += 1) {
    if (done.some((line) => line.seed === seed)) continue;
    const line = await lineOf(swarm, seed, swarm.draw(seed));
    await appendFile(log, `${JSON.stringify(line)}\n`);
  }
  const all = (await logged(log)).filter(isMeant);
  const verdicts = all.flatMap((line) =>
    Object.entries(line.verdicts).flatMap(([verdict, count]) => Array.from({ length: count }, () => verdict)),
  );
  console.log(`${swarm.name}: ${all.length} runs: ${textOfCounts(countsOf(verdicts))}; ${machineLine()}`);
  if (all.some(({ found, refusal }) => found.length > 0 || refusal !== undefined)) process.exitCode = 1;
}

/** Judges and tells what was found, then looks for the fewest parts that show it: those that show one thing mostly show another. */
async function lineOf(swarm: Swarm, seed: number, parts: readonly Part[]): Promise<Line> {
  const { outcomes, refusal } = await swarm.judge({ parts, rules: swarm.rules, seed });
  const verdicts = countsOf(outcomes.map(({ verdict }) => verdict));
  console.log(`seed ${seed}, ${parts.length} parts: ${refusal ?? textOfCounts(verdicts)}`);
  const findings = findingsOf(outcomes, parts);
  for (const outcome of findings) console.log(`  ${saidOf(outcome)}`);
  const found: Found[] = [];
  const sufficient: (readonly Part[])[] = [];
  for (const outcome of findings) {
    const { rule } = outcome;
    if (found.length === mostShortened) break;
    const fewest = await fewestOf(swarm, { seed, rule, parts }, sufficient);
    if (fewest !== undefined) sufficient.push(fewest);
    found.push({ rule, said: saidOf(outcome), ...(fewest !== undefined && { fewest: fewest.map(textOf) }) });
    const repeated = textOfAll(fewest ?? parts);
    console.log(
      `  ${rule}: npm run bench:${swarm.name} -- --seed ${seed} --only ${fewest ? rule : "'*'"} --with '${repeated}'`,
    );
  }
  return { seed, parts: parts.map(textOf), verdicts, ...(refusal !== undefined && { refusal }), found };
}

/** @param known parts that were enough for something else */
async function fewestOf(
  { judge }: Swarm,
  { seed, rule, parts }: { readonly seed: number; readonly rule: RuleId; readonly parts: readonly Part[] },
  known: readonly (readonly Part[])[],
): Promise<readonly Part[] | undefined> {
  const shows = async (fewer: readonly Part[]): Promise<boolean> => {
    const { outcomes } = await judge({ parts: fewer, rules: [rule], seed });
    return findingsOf(outcomes, parts).some((outcome) => outcome.rule === rule);
  };
  for (const few of known) if (await shows(few)) return few;
  return (await shows(parts)) ? findShortest(parts, shows) : undefined;
}

function countsOf(verdicts: readonly string[]): Line['verdicts'] {
  return Object.fromEntries([...Map.groupBy(verdicts, (verdict) => verdict)].map(([one, all]) => [one, all.length]));
}

function textOfCounts(counts: Line['verdicts']): string {
  return Object.entries(counts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');
}

async function logged(log: string): Promise<readonly Line[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));
}
