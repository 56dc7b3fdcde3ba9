import { randomUUID } from 'node:crypto';
import { routes } from '../../../contract/routes.ts';
import type { AppliedFilter } from '../../../reference-server/areas/entries.ts';
import type { StoredEntry, StoredObject } from '../../../reference-server/ports/store.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { User } from '../../../reference-server/configuration.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { claimsOf, documentsPath, pageLinks, part, profilePath, tokenOf, withFiles } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, leadsTo, perRun, perServer, whole } from '../variant-parts.ts';

type Admits = (areas: Areas, object: StoredObject, entry: StoredEntry, applied: AppliedFilter) => boolean;

/** Filters of root arrays that admit other entries. */
function filtersBy(admits: Admits): Variant {
  const isMeant = (section: { readonly port: string; readonly items?: unknown }, applied: AppliedFilter | undefined) =>
    applied !== undefined && section.items === undefined && section.port === applied.filter.port;
  return together(
    replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined || !isMeant(section, filter))
        return right(areas, reading, object, section, range, filter);
      const all = await reading.entries(object.oid, section.port, whole);
      return all.filter((entry) => admits(areas, object, entry, filter)).slice(range.from, range.to);
    }),
    replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      if (filter === undefined || !isMeant(section, filter)) return right(areas, reading, object, section, filter);
      const all = await reading.entries(object.oid, section.port, whole);
      return all.filter((entry) => admits(areas, object, entry, filter)).length;
    }),
  );
}

/** Refused for who asks, it is done as somebody who may. */
function as(areas: Areas, name: string): { readonly authorization: string } {
  return { authorization: `Bearer ${areas.configuration.users.get(name)?.pat}` };
}

const indexOf = perServer(() => new Map<string, unknown>());
const rolesKept = perRun(() => new Map<string, readonly string[]>());
const pageVersions = perServer(() => new Map<string, number>());
const viewVersions = perServer(() => new Map<string, number>());
const pagesKept = perServer(() => new Map<string, Answer>());
const tagSalt = perRun(() => randomUUID());
const grantsUnderWay = perServer(() => ({ token: undefined as Promise<string> | undefined }));

