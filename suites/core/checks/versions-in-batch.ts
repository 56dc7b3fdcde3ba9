import { dataOf, versionOf } from '../../../judge/service/answers.ts';
import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { pointer } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { editRoutes, makeEditable } from '../../../judge/service/writes.ts';
import { replace } from './operation-steps.ts';

/** By each way to edit, a list of operations included, the result tells the version that reads afterwards, which is the next one. */
export async function expectVersionByEveryRoute(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const replaceText = () => replace(pointer(profile.textMember), given.unique());
  const twoReplaced = (thing: Thing) => service.requests.operations(thing, [replaceText(), replaceText()]);
  const lists = profile.offers('operations') ? [{ name: 'list of two operations', request: twoReplaced }] : [];
  const routes = [...editRoutes(context), ...lists];
  const things: Thing[] = [];
  for (const [index] of routes.entries()) things.push(await given.edited(await makeEditable(context), index % 2));
  for (const [index, { name, request }] of routes.entries()) {
    const thing = given.present(things[index], 'an object');
    const reply = await sendBatch(context, [request(thing)]);
    if (reply.status !== 200) continue;
    const told = bodyOfResult(resultsOf(reply)[0])['version'];
    expect(told, `version in the result of a ${name}`, reply).toBeAnInteger();
    expect(told, `version in the result of a ${name}`, reply).toEqual(versionOf(await service.read(thing)));
    expect(told, `version in the result of a ${name} at ${thing.version}`, reply).toEqual(thing.version + 1);
  }
}

/** New texts for the first two scalars, or for the one there is. */
export function newScalars({ given, profile }: CaseContext): Record<string, unknown> {
  const { scalars = [] } = profile.primary;
  return Object.fromEntries(scalars.slice(0, 2).map((member) => [member, given.unique('edit')]));
}

/** An object with a text in each of these. */
export function makeFilled(context: CaseContext): Promise<Thing> {
  return context.given.object(newScalars(context));
}

/**
 * Of two edits of one object the later tells the version that reads afterwards, and what it names is there as it says, beside what only the
 * earlier one named. Which version it has to give itself is not said. What the earlier one tells is its own, by each route.
 */
export async function expectLastVersionTold(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  for (const step of [1, 0]) {
    const thing = await makeFilled(context);
    const earlier = newScalars(context);
    const later = { [profile.textMember]: given.unique('later') };
    const reply = await sendBatch(context, [
      service.requests.edit(thing, earlier),
      service.requests.edit({ ...thing, version: thing.version + step }, later),
    ]);
    if (reply.status !== 200) continue;
    const told = bodyOfResult(resultsOf(reply)[1])['version'];
    const read = await service.read(thing);
    expect(told, 'version of the second edit of one object', reply).toEqual(versionOf(read));
    for (const [member, text] of Object.entries({ ...earlier, ...later }))
      expect(dataOf(read)[member], `${member} behind two edits of one object in a batch`, read).toEqual(text);
    return expectFirstVersionTold(context, step);
  }
}

/** @param step from the version that an earlier edit gives to that which a later one has to give */
async function expectFirstVersionTold(context: CaseContext, step: number): Promise<void> {
  const { service, expect, profile, given } = context;
  for (const { name, request } of editRoutes(context)) {
    const thing = await makeEditable(context);
    const later = { [profile.textMember]: given.unique('later') };
    const reply = await sendBatch(context, [
      request(thing),
      service.requests.edit({ ...thing, version: thing.version + step }, later),
    ]);
    // a state may be closed to edits
    if (reply.status !== 200) continue;
    const told = bodyOfResult(resultsOf(reply)[0])['version'];
    expect(told, `version in the result of a ${name} before another edit of the object`, reply).toEqual(
      thing.version + 1,
    );
  }
}
