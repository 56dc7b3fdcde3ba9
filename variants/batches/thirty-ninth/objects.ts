import { headerNames } from '../../../contract/names.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

export const objectsMistakes: Batch = {
  'reading.long-path-of-a-deleted-one': {
    source: 'core: Errors 404',
    breaks: 'A deleted object is not found, also by the long path that it was read by before.',
    kind: 'copy',
    variant: breaks('objects', 'locateObject', (right) => {
      const known = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        if (call.method !== 'GET' || !('outputSchemaId' in call.params) || 'pageNumber' in call.params)
          return right(areas, call, reading);
        try {
          const object = await right(areas, call, reading);
          known.set(call.url, object);
          return object;
        } catch (error) {
          const object = known.get(call.url);
          if (object !== undefined) return object;
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}`;
      await edda.get(path);
      await edda.delete(made.path);
      return (await edda.get(path)).status === 200;
    },
  },

  'reading.whole-nested-arrays-under-a-filter': {
    source: 'core: Server side paging 1',
    breaks: 'An array inside an entry holds at most ten, also in a read under a filter.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', (right, areas, call, reading, object, view, filter) =>
      right(
        filter === undefined
          ? areas
          : within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: 100_000 }) } }),
        call,
        reading,
        object,
        view,
        filter,
      ),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing', revisions }] });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/data/files/0/revisions').length > 10;
    },
  },

  'versioning.equal-up-to-127': {
    source: 'core: Versioning 3',
    breaks: 'The version that was read last is the version, also beyond 127, where boxed integers are no longer one.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'sameVersion',
      (right, areas, sent, current) => current <= 127 && right(areas, sent, current),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 128; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 128, { note: 'last' })).status === 409;
    },
  },

  'versioning.again-by-the-same-correlation': {
    source: 'core: Errors, rule 1',
    breaks:
      'An edit for a version that is no longer the present one gets 409, also when its correlation id came before.',
    kind: 'moment',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const latest = new Map<string, string>();
      return (areas, call, object) => {
        if (call.correlationGiven && latest.get(object.oid) === call.correlationId) return object.version;
        const version = right(areas, call, object);
        latest.set(object.oid, call.correlationId);
        return version;
      };
    }),
    survives:
      'Common request headers, X-Correlation-Id: it is unique per request, so that who sends one twice asks for what is not described.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { ...versionHeader(1), [headerNames.correlationId]: 'again' };
      await edda.send('PATCH', editPath(made), { headers, body: { note: 'a' } });
      return (await edda.send('PATCH', editPath(made), { headers, body: { note: 'b' } })).status === 204;
    },
  },

  'editing.empty-merge-without-a-version': {
    source: 'core: Common request headers, response headers',
    breaks: 'Every PATCH returns the version, also one whose body names no field.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return Object.keys(call.json ?? {}).length === 0 ? { status: answer.status } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.merge(made, 1, {});
      return answer.status === 204 && answer.headers.get(headerNames.version) === null;
    },
  },

  'editing.second-schema-loses-objects': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Fields that the body leaves out stay, also objects that the input schema of the path does not have.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const { view } = call.place;
      const known = new Set(view.names.values());
      const kept = Object.entries(call.object.content).filter(
        ([name, value]) => name.startsWith('$') || known.has(name) || typeof value !== 'object',
      );
      return right(areas, { ...call, object: { ...call.object, content: Object.fromEntries(kept) } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      await edda.send('PATCH', `/api/space/main/softtype/Document/documentBrief/${made.oid}`, {
        headers: versionHeader(1),
        body: { note: 'n' },
      });
      return at(await edda.read(made), '/data/dimensions') === undefined;
    },
  },

  'maturity.approved-without-a-state': {
    source: 'core: States and transitions',
    breaks: 'An object shows a state for each level, also where the second one has come to its last.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const levels = [...(space.template.softTypes.get(object.softType)?.maturity?.levels ?? [])].slice(1);
      const ended = levels.filter(([level, states]) => at(data, `/${level}/state`) === states.at(-1));
      const names = new Set(ended.map(([level]) => level));
      return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name))) as typeof data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1, 'promote', 'approval');
      await edda.move(made, 2, 'promote', 'approval');
      return at(await edda.read(made), '/data/approval') === undefined;
    },
  },
};
