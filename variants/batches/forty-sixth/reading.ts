import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { inputJsonSchema } from '../../../reference-server/areas/soft-type.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named, scheduleTask } from '../proofs.ts';
import { at, listAt, many, pagePath } from '../service.ts';

/** More entries than anybody tries would be told of. */
const mostTold = 100;
const page = new Step();
const openApiOf = (space: string): string => `/space/${space}/SoftType/dynamic/softtype.openApi`;

/** Spaces, definitions and reads. */
export const readingMistakes: Batch = {
  'root.nested-arrays': {
    source: 'core: What the service does',
    breaks: 'Everything is below the API root, the pages of an array inside an entry too.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return section.items === undefined ? href : href.replace(/^\/api/, '');
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      const link = links.find((candidate) => String(at(candidate, '/sectionPath')).includes('revisions'));
      return !String(at(link, '/href')).startsWith('/api/');
    },
  },

  'space.delete-reaches-next-door': {
    source: 'core: What the service does',
    breaks: 'A space route is about the space that it names: what is in another one cannot be deleted by it.',
    kind: 'place',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      try {
        return await right(areas, call, reading);
      } catch (error) {
        if (call.method !== 'DELETE' || !(error instanceof Refusal)) throw error;
        for (const spaceId of areas.configuration.spaces.keys()) {
          const found = await reading.object(spaceId, call.params.objectId ?? '');
          if (found !== undefined) return found;
        }
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.delete(made.path.replace('/main/', '/depot/'));
      return (await edda.get(made.path)).status !== 200;
    },
  },

  'template.space-that-was-asked-first': {
    source: 'core: What the service does',
    breaks: 'The routes of a space depend on its template, and so does the definition of them.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: Promise<Answer> | undefined;
      return async (areas, call) => (first ??= right(areas, { ...call, headers: {} }));
    }),
    async shows({ edda }) {
      await edda.get(openApiOf('main'));
      return !(await edda.get(openApiOf('depot'))).text.includes('Dossier');
    },
  },

  'schema.input-of-the-same-name': {
    source: 'core: SoftType read response',
    breaks: 'The schema is that of the instance as it is read, where an input schema has the same name too.',
    kind: 'combination',
    survives: 'What the schema of an instance holds is not said: whether data fit it is recorded.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) => {
      const input = softType.inputs.get(view.id);
      return input === undefined ? right(areas, softType, view) : inputJsonSchema(softType, input);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Requirement', { text: 't', priority: 1 });
      const read = await edda.get(`/api/space/main/softtype/Requirement/requirementText/${oid}`);
      return at(read.json, '/schema/properties/priority') === undefined;
    },
  },

  'pages.total-up-to-a-hundred': {
    source: 'core: Link object',
    breaks: 'The link tells the number of all entries, of more than a hundred too.',
    kind: 'value',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return { ...link, totalNumber: Math.min(total, mostTold) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(mostTold + 1) });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/totalNumber') === mostTold);
    },
  },

  'etag.progress-does-not-count': {
    source: 'core: Common request headers, If-None-Match',
    breaks: 'The ETag is another one when the data has changed, be it the progress of a job alone.',
    kind: 'copy',
    variant: replaces('caching', 'etagOf', (right, areas, representation) =>
      right(areas, representation.toString().replace(/"progress":"[^"]*",?/, '')),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const path = await scheduleTask(service);
      await service.edda.put(`${path}/progress`, undefined, { message: 'half' });
      const etag = (await service.edda.get(path)).headers.get('etag') ?? '';
      await service.edda.put(`${path}/progress`, undefined, { message: 'most' });
      return (await service.edda.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },

  'links.pages-of-the-filtered-array-alone': {
    source: 'core: Server side paging 2',
    breaks: 'A long array has its page link, where a filter shapes another array too.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) =>
      filter !== undefined && filter.filter.port !== slice.section.port
        ? []
        : right(areas, object, view, slice, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(11) });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return !listAt(read, '/links').some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },

  'pages.in-the-order-of-their-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what the first read includes, where entries were put into another order too.',
    kind: 'combination',
    variant: together(
      replaces('paging', 'assemblePage', (right, ...args) => page.run(() => right(...args))),
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (!page.isOn()) return right(areas, reading, object, section, range, filter);
        const all = await right(areas, reading, object, section, { from: 0, to: Number.MAX_SAFE_INTEGER }, filter);
        return all.toSorted((one, other) => one.entryId - other.entryId).slice(range.from, range.to);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(11) });
      const ids = (read: unknown, pointer: string) => listAt(read, pointer).map((entry) => at(entry, '/$entryId'));
      const first = ids(await edda.read(made), '/data/contacts');
      const second = ids((await edda.page(made, 'contacts', 1)).json, '/data');
      const contacts = [...first, ...second].toReversed().map(($entryId, index) => ({ $entryId, name: `c${index}` }));
      await edda.merge(made, 1, { contacts });
      const read = ids(await edda.read(made), '/data/contacts');
      return String(ids((await edda.page(made, 'contacts', 0)).json, '/data')) !== String(read);
    },
  },

  'page.not-modified': {
    source: 'core: Errors, 200',
    breaks: 'A page is answered with its data, also to a client that names the version as its ETag.',
    kind: 'place',
    survives:
      'Whether reads of SoftTypes have an ETag, be it their version, and are answered by 304 is not said: recorded.',
    variant: replaces('paging', 'readPage', (right, areas, call, reading) =>
      call.headers['if-none-match'] === `"${call.object.version}"`
        ? Promise.resolve({ status: 304 })
        : right(areas, call, reading),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      return (await edda.get(pagePath(made, 'files', 1), { 'If-None-Match': '"1"' })).status === 304;
    },
  },
};
