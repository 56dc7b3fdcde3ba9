import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Received, type Service } from '../service.ts';

/** A password grant with this form. */
function grant({ nobody }: Service, form: string): Promise<Received> {
  return nobody.post('/auth/token', form, {
    authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
}

export const accessMistakes: Batch = {
  'access.personal-token-after-an-hour': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens routes, also when it has been in use for longer than a JWT lives.',
    kind: 'moment',
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
      const made = await edda.make('Part', { name: 'part' });
      await pass(3700);
      return (await edda.get(made.path)).status === 401;
    },
  },

  'access.second-grant-without-a-token': {
    source: 'core: Authentication 3',
    breaks: 'The answer to a grant contains a token, to the second one of a user as well.',
    kind: 'place',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const known = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        const count = (known.get(name) ?? 0) + 1;
        known.set(name, count);
        if (count !== 2) return answer;
        const { access_token: _lost, ...body } = answer.body as Record<string, unknown>;
        return { ...answer, body };
      };
    }),
    async shows(service) {
      const form = 'grant_type=password&username=emil&password=emil-password&scope=All';
      await grant(service, form);
      return typeof at((await grant(service, form)).json, '/access_token') !== 'string';
    },
  },
};
