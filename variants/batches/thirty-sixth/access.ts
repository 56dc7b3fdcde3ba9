import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { registerEndpoint } from '../proofs.ts';

export const accessMistakes: Batch = {
  'auth.personal-token-in-the-first-space': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens every space in which its user has a role.',
    kind: 'place',
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

  'registrations.kind-of-the-former': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is what it was registered as, also where its id was that of a simple one before.',
    kind: 'copy',
    variant: breaks('registrations', 'createEndpoint', (right) => {
      const simple = new Set<string>();
      return async (areas, { json }, writing) => {
        const endpoint = simple.has(json.id) ? ({ ...json, kind: 'externalEndpoint' } as typeof json) : json;
        const answer = await right(areas, { json: endpoint }, writing);
        if (endpoint.kind === 'externalEndpoint') simple.add(json.id);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      const { headers } = await registerEndpoint(service, 'externalEndpoint', { url });
      await service.cora.delete(headers.get('location') ?? '');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && !entry.target.includes('access_token=');
    },
  },
};