export const fresh15ReadsMistakes: Mistakes = {
  'fresh15a.filter-index-of-the-first-values': {
    source: 'core: Server side paging 5',
    breaks: 'A filter looks at what an entry holds by now, also where an operation has replaced it.',
    variant: together(
      replaces('operations', 'setMember', (right, areas, run, target, value) => {
        const { entry } = target.row;
        const name = target.steps.at(-1)?.name ?? '';
        if (entry !== undefined && target.steps.length === 1) {
          const key = `${run.object.oid} ${entry.port} ${entry.entryId} ${name}`;
          if (!indexOf(areas).has(key)) indexOf(areas).set(key, target.row.content[name]);
        }
        return right(areas, run, target, value);
      }),
      filtersBy((areas, { oid }, { entryId, content }, { filter, value }) => {
        const key = `${oid} ${filter.port} ${entryId} ${filter.member}`;
        const held = indexOf(areas).has(key) ? indexOf(areas).get(key) : content[filter.member];
        return held !== undefined && String(held) === value;
      }),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 1, 'drawing');
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/category', value: 'letter' }]);
      return listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/data/files').length > 0;
    },
  },
  'fresh15a.filter-values-are-patterns': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter stands for itself, whatever signs are in it.',
    variant: filtersBy((_areas, _object, { content }, { filter, value }) => {
      const held = content[filter.member];
      const pattern = value
        .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('%', '.*')
        .replaceAll('_', '.');
      return held !== undefined && new RegExp(`^${pattern}$`, 's').test(String(held));
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 1, 'drawing');
      const query = '?softTypeFilterId=byCategory&fileGroup.category=draw_ng';
      return listAt(await edda.read(made, query), '/data/files').length > 0;
    },
  },
  'fresh15a.no-filter-in-a-batch': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied to a read, also where that is an operation of a batch.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      call.isSibling === undefined ? right(areas, call, softType, parameter) : undefined,
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 1, 'letter');
      const { json } = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(json, '/0/body/data/files').length > 0;
    },
  },
  'fresh15a.no-filter-under-a-named-schema': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'A filter is applied to the read whose path names definition and output schema.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 1, 'letter');
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}?softTypeFilterId=drawings`;
      return listAt((await edda.get(path)).json, '/data/files').length > 0;
    },
  },
  'fresh15a.filtered-reads-offer-all': {
    source: 'core: What the service does',
    breaks: 'Links of a filtered read offer what the current user may do.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const alma = areas.configuration.users.get('alma');
      const may = filter === undefined || alma === undefined ? call : { ...call, user: alma };
      return right(areas, may, object, view, slices, filter);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const links = listAt(await rita.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/method') === 'PATCH');
    },
  },
  'fresh15a.one-link-for-a-member': {
    source: 'core: Server side paging 2',
    breaks: 'Each array inside an entry that is long has its page link, also where several entries have one.',
    variant: changes('hypermedia', 'linksOf', (links) => {
      const seen = new Set<string>();
      return links.filter(({ sectionPath }) => {
        const [port, entryId, member] = sectionPath?.split('/') ?? [];
        if (entryId === undefined) return true;
        const isSeen = seen.has(`${port}/${member}`);
        seen.add(`${port}/${member}`);
        return !isSeen;
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, () => ({ text: 'r' }));
      const made = await edda.make('Document', { files: many(2, () => ({ name: 'f', revisions })) });
      return pageLinks(await edda.read(made)).length === 1;
    },
  },
  'fresh15a.links-of-entries-not-admitted': {
    source: 'core: Server side paging 5',
    breaks: 'The filter shapes the links: arrays inside entries that it does not admit have none.',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      if (filter === undefined) return read;
      const { links } = await right(areas, call, reading, object, view);
      const shown = new Set(read.links.map(({ href }) => href));
      const more = links.filter(({ sectionPath = '', href }) => sectionPath.includes('/') && !shown.has(href));
      return { ...read, links: [...read.links, ...more] };
    }),
    async shows({ edda }) {
      const revisions = many(11, () => ({ text: 'r' }));
      const made = await edda.make('Document', { files: [{ name: 'f', category: 'letter', revisions }] });
      return pageLinks(await edda.read(made, '?softTypeFilterId=drawings')).length > 0;
    },
  },
  'fresh15a.pages-without-ids-inside': {
    source: 'core: System properties',
    breaks: 'Objects in arrays inside the entries of a page have an entry id.',
    variant: changes('paging', 'assemblePage', (page) => ({
      ...page,
      data: page.data.map((entry) => ({
        ...Object.fromEntries(
          Object.entries(entry).map(([name, value]: [string, unknown]) => [
            name,
            Array.isArray(value)
              ? value.map((item: unknown) => {
                  if (!isContent(item)) return item;
                  const { $entryId: _id, ...rest } = item;
                  return rest;
                })
              : value,
          ]),
        ),
        $entryId: entry.$entryId,
      })),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', revisions: [{ text: 'r' }] }] });
      const { json } = await edda.page(made, 'files', 0);
      return at(json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },
  'fresh15a.page-keeps-its-version': {
    source: 'core: Page response',
    breaks: 'A page tells the version that its object has by now, also where its entries have stayed.',
    variant: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, section, ...rest) => {
      const page = await right(areas, call, reading, object, view, section, ...rest);
      const key = JSON.stringify([object.oid, page.href, page.data]);
      const known = pageVersions(areas).get(key) ?? page.version;
      pageVersions(areas).set(key, known);
      return { ...page, version: known };
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 1);
      await edda.page(made, 'files', 0);
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 0)).json, '/version') === 1;
    },
  },
  'fresh15a.view-keeps-its-version': {
    source: 'core: System properties, $version',
    breaks: 'Under every output schema the data tell the version of the object, also where their members have stayed.',
    variant: changes('instances', 'dataOf', (data, areas, _space, object, view) => {
      const first = areas.configuration.templates
        .values()
        .flatMap(({ softTypes }) => softTypes.values())
        .some(({ outputs }) => outputs.values().next().value === view);
      if (first) return data;
      const key = JSON.stringify([view.id, { ...data, $version: 0 }]);
      const $version = viewVersions(areas).get(key) ?? object.version;
      viewVersions(areas).set(key, $version);
      return { ...data, $version };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.get(path)).json, '/data/$version') === 1;
    },
  },
  'fresh15a.references-all-at-once': {
    source: 'core: Server side paging 1',
    breaks: 'An array of references holds at most ten entries, and has pages.',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      if (section.member.kind !== 'references') return right(areas, reading, object, section, filter);
      return { section, entries: await reading.entries(object.oid, section.port, whole), total: 0 };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(11, () => ({ value: { $oid: oid } })) });
      return listAt(await edda.read(made), '/data/describes').length > 10;
    },
  },
  'fresh15a.page-of-what-was-deleted': {
    source: 'core: Errors 404',
    breaks: 'A page of an object that was deleted is not found.',
    variant: together(
      changes('paging', 'readPage', (answer, areas, { url }) => {
        pagesKept(areas).set(url, answer);
        return answer;
      }),
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        try {
          return await right(areas, route, call);
        } catch (error) {
          const kept = route.path === routes.page ? pagesKept(areas).get(call.url) : undefined;
          if (!(error instanceof Refusal) || error.status !== 404 || kept === undefined) throw error;
          const { spaceId = '', objectId = '' } = call.params;
          const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
          if (object === undefined) return kept;
          throw error;
        }
      }),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 1);
      await edda.page(made, 'files', 0);
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 0)).status === 200;
    },
  },
  'fresh15a.unreadable-once-a-target-is-gone': {
    source: 'core: Errors 200',
    breaks: 'An object is read, also where one that it refers to was deleted.',
    variant: replaces('instances', 'readInstance', async (right, areas, call, reading) => {
      for (const [port, member] of call.place.softType.members) {
        if (member.kind !== 'references') continue;
        for (const entry of await reading.entries(call.object.oid, port, whole))
          if ((await reading.object(call.space.id, String(leadsTo(entry)))) === undefined)
            throw new Refusal(500, 'A reference leads nowhere.');
      }
      return right(areas, call, reading);
    }),
    async shows({ edda }) {
      const target = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: target.oid } }] });
      await edda.delete(target.path);
      return (await edda.get(made.path)).status !== 200;
    },
  },
  'fresh15a.edit-link-by-the-output-schema': {
    source: 'core: What the service does',
    breaks: 'Links of a read under another output schema lead to what they offer.',
    variant: changes('hypermedia', 'linksOf', (links, areas, { space }, object, view) => {
      if (view === areas.objects.outputViewOf(areas.objects.softTypeOf(space, object.softType), undefined))
        return links;
      return links.map((link) =>
        link.method === 'PATCH' || link.rel === 'replace'
          ? { ...link, href: link.href.replace(/[^/]+(\/[^/]+)$/, `${view.id}$1`) }
          : link,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      const edit = listAt(json, '/links').find((link) => at(link, '/method') === 'PATCH');
      const headers = { 'Svc-UOIVersion': '1' };
      return (await edda.send('PATCH', String(at(edit, '/href')), { headers, body: { note: 'n' } })).status === 404;
    },
  },
  'fresh15a.tag-of-one-run': {
    source: 'core: Versioning 4',
    breaks: 'Unchanged data have the tag that they had before the service was restarted.',
    variant: changes('caching', 'etagOf', (etag, areas) => `${etag.slice(0, -1)}${tagSalt(areas)}"`),
    async shows({ cora, restart }) {
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await restart();
      return (await cora.get(profilePath, { 'If-None-Match': etag })).status !== 304;
    },
  },
  'fresh15a.tag-opens-a-closed-door': {
    source: 'core: Errors 403',
    breaks: 'Who has no access is refused, also where the tag is right.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isMeant = route.access === 'collection' && call.headers['if-none-match'] !== undefined;
        if (!(error instanceof Refusal) || error.status !== 403 || route.method !== 'GET' || !isMeant) throw error;
        const answer = await right(areas, route, { ...call, headers: { ...call.headers, ...as(areas, 'cora') } });
        if (answer.status === 304) return answer;
        throw error;
      }
    }),
    async shows({ cora, edda }) {
      const path = '/api/collection/space';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },
  'fresh15a.health-for-everybody': {
    source: 'core: What the service does, collection level',
    breaks: 'The health of the collection is told to Collection Administrators.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        if (!(error instanceof Refusal) || route.path !== '/api/collection/health') throw error;
        return right(areas, route, { ...call, headers: { ...call.headers, ...as(areas, 'cora') } });
      }
    }),
    async shows({ nobody }) {
      return (await nobody.get('/api/collection/health')).status === 200;
    },
  },
  'fresh15a.roles-of-the-first-space': {
    source: 'core: Authentication 7',
    breaks: 'A role counts in its space, also for somebody who has asked for another space before.',
    variant: replaces('auth', 'rolesOf', (right, areas, user, space) => {
      const known = rolesKept(areas).get(user.name) ?? right(areas, user, space);
      if (known.length > 0) rolesKept(areas).set(user.name, known);
      return known;
    }),
    async shows({ rita }) {
      await rita.make('Dossier');
      return (await rita.post(documentsPath, { title: 't' })).status === 201;
    },
  },
  'fresh15a.no-role-where-there-is-no-prefix': {
    source: 'core: Authentication 7',
    breaks: 'The multi-create needs a role in the space, though its path begins otherwise.',
    variant: replaces('auth', 'authorize', (right, areas, user: User, access, call) => {
      if (call.method === 'POST' && call.url.startsWith('/space/')) return;
      right(areas, user, access, call);
    }),
    async shows({ nora }) {
      return (await nora.multiCreate([part('p')])).status < 300;
    },
  },
  'fresh15a.one-token-at-a-time': {
    source: 'core: Authentication 3',
    breaks: 'A grant brings a token of its user, also where another user asks at the same time.',
    variant: replaces('tokens', 'issueToken', (right, areas, user) => {
      const pending = grantsUnderWay(areas);
      if (pending.token !== undefined) return pending.token;
      pending.token = right(areas, user);
      setTimeout(() => (pending.token = undefined), 15);
      return pending.token;
    }),
    async shows(service) {
      const both = await Promise.all([tokenOf(service, 'edda'), tokenOf(service, 'rita')]);
      const [one, other] = both.map((token) => at(claimsOf(token), '/sub'));
      return one === other;
    },
  },
  'fresh15a.definitions-without-circles': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions tell of all SoftTypes, also of those that refer to each other.',
    variant: changes('openApi', 'dynamicDocument', (document) => ({
      ...document,
      paths: Object.fromEntries(
        Object.entries(isContent(document['paths']) ? document['paths'] : {}).filter(
          ([path]) => !path.includes('/Part/'),
        ),
      ),
    })),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('/Part/');
    },
  },
};
