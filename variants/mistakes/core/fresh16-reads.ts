import { mediaTypes } from '../../../contract/names.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { freshRead } from '../../../reference-server/areas/read-memory.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry, StoredObject, Writing } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { append, mergeOf, named, pageLinkIn, readOf, readPageLink, withContacts } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import {
  changes,
  decodeIfEncoded,
  isInstanceRead,
  isRefusal,
  leadsTo,
  mapMembers,
  perRun,
  perServer,
  whole,
} from '../variant-parts.ts';

const byCategory = (value: string) => `?softTypeFilterId=byCategory&fileGroup.category=${encodeURIComponent(value)}`;
const drawings = '?softTypeFilterId=drawings';

function like(pattern: string): RegExp {
  const text = pattern
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${text}$`);
}

/** Documents that refer to a part. */
async function referrersOf(writing: Writing, spaceId: string, oid: string): Promise<readonly StoredObject[]> {
  const documents = await writing.objectsHolding(spaceId, 'Document', '', 1_000_000);
  const found: StoredObject[] = [];
  for (const document of documents) {
    const entries = await writing.entries(document.oid, 'describes', whole);
    if (entries.some((entry) => leadsTo(entry) === oid)) found.push(document);
  }
  return found;
}

function allows(areas: Areas, isMeant: boolean, ofAllSpaces: boolean): Areas {
  if (!isMeant) return areas;
  return within(areas, {
    auth: {
      mayUse: (user, _space, method) =>
        !ofAllSpaces || [...areas.configuration.spaces.values()].some((each) => areas.auth.mayUse(user, each, method)),
    },
  });
}

export const fresh16ReadsMistakes: Mistakes = {
  'fresh16a.batch-read-remembered': {
    source: 'core: Batch rules 1',
    breaks: 'What a batch that was rolled back had read is read by nobody.',
    variant: breaks('memory', 'rememberedRead', () => {
      const texts = new Map<string, string>();
      return async (areas, call, reading, object, view, assemble) => {
        const key = `${object.oid} ${object.version} ${view.id} ${areas.memory.rightsOf(call)}`;
        const known = texts.get(key);
        if (known !== undefined && !('insertObject' in reading))
          return { status: 200, headers: { 'Content-Type': mediaTypes.json }, raw: known };
        const body = await assemble();
        texts.set(key, JSON.stringify(body));
        return freshRead(body);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'undone' }), readOf(made), mergeOf(made, 9, { note: 'stale' })]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') === 'undone';
    },
  },
  'fresh16a.filtered-until-count-changes': {
    source: 'core: Server side paging 5',
    breaks: 'A filter selects by what the entries hold now.',
    variant: breaks('entries', 'entriesOf', (right) => {
      const kept = new Map<string, readonly StoredEntry[]>();
      return async (areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.items !== undefined)
          return right(areas, reading, object, section, range, filter);
        const count = await reading.countEntries(object.oid, section.port);
        const key = JSON.stringify([object.oid, section.port, range, filter.filter.id, filter.value, count]);
        const found = kept.get(key) ?? (await right(areas, reading, object, section, range, filter));
        kept.set(key, found);
        return found;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(2, (n) => ({ name: `f${n}`, category: 'drawing' })) });
      const id = String(at(await edda.read(made, drawings), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/category`, value: 'letter' }]);
      return listAt(await edda.read(made, drawings), '/data/files').length === 2;
    },
  },
  'fresh16a.filter-drops-nested-links': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'Under a filter an array inside an admitted entry has its page link too.',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      const links = right(areas, object, view, slice, filter);
      return filter === undefined ? links : links.filter((link) => at(link, '/sectionPath') === slice.section.path);
    }),
    async shows({ edda }) {
      const file = { name: 'n', category: 'drawing', revisions: many(11, (n) => ({ text: `r${n}` })) };
      const made = await edda.make('Document', { files: [file] });
      return (await readPageLink(edda, made, drawings)) === undefined;
    },
  },
  'fresh16a.filter-like': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is that value, whatever its characters mean to a database.',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter?.filter.port !== section.port || section.items !== undefined)
          return right(areas, reading, object, section, range, filter);
        const all = await right(areas, reading, object, section, whole);
        const admitted = all.filter(({ content }) => like(filter.value).test(String(content[filter.filter.member])));
        return admitted.slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section, filter);
        return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [
          { name: 'a', category: 'a_b' },
          { name: 'b', category: 'axb' },
        ],
      });
      return listAt(await edda.read(made, byCategory('a_b')), '/data/files').length === 2;
    },
  },
  'fresh16a.batch-query-decoded-twice': {
    source: 'core: Server side paging 5; Batch operation, href',
    breaks: 'A filter value in the href of an operation is the one of a request of its own.',
    variant: changes('batch', 'pathOfHref', (path) => {
      const [before, ...query] = path?.split('?') ?? [];
      return path === undefined || query.length === 0 ? path : `${before}?${decodeIfEncoded(query.join('?'))}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', category: 'a+b' }] });
      const answer = await edda.batch([{ method: 'GET', href: made.path + byCategory('a+b') }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'fresh16a.page-link-value-unescaped': {
    source: 'core: Server side paging 3 and 5',
    breaks: 'The page link of a filtered read leads to the pages of the same filter and value.',
    variant: changes('entries', 'pageHref', (href) =>
      decodeIfEncoded(href.split('?')[1] ?? '') && href.includes('?')
        ? `${href.split('?')[0]}?${decodeIfEncoded(href.split('?')[1] ?? '')}`
        : href,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(11, (n) => ({ name: `f${n}`, category: 'a&b' })) });
      const link = await readPageLink(edda, made, byCategory('a&b'));
      const page = await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'));
      return listAt(page.json, '/data').length !== 1;
    },
  },
  'fresh16a.unicode-filter-value': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter may be any text.',
    variant: changes(
      'entries',
      'filterOf',
      (applied) => applied && { ...applied, value: Buffer.from(applied.value, 'utf8').toString('latin1') },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', category: 'ü' }] });
      return listAt(await edda.read(made, byCategory('ü')), '/data/files').length !== 1;
    },
  },
  'fresh16a.nested-page-of-late-entries': {
    source: 'core: Server side paging 1 to 4',
    breaks: 'An array inside an entry of a later page has its pages too.',
    variant: replaces('paging', 'locateSection', async (right, areas, reading, object, view, softType, path) => {
      const [root = '', id] = path.split('/');
      const first = await reading.entries(object.oid, root, { from: 0, to: 10 });
      if (id !== undefined && !first.some(({ entryId }) => String(entryId) === id))
        throw new Refusal(404, `There is no entry ${id}.`);
      return right(areas, reading, object, view, softType, path);
    }),
    async shows({ edda }) {
      const files = many(11, (n) => ({ name: `f${n}`, revisions: many(11, (r) => ({ text: `r${r}` })) }));
      const made = await edda.make('Document', { files });
      const id = String(at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId'));
      return (await edda.page(made, `files/${id}/revisions`, 1)).status !== 200;
    },
  },
  'fresh16a.total-is-highest-id': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total number is that of the entries there are, not of those there ever were.',
    variant: replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      if (section.items !== undefined || filter !== undefined) return right(areas, reading, object, section, filter);
      const all = await reading.entries(object.oid, section.port, whole);
      return Math.max(0, ...all.map(({ entryId }) => entryId));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(13) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return at(await readPageLink(edda, made), '/totalNumber') !== 12;
    },
  },
  'fresh16a.pages-by-entry-id': {
    source: 'core: Server side paging 4',
    breaks: 'A later page holds the rest, also where entries before it are gone.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (section.items !== undefined || filter !== undefined || range.from === 0)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, whole);
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      const id = String(at(await edda.read(made), '/data/files/2/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'fresh16a.page-link-in-first-space': {
    source: 'core: Server side paging 3',
    breaks: 'The page link of an object leads to pages in its own space.',
    variant: changes('hypermedia', 'pageLink', (link, areas, object) => {
      const [first = ''] = areas.configuration.spaces.keys();
      return { ...link, href: link.href.replace(`/space/${object.spaceId}/`, `/space/${first}/`) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier', { sheets: named(11) });
      return String(at(await readPageLink(edda, made), '/href')).includes('/main/');
    },
  },
  'fresh16a.references-unpaged': {
    source: 'core: Server side paging 1',
    breaks: 'An array of references holds ten entries at most, as any other.',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      if (section.member.kind !== 'references') return right(areas, reading, object, section, filter);
      const entries = await areas.entries.entriesOf(reading, object, section, whole, filter);
      return { section, entries, total: 0 };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(11, () => ({ value: { $oid: part.oid } })) });
      return listAt(await edda.read(made), '/data/describes').length === 11;
    },
  },
  'fresh16a.page-of-old-version': {
    source: 'core: Page response',
    breaks: 'A page shows the object as it is, whether or not the instance was read before.',
    variant: together(
      breaks('paging', 'assemblePage', (right) => async (areas, call, reading, object, view, section, page, filter) => {
        const pages = pagesKept(areas);
        const key = JSON.stringify([view.id, section.path, page, filter?.filter.id, filter?.value]);
        const ofObject = pages.get(object.oid) ?? new Map();
        pages.set(object.oid, ofObject);
        const body = ofObject.get(key) ?? (await right(areas, call, reading, object, view, section, page, filter));
        ofObject.set(key, body);
        return body as Awaited<ReturnType<typeof right>>;
      }),
      changes('instances', 'readInstance', (answer, areas, call) => {
        pagesKept(areas).delete(call.object.oid);
        return answer;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      await edda.page(made, 'files', 1);
      await append(edda, made, 1, [{ name: 'late' }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 3;
    },
  },
  'fresh16a.nested-without-entry-id-on-pages': {
    source: 'core: System properties, $entryId',
    breaks: 'Objects of an array inside an entry have their id on a later page too.',
    variant: changes('paging', 'assemblePage', (page, _areas, _call, _reading, _object, _view, _section, number) => ({
      ...page,
      data: page.data.map((entry) =>
        number === 0
          ? entry
          : {
              ...entry,
              ...(isContent(entry) && 'revisions' in entry
                ? {
                    revisions: mapMembers(entry['revisions'], (members) =>
                      members.filter(([name]) => name !== '$entryId'),
                    ),
                  }
                : {}),
            },
      ),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: many(11, () => ({ name: 'n', revisions: [{ text: 't' }] })) });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },
  'fresh16a.href-of-nested-page': {
    source: 'core: Page response, href',
    breaks: 'The href of a page of an array inside an entry is that of this page.',
    variant: changes('paging', 'assemblePage', (page, areas, _call, _reading, object, view, section, number) => {
      if (section.items === undefined) return page;
      const { items: _items, ...rest } = section;
      const root = { ...rest, path: section.path.split('/')[0] ?? '' };
      return { ...page, href: areas.entries.pageHref(object, view, root, number) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [{ name: 'n', revisions: many(11, (n) => ({ text: `r${n}` })) }],
      });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const { json } = await edda.page(made, `files/${id}/revisions`, 1);
      return !String(at(json, '/href')).includes('revisions');
    },
  },
  'fresh16a.batch-reads-without-page-links': {
    source: 'core: Batch rules 6',
    breaks: 'A read in a batch is the full one, page links included.',
    variant: changes('batch', 'operationResult', (result) => {
      const { body } = result;
      if (!isContent(body) || !Array.isArray(body['links'])) return result;
      return { ...result, body: { ...body, links: body['links'].filter((link) => at(link, '/rel') !== 'page') } };
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 11);
      return pageLinkIn(at((await edda.batch([readOf(made)])).json, '/0/body'), 'contacts') === undefined;
    },
  },
  'fresh16a.links-of-all-spaces': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links offer what the role in the space of the object allows, not that in another space.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => right(allows(areas, true, true), ...args)),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return listAt(await rita.read(made), '/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },
  'fresh16a.batch-links-unfiltered': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'The links of a read in a batch are those of the user.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...args) =>
      right(allows(areas, call.isSibling !== undefined, false), call, ...args),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const { json } = await rita.batch([readOf(made)]);
      return listAt(json, '/0/body/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },
  'fresh16a.broken-reference-breaks-read': {
    source: 'core: Errors 404; Batch rules 5',
    breaks: 'An object is read, also where one that it refers to was deleted.',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      if (object.softType === 'Document')
        for (const entry of await reading.entries(object.oid, 'describes', whole))
          if ((await reading.object(object.spaceId, String(leadsTo(entry)))) === undefined)
            throw new Refusal(404, 'There is no such part.');
      return right(areas, call, reading, object, view, filter);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      await edda.delete(part.path);
      return (await edda.get(made.path)).status !== 200;
    },
  },
  'fresh16a.delete-takes-referrers': {
    source: 'core: Batch rules 5',
    breaks: 'A deletion deletes its target, and none that refers to it.',
    variant: replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      for (const referrer of await referrersOf(writing, object.spaceId, object.oid))
        await writing.deleteObject(referrer.spaceId, referrer.oid);
      return right(areas, writing, object);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      await edda.delete(part.path);
      return (await edda.get(made.path)).status === 404;
    },
  },
  'fresh16a.edit-raises-referrers': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version of the object that is edited, and not of one that refers to it.',
    variant: replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
      await right(areas, writing, object, version, content);
      if (object.softType !== 'Part') return;
      for (const { spaceId, oid, version: old, content: same } of await referrersOf(
        writing,
        object.spaceId,
        object.oid,
      ))
        await writing.updateObject(spaceId, oid, old + 1, same);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      await edda.merge(part, 1, { note: 'n' });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'fresh16a.deleted-by-batch-still-read': {
    source: 'core: Errors 404; Batch rules 5',
    breaks: 'What a batch has deleted is not found any more.',
    variant: together(
      replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        if (call.isSibling !== undefined) deletedKept(areas).set(call.object.oid, undefined);
        return answer;
      }),
      replaces('dispatcher', 'carryOutRead', async (right, areas, route, call, reading) => {
        const oid = call.params['objectId'] ?? '';
        const key = `${call.user.name} ${call.url}`;
        try {
          const answer = await right(areas, route, call, reading);
          if (isInstanceRead(route)) deletedKept(areas).set(key, answer);
          return answer;
        } catch (error) {
          const known = deletedKept(areas).get(key);
          if (isRefusal(error, 404) && known !== undefined && deletedKept(areas).has(oid)) return known;
          throw error;
        }
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.read(made);
      await edda.batch([{ method: 'DELETE', href: made.path }]);
      return (await edda.get(made.path)).status === 200;
    },
  },
  'fresh16a.states-in-memory': {
    source: 'core: States and transitions',
    breaks: 'An object keeps its current states, also over a restart.',
    variant: together(
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        if (content['$states'] !== object.content['$states']) movedHere(areas).add(object.oid);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'assembleInstance', (right, areas, call, reading, object, view, filter) => {
        const states = object.content['$states'];
        if (movedHere(areas).has(object.oid) || !isContent(states))
          return right(areas, call, reading, object, view, filter);
        const levels = call.space.template.softTypes.get(object.softType)?.maturity?.levels;
        const first = Object.entries(states).map(([level, state]) => [
          level,
          { ...Object(state), state: levels?.get(level)?.[0] },
        ]);
        const content = { ...object.content, $states: Object.fromEntries(first) };
        return right(areas, call, reading, { ...object, content }, view, filter);
      }),
    ),
    async shows({ edda, restart }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await restart();
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
  'fresh16a.promote-leaves-other-readers': {
    source: 'core: States and transitions',
    breaks: 'Whoever reads after a promote sees the version that it made.',
    variant: together(
      breaks('memory', 'rememberedRead', (right) => async (areas, call, reading, object, view, assemble) => {
        const rights = areas.memory.rightsOf(call);
        if ('insertObject' in reading || rights === 'editor')
          return right(areas, call, reading, object, view, assemble);
        const ofObject = readsKept(areas).get(object.oid) ?? new Map<string, Answer>();
        readsKept(areas).set(object.oid, ofObject);
        const key = `${view.id} ${rights}`;
        const answer = ofObject.get(key) ?? (await right(areas, call, reading, object, view, assemble));
        ofObject.set(key, answer);
        return answer;
      }),
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        if (content['$states'] === object.content['$states']) readsKept(areas).delete(object.oid);
        return right(areas, writing, object, version, content);
      }),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await rita.read(made);
      await edda.move(made, 1);
      return at(await rita.read(made), '/version') === 1;
    },
  },
};

const pagesKept = perServer(() => new Map<string, Map<string, unknown>>());
const deletedKept = perServer(() => new Map<string, Answer | undefined>());
const readsKept = perServer(() => new Map<string, Map<string, Answer>>());
const movedHere = perRun(() => new Set<string>());
