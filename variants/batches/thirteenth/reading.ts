import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const readingMistakes: Batch = {
  'reading.number-in-four-bytes': {
    source: 'core: SoftType read response',
    breaks: 'A number is read as it was written, to its last digit.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      const members = Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'number' && !Number.isInteger(value) ? Math.fround(value) : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'number', weight: 12.34 });
      return at(await edda.read(made), '/data/weight') !== 12.34;
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.page-of-what-was-deleted': {
    source: 'core: Errors',
    breaks: 'What was deleted is not found, by the route of its pages neither.',
    kind: 'moment',
    variant: breaks('objects', 'locateObject', (right) => {
      const known = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const { objectId = '', pageNumber } = call.params;
        try {
          const object = await right(areas, call, reading);
          known.set(objectId, object);
          return object;
        } catch (error) {
          const object = pageNumber === '0' ? known.get(objectId) : undefined;
          if (object?.spaceId !== call.space.id) throw error;
          return object;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'deleted', files: named(12) });
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 0)).status === 200;
    },
  },

  'paging.long-array-beside-a-filtered-one': {
    source: 'core: Server side paging 1',
    breaks: 'Every array of a read has ten entries at most, also one that the filter of the read is not about.',
    kind: 'combination',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      if (filter === undefined || filter.filter.port === section.port) return slice;
      return { ...slice, entries: await areas.entries.entriesOf(reading, object, section, whole) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'beside', contacts: named(12) });
      return listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/data/contacts').length > 10;
    },
  },
};
