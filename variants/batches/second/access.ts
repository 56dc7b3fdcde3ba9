import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { grantedToken } from './token.ts';

const templates = '/api/collection/template';

const profile = '/api/collection/user/profile';

export const accessMistakes: Batch = {
  'access.token-of-first-user': {
    source: 'core: Authentication 3',
    breaks: 'A password grant yields a token for the user whose name and password it brings, whoever got one before.',
    kind: 'copy',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      let first: string | undefined;
      return (areas, form, token) => {
        first ??= token;
        return right(areas, form, first);
      };
    }),
    async shows(service) {
      await grantedToken(service, 'edda');
      const authorization = `Bearer ${await grantedToken(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'by a reader' }, { authorization })).status === 201;
    },
  },

  'access.removal-across-spaces': {
    source: 'core: What the service does',
    breaks:
      'An object can be reached by those who have a role in its space, and not through a space where the caller has one.',
    kind: 'role',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      try {
        return await right(areas, call, reading);
      } catch (error) {
        if (!(error instanceof Refusal) || call.method !== 'DELETE') throw error;
        for (const space of areas.configuration.spaces.values()) {
          const object = await reading.object(space.id, call.params['objectId'] ?? '');
          if (object !== undefined) return object;
        }
        throw error;
      }
    }),
    async shows({ edda, emil }) {
      const { path, oid } = await edda.make('Dossier', { title: 'elsewhere' });
      await emil.delete(`/api/space/main/softtype/${oid}`);
      return (await edda.get(path)).status === 404;
    },
  },

  'access.administrator-of-space': {
    source: 'core: Authentication 7',
    breaks:
      'Collection routes need a Collection Administrator; whoever has a role of a similar name in a space is none.',
    kind: 'role',
    variant: replaces('auth', 'mayAdministrate', (right, areas, user) => {
      const spaces = [...areas.configuration.spaces.values()];
      return right(areas, user) || spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
    }),
    shows: async ({ alma }) => (await alma.get(templates)).status === 200,
  },
};

export const cachingMistakes: Batch = {
  'caching.held-without-token': {
    source: 'core: Authentication 6',
    breaks: 'A request without a token gets 401, also when it names the ETag of what it asks for.',
    kind: 'combination',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const tags = new Map<string, string>();
      return async (areas, route, call) => {
        const tag = tags.get(call.url);
        if (tag !== undefined && call.headers['if-none-match'] === tag) return { status: 304, headers: { ETag: tag } };
        const answer = await right(areas, route, call);
        const etag = answer.headers?.['ETag'];
        if (route.access === 'collection' && etag !== undefined) tags.set(call.url, etag);
        return answer;
      };
    }),
    async shows({ cora, nobody }) {
      const tag = (await cora.get(templates)).headers.get('etag') ?? '';
      return (await nobody.get(templates, { 'If-None-Match': tag })).status === 304;
    },
  },

  'caching.tag-of-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that has changed is sent with 200, also when it is as long as it was.',
    kind: 'value',
    variant: replaces(
      'caching',
      'etagOf',
      (_right, _areas, representation) => `"${Buffer.byteLength(representation)}"`,
    ),
    async shows({ cora }) {
      await cora.put(profile, undefined, { displayName: 'Cora the First' });
      const tag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.put(profile, undefined, { displayName: 'Cora the Fifth' });
      return (await cora.get(profile, { 'If-None-Match': tag })).status === 304;
    },
  },
};
