import { mediaTypes } from '../../contract/names.ts';
import type { GroundObject } from './ground.ts';
import type { JourneyEnv } from './journey.ts';
import { bodyWith, createStep, mark, oidIn, path, versioned, versionIn } from './journeys/words.ts';
import type { Result, Step } from './step.ts';

/** Entries that the objects to read have, in turn: none, less than a page, exactly one, several. */
const entriesInTurn = [0, 3, 10, 11, 27, 60];

/** Makes the objects that journeys read and edit. Stops at the first one that the service refuses. Returns what was made, and that refusal. */
export function* prepared(env: JourneyEnv, count: number): Generator<Step, { readonly objects: readonly GroundObject[]; readonly refused?: Result }, Result> {
  const objects: GroundObject[] = [];
  const { softType, entries } = env.ground;
  for (let index = 0; index < count; index += 1) {
    const created: Result = yield createStep(env, bodyWith(env, mark(env, index)));
    const oid = oidIn(created);
    let version = versionIn(created);
    if (oid === undefined || version === undefined) return { objects, refused: created };
    const wanted = softType.arrayPort === undefined ? 0 : (entriesInTurn[index % entriesInTurn.length] ?? 0);
    if (wanted > 0) {
      const target = `/${softType.arrayPort?.member ?? ''}/-`;
      const operations = Array.from({ length: wanted }, (_, entry) => ({ op: 'add', path: target, value: entries[entry % entries.length] }));
      const filled: Result = yield {
        kind: 'http', op: 'fill', method: 'PATCH', path: path(env, 'operations', { objectId: oid }),
        headers: { 'Content-Type': mediaTypes.operations, ...versioned(version) }, body: JSON.stringify(operations),
      };
      version = versionIn(filled);
      if (version === undefined) return { objects, refused: filled };
    }
    objects.push({ oid, version, entries: wanted });
  }
  return { objects };
}
