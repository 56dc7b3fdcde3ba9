import { setTimeout } from 'node:timers/promises';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { Step, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, tokenOf } from '../proofs.ts';
import { at, editPath, encoded, listAt, many, movePath, operationsPath, versionHeader } from '../service.ts';

const batchPath = '/api/space/main/batch';
const multiCreatePath = '/space/main/softtype';

/** Items that are worked on together. */
const groupSize = 25;

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

  'multi-create.states-of-the-first-type': {
    source: 'core: Multi-create item, $softType',
    breaks: 'Each item becomes an instance of its own SoftType, with the states of that one.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const [first] = listAt(call.json, '');
      const softType = call.space.template.softTypes.get(String(at(first, '/$softType')));
      if (softType === undefined) return right(areas, call, writing);
      const startContent = () => areas.editing.startContent(softType);
      return right(within(areas, { editing: { startContent } }), call, writing);
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

  'multi-create.one-level-in-a-batch': {
    source: 'core: States and transitions',
    breaks: 'An instance carries a state for each level, also one that a batch made together with others.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const startContent: typeof areas.editing.startContent = (softType) =>
        firstLevelOf(areas.editing.startContent(softType));
      const isOperation = call.isSibling !== undefined;
      return right(isOperation ? within(areas, { editing: { startContent } }) : areas, call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const body = [{ $id: 'd', $softType: 'Document', data: { title: 't' } }];
      const batch = await edda.batch([{ method: 'POST', href: multiCreatePath, body }]);
      const read = await edda.get(String(at(batch.json, '/0/body/0/href')));
      return at(read.json, '/data/approval') === undefined;
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

  'multi-create.references-within-a-group': {
    source: 'core: Multi-create rules 2',
    breaks: 'An item may refer to any other one of the request, to one far behind it too.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const from = Math.floor(items.indexOf(referrer) / groupSize) * groupSize;
      return right(areas, items.slice(from, from + groupSize), $id, referrer);
    }),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'p30', softTypeId: 'Part' } }];
      const parts = many(30, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: 'n' } }));
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      return (await edda.multiCreate([document, ...parts])).status >= 400;
    },
  },

  'batch.given-up-while-an-extension-thinks': {
    source: 'core: Limits, text on the batch',
    breaks: 'A batch whose client has gone is carried out, also one that waits for an extension meanwhile.',
    kind: 'moment',
    variant: replaces('validatedWrites', 'validatedBatch', async (right, areas, batch, table) => {
      const ready = await right(areas, batch, table);
      if (batch.isAbandoned?.() === true) throw new Refusal(400, 'The client has gone.');
      return ready;
    }),
    async shows(service) {
      const { edda, url } = service;
      const host = await service.host(
        () => [validator],
        [{ steps: [{ status: 200, json: { isValid: true, message: '' }, delayMs: 400 }], afterwards: 'last' }],
      );
      const made = await edda.make('Document', { title: 't' });
      const client = new AbortController();
      const sent = fetch(new URL(batchPath, url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await tokenOf(service, 'edda')}`,
          [headerNames.informationFilter]: encoded({}),
          'content-type': mediaTypes.json,
        },
        body: JSON.stringify([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]),
        signal: client.signal,
      }).catch(() => undefined);
      await host.await(({ kind }) => kind === 'validation', 1, AbortSignal.timeout(4000));
      client.abort();
      await sent;
      for (let left = 15; left > 0 && at(await edda.read(made), '/version') === 1; left -= 1) await setTimeout(100);
      return at(await edda.read(made), '/version') === 1;
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

function firstLevelOf(content: Content): Content {
  const states = content[statesMember];
  return isContent(states) ? { [statesMember]: Object.fromEntries(Object.entries(states).slice(0, 1)) } : content;
}
