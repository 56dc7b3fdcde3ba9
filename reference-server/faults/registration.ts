import { Refusal } from '../problem.ts';
import type { ExtensionFields, Registration } from '../registration/model.ts';
import type { Call } from '../service.ts';
import type { Fault, FaultsOf } from './fault.ts';
import { replacing } from './fault.ts';

type Json = Readonly<Record<string, unknown>>;

/** The body with members that it lacks. */
function filled(body: unknown, members: Json): unknown {
  return typeof body === 'object' && body !== null ? { ...members, ...body } : body;
}

function lacks(body: unknown, member: string): boolean {
  return typeof body !== 'object' || body === null || !(member in body);
}

function demand(body: unknown, member: string): void {
  if (lacks(body, member)) throw new Refusal(400, `${member} must be there.`);
}

function isTo(call: Call, kind: Registration['kind']): boolean {
  return call.url.startsWith(`/api/admin/${kind}`);
}

/** What is not a whole number of minutes counts as an hour. */
function withLifeTime(body: unknown): unknown {
  return filled(body, { tokenLifeTime: 60 });
}

/** Everything that a simple endpoint needs, where the body lacks it. */
const anything = {
  url: 'https://example.com',
  id: 'unnamed',
  method: 'POST',
  category: '',
  headers: [{ name: 'content-type', value: 'text/plain' }],
};

/** Registrations of the kind, which call out, are taken from everybody. */
function openTo(kind: Registration['kind']): Fault {
  return replacing('carryOut', (right) => async (service, route, call) => {
    const user = service.configuration.users.get('cora') ?? service.configuration.users.values().next().value;
    if (
      call.method !== 'POST' ||
      route.access !== 'collection' ||
      !isTo(call, kind) ||
      call.headers['authorization'] !== undefined ||
      user === undefined
    )
      return right(service, route, call);
    if (route.effect === 'outside') return route.handle(service, { ...call, user });
    return right(service, route, call);
  });
}

function neverInactive(applies: (registration: Registration) => boolean): Fault {
  return replacing('isActive', (right) => (registration) => applies(registration) || right(registration));
}

export const registrationFaults: FaultsOf<'registration'> = {
  'registration.simple.required-only-accepted': replacing('endpointFrom', (right) => (service, body) => {
    demand(body, 'name');
    return right(service, body);
  }),
  'registration.simple.all-fields-accepted': replacing('endpointFrom', (right) => (service, body) => {
    if (!lacks(body, 'description')) throw new Refusal(400, 'description is not known.');
    return right(service, body);
  }),
  'registration.simple.missing-required-refused': replacing(
    'endpointFrom',
    (right) => (service, body) => right(service, filled(body, { category: '' })),
  ),
  'registration.simple.content-type-header-required': replacing('requireHeaders', () => () => undefined),
  'registration.simple.no-call-on-registration': replacing(
    'createEndpoint',
    (right) => async (service, call, writing, kind) => {
      const answer = await right(service, call, writing, kind);
      const { url, description } = service.behaviours.endpointFrom(
        service,
        service.behaviours.jsonBodyOf(service, call),
      );
      if (description !== undefined)
        void service.behaviours.call(service, { method: 'GET', url, headers: {}, timeoutMs: 1000 });
      return answer;
    },
  ),

  'registration.trusted.required-only-accepted': replacing('trustedEndpointFrom', (right) => (service, body) => {
    demand(body, 'permissions');
    return right(service, body);
  }),
  'registration.trusted.token-life-time-required': replacing(
    'trustedEndpointFrom',
    (right) => (service, body) => right(service, withLifeTime(body)),
  ),
  'registration.trusted.missing-simple-field-refused': replacing(
    'trustedEndpointFrom',
    (right) => (service, body) => right(service, filled(body, anything)),
  ),
  'registration.trusted.permissions-accepted': replacing('trustedEndpointFrom', (right) => (service, body) => {
    const fields = right(service, body);
    if (fields.permissions?.permissions?.includes('LicenseCommunicationAPI'))
      throw new Refusal(400, 'LicenseCommunicationAPI is not known.');
    return fields;
  }),

  'registration.extension.required-only-accepted': replacing('extensionFrom', (right) => (service, body) => {
    demand(body, 'active');
    return right(service, body);
  }),
  'registration.extension.missing-required-refused': replacing(
    'extensionFrom',
    (right) => (service, body) => right(service, withLifeTime(body)),
  ),

  'registration.auth.missing-credential-401': openTo('svcExtension'),
  'registration.auth.non-administrator-403': replacing('authorize', (right) => (service, user, access, call) => {
    if (!isTo(call, 'trustedExternalEndpoint')) right(service, user, access, call);
  }),

  'registration.active.default-true-endpoint': replacing(
    'endpointFrom',
    (right) => (service, body) => right(service, lacks(body, 'description') ? body : filled(body, { active: false })),
  ),
  'registration.active.default-true-extension': replacing('extensionFrom', (right) => (service, body) => {
    const { tokenLifeTime } = right(service, body);
    return right(service, tokenLifeTime < 5 ? filled(body, { active: false }) : body);
  }),
  'registration.active.false-not-called-endpoint': neverInactive(({ kind }) => kind !== 'svcExtension'),
  'registration.active.false-not-called-extension': neverInactive(({ kind }) => kind === 'svcExtension'),
  'registration.active.toggle-at-runtime': (behaviours) => {
    const first = new Map<string, ExtensionFields['active']>();
    return replacing('extensionFrom', (right) => (service, body) => {
      const fields = right(service, body);
      const active = first.get(fields.hostUri) ?? fields.active;
      first.set(fields.hostUri, active);
      return { ...fields, active };
    })(behaviours);
  },

  'registration.body.malformed-json': replacing('jsonBodyOf', (right) => (service, call) => {
    try {
      return right(service, call);
    } catch (error) {
      throw isTo(call, 'externalEndpoint') && error instanceof Refusal
        ? new Error('the body was not understood')
        : error;
    }
  }),
};
