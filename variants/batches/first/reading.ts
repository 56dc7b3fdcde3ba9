import type { Answer } from '../../../reference-server/http/call.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, together, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

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

  'reading.ids-inside-later-pages': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also in an array inside an entry that a later page brings.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (page === 0) return body;
        return { ...body, data: body.data.map((entry) => ({ ...entry, ...withoutInnerIds(entry) })) };
      },
    ),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: `file ${number}`, revisions: [{ text: 'first' }] }));
      const made = await edda.make('Document', { title: 'pages', files });
      const [entry] = listAt((await edda.page(made, 'files', 1)).json, '/data');
      return listAt(entry, '/revisions').length === 1 && at(entry, '/revisions/0/$entryId') === undefined;
    },
  },

  'reading.ids-of-references': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also one that refers to another instance.',
    kind: 'place',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const out = { ...right(areas, space, member, entry) };
      if (member.kind === 'references' && entry.entryId > 1) Reflect.deleteProperty(out, '$entryId');
      return out;
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'one' }), await edda.make('Part', { name: 'other' })];
      const describes = [one, other].map(({ oid }) => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return at(await edda.read(made), '/data/describes/1/$entryId') === undefined;
    },
  },

  'reading.memory-of-an-undone-batch': {
    source: 'core: Batch rules 1',
    breaks: 'What a failed batch wrote is nowhere afterwards, whatever it read back of it before it failed.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading, object, view, assemble) => {
        const key = [object.oid, object.version, view.id, areas.memory.rightsOf(call)].join(' ');
        const inChangeSet = 'insertObject' in reading;
        const known = inChangeSet ? undefined : kept.get(key);
        const answer = known ?? (await right(areas, call, reading, object, view, assemble));
        if (inChangeSet) kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      const headers = versionHeader(1);
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers, body: { note: 'undone' } },
        { method: 'GET', href: made.path },
        { method: 'PATCH', href: editPath(made), headers, body: { note: 'stale' } },
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
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

  'paging.nested-array-on-a-later-page': {
    source: 'core: Limits',
    breaks: 'No array of an answer has more than ten entries, also not one inside an entry that a later page brings.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const generous = within(areas, { entries: { nestedReadRange: () => whole } });
      return right(page === 0 ? areas : generous, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `revision ${number}` }));
      const files = many(11, (number) => ({ name: `file ${number}`, ...(number === 11 && { revisions }) }));
      const made = await edda.make('Document', { title: 'nested', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length > 10;
    },
  },

  'paging.version-behind-a-promote': {
    source: 'core: Page response',
    breaks: 'A page tells the version that its object has now, also where nothing but a state has changed.',
    kind: 'copy',
    variant: breaks('paging', 'readPage', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading) => {
        const { $states: _states, ...content } = call.object.content;
        const answer = await right(areas, call, reading);
        const key = JSON.stringify([call.url, content, at(answer.body, '/data')]);
        const version = versions.get(key) ?? call.object.version;
        versions.set(key, version);
        return { ...answer, body: { ...Object(answer.body), version } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'promoted', files: many(11, (n) => ({ name: `file ${n}` })) });
      await edda.page(made, 'files', 1);
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },

  'paging.two-long-arrays': {
    source: 'core: Server side paging 2',
    breaks: 'Each page link tells how long its own array is, also where an object has several long ones.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const totalNumber = links.find(({ rel }) => rel === 'page')?.totalNumber;
      return links.map((link) => (link.rel === 'page' && totalNumber !== undefined ? { ...link, totalNumber } : link));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 'two',
        files: many(11, (number) => ({ name: `file ${number}` })),
        contacts: many(25, (number) => ({ name: `contact ${number}` })),
      });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'contacts');
      return at(link, '/totalNumber') !== 25;
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

/** The arrays of an entry, without the ids in them. */
function withoutInnerIds(entry: object): object {
  const arrays = Object.entries(entry).filter((pair): pair is [string, unknown[]] => Array.isArray(pair[1]));
  return Object.fromEntries(arrays.map(([name, items]) => [name, items.map(withoutId)]));
}

function withoutId(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== '$entryId'));
}
