import { isContent } from '../../../reference-server/areas/content.ts';
import { dropRegistration, registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, logged, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

export const metadataMistakes: Batch = {
  'metadata.whole-seconds': {
    source: 'extensions: Extension metadata record',
    breaks: 'The request timeout of a record is a number of seconds, whole or not.',
    kind: 'value',
    survives: 'A registration states whole seconds, and no sentence says what a fraction in a record comes to.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) => Math.ceil(right(areas, record))),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 2.5 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(0.5, 8);
      return (await logged(service, 'timeout')).some((entry) => at(entry, '/wait') !== 2.5);
    },
  },
};

export const registrationMistakes: Batch = {
  'registration.one-a-key': {
    source: 'extensions: Registration routes',
    breaks: 'An extension that is registered stays so, also when another one is registered with the same key.',
    kind: 'copy',
    variant: replaces('registrations', 'createExtension', async (right, areas, call) => {
      const answer = await right(areas, call);
      await areas.store.change(async (writing) => {
        for (const former of await registrationsOf(writing, 'svcExtension'))
          if (
            former.kind === 'svcExtension' &&
            former.apiKey === call.json.apiKey &&
            former.id !== at(answer.body, '/id')
          )
            await dropRegistration(writing, former);
      });
      return answer;
    }),
    async shows({ host, edda }) {
      for (const id of ['one', 'two']) await host(() => [{ id }]);
      return (await edda.sendEvent('one')).status >= 400;
    },
  },

  'registration.name-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the fields of a simple one, whose name may be left out.',
    kind: 'place',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const endpoint = right(areas, body);
      if (endpoint.name === undefined) throw new Refusal(400, 'There is no name.');
      return endpoint;
    }),
    async shows(service) {
      const { status } = await registerEndpoint(service, 'trustedExternalEndpoint', { url: service.url });
      return status >= 400;
    },
  },

  'keys.brought-once': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Keys that are asked for are brought to the callback, also those that were brought before.',
    kind: 'moment',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) =>
      keys.some(({ fresh }) => fresh) ? right(areas, call, holder, request, keys) : { status: 204 },
    ),
    async shows({ host, cora }) {
      const permissions = ['AdministrationAPI'];
      const holder = await host((url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions } }]);
      const route = '/api/collection/externalExtension/acquireAccessToken/event';
      for (let count = 0; count < 2; count += 1)
        await cora.post(route, { tokenCallback: `${holder.url}/keys`, permissions });
      return holder.entries(({ path, json }) => path === '/keys' && isContent(json)).length < 2;
    },
  },
};
