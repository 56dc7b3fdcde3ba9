import { createHmac } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at, hostKey, signatureOver } from '../service.ts';
import { registerAgain, runningJob } from './scenes.ts';

/** Base64 of a key that needs no padding. */
const unpaddedKey = Buffer.alloc(48, 9).toString('base64');

export const callsMistakes: Batch = {
  'tokens.weaker-for-extensions': {
    source: 'core: Authentication 2',
    breaks: 'The JWT is signed with HMAC SHA512, that of a call to an extension as well.',
    kind: 'place',
    variant: together(
      replaces('tokens', 'acceptedAlgorithms', () => ['HS256', 'HS512']),
      replaces('tokens', 'signClaims', async (right, areas, claims) => {
        if (claims['scope'] === undefined) return right(areas, claims);
        const segments = [{ alg: 'HS256', typ: 'JWT' }, claims].map((value) => JSON.stringify(value));
        const text = segments.map((segment) => Buffer.from(segment).toString('base64url')).join('.');
        return `${text}.${createHmac('sha256', areas.tokens.signingKeysOf().access).update(text).digest('base64url')}`;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const [head = ''] = (callsTo(host)[0]?.envelope?.accessToken ?? '').split('.');
      return at(JSON.parse(Buffer.from(head, 'base64url').toString()), '/alg') !== 'HS512';
    },
  },

  'tokens.for-reading-only': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of an envelope lets the extension call as its user, who may write.',
    kind: 'role',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const user = await right(areas, call);
      const [, payload = ''] = (call.headers['authorization'] ?? '').split('.');
      const isOfEnvelope = Buffer.from(payload, 'base64url').toString().includes('"impersonation"');
      if (isOfEnvelope && call.method === 'POST') throw new Refusal(403, 'The token is for reading.');
      return user;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'part' }, { authorization })).status !== 201;
    },
  },

  'tokens.an-hour-at-most': {
    source: 'extensions: Registered extension',
    breaks: 'The token stays valid for the minutes of tokenLifeTime, be they more than sixty.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, user, minutes) =>
      right(areas, user, Math.min(minutes, 60)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await registerAgain(service, host, { apiKey: hostKey, tokenLifeTime: 180 });
      const made = await service.edda.make('Document', { title: 'token' });
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken}`;
      await service.pass(90 * 60);
      return (await service.nobody.get(made.path, { authorization })).status !== 200;
    },
  },

  'calls.key-without-padding': {
    source: 'extensions: Authentication 2',
    breaks: 'The bytes of a key are what its Base64 decodes to, also where that needs no equals sign.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) => {
      return right(areas, apiKey.endsWith('=') ? apiKey : Buffer.from(apiKey).toString('base64'), path);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerAgain(service, host, { apiKey: unpaddedKey });
      const entry = host.entries(({ kind }) => kind === 'metadata').at(-1);
      if (entry === undefined) return false;
      return headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, unpaddedKey)}`;
    },
  },

  'calls.route-of-two-segments': {
    source: 'extensions: Extension metadata record',
    breaks: 'The endpoint of a record is a route below the host, of as many segments as it has.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || 'endpoint' in callee) return callee;
      const route = encodeURIComponent(callee.record.endpoint.replace(/^\//, ''));
      return { ...callee, url: `${callee.extension.hostUri.replace(/\/$/, '')}/${route}` };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/one/two' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return !callsTo(host).some(({ path }) => path === '/one/two');
    },
  },

  'calls.token-behind-a-query': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no access token, also where its URL has a query.',
    kind: 'combination',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'externalEndpoint' || !url.includes('?')) return url;
      return `${url}&access_token=${await areas.requests.impersonationToken(delivery.userName, 60)}`;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?from=svc` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).some(({ target }) => target.includes('access_token'));
    },
  },

  'calls.correlation-in-small-letters': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of the trigger is that of the call, letter by letter.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).toLowerCase()),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'Trigger-A' });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id !== 'Trigger-A';
    },
  },

  'calls.id-of-an-event': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The id in the payload of an event is that of the event, not that of the request.',
    kind: 'value',
    survives:
      'What names the resource of an event is not said (trigger-event-binding): a correlation id, which is unique per request, may.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      if (triggered.kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...payload, id: call.correlationId } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const event = await service.edda.sendEvent();
      await service.pass(1);
      const id = event.headers.get('location')?.split('/').at(-1);
      return at(callsTo(host)[0]?.json, '/payload/id') !== id;
    },
  },

  'calls.nulls-of-a-content': {
    source: 'extensions: Events 1',
    breaks: 'The payload carries the content as it was configured, members that are null included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      if (triggered.kind !== 'event') return right(areas, call, triggered);
      const isKept = (_name: string, value: unknown): unknown => (value === null ? undefined : value);
      return right(areas, call, { ...triggered, payload: JSON.parse(JSON.stringify(triggered.payload, isKept)) });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { text: 'there', nothing: null });
      await service.pass(1);
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/nothing') !== null;
    },
  },

  'actions.success-without-content': {
    source: 'extensions: Errors 4',
    breaks: 'Status 200 is the success of an action, also without a body: it is run once.',
    kind: 'value',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      return answer.status === 200 && answer.raw === undefined ? right(areas, call) : answer;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'action', extensionType: 'ExternalAction' }],
        [{ steps: [{ status: 200 }], afterwards: 'last' }],
      );
      await service.edda.post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      return callsTo(host).length > 1;
    },
  },

  'actions.context-for-a-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'There is a selectedObject only when something is selected, whatever the context is.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const context = at(payload, '/contentPayload/contextObject');
      if (selected !== undefined || context === undefined) return payload;
      return { contentPayload: { contextObject: context, selectedObject: context } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const { oid } = await edda.make('Document', { title: 'context' });
      await edda.post('/api/space/main/externalAction/action', { kind: 'ribbon', contextObjectId: oid });
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },

  'tasks.log-without-output': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A status may come with a log path alone.',
    kind: 'combination',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      const files = right(areas, call);
      if (files.logFilePath === undefined || files.outputFilePath !== undefined) return files;
      throw new Refusal(422, 'Expected outputFilePath, found none.');
    }),
    async shows(service) {
      const job = await runningJob(service);
      const body = { logFilePath: '/log.txt' };
      return (await service.edda.put(`${job}/status/Failed`, undefined, body)).status >= 400;
    },
  },

  'tasks.canceled-with-a-log': {
    source: 'extensions: External task status',
    breaks: 'The job of a task that was canceled is reported as failed, also when there is a log of it.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const next = right(areas, job, status, files);
      return status === 'Canceled' && files.logFilePath !== undefined ? { ...next, state: 'Completed' } : next;
    }),
    async shows(service) {
      const job = await runningJob(service);
      const { edda } = service;
      await edda.put(`${job}/status/Canceled`, undefined, { logFilePath: '/log.txt' });
      return at((await edda.get(job)).json, '/state') !== 'Failed';
    },
  },
};
