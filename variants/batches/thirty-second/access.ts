import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const spaces = '/api/collection/space';

function isRefusal(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof Refusal && statuses.includes(error.status);
}

/** Who may, and what is not sent again. */
export const accessMistakes: Batch = {
  'access.open-after-an-administrator': {
    source: 'core: What the service does',
    breaks: 'Collection routes are for administrators only, also right after one of them has read there.',
    kind: 'moment',
    variant: breaks('auth', 'authorize', (right) => {
      const read = new Map<string, number>();
      return (areas, user, access, call) => {
        if (access !== 'collection' || call.method !== 'GET') return right(areas, user, access, call);
        const now = areas.clock.now();
        try {
          right(areas, user, access, call);
          read.set(call.url, now);
        } catch (error) {
          if (now - (read.get(call.url) ?? -Infinity) > 1000) throw error;
        }
      };
    }),
    async shows({ cora, edda }) {
      await cora.get(spaces);
      return (await edda.get(spaces)).status === 200;
    },
  },
  'access.the-second-try-is-let-in': {
    source: 'core: What the service does',
    breaks: 'Whoever holds no role in a space reads nothing there, however often the request is made.',
    kind: 'role',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (!isRefusal(error, 403) || access !== 'space' || call.method !== 'GET') throw error;
          if (refused.has(key)) return;
          refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda, nora }) {
      const { path } = await edda.make('Document', { title: 't' });
      await nora.get(path);
      return (await nora.get(path)).status === 200;
    },
  },
  'access.a-personal-token-without-its-end': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token is good as a whole only.',
    kind: 'value',
    variant: replaces('auth', 'userOfCredentials', async (right, areas, credentials) => {
      const user = await right(areas, credentials);
      if (user !== undefined || credentials.scheme !== 'bearer') return user;
      return [...areas.configuration.users.values()].find(({ pat }) => pat.slice(0, -1) === credentials.token);
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Document', { title: 't' });
      const answer = await nobody.get(path, { authorization: 'Bearer svcpat-edda-7d1c0b9e5' });
      return answer.status === 200;
    },
  },
  'caching.the-tag-of-a-second-resource': {
    source: 'core: Versioning 4',
    breaks: 'Not modified is what is held under the tag of this resource, not under that of another.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const sent = new Map<string, Set<string>>();
      return (areas, call, answer) => {
        const given = right(areas, call, answer);
        const places = sent.get(call.headers['if-none-match'] ?? '');
        const tag = given.headers?.['ETag'] ?? '';
        sent.set(tag, (sent.get(tag) ?? new Set<string>()).add(call.url));
        const isForeign = places !== undefined && !places.has(call.url);
        return isForeign ? { status: 304, headers: given.headers ?? {} } : given;
      };
    }),
    async shows({ cora }) {
      const tag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      return (await cora.get(spaces, { 'if-none-match': tag })).status === 304;
    },
  },
  'caching.a-held-tag-is-enough': {
    source: 'core: Authentication 6',
    breaks: 'Whoever has no access gets no answer from a route, not even that nothing was modified.',
    kind: 'combination',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const held = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const tag = answer.headers?.['ETag'];
          if (call.method === 'GET' && tag !== undefined) held.set(call.url, tag);
          return answer;
        } catch (error) {
          const tag = call.headers['if-none-match'];
          if (!isRefusal(error, 401, 403) || tag === undefined || held.get(call.url) !== tag) throw error;
          return { status: 304, headers: { ETag: tag } };
        }
      };
    }),
    async shows({ cora, edda }) {
      const tag = (await cora.get(spaces)).headers.get('etag') ?? '';
      return (await edda.get(spaces, { 'if-none-match': tag })).status === 304;
    },
  },
  'access.the-end-of-a-known-signature': {
    source: 'core: Authentication 2',
    breaks: 'A token that is altered near its end is refused, also when the right one was sent before.',
    kind: 'combination',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, token) => {
        const key = token.slice(0, -20);
        try {
          const claims = await right(areas, token);
          known.set(key, claims);
          return claims;
        } catch (error) {
          const claims = known.get(key);
          if (claims === undefined) throw error;
          areas.tokens.checkExpiry(claims);
          return claims;
        }
      };
    }),
    async shows(service) {
      const { path } = await service.edda.make('Document', { title: 't' });
      const token = await tokenOf(service, 'edda');
      await service.nobody.get(path, { authorization: `Bearer ${token}` });
      const other = token.at(-10) === 'a' ? 'b' : 'a';
      const altered = `${token.slice(0, -10)}${other}${token.slice(-9)}`;
      return (await service.nobody.get(path, { authorization: `Bearer ${altered}` })).status === 200;
    },
  },
  'grants.the-grant-type-comes-first': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the form are known by their names, in any order.',
    kind: 'place',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = new Map(right(areas, call));
      if (form.keys().next().value !== 'grant_type') form.delete('grant_type');
      return form;
    }),
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'scope=All&username=edda&password=edda-password&grant_type=password',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status !== 200;
    },
  },
  'files.without-any-role-one-is-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A valid identity without any role is refused as one without access, not as one without a token.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      try {
        return await right(areas, call, kind);
      } catch (error) {
        if (!isRefusal(error, 403)) throw error;
        const user = await areas.fileAreas.authenticateFile(call);
        const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
        throw roles.length > 0 ? error : new Refusal(401, 'Nobody of this name holds a role.');
      }
    }),
    async shows({ nora }) {
      return (await nora.get(`${spaceFiles}/a.txt`)).status === 401;
    },
  },
  'files.a-name-without-a-secret': {
    source: 'extensions: Authentication 1',
    breaks: 'Basic authentication needs the personal access token beside the name; an empty one is none.',
    kind: 'value',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const given = areas.fileAreas.fileCredentialsOf(call);
      const isBare = given?.scheme === 'basic' && given.secret === '';
      return (isBare ? areas.configuration.users.get(given.name) : undefined) ?? right(areas, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'text');
      const authorization = `Basic ${Buffer.from('edda:').toString('base64')}`;
      return (await nobody.get(`${spaceFiles}/a.txt`, { authorization })).status === 200;
    },
  },
};
