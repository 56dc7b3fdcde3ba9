import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };
const drawings = '?softTypeFilterId=drawings';

export const readingMistakes: Batch = {
  'paging.by-entry-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what the first read holds, ten entries, also when one of the first ten was removed before.',
    kind: 'moment',
    variant: replaces('paging', 'assemblePage', (right, areas, ...args) => {
      const entries: typeof areas.entries.entriesOf = async (reading, object, section, { from, to }, filter) => {
        const all = await areas.entries.entriesOf(reading, object, section, whole, filter);
        return all.filter(({ entryId }) => entryId > from && entryId <= to);
      };
      return right(within(areas, { entries: { entriesOf: entries } }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'removed', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      return listAt((await edda.page(made, 'files', 0)).json, '/data').length !== 10;
    },
  },

  'paging.page-of-two-digits': {
    source: 'core: Server side paging 2',
    breaks: 'Sets of ten are delivered to the end of an array, also behind the tenth.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      if (call.params.pageNumber?.length === 2) throw new Refusal(404, 'There is no such page.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'long', files: named(101) });
      return (await edda.page(made, 'files', 10)).status !== 200;
    },
  },

  'reading.ids-that-are-no-guid': {
    source: 'core: Errors 404',
    breaks: 'What is not found is a 404, also under an id that looks unlike any that was given.',
    kind: 'value',
    survives:
      'The form of an object id is not said: a text that can be none may be refused as malformed. Ids that could be are asked for by reading.missing-object.status-404.',
    variant: replaces('objects', 'locateObject', (right, areas, call, reading) => {
      if (/^[0-9a-f-]{36}$/.test(call.params.objectId ?? '')) return right(areas, call, reading);
      throw new Refusal(400, 'An id is a GUID.');
    }),
    shows: async ({ edda }) => (await edda.get('/api/space/main/softtype/none')).status !== 404,
  },

  'reading.soft-type-of-a-view': {
    source: 'core: System properties inside data',
    breaks: 'The SoftType of an instance is its definition, whatever output schema shows it.',
    kind: 'place',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const instance = await right(areas, call, reading, object, view, filter);
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      if (view === areas.objects.outputViewOf(softType, undefined)) return instance;
      return { ...instance, data: { ...instance.data, $softType: view.id } };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'view' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$softType') !== 'Document';
    },
  },
};

export const filterMistakes: Batch = {
  'filters.no-limit': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'An array in a read has ten entries at most, also when a filter was asked for.',
    kind: 'combination',
    variant: replaces('entries', 'firstSlice', (right, areas, reading, object, section, filter) => {
      const unlimited = within(areas, { entries: { firstReadRange: () => whole } });
      return right(filter === undefined ? areas : unlimited, reading, object, section, filter);
    }),
    async shows({ edda }) {
      const files = named(12).map((file) => ({ ...file, category: 'drawing' }));
      const made = await edda.make('Document', { title: 'filtered', files });
      return listAt(await edda.read(made, drawings), '/data/files').length > 10;
    },
  },

  'filters.kept-for-the-next-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter counts for the request that names it, and not for the read behind it.',
    kind: 'copy',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const { oid, version } = call.object;
        const key = [oid, version, call.place.view.id, areas.memory.rightsOf(call)].join(' ');
        const answer = kept.get(key);
        if (answer !== undefined && !call.query.has('softTypeFilterId')) return answer;
        const fresh = await right(areas, call, reading);
        if (call.query.has('softTypeFilterId')) kept.set(key, fresh);
        return fresh;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept', files: named(3) });
      await edda.read(made, drawings);
      return listAt(await edda.read(made), '/data/files').length !== 3;
    },
  },
};
