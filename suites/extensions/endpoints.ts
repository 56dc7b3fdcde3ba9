import { isSuccess } from '../../judge/exchange.ts';
import { isAdministrator } from '../../judge/service/roles.ts';
import { jsonHeader } from '../../judge/extension/extension.ts';
import { constantFrom, record } from 'fast-check';
import { tellingContent } from '../../fixtures/values.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { type Call, decodedTarget } from '../../judge/extension/call.ts';
import type { Endpoint } from '../../judge/extension/extension.ts';
import { speakersOf } from '../../judge/extension/triggers.ts';
import { callsAt, expectCall, stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { withBearer } from '../../judge/service/token.ts';
import { noteOddHeaders } from './checks/endpoint-settings.ts';
import { noteTokenBehindFragment } from './checks/odd-addresses.ts';
import { isRemoved } from './checks/same-records.ts';
import { claimsOf, expectLife, longLifeMinutes, readableAs } from './call-tokens.ts';
import {
  assertPlaceFor,
  type Made,
  endpointCall,
  lastingEndpoint,
  hasPlaceFor,
  nearlyOneId,
  triggerEndpoint,
} from './checks/triggered-calls.ts';
import { KeyMissing, unlessRefused } from '../../judge/violation.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const targets = ['/hook', '/hook/a%20b?a=1&b=x%20y&a=2&c=%26%3D%2B%25%3F'] as const;

/** With what somebody who tidies up would take away. */
const untidyTargets = [...targets, '/Hook/?sum=1+1&bare', '/hook//twice', '/hook/a%2Fb?next=%2Fa%2Fb'] as const;

/** As long as what some keep in a column of a table. */
const longTarget = `/hook?long=${'x'.repeat(500)}`;

/** Paths and parameters that could be taken for the one with the token. */
const lookAlikes = ['/access_token?a=1', '/hook?access_token_type=jwt&my_access_token=1&token=2'] as const;

const queriesOfMethods = [
  ...methods.map((method) => ({ method, target: targets[1] })),
  ...[...lookAlikes, untidyTargets[4]].map((target) => ({ method: 'POST', target }) as const),
];

const methodsWithBody = ['POST', 'PATCH', 'PUT'] as const;

const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]*/;

const contents = {
  JSON: { type: 'application/json', content: tellingContent },
  HTML: {
    type: 'text/html; charset=utf-8',
    content: `<html><body>${'Grüße &amp; <b>more</b> '.repeat(400)}</body></html>`,
  },
  'plain text': { type: 'text/plain; charset=utf-8', content: 'Grüße, "quoted" & <plain>\nline 2' },
  'line ends of each kind': { type: 'text/plain; charset=utf-8', content: '\r\none\r\ntwo\rthree\n\nfour \t\r\n' },
  'text that looks like JSON': { type: 'text/plain', content: '{ "b": 1.50,\r\n"a": "\\u00e9" }' },
  'a number as a text': { type: 'text/plain', content: '007.50' },
  'characters of several units': {
    type: 'text/plain; charset=utf-8',
    content: 'é e\u0301 \u{1F600} 👩‍👩‍👧 Å \u212b',
  },
  'the JSON value false': { type: 'application/json', content: false },
  'the JSON value 0': { type: 'application/json', content: 0 },
  'an empty JSON array': { type: 'application/json', content: [] },
} as const;

const contentKinds = Object.keys(contents) as (keyof typeof contents)[];

/** What documents name for each method, and each of the rest for one of them. */
const contentsOfMethods = [
  ...methodsWithBody.flatMap((method) => contentKinds.slice(0, 3).map((kind) => ({ method, kind }))),
  ...contentKinds.slice(3).map((kind, index) => ({ method: methodsWithBody[index % 3] ?? 'POST', kind })),
];

const htmlContent = '<p class="a">Grüße &amp;\r\n<b>more</b></p>\r\n';

