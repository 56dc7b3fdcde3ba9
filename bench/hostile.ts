import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { authorityIn, hasOpenssl } from '../cli/doctor/tls.fixture.ts';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { matches } from '../judge/run/glob.ts';
import { machineLine } from './harness/machine.ts';
import { makeScratch } from './harness/scratch.ts';
import { corpus } from './hostile/corpus.ts';
import { type Ending, tryOne } from './hostile/try-one.ts';

/**
 * Hostile and broken targets, profiles and environments: the judge meets each in a process of its own and may call none green, run on without
 * end, take much memory or die. `--names` takes those with such a name, `--every` each n-th, `--at-once` so many together. Exit 1 when one ends wrong.
 */
const { values } = parseArgs({
  options: {
    names: { type: 'string', default: '*' },
    every: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '3' },
    all: { type: 'boolean', default: false },
  },
});

/** Beyond the budget of a run. */
const besidesSeconds = 10;

await using scratch = await makeScratch();
mkdirSync(scratch.file('certificates'));
const authority = hasOpenssl() ? authorityIn(scratch.file('certificates')) : undefined;
const chosen = corpus
  .filter(({ name }) => matches(values.names, name))
  .filter((_one, index) => index % Number(values.every) === 0)
  .filter(({ name }) => authority !== undefined || !name.startsWith('certificate'));
const endings = await mapAtOnce(chosen, Number(values['at-once']), async (hostile) => {
  const folder = scratch.file(String(corpus.indexOf(hostile)));
  const ending = await tryOne(hostile, folder, besidesSeconds, authority);
  if (existsSync(folder)) await rm(folder, { recursive: true, force: true });
  if (ending.wrong !== undefined || values.all) console.log(lineOf(ending));
  return ending;
});

const wrong = endings.filter((ending) => ending.wrong !== undefined);
const by = (figure: (ending: Ending) => number): Ending | undefined =>
  endings.toSorted((one, other) => figure(other) - figure(one))[0];
const [slowest, largest] = [by(({ seconds }) => seconds), by(({ megabytes }) => megabytes)];
const counts = [...Map.groupBy(endings, ({ exitCode }) => exitCode)].toSorted(([one], [other]) => one - other);
console.log(
  `hostile ${endings.length}: ${endings.filter(({ exitCode }) => exitCode === 0).length} green, ${wrong.length} ended wrong`,
);
console.log(`  exit codes: ${counts.map(([code, all]) => `${code}: ${all.length}`).join(', ')}`);
if (slowest) console.log(`  longest ${slowest.seconds.toFixed(1)} s (${slowest.name})`);
if (largest) console.log(`  most memory ${largest.megabytes} MB (${largest.name})`);
console.log(`  ${machineLine()}`);
process.exitCode = wrong.length > 0 ? 1 : 0;

function lineOf({ name, exitCode, seconds, megabytes, wrong: what }: Ending): string {
  return `${String(exitCode).padStart(3)} ${seconds.toFixed(1).padStart(5)} s ${String(megabytes).padStart(4)} MB  ${name}${what === undefined ? '' : `: ${what}`}`;
}
