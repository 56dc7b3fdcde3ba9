import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { expectNoCall, stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { endpointBody, expectEachNeeded, expectTaken, observeWrongValues, requiredOfEndpoint } from './words.ts';

const apiKeyHeader = { name: 'X-Api-Key', value: 'conformance' };

export const simpleCases = {
  'registration.simple.required-only-accepted': scenario(async (context) => {
    await expectTaken(context, 'externalEndpoint', endpointBody(context));
  }),

  'registration.simple.all-fields-accepted': scenario(async (context) => {
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

  'registration.simple.missing-required-refused': scenario(async (context) => {
    const make = () => endpointBody(context);
    await expectEachNeeded(context, 'externalEndpoint', requiredOfEndpoint, make);
    await observeWrongValues(context, 'externalEndpoint', requiredOfEndpoint, make);
  }),

  'registration.simple.content-type-header-required': scenario(async (context) => {
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

  'registration.simple.no-call-on-registration': scenario(async (context) => {
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
} satisfies SomeCasesOf<'registration'>;
