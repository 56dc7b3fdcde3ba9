import { createHash, randomUUID } from 'node:crypto';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const access: Batch = {
  'headers.correlation-id-in-lower-case': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id that was given is passed on as it was given, capitals included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).toLowerCase()),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'listener' }]);
      const id = randomUUID().toUpperCase();
      const body = { recordId: 'listener', contentPayload: {} };
      await service.edda.post('/api/space/main/externalEvent', body, { 'X-Correlation-Id': id });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return call?.envelope?.id !== id;
    },
  },
  'caching.tags-change-with-a-restart': {
    source: 'core: Versioning 4',
    breaks: 'A read with the tag of data that has not changed gives 304, also after the service was started anew.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const salt = randomUUID();
      return (areas, representation) =>
        `"${createHash('sha256').update(salt).update(right(areas, representation)).digest('hex')}"`;
    }),
    shows: async ({ cora, restart }) => {
      const etag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      await restart();
      return (await cora.get('/api/collection/template', { 'If-None-Match': etag })).status !== 304;
    },
  },
  'caching.held-tag-opens-the-door': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who has no access to a resource gets 403, also where the tag of it is sent along.',
    kind: 'role',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const sent = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const etag = answer.headers?.['ETag'];
          if (etag !== undefined) sent.set(call.url, etag);
          return answer;
        } catch (error) {
          const held = call.headers['if-none-match'];
          const isHeld = held !== undefined && held === sent.get(call.url);
          if (error instanceof Refusal && error.status === 403 && isHeld) return { status: 304 };
          throw error;
        }
      };
    }),
    shows: async ({ cora, edda }) => {
      const path = '/api/collection/template';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },
};
