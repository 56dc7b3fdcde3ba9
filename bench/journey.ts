import { users } from '../simulator/traffic/users.ts';
import { compare } from './harness/compare.ts';
import { startSide } from './harness/side.ts';
import { measureEngine } from './traffic/figure.ts';
import { connections, hotObjects, setupFor } from './traffic/ground.ts';
import { handWritten } from './traffic/hand-written.ts';
import type { EngineSetup } from '../simulator/traffic/engine.ts';
import type { Journey } from '../simulator/traffic/journey.ts';
import { reader } from '../simulator/traffic/journeys/editing.ts';
import { editStep, mark, pick, readStep } from '../simulator/traffic/journeys/steps.ts';
import { objectIn } from '../simulator/traffic/results.ts';
import type { Result } from '../simulator/traffic/step.ts';

/** The requests that are written by hand for other tools: an object and its three pages, then one of four that all edit, and an edit of it. */
const visitor: Journey = function* (env) {
  yield* reader(env);
  const object = pick(env, env.ground.objects.slice(0, hotObjects));
  if (object === undefined) return;
  const read: Result = yield readStep(env, object.oid);
  const { version } = objectIn(read);
  if (typeof version === 'number')
    yield { ...editStep(env, object.oid, version, mark(env, 0)), accept: [200, 204, 409] };
};

/** Users who do not wait, with all that is counted of them, against the same requests written by hand for autocannon. */
await using target = await startSide('plausible', { refusesOldVersions: false });

await compare({
  title: `Readers and editors in a closed loop, ${connections} connections, nothing judged`,
  baseline: { name: 'autocannon, requests by hand', round: (seconds) => handWritten(target.url, seconds) },
  subject: { name: 'journeys in a closed loop', round: journeys },
  goal: '>= 1.4',
  ratio: 'rate',
  cpuOf: 'client',
});

async function journeys(seconds: number): ReturnType<typeof handWritten> {
  const { figure } = await measureEngine((tally) => users(visitsOn(target.url, seconds), tally));
  return figure;
}

/** Users that do this as fast as they can, each on a connection of its own. */
function visitsOn(baseUrl: string, seconds: number): EngineSetup {
  const setup = setupFor(baseUrl, { model: 'closed', users: connections }, seconds);
  return {
    ...setup,
    mix: { mixVersion: 1, journeys: {}, own: { module: 'none', journeys: { visitor: { weight: 1 } } } },
    own: new Map([['visitor', visitor]]),
  };
}
