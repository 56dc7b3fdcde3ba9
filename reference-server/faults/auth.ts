import { SignJWT, type JWTPayload } from 'jose';
import { isJson, withBody, type Json } from './answer.ts';
import type { Fault, FaultsOf } from './fault.ts';
import { replacing, together } from './fault.ts';
import type { Credentials } from '../auth/credentials.ts';
import { claimsOf, signingKeysOf, type Claims } from '../auth/token.ts';
import type { Service } from '../service.ts';

/** Role checks pass for these methods where `applies` says so. */
function withoutRoleCheck(methods: readonly string[], applies: (contentType: string) => boolean = () => true): Fault {
  return replacing('authorize', (right) => (service, user, access, call) => {
    const skipped = access === 'space' && methods.includes(call.method) && applies(call.headers['content-type'] ?? '');
    if (skipped && service.behaviours.rolesOf(service, user, service.behaviours.spaceOf(service, call)).length > 0)
      return;
    right(service, user, access, call);
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
function signedAs(algorithm: string, service: Service, claims: JWTPayload): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .sign(signingKeysOf(service).access);
}

/** Undoes what makes tokens opaque. */
function withDecodedToken(given: Credentials | undefined): Credentials | undefined {
  if (given?.scheme !== 'bearer' || !given.token.startsWith('opaque')) return given;
  return { scheme: 'bearer', token: Buffer.from(given.token.slice('opaque'.length), 'base64url').toString('utf8') };
}

export const authFaults: FaultsOf<'auth'> = {
  'auth.missing-token.answers-401': replacing('carryOut', (right) => async (service, route, call) => {
    const isPage = route.path.includes('/page/');
    if (!isPage || route.access !== 'space' || route.effect !== 'read' || call.headers['authorization'] !== undefined)
      return right(service, route, call);
    const space = service.behaviours.spaceOf(service, call);
    const user = service.configuration.users.values().next().value;
    if (user === undefined) return right(service, route, call);
    return service.store.read((reading) => route.handle(service, { ...call, space, user }, reading));
  }),

  'auth.missing-token.write-has-no-effect': replacing('carryOut', (right) => async (service, route, call) => {
    const user = service.configuration.users.values().next().value;
    if (
      route.access === 'space' &&
      route.effect === 'write' &&
      call.headers['authorization'] === undefined &&
      user !== undefined
    ) {
      const space = service.behaviours.spaceOf(service, call);
      await service.store
        .change((writing) => route.handle(service, { ...call, space, user }, writing))
        .catch(() => undefined);
    }
    return right(service, route, call);
  }),

  'auth.role.no-role-403': replacing('authorize', (right) => (service, user, access, call) => {
    const stranger = !service.configuration.spaces
      .values()
      .some((space) => service.behaviours.rolesOf(service, user, space).length > 0);
    if (
      access === 'space' &&
      stranger &&
      !user.collectionAdministrator &&
      call.method === 'GET' &&
      !call.params['openApi']
    )
      return;
    right(service, user, access, call);
  }),

  'auth.role.outsider-403': replacing('rolesOf', (right) => (service, user, space) => {
    const elsewhere = [...service.configuration.spaces.values()].flatMap((other) => right(service, user, other));
    return right(service, user, space).length > 0 ? right(service, user, space) : elsewhere;
  }),

  'auth.role.reader-may-read': replacing('readInstance', (right) => async (service, call, reading) => {
    const answer = await right(service, call, reading);
    return service.behaviours.mayUse(service, call.user, call.space, 'PATCH')
      ? answer
      : withBody(answer, withoutEntries);
  }),

  'auth.role.reader-create-403': withoutRoleCheck(['POST']),
  'auth.role.reader-edit-403': withoutRoleCheck(['PATCH'], (type) => type.includes('json-patch')),
  'auth.role.reader-delete-403': withoutRoleCheck(['DELETE']),

  'auth.jwt.three-decodable-parts': together(
    replacing(
      'signClaims',
      (right) => async (service, claims) => `opaque${Buffer.from(await right(service, claims)).toString('base64url')}`,
    ),
    replacing('credentialsOf', (right) => (headers) => withDecodedToken(right(headers))),
    replacing('queryCredentialsOf', (right) => (call) => withDecodedToken(right(call))),
  ),

  'auth.jwt.header-names-hs512': together(
    replacing('signClaims', () => async (service, claims) => signedAs('HS256', service, claims)),
    replacing('acceptedAlgorithms', () => () => ['HS256']),
  ),

  'auth.jwt.signature-verifies': together(
    replacing('signClaims', (right) => async (service, claims) => reversedSignature(await right(service, claims))),
    replacing(
      'verifySignature',
      (right) => async (service, token, key) => right(service, reversedSignature(token), key),
    ),
  ),

  'auth.jwt.tampered-refused': replacing('verifySignature', (right) => async (service, token, key) => {
    const claims = unverified(token);
    return algorithmOf(token) === 'HS512' && claims !== undefined && !token.endsWith('.')
      ? claims
      : right(service, token, key);
  }),

  'auth.jwt.alg-none-refused': replacing('verifySignature', (right) => async (service, token, key) => {
    const claims = unverified(token);
    return String(algorithmOf(token)).toLowerCase() === 'none' && claims !== undefined
      ? claims
      : right(service, token, key);
  }),

  'auth.jwt.other-algorithm-refused': replacing('acceptedAlgorithms', () => () => ['HS256', 'HS384', 'HS512']),

  'auth.jwt.expired-refused': replacing('checkExpiry', () => () => undefined),

  'auth.refused-token.status-401': replacing(
    'unusableToken',
    (right) => (service, detail) => Object.assign(right(service, detail), { status: 403 }),
  ),

  'auth.grant.returns-access-token': replacing('tokenAnswer', (right) => (service, form, token) => {
    const answer = right(service, form, token);
    return form.get('username') === 'edda' ? { ...answer, body: { token, token_type: 'Bearer' } } : answer;
  }),

  'auth.grant.wrong-user-yields-no-token': replacing(
    'userOfPassword',
    () => (service, name) => service.configuration.users.get(name),
  ),

  'auth.grant.wrong-client-yields-no-token': replacing('checkClient', () => () => undefined),

  'auth.pat.bearer-accepted': replacing(
    'userOfCredentials',
    (right) => async (service, credentials) =>
      credentials.scheme === 'bearer' && credentials.token.split('.').length !== 3
        ? undefined
        : right(service, credentials),
  ),
};

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
