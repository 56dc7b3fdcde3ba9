import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const readingMistakes: Batch = {
  'reading.zero-left-out': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, a count of nothing as well.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = { ...right(areas, ...args) };
      for (const [name, value] of Object.entries(data)) if (value === 0) Reflect.deleteProperty(data, name);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zero', pageCount: 0 });
      return at(await edda.read(made), '/data/pageCount') !== 0;
    },
  },

  'reading.empty-text-in-nested-entry': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, a text without characters inside an entry of an entry as well.',
    kind: 'value',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const members = Object.entries(entry.content).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(withoutEmptyTexts) : value,
      ]);
      return right(areas, space, member, { ...entry, content: Object.fromEntries(members) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 'empty',
        files: [{ name: 'one', revisions: [{ text: '', author: 'somebody' }] }],
      });
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== '';
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.filter-by-prefix': {
    source: 'core: Server side paging 5',
    breaks: 'A filter with a value lets through what has that value, and nothing that only begins with it.',
    kind: 'value',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const all = await right(areas, reading, object, section, whole);
        return all.filter(beginsWith(filter.filter.member, filter.value)).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section);
        return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const files = ['draw', 'drawing', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'prefix', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=draw');
      return listAt(read, '/data/files').length !== 1;
    },
  },
};

function beginsWith(member: string, value: string): (entry: StoredEntry) => boolean {
  return ({ content }) => typeof content[member] === 'string' && content[member].startsWith(value);
}

function withoutEmptyTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== ''));
}
