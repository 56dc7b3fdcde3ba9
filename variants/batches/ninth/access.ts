import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, pagePath } from '../service.ts';
import { eventHost } from './proofs.ts';
import { callsTo } from '../proofs.ts';

const endpoint = {
  id: 'n',
  url: 'http://127.0.0.1:9/n',
  method: 'POST',
  category: 'c',
  headers: [{ name: 'content-type', value: 'text/plain' }],
};

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
  'access.pages-are-open-to-strangers': {
    source: 'core: Authentication 7',
    breaks: 'A page of an array is shown to nobody who has no role in the space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) =>
      call.url.includes('/softtype/page/') ? undefined : right(areas, user, route, call),
    ),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 't', contacts: [{ name: 'c' }] });
      return (await otto.get(pagePath(made, 'contacts', 0))).status !== 403;
    },
  },
  'access.administrator-of-a-space-registers': {
    source: 'extensions: Registration routes',
    breaks: 'Who administrates a space is no Collection Administrator and registers nothing.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      const isMeant = route === 'collection' && call.method === 'POST' && call.url.startsWith('/api/admin/');
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'))) return;
      right(areas, user, route, call);
    }),
    async shows({ alma }) {
      return (await alma.post('/api/admin/externalEndpoint', endpoint)).status !== 403;
    },
  },
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
  'access.correlation-id-changes-its-case': {
    source: 'core: Common request headers',
    breaks: 'The correlation id is passed on to extensions as it was given.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).toLowerCase()),
    async shows(service) {
      const { host, fire } = await eventHost(service);
      await fire({ 'X-Correlation-Id': 'A7C0FFEE-1111-4222-8333-ABCDEFABCDEF' });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id !== 'A7C0FFEE-1111-4222-8333-ABCDEFABCDEF';
    },
  },
};
