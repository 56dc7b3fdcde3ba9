import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, encoded } from '../service.ts';
import { claimsIn, reached } from '../proofs.ts';

export const registered: Batch = {
  'endpoint.body-is-cut-by-letters': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The configured body is sent whole, where letters take more than a byte as well.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, ...args) => {
      const request = await right(areas, ...args);
      const { body } = request;
      if (body === undefined) return request;
      return { ...request, body: Buffer.from(body).subarray(0, body.length).toString() };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const endpoint = {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'text/plain; charset=utf-8' }],
      };
      await service.cora.post('/api/admin/externalEndpoint', endpoint);
      const event = { endpointId: 'hook', contentPayload: 'größer' };
      await service.edda.post('/api/space/main/externalEvent', event);
      const [call] = await reached(host, 1);
      return Buffer.from(call?.body ?? []).toString() !== 'größer';
    },
  },
  'envelope.filter-is-the-first-of-the-user': {
    source: 'extensions: Call envelope',
    breaks: 'The information filter is that of the request that triggered the call.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        const filter = kept.get(call.user.name) ?? right(areas, call);
        kept.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      const second = encoded({ role: 'second' });
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: encoded({ role: 'first' }) });
      await reached(host, 1);
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: second });
      return at((await reached(host, 2))[1]?.json, '/informationFilter') !== second;
    },
  },
  'envelope.token-is-that-of-the-user-before': {
    source: 'extensions: Call envelope',
    breaks: 'The token of a call speaks for the user that triggered this one.',
    kind: 'role',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, Promise<string>>();
      return (areas, userName, minutes) => {
        const token = kept.get(minutes) ?? right(areas, userName, minutes);
        kept.set(minutes, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.emil.sendEvent('e');
      return at(claimsIn((await reached(host, 2))[1]), '/sub') !== 'emil';
    },
  },
};