export const endpointRules = rules('calls', {
  'calls.simple.method': {
    source: 'extensions: Registered external endpoint, row method',
    statement:
      'A simple endpoint is called once for a trigger, with the configured method, at the registered url with its query, a slash at the end of its path included.',
    fault: 'PATCH is sent as POST.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: property(
      record({ method: constantFrom(...methods), target: constantFrom(...untidyTargets) }),
      async (context, { method, target }) => {
        const { given, expect } = context;
        const endpoint = await given.endpoint({ method, target });
        const { call } = await triggerEndpoint(context, endpoint);
        expect(call.method, `method of a call to an endpoint registered with ${method}`).toEqual(method);
        expect(decodedTarget(call.target), 'target of the call').toEqual(decodedTarget(targetOf(endpoint)));
        expect(endpoint.everything().length, 'requests after one trigger').toEqual(1);
      },
      {
        always: methods.map((method, index) => ({
          method,
          target: untidyTargets[index % untidyTargets.length] ?? '/hook',
        })),
        share: 0.2,
      },
    ),
  },
  'calls.simple.by-its-id': {
    source: 'extensions: Registered external endpoint, row id',
    statement:
      'What is subscribed to the id of an endpoint goes to that endpoint, also where others have nearly that id: the same digits behind a zero or before a fraction, the same text with more behind it, and where another one has its address; an endpoint that was removed is called no more.',
    fault: 'Ids of digits are compared as numbers.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.simple.method'],
    test: scenario(async (context) => {
      const { given, triggers, expect, notes } = context;
      if (!hasPlaceFor(context, 'endpoint', 'endpointId'))
        throw new KeyMissing('{{endpointId}} in triggers.endpoint', 'trigger-endpoint');
      const endpoints: Endpoint[] = [];
      for (const id of nearlyOneId(given.unique('id'))) {
        const endpoint = await unlessRefused(() => given.endpoint({ registration: { id } }));
        if (endpoint !== undefined) endpoints.push(endpoint);
      }
      notes.observe('endpoints with nearly one id', endpoints.length);
      // which ids there may be is not said
      if (endpoints.length < 2) endpoints.push(await given.endpoint(), await given.endpoint());
      for (const endpoint of endpoints) await triggers.endpoint(endpoint);
      for (const [index, endpoint] of endpoints.entries())
        expectCall(
          context,
          await endpoint.arrived({ kind: 'endpoint' }),
          `the call of endpoint ${index + 1} of several`,
        );
      await expectOneAddress(context);
      const [removed] = endpoints;
      if (removed?.registration === undefined || !(await isRemoved(context, removed.registration))) return;
      const { length } = callsAt(removed);
      await unlessRefused(() => triggers.endpoint(removed));
      await stayQuiet(context);
      expect(callsAt(removed).length, 'calls of an endpoint that was removed').toEqual(length);
    }),
  },
  'calls.simple.headers': {
    source: 'extensions: Registered external endpoint, row headers; Authentication, rule 6',
    statement:
      'Each configured header is set on the call with its value, content-type, whatever type and charset it names, and the token of another service included, whatever the method and however many there are; those of an update, and no others, from then on.',
    fault: 'content-type is always application/json.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: scenario(async (context) => {
      const { given } = context;
      const headers = [
        { name: 'content-type', value: 'text/plain; charset=utf-8' },
        { name: 'X-Api-Key', value: given.unique('key') },
        { name: 'Authorization', value: `Basic ${Buffer.from(given.unique('user:word')).toString('base64')}` },
        // names that could be taken for what the service itself sends
        { name: 'X-Access-Token', value: given.unique('token') },
        { name: 'Accept', value: 'application/vnd.conformance+json' },
        { name: 'X-List', value: 'a, b;q=0.5, "c, d"' },
        { name: 'X-Number', value: '0' },
        // and two of one value
        { name: 'X-Other-Number', value: '0' },
        { name: 'X-Origin', value: 'https://origin.example:8443/a%41+\\n?b=$&' },
      ];
      const { call } = await callWithText(context, await given.endpoint({ headers }), 'plain text');
      for (const header of headers) expectHeader(context, call, header);
      // a call without a body has no content whose type there could be
      const others = headers.slice(1);
      for (const method of ['GET', 'DELETE']) {
        const { call: bare } = await triggerEndpoint(context, await given.endpoint({ headers, method }));
        for (const header of others) expectHeader(context, bare, header);
      }
      await expectTypesSet(context);
      await expectManySet(context, headers);
      await expectNoneOfOthers(context, headers);
      await expectUpdated(context, false);
      await noteOddHeaders(context, headers);
    }),
  },
  'calls.simple.body': {
    source: 'extensions: Registered external endpoint, paragraph after the table',
    statement:
      'For POST, PATCH and PUT the request body is the configured content and nothing else: JSON, HTML or plain text down to the ends of its lines, with no envelope around it; JSON that is false, zero or an empty array is content as well.',
    fault: 'Simple endpoints get the extension envelope.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: property(
      record({ method: constantFrom(...methodsWithBody), kind: constantFrom(...contentKinds) }),
      async (context, { method, kind }) => {
        assertPlaceFor(context, 'endpoint', 'payload');
        const { type, content } = contents[kind];
        const endpoint = await context.given.endpoint({ method, headers: [{ name: 'content-type', value: type }] });
        const send = () => context.triggers.endpoint(endpoint, content);
        const triggered = kind === 'JSON' ? await send() : await unlessRefused(send);
        if (triggered === undefined) return context.notes.observe(`a body with ${kind}`, 'is not taken');
        const call = await endpointCall(context, endpoint);
        if (typeof content === 'string') {
          context.expect(call.text, `body of a ${method} with ${kind}`).toEqual(content);
          context.expect(call.bytes.length, `bytes of that body`).toEqual(Buffer.byteLength(content));
        } else context.expect(call.json, `body of a ${method} with ${kind}`).toEqual(content);
        if (typeof content !== 'string')
          context.notes.observe('JSON arrives as it was written', call.text === JSON.stringify(content));
        if (kind === 'JSON') await expectBodyOfOthers(context, method);
      },
      { always: contentsOfMethods, share: 0.1 },
    ),
  },
  'calls.simple.no-body-for-get': {
    level: 'should',
    source: 'extensions: Registered external endpoint, paragraph after the table (body named for POST, PATCH and PUT)',
    statement: 'GET and DELETE calls have no body.',
    fault: 'Configured content is sent with GET as well.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      for (const [method, trusted] of [
        ['GET', false],
        ['DELETE', false],
        ['GET', true],
        ['DELETE', true],
      ] as const) {
        const endpoint = await given.endpoint({ method, trusted });
        const { call } = await triggerEndpoint(context, endpoint, { text: given.unique() });
        expect(call.header('Transfer-Encoding'), `Transfer-Encoding of a ${method}`).toEqual([]);
        expect(
          call.header('Content-Length').filter((length) => length !== '0'),
          `Content-Length of a ${method}, other than 0`,
        ).toEqual([]);
        expect(call.bytes.length, `bytes in the body of a ${method}`).toEqual(0);
      }
    }),
  },
  'calls.simple.no-token': {
    source: 'extensions: Registered external endpoint, paragraph after the table; Authentication, rule 6',
    statement:
      'A simple endpoint gets no access token in any place: no Authorization that is not configured, no further query parameter, nothing that looks like a JWT, nor where a trusted endpoint has the same address, or had its id before.',
    fault: 'access_token is appended for simple endpoints too.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      for (const method of ['GET', 'POST'])
        for (const target of targets) {
          const endpoint = await given.endpoint({ method, target });
          const { call } = await triggerEndpoint(context, endpoint);
          expect(call.query, 'query of the call').toEqual([...new URL(endpoint.url).searchParams]);
          expectNoToken(context, call);
        }
      const next = await callUnderFormerId(context, false);
      if (next !== undefined) {
        expect(next.query, 'query of the call where the id was that of a trusted endpoint').toEqual([]);
        expectNoToken(context, next);
      }
      await expectNoTokenOfANeighbour(context);
      await expectNoTokenOfOthers(context);
    }),
  },
  'calls.trusted.access-token-appended': {
    source: 'extensions: Registered trusted external endpoint, paragraph after the table',
    statement:
      'Each call to a trusted endpoint has the query parameter `access_token` with an impersonating JWT, also where its id was that of a simple one before.',
    fault: 'Parameter is named `token`.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: scenario(async (context) => {
      const { given, service, expect, registrations, profile } = context;
      const thing = await given.object();
      given.succeeded(await service.read(thing), 'the triggering user may read the object');
      for (const method of methods) {
        const { call } = await triggerEndpoint(context, await lastingEndpoint(context, { method }));
        const tokens = tokensIn(call);
        expect(tokens.length, `parameters access_token of a ${method} to a trusted endpoint`).toEqual(1);
        const [token = ''] = tokens;
        const lengths = token.split('.').map((part) => (/^[\w-]+$/.test(part) ? part.length : 0));
        expect(lengths, 'characters of base64url in each part of access_token').toSatisfy(
          'three numbers above 0, as in a JWT',
          (counts) => counts.length === 3 && !counts.includes(0),
        );
        expect(await service.read(thing, withBearer(token))).toAnswer(
          ...(await readableAs(context, thing, 'endpoint')),
        );
        if (![...speakersOf(profile.all, 'endpoint')].some((who) => isAdministrator(profile.all, who)))
          expect(
            await registrations.post('externalEndpoint', unwelcomeBody(given.unique('endpoint')), withBearer(token)),
          ).toBeRefused();
      }
      await noteTokenBehindFragment(context);
      const next = await callUnderFormerId(context, true);
      if (next === undefined) return;
      expect(tokensIn(next).length, 'parameters access_token where the id was that of a simple endpoint').toEqual(1);
    }),
  },
  'calls.trusted.existing-query-kept': {
    source: 'extensions: Registered trusted external endpoint, paragraph after the table',
    statement:
      'A registered url with query parameters keeps them and gets access_token appended behind them at each call, with whichever method, also where its path or the name of a parameter looks like that one.',
    fault: 'A second question mark is added.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.trusted.access-token-appended'],
    test: scenario(async (context) => {
      const { given, triggers, expect } = context;
      for (const { method, target } of queriesOfMethods) {
        const endpoint = await given.endpoint({ trusted: true, method, target });
        await triggerEndpoint(context, endpoint);
        await triggers.endpoint(endpoint);
        const { path, query } = decodedTarget(targetOf(endpoint));
        for (const call of await endpoint.ended(2, { kind: 'endpoint' })) {
          const shown = call.target.replace(/(?<=[?&])access_token=[^&]*/g, 'access_token=…');
          const expected = { path, query: [...query, ['access_token', '…']] };
          expect(decodedTarget(shown), `target of a ${method}`).toEqual(expected);
        }
      }
    }),
  },
  'calls.trusted.token-life-time': {
    level: 'should',
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    statement:
      'The token of a trusted endpoint expires after the minutes of its own registration, whatever another one at its address has, those of an update from then on.',
    fault: 'A global lifetime is used for trusted endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.trusted.access-token-appended'],
    test: scenario(async (context) => {
      const { given, registrations, triggers, notes, profile } = context;
      const expectLives = (made: Made, minutes: number): void => {
        const token = given.present(tokensIn(made.call)[0], 'an access_token in the query', [
          'calls.trusted.access-token-appended',
        ]);
        expectLife(context, claimsOf(context, token, 'calls.trusted.access-token-appended'), minutes, made);
      };
      for (const tokenLifeTime of [1, 1200]) {
        const endpoint = await given.endpoint({ trusted: true, registration: { tokenLifeTime } });
        expectLives(await triggerEndpoint(context, endpoint), tokenLifeTime);
        if (profile.all.routes?.registrationUpdate === undefined) continue;
        const minutes = tokenLifeTime + 3;
        given.succeeded(
          await registrations.update(given.present(endpoint.registration, 'a registration'), {
            tokenLifeTime: minutes,
          }),
          'the registration is updated',
        );
        const triggered = await triggers.endpoint(endpoint);
        const [, call] = await endpoint.ended(2, { kind: 'endpoint' });
        expectCall(context, call, 'the call of an endpoint after the update');
        expectLives({ triggered, call: given.present(call, 'a call after the update') }, minutes);
      }
      const former = await given.endpoint({ trusted: true, registration: { tokenLifeTime: 90 } });
      const own = { url: former.url, tokenLifeTime: 7 };
      const beside = await unlessRefused(() => given.endpoint({ trusted: true, registration: own }));
      // what it is sent arrives where the former one is
      if (beside) expectLives(await triggerEndpoint(context, { ...former, id: beside.id }), own.tokenLifeTime);
      const long = await unlessRefused(() =>
        given.endpoint({ trusted: true, registration: { tokenLifeTime: longLifeMinutes } }),
      );
      notes.observe(
        `a tokenLifeTime of ${longLifeMinutes / 60} hours`,
        long === undefined ? 'is not taken' : 'is taken',
      );
      if (long !== undefined) expectLives(await triggerEndpoint(context, long), longLifeMinutes);
    }),
  },
  'calls.trusted.simple-rules-apply': {
    source: 'extensions: Registered trusted external endpoint (all fields of the simple endpoint)',
    statement:
      'Configured method, headers, one for authorization among them, and body are honoured for trusted endpoints as for simple ones, those of an update from then on.',
    fault: 'Configured headers are dropped for trusted endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['calls.trusted.access-token-appended'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const usual = [
        { name: 'content-type', value: 'text/html; charset=utf-8' },
        { name: 'X-Api-Key', value: given.unique('key') },
      ];
      // the token in the query takes the place of no key of its own
      const key = `Basic ${Buffer.from(given.unique('user:word')).toString('base64')}`;
      for (const [turn, method] of methodsWithBody.entries()) {
        const keyed = [...usual, { name: 'Authorization', value: key }];
        // a service may keep that header to itself, and say so
        const own =
          turn === 0 && (await unlessRefused(() => given.endpoint({ trusted: true, method, headers: keyed })));
        const headers = own ? keyed : usual;
        const endpoint = own || (await given.endpoint({ trusted: true, method, headers }));
        const { call, isText } = await callWithText(context, endpoint, htmlContent);
        expect(call.method, 'method of a call to a trusted endpoint').toEqual(method);
        for (const header of headers) expectHeader(context, call, header);
        if (isText) assertContent(context, call);
      }
      const endpoint = await given.endpoint({ trusted: true });
      const { call } = await triggerEndpoint(context, endpoint, tellingContent);
      if (hasPlaceFor(context, 'endpoint', 'payload'))
        expect(call.json, 'JSON body of a call to a trusted endpoint').toEqual(tellingContent);
      await expectUpdated(context, true);
    }),
  },
});

