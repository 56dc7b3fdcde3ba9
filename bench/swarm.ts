import { appendFile, readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startReference } from '../api/deployment.ts';
import type { RuleId } from '../contract/rule.ts';
import { findShortest } from '../judge/model/shortest.ts';
import { selectRules } from '../judge/run/selection.ts';
import { catalogue } from '../suites/catalogue.ts';
import { machineLine } from './harness/machine.ts';
import { drawParts, type Part, partOf, textOf } from './swarm/draw.ts';
import { findingsOf, judgeParts, saidOf } from './swarm/judge.ts';
import { keysOf } from './swarm/profile.ts';

/**
 * Right services and careless profiles by lot, in moved time: none may be blamed. What a run finds is told with the fewest choices and left out
 * keys that still show it, and with the command that repeats it. Each run is a line of the log, so that it goes on where it ended. Exit 1 when something was found.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '*' },
    with: { type: 'string' },
    log: { type: 'string', default: 'swarm.ndjson' },
  },
});

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

const separator = '; ';
const service = catalogue.all.filter(({ side }) => side === 'service');
const rules = selectRules({ rules: values.only.split(',') }, service).map(({ id }) => id);
const keys = await (async () => {
  await using target = await startReference();
  return keysOf(target.loaded.profile);
})();

const first = Number(values.seed);
if (values.with !== undefined) {
  const { found } = await lineOf(first, values.with.split(separator.trim()).filter(Boolean).map(partOf));
  if (found.length > 0) process.exitCode = 1;
} else {
  const done = await logged();
  for (let seed = first; seed < first + Number(values.runs); seed += 1) {
    if (done.some((line) => line.seed === seed)) continue;
    const line = await lineOf(seed, drawParts(seed, keys));
    await appendFile(values.log, `${JSON.stringify(line)}\n`);
  }
  const all = (await logged()).filter(({ seed }) => seed >= first && seed < first + Number(values.runs));
  const verdicts = all.flatMap((line) =>
    Object.entries(line.verdicts).flatMap(([verdict, count]) => Array.from({ length: count }, () => verdict)),
  );
  console.log(`swarm: ${all.length} runs: ${textOfCounts(countsOf(verdicts))}; ${machineLine()}`);
  if (all.some(({ found, refusal }) => found.length > 0 || refusal !== undefined)) process.exitCode = 1;
}

/** Judges and tells what was found, then looks for the fewest parts that show it: those that show one thing mostly show another. */
async function lineOf(seed: number, parts: readonly Part[]): Promise<Line> {
  const { outcomes, refusal } = await judgeParts({ parts, rules, seed });
  const verdicts = countsOf(outcomes.map(({ verdict }) => verdict));
  console.log(`seed ${seed}, ${parts.length} parts: ${refusal ?? textOfCounts(verdicts)}`);
  const findings = findingsOf(outcomes, parts);
  for (const outcome of findings) console.log(`  ${saidOf(outcome)}`);
  const found: Found[] = [];
  const sufficient: (readonly Part[])[] = [];
  for (const outcome of findings) {
    const { rule } = outcome;
    const fewest = await fewestOf(seed, rule, parts, sufficient);
    if (fewest !== undefined) sufficient.push(fewest);
    found.push({ rule, said: saidOf(outcome), ...(fewest !== undefined && { fewest: fewest.map(textOf) }) });
    const repeated = (fewest ?? parts).map(textOf).join(separator);
    console.log(
      `  ${rule}: npm run bench:swarm -- --seed ${seed} --only ${fewest ? rule : "'*'"} --with '${repeated}'`,
    );
  }
  return { seed, parts: parts.map(textOf), verdicts, ...(refusal !== undefined && { refusal }), found };
}

/** @param known parts that were enough for something else */
async function fewestOf(
  seed: number,
  rule: RuleId,
  parts: readonly Part[],
  known: readonly (readonly Part[])[],
): Promise<readonly Part[] | undefined> {
  const shows = async (fewer: readonly Part[]): Promise<boolean> => {
    const { outcomes } = await judgeParts({ parts: fewer, rules: [rule], seed });
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

async function logged(): Promise<readonly Line[]> {
  const text = await readFile(values.log, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));
}
