import type { EngineSetup } from '../../simulator/traffic/engine.ts';
import type { Journey } from '../../simulator/traffic/journey.ts';
import { reader } from '../../simulator/traffic/journeys/editing.ts';
import { editStep, mark, pick, readStep } from '../../simulator/traffic/journeys/steps.ts';
import { objectIn } from '../../simulator/traffic/results.ts';
import type { Result } from '../../simulator/traffic/step.ts';
import { connections, hotObjects, setupFor } from './ground.ts';

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

/** Users that do this as fast as they can, each on a connection of its own. */
export function visitsOn(baseUrl: string, seconds: number): EngineSetup {
  const setup = setupFor(baseUrl, { model: 'closed', users: connections }, seconds);
  return {
    ...setup,
    mix: { mixVersion: 1, journeys: {}, own: { module: 'none', journeys: { visitor: { weight: 1 } } } },
    own: new Map([['visitor', visitor]]),
  };
}
