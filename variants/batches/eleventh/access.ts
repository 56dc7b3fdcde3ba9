import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached } from '../proofs.ts';
import { at } from '../service.ts';
import { events, sendEvent } from './proofs.ts';

const profile = '/api/collection/user/profile';

export const access: Batch = {
  'filter.that-of-the-request-before': {
    source: 'core: Common request headers',
    breaks: 'The information filter is required of every request, also of one that follows another.',
    kind: 'copy',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      const known = new Map<string, string>();
      return (areas, call) => {
        const who = call.headers['authorization'] ?? '';
        const given = call.headers['svc-informationfilter'] ?? known.get(who);
        const filter = right(
          areas,
          given === undefined ? call : { ...call, headers: { ...call.headers, 'svc-informationfilter': given } },
        );
        if (given !== undefined) known.set(who, given);
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.get(made.path, { 'Svc-InformationFilter': '' })).status === 200;
    },
  },
  'etag.counts-from-the-start': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also where the service was started again after the tag was given.',
    kind: 'copy',
    variant: breaks('caching', 'etagOf', () => {
      const known = new Map<string, number>();
      return (_areas, representation) => {
        const text = representation.toString();
        known.set(text, known.get(text) ?? known.size + 1);
        return `"${known.get(text)}"`;
      };
    }),
    async shows({ cora, restart }) {
      const etag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.put(profile, undefined, { displayName: 'Another' });
      await restart();
      return (await cora.get(profile, { 'If-None-Match': etag })).status === 304;
    },
  },
  'correlation.of-the-request-before': {
    source: 'core: Common request headers',
    breaks: 'A request without a correlation id has one of its own, whatever its user sent before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const last = new Map<string, string>();
      return (areas, call) => {
        if (call.correlationGiven) last.set(call.user.name, call.correlationId);
        return last.get(call.user.name) ?? right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [events()]);
      const { edda } = service;
      const headers = { 'X-Correlation-Id': '5ad6c4c6-35a3-4a7a-9c25-5b6d0f6f0a11' };
      await sendEvent(edda, { recordId: 'e' }, { headers });
      await sendEvent(edda, { recordId: 'e' });
      const [one, other] = await reached(host, 2);
      return at(one, '/envelope/id') === at(other, '/envelope/id');
    },
  },
};
