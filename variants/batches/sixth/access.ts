import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const access: Batch = {
  'access.administrator-of-a-space-is-one-of-all': {
    source: 'core: What the service does, collection level',
    breaks: 'Collection routes ask for a Collection Administrator; the highest role of a space is none.',
    kind: 'role',
    variant: replaces(
      'auth',
      'mayAdministrate',
      (right, areas, user) =>
        right(areas, user) ||
        areas.configuration.spaces.values().some((space) => areas.auth.rolesOf(user, space).includes('administrator')),
    ),
    async shows({ alma }) {
      return (await alma.get('/api/collection/template')).status === 200;
    },
  },
  'access.form-read-as-it-stands': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token request come as a form, whose percent-encoding is taken away.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      right(areas, call);
      const fields = (call.body?.toString('utf8') ?? '').split('&').map((field) => {
        const [name = '', value = ''] = field.split('=', 2);
        return [name, value] as const;
      });
      return new Map(fields);
    }),
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'grant_type=password&username=%65dda&password=edda%2Dpassword&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status !== 200;
    },
  },
};
