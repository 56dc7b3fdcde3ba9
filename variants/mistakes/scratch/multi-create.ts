import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { part, reference } from '../proofs.ts';
import { at, type Client, listAt, many } from '../service.ts';
import { changes, during, leadsTo } from '../variant-parts.ts';

async function created(client: Client, items: readonly object[], index = 0): Promise<unknown> {
  const answer = await client.multiCreate(items);
  return (await client.get(String(at(answer.json, `/${index}/href`)))).json;
}

export const scratchMultiCreate: Mistakes = {
  'multi-create.ids-without-case': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item with that $id, letter case included.',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const referrer = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('A')] } };
      const items = [part('a'), part('A'), referrer];
      const { json } = await edda.multiCreate(items);
      const read = await edda.get(String(at(json, '/2/href')));
      return !String(at(json, '/1/href')).endsWith(String(at(read.json, '/data/describes/0/value/$oid')));
    },
  },
  'multi-create.limit-by-ids': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty are the most, items without $id included.',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const ids = new Set(items.map((item) => at(item, '/$id')));
      right(areas, items.slice(0, Math.max(ids.size, 1)));
      return items;
    }),
    async shows({ edda }) {
      const item = { $softType: 'Part', data: { name: 'n' } };
      return (await edda.multiCreate(many(51, () => item))).status === 201;
    },
  },
  'multi-create.mixed-references': {
    source: 'core: Multi-create item, data',
    breaks: 'A reference to an object that exists stays beside one to an item.',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      if (rules.itemOf === undefined || !isContent(body)) return right(areas, rules, softType, view, body);
      const members = Object.entries(body).map(([name, value]) => {
        const inside = (entry: unknown) => at(entry, '/value/instanceRef') !== undefined;
        return [name, Array.isArray(value) && value.some(inside) ? value.filter(inside) : value] as const;
      });
      return right(areas, rules, softType, view, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const describes = [{ value: { $oid: oid } }, reference('a')];
      const read = await created(edda, [
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
        part('a'),
      ]);
      return listAt(read, '/data/describes').length === 1;
    },
  },
  'multi-create.nested-without-ids': {
    source: 'core: System properties',
    breaks: 'Every object of an array inside an entry has an $entryId, in an object of a multi-create too.',
    variant: during('multiCreate', 'createItems', (step) =>
      replaces('contents', 'withEntryIds', (right, areas, items) =>
        step.isOn() ? items.map(({ content }) => content) : right(areas, items),
      ),
    ),
    async shows({ edda }) {
      const data = { title: 't', files: [{ name: 'a', revisions: [{ text: 'r' }] }] };
      const read = await created(edda, [{ $id: 'd', $softType: 'Document', data }]);
      return at(read, '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },
  'multi-create.reserved-names': {
    source: 'core: Multi-create item, $id',
    breaks: 'Any text is an $id.',
    variant: changes('multiCreate', 'identifyItems', (items) => {
      const known: Record<string, unknown> = {};
      if (!items.some(({ $id }) => $id !== undefined && $id in known)) return items;
      throw new Refusal(422, 'Another item has this $id already.');
    }),
    async shows({ edda }) {
      return (await edda.multiCreate([part('constructor')])).status !== 201;
    },
  },
  'multi-create.targets-at-two': {
    source: 'core: Versioning 2',
    breaks: 'An object that was just created is at version 1, one that another item refers to as well.',
    variant: breaks('multiCreate', 'createItems', (right) => async (areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      const targets = new Set(inputs.flatMap(({ arrays }) => [...arrays.values()].flat().map(leadsTo)));
      for (const { oid } of items.filter((item) => targets.has(item.oid))) {
        const object = await writing.object(call.space.id, oid);
        if (object) await writing.updateObject(call.space.id, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const referrer = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('a')] } };
      return at(await created(edda, [part('a'), referrer]), '/version') === 2;
    },
  },
  'multi-create.no-states': {
    source: 'core: States and transitions',
    breaks: 'An object has its current states, one of a multi-create too.',
    variant: during('multiCreate', 'createItems', (step) =>
      replaces('editing', 'startContent', (right, areas, softType) => (step.isOn() ? {} : right(areas, softType))),
    ),
    async shows({ edda }) {
      const read = await created(edda, [{ $id: 'd', $softType: 'Document', data: { title: 't' } }]);
      return at(read, '/data/engineering/state') === undefined;
    },
  },
};
