import { randomUUID } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import {
  changingObjects,
  mediaTypeOf,
  restateRefusal,
  restateRefusalOf,
  withoutHeaders,
  type Choice,
} from './choice.ts';

export const oneSession: Variant = (classes) => {
  const latest = new Map<string, string>();
  const ended = new Set<string>();
  return together(
    replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const name = form.get('username');
      if (name !== undefined) {
        const before = latest.get(name);
        if (before !== undefined) ended.add(before);
        latest.set(name, token);
      }
      return right(areas, form, token);
    }),
    replaces('tokens', 'verifyToken', async (right, areas, token) => {
      if (ended.has(token)) throw areas.tokens.unusableToken('Another token was granted meanwhile.');
      return right(areas, token);
    }),
  )(classes);
};

export const foreignRefusals: readonly Choice[] = [
  /** A list of operations that fails is a bad request, whatever is wrong with it. */
  {
    meets: '400 for every list of operations that fails',
    silences: ['operations-patch-failure-status', 'pointer-unknown-member', 'output-names-as-path'],
    by: replaces('operations', 'applyOperations', async (right, areas, run, operations) =>
      right(areas, run, operations).catch(restateRefusal({ 403: 400, 404: 400, 409: 400, 422: 400 })),
    ),
  },
  /** The segment is softtype but in the path of the document of a space, and a path that is written without api has no other spelling. */
  {
    meets: 'paths as they are written',
    silences: ['path-letter-case', 'multi-create-path-prefix'],
    by: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const [path = ''] = call.url.split('?', 1);
      const isDocument = route.path === routes.openApiDynamic;
      const isMisspelt = isDocument ? path.includes('/softtype/') : /\/SoftType(?:\/|$)/.test(path);
      const isAlias = route.path === routes.multiCreate && route.method === 'POST' && path.startsWith('/api/');
      if (isMisspelt || isAlias) throw new Refusal(404, 'There is nothing of this name.');
      return right(areas, route, call);
    }),
  },
  {
    meets: 'no HEAD',
    silences: ['head-requests'],
    by: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (call.withoutContent) throw new Refusal(405, 'HEAD is unknown here.');
      return right(areas, route, call);
    }),
  },
  /** A media type is compared letter by letter, and has no parameters but where it needs them. */
  {
    meets: 'bare media types, and 422 for others',
    silences: ['content-type-parameters', 'unsupported-content-type-status', 'content-type-and-route-disagree'],
    by: replaces('messages', 'requireMediaType', (right, areas, call, accepted) => {
      const given = call.headers['content-type'];
      const mediaType = mediaTypeOf(call);
      const isWhole = given === mediaType || mediaType?.startsWith('multipart/');
      if (!isWhole) throw new Refusal(422, `${given} is unknown here.`);
      return restateRefusalOf({ 415: 422 }, () => right(areas, call, accepted));
    }),
  },
  /** An object that is not there is told so to everybody, with a role or without. */
  {
    meets: '404 for outsiders',
    silences: ['forbidden-versus-not-found'],
    by: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId, objectId } = call.params;
      return right(areas, route, call).catch(async (error: unknown) => {
        const isForbidden = error instanceof Refusal && error.status === 403;
        if (!isForbidden || spaceId === undefined || objectId === undefined) throw error;
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        throw object === undefined ? new Refusal(404, 'There is no such object.') : error;
      });
    }),
  },
  {
    meets: 'filters for those who hold the role',
    silences: ['information-filter-role-effect'],
    by: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access, call);
      if (access !== 'space' || call.headers[headerNames.informationFilter.toLowerCase()] === undefined) return;
      const role = roleOf(() => areas.messages.informationFilterOf(call).role);
      if (role !== undefined && !areas.auth.rolesOf(user, areas.auth.spaceOf(call)).includes(role))
        throw new Refusal(403, `${user.name} does not hold the role ${role}.`);
    }),
  },
  {
    meets: 'own profiles',
    silences: ['own-profile-access'],
    by: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isOwn = call.method === 'GET' && call.url.split('?', 1)[0] === '/api/collection/user/profile';
      if (!isOwn) right(areas, user, access, call);
    }),
  },
  {
    meets: 'open definitions',
    silences: ['openapi-access'],
    by: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path === '/api/openApi/{category}') return areas.openApi.readStaticOpenApi(call);
      if (route.path !== routes.openApiDynamic) return right(areas, route, call);
      const [owner] = areas.configuration.users.values();
      if (owner === undefined) return right(areas, route, call);
      return areas.openApi.readDynamicOpenApi({ ...call, user: owner, space: areas.auth.spaceOf(call) });
    }),
  },
  {
    meets: 'tokens that live five minutes longer',
    silences: ['token-claims-and-lifetime'],
    by: replaces('tokens', 'checkExpiry', (right, areas, claims) => right(areas, { ...claims, exp: claims.exp + 300 })),
  },
  /** A token is a thing that was created; a grant is refused with 400, one without a scope as well. */
  {
    meets: '201 for a token and 400 for none',
    silences: ['token-response-members', 'token-error-response', 'scope-other-than-all'],
    by: together(
      replaces('grants', 'tokenAnswer', (right, areas, form, token) => ({
        ...right(areas, form, token),
        status: 201,
        headers: { 'Content-Type': 'application/json;charset=UTF-8' },
        body: {
          access_token: token,
          token_type: 'bearer',
          expires_in: '3600',
          refresh_token: `refresh-${token.slice(-40)}`,
        },
      })),
      replaces('grants', 'grantErrorAnswer', (right, areas, refusal) => ({
        ...withoutHeaders(right(areas, refusal), 'www-authenticate'),
        status: 400,
      })),
      replaces('grants', 'grantFormOf', (right, areas, call) => {
        const form = right(areas, call);
        return form.has('scope') ? form : new Map([...form, ['scope', 'none']]);
      }),
    ),
  },
  /** A space that is not there is no proper name of one. */
  {
    meets: '400 for an unknown space',
    silences: ['unknown-space-status'],
    by: replaces('auth', 'spaceOf', (right, ...args) => restateRefusalOf({ 404: 400 }, () => right(...args))),
  },
  /** Content is looked at before the version is compared; If-Match is heeded besides, and a mismatch tells the version that there is. */
  {
    meets: 'content looked at before the version',
    silences: ['error-precedence', 'etag-header-inside-version-rule', 'version-header-on-other-responses'],
    by: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const space = areas.configuration.spaces.get(object.spaceId);
      const softType = space && areas.objects.softTypeOf(space, object.softType);
      const view = softType?.inputs.get(call.params['inputSchemaId'] ?? '');
      if (softType !== undefined && view !== undefined) {
        const body = areas.messages.jsonBodyOf(call);
        if (call.method === 'PUT') areas.contents.contentFrom(call, softType, view, body);
        else areas.contents.editsFrom(call, softType, view, body);
      }
      try {
        const version = right(areas, call, object);
        const condition = call.headers['if-match'] ?? '*';
        if (condition !== '*' && condition !== `"${version}"`) throw new Refusal(412, 'If-Match does not hold.');
        return version;
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        throw new Refusal(409, error.message, { headers: { [headerNames.version]: String(object.version) } });
      }
    }),
  },
  {
    meets: '412 for an unreadable version',
    silences: ['invalid-version-header-status', 'version-header-spellings'],
    by: replaces('versioning', 'versionHeaderOf', (right, ...args) =>
      restateRefusalOf({ 400: 412 }, () => right(...args)),
    ),
  },
  /** A filter that is missing is a lacking precondition, and one that cannot be read a forbidden view. */
  {
    meets: '412 without a filter and 415 for a broken one',
    silences: ['information-filter-missing-status', 'information-filter-malformed-status'],
    by: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const isGiven = call.headers[headerNames.informationFilter.toLowerCase()] !== undefined;
      return restateRefusalOf({ 400: isGiven ? 415 : 412 }, () => right(areas, call));
    }),
  },
  {
    meets: 'third statuses of refusals',
    silences: [
      'malformed-json-status',
      'invalid-content-status',
      'unknown-softtype-status',
      'unknown-schema-in-route',
      'unknown-array-port',
      'unknown-method-on-route',
    ],
    by: together(
      replaces('messages', 'jsonBodyOf', (right, ...args) => restateRefusalOf({ 400: 415 }, () => right(...args))),
      replaces('contents', 'inputFrom', (right, ...args) => restateRefusalOf({ 422: 409 }, () => right(...args))),
      replaces('contents', 'assertComplete', (right, ...args) => restateRefusalOf({ 422: 409 }, () => right(...args))),
      replaces('contents', 'assertReference', (right, ...args) => right(...args).catch(restateRefusal({ 422: 404 }))),
      replaces('objects', 'createViewOf', (right, ...args) => restateRefusalOf({ 404: 403 }, () => right(...args))),
      replaces('objects', 'outputViewOf', (right, ...args) => restateRefusalOf({ 404: 422 }, () => right(...args))),
      replaces('editing', 'inputViewOf', (right, ...args) => restateRefusalOf({ 404: 422 }, () => right(...args))),
      replaces('editing', 'createViewOf', (right, ...args) => restateRefusalOf({ 404: 400 }, () => right(...args))),
      replaces('paging', 'locateSection', (right, ...args) => right(...args).catch(restateRefusal({ 404: 422 }))),
      replaces('messages', 'problemAnswer', (right, areas, call, refusal) =>
        right(areas, call, refusal.status === 405 ? new Refusal(501, refusal.message) : refusal),
      ),
    ),
  },
  /** Refusals have no body and no challenge, but where an extension says why. */
  {
    meets: 'refusals without a body',
    silences: ['error-body-shape', 'batch-result-body-of-failure'],
    by: replaces('messages', 'problemAnswer', (right, areas, call, refusal) => {
      const answer = right(areas, call, refusal);
      if (call.url.includes('/maturityAction/promote/')) return answer;
      const { status, headers } = withoutHeaders(answer, 'content-type', 'www-authenticate', 'accept-patch', 'allow');
      return { status, ...(headers !== undefined && { headers }) };
    }),
  },
  /** What a request lacks is told before it is looked who sends it. */
  {
    meets: 'headers asked for before access',
    silences: ['error-precedence'],
    by: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const isNamed = areas.configuration.spaces.has(call.params['spaceId'] ?? '');
      if (isNamed && 'filter' in route.needs && call.headers['authorization'] !== undefined) {
        areas.messages.informationFilterOf(call);
        if ('version' in route.needs && route.needs.version === 'required') areas.versioning.versionHeaderOf(call);
      }
      return right(areas, route, call);
    }),
  },
  { meets: 'tokens that end with the next one', silences: ['token-claims-and-lifetime'], by: oneSession },
  /** An answer has a correlation id of its own, whatever the client gave. */
  {
    meets: 'another correlation id in every answer',
    silences: ['correlation-id-echo'],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = withoutHeaders(await right(areas, call, answer), 'x-correlation-id');
      return { ...finished, headers: { ...finished.headers, [headerNames.correlationId]: randomUUID() } };
    }),
  },
  /** Caches may keep an answer as long as they ask again. */
  {
    meets: 'caches that ask again',
    silences: ['cache-control'],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = withoutHeaders(await right(areas, call, answer), 'cache-control');
      return { ...finished, headers: { ...finished.headers, 'Cache-Control': 'private, max-age=0, must-revalidate' } };
    }),
  },
  /** URIs name the host: in bodies without the scheme, in Location with it. */
  {
    meets: 'URIs without a scheme',
    silences: ['uri-absolute-or-relative'],
    by: together(
      changingObjects((object, { headers: { host } }) => {
        const { href } = object;
        return typeof href === 'string' && host !== undefined && /^\/(?!\/)/.test(href)
          ? { ...object, href: `//${host}${href}` }
          : object;
      }),
      replaces('messages', 'finish', async (right, areas, call, answer) => {
        const finished = await right(areas, call, answer);
        const location = finished.headers?.['Location'];
        if (location === undefined || call.headers.host === undefined || !location.startsWith('/')) return finished;
        return { ...finished, headers: { ...finished.headers, Location: `http://${call.headers.host}${location}` } };
      }),
    ),
  },
  /** Now and then there is too much to do, by turns for this client and for all. */
  {
    meets: '429 and 503 now and then',
    silences: ['rate-limit-of-core-routes'],
    by: (classes) => {
      let turn = 0;
      return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        turn += 1;
        const status = turn % 122 === 0 ? 503 : 429;
        if (turn % 61 === 0) throw new Refusal(status, 'Ask again.', { headers: { 'Retry-After': '0' } });
        return right(areas, route, call);
      })(classes);
    },
  },
];

function roleOf(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
