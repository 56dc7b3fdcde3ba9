import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo } from '../proofs.ts';
import { at, signatureOver } from '../service.ts';
import { registerAgain } from './scenes.ts';

/** Base64 of a key that needs no padding. */
const unpaddedKey = Buffer.alloc(48, 9).toString('base64');

export const callsMistakes: Batch = {
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
};
