import { array, constantFrom } from 'fast-check';
import { property, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Changes } from '../../judge/exchange.ts';
import { editRoutes } from '../../judge/writes.ts';
import { versionNow } from './words.ts';

const kinds = ['no token', 'no role', 'reader', 'stale', 'ahead', 'no version'] as const;

export const refusedCases = {
  'versioning.refused.changes-nothing': property(
    array(constantFrom(...kinds), { minLength: 1, maxLength: 5 }),
    async (context, refusals) => {
      const { given, service, expect, profile } = context;
      const owner = await given.objectWithEntries(11, { body: { [profile.scalars[0]]: given.unique() } });
      const before = await service.snapshot(owner);
      const routes = editRoutes(context);
      for (const [index, kind] of refusals.entries()) {
        const route = given.present(routes[index % routes.length], 'a route that edits');
        const changes = refusal(context, kind, owner.version);
        if (changes === undefined) continue;
        const refused = await service.send(route.request(owner), changes);
        given.assume(refused.status >= 400, `a ${route.name} is refused: ${kind}`);
        expect(await versionNow(context, owner), `version after a ${route.name} was refused: ${kind}`, refused).toEqual(
          owner.version,
        );
      }
      expect.unchanged(before, await service.snapshot(owner));
      expect(await service.merge(owner, { [profile.scalars[0]]: given.unique() })).toSucceed();
    },
    { always: [[...kinds]], share: 0.5 },
  ),
} satisfies SomeCasesOf<'versioning'>;

/** What makes a write in order refused, or undefined where the profile lacks the identity. */
function refusal({ profile }: CaseContext, kind: (typeof kinds)[number], version: number): Changes | undefined {
  const { noRole, reader } = profile.all.identities;
  const changes: Record<(typeof kinds)[number], Changes | undefined> = {
    'no token': { as: null },
    'no role': noRole && { as: 'noRole' },
    reader: reader && { as: 'reader' },
    stale: { version: version - 1 },
    ahead: { version: version + 1 },
    'no version': { version: null },
  };
  return changes[kind];
}
