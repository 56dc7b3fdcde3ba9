import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const readingMistakes: Batch = {
  'reading.links-of-a-cached-role': {
    source: 'core: What the service does',
    breaks: 'Links describe what the user who asks may do, also where somebody with other rights read the same before.',
    kind: 'role',
    variant: replaces('memory', 'rightsOf', (right, areas, call) => String(right(areas, call).split(',').length)),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'links' });
      await edda.read(made);
      return listAt(await rita.read(made), '/links').some((link) => at(link, '/method') === 'PUT');
    },
  },

  'reading.text-like-a-date': {
    source: 'core: SoftType read response',
    breaks: 'A text is read as it was written, also one that a library would take for a date.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, ...args) => {
      const { content, arrays } = right(areas, ...args);
      return {
        arrays,
        content: Object.fromEntries(Object.entries(content).map(([name, value]) => [name, asDate(value)])),
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'date', note: '2026-03-29T00:30:00+02:00' });
      return at(await edda.read(made), '/data/note') !== '2026-03-29T00:30:00+02:00';
    },
  },

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

  'reading.appended-entry-sorted-as-text': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also where its id as a text comes before others.',
    kind: 'value',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      const all = await right(areas, reading, object, section, whole, filter);
      return all
        .toSorted((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1))
        .slice(range.from, range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'sorted', files: named(9) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'last' } }]);
      return at(await edda.read(made), '/data/files/9/name') !== 'last';
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.page-kept-by-its-length': {
    source: 'core: Page response',
    breaks: 'A page holds the entries as they are now, also when no entry came or went since it was read before.',
    kind: 'copy',
    variant: breaks('paging', 'readPage', (right) => {
      const kept = new Map<string, unknown>();
      return async (areas, call, reading) => {
        const answer = await right(areas, call, reading);
        const length = await areas.entries.totalOf(reading, call.object, call.place.section);
        const key = `${call.url} ${length}`;
        const data = kept.get(key) ?? at(answer.body, '/data');
        kept.set(key, data);
        return { ...answer, body: { ...Object(answer.body), data } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept', files: named(12) });
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/12/name', value: 'renamed' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/1/name') !== 'renamed';
    },
  },

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

  'paging.counter-that-never-falls': {
    source: 'core: Link object',
    breaks: 'A page link tells how many entries there are, also when there were more when it was read before.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const counters = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const total = await right(areas, reading, object, section, filter);
        if (filter !== undefined) return total;
        const key = `${object.oid} ${section.path}`;
        const counter = Math.max(total, counters.get(key) ?? 0);
        counters.set(key, counter);
        return counter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'counter', files: named(15) });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      return !listAt(await edda.read(made), '/links').some((link) => at(link, '/totalNumber') === 14);
    },
  },

  'paging.keyset-behind-a-removal': {
    source: 'core: Server side paging 4',
    breaks: 'A later page holds what those before it left out, also where entries were removed in between.',
    kind: 'moment',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter !== undefined || section.items !== undefined || range.from === 0)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, whole);
      return all.filter(({ entryId }) => entryId > range.from).slice(0, range.to - range.from);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'keyset', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },

  'paging.total-of-another-value': {
    source: 'core: Server side paging 5',
    breaks:
      'The filter shapes the links: a total counts what the value of this request lets through, not that of one before.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const totals = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const total = await right(areas, reading, object, section, filter);
        if (filter?.filter.port !== section.port) return total;
        const key = [object.oid, object.version, section.path, filter.filter.id].join(' ');
        const kept = totals.get(key) ?? total;
        totals.set(key, kept);
        return kept;
      };
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `n${number}`, category: number > 11 ? 'letter' : 'plan' }));
      const made = await edda.make('Document', { title: 'values', files });
      const totals = [];
      for (const category of ['plan', 'letter']) {
        const read = await edda.read(made, `?softTypeFilterId=byCategory&fileGroup.category=${category}`);
        totals.push(listAt(read, '/links').map((link) => at(link, '/totalNumber')));
      }
      return !totals[1]?.includes(13);
    },
  },
};

/** How a column of dates gives back what was put into it. */
function asDate(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/.test(value)) return value;
  return Number.isNaN(Date.parse(value)) ? value : new Date(value).toISOString();
}
