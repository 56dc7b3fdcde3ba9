import { parseArgs } from 'node:util';
import { type Deployment, startReference } from '../api/deployment.ts';
import { judgeVariant } from '../cli/kill-matrix/judge-variant.ts';
import { publishedFolder, readPublished } from '../cli/kill-matrix/collateral.ts';
import type { RuleId } from '../contract/rule.ts';
import { isBreach, type Outcome } from '../judge/outcome.ts';
import { nearestFaults } from '../reports/likeness.ts';
import { catalogue } from '../suites/catalogue.ts';
import { hasHostFault } from '../variants/extension-host/faults.ts';
import { faultOf } from '../variants/faults.ts';
import { machineLine } from './harness/figures.ts';
import { evenly } from './harness/sample.ts';

/**
 * How often a known fault is told by what fails with it, under a seed that the published matrix was not made with. A fault meets the rules of
 * its neighbourhood: those that fail with it or with a fault that shares a rule with it. What others do is tried on `--whole` faults, which
 * meet every rule.
 */
const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '100' },
    pairs: { type: 'string', default: '20' },
    whole: { type: 'string', default: '5' },
    seed: { type: 'string', default: '7' },
    minutes: { type: 'string', default: '60' },
  },
});

const patterns = new Map(
  Object.entries(readPublished(publishedFolder)?.faults ?? {}).map(([fault, row]) => [
    fault as RuleId,
    new Set([fault as RuleId, ...(row?.collateral ?? [])]),
  ]),
);
const seed = Number(values.seed);
const until = performance.now() + Number(values.minutes) * 60_000;

console.log(`likeness of faults to the published matrix, seed ${values.seed}; ${machineLine()}`);
const every = evenly([...patterns.keys()], Number(values.faults));
await measure('of those that meet their neighbourhood', every, neighbourhoodOf);
await measurePairs(
  evenly(
    [...patterns.keys()].filter((fault) => !hasHostFault(fault)),
    Number(values.pairs) * 2,
  ),
);
await measure('of those that meet every rule', evenly([...patterns.keys()], Number(values.whole)), () => catalogue.ids);

async function measure(
  what: string,
  faults: readonly RuleId[],
  rulesFor: (fault: RuleId) => readonly RuleId[],
): Promise<void> {
  let [first, among, tried] = [0, 0, 0];
  for (const fault of faults) {
    if (performance.now() > until) break;
    const own = rulesFor(fault);
    const seen = patternOf(await judgeVariant({ fault, own, others: [], seed, runs: 20 }));
    const nearest = nearestFaults(seen);
    const place = nearest.findIndex(({ fault: near }) => near === fault);
    tried += 1;
    if (place === 0) first += 1;
    if (place >= 0) among += 1;
    if (place !== 0)
      console.log(
        `  ${fault}: ${nearest.map(toldOf).join(', ') || 'nothing near'}; failed ${[...seen.failed].join(', ')}`,
      );
  }
  console.log(`  ${what}: ${first} of ${tried} first, ${among} among three`);
}

/** Two faults at once: whether one of them is told first. */
async function measurePairs(faults: readonly RuleId[]): Promise<void> {
  let [first, among, tried] = [0, 0, 0];
  for (const [index, one] of faults.slice(0, faults.length / 2).entries()) {
    const other = faults[index + faults.length / 2];
    if (other === undefined || performance.now() > until) break;
    const own = [...new Set([...neighbourhoodOf(one), ...neighbourhoodOf(other)])];
    const start = (): Promise<Deployment> => startReference({ faults: [faultOf(one), faultOf(other)] });
    const nearest = nearestFaults(
      patternOf(await judgeVariant({ fault: one, own, others: [], seed, runs: 20 }, start)),
    );
    tried += 1;
    const places = [one, other].map((fault) => nearest.findIndex(({ fault: near }) => near === fault));
    if (places.includes(0)) first += 1;
    if (places.every((place) => place >= 0)) among += 1;
    if (!places.includes(0)) console.log(`  ${one} and ${other}: ${nearest.map(toldOf).join(', ') || 'nothing near'}`);
  }
  console.log(`  of pairs: one of them first in ${first} of ${tried}, both among three in ${among}`);
}

/** Whatever was not asked is taken to pass, as it does in the published matrix. */
function patternOf(outcomes: readonly Outcome[]): Parameters<typeof nearestFaults>[0] {
  const failed = new Set<string>(outcomes.filter(isBreach).map(({ rule }) => rule));
  const judged = new Set<string>(catalogue.ids);
  for (const { rule, verdict } of outcomes) if (verdict !== 'pass' && !failed.has(rule)) judged.delete(rule);
  return { failed, judged };
}

function toldOf({ fault, likeness }: { readonly fault: string; readonly likeness: number }): string {
  return `${fault} ${likeness.toFixed(2)}`;
}

function neighbourhoodOf(fault: RuleId): readonly RuleId[] {
  const own = patterns.get(fault) ?? new Set([fault]);
  const near = [...patterns.values()].filter((other) => !other.isDisjointFrom(own));
  return [...new Set([...own, ...near.flatMap((other) => [...other])])];
}
