import { parseArgs } from 'node:util';
import { mkdirSync } from 'node:fs';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { catalogue } from '../suites/catalogue.ts';
import { hasFault } from '../variants/faults.ts';
import { hasHostFault } from '../variants/extension-host/faults.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { prove, type Proof } from './repeat/prove.ts';

/**
 * Whether the script of a finding repeats it: for each fault the script is run against a fresh server with that fault, which has to show it,
 * and against the right one, which must not. `--rules` takes those whose ids hold a text, `--every` each n-th; `--dialect` takes servers
 * that differ where the documents allow it, and `--seed` other data; `--keep FOLDER` leaves the scripts.
 */
const { values } = parseArgs({
  options: {
    rules: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    dialect: { type: 'string' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});
const dialect = (['strange', 'foreign', 'peculiar'] as const).find((name) => name === values.dialect);
const judged = { ...(dialect && { dialect }), seed: Number(values.seed) };
const faults = catalogue.all
  .filter(({ id, level }) => level === 'must' && id.includes(values.rules) && (hasFault(id) || hasHostFault(id)))
  .map(({ id }) => id)
  .filter((_id, index) => index % Number(values.every) === 0);

await using scratch = await makeScratch();
const folder = values.keep ?? scratch.file('scripts');
mkdirSync(folder, { recursive: true });
const proofs = await mapAtOnce(faults, 3, async (fault) => {
  const proof = await prove(fault, folder, judged);
  if (proof.end !== 'proven') console.log(`${proof.end.padEnd(18)} ${fault} ${proof.check ?? ''} ${proof.why ?? ''}`);
  return proof;
});

const scripts = proofs.filter(({ requests }) => requests !== undefined);
const share = (end: Proof['end']): number => proofs.filter((proof) => proof.end === end).length;
console.log(machineLine());
console.log(
  `must-faults ${proofs.length}: findings ${proofs.length - share('no finding')}, with script ${scripts.length}`,
);
console.log(
  `  proven ${share('proven')}, not shown by the fault ${share('unshown')}, shown on the right ${share('shown on the right')}, unclear there ${share('unclear on the right')}`,
);
console.log(
  `  played again ${scripts.filter(({ played }) => played).length}; median requests ${median(scripts.map(({ recorded = 0 }) => recorded))} recorded, ${median(scripts.map(({ requests = 0 }) => requests))} in the script`,
);

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;
}
