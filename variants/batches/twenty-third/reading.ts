import type { Page } from '../../../contract/wire.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, versionHeader, type Client, type Made } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-of-the-first-filtered-read': {
    source: 'core: System properties, $version',
    breaks: 'The version inside the data is the one beside it, also when a filter was on before and after an edit.',
    kind: 'copy',
    variant: breaks('instances', 'assembleInstance', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading, object, view, filter) => {
        const read = await right(areas, call, reading, object, view, filter);
        if (filter === undefined) return read;
        const $version = versions.get(object.oid) ?? object.version;
        versions.set(object.oid, $version);
        return { ...read, data: { ...read.data, $version } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.read(made, '?softTypeFilterId=drawings');
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/data/$version') !== 2;
    },
  },

  'reading.version-after-a-failed-batch': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the version that the object has, and no edit of a batch that failed counts.',
    kind: 'combination',
    variant: countingWhatWasUndone(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      await edda.batch([edit, { ...edit, headers: versionHeader(9) }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'reading.filter-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'An instance may be filtered by either of its two paths.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't', files: named(2) });
      const path = `/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`;
      return listAt((await edda.get(path)).json, '/data/files').length > 0;
    },
  },

  'reading.all-references': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'A read holds ten entries of an array, of references as well.',
    kind: 'place',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      if (section.member.kind !== 'references') return slice;
      return {
        ...slice,
        entries: await areas.entries.entriesOf(reading, object, section, { from: 0, to: slice.total }),
      };
    }),
    async shows({ edda }) {
      const { oid: $oid } = await edda.make('Part', { name: 'part' });
      const made = await edda.make('Document', { title: 't', describes: many(12, () => ({ value: { $oid } })) });
      return listAt(await edda.read(made), '/data/describes').length > 10;
    },
  },

  'reading.definitions-of-the-first-space': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition tells the SoftTypes of the space that is asked, whichever was asked before.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: SpaceCall['space'] | undefined;
      return (areas, call) => {
        first ??= call.space;
        return right(areas, { ...call, space: first });
      };
    }),
    async shows({ edda }) {
      const inSpace = (id: string) => edda.get(`/space/${id}/SoftType/dynamic/softtype.openApi`);
      await inSpace('main');
      return !(await inSpace('depot')).text.includes('Dossier');
    },
  },

  'paging.pages-one-edit-behind': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what page 0 left out, also when an entry of page 0 was just removed.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Page>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const known = kept.get(body.href);
        if (page > 0 && known?.version === object.version - 1) return { ...body, data: known.data };
        kept.set(body.href, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },

  'paging.version-of-its-entries': {
    source: 'core: Page response, version',
    breaks: 'A page tells the version of its object, also when the last edit touched another member.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const versions = new Map<string, number>();
      return async (areas, ...args) => {
        const body = await right(areas, ...args);
        const key = body.href + JSON.stringify(body.data);
        const version = versions.get(key) ?? body.version;
        versions.set(key, version);
        return { ...body, version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },

  'filters.value-of-digits': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is the text of the query, also when it looks like a number.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, ...args) => {
      const applied = right(areas, ...args);
      if (applied === undefined || !/^\d+$/.test(applied.value)) return applied;
      return { ...applied, value: String(Number(applied.value)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: '007' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=007');
      return listAt(read, '/data/files').length === 0;
    },
  },

  'links.total-of-all-ever': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total of a page link is that of the entries which are there, not of all that ever were.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const most = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const link = right(areas, object, view, section, total, filter);
        const totalNumber = Math.max(total, most.get(link.href) ?? 0);
        most.set(link.href, totalNumber);
        return { ...link, totalNumber };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(13) });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      return at(await pageLinkOf(edda, made), '/totalNumber') !== 12;
    },
  },

  'links.template-under-a-filter': {
    source: 'core: Link object, href',
    breaks: 'The template of a page number stands in the href as it is, also under a filter.',
    kind: 'combination',
    variant: replaces('entries', 'pageHref', (right, areas, ...args) => {
      const [, , , , filter] = args;
      const href = right(areas, ...args);
      return filter === undefined ? href : href.replace('{pageNumber}', '%7BpageNumber%7D');
    }),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files });
      const link = await pageLinkOf(edda, made, '?softTypeFilterId=drawings');
      return !String(at(link, '/href')).includes('{pageNumber}');
    },
  },
};

/** The page link of a document whose files alone have one. */
async function pageLinkOf(client: Client, made: Made, query = ''): Promise<unknown> {
  return listAt(await client.read(made, query), '/links').find((link) => at(link, '/rel') === 'page');
}

/** Path of the first file in an operation. */
export async function firstFile(client: Client, made: Made): Promise<string> {
  return `/files/${String(at(await client.read(made), '/data/files/0/$entryId'))}`;
}

/** Edits are counted beside the store, where nothing is rolled back. */
function countingWhatWasUndone(): Variant {
  return (classes) => {
    const versions = new Map<string, number>();
    return together(
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        versions.set(object.oid, version);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => ({
        ...(await right(areas, call, reading, object, view, filter)),
        version: versions.get(object.oid) ?? object.version,
      })),
    )(classes);
  };
}
