import { type Variant, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Made, at, listAt, many } from '../service.ts';

/** Reads, pages, filters and links. */
export const reading: Batch = {
  'paging.one-digit': {
    source: 'core: Page response',
    breaks: 'The href of a page is the URI of that page, the eleventh page and those behind it included.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) =>
      right(areas, object, view, section, typeof page === 'number' ? firstDigit(page) : page, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', documentWith(101));
      const page = (await edda.page(made, 'files', 10)).json;
      const again = (await edda.get(String(at(page, '/href')))).json;
      return JSON.stringify(at(again, '/data')) !== JSON.stringify(at(page, '/data'));
    },
  },
  'filter.not-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The filter is taken on both forms of the instance GET.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const files = [
        { name: 'one', category: 'drawing' },
        { name: 'two', category: 'letter' },
      ];
      const made = await edda.make('Document', { title: 'filtered', files });
      return listAt((await edda.get(longPath(made, 'documentFull') + drawings)).json, '/data/files').length === 2;
    },
  },
  'links.filtered-for-everybody': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links describe what the current user may do, in a filtered read as well.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      if (filter === undefined) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = links.filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', documentWith(1, { category: 'drawing' }));
      const links = listAt(await rita.read(made, drawings), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },
  'reading.other-view-before-the-promote': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the current version, under each output schema and whoever read it before.',
    kind: 'copy',
    variant: otherViewsBehindPromotes(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept' });
      const path = longPath(made, 'documentSummary');
      await edda.get(path);
      await edda.move(made, 1);
      return at((await edda.get(path)).json, '/version') === 1;
    },
  },
};

const drawings = '?softTypeFilterId=drawings';

function documentWith(count: number, member: object = {}): object {
  return { title: 'long', files: many(count, (number) => ({ name: `file ${number}`, ...member })) };
}

function longPath({ definition, oid }: Made, view: string): string {
  return `/api/space/main/softtype/${definition}/${view}/${oid}`;
}

function firstDigit(page: number): number {
  return Number(String(page).charAt(0));
}

/** Notes of every promote which version it started from. */
function notesPromotes(versions: Map<string, number>): Variant {
  return replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
    versions.set(object.oid, object.version);
    return right(areas, object);
  });
}

function otherViewsBehindPromotes(): Variant {
  const before = new Map<string, number>();
  return together(
    notesPromotes(before),
    breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { version: number; answer: Awaited<ReturnType<typeof right>> }>();
      return async (areas, call, reading, object, view, assemble) => {
        const { softType, version, oid } = object;
        const usual = areas.objects.outputViewOf(areas.objects.softTypeOf(call.space, softType), undefined);
        if (view === usual) return right(areas, call, reading, object, view, assemble);
        const key = `${oid} ${view.id} ${call.user.name}`;
        const known = kept.get(key);
        if (known !== undefined && known.version === before.get(oid) && version === known.version + 1)
          return known.answer;
        const answer = await right(areas, call, reading, object, view, assemble);
        kept.set(key, { version, answer });
        return answer;
      };
    }),
  );
}