/** The call of an endpoint with a text, or, of a trigger that takes JSON alone, with what any call has. */
async function callWithText(
  context: CaseContext,
  endpoint: Endpoint,
  text: string,
): Promise<{ readonly call: Call; readonly isText: boolean }> {
  const { notes, triggers } = context;
  const isText = (await unlessRefused(() => triggers.endpoint(endpoint, text))) !== undefined;
  if (isText) return { call: await endpointCall(context, endpoint), isText };
  notes.observe('a text as the content of a call', 'is not taken');
  return { call: (await triggerEndpoint(context, endpoint)).call, isText };
}

/** Types that a service itself would hardly set, where it takes them. */
async function expectTypesSet(context: CaseContext): Promise<void> {
  for (const value of ['text/plain; charset=us-ascii', 'text/csv', 'application/vnd.conformance+xml']) {
    const header = { name: 'content-type', value };
    for (const trusted of [false, true]) {
      const endpoint = await unlessRefused(() => context.given.endpoint({ trusted, headers: [header] }));
      if (endpoint !== undefined) expectHeader(context, (await triggerEndpoint(context, endpoint)).call, header);
    }
  }
}

/** Where so many headers are taken, all of them are set. */
async function expectManySet(
  context: CaseContext,
  headers: readonly { readonly name: string; readonly value: string }[],
): Promise<void> {
  const { given, expect, notes } = context;
  const many = Array.from({ length: 24 }, (_header, index) => ({ name: `X-Many-${index}`, value: given.unique() }));
  const long = { name: 'X-Long', value: given.unique('long').padEnd(1000, 'x') };
  const more = {
    'many headers': { own: many },
    'a long header': { own: [long] },
    'a long address': { target: longTarget },
  };
  for (const trusted of [false, true])
    for (const [what, { own = [], target = '/hook' }] of Object.entries<{ own?: typeof many; target?: string }>(more)) {
      const all = [...headers, ...own];
      const endpoint = await unlessRefused(() => given.endpoint({ trusted, target, headers: all }));
      notes.observe(`an endpoint with ${what} is taken`, endpoint !== undefined);
      if (endpoint === undefined) continue;
      const { call } = await triggerEndpoint(context, endpoint);
      for (const header of all) expectHeader(context, call, header);
      expect(call.target.startsWith(targetOf(endpoint)), `a call to ${what} goes to its target`).toEqual(true);
    }
}

