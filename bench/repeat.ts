import { parseArgs } from 'node:util';
import { mkdirSync } from 'node:fs';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { rulesNear } from '../cli/kill-matrix/mistake-matrix.ts';
import { openThreads } from '../cli/kill-matrix/threads.ts';
import { isBreach } from '../judge/outcome.ts';
import { catalogue } from '../suites/catalogue.ts';
import { hasFault } from '../variants/faults.ts';
import { hasHostFault } from '../variants/extension-host/faults.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { mistakes } from '../variants/mistakes/mistakes.ts';
import { type Form, forms } from './repeat/forms.ts';
import { nameOf, type Proof, proveForms, type Trial } from './repeat/prove.ts';

/**
 * Whether the script of a finding repeats it: for each fault the script is run against a fresh server with that fault, which has to show it,
 * and against the right one, which must not. `--rules` takes those whose ids hold a text, `--every` each n-th, the first of them `--from`; `--dialect` takes servers
 * that differ where the documents allow it, and `--seed` other data; `--keep FOLDER` leaves the scripts. `--mistakes` takes what the rules near
 * a kept mistake find in its place, for those whose ids hold a text. `--forms sh,hurl,http` runs them as other programs read them, too.
 */
const { values } = parseArgs({
  options: {
    rules: { type: 'string', default: '' },
    mistakes: { type: 'string' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    dialect: { type: 'string' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
    forms: { type: 'string', default: 'sh' },
  },
});
const dialect = (['strange', 'foreign', 'peculiar'] as const).find((name) => name === values.dialect);
const judged = { ...(dialect && { dialect }), seed: Number(values.seed) };
const [every, from] = [Number(values.every), Number(values.from)];
const nth = <T>(found: readonly T[]): readonly T[] => found.filter((_one, index) => index % every === from);
const trials = values.mistakes === undefined ? ownFaults() : await sightings(values.mistakes);

await using scratch = await makeScratch();
const folder = values.keep ?? scratch.file('scripts');
mkdirSync(folder, { recursive: true });
const chosen = values.forms.split(',').map((name) => {
  if (name !== 'sh' && name !== 'hurl' && name !== 'http') throw new Error(`Expected sh, hurl or http, not ${name}.`);
  return forms[name];
});
const proofs = await mapAtOnce(trials, 3, async (trial) => {
  const ofTrial = await proveForms(trial, folder, judged, chosen);
  for (const { form, end, check = '', why = '' } of ofTrial)
    if (end !== 'proven')
      console.log(`${end.padEnd(18)} ${form.padEnd(4)} ${nameOf(trial).replace(' ', ' by ')} ${check} ${why}`);
  return ofTrial;
});

console.log(machineLine());
for (const { name } of chosen)
  tell(
    name,
    proofs.flat().filter(({ form }) => form === name),
  );

function tell(name: Form['name'], ofForm: readonly Proof[]): void {
  const scripts = ofForm.filter(({ requests }) => requests !== undefined);
  const share = (end: Proof['end']): number => ofForm.filter((proof) => proof.end === end).length;
  console.log(
    `${name}: judged ${ofForm.length}: findings ${ofForm.length - share('no finding')}, with script ${scripts.length}`,
  );
  console.log(
    `  proven ${share('proven')}, not shown by the fault ${share('unshown')}, shown on the right ${share('shown on the right')}, unclear there ${share('unclear on the right')}`,
  );
  console.log(
    `  played again ${scripts.filter(({ played }) => played).length}; median requests ${median(scripts.map(({ recorded = 0 }) => recorded))} recorded, ${median(scripts.map(({ requests = 0 }) => requests))} in the script`,
  );
}

/** Each fault of a rule that has to be kept, by that rule. */
function ownFaults(): readonly Trial[] {
  const held = catalogue.all.filter(({ id, level }) => level === 'must' && id.includes(values.rules));
  return nth(held.filter(({ id }) => hasFault(id) || hasHostFault(id))).map(({ id }) => ({ fault: id, rule: id }));
}

/** Each mistake by the rules about its section that see it; what is seen by others alone is left out. */
async function sightings(text: string): Promise<readonly Trial[]> {
  const named = nth([...mistakes.keys()].filter((id) => id.includes(text)));
  const held = catalogue.all.filter(
    ({ id, level, side }) => level === 'must' && side === 'service' && id.includes(values.rules),
  );
  await using threads = openThreads(named.length);
  const found = await mapAtOnce(named, threads.width, async (fault) => {
    const { source = '' } = mistakes.get(fault) ?? {};
    const own = rulesNear(
      held.map(({ id }) => id),
      source,
    );
    const outcomes = await threads.judge({ fault, own, others: [], seed: judged.seed, runs: 5 });
    return outcomes.filter(isBreach).map(({ rule }): Trial => ({ fault, rule }));
  });
  const blind = named.filter((_id, index) => found[index]?.length === 0).length;
  console.log(`mistakes ${named.length}, seen by no rule about their section ${blind}`);
  return found.flat();
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;
}
