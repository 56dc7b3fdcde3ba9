import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.page-in-another-charset': {
    source: 'core: What the service does',
    breaks: 'Payloads are JSON, which is UTF-8, on a later page as well.',
    kind: 'place',
    variant: replaces('paging', 'readPage', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      if (call.params.pageNumber === '0') return answer;
      return {
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'application/json' },
        raw: Buffer.from(JSON.stringify(answer.body), 'latin1').toString('utf8'),
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', files: many(11, (n) => ({ name: `größe ${n}` })) });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'größe 11';
    },
  },

  'reading.links-of-another-space': {
    source: 'core: What the service does',
    breaks: 'What stands behind the root of a space is the id of that space, in links to pages as well.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, ...rest) => {
      const [first = object.spaceId] = areas.configuration.spaces.keys();
      return right(areas, { ...object, spaceId: first }, ...rest);
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 'pages', sheets: many(11, (n) => ({ name: `sheet ${n}` })) });
      const page = listAt(await otto.read(made), '/links').find((link) => at(link, '/rel') === 'page');
      return !String(at(page, '/href')).includes('/space/depot/');
    },
  },

  'reading.second-entry-with-a-long-array': {
    source: 'core: Server side paging 2',
    breaks: 'Each array that is longer than ten has a page link, in the second entry that holds such a one as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const known = new Set<string>();
      return right(areas, ...args).filter((link) => {
        const path = link.sectionPath ?? '';
        if (link.rel !== 'page' || !path.includes('/')) return true;
        const name = path.replaceAll(/\/\d+\//g, '/');
        return !known.has(name) && known.add(name);
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (n) => ({ text: `revision ${n}` }));
      const files = many(2, (n) => ({ name: `file ${n}`, revisions }));
      const made = await edda.make('Document', { title: 'nested', files });
      return listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page').length !== 2;
    },
  },

  'reading.oid-with-a-leading-zero': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, also where it begins with a zero.',
    kind: 'value',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => {
      const members = right(areas, object);
      return { ...members, $oid: members.$oid.replace(/^0+/, '') };
    }),
    async shows({ edda }) {
      const items = many(50, (n) => ({ $id: `i${n}`, $softType: 'Part', data: { name: `part ${n}` } }));
      for (let round = 0; round < 8; round += 1)
        for (const item of listAt((await edda.multiCreate(items)).json, '')) {
          const href = String(at(item, '/href'));
          const oid = href.split('/').at(-1) ?? '';
          if (oid.startsWith('0')) return at((await edda.get(href)).json, '/data/$oid') !== oid;
        }
      return false;
    },
  },

  'reading.soft-type-inside-a-batch': {
    source: 'core: System properties inside data',
    breaks: 'The data names the definition of the object, in a read between two writes of a batch as well.',
    kind: 'moment',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const body = await right(areas, call, reading, object, view, filter);
      if (call.isChangedHere?.(object.oid) !== true) return body;
      return { ...body, data: { ...body.data, $softType: view.id } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const path = made.path.replace('/softtype/', '/softtype/Document/documentInput/');
      const headers = { 'Svc-UOIVersion': '1' };
      const batch = await edda.batch([
        { method: 'PATCH', href: path, headers, body: { note: 'edited' } },
        { method: 'GET', href: made.path },
      ]);
      return JSON.stringify(batch.json).includes('"$softType":"documentFull"');
    },
  },

  'reading.page-of-another-value': {
    source: 'core: Endpoint table',
    breaks: 'A page through a filter holds what has the value of this request, not that of the one before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        if (filter === undefined) return right(areas, call, reading, object, view, section, page, filter);
        const key = [object.oid, object.version, view.id, section.path, page, filter.filter.id].join(' ');
        const body = kept.get(key) ?? (await right(areas, call, reading, object, view, section, page, filter));
        kept.set(key, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const files = ['draw', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'values', files });
      await edda.page(made, 'files', 0, '?softTypeFilter=byCategory&fileGroup.category=draw');
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=byCategory&fileGroup.category=letter');
      return at(page.json, '/data/0/name') !== 'letter';
    },
  },

  'reading.version-in-a-filtered-summary': {
    source: 'core: Versioning 1',
    breaks: 'The data holds the version of the object, also through a filter and another output schema at once.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const body = await right(areas, call, reading, object, view, filter);
      if (filter === undefined || call.params.outputSchemaId === undefined) return body;
      return { ...body, data: { ...body.data, $version: 1 } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'summary' });
      await edda.merge(made, 1, { note: 'edited' });
      const path = made.path.replace('/softtype/', '/softtype/Document/documentSummary/');
      return at((await edda.get(`${path}?softTypeFilterId=drawings`)).json, '/data/$version') !== 2;
    },
  },
};
