import type { Behaviours } from '../behaviours.ts';
import type { User } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';
import { replacing, type FaultsOf } from './fault.ts';

export const collectionFaults: FaultsOf<'collection'> = {
  'collection.admin.is-served': replacing('authorize', (right) => (service, user, access, call) => {
    if (isCollectionData(access, call) && !hasRole(service, user))
      throw new Refusal(403, 'Collection routes take users with a role in a space.');
    right(service, user, access, call);
  }),

  'collection.missing-token.status-401': replacing('carryOut', (right) => async (service, route, call) => {
    const user = service.configuration.users.values().find((candidate) => candidate.collectionAdministrator);
    if (
      route.access !== 'collection' ||
      route.effect !== 'read' ||
      call.headers['authorization'] !== undefined ||
      user === undefined
    )
      return right(service, route, call);
    return service.store.read((reading) => route.handle(service, { ...call, user }, reading));
  }),

  'collection.space-editor.status-403': replacing('authorize', (right) => (service, user, access, call) => {
    if (!isCollectionData(access, call) || !hasRole(service, user)) right(service, user, access, call);
  }),

  'collection.admin.no-space-access': replacing(
    'mayUse',
    (right) => (service, user, space, method) => user.collectionAdministrator || right(service, user, space, method),
  ),

  'collection.pat.accepted': replacing('authorize', (right) => (service, user, access, call) => {
    const token = call.headers['authorization']?.split(' ').at(-1) ?? '';
    if (access === 'collection' && token.split('.').length !== 3)
      throw new Refusal(401, 'Collection routes take a JWT only.');
    right(service, user, access, call);
  }),
};

/** What the first document says of the collection: neither its files nor the administration of extensions. */
function isCollectionData(access: Parameters<Behaviours['authorize']>[2], { url }: Call): boolean {
  return access === 'collection' && /^\/api\/collection\/(?!fs\/|externalExtension\/)/.test(url);
}

function hasRole(service: Service, user: User): boolean {
  return service.configuration.spaces
    .values()
    .some((space) => service.behaviours.rolesOf(service, user, space).length > 0);
}
