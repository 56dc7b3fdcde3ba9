import { createHmac, randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Credentials } from '../../../reference-server/areas/auth.ts';
import { requestPathOf } from '../../../reference-server/areas/signing.ts';
import { type Claims, claimsOf } from '../../../reference-server/areas/tokens.ts';
import type { User } from '../../../reference-server/configuration.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, bulkPath, documentsPath, grant, part, profilePath, readOf, tokenOf } from '../proofs.ts';
import {
  administrationKey,
  at,
  editPath,
  many,
  pagePath,
  type Service,
  signatureOver,
  spaceFiles,
  versionHeader,
} from '../service.ts';
import { changes, patOf, perServer } from '../variant-parts.ts';

/** Base64 of the key by which the seed signs access tokens. */
const signingKey = 'c3ZjLWNvbmZvcm1hbmNlIGRlbW9uc3RyYXRpb24ga2V5LCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgbG9uZyE=';

/** Of a signature with HMAC SHA512 in Base64. */
const signatureChars = 86;

export const tokensMistakes: Mistakes = {
  'auth.personal-token-changes-no-profile': {
    source: 'core: Authentication 1; What the service does, collection level',
    breaks: 'A personal access token is taken for changes at collection level as well.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const isMeant = route.path.startsWith('/api/collection/') && route.method === 'PUT';
      if (isMeant && patOf(call) !== undefined) throw new Refusal(401, 'An access token is needed.');
      return right(areas, route, call);
    }),
    shows: async ({ cora }) => (await cora.put(profilePath, undefined, { displayName: 'C' })).status === 401,
  },
  'tokens.personal-ones-change-nothing': {
    source: 'core: Authentication 2',
    breaks: 'What a personal access token is answered to have changed is changed.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const answer = await right(areas, route, call, writing);
      const isMeant = call.headers['authorization']?.includes('svcpat-') === true && route.path === routes.merge;
      if (isMeant && call.method === 'PATCH') throw new Undone(answer);
      return answer;
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 'a' });
      const headers = { ...versionHeader(1), authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
      const reply = await nobody.send('PATCH', editPath(made), { headers, body: { title: 'b' } });
      return reply.status === 204 && at(await edda.read(made), '/data/title') === 'a';
    },
  },
  'tokens.personal-ones-create-nothing': {
    source: 'core: Authentication 2',
    breaks: 'What a personal access token is answered to have created is there.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const answer = await right(areas, route, call, writing);
      const isMeant = call.headers['authorization']?.includes('svcpat-') === true && route.path === routes.create;
      if (isMeant) throw new Undone(answer);
      return answer;
    }),
    async shows({ edda, nobody }) {
      const headers = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
      const created = await nobody.post(documentsPath, { title: 'a' }, headers);
      return created.status === 201 && (await edda.get(created.headers.get('location') ?? '')).status === 404;
    },
  },
  'tokens.decoded-alone-on-pages': {
    source: 'core: Authentication 2 and 6',
    breaks: 'The signature of a token is verified at the route of pages as at any other.',
    variant: decodedAlone(({ url }) => /\/page\//.test(url)),
    async shows(service) {
      const { edda, nobody } = service;
      const made = await edda.make('Document', { files: many(12, (number) => ({ name: `${number}` })) });
      const authorization = await alteredOf(service, 'edda');
      return (await nobody.get(pagePath(made, 'files', 1), { authorization })).status === 200;
    },
  },
  'tokens.decoded-alone-in-batches': {
    source: 'core: Authentication 2 and 6',
    breaks: 'The signature of a token is verified at the batch route as at any other.',
    variant: decodedAlone(({ url }) => url.endsWith('/batch')),
    async shows(service) {
      const authorization = await alteredOf(service, 'edda');
      return (await service.nobody.post('/api/space/main/batch', [], { authorization })).status < 300;
    },
  },
  'tokens.last-longer-for-writes': {
    source: 'core: Authentication 1 and 6',
    breaks: 'A token that has expired is none for writes as for reads.',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const claims = call.method === 'GET' ? undefined : claimsShown(areas.auth.credentialsOf(call.headers));
        const isPast = claims !== undefined && claims.exp * 1000 <= areas.clock.now();
        const user = isPast ? areas.configuration.users.get(claims.sub) : undefined;
        if (user === undefined) throw error;
        return user;
      }
    }),
    async shows(service) {
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      await service.pass(7200);
      return (await service.nobody.post('/api/space/main/batch', [], { authorization })).status < 300;
    },
  },
  'tokens.decoded-alone-at-registrations': {
    source: 'core: Authentication 2 and 6',
    breaks: 'The signature of a token is verified at the routes of registrations as at any other.',
    variant: decodedAlone(({ url }) => url.startsWith('/api/admin/')),
    async shows(service) {
      const authorization = await alteredOf(service, 'cora');
      return (await service.nobody.post('/api/admin/externalEndpoint', {}, { authorization })).status !== 401;
    },
  },
  'tokens.whatever-begins-with-one': {
    source: 'core: Authentication 1 and 6',
    breaks: 'A personal access token is known as a whole: one with more behind it is none.',
    variant: replaces('auth', 'userOfCredentials', async (right, areas, credentials) => {
      const user = await right(areas, credentials);
      if (user !== undefined || credentials.scheme !== 'bearer') return user;
      const { token } = credentials;
      return areas.configuration.users.values().find(({ pat }) => token.startsWith(pat));
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Part');
      return (await nobody.get(path, { authorization: 'Bearer svcpat-edda-7d1c0b9e5aXY' })).status === 200;
    },
  },
  'tokens.more-behind-the-signature': {
    source: 'core: Authentication 2 and 6',
    breaks: 'A token whose signature goes on behind its end is none.',
    variant: replaces('tokens', 'verifySignature', (right, areas, token, key) => {
      const [head = '', payload = '', signature = ''] = token.split('.');
      return right(areas, `${head}.${payload}.${signature.slice(0, signatureChars)}`, key);
    }),
    async shows(service) {
      const { path } = await service.edda.make('Part');
      const authorization = `Bearer ${await tokenOf(service, 'edda')}AAAA`;
      return (await service.nobody.get(path, { authorization })).status === 200;
    },
  },
  'access.nobody-gets-results': {
    source: 'core: Authentication',
    breaks: 'Without a token the answer is 401, of a batch as of anything else.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (!route.path.endsWith('/batch') || call.headers['authorization'] !== undefined)
        return right(areas, route, call);
      const operations: unknown = JSON.parse(call.body?.toString() ?? '[]');
      const results = (Array.isArray(operations) ? operations : []).map(() => ({ statusCode: 401 }));
      return { status: 500, body: results };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 'closed' });
      return (await nobody.batch([readOf(made)])).status !== 401;
    },
  },
  'access.personal-tokens-below-api-alone': {
    source: 'core: Authentication 1, first sentence',
    breaks: 'A space route accepts a personal access token, also where its path does not begin with the API root.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const isPersonal = credentials?.scheme === 'bearer' && credentials.token.split('.').length !== 3;
      if (isPersonal && call.url.startsWith('/space/'))
        throw areas.tokens.unusableToken('Expected an access token of the token endpoint.');
      return right(areas, route, call);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([part('p', 'n')]);
      return made.status === 401;
    },
  },
  'tokens.stranger-without-any-role': {
    source: 'core: Authentication 1 and 6',
    breaks: 'A personal access token is one also of a user without any role, who is forbidden and not unknown.',
    variant: changes('auth', 'userOfCredentials', (user, areas, credentials) => {
      if (user === undefined || credentials.scheme !== 'bearer' || credentials.token.split('.').length === 3)
        return user;
      const spaces = [...areas.configuration.spaces.values()];
      const isKnown =
        user.collectionAdministrator || spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      return isKnown ? user : undefined;
    }),
    async shows({ edda, nora }) {
      const made = await edda.make('Document');
      return (await nora.get(made.path)).status === 401;
    },
  },
  'bulk.signature-of-the-path-above': {
    source: 'core: Authentication 1',
    breaks: 'An administrative route asks for the key over its own path, not for that of a route above it.',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const above = requestPathOf(call).replace(/\/[^/]*$/, '');
      try {
        await right(areas, call);
      } catch {
        await right(areas, { ...call, url: above });
      }
    }),
    async shows({ nobody, directory }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      const signature = signatureOver('/admin/fileupload', administrationKey);
      const answer = await nobody.post(bulkPath, body, { authorization: `Bearer ${signature}` });
      return answer.status === 200;
    },
  },
  'auth.personal-token-of-an-administrator': {
    source: 'core: Authentication 1',
    breaks: 'Collection routes accept a personal access token as space routes do.',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (!call.url.startsWith('/api/collection/') || credentials?.scheme !== 'bearer') return right(areas, call);
      if (!credentials.token.includes('.')) throw areas.tokens.unusableToken('Expected a JWT.');
      return right(areas, call);
    }),
    shows: async ({ cora }) => (await cora.get('/api/collection/space')).status === 401,
  },
  'access.a-personal-token-without-its-end': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token is good as a whole only.',
    variant: changes('auth', 'userOfCredentials', (user, areas, credentials) => {
      if (user !== undefined || credentials.scheme !== 'bearer') return user;
      return [...areas.configuration.users.values()].find(({ pat }) => pat.slice(0, -1) === credentials.token);
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Document');
      const answer = await nobody.get(path, { authorization: 'Bearer svcpat-edda-7d1c0b9e5' });
      return answer.status === 200;
    },
  },
  'access.personal-token-after-an-hour': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens routes, also when it has been in use for longer than a JWT lives.',
    survives: 'How long a personal access token opens anything is not said; it may end an hour after its first use.',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const first = new Map<string, number>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'bearer' || credentials.token.includes('.')) return right(areas, credentials);
        const now = areas.clock.now();
        const since = first.get(credentials.token) ?? now;
        first.set(credentials.token, since);
        return now - since > 3_600_000 ? undefined : right(areas, credentials);
      };
    }),
    async shows({ edda, pass }) {
      const made = await edda.make('Part');
      await pass(3700);
      return (await edda.get(made.path)).status === 401;
    },
  },
  'auth.personal-token-in-the-first-space': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens every space in which its user has a role.',
    survives: 'How a personal access token is issued is not said: it may be one for one space.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access, call);
      const credentials = areas.auth.credentialsOf(call.headers);
      if (access !== 'space' || credentials?.scheme !== 'bearer' || credentials.token.includes('.')) return;
      const first = areas.configuration.spaces.values().find((space) => areas.auth.rolesOf(user, space).length > 0);
      if (first?.id !== call.params['spaceId']) throw new Refusal(403, 'The token is for another space.');
    }),
    async shows({ edda }) {
      return (await edda.post('/api/space/depot/softtype/Dossier/dossierInput', { title: 't' })).status === 403;
    },
  },
  'tokens.none-beside-a-session': {
    source: 'core: Authentication 1',
    breaks: 'A route takes a personal access token, also of a user who has an access token as well.',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const users = new Set<string>();
      return async (areas, credentials) => {
        const user = await right(areas, credentials);
        if (user === undefined || credentials.scheme !== 'bearer') return user;
        if (credentials.token.split('.').length === 3) users.add(user.name);
        else if (users.has(user.name)) return undefined;
        return user;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document');
      await service.nobody.get(made.path, { authorization: `Bearer ${await tokenOf(service, 'edda')}` });
      return (await service.edda.get(made.path)).status === 401;
    },
  },
  'auth.user-of-the-correlation-id': {
    source: 'core: Authentication 2',
    breaks: 'The token of a request says who asks, and not that of another with the same correlation id.',
    variant: breaks('auth', 'authenticate', (right) => {
      const users = new Map<string, User>();
      return async (areas, call) => {
        const known = users.get(call.correlationId);
        if (known !== undefined && call.headers['authorization'] === undefined) return known;
        const user = await right(areas, call);
        if (call.correlationGiven) users.set(call.correlationId, user);
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document');
      const headers = { [headerNames.correlationId]: randomUUID() };
      await edda.get(made.path, headers);
      return (await nobody.get(made.path, headers)).status === 200;
    },
  },
  'tokens.query-before-header': {
    source: 'core: Authentication 2',
    breaks: 'Whoever calls is told by the Authorization header, whatever the query of a core route has besides.',
    survives: 'a request with two tokens may be refused',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      const token = call.query.get('access_token');
      if (token === null) return right(areas, call);
      return right(areas, { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.get(`${made.path}?access_token=nothing`)).status !== 200;
    },
  },
  'token.none-is-an-algorithm': {
    source: 'core: Authentication 2',
    breaks: 'A token counts when it is signed with HMAC SHA512, whatever its header says.',
    museum: true,
    variant: replaces('tokens', 'verifySignature', async (right, areas, token, key) => {
      const [header = '', payload = '', signature] = token.split('.');
      const isNone = /"alg"\s*:\s*"none"/.test(Buffer.from(header, 'base64url').toString());
      const claims = isNone && signature === '' ? claimsOf(Buffer.from(payload, 'base64url')) : undefined;
      return claims ?? right(areas, token, key);
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Document');
      const [header, payload] = [{ alg: 'none' }, { sub: 'edda', exp: 4_102_444_800 }].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      return (await nobody.get(path, { authorization: `Bearer ${header}.${payload}.` })).status === 200;
    },
  },
  'access.shorter-hash-accepted': {
    source: 'core: Authentication 2',
    breaks: 'A token is signed with HMAC SHA512; the same key with a shorter hash signs none.',
    variant: replaces('tokens', 'acceptedAlgorithms', (right, areas) => [...right(areas), 'HS256']),
    async shows({ edda, nobody }) {
      const made = await edda.make('Part');
      const { status } = await nobody.get(made.path, { authorization: `Bearer ${tokenWithShorterHash('edda')}` });
      return status === 200;
    },
  },
  'auth.password-of-before': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is the password each time, not the first time alone.',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const known = new Map<string, User | undefined>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'basic') return right(areas, credentials);
        const user = known.get(credentials.name) ?? (await right(areas, credentials));
        known.set(credentials.name, user);
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const asEdda = async (secret: string) => {
        const authorization = basic('edda', secret);
        return (await nobody.get(`${spaceFiles}/a.txt`, { authorization })).status;
      };
      await asEdda('svcpat-edda-7d1c0b9e5a');
      return (await asEdda('svcpat-nobody')) === 200;
    },
  },
  'access.any-name-beside-the-token': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is a password together with the name of its user, and with no other name.',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) =>
      right(areas, credentials.scheme === 'basic' ? { scheme: 'bearer', token: credentials.secret } : credentials),
    ),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const pair = Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64');
      return (await nobody.get(`${spaceFiles}/a.txt`, { authorization: `Basic ${pair}` })).status === 200;
    },
  },
  'basic.name-of-another-for-a-chunk': {
    source: 'core: Authentication 5',
    breaks: 'Basic takes the personal access token of the user it names, for a chunk too.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const user = await right(areas, call).catch(() => undefined);
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isForm = (call.headers['content-type'] ?? '').startsWith('multipart/');
      if (user !== undefined || !isForm || credentials?.scheme !== 'basic') return user ?? right(areas, call);
      const owner = await areas.auth.userOfCredentials({ scheme: 'bearer', token: credentials.secret });
      return (owner && areas.configuration.users.get(credentials.name)) ?? right(areas, call);
    }),
    async shows({ nobody, emil }) {
      const headers = { authorization: basic('emil', 'svcpat-edda-7d1c0b9e5a') };
      const answer = await nobody.sendChunk('chunk.txt', ['content'], 1, { headers });
      return answer.status < 400 && (await emil.get(`${spaceFiles}/chunk.txt`)).status === 200;
    },
  },
  'tokens.exchanged-under-another-algorithm': {
    source: 'core: Authentication 2',
    breaks: 'A token that is given for an id token is signed with HMAC SHA512.',
    variant: signsOtherwise(),
    async shows(service) {
      const text = `${segment({ alg: 'HS512' })}.${segment({ sub: 'edda', exp: 9_999_999_999, iss: 'https://login.example', aud: 'svc' })}`;
      const key = Buffer.from(
        'aWQgdG9rZW4gaXNzdWVyIG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgIQ==',
        'base64',
      );
      const idToken = `${text}.${createHmac('sha512', key).update(text).digest('base64url')}`;
      const form = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        subject_token: idToken,
        scope: 'All',
      });
      const [head = ''] = String(at((await grant(service, form.toString())).json, '/access_token')).split('.');
      return Buffer.from(head, 'base64url').toString().includes('HS256');
    },
  },
};

