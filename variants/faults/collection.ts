import type { Areas } from '../../reference-server/areas.ts';
import type { User } from '../../reference-server/configuration.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variants, replaces } from '../breaks.ts';

export const collectionFaults = {
  'collection.admin.is-served': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    if (isCollectionData(access, call) && !hasRole(areas, user))
      throw new Refusal(403, 'Collection routes take users with a role in a space.');
    right(areas, user, access, call);
  }),

  'collection.missing-token.status-401': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const user = areas.configuration.users.values().find((candidate) => candidate.collectionAdministrator);
    if (
      route.access !== 'collection' ||
      route.effect !== 'read' ||
      call.headers['authorization'] !== undefined ||
      user === undefined
    )
      return right(areas, route, call);
    return areas.dispatcher.carryOutElsewhere(route, { ...call, user });
  }),

  'collection.space-editor.status-403': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    if (!isCollectionData(access, call) || !hasRole(areas, user)) right(areas, user, access, call);
  }),

  'collection.admin.no-space-access': replaces(
    'auth',
    'mayUse',
    (right, areas, user, space, method) => user.collectionAdministrator || right(areas, user, space, method),
  ),

  'collection.pat.accepted': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const token = call.headers['authorization']?.split(' ').at(-1) ?? '';
    if (access === 'collection' && token.split('.').length !== 3)
      throw new Refusal(401, 'Collection routes take a JWT only.');
    right(areas, user, access, call);
  }),
} satisfies Variants;

/** What the first document says of the collection: neither its files nor the administration of extensions. */
function isCollectionData(access: Parameters<Areas['auth']['authorize']>[1], { url }: Call): boolean {
  return access === 'collection' && /^\/api\/collection\/(?!fs\/|externalExtension\/)/.test(url);
}

function hasRole(areas: Areas, user: User): boolean {
  return areas.configuration.spaces.values().some((space) => areas.auth.rolesOf(user, space).length > 0);
}
