import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, movePath, versionHeader } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.one-result-alone': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that failed is answered with a list of results, also where there is one alone.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const answer = right(areas, results);
      return answer.status === 500 && results.length === 1 ? { ...answer, body: results[0] } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const stale = { method: 'PATCH', href: editPath(made), headers: versionHeader(7), body: { note: 'n' } };
      return !Array.isArray((await edda.batch([stale])).json);
    },
  },

  'batch.forbidden-operation': {
    source: 'core: Errors 500',
    breaks: 'A batch with an operation that failed is answered with 500, also where the user may not do it.',
    kind: 'role',
    survives: 'a batch is a POST, which the role of a reader lacks: it may be refused as a whole',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      results.some(({ statusCode }) => statusCode === 403) ? 403 : right(areas, results),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      return (await rita.batch([edit])).status !== 500;
    },
  },

  'batch.status-of-a-promote': {
    source: 'core: Batch result',
    breaks: 'A result has the status of its operation: that of a promote is 204.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const isPromote = call.url.includes('/promote/') && answer.status === 204;
      return right(areas, call, isPromote ? { ...answer, status: 200 } : answer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(json, '/0/statusCode') !== 204;
    },
  },

  'batch.trimmed-texts': {
    source: 'core: Batch operation',
    breaks: 'The payload of an operation is that of its request, down to the blanks around a text.',
    kind: 'combination',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, ...args) => {
      const operation = right(areas, ...args);
      return operation.body === undefined ? operation : { ...operation, body: trimmed(operation.body) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const note = ' between blanks ';
      await edda.batch([{ method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note } }]);
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
};

function trimmed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
    typeof inner === 'string' ? inner.trim() : inner,
  ) as unknown;
}

export const multiCreateMistakes: Batch = {
  'multi-create.template-of-the-first-space': {
    source: 'core: Multi-create item',
    breaks: 'An item is of a definition of the space that the request is for.',
    kind: 'place',
    variant: replaces('multiCreate', 'itemTypeOf', (right, areas, call, ...args) => {
      const [space = call.space] = areas.configuration.spaces.values();
      return right(areas, { ...call, space }, ...args);
    }),
    shows: async ({ edda }) =>
      (await edda.multiCreate([{ $id: 'd', $softType: 'Dossier', data: { title: 't' } }], 'depot')).status >= 400,
  },

  'multi-create.content-of-the-item-before': {
    source: 'core: Multi-create item',
    breaks: 'An instance has the content of its own item, and nothing that the one before it had.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const mixed = inputs.map((input, index) => {
        const isAlike = items[index - 1]?.softType === items[index]?.softType;
        return { ...input, content: { ...(isAlike && inputs[index - 1]?.content), ...input.content } };
      });
      return right(areas, call, writing, items, mixed);
    }),
    async shows({ edda }) {
      const all = [{ title: 'one', note: 'of one' }, { title: 'two' }];
      const { json } = await edda.multiCreate(all.map((data) => ({ $id: data.title, $softType: 'Document', data })));
      return at((await edda.get(String(at(json, '/1/href')))).json, '/data/note') !== undefined;
    },
  },

  'multi-create.ids-as-numbers': {
    source: 'core: Multi-create item',
    breaks: 'An instance is referred to by the text of its id: 1 is another one than 01.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, id, referrer) =>
      Number.isNaN(Number(id))
        ? right(areas, items, id, referrer)
        : items.find(({ $id }) => Number($id) === Number(id)),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        { $id: '01', $softType: 'Part', data: { name: 'zero one' } },
        { $id: '1', $softType: 'Part', data: { name: 'one' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [referenceTo('1', 'Part')] } },
      ]);
      const read = await edda.get(String(at(json, '/2/href')));
      return at(read.json, '/data/describes/0/value/$oid') !== String(at(json, '/1/href')).split('/').at(-1);
    },
  },

  'multi-create.mutual-references': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may refer to each other, both ways at once.',
    kind: 'combination',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, id, referrer) => {
      const item = right(areas, items, id, referrer);
      const isMutual = JSON.stringify(item?.data ?? {}).includes(`"instanceRef":${JSON.stringify(referrer.$id)}`);
      return isMutual ? undefined : item;
    }),
    async shows({ edda }) {
      const describes = [referenceTo('p', 'Part')];
      const describedBy = [referenceTo('d', 'Document')];
      const answer = await edda.multiCreate([
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
        { $id: 'p', $softType: 'Part', data: { name: 'n', describedBy } },
      ]);
      return answer.status >= 400;
    },
  },
};

function referenceTo(instanceRef: string, softTypeId: string) {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}
