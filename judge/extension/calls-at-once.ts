import type { Profile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import { isTimeControlled } from '../time/budget.ts';
import type { Script } from './extension.ts';
import { namesExtension } from './own-call.ts';
import { sleep } from '../time/real-time.ts';

/** About as many as all cases of a run leave unanswered at once. */
const enough = 24;
/** So long no further call comes, in ms, where a service has no place left; some look for what is due now and then only. */
const quietMs = 3000;
const lookMs = 50;

/** Whether calls that one case leaves unanswered may keep those of others waiting; where time is moved they take turns. */
export function makesFewCalls(profile: Pick<Profile, 'expect' | 'time'>): boolean {
  return !isTimeControlled(profile) && (profile.expect?.callsAtOnce ?? enough) < enough;
}

/** How many calls a service has under way at once at most; undefined where they are many, and where it does not matter, as cases take turns. */
export async function callsAtOnce({
  given,
  triggers,
  profile,
}: Pick<CaseContext, 'given' | 'triggers' | 'profile'>): Promise<number | undefined> {
  const { expect, triggers: { event } = {} } = profile.all;
  if (expect?.callsAtOnce !== undefined || isTimeControlled(profile.all)) return undefined;
  // an event that names nobody reaches everybody
  if (event === undefined || !namesExtension(event)) return undefined;
  const script: Script = [{ steps: [{ never: true }], afterwards: 'last' }];
  // one call each: what waits for the same endpoint may come in turn
  const extensions = await Promise.all(Array.from({ length: enough }, () => given.extension({ script })));
  // a service may answer a trigger once its call is over
  const triggered = Promise.all(extensions.map((extension) => triggers.event(extension)));
  triggered.catch(() => undefined);
  let [seen, quietSince] = [0, performance.now()];
  while (seen < enough && performance.now() - quietSince < quietMs) {
    await sleep(lookMs);
    const underWay = extensions
      .flatMap((extension) => extension.calls())
      .filter(({ endedAt }) => endedAt === undefined);
    if (underWay.length > seen) [seen, quietSince] = [underWay.length, performance.now()];
  }
  for (const extension of extensions) extension.release();
  await triggered;
  // what waits for a place would take those of others
  if (seen > 0) await Promise.all(extensions.map((extension) => extension.ended(1)));
  return seen === 0 || seen >= enough ? undefined : seen;
}
