import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, reached } from '../proofs.ts';
import { at, many, movePath, versionHeader } from '../service.ts';

/** A validator of documents. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

/** Many operations by one request, and many objects. */
export const manyMistakes: Batch = {
  'validation.object-of-the-operation-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'The object told of is the one to validate, also where the request has several.',
    kind: 'combination',
    variant: breaks('validation', 'validationPayload', (right) => {
      const first = new Map<string, string>();
      return (areas, call, object) => {
        const oid = call.correlationGiven ? (first.get(call.correlationId) ?? object.oid) : object.oid;
        if (call.correlationGiven) first.set(call.correlationId, oid);
        return right(areas, call, { ...object, oid });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      const made = await Promise.all(many(2, () => service.edda.make('Document', { title: 't' })));
      const moves = made.map((each) => ({ method: 'PUT', href: movePath(each), headers: versionHeader(1) }));
      await service.edda.post('/api/space/main/batch', moves, { 'X-Correlation-Id': 'mine' });
      const ids = callsOf(host, 'validation').map(({ envelope }) => at(envelope?.payload, '/objectId'));
      return ids.length === 2 && new Set(ids).size === 1;
    },
  },

  'batch.undone-when-nobody-waits': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch is carried out to its end, also where the connection has ended meanwhile.',
    kind: 'moment',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      if (call.isAbandoned?.()) throw new Refusal(400, 'Nobody waits for the batch any more.');
      const answer = await right(areas, call, writing, table);
      if (call.isAbandoned?.()) throw new Refusal(400, 'Nobody waits for the batch any more.');
      return answer;
    }),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const held = await service.host(() => [validator], [{ when: { kind: 'validation' }, steps: [{ delayMs: 300 }] }]);
      const hangUp = new AbortController();
      const batch = fetch(new URL('/api/space/main/batch', service.url), {
        method: 'POST',
        headers: {
          authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
          'content-type': 'application/json',
          'Svc-InformationFilter': 'e30=',
        },
        body: JSON.stringify([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]),
        signal: hangUp.signal,
      }).catch(() => undefined);
      await reached(held, 1);
      hangUp.abort();
      await batch;
      await new Promise((resolve) => setTimeout(resolve, 800));
      return at(await edda.read(made), '/version') === 1;
    },
  },

  'batch.content-type-in-one-spelling': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The media type makes the request one of operations, also in a batch and whatever the case of the name.',
    kind: 'combination',
    survives: 'In which letter case an operation may name its headers is not said; it is recorded.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = Object.entries(operation.headers).filter(([name]) => name !== 'content-type');
      return right(areas, batch, { ...operation, headers: Object.fromEntries(headers) });
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/${oid}`,
          headers: { ...versionHeader(1), 'content-type': 'application/json-patch+json' },
          body: [{ op: 'add', path: '/note', value: 'n' }],
        },
      ]);
      return answer.status !== 200;
    },
  },

  'batch.locks-stay-behind': {
    source: 'core: Batch rules 2',
    breaks: 'A lock is an operation of a batch, and goes with it when another one fails.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const paths = call.json
          .filter((operation) => at(operation, '/method') === 'POST')
          .map((operation) => /\/lock\/([^/?]+)$/.exec(String(at(operation, '/href')))?.[1])
          .filter((oid) => oid !== undefined);
        const keep = async () => {
          for (const oid of paths)
            await areas.store.change(async (later) => {
              const object = await later.object(call.space.id, oid);
              if (object === undefined) return;
              const content = { ...object.content, $lockedBy: call.user.name };
              await later.updateObject(call.space.id, oid, object.version, content);
            });
        };
        setImmediate(() => void detach(keep));
        throw error;
      }
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'POST', href: `/api/space/main/lock/${made.oid}` },
        { method: 'GET', href: `${made.path}-none` },
      ]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return (await emil.merge(made, 1, { note: 'n' })).status >= 400;
    },
  },
};
