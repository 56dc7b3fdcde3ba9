import type { StoredObject } from '../../../reference-server/ports/store.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, movePath, versionHeader } from '../service.ts';

/** Objects of a multi-create, by the store that has them. */
const fresh = new WeakMap<object, Set<string>>();

export const writingMistakes: Batch = {
  'writing.deleted-through-another-space': {
    source: 'core: What the service does',
    breaks: 'An object is inside its space, and is not found through another one after it was read.',
    kind: 'copy',
    variant: breaks('objects', 'locateObject', (right) => {
      const kept = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const { objectId = '' } = call.params;
        const known = kept.get(objectId);
        if (known !== undefined && known.spaceId !== call.space.id) {
          const object = await reading.object(known.spaceId, objectId);
          if (object !== undefined) return object;
        }
        const object = await right(areas, call, reading);
        kept.set(objectId, object);
        return object;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'elsewhere' });
      await edda.read(made);
      await edda.delete(made.path.replace('/main/', '/depot/'));
      return (await edda.get(made.path)).status === 404;
    },
  },

  'writing.version-by-its-first-digit': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the server is refused, also where the one begins with the other.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `note ${version}` });
      return (await edda.merge(made, 1, { note: 'stale' })).status !== 409;
    },
  },

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

  'writing.state-back-at-the-start': {
    source: 'core: States and transitions',
    breaks: 'A current state names its definition, in the first state that an object was demoted to as well.',
    kind: 'value',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const next = right(areas, content, level, state);
      const states = next['$states'];
      if (state !== 'draft' && state !== 'open') return next;
      const { $softType: _lost, ...rest } = (at(states, `/${level}`) ?? {}) as Record<string, unknown>;
      return { ...next, $states: { ...(states as object), [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'states' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return typeof at(await edda.read(made), '/data/engineering/$softType') !== 'string';
    },
  },

  'writing.promote-beyond-nine': {
    source: 'core: States and transitions',
    breaks: 'A promote at version n gives version n+1, at nine and above as well.',
    kind: 'value',
    variant: replaces('maturity', 'versionAfterPromote', (right, areas, object) =>
      object.version > 9 ? object.version + 2 : right(areas, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `note ${version}` });
      return (await edda.move(made, 10)).headers.get('svc-uoiversion') !== '11';
    },
  },

  'writing.readers-promote-in-a-batch': {
    source: 'core: Endpoint table',
    breaks: 'A promote needs a role that may PUT, as an operation of a batch as well.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMove = 'isSibling' in call && call.url.includes('/maturityAction/promote/');
      right(areas, user, isMove ? 'participant' : access, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'reader' });
      await rita.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(await edda.read(made), '/version') === 2;
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

  'many.items-of-an-operation-before': {
    source: 'core: Batch rules 4',
    breaks: 'An item cannot refer to one that another operation of the same batch creates.',
    kind: 'value',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const kept = new Map<string, Parameters<Parameters<typeof right>[0]['multiCreate']['findItem']>[0]>();
      return (areas, call, writing) => {
        if (call.isSibling === undefined) return right(areas, call, writing);
        const found = within(areas, {
          multiCreate: {
            findItem: (items, $id, referrer) => {
              const before = kept.get(call.correlationId) ?? [];
              kept.set(call.correlationId, [...before, ...items]);
              return areas.multiCreate.findItem([...items, ...before], $id, referrer);
            },
            createItems: (_call: SpaceCall, ...rest) => {
              kept.set(call.correlationId, [...(kept.get(call.correlationId) ?? []), ...rest[1]]);
              const { isSibling: _lost, ...alone } = call;
              return areas.multiCreate.createItems(alone, ...rest);
            },
          },
        });
        return right(found, call, writing);
      };
    }),
    async shows({ edda }) {
      const href = '/space/main/softtype';
      const describes = [{ id: 'r', value: { instanceRef: 'one', softTypeId: 'Part' } }];
      const batch = await edda.batch([
        { method: 'POST', href, body: [{ $id: 'one', $softType: 'Part', data: { name: 'part' } }] },
        { method: 'POST', href, body: [{ $id: 'two', $softType: 'Document', data: { title: 'doc', describes } }] },
      ]);
      return batch.status === 200;
    },
  },

  'many.item-that-two-definitions-refer-to': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items of several SoftTypes may refer to one and the same item.',
    kind: 'combination',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const referrers = new WeakMap<object, string>();
      return (areas, items, $id, referrer) => {
        const found = right(areas, items, $id, referrer);
        if (found === undefined) return undefined;
        const first = referrers.get(found) ?? referrer.softType.id;
        referrers.set(found, first);
        return first === referrer.softType.id ? found : undefined;
      };
    }),
    async shows({ edda }) {
      const ref = [{ id: 'r', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const answer = await edda.multiCreate([
        { $id: 'part', $softType: 'Part', data: { name: 'part' } },
        { $id: 'doc', $softType: 'Document', data: { title: 'doc', describes: ref } },
        { $id: 'req', $softType: 'Requirement', data: { text: 'req', satisfiedBy: ref } },
      ]);
      return answer.status >= 400;
    },
  },

  'many.limit-inside-a-batch': {
    source: 'core: Limits',
    breaks: 'A multi-create takes fifty instances, as an operation of a batch as well.',
    kind: 'place',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const generous = within(areas, { multiCreate: { withinLimit: (items) => items } });
      return right(call.isSibling === undefined ? areas : generous, call, writing);
    }),
    async shows({ edda }) {
      const body = Array.from({ length: 51 }, (_, n) => ({ $id: `i${n}`, $softType: 'Part', data: { name: `p${n}` } }));
      const batch = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      return batch.status === 200 && listAt(batch.json, '').length === 1;
    },
  },
};
