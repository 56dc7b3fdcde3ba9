import { commonersOf } from '../core/checks/readers.ts';
import { jsonHeader } from '../../judge/extension/extension.ts';
import { isDeepStrictEqual } from 'node:util';
import { nowhere, permissionNames } from '../../contract/names.ts';
import { type CaseContext, scenario, unlessKept } from '../../judge/case.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { type Changes, isSuccess, type Reply } from '../../judge/exchange.ts';
import type { RegistrationKind } from '../../judge/extension/registrations.ts';
import { callWaitMs, expectNoCall, stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { partHere } from '../../judge/case/part.ts';
import { isGranted } from '../../judge/service/roles.ts';
import { everySpelling, spelled } from '../../judge/service/spellings.ts';
import { withBearer } from '../../judge/service/token.ts';
import { alteredInside } from './checks/file-credentials.ts';
import { extensionBody } from './checks/extension-hosts.ts';

const kinds = ['externalEndpoint', 'trustedExternalEndpoint', 'svcExtension'] as const;

/** Fields without which a simple endpoint is none. Source: extensions, Registered external endpoint, Required column */
const requiredOfEndpoint = ['url', 'id', 'method', 'category', 'headers'] as const;

const keyBytes = 64;

/** The rule that says that a registration of the kind is taken at all. */
const groundOf = {
  externalEndpoint: 'registration.simple.required-only-accepted',
  trustedExternalEndpoint: 'registration.trusted.required-only-accepted',
  svcExtension: 'registration.extension.required-only-accepted',
} as const;

const apiKeyHeader = { name: 'X-Api-Key', value: 'conformance' };

const tokenCallback = `${nowhere}/keys`;

type Body = Readonly<Record<string, unknown>>;

type Bodies = readonly (readonly [RegistrationKind, Body])[];

export const registrationRules = rules('registration', {
  'registration.simple.required-only-accepted': {
    source: 'extensions: Registered external endpoint, table; Registration routes, row 1',
    statement:
      '`POST /api/admin/externalEndpoint` with url, id, method, category and headers (one entry, `content-type`) and nothing else is accepted from a Collection Administrator.',
    fault: '`name`, an optional field, is demanded.',
    needs: ['collection-admin'],
    test: scenario(async (context) => {
      await expectTaken(context, 'externalEndpoint', endpointBody(context));
    }),
  },
  'registration.simple.all-fields-accepted': {
    source: 'extensions: Registered external endpoint, table',
    statement:
      'The same route accepts every documented optional field: active, name, description, requestTimeout, retryForever, rateLimitNumberOfExecutions, and several headers, all of them at once and each without the others; a description may be the empty text.',
    fault: '`description` is rejected as an unknown field.',
    needs: ['collection-admin'],
    test: scenario(async (context) => {
      const headers = [
        { name: 'content-type', value: 'text/plain' },
        apiKeyHeader,
        { name: 'Accept', value: 'application/json' },
      ];
      const optional = {
        active: false,
        name: 'Conformance',
        description: 'An endpoint with every field',
        requestTimeout: 30,
        retryForever: true,
        rateLimitNumberOfExecutions: 7,
      };
      await expectTaken(context, 'externalEndpoint', endpointBody(context, { ...optional, headers }));
      await expectTaken(context, 'externalEndpoint', endpointBody(context, { ...optional, description: '' }));
      for (const [name, value] of Object.entries(optional))
        await expectTaken(context, 'externalEndpoint', endpointBody(context, { [name]: value }));
    }),
  },
  'registration.simple.missing-required-refused': {
    level: 'should',
    source: 'extensions: Registered external endpoint, table, Required column',
    statement:
      'A simple endpoint body that lacks any one of url, id, method, category or headers is refused (no 2xx), and does not stand in the way of the whole body.',
    fault: 'A missing `category` is accepted.',
    needs: ['collection-admin'],
    after: ['registration.simple.required-only-accepted'],
    test: scenario(async (context) => {
      const make = () => endpointBody(context);
      await expectEachNeeded(context, 'externalEndpoint', requiredOfEndpoint, make);
      await observeWrongValues(context, 'externalEndpoint', requiredOfEndpoint, make);
    }),
  },
  'registration.simple.content-type-header-required': {
    source: 'extensions: Registered external endpoint, row headers',
    statement: 'A headers array without a `content-type` entry, including the empty array, is refused.',
    fault: 'Headers array is not inspected.',
    needs: ['collection-admin'],
    after: ['registration.simple.required-only-accepted'],
    test: scenario(async (context) => {
      const { registrations, expect, notes } = context;
      for (const headers of [[], [apiKeyHeader]]) {
        const whole = endpointBody(context);
        expect(await registrations.post('externalEndpoint', { ...whole, headers })).notToSucceed();
        expect(
          await registrations.post('externalEndpoint', {
            ...whole,
            headers: [...headers, jsonHeader],
          }),
        ).toSucceed();
      }
      const around = ['x-content-type', 'content-type-hint'].map((name) => ({ ...jsonHeader, name }));
      expect(await registrations.post('externalEndpoint', endpointBody(context, { headers: around }))).notToSucceed();
      const spelled = await registrations.post(
        'externalEndpoint',
        endpointBody(context, { headers: [{ name: 'Content-Type', value: 'application/json' }] }),
      );
      notes.observe('status where the header is spelled Content-Type', spelled.status, spelled);
    }),
  },
  'registration.simple.no-call-on-registration': {
    level: 'should',
    source: 'extensions: Metadata exchange (concerns extensions); What the service does',
    statement:
      'Registering a simple or trusted endpoint does not itself call its url; only registered extensions have a metadata exchange.',
    fault: 'Registration probes the url of an endpoint that has a description with a GET.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given } = context;
      const described = { registration: { description: 'An endpoint of the conformance suite' } };
      const simple = [await given.endpoint(), await given.endpoint(described)];
      const trusted = [await given.endpoint({ trusted: true }), await given.endpoint({ trusted: true, ...described })];
      const reachable = await given.extension();
      given.assume(reachable.metadata().length > 0, 'a listener that the service reaches');
      await stayQuiet(context);
      for (const endpoint of simple)
        expectNoCall(context, endpoint, 'requests to a simple endpoint after its registration');
      for (const endpoint of trusted)
        expectNoCall(context, endpoint, 'requests to a trusted endpoint after its registration');
    }),
  },
  'registration.trusted.required-only-accepted': {
    source: 'extensions: Registered trusted external endpoint, table; Registration routes, row 2',
    statement:
      '`POST /api/admin/trustedExternalEndpoint` with the required simple fields plus tokenLifeTime is accepted; permissions may be left out.',
    fault: '`permissions` is demanded.',
    needs: ['collection-admin'],
    test: scenario(async (context) => {
      await expectTaken(context, 'trustedExternalEndpoint', trustedBody(context));
    }),
  },
  'registration.trusted.token-life-time-required': {
    level: 'should',
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    statement: 'A trusted endpoint without tokenLifeTime is refused.',
    fault: 'tokenLifeTime defaults to 60.',
    needs: ['collection-admin'],
    after: ['registration.trusted.required-only-accepted'],
    test: scenario(async (context) => {
      const { registrations, expect, notes } = context;
      const lacking = endpointBody(context);
      const refused = await registrations.post('trustedExternalEndpoint', lacking);
      expect(refused).notToSucceed();
      notes.bound('registrationInvalid', 'a trusted endpoint without tokenLifeTime', refused.status, refused);
      expect(await registrations.post('trustedExternalEndpoint', { ...lacking, tokenLifeTime: 60 })).toSucceed();
      for (const tokenLifeTime of [0, -1, 1.5, '60']) {
        const reply = await registrations.post('trustedExternalEndpoint', endpointBody(context, { tokenLifeTime }));
        notes.observe(`tokenLifeTime ${JSON.stringify(tokenLifeTime)}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
    }),
  },
  'registration.trusted.missing-simple-field-refused': {
    level: 'should',
    source: 'extensions: Registered trusted external endpoint (all fields of the simple endpoint)',
    statement: 'The required fields of the simple endpoint are required on the trusted route as well.',
    fault: 'The trusted route validates only tokenLifeTime.',
    needs: ['collection-admin'],
    after: ['registration.trusted.required-only-accepted'],
    test: scenario(async (context) => {
      const make = () => trustedBody(context);
      await expectEachNeeded(context, 'trustedExternalEndpoint', requiredOfEndpoint, make);
      await observeWrongValues(context, 'trustedExternalEndpoint', requiredOfEndpoint, make);
    }),
  },
  'registration.trusted.permissions-accepted': {
    source: 'extensions: Registered trusted external endpoint, row permissions; Permission names',
    statement:
      '`permissions` as an object with the array `permissions` of documented names and the string `tokenCallback` is accepted, for each of the five names.',
    fault: 'LicenseCommunicationAPI is not a known name.',
    needs: ['collection-admin'],
    after: ['registration.trusted.required-only-accepted'],
    test: scenario(async (context) => {
      const { registrations, expect, notes } = context;
      for (const permissions of [...permissionNames.map((name) => [name]), permissionNames])
        expect(
          await registrations.post(
            'trustedExternalEndpoint',
            trustedBody(context, { permissions: { permissions, tokenCallback } }),
          ),
        ).toSucceed();
      const open = {
        'an unknown name': { permissions: ['CoffeeAPI'], tokenCallback },
        'no tokenCallback': { permissions: [permissionNames[0]] },
      };
      for (const [what, permissions] of Object.entries(open)) {
        const reply = await registrations.post('trustedExternalEndpoint', trustedBody(context, { permissions }));
        notes.observe(`permissions with ${what}`, reply.status, reply);
      }
    }),
  },
  'registration.extension.required-only-accepted': {
    source: 'extensions: Registered extension, table; Registration routes, row 3',
    statement:
      '`POST /api/admin/svcExtension` with hostUri, apiKey and tokenLifeTime is accepted, also where the Base64 of the key ends in one `=` or in none; how long a key may be is left to the service.',
    fault: '`active` is demanded.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, registrations, expect } = context;
      const host = await given.extension({ unregistered: true });
      expect(await registrations.post('svcExtension', extensionBody(host))).toSucceed();
      await host.call({ kind: 'metadata' }, { withinMs: callWaitMs });
      await expectEveryPadding(context);
    }),
  },
  'registration.extension.missing-required-refused': {
    level: 'should',
    source: 'extensions: Registered extension, table, Required column',
    statement: 'A body without hostUri, apiKey or tokenLifeTime is refused, and no metadata GET is sent for it.',
    fault: 'A missing tokenLifeTime is accepted.',
    needs: ['collection-admin', 'extension-listener'],
    after: ['registration.extension.required-only-accepted'],
    test: scenario(async (context) => {
      const { given, registrations, expect, notes } = context;
      const lacking = await Promise.all(
        ['hostUri', 'apiKey', 'tokenLifeTime'].map(async (field) => ({
          field,
          host: await given.extension({ unregistered: true }),
        })),
      );
      for (const { field, host } of lacking) {
        const refused = await registrations.post('svcExtension', leaveOut(extensionBody(host), field));
        expect(refused).notToSucceed();
        notes.bound('registrationInvalid', `svcExtension without ${field}`, refused.status, refused);
      }
      await stayQuiet(context);
      for (const { field, host } of lacking)
        expect(host.everything().length, `requests to a host whose registration lacked ${field}`).toEqual(0);
      for (const { host } of lacking) expect(await registrations.post('svcExtension', extensionBody(host))).toSucceed();
    }),
  },
  'registration.body.other-spelling': {
    source: 'extensions: Registration routes (`application/json`); Registered extension, row apiKey',
    statement:
      'A registration says the same in another spelling of its JSON, with white space, escapes and its members in another order: each of the three kinds is accepted, and the metadata request of an extension is signed with the key that it says.',
    fault: 'a registration whose body begins with white space is refused',
    needs: ['collection-admin', 'extension-listener'],
    after: ['registration.extension.required-only-accepted', 'signing.extension-call.metadata-signed'],
    test: scenario(async (context) => {
      const { given, registrations, expect } = context;
      const spelling = (body: Body) => ({ body: spelled(body, { ...everySpelling, plain: [body['apiKey']] }) });
      for (const [kind, body] of [
        ['externalEndpoint', endpointBody(context)],
        ['trustedExternalEndpoint', trustedBody(context)],
      ] as const)
        expect(await registrations.post(kind, body, spelling(body))).toSucceed();
      const host = await given.extension({ unregistered: true });
      const body = extensionBody(host);
      expect(await registrations.post('svcExtension', body, spelling(body))).toSucceed();
      const asked = await host.call({ kind: 'metadata' }, { withinMs: callWaitMs });
      expect(asked.signedOver.length > 0, 'the metadata request is signed with the key of the registration').toEqual(
        true,
      );
    }),
  },
  'registration.body.malformed-json': {
    level: 'should',
    source: 'extensions: Registration routes, row 1 (`application/json`)',
    statement: 'A body that is not JSON, is an array or is empty is refused with a 4xx status.',
    fault: 'A parse error surfaces as 500.',
    needs: ['collection-admin'],
    test: scenario(async (context) => {
      const { registrations, expect, notes } = context;
      for (const kind of kinds) {
        // an array is no object, and no valid registration: whose status it gets is open
        const bodies: readonly (readonly [unknown, 'malformedJson'?])[] = [['{"id":', 'malformedJson'], [[]], ['']];
        for (const [body, key] of bodies) {
          const reply = await registrations.post(kind, body);
          expect(reply.status, `status of ${JSON.stringify(body)} at ${kind}`, reply).toSatisfy(
            '4xx',
            (status) => status >= 400 && status < 500,
          );
          const what = `${kind} with ${JSON.stringify(body)} as body`;
          if (key === undefined) notes.observe(what, reply.status, reply);
          else notes.bound(key, what, reply.status, reply);
        }
        const other = await registrations.post(kind, await bodyOf(context, kind), {
          headers: { 'Content-Type': 'text/plain' },
        });
        notes.observe(`${kind} as text/plain`, other.status, other);
      }
    }),
  },
  'registration.body.success-status': {
    level: 'observe',
    source: 'extensions: Registration routes (responses not shown)',
    statement:
      'Success status, `Location`, and response body of the three routes are not documented and are recorded, as is whether a response or a read echoes apiKey.',
    fault: 'Not applicable as a failure; recorded variant: 201 with Location.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given } = context;
      const host = await given.extension({ unregistered: true });
      const bodies = {
        externalEndpoint: endpointBody(context),
        trustedExternalEndpoint: trustedBody(context),
        svcExtension: extensionBody(host),
      };
      for (const kind of kinds) await observeAnswer(context, kind, bodies[kind], host.apiKey);
    }),
  },
  'registration.duplicate.same-id': {
    level: 'observe',
    source: 'extensions: Registered external endpoint, row id (uniqueness not stated)',
    statement: 'Registering the same endpoint id, or the same hostUri, a second time has no documented result.',
    fault: 'Not applicable as a failure; recorded variant: 409.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, registrations, notes } = context;
      const body = endpointBody(context);
      given.succeeded(await registrations.post('externalEndpoint', body), 'an endpoint is registered', [
        'registration.simple.required-only-accepted',
      ]);
      const again = await registrations.post('externalEndpoint', { ...body, name: 'Another name' });
      notes.observe('status of a second endpoint with the same id', again.status, again);
      const host = await given.extension();
      const second = await registrations.post('svcExtension', extensionBody(host));
      notes.observe('status of a second extension with the same hostUri', second.status, second);
      notes.observe('metadata requests after it', (await host.ended(2, { kind: 'metadata' })).length);
    }),
  },
  'registration.auth.missing-credential-401': {
    source: 'core: Authentication, rule 6; extensions: Registration routes, heading',
    statement:
      'The three registration routes answer 401 without a credential, let nobody in whose token is that of an administrator but altered, and no host is asked for its metadata because of such a call.',
    fault: 'The extension route is open.',
    needs: ['extension-listener'],
    test: scenario(async (context) => {
      await expectShut(context, { as: null }, 401);
      const { service, profile } = context;
      if (!isGranted(profile.all, 'administrator')) return;
      const token = await service.token('administrator');
      if (token !== null) await expectShut(context, withBearer(alteredInside(token)));
    }),
  },
  'registration.auth.non-administrator-403': {
    source: 'extensions: Registration routes, heading; core: Authentication, rules 6 and 7',
    statement:
      'A user who is not Collection Administrator gets 403 on each of the three routes, and no host is asked for its metadata because of such a call.',
    fault: 'Trusted endpoint route checks for any valid token only.',
    needs: ['editor-identity', 'extension-listener'],
    after: Object.values(groundOf),
    test: scenario(async (context) => {
      const { expect, registrations, profile } = context;
      const sent: Bodies[] = [];
      for (const as of commonersOf(context)) sent.push(await expectShut(context, { as }, 403));
      if (profile.all.identities.administrator === undefined) return;
      for (const [kind, body] of sent[0] ?? []) expect(await registrations.post(kind, body)).toSucceed();
    }),
  },
});

/** Asserts that the endpoint is taken, and records whether it reads back as it was sent. */
async function expectTaken(context: CaseContext, kind: RegistrationKind, body: Body): Promise<Reply> {
  const { registrations, expect, notes } = context;
  const reply = await registrations.post(kind, body);
  expect(reply).toSucceed();
  const read = await registrations.read(registrations.made(kind, body, reply));
  if (read !== undefined && read.status === 200)
    notes.observe('fields that do not read back as sent', differingFields(body, read.json).join(', ') || 'none', read);
  return reply;
}

function differingFields(body: Body, read: unknown): readonly string[] {
  return Object.keys(body).filter((name) => !isDeepStrictEqual(Reflect.get(Object(read), name), body[name]));
}

/** A simple endpoint with what is required and nothing else; its id outlives a run that is cut off, so that a seed does not give it twice. */
function endpointBody({ given }: CaseContext, more: Body = {}): Body {
  const id = `${given.unique('endpoint')}-${partHere().bytes(4).toString('hex')}`;
  return {
    url: `${nowhere}/hook`,
    id,
    method: 'POST',
    category: 'conformance',
    headers: [jsonHeader],
    ...more,
  };
}

/** Asserts that each body without one of the fields is refused, and that nothing stays of it: the whole body, with the same id, is taken then. */
async function expectEachNeeded(
  context: CaseContext,
  kind: RegistrationKind,
  fields: readonly string[],
  make: () => Body,
): Promise<void> {
  const { registrations, expect, given, notes } = context;
  given.succeeded(await registrations.post(kind, make()), 'a whole registration is taken', [groundOf[kind]]);
  for (const field of fields) {
    const whole = make();
    const refused = await registrations.post(kind, leaveOut(whole, field));
    expect(refused).notToSucceed();
    notes.bound('registrationInvalid', `${kind} without ${field}`, refused.status, refused);
    expect(await registrations.post(kind, whole)).toSucceed();
  }
}

function leaveOut(body: Body, field: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

/** Records what becomes of null and of a value of another JSON type in each of the fields. */
async function observeWrongValues(
  context: CaseContext,
  kind: RegistrationKind,
  fields: readonly string[],
  make: () => Body,
): Promise<void> {
  const { registrations, notes } = context;
  for (const field of fields) {
    const whole = make();
    for (const [name, value] of [
      ['null', null],
      ['another type', ofAnotherType(whole[field])],
    ] as const) {
      const reply = await registrations.post(kind, { ...make(), [field]: value });
      notes.observe(`${kind} with ${field} of ${name}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
  }
}

/** Where keys are taken that are a little longer than usual, so are those between, whose Base64 is filled up otherwise. */
async function expectEveryPadding({ given, registrations, expect, notes }: CaseContext): Promise<void> {
  const offerKey = async (length: number): Promise<Reply> =>
    registrations.post(
      'svcExtension',
      extensionBody(await given.extension({ unregistered: true, apiKey: partHere().key(length).toString('base64') })),
    );
  const longer = await offerKey(keyBytes + 3);
  notes.observe(`a key of ${keyBytes + 3} bytes`, longer.status, longer);
  if (!isSuccess(longer.status)) return;
  for (const length of [keyBytes + 1, keyBytes + 2]) {
    const reply = await offerKey(length);
    expect(reply.status, `status of a registration with a key of ${length} bytes`, reply).toSatisfy(
      '2xx, as with one of three bytes more',
      (status) => isSuccess(status),
    );
  }
}

/** A value of another JSON type than the one that the field has. */
function ofAnotherType(value: unknown): unknown {
  return typeof value === 'string' ? 17 : 'text';
}

function trustedBody(context: CaseContext, more: Body = {}): Body {
  return endpointBody(context, { tokenLifeTime: 60, ...more });
}

/** A body that is right for the kind. The host of an extension is one that answers, where there can be one: the service asks it for its metadata. */
async function bodyOf(context: CaseContext, kind: RegistrationKind): Promise<Body> {
  if (kind === 'externalEndpoint') return endpointBody(context);
  if (kind === 'trustedExternalEndpoint') return trustedBody(context);
  if (context.profile.all.listener !== undefined)
    return extensionBody(await context.given.extension({ unregistered: true }));
  return { hostUri: nowhere, apiKey: partHere().key(keyBytes).toString('base64'), tokenLifeTime: 60 };
}

/** Status, Location, and whether the secret comes back. */
async function observeAnswer(
  { registrations, notes }: CaseContext,
  kind: RegistrationKind,
  body: Body,
  secret: string,
): Promise<void> {
  const reply = await registrations.post(kind, body);
  notes.bound('registrationSuccess', `status of ${kind}`, reply.status, reply);
  notes.observe(`Location of ${kind}`, reply.headers['location'] === undefined ? 'absent' : 'present', reply);
  const read = isSuccess(reply.status) ? await registrations.read(registrations.made(kind, body, reply)) : undefined;
  if (kind !== 'svcExtension') return;
  notes.observe('apiKey in the answer', holds(reply, secret), reply);
  if (read !== undefined) notes.observe('apiKey in a read', holds(read, secret), read);
  if ([reply, read].some((one) => one !== undefined && holds(one, secret)))
    notes.remark('a registration tells its apiKey to those who read it');
}

function holds({ text }: Reply, secret: string): boolean {
  return text.includes(secret);
}

/** Asserts that all three routes answer with the status, and that nobody asks the host for its metadata. */
async function expectShut(context: CaseContext, changes: Changes, status?: number): Promise<Bodies> {
  const { given, registrations, expect } = context;
  const host = await given.extension({ unregistered: true });
  const bodies: Bodies = [
    ['externalEndpoint', endpointBody(context)],
    ['trustedExternalEndpoint', trustedBody(context)],
    ['svcExtension', extensionBody(host)],
  ];
  for (const [kind, body] of bodies) {
    const reply = await registrations.post(kind, body, changes);
    if (status === undefined) expect(reply).notToSucceed();
    else expect(reply).toAnswer(status);
  }
  const updates: { readonly known: Extension; readonly before: number }[] = [];
  await unlessKept(async () => void updates.push(...(await refusedUpdates(context, changes))), context);
  await stayQuiet(context);
  expect(host.everything().length, 'requests to the host of a refused registration').toEqual(0);
  for (const { known, before } of updates)
    expect(known.everything().length, 'requests to the host of a refused update').toEqual(before);
  return bodies;
}

/** The extension whose update is refused, with how many requests its host had seen by then; none where there may be no update, or it is taken. */
async function refusedUpdates(context: CaseContext, changes: Changes) {
  const { given, registrations, notes, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined || profile.all.identities.administrator === undefined)
    return [];
  const known = await given.extension();
  const before = known.everything().length;
  const update = await registrations.update(given.present(known.registration, 'a registration'), {}, changes);
  notes.observe(`status of an update by ${changes.as ?? 'nobody'}`, update.status, update);
  return isSuccess(update.status) ? [] : [{ known, before }];
}
