import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, registerEndpoint } from '../proofs.ts';
import { at, type Service } from '../service.ts';

export const callsMistakes: Batch = {
  'email.without-tags': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The body of a mail is handed on as it is, formatted or not.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll(/<[^>]+>/g, '');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await mailed(service, {}, '<p>body</p>');
      return at(callsOf(host, 'email')[0]?.json, '/payload/body') !== '<p>body</p>';
    },
  },

  'endpoints.query-written-anew': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The registered address is called as it stands, its query included.',
    kind: 'value',
    survives:
      'A blank in a query has two spellings, and nothing says which: calls.simple.method compares what names and values a query holds.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      url.search = url.searchParams.toString();
      return url.href;
    }),
    async shows(service) {
      const host = await hooked(service, '/hook?name=a%20b');
      return host.entries(({ path }) => path === '/hook')[0]?.target !== '/hook?name=a%20b';
    },
  },
};

export const deliveryMistakes: Batch = {
  'log.second-pause': {
    source: 'extensions: Errors 3',
    breaks: 'An entry tells of each time that the rate limit is exceeded.',
    kind: 'moment',
    survives: 'Nothing says how the log is read (ledger log-access): delivery.log.entries records what it tells.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const paused = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && paused.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') paused.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(35, 6);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
};

/** A host that had a mail with this body. */
async function mailed(service: Service, answer: { readonly status?: number }, body: string): Promise<ExtensionHost> {
  const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always(answer));
  await service.edda.post('/api/space/main/externalEmail', { recordId: 'mail', to: 'a@b.example', subject: 's', body });
  await service.pass(1);
  return host;
}

/** A host whose endpoint at the path was called. */
async function hooked(service: Service, path: string): Promise<ExtensionHost> {
  const host = await service.host(() => []);
  await registerEndpoint(service, 'externalEndpoint', { url: host.url + path });
  await service.edda.sendToEndpoint('hook', { text: 'Übergabe' });
  await service.pass(1);
  return host;
}
