import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'objects.deleted-from-next-door': {
    source: 'core: What the service does, space level',
    breaks: 'An object is in one space, and cannot be deleted through another one, also by who has a role in both.',
    kind: 'role',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      try {
        return await right(areas, call, reading);
      } catch (error) {
        if (call.method !== 'DELETE') throw error;
        for (const space of areas.configuration.spaces.values()) {
          const object = await reading.object(space.id, call.params['objectId'] ?? '');
          if (object !== undefined && areas.auth.mayUse(call.user, space, call.method)) return object;
        }
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier', { title: 't' });
      return (await edda.delete(`/api/space/main/softtype/${made.oid}`)).status < 300;
    },
  },

  'paging.href-of-a-nested-page': {
    source: 'core: Page response, row href',
    breaks: 'The href of a page is its URI, also where the array is inside an entry.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, ...rest) => {
      const page = await right(areas, call, reading, object, view, section, ...rest);
      return section.items === undefined ? page : { ...page, href: page.href.replace(/^\/api/, '') };
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `t${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      const page = await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'));
      return (await edda.get(String(at(page.json, '/href')))).status !== 200;
    },
  },

  'reading.version-beside-a-filter': {
    source: 'core: SoftType read response, row version',
    breaks:
      'The version of a read is the current one, also of a filtered read after an edit that followed another read.',
    kind: 'combination',
    variant: breaks('instances', 'readInstance', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading) => {
        const answer = await right(areas, call, reading);
        const { oid, version } = call.object;
        if (!call.query.has('softTypeFilterId')) versions.set(oid, version);
        const kept = versions.get(oid) ?? version;
        return isContent(answer.body) ? { ...answer, body: { ...answer.body, version: kept } } : answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/version') !== 2;
    },
  },

  'paging.filtered-pages-of-twenty': {
    source: 'core: Link object, row pages',
    breaks: 'As many pages as the admitted entries fill, also where the last one is full.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 };
    }),
    async shows({ edda }) {
      const files = [
        ...many(20, (number) => ({ name: `n${number}`, category: 'drawing' })),
        ...many(3, (number) => ({ name: `m${number}` })),
      ];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/pages') !== 2);
    },
  },

  'paging.page-of-the-former-value': {
    source: 'core: Server side paging 5',
    breaks: 'A page holds what the filter admits by the value of this request, not by that of the one before.',
    kind: 'copy',
    variant: breaks('entries', 'entriesOf', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, reading, object, section, range, filter) => {
        if (filter === undefined || range.from === 0) return right(areas, reading, object, section, range, filter);
        const key = `${object.oid} ${object.version} ${section.path} ${range.from} ${filter.filter.id}`;
        const entries = kept.get(key) ?? right(areas, reading, object, section, range, filter);
        kept.set(key, entries);
        return entries;
      };
    }),
    async shows({ edda }) {
      const files = many(24, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'a' : 'b' }));
      const made = await edda.make('Document', { title: 't', files });
      await edda.page(made, 'files', 1, '?softTypeFilter=byCategory&fileGroup.category=a');
      const second = await edda.page(made, 'files', 1, '?softTypeFilter=byCategory&fileGroup.category=b');
      return at(second.json, '/data/0/category') === 'a';
    },
  },

  'reading.raw-value-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks:
      'The value of a filter is what its query parameter says, encoded characters and all, also on the long route.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied?.filter.equals !== undefined || call.params['outputSchemaId'] === undefined) return applied;
      if (applied === undefined || parameter === 'softTypeFilter') return applied;
      const name = `${applied.filter.groupId}.${applied.filter.criteriaPort}=`;
      const raw = call.url.split(/[?&]/).find((part) => part.startsWith(name));
      return { ...applied, value: raw?.slice(name.length) ?? applied.value };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'big one' }] });
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}`;
      const { json } = await edda.get(`${path}?softTypeFilterId=byCategory&fileGroup.category=big%20one`);
      return listAt(json, '/data/files').length !== 1;
    },
  },
};
