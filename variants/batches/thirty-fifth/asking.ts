import { createHmac } from 'node:crypto';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { at, spaceFiles } from '../service.ts';

const openApiPath = (space: string) => `/space/${space}/SoftType/dynamic/softtype.openApi`;

const basic = (name: string, secret: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

export const askingMistakes: Batch = {
  'openapi.of-the-users-first-space': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The definitions are those of the space that is asked, whichever one the user asked before.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      const known = new Map<string, Parameters<typeof right>[1]['space']>();
      return (areas, call) => {
        const space = known.get(call.user.name) ?? call.space;
        known.set(call.user.name, space);
        return right(areas, { ...call, space });
      };
    }),
    async shows({ edda }) {
      await edda.get(openApiPath('main'));
      return !(await edda.get(openApiPath('depot'))).text.includes('Dossier');
    },
  },
  'caching.tag-of-another-resource': {
    source: 'core: Errors, row 304',
    breaks: 'Not modified is what the tag of the client equals, not what has a tag that something else has.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const given = new Map<string, string>();
      return (areas, call, answer) => {
        const condition = call.headers['if-none-match'] ?? '';
        const other = given.get(condition);
        const sent = right(areas, call, answer);
        const etag = sent.headers?.['ETag'];
        if (etag === undefined) return sent;
        given.set(etag, call.url);
        return other === undefined || other === call.url ? sent : areas.caching.notModified(sent.headers ?? {});
      };
    }),
    async shows({ cora }) {
      const etag = (await cora.get('/api/collection/user/profile')).headers.get('etag') ?? '';
      return (await cora.get('/api/collection/health', { 'if-none-match': etag })).status === 304;
    },
  },
  'tokens.administrators-have-a-shorter-hash': {
    source: 'core: Authentication 2',
    breaks: 'A JWT is signed with HMAC SHA512, whoever it is for.',
    kind: 'role',
    variant: together(
      replaces('tokens', 'signClaims', async (right, areas, claims) => {
        if (areas.configuration.users.get(String(claims.sub))?.collectionAdministrator !== true)
          return right(areas, claims);
        const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const text = `${segment({ alg: 'HS256', typ: 'JWT' })}.${segment(claims)}`;
        const key = areas.tokens.signingKeysOf().access;
        return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
      }),
      replaces('tokens', 'acceptedAlgorithms', () => ['HS512', 'HS256']),
    ),
    async shows(service) {
      const [header = ''] = (await tokenOf(service, 'cora')).split('.');
      return at(JSON.parse(Buffer.from(header, 'base64url').toString() || 'null'), '/alg') === 'HS256';
    },
  },
  'auth.basic-name-is-enough-once': {
    source: 'core: Authentication 5',
    breaks: 'The personal access token is the password, each time anew.',
    kind: 'copy',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, credentials) => {
        const user = await right(areas, credentials);
        if (credentials.scheme !== 'basic') return user;
        if (user !== undefined) known.set(credentials.name, user);
        return user ?? known.get(credentials.name);
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('basic.txt', 'text');
      await nobody.get(`${spaceFiles}/basic.txt`, { authorization: basic('edda', 'svcpat-edda-7d1c0b9e5a') });
      const answer = await nobody.get(`${spaceFiles}/basic.txt`, { authorization: basic('edda', 'svcpat-edda-0') });
      return answer.status === 200;
    },
  },
};
