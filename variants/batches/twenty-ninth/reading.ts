import { mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Store } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Versions by object as the last write left them, kept or not. */
const written = new Map<string, number>();

/** Definitions with an object, by where they are kept. */
const inUse = new WeakMap<Store, Set<string>>();

const byCategory = (category: string) => `?softTypeFilterId=byCategory&fileGroup.category=${category}`;

export const readingMistakes: Batch = {
  'reading.version-of-what-was-undone': {
    source: 'core: SoftType read response',
    breaks: 'The version of a read is the current one, also after a batch that raised it was undone.',
    kind: 'copy',
    variant: together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        written.set(object.oid, version);
      }),
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
        const instance = await right(areas, call, reading, object, view, filter);
        const version = written.get(object.oid) ?? object.version;
        return { ...instance, version, data: { ...instance.data, $version: version } };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      await edda.batch([
        { method: 'PATCH', href: `/api/space/main/softtype/Part/partInput/${made.oid}`, ...edit },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'reading.number-as-text-under-a-filter': {
    source: 'core: Versioning 1',
    breaks: 'The version inside the data is an integer, in a filtered read as well.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const instance = await right(areas, call, reading, object, view, filter);
      if (filter === undefined) return instance;
      return { ...instance, data: { ...instance.data, $version: String(object.version) as never } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/data/$version') !== 1;
    },
  },

  'reading.one-value-for-readers': {
    source: 'core: Server side paging 5',
    breaks: 'The value that a request gives decides what a blank filter admits, for those who may only read as well.',
    kind: 'role',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const filter = call.query.get('softTypeFilterId');
        if (filter === null || areas.auth.mayUse(call.user, call.space, 'PUT')) return right(areas, call, reading);
        const key = `${call.object.oid} ${call.object.version} ${call.place.view.id} ${filter}`;
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda, rita }) {
      const files = ['a', 'b', 'b'].map((category, index) => ({ name: `n${index}`, category }));
      const made = await edda.make('Document', { title: 't', files });
      await rita.read(made, byCategory('a'));
      return listAt(await rita.read(made, byCategory('b')), '/data/files').length !== 2;
    },
  },

  'paging.no-pages-left-to-number': {
    source: 'core: Server side paging 3',
    breaks: 'Page 0 is there after the array has become short enough for one read.',
    kind: 'moment',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const total = await areas.entries.totalOf(reading, object, section, filter);
        if (page === 0 && object.version > 1 && total > 0 && total <= 10)
          throw new Refusal(404, 'The array is not paged.');
        return right(areas, call, reading, object, view, section, page, filter);
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(11) });
      const id = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${id}/` }]);
      return (await edda.page(made, 'contacts', 0)).status !== 200;
    },
  },

  'openapi.what-nobody-made-yet': {
    source: 'core: Endpoint table',
    breaks: 'The dynamic definitions are of all configured SoftTypes, also before the first object of one is made.',
    kind: 'moment',
    variant: together(
      replaces('objects', 'createViewOf', (right, areas, softType, schemaId) => {
        const known = inUse.get(areas.store) ?? new Set();
        inUse.set(areas.store, known.add(softType.id));
        return right(areas, softType, schemaId);
      }),
      replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
        const whole = await right(areas, { ...call, headers: {} });
        const document: unknown = JSON.parse(String(whole.raw));
        const known = inUse.get(areas.store) ?? new Set();
        const unused = [...call.space.template.softTypes.keys()].filter((id) => !known.has(id));
        const paths = at(document, '/paths');
        const kept = Object.entries(isContent(paths) ? paths : {}).filter(
          ([path]) => !path.split('/').some((segment) => unused.includes(segment)),
        );
        const raw = JSON.stringify({ ...(document as object), paths: Object.fromEntries(kept) });
        return areas.caching.conditional(call, { status: 200, headers: { 'Content-Type': mediaTypes.json }, raw });
      }),
    ),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !Object.keys(at(json, '/paths') ?? {}).some((path) => path.includes('/Requirement/'));
    },
  },

  'reading.an-empty-filter-header': {
    source: 'core: Common request headers',
    breaks: 'A request needs an information filter; a header without any text is none.',
    kind: 'value',
    survives:
      'What a filter that is no Base64 of a JSON object is answered with is not described, and a text without a character is one.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers['svc-informationfilter'] === '' ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const { status } = await edda.get(made.path, { 'svc-informationfilter': ' ' });
      return status === 200;
    },
  },
};

const edit = { headers: { 'Svc-UOIVersion': '1' }, body: { note: 'changed' } };
