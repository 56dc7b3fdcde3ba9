import { permissionNames } from '../../contract/names.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { callWaitMs, expectNoCall, stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import {
  type Body,
  endpointBody,
  expectEachNeeded,
  expectTaken,
  extensionBody,
  groundOf,
  observeWrongValues,
  requiredOfEndpoint,
  trustedBody,
  without,
} from './registration-body.ts';

const apiKeyHeader = { name: 'X-Api-Key', value: 'conformance' };

const tokenCallback = 'https://example.com/keys';

type Bodies = readonly (readonly ['externalEndpoint' | 'trustedExternalEndpoint' | 'svcExtension', Body])[];

export const registrationRules = rules('registration', {
  'registration.simple.required-only-accepted': {
    level: 'must',
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
    level: 'must',
    source: 'extensions: Registered external endpoint, table',
    statement:
      'The same route accepts every documented optional field: active, name, description, requestTimeout, retryForever, rateLimitNumberOfExecutions, and several headers.',
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
    }),
  },
  'registration.simple.missing-required-refused': {
    level: 'should',
    source: 'extensions: Registered external endpoint, table, Required column',
    statement: 'A simple endpoint body that lacks any one of url, id, method, category or headers is refused (no 2xx).',
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
    level: 'must',
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
            headers: [...headers, { name: 'content-type', value: 'application/json' }],
          }),
        ).toSucceed();
      }
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
    level: 'must',
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
      expect(await registrations.post('trustedExternalEndpoint', lacking)).notToSucceed();
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
    level: 'must',
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
    level: 'must',
    source: 'extensions: Registered extension, table; Registration routes, row 3',
    statement: '`POST /api/admin/svcExtension` with hostUri, apiKey and tokenLifeTime is accepted.',
    fault: '`active` is demanded.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async ({ given, registrations, expect }) => {
      const host = await given.extension({ unregistered: true });
      expect(await registrations.post('svcExtension', extensionBody(host))).toSucceed();
      await host.call({ kind: 'metadata' }, { withinMs: callWaitMs });
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
      const { given, registrations, expect } = context;
      const lacking = await Promise.all(
        ['hostUri', 'apiKey', 'tokenLifeTime'].map(async (field) => ({
          field,
          host: await given.extension({ unregistered: true }),
        })),
      );
      for (const { field, host } of lacking)
        expect(await registrations.post('svcExtension', without(extensionBody(host), field))).notToSucceed();
      await stayQuiet(context);
      for (const { field, host } of lacking)
        expect(host.everything().length, `requests to a host whose registration lacked ${field}`).toEqual(0);
      for (const { host } of lacking) expect(await registrations.post('svcExtension', extensionBody(host))).toSucceed();
    }),
  },
  'registration.auth.missing-credential-401': {
    level: 'must',
    source: 'core: Authentication, rule 6; extensions: Registration routes, heading',
    statement: 'The three registration routes answer 401 without a credential and register nothing.',
    fault: 'The extension route is open.',
    needs: ['extension-listener'],
    test: scenario(async (context) => {
      await expectShut(context, null, 401);
    }),
  },
  'registration.auth.non-administrator-403': {
    level: 'must',
    source: 'extensions: Registration routes, heading; core: Authentication, rules 6 and 7',
    statement: 'A user who is not Collection Administrator gets 403 on each of the three routes and registers nothing.',
    fault: 'Trusted endpoint route checks for any valid token only.',
    needs: ['editor-identity', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, registrations, profile } = context;
      const bodies = await expectShut(context, 'editor', 403);
      if (profile.all.identities.administrator === undefined) return;
      for (const [kind, body] of bodies)
        given.succeeded(await registrations.post(kind, body), `the same body is taken of an administrator at ${kind}`, [
          groundOf[kind],
        ]);
    }),
  },
});

/** Asserts that all three routes answer with the status, and that nobody asks the host for its metadata. */
async function expectShut(context: CaseContext, as: RequestSpec['as'], status: number): Promise<Bodies> {
  const { given, registrations, expect } = context;
  const host: Extension = await given.extension({ unregistered: true });
  const bodies: Bodies = [
    ['externalEndpoint', endpointBody(context)],
    ['trustedExternalEndpoint', trustedBody(context)],
    ['svcExtension', extensionBody(host)],
  ];
  for (const [kind, body] of bodies) expect(await registrations.post(kind, body, { as })).toAnswer(status);
  await stayQuiet(context);
  expect(host.everything().length, 'requests to the host of a refused registration').toEqual(0);
  return bodies;
}
