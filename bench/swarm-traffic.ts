import { parseArgs } from 'node:util';
import { startReference } from '../api/deployment.ts';
import { findShortest } from '../judge/model/shortest.ts';
import { machineLine } from './harness/figures.ts';
import { drawParts, partsIn, textOfAll } from './swarm/draw.ts';
import { loadParts } from './swarm/load.ts';
import { keysOf } from './swarm/profile.ts';

/**
 * Right services and careless profiles by lot under a load of every journey: no rule may be seen broken, and nothing refused. What is found is
 * told with the fewest choices and left out keys that still show it, and with the command that repeats it. Exit 1 when something was.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    with: { type: 'string' },
  },
});

const seconds = Number(values.seconds);
const first = Number(values.seed);
const keys = await (async () => {
  await using target = await startReference();
  return keysOf(target.loaded.profile);
})();

let [requests, found] = [0, 0];
for (let seed = first; seed < first + (values.with === undefined ? Number(values.runs) : 1); seed += 1) {
  const parts = values.with === undefined ? drawParts(seed, keys) : partsIn(values.with);
  const loaded = await loadParts(parts, seed, seconds);
  requests += loaded.requests;
  found += loaded.findings.length;
  console.log(`seed ${seed}, ${parts.length} parts: ${loaded.requests} requests, ${loaded.findings.length} findings`);
  for (const { name, said } of loaded.findings) {
    const shows = async (fewer: typeof parts): Promise<boolean> =>
      (await loadParts(fewer, seed, seconds)).findings.some((finding) => finding.name === name);
    const fewest = (await shows(parts)) ? await findShortest(parts, shows) : parts;
    console.log(`  ${name} ${said.slice(0, 400)}`);
    console.log(`    npm run bench:swarm-traffic -- --seed ${seed} --with '${textOfAll(fewest)}'`);
  }
}
console.log(`traffic by lot: ${requests} requests, ${found} findings; ${machineLine()}`);
if (found > 0) process.exitCode = 1;