/** An endpoint that is called behind another one gets none of what that one keeps in its headers. */
async function expectNoneOfOthers(
  context: CaseContext,
  foreign: readonly { readonly name: string; readonly value: string }[],
): Promise<void> {
  for (const trusted of [false, true]) {
    const { call } = await triggerEndpoint(context, await context.given.endpoint({ trusted }));
    for (const { name, value } of foreign.filter((header) => header.name.startsWith('X-')))
      context
        .expect(call.header(name), `values of ${name}`)
        .toSatisfy('none of another endpoint that was called before', (values) => !values.includes(value));
  }
}

/** Of two endpoints at one address, where a service takes such, each is called for its own subscription, with its own headers. */
async function expectOneAddress(context: CaseContext): Promise<void> {
  const { given, triggers, expect, notes } = context;
  const marks = [given.unique('mark'), given.unique('mark')] as const;
  const headersOf = (value: string) => ({ headers: [jsonHeader, { name: 'X-Mark', value }] });
  const first = await given.endpoint(headersOf(marks[0]));
  const registration = { url: first.url };
  const second = await unlessRefused(() => given.endpoint({ ...headersOf(marks[1]), registration }));
  notes.observe('a second endpoint at the address of another one', second === undefined ? 'is refused' : 'is taken');
  if (second === undefined) return;
  for (const [index, endpoint] of [first, second].entries()) {
    await unlessRefused(() => triggers.endpoint(endpoint));
    const call = (await first.ended(index + 1))[index];
    expectCall(context, call, `the call of endpoint ${index + 1} at one address`);
    expect(call?.header('X-Mark'), `X-Mark of endpoint ${index + 1} at one address`).toEqual([marks[index]]);
  }
}

