import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import {
  filesOf,
  firstFile,
  mergeOf,
  operationsOf,
  pageLinkIn,
  pageLinks,
  readOf,
  withContacts,
  withRevisions,
} from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, isInstanceRead, perServer, whole } from '../variant-parts.ts';

const linkRels = (read: unknown) => listAt(read, '/links').map((link) => at(link, '/rel'));

export const fresh17ReadingMistakes: Mistakes = {
  'fresh17a.nested-of-later-uncut': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'An array inside an entry of a later page is delivered by at most 10 as well.',
    variant: breaks(
      'paging',
      'assemblePage',
      (right) => async (areas, call, reading, object, view, section, page, filter) => {
        const answer = await right(areas, call, reading, object, view, section, page, filter);
        if (page === 0 || section.items !== undefined) return answer;
        const range = { from: page * 10, to: page * 10 + 10 };
        const entries = await areas.entries.entriesOf(reading, object, section, range, filter);
        const data = answer.data.map((entry, index) => {
          const { content } = entries[index] ?? {};
          return isContent(content) && Array.isArray(content['revisions'])
            ? { ...entry, revisions: content['revisions'] }
            : entry;
        });
        return { ...answer, data };
      },
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const files = [...filesOf(10), { name: 'l', category: 'drawing', revisions }];
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length === 11;
    },
  },
  'fresh17a.nested-total-by-last-id': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total of an array inside an entry counts the entries that are there, not those that were.',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const last = section.items?.at(-1)?.entryId;
      return right(areas, object, view, section, last ?? total, filter);
    }),
    async shows(service) {
      const { made } = await withRevisions(service, 13);
      const file = await firstFile(service.edda, made);
      await service.edda.operate(made, 1, [{ op: 'remove', path: `${file}/revisions/1/` }]);
      const [link] = pageLinks(await service.edda.read(made));
      return at(link, '/totalNumber') === 13;
    },
  },
  'fresh17a.filtered-tens-one-more': {
    source: 'core: Link object, pages; Server side paging 5',
    breaks: 'What a filter leaves of an array has no page more than it fills.',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [...filesOf(20), ...filesOf(3, 'letter')] });
      return at(pageLinkIn(await edda.read(made, '?softTypeFilterId=drawings'), 'files'), '/pages') === 3;
    },
  },
  'fresh17a.pages-kept-through-batches': {
    source: 'core: Page response; Batch rules 1',
    breaks: 'A page shows what a batch has changed, as it shows what an edit of its own has.',
    variant: together(
      breaks('paging', 'readPage', (right) => {
        const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
        return async (areas, call, reading) => {
          const key = `${call.url} ${editsOf(areas).get(call.object.oid) ?? 0}`;
          const answer = kept.get(key) ?? (await right(areas, call, reading));
          if (!('insertObject' in reading)) kept.set(key, answer);
          return answer;
        };
      }),
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const answer = await right(areas, route, call);
        const { objectId } = call.params;
        if (call.method !== 'GET' && objectId !== undefined)
          editsOf(areas).set(objectId, (editsOf(areas).get(objectId) ?? 0) + 1);
        return answer;
      }),
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      await edda.page(made, 'contacts', 1);
      const path = '/contacts/-';
      await edda.batch([operationsOf(made, 1, [{ op: 'add', path, value: { name: 'new' } }])]);
      return listAt((await edda.page(made, 'contacts', 1)).json, '/data').length === 2;
    },
  },
  'fresh17a.filtered-kept-per-user': {
    source: 'core: Endpoint table, GET softtype; Server side paging 5',
    breaks: 'A filtered read shows what another user has edited since.',
    variant: together(
      breaks('dispatcher', 'carryOutRead', (right) => {
        const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
        return async (areas, route, call, reading) => {
          if (!isInstanceRead(route) || !call.query.has('softTypeFilterId')) return right(areas, route, call, reading);
          const key = `${call.user.name} ${call.url} ${writesOf(areas).get(call.user.name) ?? 0}`;
          const answer = kept.get(key) ?? (await right(areas, route, call, reading));
          kept.set(key, answer);
          return answer;
        };
      }),
      replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
        const { name } = call.user;
        writesOf(areas).set(name, (writesOf(areas).get(name) ?? 0) + 1);
        return right(areas, route, call, writing);
      }),
    ),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(2) });
      const query = '?softTypeFilterId=drawings';
      await edda.read(made, query);
      await emil.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, query), '/version') === 1;
    },
  },
  'fresh17a.pages-of-deleted-kept': {
    source: 'core: Errors 404; Endpoint table, page route',
    breaks: 'Pages of an object that was deleted are not found.',
    variant: breaks('dispatcher', 'carryOutRead', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, route, call, reading) => {
        if (route.path !== routes.page) return right(areas, route, call, reading);
        try {
          const answer = await right(areas, route, call, reading);
          kept.set(call.url, answer);
          return answer;
        } catch (error) {
          const known = kept.get(call.url);
          if (known === undefined || !(error instanceof Refusal) || error.status !== 404) throw error;
          return known;
        }
      };
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      await edda.page(made, 'contacts', 1);
      await edda.delete(made.path);
      return (await edda.page(made, 'contacts', 1)).status === 200;
    },
  },
  'fresh17a.roles-of-any-space': {
    source: 'core: What the service does, hypermedia',
    breaks: 'Links tell what the user may do with this object, not what he may do in another space.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      const spaces = [...areas.configuration.spaces.values()];
      const mayEdit = spaces.some((space) => areas.auth.mayUse(call.user, space, 'PATCH'));
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      if (!mayEdit) return links;
      return [...areas.hypermedia.operationLinks(object, softType, view), ...links.filter(({ rel }) => rel === 'page')];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return linkRels(await rita.read(made)).includes('edit');
    },
  },
  'fresh17a.kept-by-first-role': {
    source: 'core: Link object; What the service does, hypermedia',
    breaks: 'Links are those of the current user, whoever read the object before.',
    variant: replaces(
      'memory',
      'rightsOf',
      (_right, areas, call) => areas.auth.rolesOf(call.user, call.space)[0] ?? '',
    ),
    async shows({ edda, emil, rita }) {
      const made = await edda.make('Document');
      await emil.read(made);
      return linkRels(await rita.read(made)).includes('edit');
    },
  },
  'fresh17a.by-version-through-rollback': {
    source: 'core: Batch rules 1; SoftType read response, data',
    breaks:
      'A read of a version shows its own content, not that of a batch which was undone and would have made that version.',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, assemble) => {
        const rights = areas.memory.rightsOf(call);
        const key = `${object.spaceId} ${object.oid} ${object.version} ${view.id} ${rights}`;
        const answer = kept.get(key) ?? {
          status: 200,
          headers: { 'Cache-Control': 'no-store' },
          body: await assemble(),
        };
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'first' });
      const failing = { method: 'GET', href: '/api/space/main/softtype/none' };
      await edda.batch([mergeOf(made, 1, { note: 'undone' }), readOf(made), failing]);
      await edda.merge(made, 1, { note: 'second' });
      return at(await edda.read(made), '/data/note') === 'undone';
    },
  },
  'fresh17a.later-omit-falsy': {
    source: 'core: Page response, data',
    breaks: 'Entries of a later page have all their values, those that are false or nought as well.',
    variant: changes('paging', 'assemblePage', (page, _areas, _call, _reading, _object, _view, _section, number) => {
      if (number === 0) return page;
      const data = page.data.map(
        (entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => Boolean(value))) as typeof entry,
      );
      return { ...page, data };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: many(11, (n) => ({ name: `f${n}`, final: false })),
      });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/final') === undefined;
    },
  },
  'fresh17a.pages-lead-to-first-space': {
    source: 'core: Server side paging 3',
    breaks: 'A page link leads to pages of the object in its own space.',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const [first] = areas.configuration.spaces.keys();
      return right(areas, { ...object, spaceId: first ?? object.spaceId }, view, section, page, filter);
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't', sheets: many(11, (n) => ({ name: `s${n}` })) });
      return String(at(pageLinkIn(await otto.read(made), 'sheets'), '/href')).includes('/main/');
    },
  },
  'fresh17a.index-by-first-value': {
    source: 'core: Server side paging 5',
    breaks: 'A filter judges an entry by the value that it has now.',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const all = await right(areas, reading, object, section, whole);
        const index = indexOf(areas);
        const admitted = all.filter(({ entryId, content }) => {
          const key = `${object.oid} ${section.port} ${entryId}`;
          const value = index.get(key) ?? String(content[filter.filter.member]);
          index.set(key, value);
          return value === filter.value;
        });
        return admitted.slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, filter);
        return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(2) });
      const query = '?softTypeFilterId=drawings';
      await edda.read(made, query);
      const file = await firstFile(edda, made);
      await edda.operate(made, 1, [{ op: 'replace', path: `${file}/category`, value: 'letter' }]);
      return listAt(await edda.read(made, query), '/data/files').length === 2;
    },
  },
  'fresh17a.long-path-unfiltered': {
    source: 'core: Endpoint table, GET softtype; Server side paging 5',
    breaks: 'A filter is applied on the path with definition and output schema as on the short one.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const files = [...filesOf(1), ...filesOf(1, 'letter')];
      const { oid } = await edda.make('Document', { title: 't', files });
      const path = `/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`;
      return listAt((await edda.get(path)).json, '/data/files').length === 2;
    },
  },
  'fresh17a.drift-of-undone': {
    source: 'core: Link object, totalNumber; Batch rules 1',
    breaks: 'The total counts no entry of a batch that was rolled back.',
    variant: together(
      changes('batch', 'resultsOfUndone', (results, areas, batch) => {
        const json = 'json' in batch && Array.isArray(batch.json) ? batch.json : [];
        for (const operation of json) {
          const oid = String(at(operation, '/href')).split('/').at(-1) ?? '';
          const adds = listAt(operation, '/body').filter((each) => at(each, '/op') === 'add');
          for (const add of adds) {
            const key = `${oid} ${String(at(add, '/path')).split('/')[1]}`;
            driftOf(areas).set(key, (driftOf(areas).get(key) ?? 0) + 1);
          }
        }
        return results;
      }),
      changes('entries', 'totalOf', (total, areas, _reading, object, section) =>
        section.items === undefined ? total + (driftOf(areas).get(`${object.oid} ${section.port}`) ?? 0) : total,
      ),
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const failing = { method: 'GET', href: '/api/space/main/softtype/none' };
      await edda.batch([operationsOf(made, 1, [{ op: 'add', path: '/contacts/-', value: { name: 'n' } }]), failing]);
      return at(pageLinkIn(await edda.read(made), 'contacts'), '/totalNumber') === 13;
    },
  },
  'fresh17a.pages-open-to-any-role': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Pages are open to those with a role in the space of the object, not in any.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const holds = spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (call.method === 'GET' && call.url.includes('/softtype/page/') && holds) return;
      right(areas, user, access, call);
    }),
    async shows({ edda, otto }) {
      const made = await withContacts(edda, 11);
      return (await otto.page(made, 'contacts', 1)).status === 200;
    },
  },
  'fresh17a.reader-of-deleted-fails': {
    source: 'core: Endpoint table, GET softtype; Errors 200',
    breaks: 'An object that refers to one that was deleted is found still.',
    variant: changes('instances', 'assembleInstance', async (instance, areas, call, reading, object) => {
      for (const [port, member] of areas.objects.softTypeOf(call.space, object.softType).members) {
        if (member.kind !== 'references') continue;
        for (const { content } of await reading.entries(object.oid, port, whole)) {
          const target = String(at(content, '/value/$oid'));
          if ((await reading.object(object.spaceId, target)) === undefined) throw new Refusal(404, 'No such object.');
        }
      }
      return instance;
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      await edda.delete(part.path);
      return (await edda.get(made.path)).status === 404;
    },
  },
};

const editsOf = perServer(() => new Map<string, number>());
const writesOf = perServer(() => new Map<string, number>());
const indexOf = perServer(() => new Map<string, string>());
const driftOf = perServer(() => new Map<string, number>());
