import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { endpointBody, extensionBody, groundOf, trustedBody, type Body } from './words.ts';

export const accessCases = {
  'registration.auth.missing-credential-401': scenario(async (context) => {
    await expectShut(context, null, 401);
  }),

  'registration.auth.non-administrator-403': scenario(async (context) => {
    const { given, registrations, profile } = context;
    const bodies = await expectShut(context, 'editor', 403);
    if (profile.all.identities.administrator === undefined) return;
    for (const [kind, body] of bodies)
      given.succeeded(await registrations.post(kind, body), `the same body is taken of an administrator at ${kind}`, [
        groundOf[kind],
      ]);
  }),
} satisfies SomeCasesOf<'registration'>;

type Bodies = readonly (readonly ['externalEndpoint' | 'trustedExternalEndpoint' | 'svcExtension', Body])[];

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
