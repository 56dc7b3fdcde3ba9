import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { type ArrayItem, isContent } from '../../../reference-server/areas/content.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Client, editPath, encoded, listAt, type Made, many, movePath, operationsPath } from '../service.ts';

const part = (name: string) => ({ $id: name, $softType: 'Part', data: { name } });
const documentOf = (name: string, references: readonly string[]) => ({
  $id: name,
  $softType: 'Document',
  data: {
    title: name,
    describes: references.map((instanceRef) => ({ id: instanceRef, value: { instanceRef, softTypeId: 'Part' } })),
  },
});
const versionName = headerNames.version.toLowerCase();
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
  'batch.promote-needs-no-version': {
    source: 'core: Errors 412',
    breaks: 'A promote in a batch that names no version is refused as one alone.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMove = 'isSibling' in call && call.url.includes('/maturityAction/');
      return isMove && call.headers[versionName] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },
  'batch.dates-are-those-of-the-clock': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'An element that is replaced in a batch gets the date of the information filter of the batch.',
    kind: 'combination',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isSibling' in call ? isoTime(areas.clock.now()) : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2031-02-03T04:05:06Z';
      return (await stampedIn(edda, made, {}, { time })) !== time;
    },
  },
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
  'batch.undone-multi-create-stays': {
    source: 'core: Batch rules 1',
    breaks: 'What a multi-create in a batch has made goes when another operation fails.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, store, ...rest) => {
      if (call.isSibling === undefined) return right(areas, call, store, ...rest);
      void detach(() => areas.store.change((own) => right(areas, call, own, ...rest))).catch(() => undefined);
    }),
    async shows({ edda, pass }) {
      const create = { method: 'POST', href: '/space/main/softtype', body: [part('tenth-left-behind')] };
      await edda.batch([create, { method: 'GET', href: '/api/space/main/softtype/none' }]);
      await pass(0);
      const listed = await edda.get('/api/space/main/instances/Part?text=tenth-left-behind');
      return listAt(listed.json, '/data').length > 0;
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
  'many.references-after-the-tenth-are-lost': {
    source: 'core: Multi-create rules 2',
    breaks: 'An item may refer to as many others as the request holds.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, store, items, inputs) => {
      const cut = inputs.map((input) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, all]) => [
            port,
            all.filter((item, index) => index < 10 || leadsTo(item) === undefined),
          ]),
        ),
      }));
      return right(areas, call, store, items, cut);
    }),
    async shows({ edda }) {
      const names = many(11, (number) => `p${number}`);
      const answer = await edda.multiCreate([...names.map(part), documentOf('d', names)]);
      const links = listAt(await readCreated(edda, answer.json, 11), '/links');
      return !links.some((link) => at(link, '/totalNumber') === 11);
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
  'many.ids-differ-in-more-than-their-case': {
    source: 'core: Multi-create item',
    breaks: 'A reference leads to the item with its very id, not to one that is spelled in the other case.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), part('P'), documentOf('d', ['P'])]);
      const read = await readCreated(edda, answer.json, 2);
      return !String(at(answer.json, '/1/href')).endsWith(String(at(read, '/data/describes/0/value/$oid')));
    },
  },
  'many.fifty-of-each-definition': {
    source: 'core: Multi-create rules 3',
    breaks: 'A request holds fifty instances at most, whatever their definitions.',
    kind: 'combination',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const groups = Map.groupBy(items, (item) => at(item, '/$softType'));
      for (const group of groups.values()) right(areas, group);
      return groups.size === 0 ? right(areas, items) : items;
    }),
    async shows({ edda }) {
      const requirements = many(25, (number) => ({
        $id: `r${number}`,
        $softType: 'Requirement',
        data: { text: 'r' },
      }));
      const parts = many(26, (number) => part(`p${number}`));
      return (await edda.multiCreate([...parts, ...requirements])).status < 400;
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
