import type { Space, User } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Call, Service } from '../service.ts';

/**
 * Lets the user pass to a route of that access, or does not. Source: core, Authentication 6 and 7.
 * @throws {Refusal} 403; 404 for a space that does not exist
 */
export function authorize(service: Service, user: User, access: Route['access'], call: Call): void {
  if (access === 'collection') return authorizeCollection(service, user);
  if (access === 'space') return authorizeSpace(service, user, call);
  if (access === 'participant') return authorizeParticipant(service, user, call);
}

function authorizeCollection(service: Service, user: User): void {
  if (service.behaviours.mayAdministrate(service, user)) return;
  throw new Refusal(403, 'Collection routes are open to Collection Administrators only.');
}

function authorizeSpace(service: Service, user: User, call: Call): void {
  const space = service.behaviours.spaceOf(service, call);
  if (service.behaviours.mayUse(service, user, space, call.method)) return;
  throw new Refusal(403, `No role of ${user.name} on a participant of the space ${space.id} allows ${call.method}.`);
}

function authorizeParticipant(service: Service, user: User, call: Call): void {
  const space = service.behaviours.spaceOf(service, call);
  if (service.behaviours.rolesOf(service, user, space).length > 0) return;
  throw new Refusal(403, `${user.name} has no role on a participant of the space ${space.id}.`);
}

/** The space that the path names. @throws {Refusal} 404 */
export function spaceOf(service: Service, call: Call): Space {
  const spaceId = call.params['spaceId'] ?? '';
  const space = service.configuration.spaces.get(spaceId);
  if (space === undefined) throw new Refusal(404, `There is no space ${spaceId}.`, { pointer: 'spaceId' });
  return space;
}

/** Whether a role of the user in the space allows the method; links are offered by it as well. */
export function mayUse(service: Service, user: User, space: Space, method: string): boolean {
  return service.behaviours
    .rolesOf(service, user, space)
    .some((role) => service.behaviours.roleAllows(service, role, method));
}

/** Ids of the roles that the user holds on participants of the space, looked up per request. */
export function rolesOf(_service: Service, user: User, space: Space): readonly string[] {
  const roles: string[] = [];
  for (const holders of space.participants.values()) {
    const role = holders.get(user.name);
    if (role !== undefined) roles.push(role);
  }
  return roles;
}

/** PATCH is allowed where PUT is. */
export function roleAllows(service: Service, role: string, method: string): boolean {
  const methods = service.configuration.roles.get(role);
  if (methods === undefined) return false;
  return methods.has(method) || (method === 'PATCH' && methods.has('PUT'));
}

export function mayAdministrate(_service: Service, user: User): boolean {
  return user.collectionAdministrator;
}
