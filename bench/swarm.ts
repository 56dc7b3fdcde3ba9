import { parseArgs } from 'node:util';
import { startReference } from '../api/deployment.ts';
import { selectRules } from '../judge/run/selection.ts';
import { catalogue } from '../suites/catalogue.ts';
import { drawParts } from './swarm/draw.ts';
import { judgeParts } from './swarm/judge.ts';
import { playSwarm, swarmOptions } from './swarm/play.ts';
import { keysOf } from './swarm/profile.ts';

/**
 * Right services and careless profiles by lot, in moved time: none may be blamed. What a run finds is told with the fewest choices and left out
 * keys that still show it, and with the command that repeats it. Exit 1 when something was found.
 */
const { values } = parseArgs({ options: swarmOptions });
const service = catalogue.all.filter(({ side }) => side === 'service');
const keys = await (async () => {
  await using target = await startReference();
  return keysOf(target.loaded.profile);
})();
await playSwarm(
  {
    name: 'swarm',
    rules: selectRules({ rules: values.only.split(',') }, service).map(({ id }) => id),
    draw: (seed) => drawParts(seed, keys),
    judge: judgeParts,
  },
  values,
);