/** What an id stood for says nothing of the next endpoint that has it. Nothing is asserted where none is removed, or an id is taken once. */
async function callUnderFormerId(context: CaseContext, trusted: boolean): Promise<Call | undefined> {
  const { given, notes } = context;
  const former = await given.endpoint({ trusted: !trusted });
  await triggerEndpoint(context, former);
  const { id, registration } = former;
  if (registration === undefined || !(await isRemoved(context, registration))) return undefined;
  const endpoint = await unlessRefused(() => given.endpoint({ trusted, registration: { id } }));
  notes.observe('an endpoint with the id of one that was removed', endpoint === undefined ? 'is refused' : 'is taken');
  return endpoint && (await triggerEndpoint(context, endpoint)).call;
}

function expectNoToken({ expect }: CaseContext, call: Call): void {
  expect(call.header('Authorization').length, 'Authorization headers, none being configured').toEqual(0);
  const texts = [['its target', call.target], ['its body', call.text], ...call.headers] as const;
  const places = texts.flatMap(([place, text]) => (jwt.test(text) ? [place] : []));
  expect(places, 'where something in the call looks like a JWT').toEqual([]);
}

/** The token belongs to the endpoint, not to its address, where a service takes two at one: they are told apart by their method. */
async function expectNoTokenOfANeighbour(context: CaseContext): Promise<void> {
  const { given, expect, triggers } = context;
  const trusted = await given.endpoint({ trusted: true });
  await triggerEndpoint(context, trusted);
  const registration = { url: trusted.url };
  const neighbour = await unlessRefused(() => given.endpoint({ method: 'PUT', registration }));
  if (neighbour === undefined) return;
  await triggers.endpoint(neighbour);
  const call = await trusted.arrived({ kind: 'endpoint', where: ({ method }) => method === 'PUT' });
  const { query } = given.present(call, 'the call of a simple endpoint at the address of a trusted one');
  expect(query, 'query of the call of a simple endpoint at the address of a trusted one').toEqual([]);
}

