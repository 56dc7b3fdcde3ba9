import type { User } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { FileArea } from './file-store.ts';

export type AreaKind = FileArea['kind'];

/** Source: extensions, File areas */
export const areaPaths: Readonly<Record<AreaKind, string>> = {
  collection: '/api/collection/fs',
  space: '/api/space/{spaceId}/fs',
  user: '/api/space/{spaceId}/user/fs',
  participant: '/api/space/{spaceId}/participant/{participantId}/fs',
};

/** The area that a request is about, when its sender may use it. @throws {Refusal} 401, 403, 404 */
export async function openArea(service: Service, call: Call, kind: AreaKind): Promise<FileArea> {
  const { behaviours } = service;
  const user = await behaviours.authenticateFile(service, call);
  const area = behaviours.fileAreaOf(service, call, user, kind);
  behaviours.authorizeArea(service, user, area, call);
  return area;
}

/** As on other routes, but a token in the query opens as well. Source: extensions, Authentication 1. @throws {Refusal} 401 */
export async function authenticateFile(service: Service, call: Call): Promise<User> {
  const { behaviours } = service;
  const credentials = behaviours.fileCredentialsOf(service, call);
  if (credentials === undefined) throw behaviours.missingToken();
  const user = await behaviours.userOfCredentials(service, credentials);
  if (user !== undefined) return user;
  throw behaviours.unusableToken(service, 'The credentials are those of no user; get a token from the token endpoint.');
}

/** Those of the header, or of the query where there is no header. */
export function fileCredentialsOf(service: Service, call: Call): Credentials | undefined {
  return service.behaviours.credentialsOf(call.headers) ?? service.behaviours.queryCredentialsOf(call);
}

/** The query token of a download. Source: ledger file-token-query-scope */
export function queryCredentialsOf(call: Call): Credentials | undefined {
  const token = call.method === 'GET' ? call.query.get('token') : null;
  return token === null ? undefined : { scheme: 'bearer', token };
}

/** @throws {Refusal} 404 for a space that does not exist */
export function fileAreaOf(service: Service, call: Call, user: User, kind: AreaKind): FileArea {
  const { behaviours } = service;
  if (kind === 'collection') return behaviours.collectionArea();
  if (kind === 'space') return behaviours.spaceArea(service, call);
  return kind === 'user' ? behaviours.userArea(service, call, user) : behaviours.participantArea(service, call);
}

export function collectionArea(): FileArea {
  return { kind: 'collection' };
}

export function spaceArea(service: Service, call: Call): FileArea {
  return { kind: 'space', spaceId: service.behaviours.spaceOf(service, call).id };
}

/** Of whoever asks: the path names no user. Source: extensions, File areas, row User */
export function userArea(service: Service, call: Call, user: User): FileArea {
  return { kind: 'user', spaceId: service.behaviours.spaceOf(service, call).id, userName: user.name };
}

export function participantArea(service: Service, call: Call): FileArea {
  return {
    kind: 'participant',
    spaceId: service.behaviours.spaceOf(service, call).id,
    participantId: call.params['participantId'] ?? '',
  };
}

/** @throws {Refusal} 403 */
export function authorizeArea(service: Service, user: User, area: FileArea, call: Call): void {
  if (service.behaviours.mayUseArea(service, user, area, call)) return;
  throw new Refusal(403, `${user.name} has no role that opens this ${area.kind} area.`);
}

/** Source: ledger file-area-roles */
export function mayUseArea(service: Service, user: User, area: FileArea, call: Call): boolean {
  const { behaviours } = service;
  if (area.kind === 'collection') return behaviours.mayAdministrate(service, user);
  const space = behaviours.spaceOf(service, call);
  if (area.kind === 'participant') return space.participants.get(area.participantId)?.has(user.name) ?? false;
  return behaviours.rolesOf(service, user, space).length > 0;
}
