import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, named, registerEndpoint } from '../proofs.ts';
import { type Client, at, listAt, operationsPath } from '../service.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';

const pagingMistakes: Batch = {
  'paging.address-of-the-first-page': {
    source: 'core: Page response, row href',
    breaks: 'The address in a page is that of this page.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return { ...body, href: areas.entries.pageHref(object, view, section, 0, filter) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'address', files: named(12) });
      const { json } = await edda.page(made, 'files', 1);
      return listAt((await edda.get(String(at(json, '/href')))).json, '/data').length !== 2;
    },
  },
};

const editingMistakes: Batch = {
  'versioning.operations-in-a-batch': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'Operations answer with the new version, also where a batch tells it.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const isOperations = call.headers['content-type'] === mediaTypes.operations;
      if (!isOperations || !isContent(body)) return body;
      return { ...body, version: Number(body['version']) - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'version' });
      const { json } = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations },
          body: [{ op: 'add', path: '/note', value: 'added' }],
        },
      ]);
      return at(json, '/0/body/version') !== 2;
    },
  },
};

const batchMistakes: Batch = {
  'batch.reads-without-links': {
    source: 'core: Batch rules 6',
    breaks: 'A read in a batch brings the whole read response, links included.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (call.method !== 'GET' || !isContent(result.body)) return result;
      const { links: _gone, ...body } = result.body;
      return { ...result, body };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'links' });
      return at((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/links') === undefined;
    },
  },
};

/** A part and a document that refers to it. @returns what the reference leads to, and the part */
async function createPair(edda: Client): Promise<readonly unknown[]> {
  const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
  const { json } = await edda.multiCreate([
    { $id: 'p', $softType: 'Part', data: { name: 'part' } },
    { $id: 'd', $softType: 'Document', data: { title: 'document', describes } },
  ]);
  const read = await edda.get(String(at(json, '/1/href')));
  return [at(read.json, '/data/describes/0/value/$oid'), String(at(json, '/0/href')).split('/').at(-1)];
}

const manyMistakes: Batch = {
  'multi-create.item-of-an-earlier-request': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'A reference leads to an item of its own request, also when an earlier one had an item of that name.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const found = known.get($id) ?? right(areas, items, $id, referrer);
        known.set($id, found);
        return found;
      };
    }),
    async shows({ edda }) {
      await createPair(edda);
      const [target, part] = await createPair(edda);
      return target !== part;
    },
  },
};

const callsMistakes: Batch = {
  'endpoints.token-at-a-retry': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A simple endpoint is given no access token, at a retry neither.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || !('endpoint' in callee) || 'tokenLifeTime' in callee.endpoint) return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, url: withParameter(request.url, 'access_token', token) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(3, 2);
      return callsTo(host).some(({ target }) => target.includes('access_token'));
    },
  },

  'extensions.host-of-the-same-route': {
    source: 'extensions: What the service does',
    breaks: 'Each call goes to the host that is registered for it, also where two hosts have a route of one name.',
    kind: 'copy',
    variant: breaks('callees', 'calleeOf', (right) => {
      const urls = new Map<string, string>();
      return async (areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('record' in callee)) return callee;
        const url = urls.get(callee.record.endpoint) ?? callee.url;
        urls.set(callee.record.endpoint, url);
        return { ...callee, url };
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'one', endpoint: '/same' }]);
      const other = await service.host(() => [{ id: 'other', endpoint: '/same' }]);
      await service.edda.sendEvent('one');
      await service.edda.sendEvent('other');
      await service.pass(1);
      return callsOf(other, 'event').length === 0;
    },
  },

  'email.to-the-extension-of-before': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes through the extension that is registered for it, also when another one was before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'foundAddressee', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, type, given) => {
        const key = `${type} ${given.recordId} ${given.registrationId}`;
        const found = known.get(key) ?? (await right(areas, reading, type, given));
        if (type === 'Email') known.set(key, found);
        return found;
      };
    }),
    async shows(service) {
      const { cora, edda } = service;
      const send = () => edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'b' });
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await send();
      const id = at((await cora.get('/api/admin/svcExtension')).json, '/data/0/id');
      await cora.delete(`/api/admin/svcExtension/${String(id)}`);
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await send();
      await service.pass(1);
      return callsOf(host, 'email').length === 0;
    },
  },
};

const eventsMistakes: Batch = {
  'events.created-at-the-second-attempt': {
    source: 'extensions: Calls to extensions, row ExternalEvent',
    breaks: 'An event that is acknowledged by 201 is not sent again, also when that was a retry.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissed = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isMissed ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },

  'events.from-the-first-space': {
    source: 'extensions: Events 1',
    breaks: 'The envelope of an event names the space that the event is from, whichever that is.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return right(areas, call, { ...triggered, payload: { ...payload, spaceId } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.post('/api/space/depot/externalEvent', { recordId: 'event', contentPayload: {} });
      await service.pass(1);
      return at(callsOf(host, 'event')[0]?.json, '/payload/spaceId') === 'main';
    },
  },
};

/** Sixty sentences that a seed drew from all of both documents, each broken as an independent service would get it wrong. */
export const twentySecond: Batch = {
  ...pagingMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...manyMistakes,
  ...callsMistakes,
  ...eventsMistakes,
};
