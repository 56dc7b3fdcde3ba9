import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, encoded, listAt, many } from '../service.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export const readingMistakes: Batch = {
  'reading.readers-see-the-first-version': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the current version, also to those who may only read and have read before.',
    kind: 'role',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading, object, view, assemble) => {
        const key = `${object.oid} ${view.id}`;
        const isReader = !areas.auth.mayUse(call.user, call.space, 'PUT');
        const answer =
          (isReader ? kept.get(key) : undefined) ?? (await right(areas, call, reading, object, view, assemble));
        if (isReader) kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await rita.read(made);
      await edda.merge(made, 1, { title: 'again' });
      return at(await rita.read(made), '/version') !== 2;
    },
  },

  'reading.soft-type-of-readers': {
    source: 'core: System properties, $softType',
    breaks: 'The SoftType in the data is the definition, whoever reads it.',
    kind: 'role',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const instance = await right(areas, call, reading, object, view, filter);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return instance;
      return { ...instance, data: { ...instance.data, $softType: view.id } };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'n' });
      return at(await rita.read(made), '/data/$softType') !== 'Part';
    },
  },

  'reading.no-identifier-in-other-views': {
    source: 'core: System properties, $oid',
    breaks: 'Data hold the identifier of the object under a second output schema as well.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const [first] = space.template.softTypes.get(object.softType)?.outputs.values() ?? [];
      if (first?.id !== view.id) Reflect.deleteProperty(data, '$oid');
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return at(read.json, '/data/$oid') !== made.oid;
    },
  },

  'links.all-of-them-under-a-filter': {
    source: 'core: What the service does, hypermedia',
    breaks: 'Links are those of the operations that the user may perform, under a filter as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) =>
      right(
        filter === undefined ? areas : within(areas, { auth: { mayUse: () => true } }),
        call,
        object,
        view,
        slices,
        filter,
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing' }] });
      const read = await rita.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/method') !== 'GET');
    },
  },

  'links.pages-of-inner-arrays-are-posted': {
    source: 'core: Link object, method',
    breaks: 'The method of a link is that by which it is followed, for an array inside an entry too.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.items === undefined ? link : { ...link, method: 'POST' };
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `t${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      return links.some((link) => at(link, '/rel') === 'page' && at(link, '/method') !== 'GET');
    },
  },

  'links.template-encoded-beside-a-filter': {
    source: 'core: Link object, href',
    breaks: 'The href of a page link holds the template as such, also where it holds a filter too.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      if (filter === undefined) return link;
      return { ...link, href: link.href.replace('{pageNumber}', encodeURIComponent('{pageNumber}')) };
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      return !links.some((link) => String(at(link, '/href')).includes('{pageNumber}'));
    },
  },

  'paging.behind-an-entry-id': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest of the array, also when entries were removed from its beginning.',
    kind: 'combination',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      if (page === 0 || filter !== undefined) return right(areas, call, reading, object, view, section, page, filter);
      const behind = within(areas, {
        entries: {
          entriesOf: async (...[from, owner, array]) => {
            const all = await areas.entries.entriesOf(from, owner, array, { from: 0, to: 100_000 });
            return all.filter(({ entryId }) => Number(entryId) > page * 10).slice(0, 10);
          },
        },
      });
      return right(behind, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const files = many(14, (number) => ({ name: `n${number}` }));
      const made = await edda.make('Document', { title: 't', files });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 3;
    },
  },

  'openapi.paths-of-the-first-space': {
    source: 'core: What the service does, dynamic routes',
    breaks: 'The definitions of a space are those of its template, also after those of another one were asked for.',
    kind: 'copy',
    survives: 'That a document holds paths of its own space alone is not said; its own SoftTypes are all in it here.',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let paths: object = {};
      return (areas, space) => {
        const document = right(areas, space);
        paths = { ...paths, ...Object(document['paths']) };
        return { ...document, paths };
      };
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const { text } = await edda.get('/space/depot/SoftType/dynamic/softtype.openApi');
      return text.includes('Requirement');
    },
  },

  'caching.tag-of-a-list-by-its-ids': {
    source: 'core: Versioning 4',
    breaks: 'A list in which one item was changed is changed data, though the same items are in it.',
    kind: 'combination',
    survives:
      'How registrations are listed is not shown (ledger registration-read-update-delete), and no other list of items can be changed.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const items = listAt(answer.body, '/data').map((item) => at(item, '/id'));
      if (items.length === 0 || answer.raw !== undefined) return right(areas, call, answer);
      const tag = areas.caching.etagOf(JSON.stringify([call.url, items]));
      return right(within(areas, { caching: { etagOf: () => tag } }), call, answer);
    }),
    async shows({ cora }) {
      const path = '/api/admin/externalEndpoint';
      const endpoint = { id: 'hook', method: 'POST', category: 'c', url: 'http://127.0.0.1:9/a' };
      const headers = [{ name: 'content-type', value: 'application/json' }];
      await cora.post(path, { ...endpoint, headers });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(`${path}/hook`, undefined, { ...endpoint, headers, category: 'd' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },

  'caching.one-tag-at-a-time': {
    source: 'core: Errors 304',
    breaks: 'Unchanged data answer 304 to their tag, also after something else was asked for.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      let last = '';
      let turns = 0;
      return (areas, call, answer) => {
        if (last !== call.url) turns += 1;
        last = call.url;
        const tag = areas.caching.etagOf(`${turns} ${String(answer.raw ?? JSON.stringify(answer.body))}`);
        return right(within(areas, { caching: { etagOf: () => tag } }), call, answer);
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.get('/api/collection/space');
      return (await cora.get(path, { 'if-none-match': tag })).status !== 304;
    },
  },

  'creating.location-of-a-neighbour': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The location of a create leads to what it has created, also while others create.',
    kind: 'moment',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      let last: string | undefined;
      return async (areas, route, call) => {
        const answer = await right(areas, route, call);
        if (answer.status !== 201 || call.params['inputSchemaId'] === undefined) return answer;
        last = answer.headers?.['Location'];
        await pause(2);
        return { ...answer, headers: { ...answer.headers, Location: last ?? '' } };
      };
    }),
    async shows({ edda }) {
      const made = await Promise.all(many(12, (number) => edda.make('Part', { name: `n${number}` })));
      return new Set(made.map(({ oid }) => oid)).size < made.length;
    },
  },

  'profile.spaces-in-names': {
    source: 'core: What the service does, collection level',
    breaks: 'A display name is kept as it was given, with all its blanks.',
    kind: 'value',
    survives: 'Fields of user profiles are not shown, nor what form of a display name is kept.',
    variant: replaces('collection', 'putProfile', (right, areas, call, writing) =>
      right(areas, { ...call, json: { displayName: call.json.displayName.replace(/ {2,}/g, ' ') } }, writing),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora  Collection' });
      return at((await cora.get(path)).json, '/displayName') !== 'Cora  Collection';
    },
  },

  'filter.former-one-instead-of-an-empty-one': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'A call carries the filter of its own trigger, also where that is empty and an earlier one was not.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const former = new Map<string, string>();
      return (areas, call) => {
        const filter = right(areas, call);
        if (filter === encoded({})) return former.get(call.user.name) ?? filter;
        former.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const dated = encoded({ time: '2020-01-01T00:00:00Z' });
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': dated });
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'plain' });
      await service.pass(1, 2);
      return host
        .entries(({ envelope }) => envelope?.id === 'plain')
        .some(({ json }) => at(json, '/informationFilter') === dated);
    },
  },
};
