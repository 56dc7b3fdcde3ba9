import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, movePath, type Service } from '../service.ts';

const dynamicPath = '/space/main/SoftType/dynamic/softtype.openApi';

/** Files of a document, with these categories in turn. */
function filesIn(count: number, ...categories: readonly string[]): readonly object[] {
  return many(count, (number) => ({ name: `n${number}`, category: categories[number % categories.length] }));
}

async function pageLinkAt({ edda }: Service, path: string): Promise<unknown> {
  return listAt((await edda.get(path)).json, '/links').find((link) => at(link, '/rel') === 'page');
}

/** What is read is what was stored, where it is said to be. */
export const readingMistakes: Batch = {
  'reading.small-numbers-are-rounded': {
    source: 'core: SoftType read response',
    breaks: 'A number is read as it was written, with all of its digits.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const input = right(areas, rules, softType, view, body);
      const rounded = Object.entries(input.content).map(
        ([name, value]) => [name, typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value] as const,
      );
      return { ...input, content: Object.fromEntries(rounded) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', weight: 0.000_000_1 });
      return at(await edda.read(made), '/data/weight') !== 0.000_000_1;
    },
  },
  'reading.in-a-batch-the-batch-is-named': {
    source: 'core: SoftType read response',
    breaks: 'The href of a read response is the URI of the instance, in a batch as well.',
    kind: 'place',
    variant: replaces('instances', 'readInstance', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      if (!('insertObject' in reading) || !isContent(answer.body)) return answer;
      return { ...answer, body: { ...answer.body, href: `/api/space/${call.space.id}/batch` } };
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 't' });
      const batch = await edda.batch([{ method: 'GET', href: path }]);
      return String(at(batch.json, '/0/body/href')).endsWith('/batch');
    },
  },
  'reading.the-text-null-is-no-value': {
    source: 'core: SoftType read response',
    breaks: 'The text of four letters that spells null is a value like any other.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== 'null')) as typeof data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'null' });
      return at(await edda.read(made), '/data/note') !== 'null';
    },
  },
  'reading.demoted-has-the-id-of-its-state': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, after a demote as before.',
    kind: 'moment',
    variant: together(
      replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
        const { $demoted: _former, ...next } = right(areas, content, level, state);
        const $demoted = at(next, `/$states/${level}/$oid`);
        return state === 'draft' || state === 'open' ? { ...next, $demoted } : next;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const { $demoted } = object.content;
        return { ...right(areas, object), ...(typeof $demoted === 'string' && { $oid: $demoted }) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.put(movePath(made, 'demote'), 2);
      return at(await edda.read(made), '/data/$oid') !== made.oid;
    },
  },
  'links.a-reader-gets-an-escaped-template': {
    source: 'core: Link object',
    breaks: 'The href of a page link holds the page number as a template, whoever reads.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return links;
      return links.map((link) => ({ ...link, href: link.href.replace(/\{(\w+)\}/, '%7B$1%7D') }));
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't', files: filesIn(11, 'a') });
      return JSON.stringify(await rita.read(made)).includes('%7BpageNumber%7D');
    },
  },
  'paging.an-empty-entry-has-no-id': {
    source: 'core: Page response',
    breaks: 'Each entry of a page has its id, also one without any other member.',
    kind: 'value',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const data = body.data.map((entry) => (Object.keys(entry).length === 1 ? {} : entry));
        return { ...body, data: data as typeof body.data };
      },
    ),
    async shows({ edda }) {
      const contacts = many(11, (number) => (number === 11 ? {} : { name: 'n' }));
      const made = await edda.make('Document', { title: 't', contacts });
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'paging.remembered-without-the-value': {
    source: 'core: Server side paging 5',
    breaks: 'A page under a filter holds the entries for the value that this request gives, not for one given before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, call, reading, object, view, section, page, filter) => {
        if (filter === undefined || 'insertObject' in reading)
          return right(areas, call, reading, object, view, section, page, filter);
        const key = [object.oid, object.version, view.id, section.path, page, filter.filter.id].join(' ');
        const body = kept.get(key) ?? right(areas, call, reading, object, view, section, page, filter);
        kept.set(key, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesIn(4, 'drawing', 'sheet') });
      const query = '?softTypeFilter=byCategory&fileGroup.category=';
      await edda.page(made, 'files', 0, `${query}drawing`);
      const sheets = await edda.page(made, 'files', 0, `${query}sheet`);
      return at(sheets.json, '/data/0/category') === 'drawing';
    },
  },
  'paging.the-third-page-is-unfiltered': {
    source: 'core: Server side paging 5',
    breaks: 'A filter holds for every page of the array.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) =>
      right(areas, call, reading, object, view, section, page, page >= 2 ? undefined : filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesIn(42, 'drawing', 'sheet') });
      const third = await edda.page(made, 'files', 2, '?softTypeFilter=drawings');
      return listAt(third.json, '/data').length !== 1;
    },
  },
  'links.totals-under-a-filter-are-kept': {
    source: 'core: Server side paging 5',
    breaks: 'Page links under a filter tell of the entries as they are now, in a second read too.',
    kind: 'copy',
    variant: breaks('hypermedia', 'linksOf', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, call, object, view, slices, filter) => {
        const links = right(areas, call, object, view, slices, filter);
        if (filter === undefined) return links;
        const key = [object.oid, view.id, filter.filter.id, filter.value].join(' ');
        const pages = kept.get(key) ?? links.filter(({ rel }) => rel === 'page');
        kept.set(key, pages);
        return [...links.filter(({ rel }) => rel !== 'page'), ...pages];
      };
    }),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document', { title: 't', files: filesIn(11, 'drawing') });
      const path = `${made.path}?softTypeFilterId=drawings`;
      await pageLinkAt(service, path);
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'm', category: 'drawing' } }]);
      return at(await pageLinkAt(service, path), '/totalNumber') === 11;
    },
  },
  'versions.the-data-lags-in-a-batch': {
    source: 'core: Versioning 1',
    breaks: 'The version in the data is that beside it, also where the batch has changed the object before.',
    kind: 'combination',
    variant: replaces('instances', 'readInstance', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      if (call.isChangedHere?.(call.object.oid) !== true || !isContent(answer.body)) return answer;
      const data = { ...(answer.body['data'] as object), $version: call.object.version - 1 };
      return { ...answer, body: { ...answer.body, data } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const href = `/api/space/main/softtype/Part/partInput/${made.oid}`;
      const batch = await edda.batch([
        { method: 'PATCH', href, headers: { 'Svc-UOIVersion': '1' }, body: { note: 'm' } },
        { method: 'GET', href: made.path },
      ]);
      return at(batch.json, '/1/body/version') !== at(batch.json, '/1/body/data/$version');
    },
  },
  'openapi.the-first-to-ask-misses-a-definition': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions are those of all configured SoftTypes, from the first request on.',
    kind: 'moment',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let isFirst = true;
      return (areas, call) => {
        if (!isFirst) return right(areas, call);
        isFirst = false;
        const { template } = call.space;
        const softTypes = new Map([...template.softTypes].slice(0, -1));
        return right(areas, { ...call, space: { ...call.space, template: { ...template, softTypes } } });
      };
    }),
    async shows({ edda }) {
      return !(await edda.get(dynamicPath)).text.includes('changeRequestInput');
    },
  },
};
