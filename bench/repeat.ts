import { parseArgs } from 'node:util';
import { mkdirSync } from 'node:fs';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { mistakeMatrix } from '../cli/kill-matrix/mistake-matrix.ts';
import { catalogue } from '../suites/catalogue.ts';
import { hasFault } from '../variants/faults.ts';
import { hasHostFault } from '../variants/extension-host/faults.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { mistakes } from '../variants/mistakes/mistakes.ts';
import { prove, type Proof, type Trial } from './repeat/prove.ts';

/**
 * Whether the script of a finding repeats it: for each fault the script is run against a fresh server with that fault, which has to show it,
 * and against the right one, which must not. `--rules` takes those whose ids hold a text, `--every` each n-th; `--dialect` takes servers
 * that differ where the documents allow it, and `--seed` other data; `--keep FOLDER` leaves the scripts. `--mistakes` takes what the rules near
 * a kept mistake find in its place, for those whose ids hold a text.
 */
const { values } = parseArgs({
  options: {
    rules: { type: 'string', default: '' },
    mistakes: { type: 'string' },
    every: { type: 'string', default: '1' },
    dialect: { type: 'string' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});
const dialect = (['strange', 'foreign', 'peculiar'] as const).find((name) => name === values.dialect);
const judged = { ...(dialect && { dialect }), seed: Number(values.seed) };
const nth = <T>(found: readonly T[]): readonly T[] => found.filter((_one, index) => index % Number(values.every) === 0);
const trials = values.mistakes === undefined ? ownFaults() : await sightings(values.mistakes);

await using scratch = await makeScratch();
const folder = values.keep ?? scratch.file('scripts');
mkdirSync(folder, { recursive: true });
const proofs = await mapAtOnce(trials, 3, async (trial) => {
  const proof = await prove(trial, folder, judged);
  const { fault, rule } = trial;
  if (proof.end !== 'proven')
    console.log(
      `${proof.end.padEnd(18)} ${[...new Set([fault, rule])].join(' by ')} ${proof.check ?? ''} ${proof.why ?? ''}`,
    );
  return proof;
});

const scripts = proofs.filter(({ requests }) => requests !== undefined);
const share = (end: Proof['end']): number => proofs.filter((proof) => proof.end === end).length;
console.log(machineLine());
console.log(`judged ${proofs.length}: findings ${proofs.length - share('no finding')}, with script ${scripts.length}`);
console.log(
  `  proven ${share('proven')}, not shown by the fault ${share('unshown')}, shown on the right ${share('shown on the right')}, unclear there ${share('unclear on the right')}`,
);
console.log(
  `  played again ${scripts.filter(({ played }) => played).length}; median requests ${median(scripts.map(({ recorded = 0 }) => recorded))} recorded, ${median(scripts.map(({ requests = 0 }) => requests))} in the script`,
);

/** Each fault of a rule that has to be kept, by that rule. */
function ownFaults(): readonly Trial[] {
  const held = catalogue.all.filter(({ id, level }) => level === 'must' && id.includes(values.rules));
  return nth(held.filter(({ id }) => hasFault(id) || hasHostFault(id))).map(({ id }) => ({ fault: id, rule: id }));
}

/** Each mistake by the rules that see it, of those that are tried up to the first. */
async function sightings(text: string): Promise<readonly Trial[]> {
  const chosen = nth([...mistakes.keys()].filter((id) => id.includes(text)));
  const rules = catalogue.all.filter(({ id, level }) => level === 'must' && id.includes(values.rules));
  const matrix = await mistakeMatrix({ mistakes: chosen, rules: rules.map(({ id }) => id), all: false });
  return matrix.mistakes.flatMap(({ mistake, killedBy }) => killedBy.map(({ rule }) => ({ fault: mistake, rule })));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;
}
