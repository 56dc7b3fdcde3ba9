import { parseArgs } from 'node:util';
import { startHostTaking } from '../api/deployment.ts';
import { selectRules } from '../judge/run/selection.ts';
import { catalogue } from '../suites/catalogue.ts';
import { drawHostParts, hostKeysOf, judgeHostParts } from './swarm/hosts.ts';
import { playSwarm, swarmOptions } from './swarm/play.ts';

/**
 * Right extension hosts and careless profiles of them by lot, in moved time: none may be blamed. What a run finds is told as by bench:swarm.
 * Exit 1 when something was found.
 */
const { values } = parseArgs({ options: swarmOptions });
const rules = catalogue.all.filter(({ side }) => side === 'extension');
const keys = await (async () => {
  await using target = await startHostTaking([]);
  return hostKeysOf(target.loaded.profile);
})();
await playSwarm(
  {
    name: 'swarm-hosts',
    rules: selectRules({ rules: values.only.split(',') }, rules).map(({ id }) => id),
    draw: (seed) => drawHostParts(seed, keys),
    judge: judgeHostParts,
  },
  values,
);
