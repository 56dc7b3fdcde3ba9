import type { JWTPayload } from 'jose';
import { SignJWT } from 'jose/jwt/sign';
import type { Areas } from '../../reference-server/areas.ts';
import type { Credentials } from '../../reference-server/areas/auth.ts';
import { type Claims, claimsOf } from '../../reference-server/areas/tokens.ts';
import { type Variant, type Variants, breaks, together, replaces } from '../breaks.ts';
import { type Json, isJson, withBody } from './answers.ts';

export const authFaults = {
  'auth.missing-token.answers-401': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const isPage = route.path.includes('/page/');
    if (!isPage || route.access !== 'space' || route.effect !== 'read' || call.headers['authorization'] !== undefined)
      return right(areas, route, call);
    const space = areas.auth.spaceOf(call);
    const user = areas.configuration.users.values().next().value;
    if (user === undefined) return right(areas, route, call);
    return areas.store.read((reading) => areas.dispatcher.carryOutRead(route, { ...call, space, user }, reading));
  }),

  'auth.missing-token.write-has-no-effect': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const user = areas.configuration.users.values().next().value;
    if (
      route.access === 'space' &&
      route.effect === 'write' &&
      call.headers['authorization'] === undefined &&
      user !== undefined
    ) {
      const space = areas.auth.spaceOf(call);
      await areas.store
        .change((writing) => areas.dispatcher.carryOutWrite(route, { ...call, space, user }, writing))
        .catch(() => undefined);
    }
    return right(areas, route, call);
  }),

  'auth.role.no-role-403': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const stranger = !areas.configuration.spaces.values().some((space) => areas.auth.rolesOf(user, space).length > 0);
    if (
      access === 'space' &&
      stranger &&
      !user.collectionAdministrator &&
      call.method === 'GET' &&
      !call.params['openApi']
    )
      return;
    right(areas, user, access, call);
  }),

  'auth.role.outsider-403': replaces('auth', 'rolesOf', (right, areas, user, space) => {
    const elsewhere = [...areas.configuration.spaces.values()].flatMap((other) => right(areas, user, other));
    return right(areas, user, space).length > 0 ? right(areas, user, space) : elsewhere;
  }),

  'auth.role.reader-may-read': replaces('instances', 'readInstance', async (right, areas, call, reading) => {
    const answer = await right(areas, call, reading);
    return areas.auth.mayUse(call.user, call.space, 'PATCH') ? answer : withBody(answer, withoutEntries);
  }),

  'auth.role.reader-create-403': withoutRoleCheck(['POST']),
  'auth.role.reader-edit-403': withoutRoleCheck(['PATCH'], (type) => type.includes('json-patch')),
  'auth.role.reader-delete-403': withoutRoleCheck(['DELETE']),

  'auth.jwt.three-decodable-parts': together(
    replaces(
      'tokens',
      'signClaims',
      async (right, areas, claims) => `opaque${Buffer.from(await right(areas, claims)).toString('base64url')}`,
    ),
    replaces('auth', 'credentialsOf', (right, areas, headers) => withDecodedToken(right(areas, headers))),
    replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => withDecodedToken(right(areas, call))),
  ),

  'auth.jwt.header-names-hs512': together(
    replaces('tokens', 'signClaims', async (_right, areas, claims) => signedAs('HS256', areas, claims)),
    replaces('tokens', 'acceptedAlgorithms', () => ['HS256']),
  ),

  'auth.jwt.signature-verifies': together(
    replaces('tokens', 'signClaims', async (right, areas, claims) => reversedSignature(await right(areas, claims))),
    replaces('tokens', 'verifySignature', async (right, areas, token, key) =>
      right(areas, reversedSignature(token), key),
    ),
  ),

  'auth.jwt.tampered-refused': replaces('tokens', 'verifySignature', async (right, areas, token, key) => {
    const claims = unverified(token);
    return algorithmOf(token) === 'HS512' && claims !== undefined && !token.endsWith('.')
      ? claims
      : right(areas, token, key);
  }),

  'auth.jwt.alg-none-refused': replaces('tokens', 'verifySignature', async (right, areas, token, key) => {
    const claims = unverified(token);
    return String(algorithmOf(token)).toLowerCase() === 'none' && claims !== undefined
      ? claims
      : right(areas, token, key);
  }),

  'auth.jwt.other-algorithm-refused': replaces('tokens', 'acceptedAlgorithms', () => ['HS256', 'HS384', 'HS512']),

  'auth.jwt.expired-refused': replaces('tokens', 'checkExpiry', () => undefined),

  'auth.refused-token.status-401': replaces('tokens', 'unusableToken', (right, areas, detail) =>
    Object.assign(right(areas, detail), { status: 403 }),
  ),

  'auth.grant.returns-access-token': replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
    const answer = right(areas, form, token);
    return form.get('username') === 'edda' ? { ...answer, body: { token, token_type: 'Bearer' } } : answer;
  }),

  'auth.grant.behind-the-end-of-the-last': breaks('tokens', 'issueToken', (right) => {
    const granted = new Map<string, { readonly token: string; readonly until: number }>();
    return async (areas, user) => {
      const now = areas.tokens.secondsNow();
      const last = granted.get(user.name);
      if (last !== undefined && now < last.until) return last.token;
      const token = await right(areas, user);
      granted.set(user.name, { token, until: now + areas.configuration.auth.tokenLifetimeSeconds + 60 });
      return token;
    };
  }),

  'auth.grant.wrong-user-yields-no-token': replaces('auth', 'userOfPassword', (_right, areas, name) =>
    areas.configuration.users.get(name),
  ),

  'auth.grant.wrong-client-yields-no-token': replaces('grants', 'checkClient', () => undefined),

  'auth.pat.bearer-accepted': replaces('auth', 'userOfCredentials', async (right, areas, credentials) =>
    credentials.scheme === 'bearer' && credentials.token.split('.').length !== 3
      ? undefined
      : right(areas, credentials),
  ),
} satisfies Variants;

/** Role checks pass for these methods where `applies` says so. */
function withoutRoleCheck(methods: readonly string[], applies: (contentType: string) => boolean = () => true): Variant {
  return replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const skipped = access === 'space' && methods.includes(call.method) && applies(call.headers['content-type'] ?? '');
    if (skipped && areas.auth.rolesOf(user, areas.auth.spaceOf(call)).length > 0) return;
    right(areas, user, access, call);
  });
}

/** Claims without a look at the signature. */
function unverified(token: string): Claims | undefined {
  return claimsOf(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
}

function algorithmOf(token: string): unknown {
  const header = claimsOfHeader(token.split('.')[0] ?? '');
  return typeof header === 'object' && header !== null && 'alg' in header ? header.alg : undefined;
}

function claimsOfHeader(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Signs with the right key and this algorithm. */
function signedAs(algorithm: string, areas: Areas, claims: JWTPayload): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .sign(areas.tokens.signingKeysOf().access);
}

/** Undoes what makes tokens opaque. */
function withDecodedToken(given: Credentials | undefined): Credentials | undefined {
  if (given?.scheme !== 'bearer' || !given.token.startsWith('opaque')) return given;
  return { scheme: 'bearer', token: Buffer.from(given.token.slice('opaque'.length), 'base64url').toString('utf8') };
}

/** A read response whose arrays are empty. */
function withoutEntries(body: Json): Json {
  const data = isJson(body['data']) ? body['data'] : {};
  return {
    ...body,
    data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? [] : value])),
  };
}

/** The token with the characters of its signature in reverse order: no signature any more, but undone by the same step. */
function reversedSignature(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  return `${header}.${payload}.${[...signature].toReversed().join('')}`;
}
