import { permissionNames } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import {
  endpointBody,
  expectEachNeeded,
  expectTaken,
  observeWrongValues,
  requiredOfEndpoint,
  trustedBody,
} from './words.ts';

const tokenCallback = 'https://example.com/keys';

export const trustedCases = {
  'registration.trusted.required-only-accepted': scenario(async (context) => {
    await expectTaken(context, 'trustedExternalEndpoint', trustedBody(context));
  }),

  'registration.trusted.token-life-time-required': scenario(async (context) => {
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

  'registration.trusted.missing-simple-field-refused': scenario(async (context) => {
    const make = () => trustedBody(context);
    await expectEachNeeded(context, 'trustedExternalEndpoint', requiredOfEndpoint, make);
    await observeWrongValues(context, 'trustedExternalEndpoint', requiredOfEndpoint, make);
  }),

  'registration.trusted.permissions-accepted': scenario(async (context) => {
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
} satisfies SomeCasesOf<'registration'>;
