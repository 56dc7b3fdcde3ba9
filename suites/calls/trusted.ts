import { bearing } from '../auth/token.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { claimsOf, expectLife, readableAs } from './tokens.ts';
import { endpointCall, lastingLife, takes } from './words.ts';

const html = '<p class="a">Grüße &amp; <b>more</b></p>';

export const trustedCases = {
  'calls.trusted.access-token-appended': scenario(async (context) => {
    const { given, service, expect, registrations, profile } = context;
    const thing = await given.object();
    given.succeeded(await service.read(thing), 'the triggering user may read the object');
    for (const method of ['GET', 'POST']) {
      const { call } = await endpointCall(
        context,
        await given.endpoint({ trusted: true, method, registration: lastingLife(context) }),
      );
      const tokens = tokensIn(call);
      expect(tokens.length, `parameters access_token of a ${method} to a trusted endpoint`).toEqual(1);
      const [token = ''] = tokens;
      expect(/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token), 'access_token has the three parts of a JWT').toEqual(true);
      expect(await service.read(thing, bearing(token))).toAnswer(...(await readableAs(context, thing)));
      if (profile.all.triggers?.subscribedAs !== 'administrator')
        expect(
          await registrations.post('externalEndpoint', unwelcome(given.unique('endpoint')), bearing(token)),
        ).toBeRefused();
    }
  }),

  'calls.trusted.existing-query-kept': scenario(async (context) => {
    const { given, expect } = context;
    const target = '/hook?a=1&b=x%20y&a=2';
    const endpoint = await given.endpoint({ trusted: true, target });
    const { call } = await endpointCall(context, endpoint);
    const registered = endpoint.url.slice(new URL(endpoint.url).origin.length);
    const shown = call.target.replace(/access_token=[^&]*/g, 'access_token=…');
    expect(shown, 'target of the call').toSatisfy(`to begin with ${registered}&access_token=`, (text) =>
      text.startsWith(`${registered}&access_token=`),
    );
    expect(shown.split('?').length - 1, 'question marks in the target').toEqual(1);
  }),

  'calls.trusted.token-life-time': scenario(async (context) => {
    const { given } = context;
    for (const tokenLifeTime of [2, 9]) {
      const made = await endpointCall(
        context,
        await given.endpoint({ trusted: true, registration: { tokenLifeTime } }),
      );
      const token = given.present(tokensIn(made.call)[0], 'an access_token in the query', [
        'calls.trusted.access-token-appended',
      ]);
      expectLife(context, claimsOf(context, token, 'calls.trusted.access-token-appended'), tokenLifeTime, made);
    }
  }),

  'calls.trusted.simple-rules-apply': scenario(async (context) => {
    const { given, expect } = context;
    const headers = [
      { name: 'content-type', value: 'text/html; charset=utf-8' },
      { name: 'X-Api-Key', value: given.unique('key') },
    ];
    const { call } = await endpointCall(context, await given.endpoint({ trusted: true, method: 'PUT', headers }), html);
    expect(call.method, 'method of a call to a trusted endpoint').toEqual('PUT');
    for (const { name, value } of headers) expect(call.header(name), `values of the header ${name}`).toEqual([value]);
    assertContent(context, call);
  }),
} satisfies SomeCasesOf<'calls'>;

function tokensIn({ query }: Call): readonly string[] {
  return query.filter(([name]) => name === 'access_token').map(([, value]) => value);
}

function assertContent(context: CaseContext, call: Call): void {
  if (takes(context, 'endpoint', 'payload'))
    context.expect(call.text, 'body of a call to a trusted endpoint').toEqual(html);
  else
    context
      .expect(call.json === undefined || !call.text.includes('"accessToken"'), 'the body has no envelope')
      .toEqual(true);
}

/** A valid registration that nobody may make who is no administrator. */
function unwelcome(id: string): object {
  return {
    url: 'http://127.0.0.1:9/never',
    id,
    method: 'POST',
    category: 'conformance',
    headers: [{ name: 'content-type', value: 'text/plain' }],
  };
}
