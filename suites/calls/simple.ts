import { constantFrom, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Endpoint } from '../../judge/extension/extension.ts';
import { endpointCall, takes } from './words.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const targets = ['/hook', '/hook/a%20b?a=1&b=x%20y&a=2'] as const;
const methodsWithBody = ['POST', 'PATCH', 'PUT'] as const;
const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]*/;

const contents = {
  JSON: { type: 'application/json', content: { text: 'ä & <b>', list: [1, null, { deep: true }] } },
  HTML: { type: 'text/html; charset=utf-8', content: '<html><body>Grüße &amp; <b>more</b></body></html>' },
  'plain text': { type: 'text/plain; charset=utf-8', content: 'Grüße, "quoted" & <plain>\nline 2' },
} as const;
const kinds = ['JSON', 'HTML', 'plain text'] as const;

export const simpleCases = {
  'calls.simple.method': property(
    record({ method: constantFrom(...methods), target: constantFrom(...targets) }),
    async (context, { method, target }) => {
      const { given, expect } = context;
      const endpoint = await given.endpoint({ method, target });
      const { call } = await endpointCall(context, endpoint);
      expect(call.method, `method of a call to an endpoint registered with ${method}`).toEqual(method);
      expect(call.target, 'target of the call').toEqual(targetOf(endpoint));
      expect(endpoint.everything().length, 'requests after one trigger').toEqual(1);
    },
    { always: methods.map((method, index) => ({ method, target: targets[index % 2] ?? '/hook' })), share: 0.2 },
  ),

  'calls.simple.headers': scenario(async (context) => {
    const { given, expect } = context;
    const headers = [
      { name: 'content-type', value: 'text/plain; charset=utf-8' },
      { name: 'X-Api-Key', value: given.unique('key') },
      { name: 'Authorization', value: `Basic ${Buffer.from(given.unique('user:word')).toString('base64')}` },
    ];
    const { call } = await endpointCall(context, await given.endpoint({ headers }), 'plain text');
    for (const { name, value } of headers) expect(call.header(name), `values of the header ${name}`).toEqual([value]);
  }),

  'calls.simple.body': property(
    record({ method: constantFrom(...methodsWithBody), kind: constantFrom(...kinds) }),
    async (context, { method, kind }) => {
      assertTakesContent(context);
      const { type, content } = contents[kind];
      const endpoint = await context.given.endpoint({ method, headers: [{ name: 'content-type', value: type }] });
      const { call } = await endpointCall(context, endpoint, content);
      if (typeof content === 'string') context.expect(call.text, `body of a ${method} with ${kind}`).toEqual(content);
      else context.expect(call.json, `body of a ${method} with ${kind}`).toEqual(content);
      if (typeof content !== 'string')
        context.notes.observe('JSON arrives as it was written', call.text === JSON.stringify(content));
    },
    { always: methodsWithBody.flatMap((method) => kinds.map((kind) => ({ method, kind }))), share: 0.1 },
  ),

  'calls.simple.no-body-for-get': scenario(async (context) => {
    const { given, expect } = context;
    for (const method of ['GET', 'DELETE']) {
      const { call } = await endpointCall(context, await given.endpoint({ method }), { text: given.unique() });
      expect(call.header('Transfer-Encoding'), `Transfer-Encoding of a ${method}`).toEqual([]);
      expect(
        call.header('Content-Length').filter((length) => length !== '0'),
        `Content-Length of a ${method}, other than 0`,
      ).toEqual([]);
      expect(call.bytes.length, `bytes in the body of a ${method}`).toEqual(0);
    }
  }),

  'calls.simple.no-token': scenario(async (context) => {
    const { given, expect } = context;
    for (const method of ['GET', 'POST'])
      for (const target of targets) {
        const endpoint = await given.endpoint({ method, target });
        const { call } = await endpointCall(context, endpoint);
        expect(call.header('Authorization').length, 'Authorization headers, none being configured').toEqual(0);
        expect(call.query, 'query of the call').toEqual([...new URL(endpoint.url).searchParams]);
        const texts = [call.target, call.text, ...call.headers.flat()];
        expect(
          texts.some((text) => jwt.test(text)),
          'something in the call looks like a JWT',
        ).toEqual(false);
      }
  }),
} satisfies SomeCasesOf<'calls'>;

/** Path and query as they were registered. */
function targetOf({ url }: Endpoint): string {
  return url.slice(new URL(url).origin.length);
}

function assertTakesContent(context: CaseContext): void {
  if (takes(context, 'endpoint', 'payload')) return;
  context.given.inconclusive(
    'triggers.endpoint of the profile has no place for {{payload}}, so that its content is not known',
  );
}
