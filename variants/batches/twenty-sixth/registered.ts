import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { dropRegistration, registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, registerEndpoint } from '../proofs.ts';
import { at, many, signatureOver } from '../service.ts';

const otherKey = Buffer.alloc(64, 9).toString('base64');

export const metadataMistakes: Batch = {
  'metadata.fetched-twice-at-most': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for whenever an extension is updated, also when it was updated just before.',
    kind: 'moment',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const fetched = new Map<string, ReturnType<typeof right>[]>();
      return (areas, extension, correlationId) => {
        const former = fetched.get(extension.hostUri) ?? [];
        const answer = former[1] ?? right(areas, extension, correlationId);
        fetched.set(extension.hostUri, [...former, answer]);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (const tokenLifeTime of [30, 20]) await changeExtension(service, { hostUri: host.url, tokenLifeTime });
      return callsOf(host, 'metadata').length < 3;
    },
  },

  'metadata.signed-by-the-first-key': {
    source: 'extensions: Metadata exchange',
    breaks: 'The request for metadata is signed by the key of the extension, also when an update has just changed it.',
    kind: 'copy',
    variant: breaks('metadata', 'metadataRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, extension, correlationId) => {
        const apiKey = keys.get(extension.hostUri) ?? extension.apiKey;
        keys.set(extension.hostUri, apiKey);
        return right(areas, { ...extension, apiKey }, correlationId);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, apiKey: otherKey });
      const entry = callsOf(host, 'metadata').at(-1);
      const shown = entry && headerValues(entry, 'authorization')[0];
      return shown !== `Bearer ${signatureOver('/svc/extension', otherKey)}`;
    },
  },

  'metadata.twenty-records': {
    source: 'extensions: Metadata exchange',
    breaks: 'The response is an array of records, all of which count, however many.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 20))),
    async shows({ host, edda }) {
      await host(() => many(21, (number) => ({ id: `event-${number}` })));
      return (await edda.sendEvent('event-21')).status >= 400;
    },
  },

  'metadata.one-digit-a-part': {
    source: 'extensions: Versioning',
    breaks: 'A record may have any version that SemVer knows, also one whose parts have two digits.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      /^\d\.\d\.\d(?!\d)/.test(String(at(item, '/version'))) ? right(areas, item) : new Misfit('/version', 'is none'),
    ),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', version: '1.10.0' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

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

  'registration.switched-off-once': {
    source: 'extensions: Registered extension',
    breaks: 'An extension can be switched off while the service runs, not only the first time.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const former = new Map<string, readonly [active: boolean, switches: number]>();
      return (areas, registration) => {
        const active = right(areas, registration);
        const [wasActive, before] = former.get(registration.id) ?? [true, 0];
        const switches = before + Number(active !== wasActive);
        former.set(registration.id, [active, switches]);
        return active || switches > 2;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (const active of [false, true, false]) {
        await changeExtension(service, { hostUri: host.url, active });
        await service.edda.sendEvent();
        await service.pass(1);
      }
      return callsTo(host).length > 1;
    },
  },

  'registration.timeout-of-a-retry': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'An endpoint has as many seconds to answer as its timeout says, at a retry as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return { ...request, timeoutMs: request.timeoutMs / attempt };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }, { never: true }] }] });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 4 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 8);
      return (await logged(service, 'timeout')).some((entry) => at(entry, '/wait') !== 4);
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
