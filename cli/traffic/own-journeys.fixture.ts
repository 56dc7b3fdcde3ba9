import type { OwnJourney } from '../../simulator/traffic/own-journeys.ts';

/** As somebody writes them who knows what their users do. */
export const journeys: Readonly<Record<'renamer' | 'looker', OwnJourney>> = {
  *renamer(env, steps) {
    const created = yield steps.createStep(env, steps.bodyWith(env, steps.mark(env, 0)));
    const [oid, version] = [steps.oidIn(created), steps.versionIn(created)];
    if (oid === undefined || version === undefined) return;
    const name = steps.mark(env, 1);
    yield steps.editStep(env, oid, version, name);
    const read = yield steps.readStep(env, oid, name);
    yield {
      kind: 'check',
      rule: 'versioning.edit.merge-adds-one',
      ok: steps.objectIn(read)['version'] === version + 1,
      detail: `version ${String(steps.objectIn(read)['version'])} after ${version}`,
    };
  },
  *looker(env, steps) {
    const object = steps.pick(env, env.ground.objects);
    if (object !== undefined) yield { ...steps.readStep(env, object.oid), op: 'look' };
  },
};
