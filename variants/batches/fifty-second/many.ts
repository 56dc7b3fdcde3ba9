import { randomUUID } from 'node:crypto';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, reached } from '../proofs.ts';
import { at, editPath, many, movePath, versionHeader } from '../service.ts';

/** A validator of documents. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

/** More operations than these are no batch to this service. */
const mostOperations = 255;

/** A multi-create as one operation, of a part and of a document that describes it. */
const setOfTwo = {
  method: 'POST',
  href: '/space/main/softtype',
  body: [
    { $id: 'p', $softType: 'Part', data: { name: 'n' } },
    {
      $id: 'd',
      $softType: 'Document',
      data: { title: 't', describes: [{ id: 'x', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
    },
  ],
};

/** Many operations by one request, and many objects. */
export const manyMistakes: Batch = {
  'batch.correlation-id-of-each-operation': {
    source: 'core: Common request headers, row X-Correlation-Id',
    breaks:
      'The id of the request goes on to every extension that it leads to, also from a later operation of a batch.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      return index === 0 ? prepared : { ...prepared, call: { ...prepared.call, correlationId: randomUUID() } };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      const made = await Promise.all(many(2, () => service.edda.make('Document', { title: 't' })));
      const moves = made.map((each) => ({ method: 'PUT', href: movePath(each), headers: versionHeader(1) }));
      await service.edda.post('/api/space/main/batch', moves, { 'X-Correlation-Id': 'mine' });
      const ids = callsOf(host, 'validation').map(({ envelope }) => envelope?.id);
      return ids.length === 2 && ids.some((id) => id !== 'mine');
    },
  },

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

  'multi-create.states-of-the-first-item': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may be of different SoftTypes, and each begins in the states of its own.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const [first] = items;
      const startContent = () => (first === undefined ? {} : areas.editing.startContent(first.softType));
      return right(within(areas, { editing: { startContent } }), call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        { $id: 'd', $softType: 'Document', data: { title: 't' } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return at(read.json, '/data/engineering') === undefined;
    },
  },

  'multi-create.names-are-those-of-the-batch': {
    source: 'core: Batch rules 4, second part',
    breaks: 'A multi-create may be an operation of a batch, and each has names of its own.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const known = new WeakMap<object, Set<unknown>>();
      return (areas, call, writing) => {
        if (call.isSibling === undefined || !Array.isArray(call.json)) return right(areas, call, writing);
        const names = known.get(call.log) ?? new Set();
        known.set(call.log, names);
        for (const item of call.json) {
          const name = at(item, '/$id');
          if (name !== undefined && names.has(name))
            throw new Refusal(422, 'Another item of the batch has this $id already.');
          names.add(name);
        }
        return right(areas, call, writing);
      };
    }),
    async shows({ edda }) {
      return (await edda.batch([setOfTwo, setOfTwo])).status !== 200;
    },
  },

  'batch.bodies-in-ascii': {
    source: 'core: Batch operation, row body',
    breaks: 'The body of an operation is stored as it is, letters beyond ASCII included.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      const { body } = prepared.call;
      if (body === undefined) return prepared;
      const text = body.toString().replaceAll(/[^\x20-\x7e]/gu, '?');
      return { ...prepared, call: { ...prepared.call, body: Buffer.from(text) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'größer' } };
      await edda.batch([edit]);
      return at(await edda.read(made), '/data/note') !== 'größer';
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

  'batch.at-most-255-operations': {
    source: 'core: Limits, row operations per batch',
    breaks: 'There is no hard limit to a batch, a few hundred operations included.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > mostOperations) throw new Refusal(400, `Expected at most ${mostOperations} operations.`);
      return operations;
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 't' });
      return (await edda.batch(many(260, () => ({ method: 'GET', href: path })))).status !== 200;
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
