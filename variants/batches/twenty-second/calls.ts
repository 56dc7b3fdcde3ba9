import { isContent } from '../../../reference-server/areas/content.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

export const callsMistakes: Batch = {
  'endpoints.token-at-a-retry': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A simple endpoint is given no access token, at a retry neither.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || !('endpoint' in callee) || 'tokenLifeTime' in callee.endpoint) return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, url: withParameter(request.url, 'access_token', token) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(3, 2);
      return callsTo(host).some(({ target }) => target.includes('access_token'));
    },
  },

  'extensions.host-of-the-same-route': {
    source: 'extensions: What the service does',
    breaks: 'Each call goes to the host that is registered for it, also where two hosts have a route of one name.',
    kind: 'copy',
    variant: breaks('callees', 'calleeOf', (right) => {
      const urls = new Map<string, string>();
      return async (areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('record' in callee)) return callee;
        const url = urls.get(callee.record.endpoint) ?? callee.url;
        urls.set(callee.record.endpoint, url);
        return { ...callee, url };
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'one', endpoint: '/same' }]);
      const other = await service.host(() => [{ id: 'other', endpoint: '/same' }]);
      await service.edda.sendEvent('one');
      await service.edda.sendEvent('other');
      await service.pass(1);
      return callsOf(other, 'event').length === 0;
    },
  },

  'email.to-the-extension-of-before': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes through the extension that is registered for it, also when another one was before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'foundAddressee', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, type, given) => {
        const key = `${type} ${given.recordId} ${given.registrationId}`;
        const found = known.get(key) ?? (await right(areas, reading, type, given));
        if (type === 'Email') known.set(key, found);
        return found;
      };
    }),
    async shows(service) {
      const { cora, edda } = service;
      const send = () => edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'b' });
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await send();
      const id = at((await cora.get('/api/admin/svcExtension')).json, '/data/0/id');
      await cora.delete(`/api/admin/svcExtension/${String(id)}`);
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await send();
      await service.pass(1);
      return callsOf(host, 'email').length === 0;
    },
  },
};

export const eventsMistakes: Batch = {
  'events.created-at-the-second-attempt': {
    source: 'extensions: Calls to extensions, row ExternalEvent',
    breaks: 'An event that is acknowledged by 201 is not sent again, also when that was a retry.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissed = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isMissed ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },

  'events.from-the-first-space': {
    source: 'extensions: Events 1',
    breaks: 'The envelope of an event names the space that the event is from, whichever that is.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return right(areas, call, { ...triggered, payload: { ...payload, spaceId } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.post('/api/space/depot/externalEvent', { recordId: 'event', contentPayload: {} });
      await service.pass(1);
      return at(callsOf(host, 'event')[0]?.json, '/payload/spaceId') === 'main';
    },
  },
};
