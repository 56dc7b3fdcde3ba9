import { randomUUID } from 'node:crypto';
import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer, Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, multiCreateOf, named, part, reference } from '../proofs.ts';
import { at, type Client, listAt, many } from '../service.ts';
import { during } from '../variant-parts.ts';

const atOnce = 10;

const mostItems = 50;

export const multiCreateMistakes: Mistakes = {
  'multi-create.types-of-the-space-before': {
    source: 'core: What the service does',
    breaks: 'The SoftTypes of a space are those of its template, whatever another space has.',
    variant: breaks('multiCreate', 'itemTypeOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call, $softType, pointer) => {
        const type = known.get(String($softType)) ?? right(areas, call, $softType, pointer);
        known.set(String($softType), type);
        return type;
      };
    }),
    async shows({ edda }) {
      const items = [{ $softType: 'Part', data: { name: 'n' } }];
      await edda.multiCreate(items);
      return (await edda.multiCreate(items, 'depot')).status === 201;
    },
  },
  'multi-create.item-of-an-earlier-request': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'A reference leads to an item of its own request, also when an earlier one had an item of that name.',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const found = known.get($id) ?? right(areas, items, $id, referrer);
        known.set($id, found);
        return found;
      };
    }),
    async shows({ edda }) {
      await createPair(edda);
      const [target, part] = await createPair(edda);
      return target !== part;
    },
  },
  'multi-create.later-items-for-administrators': {
    source: 'core: Multi-create rules',
    breaks: 'Items refer to each other in both directions, whatever the role of who sends them.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator'))
        return right(areas, call, writing, items, inputs);
      const earlier = inputs.map((input, index) => {
        const later = new Set<unknown>(items.slice(index + 1).map(({ oid }) => oid));
        const arrays = [...input.arrays].map(
          ([port, list]) => [port, list.filter(({ content }) => !later.has(at(content, '/value/$oid')))] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, earlier);
    }),
    async shows({ alma }) {
      const describes = [reference('part')];
      const answer = await alma.multiCreate([
        { $id: 'document', $softType: 'Document', data: { title: 'first', describes } },
        part('part', 'second'),
      ]);
      const read = await alma.get(String(at(answer.json, '/0/href')));
      return listAt(read.json, '/data/describes').length !== 1;
    },
  },
  'multi-create.equal-items-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'Every item of a multi-create becomes an instance, also one that is like another.',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const textOf = ({ softType, data }: (typeof items)[number]) => JSON.stringify([softType.id, data]);
      const texts = items.map(textOf);
      return right(
        areas,
        items.filter((_item, index) => texts.indexOf(texts[index] ?? '') === index),
      );
    }),
    async shows({ edda }) {
      const items = ['one', 'two'].map(($id) => ({ $id, $softType: 'Part', data: { name: 'alike' } }));
      return listAt((await edda.multiCreate(items)).json, '').length !== 2;
    },
  },
  'multi-create.late-failure': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are one change set: none is there when the last item refers to an object that is not.',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const name = `part ${randomUUID()}`;
      const describes = [{ value: { $oid: randomUUID() } }];
      await edda.multiCreate([
        { $id: 'part', $softType: 'Part', data: { name } },
        { $id: 'document', $softType: 'Document', data: { title: 'document', describes } },
      ]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return listAt(listed.json, '/data').length > 0;
    },
  },
  'multi-create.parts-of-what-failed': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are one change set: none is there when an item fails, of whichever SoftType.',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      const items: readonly unknown[] = Array.isArray(call.json) ? call.json : [];
      const parts = items.filter((item) => at(item, '/$softType') === 'Part' && at(item, '/data/usedIn') === undefined);
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal) || parts.length === 0 || items.length > mostItems) throw error;
        await right(areas, { ...call, json: parts }, writing);
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const name = `part ${randomUUID()}`;
      await edda.multiCreate([
        { $id: 'part', $softType: 'Part', data: { name } },
        { $id: 'none', $softType: 'None', data: {} },
      ]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return listAt(listed.json, '/data').length > 0;
    },
  },
  'multi-create.equal-items-are-one': {
    source: 'core: Multi-create rules 1',
    breaks: 'Each item becomes an instance, also where two of them are alike.',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const known = new Map<string, string>();
        return right(areas, items).map((item) => {
          const key = JSON.stringify([item.softType.id, item.data]);
          const oid = known.get(key) ?? item.oid;
          known.set(key, oid);
          return { ...item, oid };
        });
      }),
      replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
        const isFirst = items.map(({ oid }, index) => items.findIndex((item) => item.oid === oid) === index);
        return right(
          areas,
          call,
          writing,
          items.filter((_item, index) => isFirst[index]),
          inputs.filter((_input, index) => isFirst[index]),
        );
      }),
    ),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('a', 'p'), part('b', 'p')]);
      return at(answer.json, '/0/href') === at(answer.json, '/1/href');
    },
  },
  'multi-create.ten-at-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set, or none, however many they are.',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        const index = error instanceof Refusal ? Number(error.pointer?.split('/')[1]) : 0;
        const before = Array.isArray(call.json) ? call.json.slice(0, index - (index % atOnce)) : [];
        if (before.length > 0)
          detach(() => void areas.store.change((own) => right(areas, { ...call, json: before }, own)));
        throw error;
      }
    }),
    async shows({ edda }) {
      const items = many(11, (number) => ({ $softType: 'Part', data: number > atOnce ? {} : { name: 'left-over' } }));
      await edda.multiCreate(items);
      await edda.make('Part');
      return listAt((await edda.get('/api/space/main/instances/Part?text=left-over')).json, '/data').length > 0;
    },
  },
  'multi-create.first-without-arrays-ends': {
    source: 'core: Multi-create rules 1',
    breaks: 'All items come with all that is in them, also behind one that has no arrays.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const end = inputs.findIndex(({ arrays }) => arrays.size === 0);
      const cut = inputs.map((input, index) => (end < 0 || index < end ? input : { ...input, arrays: new Map() }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $softType: 'Part', data: { name: 'a' } },
        { $softType: 'Part', data: { name: 'b', usages: named(1) } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/usages').length === 0;
    },
  },
  'multi-create.without-its-last-item': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set: none when the last is wrong.',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!Array.isArray(call.json) || call.json.length < 3) throw error;
        return right(areas, { ...call, json: call.json.slice(0, -1) }, writing);
      }
    }),
    async shows({ edda }) {
      return (await edda.multiCreate([part('a'), part('b'), { ...part('c'), data: {} }])).status < 400;
    },
  },
  'many.fifty-items-are-too-many-in-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create of fifty instances is one operation of a batch as well.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('multiCreate', 'withinLimit', (right, areas, items) => {
        if (batch.isOn() && items.length === 50) throw new Refusal(422, 'Too many items.');
        return right(areas, items);
      }),
    ),
    async shows({ edda }) {
      const body = many(50, (n) => part(`p${n}`, `p${n}`));
      const answer = await edda.batch([multiCreateOf(body)]);
      return answer.status !== 200;
    },
  },
  'multi-create.less-than-fifty': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty instances are as many as a request may have, and not one too many.',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      if (items.length >= instancesPerMultiCreate) throw new Refusal(422, `Found ${items.length} items.`);
      return right(areas, items);
    }),
    async shows({ edda }) {
      return (await edda.multiCreate(parts(50))).status >= 400;
    },
  },
  'multi-create.no-limit-in-a-batch': {
    source: 'core: Limits, row instances per multi-create',
    breaks: 'A multi-create takes at most fifty instances, also as an operation of a batch.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('multiCreate', 'withinLimit', (right, areas, items) => (batch.isOn() ? items : right(areas, items))),
    ),
    async shows({ edda }) {
      const body = many(51, (number) => ({ $softType: 'Part', data: { name: `p${number}` } }));
      return (await edda.batch([multiCreateOf(body)])).status === 200;
    },
  },
  'multi-create.fifty-of-each-definition': {
    source: 'core: Limits, instances per multi-create',
    breaks: 'A request creates at most fifty instances, of all definitions together.',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const counts = Object.values(Object.groupBy(items, (item) => String(isContent(item) && item['$softType'])));
      return counts.some((same) => (same?.length ?? 0) > mostItems) ? right(areas, items) : items;
    }),
    async shows({ edda }) {
      const parts = many(mostItems, () => ({ $softType: 'Part', data: { name: 'p' } }));
      return (await edda.multiCreate([...parts, { $softType: 'Document', data: { title: 't' } }])).status < 300;
    },
  },
  'multi-create.alike-at-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'Each of two multi-creates that are alike creates its instances, also when they come at the same time.',
    variant: sharesAlike(routes.multiCreate),
    async shows({ edda }) {
      const both = await Promise.all([edda.multiCreate([part('a')]), edda.multiCreate([part('a')])]);
      return at(both[0].json, '/0/href') === at(both[1].json, '/0/href');
    },
  },
  'batch.alike-at-once': {
    source: 'core: Batch rules 1 and 5',
    breaks: 'Each of two batches that are alike creates, also when they come at the same time.',
    variant: sharesAlike(routes.batch),
    async shows({ edda }) {
      const create = { method: 'POST', href: documentsPath, body: { title: 't' } };
      const both = await Promise.all([edda.batch([create]), edda.batch([create])]);
      return at(both[0].json, '/0/body/href') === at(both[1].json, '/0/body/href');
    },
  },
};

