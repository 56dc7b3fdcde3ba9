import { textOf, type Entry } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf } from '../proofs.ts';
import { at, listAt, type Received, type Service, type UserName } from '../service.ts';

const acknowledging: Script = [{ steps: [{ status: 200 }], afterwards: 'last' }];

/** Long enough for a call that is due. */
const moment = 0.01;

export const deliveryMistakes: Batch = {
  'delivery.removal-of-held': {
    source: 'extensions: Events 3',
    breaks:
      'An event that a user deletes leaves a log entry, also when it waits for the end of a pause and was never sent.',
    kind: 'combination',
    survives:
      'No document says how the log is read or what an entry shows of its event, so that nothing can fail here; delivery.log.entries records what a log says about an event that a user deletes while it is held (ledger log-access).',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts > 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows({ host, edda, pass, cora }) {
      await host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await edda.sendEvent();
      const held = await edda.sendEvent();
      await pass(moment);
      await edda.delete(held.headers.get('location') ?? '');
      const log = (await cora.get('/api/admin/log')).json;
      return !listAt(log, '/data').some((entry) => at(entry, '/kind') === 'cancelled');
    },
  },
};

export const callsMistakes: Batch = {
  'calls.token-of-first-scheduler': {
    source: 'extensions: Call envelope (body of every call to a registered extension)',
    breaks:
      'The token in the call of a task speaks for the user who scheduled this job, whoever scheduled the one before it.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const users = new Map<string, string>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'task') return right(areas, delivery, callee);
        const userName = users.get(callee.rateKey) ?? delivery.userName;
        users.set(callee.rateKey, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], acknowledging);
      await scheduleTask(service, 'edda');
      await service.pass(moment);
      await scheduleTask(service, 'emil');
      await service.pass(moment);
      const base = '/api/space/main/user/fs/file';
      await service.emil.upload('mine.txt', 'of emil', base);
      const authorization = `Bearer ${callsOf(host, 'task')[1]?.envelope?.accessToken}`;
      return (await service.nobody.get(`${base}/mine.txt`, { authorization })).status !== 200;
    },
  },

  'calls.first-of-form-batch': {
    source: 'extensions: Payloads by extension type',
    breaks:
      'The content of a form action is the payload that the service would have sent, all operations of a batch included.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: contentPayload[0] } : body);
    }),
    async shows(service) {
      const contentPayload = ['one', 'two'].map((name) => ({
        method: 'POST',
        href: '/api/space/main/softtype/Part/partInput',
        body: { name },
      }));
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
      return listAt(await payloadOfAction(service, form), '/contentPayload').length !== 2;
    },
  },
};

export const endpointsMistakes: Batch = {
  'endpoints.html-of-put': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The body of a call is the configured content, HTML as it is, with PUT as with POST.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return request.method === 'PUT' ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      const html = '<p class="news">none</p>';
      const call = await callOfEndpoint(service, 'externalEndpoint', '/hook', html);
      return call !== undefined && textOf(call.body) !== html;
    },
  },
};

function scheduleTask({ as }: Service, user: UserName, inputPath = 'in.csv'): Promise<Received> {
  return as(user).post('/api/space/main/dx', { recordId: 'task', inputPath, taskSettings: {} });
}

/** What the host of an action gets. */
async function payloadOfAction(service: Service, body: object): Promise<unknown> {
  const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
  await service.edda.post('/api/space/main/externalAction/action', body);
  return callsOf(host, 'action')[0]?.envelope?.payload;
}

/** What an endpoint gets that is registered for PUT of HTML at the path. */
async function callOfEndpoint(
  service: Service,
  kind: 'externalEndpoint' | 'trustedExternalEndpoint',
  path: string,
  contentPayload: string,
): Promise<Entry | undefined> {
  const host = await service.host(() => []);
  await service.cora.post(`/api/admin/${kind}`, {
    id: 'hook',
    url: host.url + path,
    method: 'PUT',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'text/html' }],
    tokenLifeTime: 60,
  });
  await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload });
  await service.pass(moment);
  return host.entries((entry) => entry.path === '/hook')[0];
}