/** Whoever may set the call off. */
async function expectNoTokenOfOthers(context: CaseContext): Promise<void> {
  const { given, expect, triggers, profile } = context;
  for (const as of ['secondEditor', 'spaceAdministrator', 'administrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    const endpoint = await given.endpoint();
    const triggered = await unlessRefused(() => triggers.endpoint(endpoint, undefined, { as }));
    const call = triggered && (await endpoint.arrived({ kind: 'endpoint' }));
    if (call !== undefined) expect(call.query, `query of the call that the ${as} set off`).toEqual([]);
  }
}

/** What is configured says it all: nothing is added of whoever set the call off. */
async function expectBodyOfOthers(context: CaseContext, method: string): Promise<void> {
  const { given, expect, triggers, profile } = context;
  for (const as of ['secondEditor', 'spaceAdministrator', 'administrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    for (const trusted of [false, true]) {
      const endpoint = await given.endpoint({ method, trusted, headers: [jsonHeader] });
      const content = { text: given.unique(), inner: { list: [] } };
      const triggered = await unlessRefused(() => triggers.endpoint(endpoint, content, { as }));
      const call = triggered && (await endpoint.arrived({ kind: 'endpoint' }));
      if (call !== undefined) expect(call.json, `body of the ${method} that the ${as} set off`).toEqual(content);
    }
  }
}

/** Once an endpoint was called, an update changes how it is called next. Nothing is asserted where nothing updates a registration. */
async function expectUpdated(context: CaseContext, trusted: boolean): Promise<void> {
  const { given, triggers, registrations, expect, notes, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return;
  const former = { name: 'X-Former-Key', value: given.unique('former') };
  const endpoint = await given.endpoint({ trusted, target: '/hook?former=1', headers: [jsonHeader, former] });
  await triggerEndpoint(context, endpoint);
  const headers = [jsonHeader, { name: 'X-Api-Key', value: given.unique('next') }];
  const members = { method: 'PUT', headers, url: endpoint.url.replace('former=1', 'next=1') };
  const reply = await registrations.update(given.present(endpoint.registration, 'a registration'), members);
  if (!isSuccess(reply.status)) return notes.observe('an update of how an endpoint is called', 'is not taken', reply);
  await triggers.endpoint(endpoint);
  const [, next] = await endpoint.ended(2, { kind: 'endpoint' });
  expectCall(context, next, 'the call of an endpoint after the update');
  const call = given.present(next, 'a call after the update');
  expect(call.method, 'method of a call after the update').toEqual('PUT');
  expect(call.target, 'target of a call after the update').toSatisfy('that of the update', (target) =>
    /\/hook\?next=1(?!.*former=)/.test(target),
  );
  for (const header of headers) expectHeader(context, call, header);
  expect(call.header(former.name), `values of ${former.name} after an update without it`).toEqual([]);
}

/** As it is registered. */
function targetOf({ url }: Endpoint): string {
  return url.slice(new URL(url).origin.length);
}

/** A configured header is on the call. A media type may be spelled with other letters, blanks and quotes, and a list may come in several lines. */
function expectHeader(
  { expect }: CaseContext,
  call: Call,
  { name, value }: { readonly name: string; readonly value: string },
): void {
  const isType = name.toLowerCase() === 'content-type';
  const plain = (text: string): string => (isType ? text.toLowerCase().replaceAll(/[\s"]/g, '') : text);
  expect(plain(call.header(name).join(', ')), `value of the header ${name} of a ${call.method}`).toEqual(plain(value));
}

function tokensIn({ query }: Call): readonly string[] {
  return query.filter(([name]) => name === 'access_token').map(([, value]) => value);
}

/** A valid registration that nobody may make who is no administrator. */
function unwelcomeBody(id: string): object {
  return {
    url: 'http://127.0.0.1:9/never',
    id,
    method: 'POST',
    category: 'conformance',
    headers: [{ name: 'content-type', value: 'text/plain' }],
  };
}

function assertContent(context: CaseContext, call: Call): void {
  if (hasPlaceFor(context, 'endpoint', 'payload'))
    context.expect(call.text, 'body of a call to a trusted endpoint').toEqual(htmlContent);
  else
    context
      .expect(Object.keys(Object(call.json)), 'members of the body')
      .toSatisfy('none of the envelope', (names) => !names.includes('accessToken'));
}
