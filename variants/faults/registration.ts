import type { ExtensionFields, Registration } from '../../reference-server/areas/records.ts';
import type { Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, type Variants, replaces, together } from '../breaks.ts';

type Json = Readonly<Record<string, unknown>>;

/** Everything that a simple endpoint needs, where the body lacks it. */
const anything = {
  url: 'https://example.com',
  id: 'unnamed',
  method: 'POST',
  category: '',
  headers: [{ name: 'content-type', value: 'text/plain' }],
};

export const registrationFaults = {
  'registration.simple.required-only-accepted': replaces('registrations', 'endpointFrom', (right, areas, body) => {
    demand(body, 'name');
    return right(areas, body);
  }),
  'registration.simple.all-fields-accepted': replaces('registrations', 'endpointFrom', (right, areas, body) => {
    if (!lacks(body, 'description')) throw new Refusal(400, 'description is not known.');
    return right(areas, body);
  }),
  'registration.simple.missing-required-refused': replaces('registrations', 'endpointFrom', (right, areas, body) =>
    right(areas, filled(body, { category: '' })),
  ),
  'registration.simple.content-type-header-required': replaces('registrations', 'requireHeaders', () => undefined),
  'registration.simple.no-call-on-registration': replaces(
    'registrations',
    'createEndpoint',
    async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { url, description } = call.json;
      if (description !== undefined)
        void areas.outgoingCalls.call({ method: 'GET', url, headers: {}, timeoutMs: 1000 });
      return answer;
    },
  ),

  'registration.trusted.required-only-accepted': replaces(
    'registrations',
    'trustedEndpointFrom',
    (right, areas, body) => {
      demand(body, 'permissions');
      return right(areas, body);
    },
  ),
  'registration.trusted.token-life-time-required': replaces(
    'registrations',
    'trustedEndpointFrom',
    (right, areas, body) => right(areas, withLifeTime(body)),
  ),
  'registration.trusted.missing-simple-field-refused': replaces(
    'registrations',
    'trustedEndpointFrom',
    (right, areas, body) => right(areas, filled(body, anything)),
  ),
  'registration.trusted.permissions-accepted': replaces(
    'registrations',
    'trustedEndpointFrom',
    (right, areas, body) => {
      const fields = right(areas, body);
      if (fields.permissions?.permissions?.includes('LicenseCommunicationAPI'))
        throw new Refusal(400, 'LicenseCommunicationAPI is not known.');
      return fields;
    },
  ),

  'registration.extension.required-only-accepted': replaces('registrations', 'extensionFrom', (right, areas, body) => {
    demand(body, 'active');
    return right(areas, body);
  }),
  'registration.extension.missing-required-refused': replaces('registrations', 'extensionFrom', (right, areas, body) =>
    right(areas, withLifeTime(body)),
  ),

  'registration.auth.missing-credential-401': openTo('svcExtension'),
  'registration.auth.non-administrator-403': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    if (!isTo(call, 'trustedExternalEndpoint')) right(areas, user, access, call);
  }),

  'registration.active.default-true-endpoint': replaces('registrations', 'endpointFrom', (right, areas, body) =>
    right(areas, lacks(body, 'description') ? body : filled(body, { active: false })),
  ),
  'registration.active.default-true-extension': replaces('registrations', 'extensionFrom', (right, areas, body) => {
    const { tokenLifeTime } = right(areas, body);
    return right(areas, tokenLifeTime < 5 ? filled(body, { active: false }) : body);
  }),
  'registration.active.false-not-called-endpoint': neverInactive(({ kind }) => kind !== 'svcExtension'),
  'registration.active.false-not-called-extension': neverInactive(({ kind }) => kind === 'svcExtension'),
  'registration.active.toggle-at-runtime': (classes) => {
    const first = new Map<string, ExtensionFields['active']>();
    return replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const fields = right(areas, body);
      const active = first.get(fields.hostUri) ?? fields.active;
      first.set(fields.hostUri, active);
      return { ...fields, active };
    })(classes);
  },

  'registration.history.matches-model': methodLeftBehind(),

  'registration.body.other-spelling': replaces('messages', 'jsonBodyOf', (right, areas, call) => {
    if (call.url.startsWith('/api/admin/') && /^\s/.test(String(call.body)))
      throw new Refusal(400, 'Expected a JSON object.');
    return right(areas, call);
  }),
  'registration.body.malformed-json': replaces('messages', 'jsonBodyOf', (right, areas, call) => {
    try {
      return right(areas, call);
    } catch (error) {
      throw isTo(call, 'externalEndpoint') && error instanceof Refusal
        ? new Error('the body was not understood')
        : error;
    }
  }),
} satisfies Variants;

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

/** Registrations of the kind, which call out, are taken from everybody. */
function openTo(kind: Registration['kind']): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const user = areas.configuration.users.get('cora') ?? areas.configuration.users.values().next().value;
    if (
      call.method !== 'POST' ||
      route.access !== 'collection' ||
      !isTo(call, kind) ||
      call.headers['authorization'] !== undefined ||
      route.effect !== 'outside' ||
      user === undefined
    )
      return right(areas, route, call);
    return areas.dispatcher.carryOutElsewhere(route, { ...call, user });
  });
}

function neverInactive(applies: (registration: Registration) => boolean): Variant {
  return replaces(
    'callees',
    'isActive',
    (right, areas, registration) => applies(registration) || right(areas, registration),
  );
}

/** What an endpoint says whose headers are refused is forgotten, but for its method. */
function methodLeftBehind(): Variant {
  return (classes) => {
    const left = new Map<unknown, string>();
    return together(
      replaces('registrations', 'endpointFrom', (right, areas, body) => {
        const { id, method, headers } = Object(body) as Json;
        left.delete(id);
        try {
          return right(areas, body);
        } catch (error) {
          if (typeof method === 'string' && Array.isArray(headers) && headers.length === 0) left.set(id, method);
          throw error;
        }
      }),
      replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
        const { id, method } = callee.endpoint;
        return right(areas, delivery, {
          ...callee,
          endpoint: { ...callee.endpoint, method: left.get(id) ?? method },
        });
      }),
    )(classes);
  };
}
