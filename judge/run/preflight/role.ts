import type { Need } from '../../../contract/needs.ts';
import type { Profile } from '../../../contract/profile.ts';
import type { Unusable } from '../run.ts';

/** What cases do as the editor by methods that its role may lack. Source: core, Access levels */
const usesOf: readonly {
  readonly needs: readonly Need[];
  readonly methods: (profile: Profile) => readonly (string | undefined)[];
  readonly without: (profile: Profile) => Profile;
}[] = [
  {
    needs: ['put-route'],
    methods: ({ routes }) => [routes?.softTypePut && 'PUT'],
    without: ({ routes: { softTypePut: _, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
  {
    needs: ['delete-route'],
    methods: ({ routes }) => [routes?.softTypeDelete && 'DELETE'],
    without: ({ routes: { softTypeDelete: _, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
  {
    needs: ['lock-route'],
    methods: ({ routes }) => [routes?.lockTake?.method, routes?.lockFree?.method],
    without: ({ routes: { lockTake: _take, lockFree: _free, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
  {
    needs: ['maturity', 'terminal-state', 'demote-route'],
    methods: ({ maturity }) => [maturity && 'PUT'],
    without: ({ maturity: _, routes: { demote: _demote, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
];

/** The profile without the routes for which the stated role of the editor has no method. */
export function withinRole(profile: Profile): Profile {
  return usesOf.reduce((left, use) => (lackedBy(profile, use) === undefined ? left : use.without(left)), profile);
}

/** Why a need is not met that the profile meets: the stated role of the editor does not have the method. */
export function roleTold(profile: Profile): Unusable {
  const told = usesOf.flatMap((use) => {
    const lacked = lackedBy(profile, use);
    if (lacked === undefined) return [];
    const sentence = `the role of the editor does not have ${lacked}, as identities.editor.methods says: name an editor whose role has it`;
    return use.needs.map((need) => [need, sentence] as const);
  });
  return Object.fromEntries(told);
}

function lackedBy(profile: Profile, { methods }: (typeof usesOf)[number]): string | undefined {
  const stated = profile.identities.editor.methods;
  return stated && methods(profile).find((method) => method !== undefined && !stated.includes(method));
}
