import { mapped } from '../../dialect/choice.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many, pagePath } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.last-who-passed': {
    source: 'core: What the service does',
    breaks: 'A user needs a role in the space that he asks for, whatever space he was let into just before.',
    kind: 'moment',
    variant: breaks('auth', 'mayUse', (right) => {
      let last: string | undefined;
      return (areas, user, space, method) => {
        const isKnown = last === user.name && areas.auth.rolesOf(user, space).length === 0;
        if (!right(areas, user, space, method)) return isKnown;
        last = user.name;
        return true;
      };
    }),
    async shows({ edda, otto }) {
      const secret = await edda.make('Document', { title: 'secret' });
      const open = await otto.make('Dossier', { title: 'open' });
      await otto.read(open);
      return (await otto.get(secret.path)).status === 200;
    },
  },

  'openapi.input-with-the-id-of-an-output': {
    source: 'core: What the service does',
    breaks: 'The definitions tell of every route, also where an input and an output schema share their id.',
    kind: 'combination',
    survives:
      'core: What the service does: the definitions are those of all configured SoftTypes; which of their routes a definition tells of is not said.',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const document = right(areas, space);
      const paths = Object.entries(Object(document['paths'])).map(([path, item]) => {
        const { get: _lost, ...edits } = Object(item);
        return [path, 'patch' in edits ? edits : item];
      });
      return { ...document, paths: Object.fromEntries(paths) };
    }),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const path = '/api/space/main/softtype/Requirement/requirementText/{objectId}';
      return at(at(json, '/paths'), `/${path.replaceAll('/', '~1')}/get`) === undefined;
    },
  },

  'paging.readers-see-no-pages-of-references': {
    source: 'core: SoftType read response, row links; Server side paging 2',
    breaks: 'A page link is there for everybody who may read, also for pages of references.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const mayEdit = areas.auth.mayUse(call.user, call.space, 'PATCH');
      const shown = slices.filter(({ section }) => mayEdit || section.member.kind !== 'references');
      return right(areas, call, object, view, shown, filter);
    }),
    async shows({ edda, rita }) {
      const parts = many(11, (index) => ({ $id: `p${index}`, $softType: 'Part', data: { name: `n${index}` } }));
      const describes = parts.map(({ $id }) => ({ id: $id, value: { instanceRef: $id, softTypeId: 'Part' } }));
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      const made = await edda.multiCreate([...parts, document]);
      const read = await rita.get(String(at(made.json, '/11/href')));
      return !listAt(read.json, '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },

  'reading.filtered-by-the-long-route-without-schema': {
    source: 'core: SoftType read response, row schema',
    breaks: 'A read has a schema, also one through the long route with a filter.',
    kind: 'place',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const instance = await right(areas, call, reading, object, view, filter);
      if (filter === undefined || call.params['outputSchemaId'] === undefined) return instance;
      const { schema: _lost, ...rest } = instance;
      return rest as typeof instance;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing' }] });
      const read = await edda.get(`/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`);
      return read.status === 200 && at(read.json, '/schema') === undefined;
    },
  },

  'paging.edited-entry-without-id': {
    source: 'core: Page response, row data',
    breaks: 'Every entry of a page has its id, also one that was edited since it was made.',
    kind: 'moment',
    variant: withEditedEntriesUnnamed(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const page = await edda.page(made, 'files', 1);
      const id = String(at(page.json, '/data/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'edited' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId') === undefined;
    },
  },

  'paging.page-of-another-value': {
    source: 'core: Server side paging 5',
    breaks: 'A page holds what its own filter value admits, whatever value was asked for before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const pages = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const key = [object.oid, object.version, view.id, section.path, page, filter?.filter.id].join(' ');
        const body = pages.get(key) ?? (await right(areas, call, reading, object, view, section, page, filter));
        if (filter !== undefined) pages.set(key, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const files = ['c', 'd'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const pageOf = (value: string) =>
        edda.get(`${pagePath(made, 'files', 0)}?softTypeFilter=byCategory&fileGroup.category=${value}`);
      await pageOf('c');
      return at((await pageOf('d')).json, '/data/0/name') === 'c';
    },
  },
};

/** Entries that were edited have no id on a page. */
function withEditedEntriesUnnamed(): Variant {
  return (classes) => {
    const edited = new Set<string>();
    return together(
      replaces('operations', 'setMember', (right, areas, run, target, value) => {
        const { entry } = target.row;
        if (entry !== undefined) edited.add(`${run.object.oid} ${entry.port} ${entry.entryId}`);
        return right(areas, run, target, value);
      }),
      replaces('paging', 'assemblePage', async (right, areas, ...args) => {
        const [, , object, , section] = args;
        const page = await right(areas, ...args);
        const data = page.data.map((entry) => {
          const isEdited = edited.has(`${object.oid} ${section.port} ${String(entry.$entryId)}`);
          return isEdited ? mapped(entry, ({ $entryId: _lost, ...rest }) => rest) : entry;
        });
        return { ...page, data: data as typeof page.data };
      }),
    )(classes);
  };
}
