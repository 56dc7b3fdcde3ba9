import { createHmac } from 'node:crypto';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { pagePath } from '../service.ts';

/** Base64 of the key by which the seed signs access tokens. */
const signingKey = 'c3ZjLWNvbmZvcm1hbmNlIGRlbW9uc3RyYXRpb24ga2V5LCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgbG9uZyE=';

export const accessMistakes: Batch = {
  'access.shorter-hash-accepted': {
    source: 'core: Authentication 2',
    breaks: 'A token is signed with HMAC SHA512; the same key with a shorter hash signs none.',
    kind: 'value',
    variant: replaces('tokens', 'acceptedAlgorithms', (right, areas) => [...right(areas), 'HS256']),
    async shows({ edda, nobody }) {
      const made = await edda.make('Part', { name: 'part' });
      const { status } = await nobody.get(made.path, {
        authorization: `Bearer ${tokenWithShorterHash('edda')}`,
      });
      return status === 200;
    },
  },

  'access.token-of-another-name': {
    source: 'core: Authentication 5',
    breaks: 'In Basic authentication a personal access token goes with the name of its owner.',
    kind: 'role',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) => {
      const isPair = credentials.scheme === 'basic';
      return right(areas, isPair ? { scheme: 'bearer', token: credentials.secret } : credentials);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const pair = Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64');
      const headers = { authorization: `Basic ${pair}` };
      return (await nobody.get('/api/space/main/fs/file/a.txt', headers)).status === 200;
    },
  },

  'access.pages-for-members-of-other-spaces': {
    source: 'core: Authentication 7',
    breaks: 'A page of an array asks for a role in the space of the object, as the read of the object does.',
    kind: 'place',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isMember = spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (isMember && call.params['arrayPortId'] !== undefined) return;
      right(areas, user, access, call);
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'title', files: [{ name: 'secret' }] });
      return (await otto.get(pagePath(made, 'files', 0))).status !== 403;
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
