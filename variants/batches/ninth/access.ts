import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import type { Client } from '../service.ts';

/** Status of a password grant by a client with this secret. */
async function grant(nobody: Client, secret: string): Promise<number> {
  const form = new URLSearchParams({
    grant_type: 'password',
    username: 'edda',
    password: 'edda-password',
    scope: 'All',
  });
  const headers = {
    authorization: `Basic ${Buffer.from(`conformance:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return (await nobody.send('POST', '/auth/token', { headers, body: form.toString() })).status;
}

export const access: Batch = {
  'access.known-client-needs-no-secret': {
    source: 'core: Authentication 3',
    breaks: 'Every request of the token endpoint brings the secret of its client, also when that was shown before.',
    kind: 'copy',
    variant: breaks('grants', 'checkClient', (right) => {
      const known = new Set<string>();
      return (areas, call) => {
        const credentials = areas.auth.credentialsOf(call.headers);
        const name = credentials?.scheme === 'basic' ? credentials.name : '';
        if (known.has(name)) return;
        right(areas, call);
        known.add(name);
      };
    }),
    async shows({ nobody }) {
      await grant(nobody, 'conformance-secret');
      return (await grant(nobody, 'wrong')) === 200;
    },
  },
};