/** Parts for a multi-create. */
function parts(count: number): readonly object[] {
  return many(count, (number) => part(`p${number}`, `n${number}`));
}

/** A part and a document that refers to it. @returns what the reference leads to, and the part */
async function createPair(edda: Client): Promise<readonly unknown[]> {
  const describes = [reference('p')];
  const { json } = await edda.multiCreate([
    part('p', 'part'),
    { $id: 'd', $softType: 'Document', data: { title: 'document', describes } },
  ]);
  const read = await edda.get(String(at(json, '/1/href')));
  return [at(read.json, '/data/describes/0/value/$oid'), String(at(json, '/0/href')).split('/').at(-1)];
}

/** Requests of one user that are alike and come at the same time are done once. */
function sharesAlike(path: string): Variant {
  return breaks('dispatcher', 'carryOut', (right) => {
    const pending = new Map<string, Promise<Answer>>();
    const keyOf = ({ headers, url, body }: Call): string => `${headers['authorization']} ${url} ${String(body)}`;
    return async (areas, route, call) => {
      if (route.path !== path || route.method !== 'POST') return right(areas, route, call);
      const key = keyOf(call);
      const answer = pending.get(key) ?? right(areas, route, call);
      pending.set(key, answer);
      const done = await answer;
      setTimeout(() => pending.delete(key), 15);
      return done;
    };
  });
}
