import { isSuccess } from '../../../judge/exchange.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { makeDemotable, mostPromotes, readCurrentState } from '../../../judge/service/maturity.ts';
import type { Thing } from '../../../judge/things.ts';

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

/** Each further promote that is taken leads to the next state of the profile, up to the last. Which ones are taken is configuration. */
export async function expectFollowedToTheLast(context: CaseContext, thing: Thing): Promise<void> {
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
export async function expectFollowedBehindDemote(context: CaseContext): Promise<void> {
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
