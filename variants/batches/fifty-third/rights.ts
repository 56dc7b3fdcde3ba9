import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached, registerEndpoint } from '../proofs.ts';
import { at, listAt, pagePath } from '../service.ts';

/** Who may do what, headers, links, and what clients have kept. */
export const rightsMistakes: Batch = {
  'caching.tag-of-the-second': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also when it changed within the second in which it was read.',
    kind: 'moment',
    variant: breaks('caching', 'conditional', () => {
      const changes = new Map<string, { readonly text: string; readonly second: number }>();
      return (areas, call, answer) => {
        const key = `${'user' in call ? JSON.stringify(call.user) : ''} ${call.url}`;
        const text = String(answer.raw ?? JSON.stringify(answer.body));
        const known = changes.get(key);
        const change = known?.text === text ? known : { text, second: Math.floor(areas.clock.now() / 1000) };
        changes.set(key, change);
        const headers = { ...answer.headers, ETag: `"${change.second}"`, 'Cache-Control': 'private, no-cache' };
        const condition = call.headers['if-none-match'];
        return condition !== undefined && areas.caching.ifNoneMatch(condition, headers.ETag)
          ? areas.caching.notModified(headers)
          : { ...answer, headers };
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Cora Changed' });
      return (await cora.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },

  'caching.ahead-of-the-rights': {
    source: 'core: Authentication 6, first part',
    breaks: 'Without a token the answer is 401, also for who holds the data already.',
    kind: 'combination',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const tags = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const tag = answer.headers?.['ETag'];
          if (call.method === 'GET' && tag !== undefined) tags.set(call.url, tag);
          return answer;
        } catch (error) {
          const tag = tags.get(call.url);
          const isBarred = error instanceof Refusal && (error.status === 401 || error.status === 403);
          if (!isBarred || tag === undefined || call.headers['if-none-match'] !== tag) throw error;
          return { status: 304, headers: { ETag: tag } };
        }
      };
    }),
    async shows({ cora, nobody }) {
      const path = '/api/collection/space';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await nobody.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },

  'links.rights-forgotten-under-a-filter': {
    source: 'core: What the service does, hypermedia conventions',
    breaks: 'The links are those of what the user may do, also in a read with a filter.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      if (filter === undefined) return right(areas, call, object, view, slices);
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = slices.flatMap((slice) => areas.hypermedia.pageLinksOf(object, view, slice, filter));
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const links = listAt(await rita.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },

  'access.roles-kept-by-user-alone': {
    source: 'core: Authentication 7, first part',
    breaks: 'A role counts in its own space, also for a user who has just been in it.',
    kind: 'copy',
    variant: breaks('auth', 'rolesOf', (right) => {
      const kept = new Map<string, readonly string[]>();
      return (areas, user, space) => {
        const roles = kept.get(user.name) ?? right(areas, user, space);
        kept.set(user.name, roles);
        return roles;
      };
    }),
    async shows({ edda, otto, rita }) {
      await rita.read(await edda.make('Document', { title: 't' }));
      const dossier = await otto.make('Dossier', { title: 't' });
      return (await rita.get(dossier.path)).status === 200;
    },
  },

  'tokens.a-minute-of-leeway': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token is valid for as many minutes as it was registered for, and not for one more.',
    kind: 'moment',
    survives: 'How far behind its end a token is still taken, as clocks differ, is open.',
    variant: replaces('tokens', 'checkExpiry', (right, areas, claims) =>
      right(areas, { ...claims, exp: claims.exp + 60 }),
    ),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 't' });
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 1 });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      const token = new URLSearchParams(call?.target.split('?')[1]).get('access_token') ?? '';
      await service.pass(80);
      return (await service.nobody.get(made.path, { authorization: `Bearer ${token}` })).status === 200;
    },
  },

  'information-filter.not-asked-for-by-pages': {
    source: 'core: Common request headers, row Svc-InformationFilter',
    breaks: 'The information filter is required on the routes of a space, also on that of pages.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers['svc-informationfilter'] === undefined && call.url.includes('/page/') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.get(pagePath(made, 'files', 0), { 'Svc-InformationFilter': '' })).status === 200;
    },
  },
};
