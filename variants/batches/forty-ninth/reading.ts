import type { Link } from '../../../contract/wire.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many, spaceFiles } from '../service.ts';

/** What reads, pages and links show, and what is not sent again. */
export const readingMistakes: Batch = {
  'links.way-back-below-no-root': {
    source: 'core: What the service does, the API root',
    breaks: 'A link leads below the API root, that of a step back too, which is there after a promote.',
    kind: 'place',
    variant: replaces('hypermedia', 'operationLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.rel === 'demote' ? { ...link, href: link.href.replace(/^\/api/, '') } : link,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'demote');
      return (await edda.put(String(at(link, '/href')), 2)).status === 404;
    },
  },

  'reading.second-node-hears-of-no-promote': {
    source: 'core: What the service does, the gateway',
    breaks: 'Behind the gateway any node answers with the object as it is, after a promote too.',
    kind: 'copy',
    variant: ofTwoNodes(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (const _each of many(2, () => 0)) await edda.read(made);
      await edda.move(made, 1);
      const reads = [await edda.read(made), await edda.read(made)];
      return reads.some((read) => at(read, '/version') === 1);
    },
  },

  'reading.nothing-in-a-narrow-view': {
    source: 'core: SoftType read response, data',
    breaks: 'The data hold what the output schema has, zero and the empty text too.',
    kind: 'combination',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const all = space.template.softTypes.get(object.softType)?.members.size ?? 0;
      if (view.names.size === all) return data;
      return Object.fromEntries(Object.entries(data).filter(([, value]) => Boolean(value))) as typeof data;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't', pageCount: 0 });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/pageCount') === undefined;
    },
  },

  'system.softtype-of-the-body': {
    source: 'core: System properties inside data, $softType',
    breaks: 'The SoftType of an object is that of its definition, whatever the body of a PUT says.',
    kind: 'value',
    survives: 'What system properties in the body of an edit do is not said (system-members-on-write): recorded.',
    variant: (classes) => {
      const told = new Map<string, string>();
      return together(
        replaces('editing', 'putObject', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
          const softType = at(call.json, '/$softType');
          if (typeof softType === 'string') told.set(call.object.oid, softType);
          return answer;
        }),
        replaces('instances', 'systemMembers', (right, areas, object) => ({
          ...right(areas, object),
          $softType: told.get(object.oid) ?? object.softType,
        })),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.replace(made, 1, { title: 'u', $softType: 'Part' });
      return at(await edda.read(made), '/data/$softType') === 'Part';
    },
  },

  'links.one-for-arrays-of-one-length': {
    source: 'core: Link object, sectionPath',
    breaks: 'A page link names the array that it belongs to, also where another one is as long.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const links = new Map<string, Link>();
      return (areas, object, view, section, total, filter) => {
        const key = `${object.oid} ${object.version} ${view.id} ${total} ${filter?.filter.id} ${filter?.value}`;
        const link = links.get(key) ?? right(areas, object, view, section, total, filter);
        links.set(key, link);
        return link;
      };
    }),
    async shows({ edda }) {
      const read = await edda.read(await edda.make('Document', { title: 't', files: named(12), contacts: named(12) }));
      const sections = listAt(read, '/links').flatMap((link) => at(link, '/sectionPath') ?? []);
      return !sections.includes('contacts');
    },
  },

  'links.pages-that-were-once-there': {
    source: 'core: Link object, pages',
    breaks: 'The number of pages is that of the array as it is, after a removal too.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const most = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const link = right(areas, object, view, section, total, filter);
        const key = `${object.oid} ${section.path} ${filter?.filter.id} ${filter?.value}`;
        const pages = Math.max(most.get(key) ?? 0, link.pages ?? 0);
        most.set(key, pages);
        return { ...link, pages };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(21) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/pages') === 3;
    },
  },

  'page.href-of-the-outer-array': {
    source: 'core: Page response, href',
    breaks: 'The href of a page leads to that page, of an array inside an entry too.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const { path } = args[4];
      const [outer = ''] = path.split('/');
      return { ...page, href: page.href.replace(encodeURIComponent(path), encodeURIComponent(outer)) };
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `l${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const page = await edda.page(made, `files/${id}/revisions`, 0);
      const again = await edda.get(String(at(page.json, '/href')));
      return JSON.stringify(again.json) !== JSON.stringify(page.json);
    },
  },

  'filter.none-on-the-long-route': {
    source: 'core: Server side paging 5',
    breaks: 'A filter is applied by its identifier on the instance GET, on its longer path too.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const files = ['drawing', 'letter'].map((category) => ({ name: 'n', category }));
      const { oid } = await edda.make('Document', { title: 't', files });
      const read = await edda.get(`/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`);
      return listAt(read.json, '/data/files').length === 2;
    },
  },

  'caching.tag-of-name-and-size': {
    source: 'core: Versioning 4',
    breaks: 'Changed data answer 200, a file that is as long as the one before it too.',
    kind: 'value',
    survives: 'Whether a file counts among the data that have ETags is not said (download-metadata-headers): remarked.',
    variant: replaces('fileAreas', 'fileRecordOf', async (right, areas, place, stamp) => {
      const [record, info] = [await right(areas, place, stamp), await areas.fileStore.describe(place)];
      if (record === undefined || info?.kind !== 'file') return record;
      return { ...record, md5: `${info.size}-${encodeURIComponent(place.segments.at(-1) ?? '')}` };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/note.txt`;
      await edda.upload('note.txt', 'old');
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      await edda.upload('note.txt', 'new');
      return (await edda.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
};

/** Two nodes, of which the second keeps what it read until it hears of an edit. */
function ofTwoNodes(): Variant {
  return (classes) => {
    const edits = new Map<string, number>();
    const kept = new Map<string, Answer>();
    let reads = 0;
    return together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        const [before, after] = [object.content, content].map((each) => JSON.stringify(each[statesMember]));
        if (before === after) edits.set(object.oid, (edits.get(object.oid) ?? 0) + 1);
      }),
      replaces('instances', 'readInstance', async (right, areas, call, reading) => {
        reads += 1;
        if (reads % 2 === 0 || 'insertObject' in reading) return right(areas, call, reading);
        const { oid } = call.object;
        const key = `${oid} ${edits.get(oid)} ${call.url} ${call.user.name}`;
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        kept.set(key, answer);
        return answer;
      }),
    )(classes);
  };
}
