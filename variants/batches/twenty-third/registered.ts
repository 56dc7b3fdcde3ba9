import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';
import { tokenIn } from './calls.ts';

export const registeredMistakes: Batch = {
  'endpoints.token-of-the-first-user': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token of a call to an endpoint speaks for the user who triggered it, whoever came before.',
    kind: 'role',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, ReturnType<typeof right>>();
      return (areas, delivery, callee) => {
        const url = urls.get(callee.endpoint.url) ?? right(areas, delivery, callee);
        urls.set(callee.endpoint.url, url);
        return url;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?a=b` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.emil.sendToEndpoint();
      await service.pass(1);
      return at(tokenIn(callsTo(host)[1]), '/sub') === 'edda';
    },
  },
};