function tokenWithShorterHash(sub: string): string {
  const now = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { sub, iat: now - 60, exp: now + 3600 },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const key = Buffer.from(signingKey, 'base64');
  return [...parts, createHmac('sha256', key).update(parts.join('.')).digest('base64url')].join('.');
}

/** For those requests whoever a token names is its user, whoever has signed it. */
function decodedAlone(isMeant: (call: Call) => boolean): Variant {
  return replaces('auth', 'authenticate', async (right, areas, call) => {
    const claims = isMeant(call) ? claimsShown(areas.auth.credentialsOf(call.headers)) : undefined;
    return (claims && areas.configuration.users.get(claims.sub)) ?? right(areas, call);
  });
}

async function alteredOf(service: Service, user: string): Promise<string> {
  const token = await tokenOf(service, user);
  return `Bearer ${token.slice(0, -20)}${token.at(-20) === 'A' ? 'B' : 'A'}${token.slice(-19)}`;
}

function claimsShown(credentials: Credentials | undefined): Claims | undefined {
  if (credentials?.scheme !== 'bearer') return undefined;
  return claimsOf(Buffer.from(credentials.token.split('.')[1] ?? '', 'base64url'));
}

function signsOtherwise(): Variant {
  const claimsIn = perServer(() => new Map<string, Claims>());
  return together(
    replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      if (form.get('grant_type') === 'password') return right(areas, form, token);
      const payload = token.split('.')[1] ?? '';
      const text = `${segment({ alg: 'HS256', typ: 'JWT' })}.${payload}`;
      const key = areas.tokens.signingKeysOf().access;
      const other = `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
      const claims = claimsOf(Buffer.from(payload, 'base64url'));
      if (claims !== undefined) claimsIn(areas).set(other, claims);
      return right(areas, form, other);
    }),
    replaces('tokens', 'verifyToken', async (right, areas, token) => {
      const claims = claimsIn(areas).get(token);
      if (claims === undefined) return right(areas, token);
      areas.tokens.checkExpiry(claims);
      return claims;
    }),
  );
}

function segment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
