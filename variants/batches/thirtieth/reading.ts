import type { Answer } from '../../../reference-server/http/call.ts';
import type { Link } from '../../../contract/wire.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, spaceFiles } from '../service.ts';
import { named, tokenOf } from '../proofs.ts';

const profile = '/api/collection/user/profile';

const dynamicOpenApi = (space: string) => `/space/${space}/SoftType/dynamic/softtype.openApi`;

export const readingMistakes: Batch = {
  'reading.page-of-a-deleted-object': {
    source: 'core: Errors',
    breaks: 'What is not there is not found, a page of an object that was deleted no more than the object.',
    kind: 'place',
    variant: breaks('objects', 'locateObject', (right) => {
      const seen = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const { objectId = '', softTypeId, pageNumber } = call.params;
        const known = seen.get(objectId);
        if (pageNumber === '0' && known !== undefined && known.softType === softTypeId)
          return (await reading.object(call.space.id, objectId)) ?? known;
        const object = await right(areas, call, reading);
        seen.set(object.oid, object);
        return object;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'gone', files: named(2) });
      await edda.page(made, 'files', 0);
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 0)).status === 200;
    },
  },

  'reading.schema-for-readers': {
    source: 'core: SoftType read response',
    breaks: 'The data is that of the output schema in the path, whatever role the user has.',
    kind: 'role',
    variant: replaces('objects', 'viewOfRead', (right, areas, call, object) => {
      const onlyReads = areas.auth.rolesOf(call.user, call.space).every((role) => role === 'reader');
      const { outputSchemaId: _named, ...params } = call.params;
      return right(areas, onlyReads && call.params['pageNumber'] === undefined ? { ...call, params } : call, object);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 'summary', note: 'not in it' });
      const read = await rita.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/note') !== undefined;
    },
  },

  'reading.method-of-demote': {
    source: 'core: Link object',
    breaks: 'A link names the method by which its operation is asked for, that to demote as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'operationLinks', (right, areas, object, softType, view) =>
      right(areas, object, softType, view).map((link: Link) =>
        link.rel === 'demote' ? { ...link, method: 'POST' } : link,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'back' });
      await edda.move(made, 1);
      const links = listAt(await edda.read(made), '/links');
      return links.some((link) => String(at(link, '/href')).includes('/demote/') && at(link, '/method') !== 'PUT');
    },
  },

  'openapi.first-space-of-a-user': {
    source: 'core: What the service does',
    breaks: 'The definitions are those of the space in the path, whatever the user read before.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call) => {
        const answer = kept.get(call.user.name) ?? (await right(areas, call));
        if (answer.status === 200) kept.set(call.user.name, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      await edda.get(dynamicOpenApi('main'));
      return !(await edda.get(dynamicOpenApi('depot'))).text.includes('Dossier');
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.a-hundred-entries': {
    source: 'core: Link object',
    breaks:
      'The number of pages is that of the sets of ten, also where they are full and there are ten of them or more.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (right, areas, total) =>
      total >= 100 ? Math.floor(total / 10) + 1 : right(areas, total),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'hundred', files: named(100) });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/pages') === 11);
    },
  },

  'paging.filter-beyond-a-hundred': {
    source: 'core: Endpoint table',
    breaks: 'A filter chooses from all entries of an array, however far back they stand.',
    kind: 'combination',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const scanned = await right(areas, reading, object, section, { from: 0, to: 100 });
        const { member } = filter.filter;
        return scanned.filter(({ content }) => content[member] === filter.value).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section);
        return (await areas.entries.entriesOf(reading, object, section, { from: 0, to: 100 }, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const files = many(103, (number) => ({ name: `n${number}`, category: number > 100 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { title: 'far', files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length !== 3;
    },
  },

  'paging.total-of-before': {
    source: 'core: Link object',
    breaks: 'The number of entries is that which the array has now, also where nothing but the array has changed.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLinksOf', (right) => {
      const kept = new Map<string, Link[]>();
      return (areas, object, view, slice, filter) => {
        if (filter !== undefined) return right(areas, object, view, slice, filter);
        const key = JSON.stringify([object.oid, view.id, slice.section.path, object.content]);
        const links = kept.get(key) ?? right(areas, object, view, slice);
        if (links.length > 0) kept.set(key, links);
        return links;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'grows', files: named(11) });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'twelfth' } }]);
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/totalNumber') === 11);
    },
  },

  'paging.version-of-an-unchanged-page': {
    source: 'core: Page response',
    breaks: 'The version of a page is that of the object, also after an edit of another of its arrays.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, number>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const key = JSON.stringify([object.oid, section.path, page, body.data]);
        const version = kept.get(key) ?? body.version;
        kept.set(key, version);
        return { ...body, version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two', files: named(12) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { contacts: [{ name: 'somebody' }] });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
};

export const cachingMistakes: Batch = {
  'caching.tag-of-the-same-letters': {
    source: 'core: Versioning',
    breaks: 'Changed data is sent again, also where nothing but the order of its letters has changed.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => {
      const bytes = Buffer.from(representation);
      return `"${bytes.length}-${bytes.reduce((sum, byte) => sum + byte ** 2, 0)}"`;
    }),
    async shows({ cora }) {
      await cora.put(profile, undefined, { displayName: 'Cora Lee' });
      const etag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.put(profile, undefined, { displayName: 'Lee Cora' });
      return (await cora.get(profile, { 'if-none-match': etag })).status === 304;
    },
  },

  'caching.told-once': {
    source: 'core: Errors',
    breaks: 'Whoever holds the data is told so every time he asks.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const key = JSON.stringify([call.url, call.headers['authorization'], call.headers['if-none-match']]);
        const { 'if-none-match': _held, ...headers } = call.headers;
        const next = right(areas, told.has(key) ? { ...call, headers } : call, answer);
        if (!told.delete(key) && next.status === 304) told.add(key);
        return next;
      };
    }),
    async shows({ cora }) {
      const etag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.get(profile, { 'if-none-match': etag });
      return (await cora.get(profile, { 'if-none-match': etag })).status === 200;
    },
  },
};

