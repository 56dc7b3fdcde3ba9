import { randomUUID } from 'node:crypto';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { Step } from '../../../simulator/extension/step.ts';
import { breaks, replaces, together, within, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, registerEndpoint } from '../proofs.ts';
import { at, Client, hostKey, type Received, type Service } from '../service.ts';

const action = { id: 'act', extensionType: 'ExternalAction' };

const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

export const callsMistakes: Batch = {
  'endpoints.a-token-with-delete': {
    source: 'extensions: Registered external endpoint, text below',
    breaks: 'A simple endpoint gets no access token, whatever its method is.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'externalEndpoint' || request.method !== 'DELETE') return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'DELETE' });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return host
        .entries(({ path }) => path === '/hook')
        .some((entry) => headerValues(entry, 'authorization').length > 0);
    },
  },
  'endpoints.query-written-anew': {
    source: 'extensions: Registered trusted external endpoint, text below',
    breaks: 'The token is appended to the parameters that the address has, which stay as they are.',
    kind: 'value',
    survives: 'The parameters are kept: how they are spelled, with %20 or a plus sign, is not said.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.kind === 'trustedExternalEndpoint') url.search = String(new URLSearchParams(url.search));
      return url.href;
    }),
    async shows(service) {
      const target = await trustedTarget(service, { method: 'POST' }, '?flag&q=a%20b');
      return !target.startsWith('/hook?flag&q=a%20b&');
    },
  },
  'endpoints.another-parameter-for-get': {
    source: 'extensions: Registered trusted external endpoint, text below',
    breaks: 'The token is the parameter access_token of every call.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const named = within(areas, { requests: { tokenParameter: () => 'token' } });
      return right(callee.endpoint.method === 'GET' ? named : areas, delivery, callee);
    }),
    shows: async (service) => !(await trustedTarget(service, { method: 'GET' }, '')).includes('?access_token='),
  },
  'actions.warnings-of-the-run-before': {
    source: 'extensions: Errors 4',
    breaks: 'An action that succeeds is answered so, also right after one that did not.',
    kind: 'moment',
    survives: 'What the request gets back that runs an action is not shown (trigger-action-binding).',
    variant: breaks('triggers', 'runAction', (right) => {
      let failed: Answer | undefined;
      return async (areas, call) => {
        const former = failed;
        const answer = await right(areas, call);
        failed = answer.status === 500 ? answer : undefined;
        return former ?? answer;
      };
    }),
    async shows(service) {
      const failure = { status: 500, json: { errors: [{ message: 'm' }] } };
      await service.host(() => [action], [{ when: { kind: 'action' }, steps: [failure] }]);
      await act(service, { kind: 'ribbon' });
      return (await act(service, { kind: 'ribbon' })).status !== 200;
    },
  },
  'actions.selected-in-its-own-context': {
    source: 'extensions: Payloads by extension type, text on the action content payload',
    breaks: 'What is selected is named beside its context, also where both are one object.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) =>
      right(areas, call, reading, body, body['contextObjectId'] === selected?.oid ? undefined : selected),
    ),
    async shows(service) {
      const host = await service.host(() => [action]);
      const { oid } = await service.edda.make('Part', { name: 'n' });
      await act(service, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(callsOf(host, 'action')[0]?.json, '/payload/contentPayload/selectedObject/$oid') !== oid;
    },
  },
  'actions.null-is-nothing': {
    source: 'extensions: Payloads by extension type, text on the action content payload',
    breaks: 'A form action gets the payload that would have been sent, members that are null included.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) =>
      JSON.parse(JSON.stringify(right(areas, body), (_name, value: unknown) => (value === null ? undefined : value))),
    ),
    async shows(service) {
      const host = await service.host(() => [action]);
      const contentPayload = { name: 'n', note: null };
      await act(service, { kind: 'form', requestedRoute: '/api', httpVerb: 'PATCH', contentPayload });
      return at(callsOf(host, 'action')[0]?.json, '/payload/contentPayload/note') !== null;
    },
  },
  'actions.batch-of-one': {
    source: 'extensions: Errors 4',
    breaks: 'The responses to a batch are an array, also where it had one request.',
    kind: 'value',
    survives: 'What the request gets back that runs an action is not shown (trigger-action-binding).',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      const value: unknown = answer.raw === undefined ? undefined : JSON.parse(String(answer.raw));
      return Array.isArray(value) && value.length === 1 ? { ...answer, raw: JSON.stringify(value[0]) } : answer;
    }),
    async shows(service) {
      await service.host(() => [action]);
      const contentPayload = [{ method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'n' } }];
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      return !Array.isArray((await act(service, form)).json);
    },
  },
  'metadata.address-encoded-twice': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata is asked for below the address that is registered, also where that has an escaped letter.',
    kind: 'combination',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) =>
      right(areas, { ...extension, hostUri: encodeURI(extension.hostUri) }, correlationId),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      const body = { hostUri: `${host.url}/my%20host`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target === '/my%20host/svc/extension');
    },
  },
  'events.once-for-each-role': {
    source: 'extensions: Events 1',
    breaks: 'An event is delivered once, however many roles the user has who triggered it.',
    kind: 'role',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const user = areas.configuration.users.get(delivery.userName);
      const isEvent = delivery.kind === 'event' && space !== undefined && user !== undefined;
      const further = isEvent ? areas.auth.rolesOf(user, space).slice(1) : [];
      const queued = await right(areas, writing, delivery);
      for (const _role of further) await right(areas, writing, { ...delivery, id: randomUUID() });
      return queued;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.emil.sendEvent();
      await service.pass(1, 2);
      return callsOf(host, 'event').length > 1;
    },
  },
  'validation.loose-before-sharing': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation before a share too.',
    kind: 'role',
    survives:
      'How the validation before a share is brought about, and what its caller sees, is not shown (trigger-validation-binding).',
    variant: replaces('validation', 'verdictOn', (right, areas, call, ...rest) => {
      const verdictOf: typeof areas.validation.verdictOf = (outcome) => {
        const verdict = areas.validation.verdictOf(outcome);
        const isMalformed = verdict.kind === 'error' && outcome.kind === 'answered' && outcome.status === 200;
        return isMalformed ? { kind: 'valid', message: '' } : verdict;
      };
      const loose = within(areas, { validation: { verdictOf } });
      return right(call.url.includes('/shareValidation/') ? loose : areas, call, ...rest);
    }),
    async shows(service) {
      const { oid } = await validated(service, { status: 200, json: { isValid: 'yes', message: '' } });
      return (await service.edda.post(`/api/space/main/shareValidation/${oid}`)).status < 300;
    },
  },
  'validation.first-softtype-alone': {
    source: 'extensions: What the service does',
    breaks: 'An extension validates every SoftType that it lists.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => capabilitiesOf(record, 'SoftType')[0] === softTypeId);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Part', 'Document'] }];
      const host = await service.host(() => [{ ...validator, capabilities }]);
      await service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'envelope.base-address-of-the-request': {
    source: 'extensions: Call envelope, baseAddress',
    breaks: 'The base address is the configured one, whatever host the triggering request was sent to.',
    kind: 'value',
    variant: withHostOfTheRequest(),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await new Client(service.url.replace('127.0.0.1', 'localhost'), 'edda').sendEvent();
      await service.pass(1);
      return String(at(callsOf(host, 'event')[0]?.json, '/baseAddress')).includes('localhost');
    },
  },
};

function withHostOfTheRequest(): Variant {
  const hosts = new Map<string, string>();
  return together(
    replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      if (call.headers['host'] !== undefined) hosts.set(triggered.id, call.headers['host']);
      return right(areas, call, triggered);
    }),
    replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const host = hosts.get(delivery.id);
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (host === undefined || !isContent(envelope)) return request;
      return { ...request, body: JSON.stringify({ ...envelope, baseAddress: `http://${host}` }) };
    }),
  );
}

/** Request target of the call of a trusted endpoint. */
async function trustedTarget(service: Service, fields: object, query: string): Promise<string> {
  const host = await service.host(() => []);
  await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook${query}`, ...fields });
  await service.edda.sendToEndpoint();
  await service.pass(1);
  return host.entries(({ path }) => path === '/hook')[0]?.target ?? '';
}

function act({ edda }: Service, body: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/act', body);
}

/** A document about which an extension gives this answer. */
async function validated(service: Service, answer: Step) {
  await service.host(() => [validator], always(answer));
  return service.edda.make('Document', { title: 't' });
}
