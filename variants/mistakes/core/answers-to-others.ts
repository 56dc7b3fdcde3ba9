import type { Areas } from '../../../reference-server/areas.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import { awaitCalls } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf, multiCreatePath, profilePath, tokenOf } from '../proofs.ts';
import { at } from '../service.ts';
import { changes, isRefusal, perServer } from '../variant-parts.ts';

const tagsOfAll = perServer(() => new Map<string, string>());
const lastIds = perServer(() => new Map<string, string>());
const lastTokens = perServer(() => new Map<string, string>());
const profileEdits = perServer(() => ({ count: 0 }));

const definitions = '/space/main/SoftType/dynamic/softtype.openApi';

/** Those who are refused so are told that nothing has changed, where they know the tag. */
function toldTo(status: number): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    try {
      const answer = await right(areas, route, call);
      if (route.path === routes.openApiDynamic) tagsOfAll(areas).set(call.url, answer.headers?.['ETag'] ?? '');
      return answer;
    } catch (error) {
      const tag = tagsOfAll(areas).get(call.url);
      if (!isRefusal(error, status) || tag === undefined || call.headers['if-none-match'] !== tag) throw error;
      return { status: 304, headers: { ETag: tag } };
    }
  });
}

export const answersToOthersMistakes: Mistakes = {
  'caching.304-to-strangers': {
    source: 'core: Authentication 6',
    breaks: 'Who has no role in the space is refused, also with the ETag of its definitions.',
    variant: toldTo(403),
    async shows({ edda, nora }) {
      const tag = (await edda.get(definitions)).headers.get('etag') ?? '';
      return (await nora.get(definitions, { 'If-None-Match': tag })).status === 304;
    },
  },
  'caching.304-to-nobody': {
    source: 'core: Authentication 6',
    breaks: 'Who shows no token is refused, also with the ETag of the definitions of a space.',
    variant: toldTo(401),
    async shows({ edda, nobody }) {
      const tag = (await edda.get(definitions)).headers.get('etag') ?? '';
      return (await nobody.get(definitions, { 'If-None-Match': tag })).status === 304;
    },
  },
  'correlation-id.of-the-request-before': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'A request without a correlation id does not have that of the request before.',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
      const user = call.headers['authorization'] ?? '';
      const former = lastIds(areas).get(user);
      if (call.correlationGiven) lastIds(areas).set(user, call.correlationId);
      else lastIds(areas).delete(user);
      const isMeant = !call.correlationGiven && former !== undefined;
      return right(areas, route, isMeant ? { ...call, correlationId: former } : call);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.post('/api/space/main/batch', [], { 'X-Correlation-Id': 'former' });
      await service.edda.sendEvent('event');
      await service.pass(1);
      const [call] = await awaitCalls(host);
      return call?.envelope?.id === 'former';
    },
  },
  'access.conflict-ahead-of-the-token': {
    source: 'core: Authentication 6',
    breaks: 'A write without a token is answered with 401, also where its version is none of the object.',
    survives: 'Which refusal is told of several is not said (error-precedence).',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const sent = call.headers['svc-uoiversion'];
      const { spaceId = '', objectId = '' } = call.params;
      if (call.headers['authorization'] === undefined && sent !== undefined && objectId !== '') {
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        if (object !== undefined && String(object.version) !== sent) throw new Refusal(409, 'Another version.');
      }
      return right(areas, route, call);
    }),
    async shows({ edda, nobody }) {
      return (await nobody.merge(await edda.make('Document'), 2, { note: 'n' })).status === 409;
    },
  },
  'tokens.one-at-a-time': {
    source: 'core: Authentication 1 and 3',
    breaks: 'A token that was granted stays usable when the user gets another one.',
    survives: 'for how long a token lasts is not said',
    variant: together(
      changes('tokens', 'issueToken', (token, areas, user) => {
        lastTokens(areas).set(user.name, token);
        return token;
      }),
      replaces('tokens', 'verifyToken', async (right, areas, token) => {
        const claims = await right(areas, token);
        const isForCalls = Reflect.get(claims, 'scope') !== undefined;
        if (isForCalls || (lastTokens(areas).get(claims.sub) ?? token) === token) return claims;
        throw areas.tokens.unusableToken('Another token was granted since.');
      }),
    ),
    async shows(service) {
      const authorization = `Bearer ${await tokenOf(service, 'cora')}`;
      await tokenOf(service, 'cora');
      return (await service.nobody.get('/api/collection/health', { authorization })).status === 401;
    },
  },
  'caching.another-tag-for-the-same-profile': {
    source: 'core: Versioning 4',
    breaks: 'A profile that is replaced by the same one is unchanged, and gives 304.',
    survives: 'whether data that were replaced by the same ones are unchanged is not said',
    variant: together(
      replaces('collection', 'putProfile', (right, areas, call, writing) => {
        profileEdits(areas).count += 1;
        return right(areas, call, writing);
      }),
      changes('caching', 'etagOf', (tag, areas) => tag.replace(/"$/, `${profileEdits(areas as Areas).count}"`)),
    ),
    async shows({ cora }) {
      await cora.put(profilePath, undefined, { displayName: 'one' });
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.put(profilePath, undefined, { displayName: 'one' });
      return (await cora.get(profilePath, { 'If-None-Match': etag })).status !== 304;
    },
  },
  'page.address-of-a-filtered-one': {
    source: 'core: Page response, href',
    breaks: 'The URI of a filtered page leads to that page, not to one of the whole array.',
    survives: 'whether the filter belongs to the URI of a page is not said',
    variant: changes('paging', 'assemblePage', (page) => ({ ...page, href: page.href.replace(/\?.*$/, '') })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(11) });
      return !String(at((await edda.page(made, 'files', 0, '?softTypeFilter=drawings')).json, '/href')).includes('?');
    },
  },
  'auth.body-before-token': {
    source: 'core: Authentication 6; Endpoint table, POST softtype',
    breaks: 'A multi-create without a token is answered by 401, whatever its body is.',
    survives: 'Which refusal is told of several is not said (error-precedence).',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.method === 'POST' && route.path === routes.multiCreate) areas.messages.jsonBodyOf(call);
      return right(areas, route, call);
    }),
    async shows({ nobody }) {
      return (await nobody.post(multiCreatePath, '{', { 'content-type': mediaTypes.json })).status !== 401;
    },
  },
  'auth.definitions-for-members-of-other-spaces': {
    source: 'core: Authentication 7; Endpoint table, dynamic OpenAPI',
    breaks: 'Definitions of a space are for those who have a role in that space.',
    survives: 'Who may read the documents is not said (openapi-access).',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isMember = spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (!isMember || !call.url.endsWith('.openApi')) right(areas, user, access, call);
    }),
    async shows({ otto }) {
      return (await otto.get('/space/main/SoftType/dynamic/softtype.openApi')).status === 200;
    },
  },
};
