import { headerNames } from '../../../contract/names.ts';
import type { Link } from '../../../contract/wire.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, md5, spaceFiles } from '../service.ts';
import { basic, draws, namesAt } from './proofs.ts';
import { named } from '../proofs.ts';

const longestPageChars = 48 * 1024;

export const reading: Batch = {
  'reading.small-numbers-are-rounded': {
    source: 'core: SoftType read response',
    breaks: 'A number reads as it was written, however many digits stand behind its point.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      const weight: unknown = Reflect.get(data, 'weight');
      return typeof weight === 'number' ? { ...data, weight: Math.round(weight * 1e4) / 1e4 } : data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', weight: 0.000125 });
      return at(await edda.read(made), '/data/weight') !== 0.000125;
    },
  },
  'reading.integers-wrap-at-32-bits': {
    source: 'core: SoftType read response',
    breaks: 'An integer reads as it was written, also one beyond two thousand millions.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      const count: unknown = Reflect.get(data, 'pageCount');
      return typeof count === 'number' ? { ...data, pageCount: count | 0 } : data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'reading.promote-link-for-everybody': {
    source: 'core: What the service does',
    breaks: 'A response has links for what the current user may do, and a reader may not promote.',
    kind: 'role',
    variant: breaks('hypermedia', 'linksOf', (right) => (areas, call, object, view, ...args): Link[] => {
      const links = right(areas, call, object, view, ...args);
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const moves = areas.hypermedia.operationLinks(object, softType, view).filter(({ rel }) => rel === 'promote');
      return [...links.filter(({ rel }) => rel !== 'promote'), ...moves];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const links = listAt(await rita.read(made), '/links');
      return links.some((link) => at(link, '/rel') === 'promote');
    },
  },
  'paging.page-ends-where-it-gets-long': {
    source: 'core: Server side paging 2',
    breaks: 'A page holds ten entries, however long their texts are.',
    kind: 'value',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      let left = longestPageChars;
      return { ...page, data: page.data.filter((entry) => (left -= JSON.stringify(entry).length) > 0) };
    }),
    async shows({ edda }) {
      const files = many(20, (number) => ({ name: `n${number}`, comment: 'x'.repeat(6000) }));
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 10;
    },
  },
  'paging.later-pages-count-by-entry-id': {
    source: 'core: Server side paging 4',
    breaks: 'Page 1 goes on where page 0 ended, also where an entry before was removed.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (range.from === 0 || section.items !== undefined || filter !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: range.to + 1000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(13) });
      const first = at(await edda.read(made), '/data/files/2/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(first)}/` }]);
      return namesAt((await edda.page(made, 'files', 1)).json, '/data').join() !== 'n12,n13';
    },
  },
  'paging.filter-value-is-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is the one that the query names, also where it looks like something encoded.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, ...args) => {
      const filter = right(areas, ...args);
      if (filter === undefined || !/^(?:[^%]|%[0-9a-f]{2})*$/i.test(filter.value)) return filter;
      return { ...filter, value: decodeURIComponent(filter.value) };
    }),
    async shows({ edda }) {
      const files = [{ name: 'a', category: '50%25' }, { name: 'b' }];
      const made = await edda.make('Document', { title: 't', files });
      const query = `?softTypeFilterId=byCategory&fileGroup.category=${encodeURIComponent('50%25')}`;
      return namesAt(await edda.read(made, query), '/data/files').join() !== 'a';
    },
  },
  'paging.filtered-total-is-kept': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'The total of a filtered array is that of now, not that of its first filtered read.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const kept = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const total = await right(areas, reading, object, section, filter);
        if (filter === undefined) return total;
        const key = `${object.oid} ${section.path} ${filter.filter.id} ${filter.value}`;
        if (!kept.has(key)) kept.set(key, total);
        return kept.get(key) ?? total;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: draws(12) });
      await edda.read(made, '?softTypeFilterId=drawings');
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'n13', category: 'drawing' } }]);
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      const link = listAt(read, '/links').find((item) => at(item, '/sectionPath') === 'files');
      return at(link, '/totalNumber') !== 13;
    },
  },
  'caching.tag-is-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Changed data is a 200, also where it is as long as before.',
    kind: 'value',
    variant: replaces(
      'caching',
      'etagOf',
      (_right, _areas, representation) => `"${Buffer.byteLength(representation)}"`,
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'one' });
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'two' });
      return (await cora.get(path, { 'if-none-match': etag })).status === 304;
    },
  },
  'openapi.document-of-the-space-asked-first': {
    source: 'core: What the service does',
    breaks: 'The dynamic document of a space tells of the definitions of its own template.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let kept: ReturnType<typeof right> | undefined;
      return (areas, space) => (kept ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
  'access.reader-may-multi-create': {
    source: 'core: What the service does',
    breaks: 'The role decides on POST, also on the route that is written without the prefix of the others.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access === 'space' && call.url.startsWith('/space/') ? 'participant' : access, call);
    }),
    async shows({ rita }) {
      const items = [{ $id: 'a', $softType: 'Document', data: { title: 't' } }];
      return (await rita.multiCreate(items)).status === 201;
    },
  },
  'access.basic-name-may-be-a-beginning': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is a password of its own user alone.',
    kind: 'role',
    variant: replaces('auth', 'credentialsOf', (right, areas, headers) => {
      const credentials = right(areas, headers);
      if (credentials?.scheme !== 'basic') return credentials;
      const { name, secret } = credentials;
      const owner = areas.configuration.users.values().find((user) => user.pat === secret)?.name;
      return owner?.startsWith(name) ? { ...credentials, name: owner } : credentials;
    }),
    async shows({ nobody }) {
      const authorization = basic('ed', 'svcpat-edda-7d1c0b9e5a');
      const headers = { authorization, checksum: md5('x'), 'content-type': 'text/plain' };
      return (await nobody.post(`${spaceFiles}/stream/b.txt`, 'x', headers)).status < 300;
    },
  },
  'logging.refusals-lack-the-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'All log messages of a request carry its correlation id, that of a refusal too.',
    kind: 'place',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status }) => {
      areas.log.warn({ method: call.method, status }, 'refused');
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows({ edda, log }) {
      const id = '0a8a6f0e-6d3c-4b53-9a55-9f0d9ad2d0c1';
      await edda.get('/api/space/main/softtype/none', { [headerNames.correlationId]: id });
      return !(await log(id)).includes('refused');
    },
  },
  'versioning.compared-as-a-beginning': {
    source: 'core: Versioning 3',
    breaks: 'Version 1 is not that of an object at version 10.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `${version}` });
      return (await edda.merge(made, 1, { note: 'stale' })).status !== 409;
    },
  },
  'versioning.promote-does-not-see-what-came-just-before': {
    source: 'core: Errors 1',
    breaks: 'Of a merge and a promote that are made for one version at once, one is refused.',
    kind: 'moment',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const passed = new Map<string, { readonly version: number; readonly isMove: boolean; readonly until: number }>();
      return (areas, call, object) => {
        const sent = areas.versioning.versionHeaderOf(call);
        const former = passed.get(object.oid);
        const isMove = call.params['levelId'] !== undefined;
        if (former?.version === sent && former.isMove !== isMove && performance.now() < former.until)
          return object.version;
        const version = right(areas, call, object);
        passed.set(object.oid, { version, isMove, until: performance.now() + 30 });
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const both = await Promise.all([edda.merge(made, 1, { note: 'n' }), edda.move(made, 1)]);
      return both.every(({ status }) => status < 300);
    },
  },
};
