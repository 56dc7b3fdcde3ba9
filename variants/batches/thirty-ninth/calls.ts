import { headerValues, type Entry } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, encoded, signatureOver, type Service } from '../service.ts';

const otherKey = Buffer.alloc(64, 8).toString('base64');

export const callsMistakes: Batch = {
  'delivery-log.retries-of-endpoints-from-zero': {
    source: 'extensions: Errors 3',
    breaks: 'The log tells the number of the retry out of the total, for the calls of an endpoint as well.',
    kind: 'place',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).map((entry) =>
        delivery.kind === 'endpoint' && entry.retry !== undefined ? { ...entry, retry: entry.retry - 1 } : entry,
      ),
    ),
    survives: 'ledger log-access: the entries are listed without a form or a way to read them.',
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1);
      const [entry] = await logged(service, 'transient-error');
      return at(entry, '/retry') === 0;
    },
  },

  'callees.endpoint-at-the-root': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'An endpoint is relative to the host URI, also where that has a path of its own.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, `${callee.extension.hostUri}/`).href };
    }),
    survives:
      'ledger endpoint-joining: how an endpoint with a slash before it is joined is open, and as a reference it leads to the root of the host.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      const hostUri = `${host.url}/base`;
      await changeExtension(service, { hostUri });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ target }) => target === '/event').length > 0;
    },
  },

  'requests.key-of-the-first-attempt': {
    source: 'extensions: Registered extension, apiKey',
    breaks:
      'Calls are signed with the key of the extension, also the retry of one that began before the key was changed.',
    kind: 'combination',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    survives:
      'Authentication 3: whether the key of the trigger or that of the moment signs what waited while it was changed is not said.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, apiKey: otherKey });
      await service.pass(1, 3);
      const second = host.entries(({ path }) => path === '/event')[1];
      return second !== undefined && !isSigned(second, otherKey);
    },
  },

  'actions.selected-in-its-own-module': {
    source: 'extensions: Payloads by extension type, ribbon actions',
    breaks: 'The selected object is told with the context object, also where both are one.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) =>
      right(areas, call, reading, body, body['contextObjectId'] === selected?.oid ? undefined : selected),
    ),
    async shows(service) {
      const { oid } = await service.edda.make('Document', { title: 't' });
      const call = await actionCall(service, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(call?.json, '/payload/contentPayload/selectedObject/$oid') !== oid;
    },
  },

  'metadata.unsupported-ones-take-an-id': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored, so that it takes no id from another one.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const taken = new Set<unknown>();
      const left = items.filter((item) => {
        if (taken.has(at(item, '/id'))) return false;
        if (!areas.metadata.isSupportedType(String(at(item, '/extensionType')))) taken.add(at(item, '/id'));
        return true;
      });
      return right(areas, left);
    }),
    survives: 'ledger metadata-duplicate-ids: what becomes of two records of one id is open, whatever their types.',
    async shows(service) {
      await service.host(() => [{ id: 'event', extensionType: 'Unheard' as 'Email' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },
};

function isSigned(entry: Entry, key: string): boolean {
  return headerValues(entry, 'authorization')[0] === `Bearer ${signatureOver(entry.path, key)}`;
}

/** The call of an action, of a form unless the fields say otherwise. */
async function actionCall(service: Service, fields: object): Promise<Entry | undefined> {
  const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
  const form = { kind: 'form', requestedRoute: '/api', httpVerb: 'POST', contentPayload: {} };
  await service.edda.post(
    '/api/space/main/externalAction/action',
    { ...form, ...fields },
    {
      'Svc-InformationFilter': encoded({}),
    },
  );
  return callsOf(host, 'action')[0];
}
