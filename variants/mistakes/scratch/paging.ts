import { breaks, replaces, together, within } from '../../breaks.ts';
import { routes } from '../../../contract/routes.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf, named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes, decodeIfEncoded, during, stampOf, stampsAllBut, whole } from '../variant-parts.ts';

const byCategory = (value: string) => `?softTypeFilterId=byCategory&fileGroup.category=${encodeURIComponent(value)}`;

/** Entries of a section as if those that the filter admits were those that `isMeant`. */
function admitsBy(isMeant: (member: string, supplied: string) => boolean) {
  return together(
    replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined) return right(areas, reading, object, section, range);
      const all = await right(areas, reading, object, section, whole);
      const meant = all.filter(({ content }) => isMeant(String(content[filter.filter.member]), filter.value));
      return meant.slice(range.from, range.to);
    }),
    replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      if (filter === undefined) return right(areas, reading, object, section);
      return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
    }),
  );
}

export const scratchPaging: Mistakes = {
  'paging.page-ten-as-one': {
    source: 'core: Endpoint table, page route',
    breaks: 'Page 10 is the eleventh one.',
    variant: changes('paging', 'pageNumberOf', (page) => Number(String(page)[0])),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(101) });
      return listAt((await edda.page(made, 'files', 10)).json, '/data').length !== 1;
    },
  },
  'paging.page-version-before-promote': {
    source: 'core: Page response, version',
    breaks: 'The version of a page is that of its object, after a promote too.',
    variant: together(
      stampsAllBut('promoteObject'),
      changes('paging', 'assemblePage', (page, _areas, _call, _reading, object) => ({
        ...page,
        version: stampOf(object.content, object.version),
      })),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 0)).json, '/version') !== 2;
    },
  },
  'paging.append-into-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added stands last, also where an entry before it was removed.',
    variant: breaks('operations', 'appendToPort', (right) => async (areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const port = target.steps.at(-1)?.name ?? '';
      const entries = await run.writing.entries(run.object.oid, port, whole);
      const old = entries.slice(0, -contents.length);
      const gap = old.findIndex(({ entryId }, index) => entryId !== index + 1);
      if (gap < 0) return;
      const fresh = entries.slice(-contents.length);
      await run.writing.replaceEntries(run.object.oid, port, [...old.slice(0, gap), ...fresh, ...old.slice(gap)]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files', value: { name: 'last' } }]);
      return at(await edda.read(made), '/data/files/2/name') !== 'last';
    },
  },
  'filter.link-value-raw': {
    source: 'core: Server side paging 5',
    breaks: 'The page link of a filtered read holds the supplied value so that it leads to what it admits.',
    variant: changes('entries', 'pageHref', (href) => {
      const [path = '', query] = href.split('?');
      return query === undefined ? href : `${path}?${decodeIfEncoded(query)}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(12, 'a&b') });
      const read = await edda.read(made, byCategory('a&b'));
      const link = listAt(read, '/links').find((each) => at(each, '/rel') === 'page');
      const page = await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'));
      return listAt(page.json, '/data').length !== 2;
    },
  },
  'filter.comma-is-or': {
    source: 'core: Server side paging 5',
    breaks: 'A supplied value is one value, with a comma in it too.',
    variant: admitsBy((member, supplied) => supplied.split(',').includes(member)),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(2, 'a,b') });
      return listAt(await edda.read(made, byCategory('a,b')), '/data/files').length !== 2;
    },
  },
  'filter.percent-is-wildcard': {
    source: 'core: Server side paging 5',
    breaks: 'A supplied value stands for itself alone.',
    variant: admitsBy((member, supplied) => {
      const parts = supplied.split('%').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return new RegExp(`^${parts.join('.*')}$`).test(member);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(2, 'drawing') });
      return listAt(await edda.read(made, byCategory('d%')), '/data/files').length > 0;
    },
  },
  'filter.value-latin1': {
    source: 'core: Server side paging 5',
    breaks: 'A supplied value beyond ASCII admits entries with it.',
    variant: changes(
      'entries',
      'filterOf',
      (applied) => applied && { ...applied, value: Buffer.from(applied.value, 'utf8').toString('latin1') },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(2, 'Zürich') });
      return listAt(await edda.read(made, byCategory('Zürich')), '/data/files').length !== 2;
    },
  },
  'filter.cached-without-value': {
    source: 'core: Server side paging 5',
    breaks: 'What a filtered read shows is decided by the value that comes with it.',
    variant: breaks('instances', 'assembleInstance', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, call, reading, object, view, filter) => {
        if (filter === undefined) return right(areas, call, reading, object, view);
        const key = [object.oid, object.version, view.id, filter.filter.id, areas.memory.rightsOf(call)].join();
        const found = kept.get(key) ?? right(areas, call, reading, object, view, filter);
        kept.set(key, found);
        return found;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [...filesOf(2, 'a'), ...filesOf(1, 'b')] });
      await edda.read(made, byCategory('a'));
      return listAt(await edda.read(made, byCategory('b')), '/data/files').length !== 1;
    },
  },
  'filter.ignored-in-batch': {
    source: 'core: Server side paging 5',
    breaks: 'A read in a batch is filtered as the query of its href says.',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      call.isSibling === undefined ? right(areas, call, softType, parameter) : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [...filesOf(2, 'a'), ...filesOf(1, 'b')] });
      const { json } = await edda.batch([{ method: 'GET', href: made.path + byCategory('b') }]);
      return listAt(json, '/0/body/data/files').length !== 1;
    },
  },
  'filter.fixed-value-overridden': {
    source: 'core: Server side paging 5',
    breaks: 'A value is supplied only where the configured one is blank.',
    variant: changes('entries', 'filterOf', (applied, _areas, call) => {
      const supplied = [...call.query].find(([name]) => name.includes('.'))?.[1];
      return applied?.filter.equals === undefined || supplied === undefined ? applied : { ...applied, value: supplied };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [...filesOf(2, 'drawing'), ...filesOf(1, 'letter')] });
      const read = await edda.read(made, '?softTypeFilterId=drawings&fileGroup.category=letter');
      return listAt(read, '/data/files').length !== 2;
    },
  },
  'links.filtered-read-shows-all': {
    source: 'core: What the service does',
    breaks: 'Links of a filtered read too are those of what the user may do.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) =>
      right(filter ? within(areas, { auth: { mayUse: () => true } }) : areas, call, object, view, slices, filter),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const read = await rita.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/method') !== 'GET');
    },
  },
  'links.batch-read-shows-all': {
    source: 'core: What the service does',
    breaks: 'Links of a read in a batch too are those of what the user may do.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const all = call.isSibling === undefined ? areas : within(areas, { auth: { mayUse: () => true } });
      return right(all, call, object, view, slices, filter);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const { json } = await rita.batch([{ method: 'GET', href: made.path }]);
      return listAt(json, '/0/body/links').some((link) => at(link, '/method') !== 'GET');
    },
  },
  'paging.page-href-of-node': {
    source: 'core: Page response, href',
    breaks: 'A page names its URI at the gateway.',
    variant: changes('paging', 'assemblePage', (page) => ({
      ...page,
      href: `http://node-2.internal:8080${page.href}`,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      return String(at((await edda.page(made, 'files', 0)).json, '/href')).includes('internal');
    },
  },
  'paging.nested-whole-on-pages': {
    source: 'core: Limits',
    breaks: 'An array inside an entry holds at most ten, on a page too.',
    variant: during('paging', 'assemblePage', (step) =>
      replaces('entries', 'nestedReadRange', (right, areas) => (step.isOn() ? whole : right(areas))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [{ name: 'a', revisions: many(12, (n) => ({ text: `r${n}` })) }],
      });
      return listAt((await edda.page(made, 'files', 0)).json, '/data/0/revisions').length > 10;
    },
  },
  'deleting.pages-remain': {
    source: 'core: Errors, 404',
    breaks: 'Pages of a deleted object are gone.',
    variant: breaks('dispatcher', 'carryOutRead', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, route, call, reading) => {
        if (route.path !== routes.page) return right(areas, route, call, reading);
        const key = `${call.url} ${areas.memory.rightsOf(call)}`;
        const isThere = (await reading.object(call.space.id, call.params['objectId'] ?? '')) !== undefined;
        const before = kept.get(key);
        if (!isThere && before !== undefined) return before;
        const answer = await right(areas, route, call, reading);
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      await edda.page(made, 'files', 0);
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 0)).status === 200;
    },
  },
};
