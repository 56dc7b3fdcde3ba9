import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Thing } from '../../judge/given.ts';
import { versionNow } from '../versioning/words.ts';
import { promoted, shows, stateNow } from './words.ts';

export const promoteCases = {
  'maturity.promote.status-204': scenario(async ({ given, service, expect, notes }) => {
    expect(await service.promote(await given.object())).toAnswer(204);
    for (const [what, body] of [
      ['an empty object', {}],
      ['a state', { state: 'no such state' }],
      ['broken JSON', '{"'],
    ] as const) {
      const reply = await service.promote(await given.object(), { body });
      notes.observe(`promote with ${what} as body`, reply.status, reply);
      notes.remarkServerError(reply);
    }
    const text = await service.promote(await given.object(), {
      body: 'promote',
      headers: { 'Content-Type': 'text/plain' },
    });
    notes.observe('promote with a text as body', text.status, text);
  }),

  'maturity.promote.moves-state': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [thing, other] = [await given.object(), await given.object()];
    const [before, untouched] = [await stateNow(context, thing), await stateNow(context, other)];
    const promote = await service.promote(thing);
    given.succeeded(promote, 'a promote from the start state', ['maturity.promote.status-204']);
    const readers =
      profile.all.identities.reader === undefined ? (['editor'] as const) : (['editor', 'reader'] as const);
    for (const as of readers)
      expect(
        await stateNow(context, thing, { as }),
        `state after a promote from ${before}, seen by the ${as}`,
        promote,
      ).toSatisfy(...followerOf(context, before));
    expect(await stateNow(context, other), 'state of an object that nobody promoted').toEqual(untouched);
  }),

  'maturity.promote.version-plus-one': scenario(async (context) => {
    const { given } = context;
    await raisesByOne(context, await given.object());
    await raisesByOne(context, await given.edited(await given.object(), 3));
  }),

  'maturity.promote.then-edit': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [member] = profile.scalars;
    const thing = await openToEdits(context, await promoted(context));
    const version = thing.version;
    const stale = await service.merge(thing, { [member]: given.unique('stale') }, { version: version - 1 });
    const edit = await service.merge(thing, { [member]: given.unique('edit') });
    const step = `an edit in the state ${await stateNow(context, thing)} (a state that is closed to edits belongs into maturity.frozenStates of the profile)`;
    if (stale.status >= 400) given.succeeded(edit, step, ['versioning.edit.merge-adds-one']);
    expect(stale).toAnswer(409);
    expect(edit).toSucceed();
    expect(await versionNow(context, thing), `version after a promote to ${version} and an edit`, edit).toEqual(
      version + 1,
    );
  }),
} satisfies SomeCasesOf<'maturity'>;

/** The object in a state that the profile does not call closed to edits, promoted on where it is in such a one. */
async function openToEdits(context: CaseContext, thing: Thing): Promise<Thing> {
  const { given, service, profile } = context;
  const { frozenStates = [], states = [] } = profile.all.maturity ?? {};
  let open = thing;
  for (let state = await stateNow(context, open); frozenStates.includes(state); state = await stateNow(context, open)) {
    if (state === states.at(-1))
      given.inconclusive('no promote leads to a state that takes edits: see maturity.frozenStates of the profile');
    given.succeeded(await service.promote(open), `a promote from the state ${state}`, ['maturity.promote.moves-state']);
    open = await given.current(open);
  }
  return open;
}

/** What the state after a promote has to be: the next one of the profile, or any other one where it does not list them. */
function followerOf({ given, profile }: CaseContext, before: string): [string, (state: string) => boolean] {
  const { states } = profile.all.maturity ?? {};
  if (states === undefined) return [`another state than ${before}`, (state) => state !== before];
  const next = given.present(
    states[states.indexOf(before) + 1],
    `a state after ${before} in maturity.states of the profile`,
  );
  given.assume(states.includes(before), `${before} among maturity.states of the profile`);
  return [next, (state) => state === next];
}

/** A promote with the current version: its header and the next read show the one after it. */
async function raisesByOne(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect } = context;
  const reply = await service.promote(thing);
  given.succeeded(reply, `a promote at version ${thing.version}`, ['maturity.promote.status-204']);
  shows(context, reply, thing.version + 1);
  expect(await versionNow(context, thing), `version after a promote at ${thing.version}`, reply).toEqual(
    thing.version + 1,
  );
}
