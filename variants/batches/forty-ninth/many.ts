import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf } from '../proofs.ts';
import { at, editPath, encoded, listAt, movePath, operationsPath, versionHeader } from '../service.ts';

const batchPath = '/api/space/main/batch';

const validator = {
  id: 'validator',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Many objects or many operations by one request. */
export const manyMistakes: Batch = {
  'batch.times-are-written-anew': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the payload, a text that looks like a time too.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      return { ...operation, body: withMilliseconds(operation.body) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const body = { note: '2024-05-06T07:08:09Z' };
      await edda.batch([{ method: 'PATCH', href: editPath(made), headers: versionHeader(1), body }]);
      return at(await edda.read(made), '/data/note') !== body.note;
    },
  },

  'batch.question-under-no-filter': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of an operation is that of the batch, also in what is asked about its promote.',
    kind: 'combination',
    variant: (classes) => {
      const asking = new Step();
      return together(
        replaces('validatedWrites', 'validatedBatch', (right, areas, batch, table) =>
          asking.run(() => right(areas, batch, table)),
        ),
        replaces('triggeredCalls', 'passedFilter', (right, areas, call) =>
          asking.isOn() ? encoded({}) : right(areas, call),
        ),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [validator]);
      const made = await service.edda.make('Document', { title: 't' });
      const filter = encoded({ time: '2019-03-04T00:00:00Z' });
      const promote = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      await service.edda.post(batchPath, [promote], { [headerNames.informationFilter]: filter });
      const [asked] = callsOf(host, 'validation');
      return asked !== undefined && asked.envelope?.informationFilter !== filter;
    },
  },

  'multi-create.guid-becomes-the-identifier': {
    source: 'core: Multi-create item, $id',
    breaks: 'A $id means something inside its request only, one that is a GUID too.',
    kind: 'value',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) =>
      right(areas, items).map((item) =>
        /^[0-9a-f-]{36}$/i.test(item.$id ?? '') ? { ...item, oid: item.$id ?? '' } : item,
      ),
    ),
    async shows({ edda }) {
      const items = [{ $id: '0f8fad5b-d9cb-469f-a165-70867728950e', $softType: 'Part', data: { name: 'n' } }];
      await edda.multiCreate(items);
      return (await edda.multiCreate(items)).status >= 400;
    },
  },

  'multi-create.texts-that-are-ids': {
    source: 'core: Multi-create item, data',
    breaks: 'The data are the content of the instance, a text that is the $id of an item too.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const oids = new Map(items.map(({ $id, oid }) => [$id, oid] as const));
      const resolved = inputs.map(({ content, arrays }) => ({
        content: Object.fromEntries(
          Object.entries(content).map(([name, value]) => [
            name,
            typeof value === 'string' ? (oids.get(value) ?? value) : value,
          ]),
        ),
        arrays,
      }));
      return right(areas, call, writing, items, resolved);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n', note: 'p' } }]);
      const read = await edda.get(String(at(made.json, '/0/href')));
      return at(read.json, '/data/note') !== 'p';
    },
  },

  'batch.type-of-the-operation-before': {
    source: 'core: Common request headers, Content-Type',
    breaks: 'The type of its own request selects the operations PATCH, and not that of the operation before it.',
    kind: 'copy',
    survives: 'What an operation is that names no media type is not said (batch-content-type-of-operation): recorded.',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const types = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const isOwn = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
        const type = isOwn ? headers['content-type'] : types.get(batch.correlationId);
        if (type === undefined) return headers;
        types.set(batch.correlationId, type);
        return { ...headers, 'content-type': type };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const batch = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), 'Content-Type': mediaTypes.operations },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(2), body: { note: 'n' } },
      ]);
      return batch.status !== 200;
    },
  },
};

/** A value as a reader of JSON leaves it that takes texts for times and writes these in its own way. */
function withMilliseconds(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/, '$1.000Z');
  if (Array.isArray(value)) return listAt(value, '').map(withMilliseconds);
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withMilliseconds(inner)]));
}
