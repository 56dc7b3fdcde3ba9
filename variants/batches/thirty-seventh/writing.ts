import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, versionHeader } from '../service.ts';

/** Objects of a multi-create, by the store that has them. */
const fresh = new WeakMap<object, Set<string>>();

export const writingMistakes: Batch = {
  'writing.first-merge-after-a-multi-create': {
    source: 'core: Multi-create item',
    breaks: 'The data of an item is the content of its instance, of which a merge leaves what it does not name.',
    kind: 'moment',
    variant: together(
      replaces('multiCreate', 'multiCreateAnswer', (right, areas, call, items) => {
        const oids = fresh.get(areas.store) ?? new Set();
        for (const { oid } of items) oids.add(oid);
        fresh.set(areas.store, oids);
        return right(areas, call, items);
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        const { object } = call;
        const { note: _lost, ...content } = object.content;
        const isFresh = fresh.get(areas.store)?.delete(object.oid) ?? false;
        return right(areas, isFresh ? { ...call, object: { ...object, content } } : call, writing);
      }),
    ),
    async shows({ edda }) {
      const data = { name: 'part', note: 'kept' };
      const answer = await edda.multiCreate([{ $id: 'one', $softType: 'Part', data }]);
      const path = String(at(answer.json, '/0/href'));
      const made = { definition: 'Part', oid: path.split('/').at(-1) ?? '', path } as const;
      await edda.merge(made, 1, { remark: 'edited' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },

  'writing.deleted-after-an-edit-of-the-batch': {
    source: 'core: Batch operation',
    breaks: 'A DELETE of a batch deletes, also what an operation before it has edited.',
    kind: 'combination',
    variant: replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      const stored = await writing.object(object.spaceId, object.oid);
      if (stored?.content['remark'] === undefined || object.version < 2) return right(areas, writing, object);
      const { remark: _gone, ...content } = stored.content;
      return writing.updateObject(object.spaceId, object.oid, object.version + 1, content);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'delete' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { remark: 'edited' } },
        { method: 'DELETE', href: made.path },
      ]);
      return (await edda.get(made.path)).status !== 404;
    },
  },

  'many.unknown-definition-in-a-batch': {
    source: 'core: Multi-create item',
    breaks:
      'An item names the definition that is instantiated; one that there is not fails the request, in a batch too.',
    kind: 'place',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const { softTypes } = call.space.template;
      if (call.isSibling === undefined || !Array.isArray(call.json)) return right(areas, call, writing);
      const json = call.json.filter((item) => softTypes.has(String(at(item, '/$softType'))));
      return right(areas, { ...call, json }, writing);
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'one', $softType: 'Part', data: { name: 'part' } },
        { $id: 'two', $softType: 'Nothing', data: { name: 'none' } },
      ];
      const batch = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body: items }]);
      return batch.status === 200;
    },
  },
};
