import { randomUUID } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { changingObjects, mediaTypeOf, restateRefusal, restateRefusalOf, withoutHeaders } from './choice.ts';

/** The segment is softtype but in the path of the document of a space, and a path that is written without api has no other spelling. */
export const pathsAsWritten: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  const [path = ''] = call.url.split('?', 1);
  const isDocument = route.path === routes.openApiDynamic;
  const isMisspelt = isDocument ? path.includes('/softtype/') : /\/SoftType(?:\/|$)/.test(path);
  const isAlias = route.path === routes.multiCreate && route.method === 'POST' && path.startsWith('/api/');
  if (isMisspelt || isAlias) throw new Refusal(404, 'There is nothing of this name.');
  return right(areas, route, call);
});

export const noHead: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  if (call.withoutContent) throw new Refusal(405, 'HEAD is unknown here.');
  return right(areas, route, call);
});

/** A media type is compared letter by letter, and has no parameters but where it needs them. */
export const bareMediaTypes: Variant = replaces('messages', 'requireMediaType', (right, areas, call, accepted) => {
  const given = call.headers['content-type'];
  const mediaType = mediaTypeOf(call);
  const isWhole = given === mediaType || mediaType?.startsWith('multipart/');
  if (!isWhole) throw new Refusal(422, `${given} is unknown here.`);
  return restateRefusalOf({ 415: 422 }, () => right(areas, call, accepted));
});

/** An object that is not there is told so to everybody, with a role or without. */
export const missingBeforeForbidden: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  const { spaceId, objectId } = call.params;
  return right(areas, route, call).catch(async (error: unknown) => {
    const isForbidden = error instanceof Refusal && error.status === 403;
    if (!isForbidden || spaceId === undefined || objectId === undefined) throw error;
    const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
    throw object === undefined ? new Refusal(404, 'There is no such object.') : error;
  });
});

export const rolesOfFilters: Variant = replaces('auth', 'authorize', (right, areas, user, access, call) => {
  right(areas, user, access, call);
  if (access !== 'space' || call.headers[headerNames.informationFilter.toLowerCase()] === undefined) return;
  const role = roleOf(() => areas.messages.informationFilterOf(call).role);
  if (role !== undefined && !areas.auth.rolesOf(user, areas.auth.spaceOf(call)).includes(role))
    throw new Refusal(403, `${user.name} does not hold the role ${role}.`);
});

export const ownProfiles: Variant = replaces('auth', 'authorize', (right, areas, user, access, call) => {
  const isOwn = call.method === 'GET' && call.url.split('?', 1)[0] === '/api/collection/user/profile';
  if (!isOwn) right(areas, user, access, call);
});

export const openDefinitions: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  if (route.path === '/api/openApi/{category}') return areas.openApi.readStaticOpenApi(call);
  if (route.path !== routes.openApiDynamic) return right(areas, route, call);
  const [owner] = areas.configuration.users.values();
  if (owner === undefined) return right(areas, route, call);
  return areas.openApi.readDynamicOpenApi({ ...call, user: owner, space: areas.auth.spaceOf(call) });
});

export const lenientExpiry: Variant = replaces('tokens', 'checkExpiry', (right, areas, claims) =>
  right(areas, { ...claims, exp: claims.exp + 300 }),
);

/** A token is a thing that was created; a grant is refused with 400, one without a scope as well. */
export const otherGrants: Variant = together(
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
);

/** A space that is not there is no proper name of one. */
export const unknownSpacesBad: Variant = replaces('auth', 'spaceOf', (right, ...args) =>
  restateRefusalOf({ 404: 400 }, () => right(...args)),
);

/** Content is looked at before the version is compared; If-Match is heeded besides, and a mismatch tells the version that there is. */
export const contentFirst: Variant = replaces('versioning', 'assertVersion', (right, areas, call, object) => {
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
});

export const unreadableVersions: Variant = replaces('versioning', 'versionHeaderOf', (right, ...args) =>
  restateRefusalOf({ 400: 412 }, () => right(...args)),
);

/** A filter that is missing is a lacking precondition, and one that cannot be read a forbidden view. */
export const filterStatuses: Variant = replaces('messages', 'informationFilterOf', (right, areas, call) => {
  const isGiven = call.headers[headerNames.informationFilter.toLowerCase()] !== undefined;
  return restateRefusalOf({ 400: isGiven ? 415 : 412 }, () => right(areas, call));
});

/** Refusals have no body and no challenge, but where an extension says why. */
export const muteRefusals: Variant = replaces('messages', 'problemAnswer', (right, areas, call, refusal) => {
  const answer = right(areas, call, refusal);
  if (call.url.includes('/maturityAction/promote/')) return answer;
  const { status, headers } = withoutHeaders(answer, 'content-type', 'www-authenticate', 'accept-patch', 'allow');
  return { status, ...(headers !== undefined && { headers }) };
});

export const thirdStatuses: Variant = together(
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
);

/** A list of operations that fails is a bad request, whatever is wrong with it. */
export const badOperations: Variant = replaces('operations', 'applyOperations', async (right, areas, run, operations) =>
  right(areas, run, operations).catch(restateRefusal({ 403: 400, 404: 400, 409: 400, 422: 400 })),
);

/** An answer has a correlation id of its own, whatever the client gave. */
export const correlationOfItsOwn: Variant = replaces('messages', 'finish', async (right, areas, call, answer) => {
  const finished = withoutHeaders(await right(areas, call, answer), 'x-correlation-id');
  return { ...finished, headers: { ...finished.headers, [headerNames.correlationId]: randomUUID() } };
});

/** Caches may keep an answer as long as they ask again. */
export const askAgain: Variant = replaces('messages', 'finish', async (right, areas, call, answer) => {
  const finished = withoutHeaders(await right(areas, call, answer), 'cache-control');
  return { ...finished, headers: { ...finished.headers, 'Cache-Control': 'private, max-age=0, must-revalidate' } };
});

/** URIs name the host: in bodies without the scheme, in Location with it. */
export const schemelessUris: Variant = together(
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
);

function roleOf(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
