import { catalogue } from '../suites/catalogue.ts';
import { parseArgs } from 'node:util';
import type { RuleId } from '../contract/rule.ts';
import { startReference } from '../api/deployment.ts';
import { subtleFaultsOf, type SubtleArea, type SubtleFaultId } from '../variants/faults/subtle/subtle.ts';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { isBreach } from '../judge/outcome.ts';
import { judgedInTime } from '../judge/run/deadline.ts';
import { openJudge } from '../judge/run/judge.ts';
import { machineLine, medianOf } from './harness/figures.ts';

/**
 * Which cases find which subtle fault, seed by seed, in the runs that `check` makes by default. Each fault is judged by the cases of its
 * area in virtual time: with three seeds by those that always take the same steps, and, where these do not find it, with all seeds by
 * those that choose theirs at random. `--faults` and `--rules` take those whose ids hold a text.
 */
const { values } = parseArgs({
  options: {
    areas: { type: 'string', default: '' },
    seeds: { type: 'string', default: '20' },
    runs: { type: 'string', default: '20' },
    faults: { type: 'string', default: '' },
    rules: { type: 'string', default: '' },
    dialect: { type: 'string' },
  },
});
const coreRules: readonly RuleId[] = [
  'versioning.sequence.matches-model',
  'patch.operations.match-model',
  'paging.link.follows-growth',
];
const manySeeds = Array.from({ length: Number(values.seeds) }, (_seed, index) => index + 1);
const fewSeeds = manySeeds.slice(0, 3);
const caseLimitMs = 30_000;
const casesAtOnce = 8;
/** A fault has to be found in all seeds but one of twenty. */
const leastShare = 0.95;
const never = new AbortController().signal;

interface Row {
  readonly id: string;
  /** Seeds that were tried, and those with which some case failed. */
  readonly tried: number;
  readonly found: number;
  /** Seeds by rule. */
  readonly byRule: ReadonlyMap<RuleId, number>;
  readonly medianMs: number;
}

const dialect = (['strange', 'foreign', 'peculiar'] as const).find((name) => name === values.dialect);
const known = Object.keys(subtleFaultsOf) as readonly SubtleArea[];
const areas = values.areas === '' ? known : values.areas.split(',').map(areaNamed);
console.log(
  `subtle faults of ${areas.join(', ')}; ${manySeeds.length} seeds, ${fewSeeds.length} where no chance is in it; ${values.runs} runs a property${values.dialect === undefined ? '' : `, ${values.dialect} dialect`}`,
);
console.log(machineLine());
const rows: Row[] = [];
const sound: Row[] = [];
for (const area of areas) {
  const ids = Object.keys(subtleFaultsOf[area]).filter((id): id is SubtleFaultId => id.includes(values.faults));
  if (ids.length === 0) continue;
  console.log(`\n${area}`);
  for (const id of ids) rows.push(told(await tryFault(id, area)));
  sound.push(told(await tryFault('control', area)));
}
const missed = rows.filter(({ found, tried: seeds }) => found < leastShare * seeds);
const wronged = sound.reduce((sum, { found }) => sum + found, 0);
console.log(
  `\n${rows.length - missed.length} of ${rows.length} found with all seeds but one of twenty; the control with ${wronged}`,
);
for (const { id } of missed) console.log(`  missed: ${id}`);
// what a fault left hanging is not waited for
process.exit(missed.length === 0 && wronged === 0 ? 0 : 1);

function areaNamed(name: string): SubtleArea {
  const area = known.find((candidate) => candidate === name);
  if (area === undefined) throw new Error(`Expected --areas out of ${known.join(', ')}, found ${name}.`);
  return area;
}

/** The cases that choose their steps are asked when the others are not sure. */
async function tryFault(id: SubtleFaultId | 'control', area: SubtleArea): Promise<Row> {
  if (area === 'core') return judgeFault(id, coreRules, manySeeds);
  const rules = catalogue.all.filter(
    (rule) => rule.area === area && rule.side === 'service' && rule.level !== 'observe',
  );
  const ids = rules.map((rule) => rule.id).filter((rule) => rule.includes(values.rules));
  const fixed = await judgeFault(
    id,
    ids.filter((rule) => !isRandom(rule)),
    fewSeeds,
  );
  const random = ids.filter(isRandom);
  const isSure = id !== 'control' && fixed.found === fixed.tried;
  if (isSure || random.length === 0) return fixed;
  const generated = await judgeFault(id, random, manySeeds);
  if (id !== 'control') return fixed.found > 0 && generated.found === 0 ? fixed : generated;
  return { ...generated, tried: fixed.tried + generated.tried, found: fixed.found + generated.found };
}

function isRandom(rule: RuleId): boolean {
  return ['property', 'model', 'race'].includes(catalogue.get(rule).test.kind);
}

/** Each seed has a server of its own. */
async function judgeFault(
  id: SubtleFaultId | 'control',
  rules: readonly RuleId[],
  seeds: readonly number[],
): Promise<Row> {
  const byRule = new Map<RuleId, number>();
  const times: number[] = [];
  let found = 0;
  for (const seed of seeds) {
    const startedAt = performance.now();
    const failing = await failingWith(id, rules, seed);
    times.push(performance.now() - startedAt);
    for (const rule of failing) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
    if (failing.length > 0) found += 1;
  }
  return { id, tried: seeds.length, found, byRule, medianMs: medianOf(times) };
}

async function failingWith(
  id: SubtleFaultId | 'control',
  rules: readonly RuleId[],
  seed: number,
): Promise<readonly RuleId[]> {
  await using deployment = await startReference({ ...(dialect && { dialect }), faults: [id] });
  await using open = openJudge(catalogue, {
    loaded: deployment.loaded,
    seed,
    runs: Number(values.runs),
    caseLimitMs,
    asFound: true,
  });
  const breaks = async (rule: RuleId): Promise<readonly RuleId[]> => {
    const { outcome } = await judgedInTime(open.judge, rule, { limitMs: caseLimitMs, stopped: never });
    if (outcome?.verdict === 'broken') console.log(`  ${rule} is broken: ${outcome.reason ?? ''}`);
    return outcome !== undefined && isBreach(outcome) ? [rule] : [];
  };
  // schedules move the clock of the server, which no other case bears: so they come last, all together
  const schedules = rules.filter((rule) => catalogue.get(rule).test.seconds !== undefined);
  const others = rules.filter((rule) => !schedules.includes(rule));
  return [
    ...(await mapAtOnce(others, casesAtOnce, breaks)),
    ...(await mapAtOnce(schedules, schedules.length, breaks)),
  ].flat();
}

function told(row: Row): Row {
  const { id, found, tried: seeds, byRule, medianMs } = row;
  const by = [...byRule].toSorted(([, one], [, other]) => other - one).map(([rule, times]) => `${rule} ${times}`);
  console.log(
    `${id.padEnd(52)} ${String(found).padStart(2)} of ${seeds}   ${Math.round(medianMs)} ms   ${by.join(', ')}`,
  );
  return row;
}
