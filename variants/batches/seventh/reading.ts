import { type Variant, Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

const inBatch = new Step();

/** Whatever a batch carries out is known to be inside one. */
const batchIsKnown: Variant = replaces('batch', 'runOperation', (right, areas, ...args) =>
  inBatch.run(() => right(areas, ...args)),
);

const edited = new Set<string>();

function decodedAgain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** An entry whose own arrays count their objects from one. */
function withPositions(entry: object): object {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) =>
      Array.isArray(value) && value.every((item) => typeof item === 'object')
        ? [[name, value.map((item: object, index) => ({ ...item, $entryId: index + 1 }))] as const]
        : [],
    ),
  );
}

export const reading: Batch = {
  'reading.page-version-of-first-visit': {
    source: 'core: Page response',
    breaks: 'The version in a page is the one that the object has now.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const seen = new Map<string, number>();
      return async (areas, ...args) => {
        const body = await right(areas, ...args);
        const { oid } = args[2];
        const version = seen.get(oid) ?? body.version;
        seen.set(oid, version);
        return { ...body, version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'reading.filter-drops-links-of-other-arrays': {
    source: 'core: Server side paging 2',
    breaks: 'An array of more than ten has its page link, whatever another array is filtered by.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      if (filter !== undefined && filter.filter.port !== slice.section.port) return [];
      return right(areas, object, view, slice, filter);
    }),
    async shows({ edda }) {
      const contacts = many(11, (n) => ({ name: `c${n}` }));
      const made = await edda.make('Document', { title: 't', contacts, files: [{ name: 'f', category: 'drawing' }] });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      return !links.some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },
  'reading.filter-behind-the-cut-on-later-pages': {
    source: 'core: Server side paging 5',
    breaks: 'A page under a filter holds the next ten of the entries that the filter admits.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, store, object, section, range, filter) => {
      if (filter === undefined || range.from === 0 || filter.filter.port !== section.port)
        return right(areas, store, object, section, range, filter);
      const all = await right(areas, store, object, section, range);
      return all.filter(({ content }) => String(content[filter.filter.member]) === filter.value);
    }),
    async shows({ edda }) {
      const files = many(25, (n) => ({ name: `f${n}`, category: n % 2 === 1 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=drawings');
      return at(page.json, '/data/0/name') !== 'f21';
    },
  },
  'reading.page-ten-is-page-one': {
    source: 'core: Server side paging 3',
    breaks: 'The number of a page is read to its last digit.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => Number(String(right(areas, call)).charAt(0))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: many(103, (n) => ({ name: `c${n}` })) });
      return listAt((await edda.page(made, 'contacts', 10)).json, '/data').length !== 3;
    },
  },
  'reading.batch-read-offers-everything': {
    source: 'core: What the service does, hypermedia',
    breaks: 'Links of a read inside a batch are those of the user who sent it.',
    kind: 'role',
    variant: together(
      batchIsKnown,
      replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
        const links = right(areas, call, object, view, slices, filter);
        if (!inBatch.isOn()) return links;
        const softType = areas.objects.softTypeOf(call.space, object.softType);
        const pages = links.filter(({ rel }) => rel === 'page');
        return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
      }),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await rita.batch([{ method: 'GET', href: made.path }]);
      return listAt(json, '/0/body/links').some((link) => at(link, '/method') !== 'GET');
    },
  },
  'reading.inner-ids-are-positions': {
    source: 'core: System properties, $entryId',
    breaks: 'The id that is shown of an object in an inner array is the one by which operations know it.',
    kind: 'moment',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const out = right(areas, space, member, entry);
      return { ...out, ...withPositions(out) };
    }),
    async shows({ edda }) {
      const revisions = many(3, (n) => ({ text: `r${n}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions }] });
      const file = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}`;
      const idOf = async (index: number): Promise<string> =>
        String(at(await edda.read(made), `/data/files/0/revisions/${index}/$entryId`));
      await edda.operate(made, 1, [{ op: 'remove', path: `${file}/revisions/${await idOf(0)}/` }]);
      const path = `${file}/revisions/${await idOf(0)}/text`;
      await edda.operate(made, 2, [{ op: 'replace', path, value: 'changed' }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== 'changed';
    },
  },
  'reading.reference-ids-begin-anew-on-each-page': {
    source: 'core: Page response, data',
    breaks: 'The id of a reference tells it from the references of all other pages.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const body = await right(areas, ...args);
      if (args[4].member.kind !== 'references') return body;
      return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: index + 1 })) };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't', describes: many(12, () => ({ value: { $oid: oid } })) });
      const ids = await Promise.all(
        [0, 1].map(async (page) => at((await edda.page(made, 'describes', page)).json, '/data/0/$entryId')),
      );
      return ids[0] === ids[1];
    },
  },
  'reading.filter-value-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value that a query gives to a filter is decoded once.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const filter = right(areas, call, softType, parameter);
      return filter && { ...filter, value: decodedAgain(filter.value) };
    }),
    async shows({ edda }) {
      const files = ['%41', 'A'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=%2541');
      return at(read, '/data/files/0/name') !== '%41';
    },
  },
  'reading.template-is-encoded-under-a-filter': {
    source: 'core: Server side paging 3',
    breaks: 'The href of a page link holds the template of the page number as it is written, also beside a query.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter === undefined ? link : { ...link, href: encodeURI(decodeURI(link.href)) };
    }),
    async shows({ edda }) {
      const files = many(12, (n) => ({ name: `f${n}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      const link = links.find((item) => at(item, '/rel') === 'page');
      return !String(at(link, '/href')).includes('{pageNumber}');
    },
  },
  'reading.inner-version-lags-in-a-batch': {
    source: 'core: System properties, $version',
    breaks: 'The version inside data is the one beside it, also behind an edit of the same batch.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        if (inBatch.isOn()) edited.add(`${object.oid} ${version}`);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const members = right(areas, object);
        if (!inBatch.isOn() || !edited.has(`${object.oid} ${object.version}`)) return members;
        return { ...members, $version: object.version - 1 };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/documentInput/${made.oid}`,
          headers: { 'Svc-UOIVersion': '1' },
          body: { note: 'n' },
        },
        { method: 'GET', href: made.path },
      ]);
      return at(json, '/1/body/version') !== at(json, '/1/body/data/$version');
    },
  },
};
