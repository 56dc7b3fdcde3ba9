import type { RegistrationTemplate, RequestTemplate } from '../../contract/profile/calls-out.ts';
import { statedVersion } from '../service/answers.ts';
import type { Bookings } from '../case/bookings.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../exchange.ts';
import { valueAt } from '../json.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl, lastSegment, requestFrom } from '../service/requests.ts';
import type { ValidatorChanges } from './validator-changes.ts';
import type { Target } from '../service/target.ts';
import { PreconditionFailed } from '../violation.ts';

/** Last segment of the documented registration routes. */
export type RegistrationKind = 'externalEndpoint' | 'trustedExternalEndpoint' | 'svcExtension';

/** A registration that the suite made. */
export interface Registration {
  readonly kind: RegistrationKind;
  /** By which the routes of the profile name it. */
  readonly id: string;
  /** As it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly reply: Reply;
}

/** The registration routes, sent as administrator unless changed. */
export interface Registrations {
  /** How long the case has waited until changes were put to use, in ms. */
  readonly waitedMs: number;
  /** POST as documented; what it makes is booked. */
  post(kind: RegistrationKind, body: unknown, changes?: Changes): Promise<Reply>;
  /** The registration behind an answer. @throws {PreconditionFailed} it was refused, or names no id */
  made(kind: RegistrationKind, body: Readonly<Record<string, unknown>>, reply: Reply): Registration;
  /** Needs `registration-update`: the registered body with these members changed. */
  update(registration: Registration, members?: Readonly<Record<string, unknown>>, changes?: Changes): Promise<Reply>;
  /** undefined where the profile has no routes.registrationRead. */
  read(registration: Registration, changes?: Changes): Promise<Reply | undefined>;
  /** undefined where the profile has no routes.registrationDelete. */
  remove(registration: Registration): Promise<Reply | undefined>;
}

export interface RegistrationParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: Bookings;
  /** On whose behalf registrations are booked. */
  readonly madeBy: string;
  readonly validatorChanges: ValidatorChanges;
  /** Resolves when the service may be taken to have put the update or the removal of one of that kind to use. */
  readonly untilUsed: (kind: RegistrationKind, change: 'update' | 'removal') => Promise<void>;
  /** How long that has taken, in ms. */
  readonly waitedMs: () => number;
}

type Body = Readonly<Record<string, unknown>>;

/** The registration routes. Source: extensions, Registration routes; ledger registration-read-update-delete */
export function openRegistrations(parts: RegistrationParts): Registrations {
  const { service, profile } = parts;
  const routes = profile.all.routes ?? {};
  return {
    get waitedMs() {
      return parts.waitedMs();
    },
    post: async (kind, body, changes) => {
      const request = { method: 'POST', url: `/api/admin/${kind}`, as: 'administrator', body, unbooked: true } as const;
      const reply = await parts.validatorChanges.through(valueAt(body, '/hostUri'), () =>
        service.send(request, changes),
      );
      book(parts, kind, body, reply);
      return reply;
    },
    made: (kind, body, reply) => madeFrom(profile, kind, body, reply),
    update: async (registration, members = {}, changes) => {
      const template = routes.registrationUpdate;
      if (template === undefined)
        throw new Error('the case uses routes.registrationUpdate: its rule does not name the need');
      const version = await versionFor(parts, template, registration);
      const body = { ...registration.body, ...members };
      // one that is switched off is asked no more, as if it went
      const reply = await parts.validatorChanges.through(registration.body['hostUri'], () =>
        service.send(registrationRequest(template, { ...registration, body }, version), changes),
      );
      if (isSuccess(reply.status)) await parts.untilUsed(registration.kind, 'update');
      return reply;
    },
    read: async (registration, changes) => sendRegistration(parts, routes.registrationRead, registration, changes),
    remove: async (registration) => {
      const reply = await parts.validatorChanges.through(registration.body['hostUri'], () =>
        sendRegistration(parts, routes.registrationDelete, registration),
      );
      if (reply === undefined || !isSuccess(reply.status)) return reply;
      parts.bookings.drop(uriOf(parts, registration.kind, registration.id));
      await parts.untilUsed(registration.kind, 'removal');
      return reply;
    },
  };
}

async function sendRegistration(
  parts: RegistrationParts,
  template: RegistrationTemplate | undefined,
  registration: Registration,
  changes?: Changes,
): Promise<Reply | undefined> {
  if (template === undefined) return undefined;
  const version = await versionFor(parts, template, registration);
  return parts.service.send(registrationRequest(template, registration, version), changes);
}