export const accessMistakes: Batch = {
  'access.nobody-gets-results': {
    source: 'core: Authentication',
    breaks: 'Without a token the answer is 401, of a batch as of anything else.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (!route.path.endsWith('/batch') || call.headers['authorization'] !== undefined)
        return right(areas, route, call);
      const operations: unknown = JSON.parse(call.body?.toString() ?? '[]');
      const results = (Array.isArray(operations) ? operations : []).map(() => ({ statusCode: 401 }));
      return { status: 500, body: results };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 'closed' });
      return (await nobody.batch([{ method: 'GET', href: made.path }])).status !== 401;
    },
  },

  'access.token-on-multi-create': {
    source: 'core: Authentication',
    breaks: 'Every space route takes a JWT, also that which lies beside the root of the API.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      const isToken = (call.headers['authorization'] ?? '').split('.').length === 3;
      if (call.method === 'POST' && call.url.startsWith('/space/') && isToken)
        throw areas.tokens.unusableToken('The token is none.');
      return right(areas, call);
    }),
    async shows(service) {
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      const items = [{ $id: 'one', $softType: 'Part', data: { name: 'one' } }];
      return (await service.nobody.post('/space/main/softtype', items, { authorization })).status === 401;
    },
  },

  'access.password-of-eight-letters': {
    source: 'core: Authentication',
    breaks: 'A token is given for the whole password, and for no other that merely begins like it.',
    kind: 'value',
    variant: replaces('auth', 'userOfPassword', (right, areas, name, password) => {
      const user = areas.configuration.users.get(name);
      const begins = password.length > 8 && user?.password.slice(0, 8) === password.slice(0, 8);
      return begins ? user : right(areas, name, password);
    }),
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'grant_type=password&username=edda&password=edda-passage&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return at(answer.json, '/access_token') !== undefined;
    },
  },

  'access.query-token-of-ten-minutes': {
    source: 'extensions: Authentication',
    breaks: 'A token in the query opens a download as long as it does in the header.',
    kind: 'moment',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      const given = right(areas, call);
      if (given?.scheme !== 'bearer') return given;
      const claims: unknown = JSON.parse(Buffer.from(given.token.split('.')[1] ?? '', 'base64url').toString() || '{}');
      const issuedAt = Number(at(claims, '/iat'));
      return areas.tokens.secondsNow() - issuedAt > 600 ? undefined : given;
    }),
    async shows(service) {
      await service.edda.upload('old.txt', 'old');
      const token = await tokenOf(service, 'edda');
      await service.pass(900);
      const path = `${spaceFiles}/old.txt`;
      const header = await service.nobody.get(path, { authorization: `Bearer ${token}` });
      const query = await service.nobody.get(`${path}?token=${token}`);
      return header.status === 200 && query.status !== 200;
    },
  },

  'access.basic-remembered-by-name': {
    source: 'extensions: Authentication',
    breaks: 'Every request shows the personal access token of its user, also after one that did.',
    kind: 'copy',
    variant: breaks('fileAreas', 'authenticateFile', (right) => {
      const known = new Set<string>();
      return async (areas, call) => {
        const given = areas.fileAreas.fileCredentialsOf(call);
        if (given?.scheme !== 'basic') return right(areas, call);
        const user = areas.configuration.users.get(given.name);
        if (user !== undefined && known.has(given.name)) return user;
        const found = await right(areas, call);
        known.add(given.name);
        return found;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('basic.txt', 'basic');
      const basic = (secret: string) => ({
        authorization: `Basic ${Buffer.from(`edda:${secret}`).toString('base64')}`,
      });
      await nobody.get(`${spaceFiles}/basic.txt`, basic('svcpat-edda-7d1c0b9e5a'));
      return (await nobody.get(`${spaceFiles}/basic.txt`, basic('another'))).status === 200;
    },
  },
};
