import { replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, type Made, type Service } from '../service.ts';

/** A document with one file that has so many revisions, and the path of that array. */
async function withRevisions(
  { edda }: Service,
  count: number,
): Promise<{ readonly made: Made; readonly port: string }> {
  const revisions = many(count, (number) => ({ text: `r${number}` }));
  const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing', revisions }] });
  const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
  return { made, port: `files/${id}/revisions` };
}

/** Reads of instances, of pages and of what belongs to no space. */
export const readingMistakes: Batch = {
  'filter.time-as-its-first-member': {
    source: 'core: Information filter',
    breaks: 'The information filter is a JSON object, whose members come in any order.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const { time, ...filter } = right(areas, call);
      const text = Buffer.from(call.headers['svc-informationfilter'] ?? '', 'base64').toString();
      return time !== undefined && /^\s*\{\s*"time"/.test(text) ? { time, ...filter } : filter;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2019-03-04T01:00:00Z';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '2' }], { role: 'r', time });
      return at(await edda.read(made), '/data/price/effectivity') !== time;
    },
  },

  'filters.value-by-the-port-alone': {
    source: 'core: Endpoint table, page route',
    breaks: 'The value of a filter is that of its own parameter, and not that of another group with such a port.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied === undefined || applied.filter.equals !== undefined) return applied;
      const [, value = applied.value] =
        [...call.query].find(([name]) => name.endsWith(`.${applied.filter.criteriaPort}`)) ?? [];
      return { ...applied, value };
    }),
    async shows({ edda }) {
      const files = ['one', 'two'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const query = '?softTypeFilter=byCategory&otherGroup.category=two&fileGroup.category=one';
      return at((await edda.page(made, 'files', 0, query)).json, '/data/0/name') === 'two';
    },
  },

  'pages.inner-ones-by-their-ids': {
    source: 'core: Server side paging 4',
    breaks: 'The second page holds the rest, also of an array inside an entry that has lost one of its first.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) =>
      section.items === undefined
        ? right(areas, reading, object, section, range, filter)
        : section.items.filter(({ entryId }) => entryId > range.from && entryId <= range.to),
    ),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      await service.edda.operate(made, 1, [{ op: 'remove', path: `/${port}/1/` }]);
      return listAt((await service.edda.page(made, port, 1)).json, '/data').length !== 1;
    },
  },

  'filters.a-parameter-overrides-what-is-configured': {
    source: 'core: Server side paging 5, first sentence',
    breaks: 'A filter that is configured with a value has that one, whatever the query says beside it.',
    kind: 'combination',
    survives: 'What a value in the query means for a filter that has one is not said.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied?.filter.equals === undefined) return applied;
      const [, value = applied.value] =
        [...call.query].find(([name]) => name.endsWith(`.${applied.filter.member}`)) ?? [];
      return { ...applied, value };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'photo'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings&fileGroup.category=photo');
      return at(read, '/data/files/0/name') === 'photo';
    },
  },

  'filters.letter-case-on-pages': {
    source: 'core: Server side paging 5, second sentence',
    breaks: 'A page applies the filter that the read of the instance applies, letter case included.',
    kind: 'value',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      if (filter === undefined || section.items !== undefined || section.port !== filter.filter.port)
        return right(areas, call, reading, object, view, section, page, filter);
      const wanted = filter.value.toLowerCase();
      const entriesOf: typeof areas.entries.entriesOf = async (_reading, _object, _section, range) => {
        const all = await reading.entries(object.oid, section.port, { from: 0, to: 10_000 });
        return all
          .filter(({ content }) => String(content[filter.filter.member]).toLowerCase() === wanted)
          .slice(range.from, range.to);
      };
      return right(within(areas, { entries: { entriesOf } }), call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const files = ['drawing', 'Drawing'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length === 2;
    },
  },

  'pages.filtered-ones-hold-whole-inner-arrays': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'An array inside an entry holds ten entries at most, on a page that is filtered too.',
    kind: 'combination',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: Infinity }) } });
      return right(filter === undefined ? areas : whole, call, reading, object, view, section, page, filter);
    }),
    async shows(service) {
      const { made } = await withRevisions(service, 11);
      const page = await service.edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data/0/revisions').length > 10;
    },
  },

  'caching.no-tag-for-who-holds-another': {
    source: 'core: Common request headers, text below on ETag',
    breaks: 'A read of data other than SoftTypes has an ETag, also where the client named one that counts no more.',
    kind: 'combination',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const found = right(areas, call, answer);
      if (found.status === 304 || call.headers['if-none-match'] === undefined) return found;
      const { ETag: _tag, ...headers } = found.headers ?? {};
      return { ...found, headers };
    }),
    async shows({ cora }) {
      const read = await cora.get('/api/collection/space', { 'if-none-match': '"another"' });
      return read.status === 200 && !read.headers.has('etag');
    },
  },

  'caching.tag-of-the-letters-in-any-order': {
    source: 'core: Versioning 4',
    breaks: 'Changed data give 200, be it that they hold the letters that they held in another order.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (right, areas, representation) =>
      right(areas, [...String(representation)].toSorted().join('')),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora Lee' });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Lee Cora' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
};
