import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at, type Received, type Service } from '../service.ts';

export const callsMistakes: Batch = {
  'calls.trusted-endpoint-switched-off': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'An endpoint that is switched off gets no call, a trusted one neither.',
    kind: 'place',
    variant: replaces('callees', 'isActive', (right, areas, registration) => {
      return registration.kind === 'trustedExternalEndpoint' || right(areas, registration);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, tokenLifeTime: 60, active: false };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook' });
      await service.pass(1);
      return host.entries(({ path }) => path === '/hook').length > 0;
    },
  },

  'calls.filter-of-an-action': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The information filter in the payload of an action is Base64.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
      const informationFilter = Buffer.from(String(payload['informationFilter']), 'base64').toString();
      return right(areas, call, { ...triggered, payload: { ...payload, informationFilter } });
    }),
    async shows(service) {
      const host = await actionHost(service);
      await runAction(service, { kind: 'ribbon' });
      return at(callsTo(host)[0]?.json, '/payload/informationFilter') === '{}';
    },
  },

  'calls.context-without-a-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'A ribbon action names a selected object only where one is selected, in the object context module too.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const contextObject = at(payload, '/contentPayload/contextObject');
      if (contextObject === undefined || selected !== undefined) return payload;
      return { contentPayload: { contextObject, selectedObject: contextObject } };
    }),
    async shows(service) {
      const host = await actionHost(service);
      const { oid } = await service.edda.make('Document', { title: 'context' });
      await runAction(service, { kind: 'ribbon', contextObjectId: oid });
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },
};

/** Correlation ids of the requests that scheduled a task, by its job. */
const schedulers = new Map<string, string>();

export const tasksMistakes: Batch = {
  'tasks.id-of-the-request': {
    source: 'extensions: Call envelope',
    breaks: 'The call of a task has the id of its job, also when the request that scheduled it had a correlation id.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (triggered.kind === 'task' && call.correlationGiven) schedulers.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const id = schedulers.get(delivery.id);
        return id === undefined ? request : { ...request, body: JSON.stringify({ ...bodyOf(request), id }) };
      }),
    ),
    async shows(service) {
      const headers = { [headerNames.correlationId]: randomUUID() };
      const { host, job } = await scheduleTask(service, headers);
      return at(callsTo(host)[0]?.json, '/id') !== job.split('/').at(-1);
    },
  },
};

function actionHost({ host }: Service): Promise<ExtensionHost> {
  return host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
}

function runAction({ edda }: Service, body: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/action', body);
}

/** A task that has been called, and the path of its job. */
async function scheduleTask(
  service: Service,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly host: ExtensionHost; readonly job: string }> {
  const steps = [{ status: 200 }];
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], [{ steps }]);
  const answer = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' }, headers);
  await service.pass(1);
  return { host, job: answer.headers.get('location') ?? '' };
}

function bodyOf({ body = '{}' }: { readonly body?: string }): object {
  return Object(JSON.parse(body));
}
