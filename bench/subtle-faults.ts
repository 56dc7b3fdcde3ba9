import { parseArgs } from 'node:util';
import type { RuleId } from '../contract/rules.ts';
import { startReference } from '../cli/check/deployment.ts';
import { subtleFaults, type SubtleFaultId } from '../reference-server/faults/subtle/subtle.ts';
import type { Outcome } from '../suites/engine/outcome.ts';
import { judgedInTime } from '../suites/engine/run/deadline.ts';
import { openJudge } from '../suites/engine/run/judge.ts';
import { machineLine } from './harness/machine.ts';

/** Which of the cases that follow histories find which subtle fault, seed by seed, in the runs that `check` makes by default. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    runs: { type: 'string', default: '20' },
    faults: { type: 'string', default: '' },
    dialect: { type: 'string' },
  },
});
const rules: readonly RuleId[] = [
  'versioning.sequence.matches-model',
  'patch.operations.match-model',
  'paging.link.follows-growth',
];
const seeds = Array.from({ length: Number(values.seeds) }, (_seed, index) => index + 1);
const caseLimitMs = 30_000;
/** A fault has to be found in all seeds but one of twenty. */
const leastShare = 0.95;
const never = new AbortController().signal;

interface Row {
  readonly id: string;
  /** Seeds with which some case failed. */
  readonly found: number;
  /** Seeds by rule. */
  readonly byRule: ReadonlyMap<RuleId, number>;
  readonly medianMs: number;
}

const dialect = values.dialect === 'strange' ? ({ dialect: 'strange' } as const) : {};
const ids = Object.keys(subtleFaults).filter((id): id is SubtleFaultId => id.includes(values.faults));
console.log(
  `${ids.length} subtle faults × ${seeds.length} seeds, ${values.runs} runs a property${values.dialect === undefined ? '' : ', strange dialect'}`,
);
console.log(machineLine());
const rows: Row[] = [];
for (const id of ids) {
  const row = await tried(id);
  rows.push(row);
  console.log(lineOf(row));
}
const sound = await tried('control');
console.log(lineOf(sound));
const missed = rows.filter(({ found }) => found < leastShare * seeds.length);
console.log(
  `${rows.length - missed.length} of ${rows.length} found with at least ${Math.ceil(leastShare * seeds.length)} of ${seeds.length} seeds; the control with ${sound.found}`,
);
process.exitCode = missed.length === 0 && sound.found === 0 ? 0 : 1;

async function tried(id: SubtleFaultId | 'control'): Promise<Row> {
  await using deployment = await startReference({ ...dialect, faults: [id] });
  const byRule = new Map<RuleId, number>(rules.map((rule) => [rule, 0]));
  const times: number[] = [];
  let found = 0;
  for (const seed of seeds) {
    await using open = openJudge({
      loaded: deployment.loaded,
      seed,
      runs: Number(values.runs),
      caseLimitMs,
      collect: false,
    });
    const startedAt = performance.now();
    const failing: RuleId[] = [];
    for (const rule of rules)
      if (isBreach((await judgedInTime(open.judge, rule, caseLimitMs, never)).outcome)) failing.push(rule);
    times.push(performance.now() - startedAt);
    for (const rule of failing) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
    if (failing.length > 0) found += 1;
  }
  return { id, found, byRule, medianMs: times.sort((a, b) => a - b)[times.length >> 1] ?? 0 };
}

function isBreach(outcome: Outcome | undefined): boolean {
  if (outcome?.verdict === 'broken') console.log(`  ${outcome.rule} is broken: ${outcome.reason ?? ''}`);
  return outcome?.verdict === 'fail' || outcome?.verdict === 'warn';
}

function lineOf({ id, found, byRule, medianMs }: Row): string {
  const by = [...byRule].map(([rule, times]) => `${rule.split('.')[0]} ${String(times).padStart(2)}`).join('  ');
  return `${id.padEnd(52)} ${String(found).padStart(2)} of ${seeds.length}   ${by}   ${Math.round(medianMs)} ms`;
}
