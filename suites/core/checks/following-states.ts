import { isSuccess } from '../../../judge/exchange.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { makeDemotable, makePromoted, mostPromotes, readCurrentState } from '../../../judge/service/maturity.ts';
import type { Thing } from '../../../judge/things.ts';
import { manyEdits } from './many-edits.ts';

/** What the state after a promote has to be: the next one of the profile, or any other one where it does not list them. */
export function followerOf({ given, profile }: CaseContext, before: string): [string, (state: string) => boolean] {
  const { states } = profile.all.maturity ?? {};
  if (states === undefined) return [`another state than ${before}`, (state) => state !== before];
  const next = given.present(
    states[states.indexOf(before) + 1],
    `a state after ${before} in maturity.states of the profile`,
  );
  given.assume(states.includes(before), `${before} among maturity.states of the profile`);
  return [next, (state) => state === next];
}

/** Wherever an object stands, and whatever was done to it there, a promote leads on from that state. `promoted`: an object that was promoted once. */
export async function expectFollowedOn(context: CaseContext, promoted: Thing): Promise<void> {
  await expectFollowedToTheLast(context, promoted);
  await expectFollowedBehindDemote(context);
  await expectFollowedBehindEdits(context);
}

/** Each further promote that is taken leads to the next state of the profile, up to the last. Which ones are taken is configuration. */
async function expectFollowedToTheLast(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect, profile } = context;
  const { states = [] } = profile.all.maturity ?? {};
  let before = await readCurrentState(context, thing);
  for (let left = mostPromotes; left > 0 && states.slice(0, -1).includes(before); left -= 1) {
    const promote = await service.promote(await given.current(thing));
    if (!isSuccess(promote.status)) return;
    const after = await readCurrentState(context, thing);
    expect(after, `state after a further promote, from ${before}`, promote).toSatisfy(...followerOf(context, before));
    before = after;
  }
}

/** Behind a demote, a promote leads to the state next to the one that the demote led to, whichever ones the object has been in. */
async function expectFollowedBehindDemote(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { states = [] } = profile.all.maturity ?? {};
  if (profile.all.routes?.demote === undefined) return;
  const thing = await makeDemotable(context);
  if (!isSuccess((await service.demote(thing)).status)) return;
  const before = await readCurrentState(context, thing);
  if (!states.slice(0, -1).includes(before)) return;
  const promote = await service.promote(await given.current(thing));
  if (!isSuccess(promote.status)) return;
  const after = await readCurrentState(context, thing);
  expect(after, `state after a promote behind a demote, from ${before}`, promote).toSatisfy(
    ...followerOf(context, before),
  );
}

/** A promote behind many edits goes on from the state that the one before them led to. */
async function expectFollowedBehindEdits(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [scalar] = profile.primary.scalars ?? [];
  const { states = [] } = profile.all.maturity ?? {};
  if (scalar === undefined || !profile.offers('merge')) return;
  const thing = await makePromoted(context);
  const before = await readCurrentState(context, thing);
  if (!states.slice(0, -1).includes(before)) return;
  for (let count = 0; count < manyEdits; count += 1) {
    const edit = await service.merge(await given.current(thing), { [scalar]: given.unique('edit') });
    // some states are closed to edits
    if (!isSuccess(edit.status)) return;
  }
  const promote = await service.promote(await given.current(thing));
  if (!isSuccess(promote.status)) return;
  expect(
    await readCurrentState(context, thing),
    `state after a promote from ${before}, behind ${manyEdits} edits in it,`,
    promote,
  ).toSatisfy(...followerOf(context, before));
}
