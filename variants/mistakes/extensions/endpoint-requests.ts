import { jsonOf } from '../../../contract/json.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { type Entry, headerValues, textOf } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import { always, awaitCalls, callsTo, first503 } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, callOfEndpoint, eventsPath, logEntries, registerEndpoint } from '../proofs.ts';
import { at, many, type Service } from '../service.ts';
import { changes, withoutMarks } from '../variant-parts.ts';

const json = { name: 'content-type', value: 'application/json' };

const plainText = { name: 'content-type', value: 'text/plain' };

export const endpointRequestsMistakes: Mistakes = {
  'endpoints.of-equal-header-values-one': {
    source: 'extensions: Registered external endpoint (simple), row headers',
    breaks: 'Every configured header is set on the call, of two with one value each.',
    variant: changes('registrations', 'endpointFrom', (endpoint) => ({
      ...endpoint,
      headers: endpoint.headers.filter(
        ({ value }, index, all) => all.findIndex((header) => header.value === value) === index,
      ),
    })),
    async shows(service) {
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-one', value: 'same' },
        { name: 'x-other', value: 'same' },
      ];
      const call = await callOfEndpoint(service, { headers });
      return call !== undefined && headerValues(call, 'x-other').length === 0;
    },
  },
  'endpoints.header-values-decoded': {
    source: 'extensions: Registered external endpoint (simple), row headers',
    breaks: 'A configured header has the value that it was given, what looks encoded included.',
    variant: changes('registrations', 'endpointFrom', (endpoint) => ({
      ...endpoint,
      headers: endpoint.headers.map(({ name, value }) => ({ name, value: value.replaceAll('%41', 'A') })),
    })),
    async shows(service) {
      const headers = [json, { name: 'x-origin', value: 'a%41' }];
      const call = await callOfEndpoint(service, { headers });
      return call !== undefined && headerValues(call, 'x-origin')[0] === 'aA';
    },
  },
  'endpoint.path-with-single-slashes': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The address called is the registered one, with two slashes in its path too.',
    variant: changes('requests', 'endpointUrl', (url) => url.replaceAll(/(?<!:)\/\/+/g, '/')),
    async shows(service) {
      return (await callOfEndpoint(service, {}, { path: '/a//b' }))?.target !== '/a//b';
    },
  },
  'endpoint.type-always-in-utf-8': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The content type of a call is the configured one, its charset too.',
    variant: changes('requests', 'endpointRequest', (request) => ({
      ...request,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, value.replace(/charset=[^;]+/, 'charset=utf-8')]),
      ),
    })),
    async shows(service) {
      const type = 'text/plain; charset=us-ascii';
      const call = await callOfEndpoint(service, { headers: [{ name: 'content-type', value: type }] });
      return call !== undefined && headerValues(call, 'content-type')[0] !== type;
    },
  },
  'calls.trusted-patch-has-no-body': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A call by PATCH carries its configured body, to a trusted endpoint as to a simple one.',
    variant: changes('requests', 'endpointRequest', (request, _areas, _delivery, callee) => {
      if (callee.endpoint.kind === 'externalEndpoint' || request.method !== 'PATCH') return request;
      const { body: _gone, ...rest } = request;
      return rest;
    }),
    async shows(service) {
      const call = await callOfEndpoint(
        service,
        { method: 'PATCH' },
        { kind: 'trustedExternalEndpoint', content: { a: 1 } },
      );
      return at(call?.json, '/a') !== 1;
    },
  },
  'endpoint.headers-of-before-the-update': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks:
      'A call has the headers that are configured when it is made, also where one was made before they were changed.',
    variant: breaks('requests', 'endpointRequest', (right) => {
      const known = new Map<string, Readonly<Record<string, string>>>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const headers = known.get(callee.name) ?? request.headers;
        known.set(callee.name, headers);
        return { ...request, headers };
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const body = { id: 'hook', url: `${host.url}/hook` };
      await registerEndpoint(service, 'externalEndpoint', body);
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      const headers = [json, { name: 'x-team', value: 'blue' }];
      const all = { ...body, method: 'POST', category: 'proof', headers };
      await service.cora.send('PUT', '/api/admin/externalEndpoint/hook', { body: all });
      await service.edda.sendToEndpoint();
      const calls = await awaitCalls(host, 2);
      return calls.length === 2 && !calls.at(-1)?.headers.some(([name]) => name.toLowerCase() === 'x-team');
    },
  },
  'calls.body-encoded-twice': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call to an endpoint is what was configured, letters beyond ASCII included.',
    variant: changes('requests', 'endpointRequest', ({ body, ...request }) =>
      body === undefined ? request : { ...request, body: Buffer.from(body).toString('latin1') },
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, { headers: [plainText] }, { content: 'Grüße' });
      return call !== undefined && textOf(call.body) !== 'Grüße';
    },
  },
  'endpoints.false-is-no-content': {
    source: 'extensions: Registered external endpoint (text below the table)',
    breaks: 'The body of a call is what was configured, be it nothing but the word false.',
    variant: changes('requests', 'endpointRequest', ({ body, ...request }, _areas, delivery) =>
      delivery.payload === false || body === undefined ? request : { ...request, body },
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { content: false });
      return call === undefined || textOf(call.body) !== 'false';
    },
  },
  'endpoints.trusted-without-authorization': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The configured headers are set on the call, also one for authorization at a trusted endpoint.',
    variant: changes('requests', 'endpointRequest', (request, _areas, _delivery, callee) => {
      if (callee.endpoint.kind !== 'trustedExternalEndpoint') return request;
      const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const headers = [json, { name: 'Authorization', value: 'ApiKey of-the-other-side' }];
      const call = await callOfEndpoint(service, { headers }, { kind: 'trustedExternalEndpoint' });
      return call !== undefined && headerValues(call, 'authorization').length === 0;
    },
  },
  'calls.line-ends': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call to an endpoint is what was configured, down to the ends of its lines.',
    variant: changes('requests', 'endpointRequest', ({ body, ...request }) =>
      body === undefined ? request : { ...request, body: body.replaceAll('\r\n', '\n') },
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, { headers: [plainText] }, { content: 'one\r\ntwo' });
      return call !== undefined && textOf(call.body) !== 'one\r\ntwo';
    },
  },
  'endpoints.marks-of-serialisers-are-lost': {
    source: 'extensions: Registered external endpoint (simple), text below the table',
    breaks:
      'The body of a call to an endpoint is what was configured, with members that the serialiser has a meaning of its own for.',
    variant: replaces('requests', 'endpointRequest', (right, areas, delivery, callee) =>
      right(areas, { ...delivery, payload: withoutMarks(delivery.payload) }, callee),
    ),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { content: { of: { $type: 'a' } } });
      return call !== undefined && at(call.json, '/of/$type') !== 'a';
    },
  },
  'endpoint.query-of-a-get': {
    source: 'extensions: Registered external endpoint (simple), url',
    breaks: 'The registered address is called, with its query where the method is GET too.',
    variant: changes('requests', 'endpointUrl', (url, _areas, _delivery, callee) => {
      const { method, kind } = callee.endpoint;
      return method.toUpperCase() === 'GET' && kind === 'externalEndpoint' ? (url.split('?', 1)[0] ?? url) : url;
    }),
    async shows(service) {
      return (await callOfEndpoint(service, { method: 'GET' }, { path: '/hook?a=1' }))?.target === '/hook';
    },
  },
  'registrations.same-description': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A description is free text, which a second endpoint may have as well.',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { description, kind } = call.json;
      const others = await registrationsOf(writing, kind);
      if (description !== undefined && others.some((other) => at(other, '/description') === description))
        throw new Refusal(409, 'There is such an endpoint already.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const fields = { url: 'http://127.0.0.1:9/hook', description: 'tells the archive' };
      await registerEndpoint(service, 'externalEndpoint', { id: 'one', ...fields });
      return (await registerEndpoint(service, 'externalEndpoint', { id: 'two', ...fields })).status >= 400;
    },
  },
  'endpoints.body-says-who': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The body of a call is what was configured and no more, when an administrator triggers it as well.',
    variant: replaces('requests', 'endpointRequest', (right, areas, delivery, callee) => {
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(delivery.userName));
      const { payload } = delivery;
      const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
      if (!isObject || !roles.includes('administrator')) return right(areas, delivery, callee);
      return right(areas, { ...delivery, payload: { ...payload, triggeredBy: delivery.userName } }, callee);
    }),
    async shows(service) {
      const host = await service.host([]);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.alma.sendToEndpoint('hook', { text: 'x' });
      await service.pass(1);
      const [entry] = await awaitCalls(host);
      return entry !== undefined && textOf(entry.body) !== '{"text":"x"}';
    },
  },
  'delivery.last-name-of-a-header': {
    source: 'extensions: Registered external endpoint (simple), row headers',
    breaks: 'The headers that are configured are set on the call, also beyond the tenth.',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const headers = callee.endpoint.headers.slice(0, 10);
      return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, headers } });
    }),
    async shows(service) {
      const own = many(11, (number) => ({ name: `x-own-${number}`, value: 'here' }));
      const call = await callOfEndpoint(service, { headers: [json, ...own] });
      return call !== undefined && headerValues(call, 'x-own-11').length === 0;
    },
  },
  'endpoint.headers-that-hold-tokens': {
    source: 'extensions: Registered external endpoint (simple), headers',
    breaks:
      'The headers are set on the call as they are configured, those with the tokens of the external service too.',
    variant: changes('requests', 'endpointRequest', (request, _areas, _delivery, callee) => {
      const isTrusted = callee.endpoint.kind === 'trustedExternalEndpoint';
      const headers = Object.entries(request.headers).filter(([name]) => isTrusted || !/token/i.test(name));
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, { headers: [json, { name: 'X-Service-Token', value: 'v' }] });
      return call !== undefined && headerValues(call, 'x-service-token').length === 0;
    },
  },
  'endpoint.json-text-twice': {
    source: 'extensions: Registered external endpoint (simple), text on the body',
    breaks: 'The content of the body is what is configured, a text that is sent as JSON too.',
    survives:
      'Whether a text that is configured for JSON is JSON already, or a text to be written as such, is not said.',
    variant: changes('requests', 'endpointRequest', (request, _areas, delivery, callee) => {
      const isJson = callee.endpoint.headers.some(({ value }) => value.startsWith('application/json'));
      const isTwice = isJson && typeof delivery.payload === 'string' && request.body !== undefined;
      return isTwice ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      return typeof (await callOfEndpoint(service, {}, { content: '{"a":1}' }))?.json === 'string';
    },
  },
  'endpoints.html-of-put': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The body of a call is the configured content, HTML as it is, with PUT as with POST.',
    variant: changes('requests', 'endpointRequest', (request, _areas, delivery) =>
      request.method === 'PUT' ? { ...request, body: JSON.stringify(delivery.payload) } : request,
    ),
    async shows(service) {
      const headers = [{ name: 'content-type', value: 'text/html' }];
      const content = '<p class="news">none</p>';
      const call = await callOfEndpoint(service, { method: 'PUT', headers }, { content });
      return call !== undefined && textOf(call.body) !== content;
    },
  },
  'endpoints.id-taken-for-a-number': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The id of an endpoint is a text: 007 is another one than 7.',
    variant: replaces('registry', 'registrationOf', async (right, areas, reading, id) => {
      const asNumber = /^\d+$/.test(id) ? String(Number(id)) : id;
      return (await right(areas, reading, asNumber)) ?? right(areas, reading, id);
    }),
    async shows(service) {
      const host = await service.host([]);
      for (const id of ['7', '007'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/at-${id}` });
      await service.edda.post(eventsPath, { endpointId: '007', contentPayload: {} });
      await service.pass(1, 2);
      return callsTo(host).some(({ path }) => path === '/at-7');
    },
  },
  'endpoint.body-is-cut-by-letters': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The configured body is sent whole, where letters take more than a byte as well.',
    variant: changes('requests', 'endpointRequest', (request) => {
      const { body } = request;
      if (body === undefined) return request;
      return { ...request, body: Buffer.from(body).subarray(0, body.length).toString() };
    }),
    async shows(service) {
      const headers = [{ name: 'content-type', value: 'text/plain; charset=utf-8' }];
      const call = await callOfEndpoint(service, { headers }, { content: 'größer' });
      return Buffer.from(call?.body ?? []).toString() !== 'größer';
    },
  },
  'calls.headers-of-the-last-endpoint': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A call has the headers of its own endpoint, and none of another that was called before.',
    variant: breaks('requests', 'endpointRequest', (right) => {
      let kept: Readonly<Record<string, string>> = {};
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const own = Object.entries(request.headers).filter(([name]) => name.toLowerCase().startsWith('x-'));
        kept = { ...kept, ...Object.fromEntries(own) };
        return { ...request, headers: { ...kept, ...request.headers } };
      };
    }),
    async shows(service) {
      const host = await service.host([], always(200));
      const headers = [json, { name: 'x-one', value: 'secret' }];
      await registerEndpoint(service, 'externalEndpoint', { id: 'one', url: `${host.url}/one`, headers });
      await registerEndpoint(service, 'externalEndpoint', { id: 'two', url: `${host.url}/two` });
      await service.edda.sendToEndpoint('one');
      await awaitCalls(host);
      await service.edda.sendToEndpoint('two');
      const [, second] = await awaitCalls(host, 2);
      return second !== undefined && headerValues(second, 'x-one').length > 0;
    },
  },
  'endpoints.a-token-with-delete': {
    source: 'extensions: Registered external endpoint, text below',
    breaks: 'A simple endpoint gets no access token, whatever its method is.',
    variant: changes('requests', 'endpointRequest', async (request, areas, delivery, callee) => {
      if (callee.endpoint.kind !== 'externalEndpoint' || request.method !== 'DELETE') return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, { method: 'DELETE' });
      return call !== undefined && headerValues(call, 'authorization').length > 0;
    },
  },
  'endpoints.a-header-ends-at-its-colon': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The headers of an endpoint are set on its calls with their whole values.',
    variant: changes('requests', 'endpointRequest', (request) => {
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, value.split(':')[0] ?? ''] as const,
      );
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const value = 'http://a.example:8080';
      const call = await callOfEndpoint(service, { headers: [json, { name: 'x-origin', value }] });
      return call !== undefined && headerValues(call, 'x-origin')[0] !== value;
    },
  },
  'registration.content-type-by-letter': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The content type has to be among the headers, in whatever case its name is written.',
    survives:
      'That the name may be written in another case than that of the document is not said: its case records it.',
    variant: replaces('registrations', 'requireHeaders', (right, areas, headers) => {
      if (!headers.some(({ name }) => name === 'content-type')) throw new Refusal(400, 'Expected a content-type.');
      right(areas, headers);
    }),
    async shows(service) {
      const headers = [{ ...json, name: 'Content-Type' }];
      return (await registerEndpoint(service, 'externalEndpoint', { url: service.url, headers })).status >= 400;
    },
  },
  'endpoint.configured-type-replaced-for-text': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The call carries the headers that are configured, also when its content is a plain text.',
    variant: changes('requests', 'endpointRequest', (request, _areas, delivery) => {
      if (typeof delivery.payload !== 'string') return request;
      const headers = Object.entries(request.headers).map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? 'text/plain' : value,
      ]);
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const headers = [{ name: 'content-type', value: 'text/html' }];
      const call = await callOfEndpoint(service, { headers }, { content: '<p>text</p>' });
      return call !== undefined && !headerValues(call, 'content-type').includes('text/html');
    },
  },
  'endpoint.bare-deletions': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The configured headers are set on every call, also on one whose method has no body.',
    variant: changes('requests', 'endpointRequest', (request) =>
      request.method === 'DELETE' ? { ...request, headers: {} } : request,
    ),
    async shows(service) {
      const headers = [json, { name: 'x-proof', value: 'shown' }];
      const call = await callOfEndpoint(service, { method: 'DELETE', headers });
      return call === undefined || headerValues(call, 'x-proof').length === 0;
    },
  },
  'endpoint.token-in-a-header': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'No access token is passed to a simple endpoint, in no header either, whatever its method.',
    variant: changes('requests', 'endpointRequest', async (request, areas, delivery, callee) => {
      if (callee.endpoint.kind !== 'externalEndpoint' || request.method !== 'PATCH') return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
    }),
    async shows(service) {
      const call = await callOfEndpoint(service, { method: 'PATCH' });
      return call === undefined || headerValues(call, 'authorization').length > 0;
    },
  },
  'endpoints.text-that-is-json-written-anew': {
    source: 'extensions: text below Registered external endpoint',
    breaks: 'The body is what was configured, letter by letter, also a text that happens to be JSON.',
    variant: changes('requests', 'endpointRequest', (request) => {
      const value = request.body === undefined ? undefined : jsonOf(request.body);
      return value === undefined ? request : { ...request, body: JSON.stringify(value) };
    }),
    async shows(service) {
      const content = '{ "a": 1.50 }\n';
      const call = await callOfEndpoint(service, {}, { content });
      return call !== undefined && textOf(call.body) !== content;
    },
  },
  'endpoint.text-as-json-at-the-second-try': {
    source: 'extensions: text below Registered external endpoint (simple)',
    breaks: 'The content of a call is the one that is configured, also at a retry.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const isText = attempt > 1 && 'endpoint' in callee && typeof delivery.payload === 'string';
      return right(
        areas,
        isText ? { ...delivery, payload: JSON.stringify(delivery.payload) } : delivery,
        callee,
        attempt,
      );
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }] }] });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', 'plain text');
      await awaitCalls(host);
      await service.pass(2, 4);
      const [, second] = await awaitCalls(host, 2);
      return second !== undefined && textOf(second.body) !== 'plain text';
    },
  },
  'endpoint.long-headers-are-cut': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'Headers are set on the call with the values that they are given, long ones too.',
    variant: changes('registrations', 'endpointFrom', (endpoint) => ({
      ...endpoint,
      headers: endpoint.headers.map(({ name, value }) => ({ name, value: value.slice(0, 255) })),
    })),
    async shows(service) {
      const call = await callOfEndpoint(service, { headers: [json, { name: 'x-key', value: 'k'.repeat(300) }] });
      return call !== undefined && headerValues(call, 'x-key')[0]?.length === 255;
    },
  },
  'endpoint.headers-of-before-stay': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The headers of a call are the configured ones, without those that an update has taken away.',
    variant: breaks('requests', 'endpointRequest', (right) => {
      const former = new Map<string, Readonly<Record<string, string>>>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const headers = { ...former.get(callee.name), ...request.headers };
        former.set(callee.name, headers);
        return { ...request, headers };
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const fields = { id: 'hook', url: `${host.url}/hook`, method: 'POST', category: 'proof' };
      await registerEndpoint(service, 'externalEndpoint', {
        ...fields,
        headers: [json, { name: 'x-key', value: 'k' }],
      });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.cora.put('/api/admin/externalEndpoint/hook', undefined, { ...fields, headers: [json] });
      await service.edda.sendToEndpoint();
      const [, next] = await awaitCalls(host, 2);
      return next !== undefined && headerValues(next, 'x-key').length > 0;
    },
  },
  'endpoint.query-of-before-stays': {
    source: 'extensions: Registered external endpoint, row url',
    breaks: 'The address that is called is the one of the last update, with nothing of the one before.',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const former = new Map<string, readonly (readonly [string, string])[]>();
      return async (areas, delivery, callee) => {
        const url = new URL(await right(areas, delivery, callee));
        for (const [name, value] of former.get(callee.name) ?? [])
          if (!url.searchParams.has(name)) url.searchParams.append(name, value);
        former.set(
          callee.name,
          [...url.searchParams].filter(([name]) => name !== 'access_token'),
        );
        return url.href;
      };
    }),
    async shows(service) {
      const host = await service.host([]);
      const fields = { id: 'hook', method: 'POST', category: 'proof', headers: [json] };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, url: `${host.url}/hook?a=1` });
      await service.edda.sendToEndpoint();
      await awaitCalls(host);
      await service.cora.put('/api/admin/externalEndpoint/hook', undefined, { ...fields, url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      const [, next] = await awaitCalls(host, 2);
      return next?.target.includes('a=1') === true;
    },
  },
  'endpoint.long-address-is-cut': {
    source: 'extensions: Registered external endpoint, row url',
    breaks: 'The address that is called is the one that was registered, a long one too.',
    variant: changes('registrations', 'endpointFrom', (endpoint) => ({ ...endpoint, url: endpoint.url.slice(0, 255) })),
    async shows(service) {
      const call = await callOfEndpoint(service, {}, { path: `/hook?a=${'x'.repeat(300)}` });
      return call !== undefined && call.target.length < 300;
    },
  },
  'endpoints.charset-of-texts': {
    source: 'extensions: Registered external endpoint, headers',
    breaks: 'A configured content type is set as it is, also that of a text without a charset.',
    variant: changes('requests', 'endpointRequest', async (request) => ({
      ...request,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [
          name,
          name.toLowerCase() === 'content-type' && /^text\/[^;]*$/.test(value) ? `${value}; charset=utf-8` : value,
        ]),
      ),
    })),
    async shows(service) {
      const call = await callOfEndpoint(service, { headers: [plainText] }, { content: 'text' });
      return call !== undefined && headerValues(call, 'content-type')[0] !== 'text/plain';
    },
  },
  'endpoint.key-of-the-first-attempt': {
    source: 'extensions: Registered external endpoint (simple), row headers; Authentication, rule 6',
    breaks: 'The configured headers are set on every call, a key of the external service on a retry as well.',
    variant: changes('requests', 'requestFor', (request, _areas, _delivery, callee, attempt) => {
      if (attempt === 1 || !('endpoint' in callee)) return request;
      const headers = Object.entries(request.headers).filter(([name]) => !/key/i.test(name));
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const [, second] = await callsOfRetried(service, [plainText, { name: 'X-Api-Key', value: 'k' }]);
      return second !== undefined && headerValues(second, 'x-api-key').length === 0;
    },
  },
};

/** Calls of an endpoint with these headers whose first attempt fails. */
async function callsOfRetried(service: Service, headers: readonly object[]): Promise<readonly Entry[]> {
  await using host = await startExtensionHost({ script: first503 });
  await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
  await service.edda.sendToEndpoint('hook', {});
  await awaitCalls(host);
  await becomes(async () => (await logEntries(service, 'transient-error')).length > 0);
  await service.pass(3);
  return awaitCalls(host, 2);
}
