import { parseArgs } from 'node:util';
import { type Deployment, startHostTaking, startReference } from '../api/deployment.ts';
import type { Profile } from '../contract/profile.ts';
import type { RuleId, Side } from '../contract/rule.ts';
import { selectRules } from '../judge/run/selection.ts';
import { catalogue } from '../suites/catalogue.ts';
import { drawParts } from './swarm/draw.ts';
import { countOfHabits, drawHabits, habitInTurn, judgeHabits } from './swarm/habits.ts';
import { drawHostParts, hostKeysOf, judgeHostParts } from './swarm/hosts.ts';
import { judgeParts } from './swarm/judge.ts';
import { playSwarm, swarmOptions } from './swarm/play.ts';
import { keysOf } from './swarm/profile.ts';

/**
 * Right services, or with `--hosts` right extension hosts, and careless profiles by lot, in moved time: none may be blamed. With `--habits` it is what
 * services do by right and differently, several by lot, or with `--each` all of them in turn, each alone. What a run finds is told with the fewest
 * choices and left out keys that still show it, and with the command that repeats it. Exit 1 when something was found.
 */
const { values } = parseArgs({
  options: {
    ...swarmOptions,
    hosts: { type: 'boolean', default: false },
    habits: { type: 'boolean', default: false },
    each: { type: 'boolean', default: false },
  },
});
if (values.hosts) await playHosts();
else if (values.habits) await playHabits();
else await playServices();

async function playServices(): Promise<void> {
  const keys = keysOf(await profileOf(startReference()));
  const draw = (seed: number) => drawParts(seed, keys);
  await playSwarm({ name: 'swarm', rules: rulesAbout('service'), draw, judge: judgeParts }, values);
}

async function playHabits(): Promise<void> {
  const swarm = { name: 'swarm-habits', rules: rulesAbout('service'), judge: judgeHabits };
  if (values.each) await playSwarm({ ...swarm, draw: habitInTurn }, { ...values, runs: `${countOfHabits}` });
  else await playSwarm({ ...swarm, draw: drawHabits }, values);
}

async function playHosts(): Promise<void> {
  const keys = hostKeysOf(await profileOf(startHostTaking([])));
  const draw = (seed: number) => drawHostParts(seed, keys);
  await playSwarm({ name: 'swarm-hosts', rules: rulesAbout('extension'), draw, judge: judgeHostParts }, values);
}

async function profileOf(started: Promise<Deployment>): Promise<Profile> {
  await using target = await started;
  return target.loaded.profile;
}

function rulesAbout(side: Side): readonly RuleId[] {
  const all = catalogue.all.filter((rule) => rule.side === side);
  return selectRules({ rules: values.only.split(',') }, all).map(({ id }) => id);
}
