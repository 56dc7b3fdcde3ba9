import type { Areas } from '../../../reference-server/areas.ts';
import type { AppliedFilter } from '../../../reference-server/areas/entries.ts';
import type { Reading, StoredEntry, StoredObject } from '../../../reference-server/ports/store.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { type Variant, Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, at, listAt, many } from '../service.ts';

const moving = new Step();

/** Every edit leaves the version that it made in the object, but not what runs in the step. */
function stampsAllBut(step: Step): Variant {
  return replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) =>
    right(areas, writing, object, version, step.isOn() ? content : { ...content, $stamp: version }),
  );
}

function stampOf(content: Readonly<Record<string, unknown>>, version: number): number {
  if (typeof content['$stamp'] === 'number') return content['$stamp'];
  return Math.min(version, 1);
}

const demoting = new Step();

/** What filters compare, by entry, as it was when a filter first met the entry. */
const indexes = new WeakMap<object, Map<string, string>>();

async function admitted(
  { store }: Areas,
  reading: Reading,
  { oid }: StoredObject,
  port: string,
  { filter, value }: AppliedFilter,
): Promise<readonly StoredEntry[]> {
  const index = indexes.get(store) ?? new Map<string, string>();
  indexes.set(store, index);
  const entries = await reading.entries(oid, port, { from: 0, to: 100_000 });
  return entries.filter(({ entryId, content }) => {
    const key = `${oid} ${port} ${entryId} ${filter.member}`;
    const known = index.get(key) ?? String(content[filter.member]);
    index.set(key, known);
    return known === value;
  });
}

/** Pages of the first array with that sectionPath, as a client asks for them. */
async function follow(edda: Client, read: unknown, section: string, page: number): Promise<unknown> {
  const link = listAt(read, '/links').find((item) => at(item, '/sectionPath') === section);
  const href = String(at(link, '/href')).replace('{pageNumber}', String(page));
  return (await edda.get(href)).json;
}

export const reading: Batch = {
  'reading.nested-ids-are-positions': {
    source: 'core: System properties, $entryId',
    breaks: 'The id that a read shows of an entry inside an entry is the one by which a partial update finds it.',
    kind: 'place',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const out = right(areas, space, member, entry);
      const arrays = Object.entries(out).filter(([, value]) => Array.isArray(value));
      const numbered = arrays.map(([name]) => [
        name,
        listAt(out, `/${name}`).map((item, index) => (isContent(item) ? { ...item, $entryId: index + 1 } : item)),
      ]);
      return { ...out, ...Object.fromEntries(numbered) };
    }),
    shows: async ({ edda }) => {
      const revisions = ['one', 'two', 'three'].map((text) => ({ text }));
      const made = await edda.make('Document', { title: 'nested', files: [{ name: 'a', revisions }] });
      const before = await edda.read(made);
      const [entry, second] = ['/data/files/0/$entryId', '/data/files/0/revisions/1/$entryId'].map((path) =>
        String(at(before, path)),
      );
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${entry}/revisions/${second}/` }]);
      const last = String(at(await edda.read(made), '/data/files/0/revisions/1/$entryId'));
      const path = `/files/${entry}/revisions/${last}/text`;
      return (await edda.operate(made, 2, [{ op: 'replace', path, value: 'new' }])).status >= 400;
    },
  },
  'reading.inner-version-lags-after-demote': {
    source: 'core: System properties, $version',
    breaks: 'The version inside the data is the one beside it, whatever the last write was.',
    kind: 'moment',
    variant: together(
      stampsAllBut(demoting),
      replaces('maturity', 'demoteObject', (right, areas, call, writing) =>
        demoting.run(() => right(areas, call, writing)),
      ),
      replaces('instances', 'systemMembers', (right, areas, object) => ({
        ...right(areas, object),
        $version: stampOf(object.content, object.version),
      })),
    ),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'down again' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },
  'paging.page-version-counts-no-moves': {
    source: 'core: Page response, version',
    breaks: 'The version of a page is that of its object, promotes included.',
    kind: 'combination',
    variant: together(
      stampsAllBut(moving),
      replaces('maturity', 'promoteObject', (right, areas, call, writing) =>
        moving.run(() => right(areas, call, writing)),
      ),
      replaces('paging', 'assemblePage', async (right, areas, call, reading, object, ...rest) => ({
        ...(await right(areas, call, reading, object, ...rest)),
        version: stampOf(object.content, object.version),
      })),
    ),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', {
        title: 'pages of a moved one',
        files: many(12, (number) => ({ name: `f${number}` })),
      });
      await edda.move(made, 1);
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'paging.second-long-array-has-the-href-of-the-first': {
    source: 'core: Server side paging 2 and 3',
    breaks: 'Each array that is too long has a link of its own, which leads to its own pages.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const first = links.find(({ rel }) => rel === 'page');
      return links.map((link) => (link.rel === 'page' && first !== undefined ? { ...link, href: first.href } : link));
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', {
        title: 'two long ones',
        files: many(11, (number) => ({ name: `f${number}` })),
        contacts: many(12, (number) => ({ role: `r${number}` })),
      });
      const page = await follow(edda, await edda.read(made), 'contacts', 1);
      return at(page, '/data/0/role') !== 'r11';
    },
  },
  'paging.filter-knows-former-values': {
    source: 'core: Server side paging 5',
    breaks:
      'A filter admits entries by the values that they have now, also where one was edited after a filtered read.',
    kind: 'copy',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, applied) => {
        if (applied === undefined || section.port !== applied.filter.port)
          return right(areas, reading, object, section, range, applied);
        return (await admitted(areas, reading, object, section.port, applied)).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, applied) => {
        if (applied === undefined || section.port !== applied.filter.port)
          return right(areas, reading, object, section, applied);
        return (await admitted(areas, reading, object, section.port, applied)).length;
      }),
    ),
    shows: async ({ edda }) => {
      const files = [{ name: 'a', category: 'letter' }];
      const made = await edda.make('Document', { title: 'becomes a drawing', files });
      const query = '?softTypeFilterId=drawings';
      const entry = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.read(made, query);
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${entry}/category`, value: 'drawing' }]);
      return listAt(await edda.read(made, query), '/data/files').length !== 1;
    },
  },
  'links.batched-read-offers-everything': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'The links of a read are those of the user who reads, also where the read is an operation of a batch.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, ...rest) => {
      const links = right(areas, call, object, view, ...rest);
      if (call.isSibling === undefined) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = links.filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    shows: async ({ edda, rita }) => {
      const made = await edda.make('Document', { title: 'for readers' });
      const { json } = await rita.batch([{ method: 'GET', href: made.path }]);
      return listAt(json, '/0/body/links').some((link) => at(link, '/method') !== 'GET');
    },
  },
};
