import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, spaceFiles } from '../service.ts';
import { tokenOf } from '../proofs.ts';

const profile = '/api/collection/user/profile';

export const readingMistakes: Batch = {
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
};

export const pagingMistakes: Batch = {
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
};

export const cachingMistakes: Batch = {
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
};
