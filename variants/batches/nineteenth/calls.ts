import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, encoded, listAt, type Service } from '../service.ts';

/** Where whoever triggered a delivery reached the service, by its id. */
const forwardedHosts = new Map<string, string>();

export const callsMistakes: Batch = {
  'calls.address-of-the-trigger': {
    source: 'extensions: Call envelope',
    breaks: 'The base address is the configured one, whatever a gateway says of the request that triggers the call.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        const host = call.headers['x-forwarded-host'];
        if (host !== undefined) forwardedHosts.set(triggered.id, host);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const host = forwardedHosts.get(delivery.id);
        if (host === undefined || request.body === undefined) return request;
        const envelope: object = JSON.parse(request.body);
        return { ...request, body: JSON.stringify({ ...envelope, baseAddress: `http://${host}` }) };
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'X-Forwarded-Host': 'elsewhere.example' });
      await service.pass(1);
      return callsOf(host, 'event')[0]?.envelope?.baseAddress === 'http://elsewhere.example';
    },
  },

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

  'endpoints.body-in-ascii': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call is what was configured, letters beyond ASCII included.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return body === undefined ? request : { ...request, body: body.replaceAll(/[^\x20-\x7e\s]/g, '?') };
    }),
    async shows(service) {
      const host = await hooked(service, '/hook');
      return at(host.entries(({ path }) => path === '/hook')[0]?.json, '/text') !== 'Übergabe';
    },
  },
};

export const deliveryMistakes: Batch = {
  'delivery.payload-as-text-on-a-retry': {
    source: 'extensions: Events 1',
    breaks: 'The payload carries the configured content, also when the event is sent again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { kind, payload } = delivery;
      if (attempt === 1 || kind !== 'event' || !isContent(payload)) return right(areas, delivery, callee, attempt);
      const contentPayload = JSON.stringify(payload['contentPayload']);
      return right(areas, { ...delivery, payload: { ...payload, contentPayload } }, callee, attempt);
    }),
    async shows(service) {
      const host = await retried(service);
      return at(callsOf(host, 'event')[1]?.json, '/payload/contentPayload/number') !== 1;
    },
  },

  'delivery.no-filter-on-a-retry': {
    source: 'extensions: Call envelope',
    breaks: 'The envelope has the information filter of the trigger, also when the call is made again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(areas, attempt > 1 ? { ...delivery, informationFilter: 'e30=' } : delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await retried(service);
      const [first, second] = callsOf(host, 'event');
      return second?.envelope?.informationFilter !== first?.envelope?.informationFilter;
    },
  },

  'delivery.created-mail': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail that is answered with 201 is delivered.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isCreated = delivery.kind === 'email' && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isCreated ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await mailed(service, { status: 201 }, 'body');
      await service.pass(3, 2);
      return callsOf(host, 'email').length > 1;
    },
  },

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

export const taskMistakes: Batch = {
  'tasks.chunks-to-the-stream': {
    source: 'extensions: External task links',
    breaks: 'The link for chunks leads to the upload in chunks, not to that of a stream.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const stream = links.find(({ id }) => id === 'uploadFileStream') ?? { url: '' };
      return links.map((link) => (link.id === 'uploadFile' ? { ...link, url: stream.url } : link));
    }),
    shows: async (service) => (await linkOf(service, 'uploadFile'))?.includes('/stream') ?? true,
  },

  'tasks.first-directory-only': {
    source: 'extensions: External task links',
    breaks: 'A task uploads to where its input is, however deep that lies.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const [directory, ...rest] = inputPath.split('/').filter(Boolean);
      const shallow = right(areas, spaceId, jobId, `${directory}/${rest.at(-1)}`, token);
      return right(areas, spaceId, jobId, inputPath, token).map((link, index) =>
        rest.length > 1 && link.id === 'uploadFileStream' ? (shallow[index] ?? link) : link,
      );
    }),
    shows: async (service) => !(await linkOf(service, 'uploadFileStream'))?.endsWith('/stream/one/two'),
  },

  'jobs.first-progress-stays': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The job shows what its task is at, also when that was something else before.',
    kind: 'moment',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      job.progress === undefined ? right(areas, job, progress) : job,
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      for (const message of ['first', 'second']) await service.edda.put(`${job}/progress`, undefined, { message });
      return at((await service.edda.get(job)).json, '/progress') !== 'second';
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

/** A host that took an event at the second attempt. */
async function retried(service: Service): Promise<ExtensionHost> {
  const failingOnce: Script = [{ steps: [{ status: 503 }] }];
  const host = await service.host(() => [{ id: 'event' }], failingOnce);
  const filter = encoded({ time: '2030-01-01T00:00:00Z' });
  await service.edda.sendEvent('event', { number: 1 }, { 'Svc-InformationFilter': filter });
  await service.pass(3, 2);
  return host;
}

/** Where a link of a task leads whose input is two directories deep. */
async function linkOf(service: Service, id: string): Promise<string | undefined> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  await scheduleTask(service, { inputPath: 'one/two/input.csv' });
  const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
  const found = links.find((link) => at(link, '/id') === id);
  return found === undefined ? undefined : String(at(found, '/url'));
}
