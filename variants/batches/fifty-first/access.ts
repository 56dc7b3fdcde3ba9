import { createHmac } from 'node:crypto';
import type { Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Route } from '../../../reference-server/http/route.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, spaceFiles } from '../service.ts';

const profilePath = '/api/collection/user/profile';
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Base64 of the key of the provider that the seed trusts. */
const idTokenKey = 'aWQgdG9rZW4gaXNzdWVyIG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgIQ==';

function idTokenOf(user: string): string {
  const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: user, iss: 'https://login.example', aud: 'svc', exp: Math.floor(Date.now() / 1000) + 100_000 };
  const text = `${segment({ alg: 'HS512', typ: 'JWT' })}.${segment(claims)}`;
  return `${text}.${createHmac('sha512', Buffer.from(idTokenKey, 'base64')).update(text).digest('base64url')}`;
}

function pathOf({ url }: Call): string {
  return url.split('?', 1)[0] ?? '';
}

/** Who holds the copy that was given out last is told that it still is right, whoever that is. */
function heldCopiesFirst(isMeant: (route: Route) => boolean, status: 401 | 403): Variant {
  const tags = new Map<string, string>();
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    try {
      const answer = await right(areas, route, call);
      const tag = answer.headers?.['ETag'];
      if (call.method === 'GET' && tag !== undefined && isMeant(route)) tags.set(pathOf(call), tag);
      return answer;
    } catch (error) {
      const tag = tags.get(pathOf(call));
      const isHeld = call.method === 'GET' && tag !== undefined && call.headers['if-none-match'] === tag;
      if (!(error instanceof Refusal) || error.status !== status || !isHeld) throw error;
      return { status: 304, headers: { ETag: tag } };
    }
  });
}

function otherCase(text: string): string {
  return [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

/** Who may do what, and what need not be sent again. */
export const accessMistakes: Batch = {
  'access.what-was-once-downloaded': {
    source: 'core: Errors, 403',
    breaks: 'Who has no access to a file is forbidden to download it, also where somebody else has just done so.',
    kind: 'copy',
    variant: breaks('fileAreas', 'mayUseArea', (right) => {
      const downloaded = new Set<string>();
      return (areas, user, area, call) => {
        if (call.method !== 'GET') return right(areas, user, area, call);
        if (right(areas, user, area, call)) downloaded.add(pathOf(call));
        return downloaded.has(pathOf(call));
      };
    }),
    async shows({ edda, nora }) {
      await edda.upload('read/once.txt', 'secret');
      await edda.get(`${spaceFiles}/read/once.txt`);
      return (await nora.get(`${spaceFiles}/read/once.txt`)).status !== 403;
    },
  },

  'access.held-copy-without-token': {
    source: 'core: Authentication 6, first part',
    breaks: 'A request without token is unauthorized, also where it asks only whether a copy still is right.',
    kind: 'combination',
    variant: (classes) => heldCopiesFirst(({ path }) => path.includes('/fs/file/'), 401)(classes),
    async shows({ edda, nobody }) {
      await edda.upload('held.txt', 'content');
      const { headers } = await edda.get(`${spaceFiles}/held.txt`);
      const again = await nobody.get(`${spaceFiles}/held.txt`, { 'If-None-Match': headers.get('etag') ?? '' });
      return again.status !== 401;
    },
  },

  'access.personal-tokens-below-api-alone': {
    source: 'core: Authentication 1, first sentence',
    breaks: 'A space route accepts a personal access token, also where its path does not begin with the API root.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const isPersonal = credentials?.scheme === 'bearer' && credentials.token.split('.').length !== 3;
      if (isPersonal && call.url.startsWith('/space/'))
        throw areas.tokens.unusableToken('Expected an access token of the token endpoint.');
      return right(areas, route, call);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]);
      return made.status === 401;
    },
  },

  'access.exchanged-tokens-open-spaces-alone': {
    source: 'core: Authentication 4',
    breaks:
      'The token that an id token is exchanged for is one of the service: it opens what any other of that user does.',
    kind: 'role',
    survives:
      'Route, form and answer of the exchange are not shown (id-token-exchange-route), and a profile has one id token, of an editor: recorded.',
    variant: (classes) => {
      const exchanged = new Set<string>();
      return together(
        replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
          if (form.get('grant_type') === exchange) exchanged.add(token);
          return right(areas, form, token);
        }),
        replaces('auth', 'authorize', (right, areas, user, access, call) => {
          const credentials = areas.auth.credentialsOf(call.headers);
          if (access === 'collection' && credentials?.scheme === 'bearer' && exchanged.has(credentials.token))
            throw new Refusal(403, 'The token is for spaces only.');
          right(areas, user, access, call);
        }),
      )(classes);
    },
    async shows({ nobody }) {
      const form = new URLSearchParams({
        grant_type: exchange,
        subject_token: idTokenOf('cora'),
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      });
      const answer = await nobody.post('/auth/token', form.toString(), {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      const authorization = `Bearer ${String(at(answer.json, '/access_token'))}`;
      return (await nobody.get('/api/collection/space', { authorization })).status === 403;
    },
  },

  'caching.tags-in-any-case': {
    source: 'core: Errors, 304',
    breaks: 'Data are not modified where the tag sent equals theirs, which another one in capitals does not.',
    kind: 'value',
    variant: replaces('caching', 'ifNoneMatch', (right, areas, header, etag) =>
      right(
        areas,
        header.replaceAll(/"[^"]*"/g, (tag) => tag.toLowerCase()),
        etag.toLowerCase(),
      ),
    ),
    async shows({ cora }) {
      const { headers } = await cora.get(profilePath);
      const again = await cora.get(profilePath, { 'If-None-Match': otherCase(headers.get('etag') ?? '') });
      return again.status === 304;
    },
  },
};
