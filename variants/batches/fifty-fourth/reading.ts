import { Buffer } from 'node:buffer';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

const profilePath = '/api/collection/user/profile';

const dynamicPath = (space: string): string => `/space/${space}/SoftType/dynamic/softtype.openApi`;

/** Reads of objects, pages and definitions, and what a client may keep of them. */
export const readingMistakes: Batch = {
  'paging.a-page-begun-with-every-ten': {
    source: 'core: Link object, row pages',
    breaks: 'The number of pages is that of the pages there are, also where the last one is full.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / 10) + 1),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(20) });
      const [link] = listAt(await edda.read(made), '/links').filter((each) => at(each, '/rel') === 'page');
      return at(link, '/pages') !== 2;
    },
  },

  'schema.names-of-the-definition': {
    source: 'core: SoftType read response, row schema',
    breaks: 'The schema is that of the instance as it is read, in the names of the output schema.',
    kind: 'value',
    survives: 'What a schema tells of members, and in which language, is open.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) =>
      right(areas, softType, { ...view, names: new Map([...view.names.values()].map((name) => [name, name])) }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', label: 'l' });
      const read = await edda.read(made);
      return at(read, '/data/displayLabel') === 'l' && at(read, '/schema/properties/displayLabel') === undefined;
    },
  },

  'caching.tag-of-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that has changed is sent with 200, also where it is as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, text) => `"${Buffer.byteLength(text).toString(16)}"`),
    async shows({ cora }) {
      await cora.put(profilePath, undefined, { displayName: 'Cora One' });
      const tag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.put(profilePath, undefined, { displayName: 'Cora Two' });
      return (await cora.get(profilePath, { 'If-None-Match': tag })).status === 304;
    },
  },

  'paging.references-unnumbered-behind-the-first-page': {
    source: 'core: Page response, row data',
    breaks: 'Each entry of a page has its entry id, also a reference on a later page.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...asked) => {
      const page = await right(areas, ...asked);
      const [, , , , section, number] = asked;
      if (section.member.kind !== 'references' || number === 0) return page;
      return { ...page, data: page.data.map((entry) => ({ ...entry, $entryId: undefined })) as never };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const describes = many(11, () => ({ value: { $oid: part.oid } }));
      const made = await edda.make('Document', { title: 't', describes });
      const [entry] = listAt((await edda.page(made, 'describes', 1)).json, '/data');
      return entry !== undefined && at(entry, '/$entryId') === undefined;
    },
  },

  'entries.unnumbered-inside-those-of-a-page': {
    source: 'core: System properties inside data, row $entryId',
    breaks: 'Every object inside an array has its entry id, also inside an entry that a page delivers.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...asked) => {
      const page = await right(areas, ...asked);
      return { ...page, data: page.data.map((entry) => withPlainItems(entry)) as never };
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, revisions: [{ text: 'r' }] }));
      const made = await edda.make('Document', { title: 't', files });
      const revision = at((await edda.page(made, 'files', 1)).json, '/data/0/revisions/0');
      return at(revision, '/text') === 'r' && at(revision, '/$entryId') === undefined;
    },
  },

  'filters.lost-on-the-way-into-a-batch': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied where its identifier is passed, also by an operation of a batch.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...asked) => {
      const prepared = right(areas, ...asked);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = [
        { name: 'a', category: 'drawing' },
        { name: 'b', category: 'photo' },
      ];
      const made = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length === 2;
    },
  },

  'hypermedia.moves-offered-to-readers': {
    source: 'core: What the service does, hypermedia conventions',
    breaks: 'The links are operations that the current user may perform: a reader may promote nothing.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, ...rest) => {
      const links = right(areas, call, object, view, ...rest);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const moves = areas.hypermedia
        .operationLinks(object, softType, view)
        .filter(({ rel }) => rel === 'promote' || rel === 'demote');
      return [...links, ...moves];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      return listAt(await rita.read(made), '/links').some((each) => at(each, '/rel') === 'promote');
    },
  },

  'openapi.definition-of-the-space-asked-for-first': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The definitions are those of the space in the path, whichever space was asked about before.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let space: Parameters<typeof right>[1]['space'] | undefined;
      return (areas, call) => {
        space ??= call.space;
        return right(areas, { ...call, space });
      };
    }),
    async shows({ edda }) {
      await edda.get(dynamicPath('main'));
      return !(await edda.get(dynamicPath('depot'))).text.includes('dossierInput');
    },
  },

  'paging.page-kept-until-the-array-grows': {
    source: 'core: Page response, row data',
    breaks: 'A page has the entries as they are, also where only a member of one has changed.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, number, filter) => {
        const page = await right(areas, call, reading, object, view, section, number, filter);
        const total = await areas.entries.totalOf(reading, object, section, filter);
        const key = `${page.href} ${total}`;
        const data = kept.get(key) ?? page.data;
        kept.set(key, data);
        return { ...page, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/11/name', value: 'renamed' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') === 'n11';
    },
  },

  'batch.multi-create-is-none-of-the-api': {
    source: 'core: Batch rules 4',
    breaks: 'The multi-create route may be an operation of a batch, by the path that it has.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const path = right(areas, batch, href);
      if (path !== undefined && !path.startsWith('/api/')) throw new Refusal(400, 'Expected an API URI as href.');
      return path;
    }),
    async shows({ edda }) {
      const body = [{ $id: 'a', $softType: 'Part', data: { name: 'p' } }];
      return (await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }])).status !== 200;
    },
  },
};

/** An entry whose own arrays were written out as they came. */
function withPlainItems(entry: object): object {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((item) => (isContent(item) ? { ...item, $entryId: undefined } : item)) : value,
    ]),
  );
}
