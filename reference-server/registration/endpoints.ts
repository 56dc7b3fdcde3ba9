import { mediaTypes } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, UserCall } from '../service.ts';
import type { Reading, Writing } from '../store/store.ts';
import { invalid } from './fields.ts';
import { dropRegistration, keepRegistration, registrationsOf } from './kept.ts';
import type { Registration, RegistrationKind, SimpleEndpoint, TrustedEndpoint } from './model.ts';

export type EndpointKind = Exclude<RegistrationKind, 'svcExtension'>;

/** Where registrations of a kind are. Source: extensions, Registration routes; ledger registration-read-update-delete */
export function registrationPath(kind: RegistrationKind): string {
  return `/api/admin/${kind}`;
}

/** POST of an endpoint. @throws {Refusal} 409 for an id that is taken */
export async function createEndpoint(
  service: Service,
  call: UserCall,
  writing: Writing,
  kind: EndpointKind,
): Promise<Answer> {
  const endpoint = endpointOf(service, call, kind, service.clock.now());
  await service.behaviours.assertFreeId(service, writing, endpoint.id);
  await keepRegistration(writing, endpoint);
  return createdAnswer(kind, endpoint.id);
}

/** @throws {Refusal} 409. Source: ledger registration-duplicates */
export async function assertFreeId(service: Service, reading: Reading, id: string): Promise<void> {
  if ((await service.behaviours.registrationOf(reading, id)) === undefined) return;
  throw new Refusal(409, `There is an endpoint ${id} already: change that one, or choose another id.`, {
    pointer: '/id',
  });
}

/** PUT of a whole endpoint; its id stays. */
export async function putEndpoint(
  service: Service,
  call: UserCall,
  writing: Writing,
  kind: EndpointKind,
): Promise<Answer> {
  const former = await locateRegistration(service, call, writing, kind);
  const endpoint = endpointOf(service, call, kind, former.registeredAt);
  if (endpoint.id !== former.id) throw invalid('/id', `must be that of the path, ${former.id}`);
  await keepRegistration(writing, endpoint);
  await service.behaviours.resumeDeliveries(service, writing, former.id);
  return { status: 200, body: { id: endpoint.id } };
}

function endpointOf(
  service: Service,
  call: UserCall,
  kind: EndpointKind,
  registeredAt: number,
): SimpleEndpoint | TrustedEndpoint {
  const { behaviours } = service;
  const body = registrationBody(service, call);
  if (kind === 'externalEndpoint') return { ...behaviours.endpointFrom(service, body), kind, registeredAt };
  return { ...behaviours.trustedEndpointFrom(service, body), kind, registeredAt };
}

/** @throws {Refusal} 415, 400 */
export function registrationBody(service: Service, call: UserCall): unknown {
  service.behaviours.requireMediaType(service, call, [mediaTypes.json]);
  return service.behaviours.jsonBodyOf(service, call);
}

export function createdAnswer(kind: RegistrationKind, id: string): Answer {
  return { status: 201, headers: { Location: `${registrationPath(kind)}/${encodeURIComponent(id)}` }, body: { id } };
}

/** The registration that the path names. @throws {Refusal} 404, also for one of another kind */
export async function locateRegistration<K extends RegistrationKind>(
  service: Service,
  call: UserCall,
  reading: Reading,
  kind: K,
): Promise<Extract<Registration, { readonly kind: K }>> {
  const { id = '' } = call.params;
  const registration = await service.behaviours.registrationOf(reading, id);
  if (registration !== undefined && isOf(registration, kind)) return registration;
  throw new Refusal(404, `There is no ${kind} ${id}.`, { pointer: 'id' });
}

function isOf<K extends RegistrationKind>(
  registration: Registration,
  kind: K,
): registration is Extract<Registration, { readonly kind: K }> {
  return registration.kind === kind;
}

export async function readRegistration(
  service: Service,
  call: UserCall,
  reading: Reading,
  kind: RegistrationKind,
): Promise<Answer> {
  const registration = await locateRegistration(service, call, reading, kind);
  return service.behaviours.conditional(service, call, {
    status: 200,
    body: service.behaviours.registrationOut(registration),
  });
}

export async function listRegistrations(
  service: Service,
  call: UserCall,
  reading: Reading,
  kind: RegistrationKind,
): Promise<Answer> {
  const registrations = await registrationsOf(reading, kind);
  const data = registrations.map((registration) => service.behaviours.registrationOut(registration));
  return service.behaviours.conditional(service, call, { status: 200, body: { href: registrationPath(kind), data } });
}

export async function deleteRegistration(
  service: Service,
  call: UserCall,
  writing: Writing,
  kind: RegistrationKind,
): Promise<Answer> {
  const former = await locateRegistration(service, call, writing, kind);
  await dropRegistration(writing, former);
  await service.behaviours.resumeDeliveries(service, writing, former.id);
  return { status: 204 };
}
