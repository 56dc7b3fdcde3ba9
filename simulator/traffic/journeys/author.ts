import { mediaTypes } from '../../../contract/names.ts';
import type { Journey } from '../journey.ts';
import type { Result } from '../step.ts';
import { bodyWith, createStep, mark, oidIn, path, pick, readStep, versioned, versionIn } from './words.ts';

/** Creates an object, changes it by operations, and looks at it before and after. */
export const author: Journey = function* (env) {
  const { softType, entries } = env.ground;
  const created: Result = yield createStep(env, bodyWith(env, mark(env, 0)));
  const oid = oidIn(created);
  let version = versionIn(created);
  if (oid === undefined || version === undefined) return;
  yield readStep(env, oid, mark(env, 0));
  const [first = ''] = softType.scalars;
  for (const number of [1, 2, 3]) {
    const marker = mark(env, number);
    const operations: object[] = [{ op: 'replace', path: `/${first}`, value: marker }];
    if (softType.arrayPort !== undefined) operations.push({ op: 'add', path: `/${softType.arrayPort.member}/-`, value: pick(env, entries) });
    const edited: Result = yield {
      kind: 'http', op: 'operations', method: 'PATCH', path: path(env, 'operations', { objectId: oid }),
      headers: { 'Content-Type': mediaTypes.operations, ...versioned(version) }, body: JSON.stringify(operations),
      about: { kind: 'edit', oid, version, marker },
    };
    const next = versionIn(edited);
    if (next === undefined) return;
    version = next;
    yield readStep(env, oid, marker);
  }
};
