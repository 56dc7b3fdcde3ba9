import { mediaTypes } from '../contract/names.ts';
import type { User } from './configuration.ts';
import { Refusal } from './problem.ts';
import type { Route } from './route.ts';
import type { Answer, Call, Service, UserCall } from './service.ts';
import type { Reading, Writing } from './store/store.ts';

/** What a user may say about himself, for all spaces. */
export interface UserProfile {
  readonly displayName: string;
}

/** Kind under which profiles stand in the store, by user name. */
const profileKind = 'userProfile';
const longestDisplayName = 200;

export const collectionBehaviours = {
  readTemplates,
  readSpaces,
  readHealth,
  readProfile,
  putProfile,
  profileOf,
  profileFrom,
};

async function readTemplates(service: Service, call: Call): Promise<Answer> {
  const templates = service.configuration.templates
    .values()
    .map(({ id, name, softTypes }) => ({ id, name, softTypes: [...softTypes.keys()] }));
  return listing(service, call, '/api/collection/template', [...templates]);
}

async function readSpaces(service: Service, call: Call): Promise<Answer> {
  const spaces = service.configuration.spaces
    .values()
    .map(({ id, name, template }) => ({ id, name, template: template.id }));
  return listing(service, call, '/api/collection/space', [...spaces]);
}

/** Healthy when the store answers; a store that does not makes it a 500. */
async function readHealth(service: Service, call: Call, reading: Reading): Promise<Answer> {
  await reading.document('health', 'probe');
  return service.behaviours.conditional(service, call, {
    status: 200,
    body: { ...service.configuration.collection, status: 'healthy' },
  });
}

async function readProfile(service: Service, call: UserCall, reading: Reading): Promise<Answer> {
  const profile = await service.behaviours.profileOf(reading, call.user);
  return service.behaviours.conditional(service, call, {
    status: 200,
    body: { id: call.user.name, name: call.user.name, ...profile },
  });
}

/** Replaces the own profile; it has no system version, so none is asked for. */
async function putProfile(service: Service, call: UserCall, writing: Writing): Promise<Answer> {
  service.behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const profile = service.behaviours.profileFrom(service.behaviours.jsonBodyOf(service, call));
  await writing.putDocument(profileKind, call.user.name, JSON.stringify(profile));
  return { status: 204 };
}

/** The stored profile, or the one that the configuration gives. */
async function profileOf(reading: Reading, user: User): Promise<UserProfile> {
  const text = await reading.document(profileKind, user.name);
  return text === undefined ? { displayName: user.displayName } : profileFrom(JSON.parse(text));
}

/** @throws {Refusal} 422 for another member, or a display name that is no text of 1 to 200 characters */
function profileFrom(body: unknown): UserProfile {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(422, 'Expected an object with displayName.', { pointer: '' });
  for (const member of Object.keys(body)) if (member !== 'displayName') throw unknownMember(member);
  const displayName: unknown = 'displayName' in body ? body.displayName : undefined;
  if (typeof displayName === 'string' && displayName !== '' && displayName.length <= longestDisplayName)
    return { displayName };
  throw new Refusal(422, `Expected displayName to be a text of 1 to ${longestDisplayName} characters.`, {
    pointer: '/displayName',
  });
}

function unknownMember(member: string): Refusal {
  const pointer = `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return new Refusal(422, `A profile has no member ${member}; it holds displayName only.`, { pointer });
}

function listing(service: Service, call: Call, href: string, data: readonly object[]): Answer {
  return service.behaviours.conditional(service, call, { status: 200, body: { href, data } });
}

export const collectionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/collection/template',
    access: 'collection',
    effect: 'read',
    handle: (service, call) => service.behaviours.readTemplates(service, call),
  },
  {
    method: 'GET',
    path: '/api/collection/space',
    access: 'collection',
    effect: 'read',
    handle: (service, call) => service.behaviours.readSpaces(service, call),
  },
  {
    method: 'GET',
    path: '/api/collection/health',
    access: 'collection',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readHealth(service, call, reading),
  },
  {
    method: 'GET',
    path: '/api/collection/user/profile',
    access: 'collection',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readProfile(service, call, reading),
  },
  {
    method: 'PUT',
    path: '/api/collection/user/profile',
    access: 'collection',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.putProfile(service, call, writing),
  },
];
