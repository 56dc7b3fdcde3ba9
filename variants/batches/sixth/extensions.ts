import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached } from '../proofs.ts';
import { type Client, type Received, at, many } from '../service.ts';
import { eventRecord } from './calls.ts';

/** What a task is to work on. */
function schedule(
  client: Client,
  inputPath: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return client.post('/api/space/main/dx', { recordId: 'proof', inputPath, taskSettings: {} }, headers);
}

/** Without the members that are null, at any depth. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isContent(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

const task = { id: 'proof', extensionType: 'ExternalTask' };

const action = { id: 'proof', extensionType: 'ExternalAction' };

const actionPath = '/api/space/main/externalAction/proof';

export const extensions: Batch = {
  'metadata.unknown-type-ends-the-list': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored by itself; those behind it count.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const end = items.findIndex((item) => !areas.metadata.isSupportedType(String(at(item, '/extensionType'))));
      return right(areas, end < 0 ? items : items.slice(0, end));
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'other', extensionType: 'Weather' }, { id: 'proof' }]);
      return (await edda.sendEvent('proof')).status >= 400;
    },
  },
  'metadata.no-pre-releases': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A pre-release is a version that SemVer knows.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      return !(record instanceof Misfit) && record.version.includes('-')
        ? new Misfit('/version', 'must be three numbers')
        : record;
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'proof', version: '2.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent('proof')).status >= 400;
    },
  },
  'metadata.asked-for-again-after-a-restart': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, not when the service starts anew.',
    kind: 'moment',
    variant: (() => {
      const informed = new WeakSet<object>();
      return together(
        replaces('metadata', 'fetchMetadata', (right, areas, ...args) => {
          informed.add(areas.metadata);
          return right(areas, ...args);
        }),
        replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
          if (!informed.has(areas.metadata)) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
          return right(areas, delivery, callee);
        }),
      );
    })(),
    async shows(service) {
      const host = await service.host(eventRecord);
      await service.restart();
      await service.edda.sendEvent('proof');
      await reached(host, 1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'keys.live-as-long-as-they-are-asked-for': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is rotated after a day, though it be asked for more often.',
    kind: 'moment',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, store, ...args) => {
      const issued = await right(areas, store, ...args);
      for (const { id, text } of await store.documents('apiKey')) {
        const kept: unknown = JSON.parse(text);
        if (!isContent(kept) || !Array.isArray(kept['keys'])) continue;
        const keys = kept['keys'].map((key: object) => ({ ...key, issuedAt: areas.clock.now() }));
        await store.putDocument('apiKey', id, JSON.stringify({ ...kept, keys }));
      }
      return issued.map((key) => ({ ...key, issuedAt: areas.clock.now() }));
    }),
    async shows(service) {
      const permissions = ['AdministrationAPI'];
      const host = await service.host(
        (url) => [{ id: 'proof', permissions: { tokenCallback: `${url}/keys`, permissions } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const keys = [];
      for (const count of many(4, (n) => n)) {
        const path = '/api/collection/externalExtension/acquireAccessToken/proof';
        await service.cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
        const brought = await reached(host, count);
        keys.push(at(brought.at(-1)?.json, '/AdministrationAPI/apiKey'));
        await service.pass(20 * 60 * 60);
      }
      return keys[0] === keys[3];
    },
  },
  'actions.list-of-a-form-becomes-an-object': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The batch that a form would send is handed on as the list that it is.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => ({
      ...right(areas, body),
      contentPayload: Object.fromEntries(Object.entries(body['contentPayload'] ?? {})),
    })),
    async shows(service) {
      const host = await service.host(() => [action]);
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload: [{}] };
      await service.edda.post(actionPath, form);
      const [call] = await reached(host, 1);
      return !Array.isArray(call?.envelope?.payload?.['contentPayload']);
    },
  },
  'events.null-is-left-out': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The configured content is passed on whole, members that are null included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(
        areas,
        call,
        triggered.kind === 'event' ? { ...triggered, payload: withoutNulls(triggered.payload) } : triggered,
      ),
    ),
    async shows(service) {
      const host = await service.host(eventRecord);
      await service.edda.sendEvent('proof', { place: null, kept: 1 });
      const [call] = await reached(host, 1);
      return at(call?.envelope?.payload, '/contentPayload/place') !== null;
    },
  },
  'tasks.correlation-id-instead-of-the-job': {
    source: 'extensions: Call envelope, id',
    breaks: 'The id of a task call is that of the job, also where the request that scheduled it had a correlation id.',
    kind: 'combination',
    variant: (() => {
      const given = new Map<string, string>();
      return together(
        replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
          if (triggered.kind === 'task' && call.correlationGiven) given.set(triggered.id, call.correlationId);
          return right(areas, call, triggered);
        }),
        replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
          const request = await right(areas, delivery, callee);
          const id = given.get(delivery.id);
          return id === undefined
            ? request
            : { ...request, body: JSON.stringify({ ...JSON.parse(request.body ?? '{}'), id }) };
        }),
      );
    })(),
    async shows(service) {
      const host = await service.host(() => [task]);
      const id = randomUUID();
      await schedule(service.edda, 'in/data.csv', { [headerNames.correlationId]: id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id === id;
    },
  },
  'tasks.links-as-the-path-is-written': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file leads to it, whatever characters its name has.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%23', '#') })),
    ),
    async shows(service) {
      const host = await service.host(() => [task]);
      await schedule(service.edda, 'in/a#1.csv');
      const [call] = await reached(host, 1);
      const links = call?.envelope?.payload?.['links'];
      const link = Array.isArray(links) ? links.find((item) => at(item, '/id') === 'inputFile') : undefined;
      return new URL(String(at(link, '/url'))).hash !== '';
    },
  },
  'tasks.no-log-of-what-was-cancelled': {
    source: 'extensions: External task status',
    breaks: 'A task that was cancelled may tell where its log is, and the job has it then.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Canceled' ? {} : files),
    ),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [task]);
      const job = String(at((await schedule(edda, 'in/data.csv')).json, '/id'));
      await reached(host, 1);
      await edda.put(`/api/space/main/dx/${job}/status/Canceled`, undefined, { logFilePath: 'in/task.log' });
      return at((await edda.get(`/api/space/main/dx/${job}`)).json, '/logFilePath') === undefined;
    },
  },
};
