import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { RegistrationKind } from '../../judge/extension/extension.ts';
import { bodyOf, endpointBody, extensionBody, kinds, trustedBody, type Body } from './words.ts';

export const openCases = {
  'registration.body.malformed-json': scenario(async (context) => {
    const { registrations, expect, notes } = context;
    for (const kind of kinds) {
      for (const body of ['{"id":', [], '']) {
        const reply = await registrations.post(kind, body);
        expect(reply.status, `status of ${JSON.stringify(body)} at ${kind}`, reply).toSatisfy(
          '4xx',
          (status) => status >= 400 && status < 500,
        );
      }
      const other = await registrations.post(kind, bodyOf(context, kind), {
        headers: { 'Content-Type': 'text/plain' },
      });
      notes.observe(`${kind} as text/plain`, other.status, other);
    }
  }),

  'registration.body.success-status': scenario(async (context) => {
    const { given } = context;
    const host = await given.extension({ unregistered: true });
    const bodies = {
      externalEndpoint: endpointBody(context),
      trustedExternalEndpoint: trustedBody(context),
      svcExtension: extensionBody(host),
    };
    for (const kind of kinds) await observeAnswer(context, kind, bodies[kind], host.apiKey);
  }),

  'registration.duplicate.same-id': scenario(async (context) => {
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
} satisfies SomeCasesOf<'registration'>;

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
  const read = reply.status < 300 ? await registrations.read(registrations.made(kind, body, reply)) : undefined;
  if (kind !== 'svcExtension') return;
  notes.observe('apiKey in the answer', holds(reply, secret), reply);
  if (read !== undefined) notes.observe('apiKey in a read', holds(read, secret), read);
  if ([reply, read].some((one) => one !== undefined && holds(one, secret)))
    notes.remark('a registration tells its apiKey to those who read it');
}

function holds({ text }: Reply, secret: string): boolean {
  return text.includes(secret);
}
