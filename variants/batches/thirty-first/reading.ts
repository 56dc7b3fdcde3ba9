import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, encoded, listAt, many } from '../service.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export const readingMistakes: Batch = {
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
