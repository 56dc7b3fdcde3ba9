import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { versionNow } from '../versioning/words.ts';
import { movesOnlyInOrder } from './guard.ts';
import { demotable, readOf, shows, stateIn } from './words.ts';

export const demoteCases = {
  'maturity.demote.version-plus-one': scenario(async (context) => {
    const { service, expect, notes } = context;
    const thing = await demotable(context);
    const reply = await service.demote(thing);
    expect(reply).toSucceed();
    notes.bound('demoteSuccess', 'success status of a demote', reply.status, reply);
    shows(context, reply, thing.version + 1);
    expect(await versionNow(context, thing), `version after a demote at ${thing.version}`, reply).toEqual(
      thing.version + 1,
    );
    const read = await readOf(context, thing);
    notes.observe('state after promote and demote', String(stateIn(context, read)), read);
  }),

  'maturity.demote.version-guarded': scenario(async (context) => {
    const thing = await demotable(context);
    const { version } = thing;
    await movesOnlyInOrder(
      context,
      thing,
      'demote',
      [409, { version: version - 1 }],
      [409, { version: version + 1 }],
      [412, { version: null }],
    );
  }),
} satisfies SomeCasesOf<'maturity'>;