function registrationRequest(
  template: RegistrationTemplate,
  { kind, id, body }: Pick<Registration, 'kind' | 'id' | 'body'>,
  version: number | undefined,
): RequestSpec {
  const request = requestFrom(
    { as: 'administrator', ...templateFor(template, kind) },
    { version, kind, registrationId: id, registration: body, ...body },
  );
  return { ...request, unbooked: true };
}

function templateFor({ byKind, ...common }: RegistrationTemplate, kind: RegistrationKind): RequestTemplate {
  return { ...common, ...byKind?.[kind] };
}

/** The version that a read of the registration shows, where the request asks for it. */
async function versionFor(
  { service, profile }: RegistrationParts,
  template: RegistrationTemplate,
  registration: Registration,
): Promise<number | undefined> {
  const { registrationRead } = profile.all.routes ?? {};
  const { kind } = registration;
  if (!JSON.stringify(templateFor(template, kind)).includes('{{version}}')) return undefined;
  const read = registrationRead && (await service.send(registrationRequest(registrationRead, registration, undefined)));
  const version = read && statedVersion(read);
  if (version !== undefined) return version;
  throw new PreconditionFailed('the version of a registration: see routes.registrationRead of the profile', read);
}

/** What the service took has to go in the end, also where the case never learned that it was taken. */
function book(parts: RegistrationParts, kind: RegistrationKind, body: unknown, reply: Reply): void {
  const id = isSuccess(reply.status) ? idOf(parts.profile, kind, body, reply) : undefined;
  if (id === undefined) return;
  const remove = removalOf(parts.profile, kind, body, reply);
  parts.bookings.book({
    uri: uriOf(parts, kind, id),
    madeBy: parts.madeBy,
    lacks: 'routes.registrationDelete',
    ...(remove && { remove }),
  });
}

/** The request that takes a registration back; undefined where it names no id, or the profile has no routes.registrationDelete. */
export function removalOf(
  profile: BoundProfile,
  kind: RegistrationKind,
  body: unknown,
  reply: Reply,
): RequestSpec | undefined {
  const id = idOf(profile, kind, body, reply);
  const template = profile.all.routes?.registrationDelete;
  if (id === undefined || template === undefined) return undefined;
  const request = registrationRequest(template, { kind, id, body: {} }, statedVersion(reply) ?? 1);
  return { ...request, url: absoluteUrl(profile.all, request.url) };
}

function uriOf({ profile }: RegistrationParts, kind: RegistrationKind, id: string): string {
  return absoluteUrl(profile.all, `/api/admin/${kind}/${encodeURIComponent(id)}`);
}

function madeFrom(profile: BoundProfile, kind: RegistrationKind, body: Body, reply: Reply): Registration {
  const id = isSuccess(reply.status) ? idOf(profile, kind, body, reply) : undefined;
  if (id !== undefined) return { kind, id, body, reply };
  const rule =
    kind === 'svcExtension'
      ? 'registration.extension.required-only-accepted'
      : 'registration.simple.required-only-accepted';
  throw new PreconditionFailed(
    `to register at /api/admin/${kind} and to learn its id (routes.registrationIdPath of the profile says where it stands)`,
    reply,
    [rule],
  );
}

/** The id stands where the profile says. Elsewhere endpoints state it; that of an extension stands in the Location or in the body. Without a use for it the address of the host will do. */
function idOf({ all }: BoundProfile, kind: RegistrationKind, body: unknown, reply: Reply): string | undefined {
  const { id, hostUri }: Readonly<Record<string, unknown>> = Object(body);
  const stated = kind !== 'svcExtension' && typeof id === 'string' ? id : undefined;
  const path = all.routes?.registrationIdPath;
  const found = path === undefined ? (stated ?? usualId(reply)) : (idAt(path, reply) ?? stated);
  if (found !== undefined) return found;
  const isUsed = JSON.stringify([all.routes, all.triggers]).includes('{{registrationId}}');
  return !isUsed && typeof hostUri === 'string' ? hostUri : undefined;
}

/** An address in the place of an id ends with it. */
function idAt(path: string, reply: Reply): string | undefined {
  if (path === 'Location') return idInLocation(reply);
  const told = idIn(valueAt(reply.json, path));
  return told?.includes('/') ? lastSegment(told) : told;
}

function usualId(reply: Reply): string | undefined {
  return idInLocation(reply) ?? idIn(valueAt(reply.json, '/id'));
}

function idInLocation({ headers }: Reply): string | undefined {
  return lastSegment(headers['location']?.split(/[?#]/)[0] ?? '');
}

function idIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
