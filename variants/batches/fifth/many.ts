import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many, movePath, versionHeader } from '../service.ts';

const request = new AsyncLocalStorage<string>();

function reference(instanceRef: string): object {
  return { id: 'port', value: { instanceRef, softTypeId: 'Part' } };
}

function pair($id: string): readonly object[] {
  return [
    { $id, $softType: 'Part', data: { name: $id } },
    { $softType: 'Document', data: { title: $id, describes: [reference($id)] } },
  ];
}

export const manyAtOnce: Batch = {
  'batch.a-mebibyte-is-the-limit': {
    source: 'core: Limits (text under the table)',
    breaks: 'A batch has no hard limit, neither in operations nor in bytes.',
    kind: 'value',
    survives: 'How many bytes a request may have is not said: a batch that is too long is tried with less in it.',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      if (JSON.stringify(body).length > 2 ** 20) throw new Refusal(413, 'Expected a body of at most 1 MiB.');
      return right(areas, body);
    }),
    shows: async ({ edda }) => {
      const note = 'n'.repeat(100_000);
      const href = '/api/space/main/softtype/Document/documentInput';
      const operations = many(11, (number) => ({ method: 'POST', href, body: { title: `t${number}`, note } }));
      return (await edda.batch(operations)).status !== 200;
    },
  },
  'batch.operations-have-correlation-ids-of-their-own': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks:
      'The correlation id of a request is handed to every extension called because of it, also by an operation of a batch.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, correlationId: randomUUID() } };
    }),
    shows: async (service) => {
      const host = await service.host(() => [
        {
          extensionType: 'ExternalValidation',
          capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
        },
      ]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 'asked about' });
      const operations = [{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }];
      const id = randomUUID();
      await edda.post('/api/space/main/batch', operations, { 'X-Correlation-Id': id });
      const calls = host.entries(({ kind }) => kind === 'validation');
      return calls.length === 0 || calls.some(({ envelope }) => envelope?.id !== id);
    },
  },
  'multi-create.id-is-a-name-of-the-language': {
    source: 'core: Multi-create rules 2',
    breaks: 'An item is referred to by its $id, whatever text that is.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      $id === '__proto__' ? undefined : right(areas, items, $id, referrer),
    ),
    shows: async ({ edda }) => (await edda.multiCreate(pair('__proto__'))).status >= 400,
  },
  'multi-create.objects-have-no-states': {
    source: 'core: States and transitions',
    breaks: 'An instance carries its current states, however it was created.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const insertObject: typeof writing.insertObject = ({ content: { $states: _none, ...content }, ...object }) =>
        writing.insertObject({ ...object, content });
      return right(areas, call, { ...writing, insertObject }, items, inputs);
    }),
    shows: async ({ edda }) => {
      const { json } = await edda.multiCreate(pair('stateless'));
      return at((await edda.get(String(at(json, '/1/href')))).json, '/data/engineering') === undefined;
    },
  },
  'multi-create.two-in-a-batch-share-their-ids': {
    source: 'core: Multi-create item, $id; Batch rules 4',
    breaks: 'A $id counts inside its own multi-create, also where a batch holds two of them.',
    kind: 'combination',
    variant: together(
      replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
        request.run(call.correlationId, () => right(areas, call, writing)),
      ),
      breaks('multiCreate', 'findItem', (right) => {
        const known = new Map<string, ReturnType<typeof right>>();
        return (areas, items, $id, referrer) => {
          const key = `${request.getStore()} ${$id}`;
          const found = known.get(key) ?? right(areas, items, $id, referrer);
          known.set(key, found);
          return found;
        };
      }),
    ),
    shows: async ({ edda }) => {
      const operation = { method: 'POST', href: '/api/space/main/softtype', body: pair('same') };
      return (await edda.batch([operation, operation])).status !== 200;
    },
  },
};
