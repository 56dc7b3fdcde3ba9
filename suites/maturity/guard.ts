import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Changes } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { standing, stands } from './words.ts';

export const guardCases = {
  'maturity.promote.wrong-version-409': scenario(async (context) => {
    const { given } = context;
    for (const edits of [1, 3]) {
      const thing = await given.edited(await given.object(), edits);
      await movesOnlyInOrder(
        context,
        thing,
        'promote',
        [409, { version: thing.version - edits }],
        [409, { version: thing.version + 1 }],
      );
    }
  }),

  'maturity.promote.absent-version-412': scenario(async (context) => {
    const thing = await context.given.object();
    const ifMatch = { version: null, headers: { 'If-Match': `"${thing.version}"` } };
    await movesOnlyInOrder(context, thing, 'promote', [412, { version: null }], [412, ifMatch]);
  }),

  'maturity.promote.reader-refused': scenario(async (context) => {
    await movesOnlyInOrder(context, await context.given.object(), 'promote', [403, { as: 'reader' }]);
  }),
} satisfies SomeCasesOf<'maturity'>;

/** The action with each of these changes gets that status and moves nothing; without them it succeeds. */
export async function movesOnlyInOrder(
  context: CaseContext,
  thing: Thing,
  action: 'promote' | 'demote',
  ...refused: readonly (readonly [status: number, changes: Changes])[]
): Promise<void> {
  const { service, expect } = context;
  const before = await standing(context, thing);
  for (const [status, changes] of refused) {
    expect(await service[action](thing, changes)).toAnswer(status);
    stands(context, before, await standing(context, thing));
  }
  expect(await service[action](thing)).toSucceed();
}
