import type { ArrayItem } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, pair, part, readCreated, reference } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, leadsTo, mapEntries } from '../variant-parts.ts';

export const multiCreateReferencesMistakes: Mistakes = {
  'multi-create.many-references-are-too-many': {
    source: 'core: Multi-create rules 3',
    breaks: 'Up to fifty instances are taken, however many references lead from one to another.',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const count = items.length + JSON.stringify(items).split('"instanceRef"').length - 1;
      if (count > 100) throw new Refusal(422, `A multi-create takes 100 items and references; found ${count}.`);
      return right(areas, items);
    }),
    async shows({ edda }) {
      const parts = many(5, (number) => `p${number}`);
      const documents = many(25, (number) => documentOf(`d${number}`, parts));
      return (await edda.multiCreate([...parts.map((id) => part(id)), ...documents])).status >= 400;
    },
  },
  'many.second-reference-of-a-port-repeats-the-first': {
    source: 'core: Multi-create rules 2',
    breaks: 'Each reference of a port leads to the item that it names itself.',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const first = new WeakMap<object, string>();
      return (areas, items, $id, referrer) => {
        const meant = first.get(referrer) ?? $id;
        first.set(referrer, meant);
        return right(areas, items, meant, referrer);
      };
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p', 'p'), part('q', 'q'), documentOf('d', ['p', 'q'])]);
      const hrefs = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = (await edda.get(hrefs[2] ?? '')).json;
      return !hrefs[1]?.endsWith(String(at(read, '/data/describes/1/value/$oid')));
    },
  },
  'multi-create.no-two-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Two items may refer to each other in one request.',
    variant: changes('multiCreate', 'findItem', (target, _areas, items, _$id, referrer) => {
      const isMutual =
        referrer.$id !== undefined && JSON.stringify(target?.data).includes(`"instanceRef":"${referrer.$id}"`);
      return isMutual && items.length > 2 ? undefined : target;
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'n', describedBy: [reference('d', 'Document')] } },
        part('q', 'm'),
      ];
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
  'multi-create.id-is-a-name-of-the-language': {
    source: 'core: Multi-create rules 2',
    breaks: 'An item is referred to by its $id, whatever text that is.',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      $id === '__proto__' ? undefined : right(areas, items, $id, referrer),
    ),
    shows: async ({ edda }) => (await edda.multiCreate(pair('__proto__'))).status >= 400,
  },
  'multi-create.ids-in-any-case': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item whose $id it holds, and not to one that is spelled alike in other letters.',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const describes = [reference('P')];
      const answer = await edda.multiCreate([
        part('p', 'small'),
        part('P', 'large'),
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
      ]);
      const hrefs = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = await edda.get(hrefs[2] ?? '');
      return !hrefs[1]?.endsWith(String(at(read.json, '/data/describes/0/value/$oid')));
    },
  },
  'multi-create.last-item-of-fifty-unknown': {
    source: 'core: Multi-create rules 2 and 3',
    breaks: 'An item may refer to any other one, also to the fiftieth.',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      right(areas, items.slice(0, 49), $id, referrer),
    ),
    async shows({ edda }) {
      const parts = many(49, (index) => part(`p${index}`, `n${index}`));
      const describes = [reference('p49')];
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      return (await edda.multiCreate([document, ...parts])).status >= 300;
    },
  },
  'multi-create.two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may reference each other, both at once as well.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      const targets = inputs.map(({ arrays }) =>
        [...arrays.values()].flat().map(({ content }) => at(content, '/value/$oid')),
      );
      for (const [index, { oid }] of items.entries())
        for (const [other, candidate] of items.entries())
          if (index !== other && targets[index]?.includes(candidate.oid) && targets[other]?.includes(oid))
            throw new Refusal(422, 'The references go round in a circle.');
      return right(areas, call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'd', $softType: 'Document', data: { title: 'document', describes: [reference('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'part', describedBy: [reference('d', 'Document')] } },
      ]);
      return answer.status >= 400;
    },
  },
  'multi-create.id-used-up': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to the same one.',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const used = new WeakMap<object, Set<string>>();
      return (areas, items, $id, referrer) => {
        const before = used.get(items) ?? new Set();
        used.set(items, new Set([...before, $id]));
        return before.has($id) ? undefined : right(areas, items, $id, referrer);
      };
    }),
    async shows(service) {
      const describes = [reference('p', 'Part')];
      const answer = await service.edda.multiCreate([
        part('p', 'n'),
        { $id: 'd1', $softType: 'Document', data: { title: 't', describes } },
        { $id: 'd2', $softType: 'Document', data: { title: 't', describes } },
      ]);
      return answer.status >= 400;
    },
  },
  'many.second-referrer-gets-nothing': {
    source: 'core: Multi-create rules 2',
    breaks: 'Several items may refer to one and the same.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, store, items, inputs) => {
      const taken = new Set<unknown>();
      const isFirst = (item: ArrayItem): boolean => {
        const oid = leadsTo(item);
        const isTaken = oid !== undefined && taken.has(oid);
        taken.add(oid);
        return !isTaken;
      };
      const once = inputs.map((input) => mapEntries(input, (entries) => entries.filter(isFirst)));
      return right(areas, call, store, items, once);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p']), documentOf('e', ['p'])]);
      return listAt(await readCreated(edda, answer.json, 2), '/data/describes').length !== 1;
    },
  },
  'multi-create.last-of-fifty-is-of-the-first-type': {
    source: 'core: Multi-create rules 2',
    breaks: 'Each item becomes an object with its own data, also the last of as many as are allowed.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const most =
        items.length === 50 ? [...inputs.slice(0, -1), inputs[0] ?? { content: {}, arrays: new Map() }] : inputs;
      return right(areas, call, writing, items, most);
    }),
    async shows({ edda }) {
      const items = many(50, (number) => part(`p${number}`, `part ${number}`));
      const answer = await edda.multiCreate(items);
      const read = await edda.get(String(at(answer.json, '/49/href')));
      return at(read.json, '/data/name') !== 'part 50';
    },
  },
  'multi-create.a-reference-edits-its-target': {
    source: 'core: Versioning 2',
    breaks: 'An object has the version of a created one, also where another item of the request refers to it.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      const meant = new Set(inputs.flatMap(({ arrays }) => [...arrays.values()].flat().map(leadsTo)));
      for (const { oid } of items.filter((item) => meant.has(item.oid))) {
        const object = await writing.object(call.space.id, oid);
        if (object) await writing.updateObject(object.spaceId, oid, object.version + 1, object.content);
      }
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p'])]);
      return at(await readCreated(edda, answer.json, 0), '/version') !== 1;
    },
  },
  'multi-create.stored-objects-before-items': {
    source: 'core: Multi-create item, $id',
    breaks: 'An `instanceRef` leads to the item with that `$id`, whatever object is called so.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      const stored = new Map<unknown, string>();
      for (const { $id = '', oid } of items) if (await writing.object(call.space.id, $id)) stored.set(oid, $id);
      const redirected = inputs.map((input) =>
        mapEntries(input, (entries) => entries.map((entry) => ledTo(entry, stored))),
      );
      return right(areas, call, writing, items, redirected);
    }),
    async shows({ edda }) {
      const first = await edda.multiCreate([part('p')]);
      const $id = String(at(await readCreated(edda, first.json, 0), '/data/$oid'));
      const again = await edda.multiCreate([part($id), documentOf('d', [$id])]);
      return at(await readCreated(edda, again.json, 1), '/data/describes/0/value/$oid') === $id;
    },
  },
};

/** The entry, leading to another object where that of its own is among the keys. */
function ledTo(entry: ArrayItem, others: ReadonlyMap<unknown, string>): ArrayItem {
  const $oid = others.get(leadsTo(entry));
  return $oid === undefined ? entry : { ...entry, content: { ...entry.content, value: { ...valueOf(entry), $oid } } };
}

function valueOf({ content }: ArrayItem): object {
  const { value } = content;
  return typeof value === 'object' && value !== null ? value : {};
}
