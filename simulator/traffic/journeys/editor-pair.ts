import type { Journey } from '../journey.ts';
import type { Result } from '../step.ts';
import { editStep, mark, objectIn, pick, readStep } from './words.ts';

/** Objects that all pairs edit, so that they meet. */
const hotObjects = 4;
const mostTries = 5;
/** Who edits saves at the next of these moments, in ms: those who read in between meet, however fast the service is. */
const momentMs = 50;

/** Edits what somebody else may be editing: reads, writes at the version read, and after a conflict does so again. */
export const editorPair: Journey = function* (env) {
  const object = pick(env, env.ground.objects.slice(0, hotObjects));
  if (object === undefined) return;
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const read: Result = yield readStep(env, object.oid);
    const { version } = objectIn(read);
    if (typeof version !== 'number') return;
    yield { kind: 'think', ms: momentMs - (env.now() % momentMs) };
    const edited: Result = yield { ...editStep(env, object.oid, version, mark(env, attempt)), accept: [200, 204, 409] };
    if (edited.status !== 409) return;
  }
};
