import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { grantedToken } from './token.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { type Received, type Service, type UserName, at, listAt } from '../service.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { type Entry, textOf } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { callsOf } from '../proofs.ts';

const accessMistakes: Batch = {
  'access.token-of-first-user': {
    source: 'core: Authentication 3',
    breaks: 'A password grant yields a token for the user whose name and password it brings, whoever got one before.',
    kind: 'copy',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      let first: string | undefined;
      return (areas, form, token) => {
        first ??= token;
        return right(areas, form, first);
      };
    }),
    async shows(service) {
      await grantedToken(service, 'edda');
      const authorization = `Bearer ${await grantedToken(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'by a reader' }, { authorization })).status === 201;
    },
  },
};

type Outcome = Awaited<ReturnType<Areas['batch']['runOperation']>>;

const batchMistakes: Batch = {
  'batch.equal-creates': {
    source: 'core: Batch rules 5',
    breaks: 'Every POST of a batch creates an object, also when another one before it has the same body.',
    kind: 'copy',
    variant: breaks('batch', 'runOperation', (right) => {
      const outcomes = new WeakMap<object, Map<string, Outcome>>();
      return async (areas, batch, writing, table, operation, index) => {
        const known = outcomes.get(batch.body ?? batch) ?? new Map<string, Outcome>();
        outcomes.set(batch.body ?? batch, known);
        const text = JSON.stringify(operation);
        const outcome = known.get(text) ?? (await right(areas, batch, writing, table, operation, index));
        if (isContent(operation) && operation['method'] === 'POST') known.set(text, outcome);
        return outcome;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'twin' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/statusCode') === 201 && at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },
};

const multiCreateMistakes: Batch = {
  'multi-create.empty-text': {
    source: 'core: Multi-create item (array item of the multi-create request)',
    breaks: 'The data of an item is the content of its object, a text of no characters included.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const emptied = inputs.map((input) => {
        const filled = Object.entries(input.content).filter(([, value]) => value !== '');
        return { ...input, content: Object.fromEntries(filled) };
      });
      return right(areas, call, writing, items, emptied);
    }),
    async shows({ edda }) {
      const data = { title: 'empty', note: '' };
      const { json } = await edda.multiCreate([{ $id: 'a', $softType: 'Document', data }]);
      return at((await edda.get(String(at(json, '/0/href')))).json, '/data/note') !== '';
    },
  },
};

const readingMistakes: Batch = {
  'reading.version-of-unchanged-view': {
    source: 'core: SoftType read response',
    breaks:
      'A read shows the version that the object has now, also when nothing that its output schema shows has changed.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { readonly content: string; readonly answer: Answer }>();
      return async (areas, call, reading, object, view, assemble) => {
        if (view === areas.objects.viewOfRead({ ...call, params: {} }, object).view)
          return right(areas, call, reading, object, view, assemble);
        const body = await assemble();
        const key = `${object.oid} ${view.id} ${areas.memory.rightsOf(call)}`;
        const content = JSON.stringify({ ...body.data, $version: 0 });
        const known = kept.get(key);
        if (known?.content === content) return known.answer;
        const answer = { status: 200, body };
        kept.set(key, { content, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'card', remark: 'seen' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.merge(made, 1, { note: 'not on the card' });
      return at((await edda.get(path)).json, '/version') !== 2;
    },
  },

  'reading.keywords-as-set': {
    source: 'core: SoftType read response',
    breaks:
      'The data of a read is the content of the instance: a list of plain values that holds one twice holds it twice.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const input = right(areas, rules, softType, view, body);
      const pairs = Object.entries(input.content).map(([name, value]) => [
        name,
        Array.isArray(value) ? [...new Set<unknown>(value)] : value,
      ]);
      return { ...input, content: Object.fromEntries(pairs) as typeof input.content };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'score', keywords: ['do', 're', 'do'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },

  'reading.links-for-readers': {
    source: 'core: What the service does',
    breaks: 'The links of a read are those that the current user may follow, under every output schema.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, ...rest) => {
      const isDefault = view === areas.objects.viewOfRead({ ...call, params: {} }, object).view;
      const generous = within(areas, { auth: { mayUse: () => true } });
      return right(isDefault ? areas : generous, call, object, view, ...rest);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 'to be read' });
      const path = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      const links = listAt((await rita.get(path)).json, '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },
};

const acknowledging: Script = [{ steps: [{ status: 200 }], afterwards: 'last' }];

/** Long enough for a call that is due. */
const moment = 0.01;

const deliveryMistakes: Batch = {
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

const callsMistakes: Batch = {
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

const endpointsMistakes: Batch = {
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

/** Of sixty more mistakes, written as the first were, by somebody who knew those as little as the checks. */
export const second: Batch = {
  ...readingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...endpointsMistakes,
};
