import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { type ArrayItem, isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Client, editPath, encoded, listAt, type Made, movePath, operationsPath } from '../service.ts';

const part = (name: string) => ({ $id: name, $softType: 'Part', data: { name } });
const documentOf = (name: string, references: readonly string[]) => ({
  $id: name,
  $softType: 'Document',
  data: {
    title: name,
    describes: references.map((instanceRef) => ({ id: instanceRef, value: { instanceRef, softTypeId: 'Part' } })),
  },
});
const filterName = headerNames.informationFilter.toLowerCase();

/** An item is a reference where its value leads to an object. */
function leadsTo({ content }: ArrayItem): unknown {
  return isContent(content['value']) ? content['value']['$oid'] : undefined;
}

/** Date of a price that one operation of a batch replaced. */
async function stampedIn(client: Client, made: Made, headers: object, filter: object): Promise<unknown> {
  const edit = {
    method: 'PATCH',
    href: operationsPath(made),
    headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations, ...headers },
    body: [{ op: 'replace', path: '/price/value', value: '2' }],
  };
  await client.post('/api/space/main/batch', [edit], { [headerNames.informationFilter]: encoded(filter) });
  return at(await client.read(made), '/data/price/effectivity');
}

/** Read of the object that a multi-create answered with at that place. */
async function readCreated(client: Client, answer: unknown, index: number): Promise<unknown> {
  return (await client.get(String(at(answer, `/${index}/href`)))).json;
}

export const manyAtOnce: Batch = {
  'batch.reads-are-not-filtered': {
    source: 'core: Server side paging 5',
    breaks: 'A GET in a batch applies the filter that its href names.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, ...rest) =>
      call.isSibling === undefined ? right(areas, call, ...rest) : undefined,
    ),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const { path } = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'batch.demote-result-lacks-the-version': {
    source: 'core: Batch result',
    breaks: 'The result of a demote holds the new version as that of any other write.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/demote/') && isContent(body) ? { href: body['href'] } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const demote = { method: 'PUT', href: movePath(made, 'demote'), headers: { [headerNames.version]: '2' } };
      return at((await edda.batch([demote])).json, '/0/body/version') !== 3;
    },
  },
  'batch.undone-edit-uses-its-version-up': {
    source: 'core: Versioning 2',
    breaks: 'An edit that was rolled back leaves no gap in the versions.',
    kind: 'copy',
    variant: breaks('versioning', 'versionAfterMerge', (right) => {
      const handedOut = new Map<string, number>();
      return (areas, object, body) => {
        const version = Math.max(right(areas, object, body), (handedOut.get(object.oid) ?? 0) + 1);
        handedOut.set(object.oid, version);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.batch([{ ...edit, headers: { [headerNames.version]: '1' } }, edit]);
      return (await edda.merge(made, 1, { note: 'n' })).headers.get(headerNames.version) !== '2';
    },
  },
  'batch.operation-brings-its-own-filter': {
    source: 'core: Batch operation',
    breaks: 'The information filter is that of the batch request, whatever an operation says.',
    kind: 'role',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const own = areas.messages.headersOf(Object.entries(operation.headers).flat())[filterName];
      return { ...right(areas, batch, operation), ...(own !== undefined && { [filterName]: own }) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2032-02-03T04:05:06Z';
      const own = { [headerNames.informationFilter]: encoded({ time }) };
      return (await stampedIn(edda, made, own, {})) === time;
    },
  },
  'many.second-referrer-gets-nothing': {
    source: 'core: Multi-create rules 2',
    breaks: 'Several items may refer to one and the same.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, store, items, inputs) => {
      const taken = new Set<unknown>();
      const isFirst = (item: ArrayItem): boolean => {
        const oid = leadsTo(item);
        const isTaken = oid !== undefined && taken.has(oid);
        taken.add(oid);
        return !isTaken;
      };
      const once = inputs.map((input) => ({
        ...input,
        arrays: new Map([...input.arrays].map(([port, all]) => [port, all.filter(isFirst)])),
      }));
      return right(areas, call, store, items, once);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p']), documentOf('e', ['p'])]);
      return listAt(await readCreated(edda, answer.json, 2), '/data/describes').length !== 1;
    },
  },
  'many.references-cost-a-version': {
    source: 'core: Versioning 2',
    breaks: 'An object that a multi-create made has version 1, with references as well.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, store, items, inputs) => {
      await right(areas, call, store, items, inputs);
      for (const [index, { oid }] of items.entries()) {
        const refers = [...(inputs[index]?.arrays.values() ?? [])].flat().some((item) => leadsTo(item) !== undefined);
        const object = refers ? await store.object(call.space.id, oid) : undefined;
        if (object !== undefined) await store.updateObject(object.spaceId, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p'])]);
      return at(await readCreated(edda, answer.json, 1), '/version') !== 1;
    },
  },
};
