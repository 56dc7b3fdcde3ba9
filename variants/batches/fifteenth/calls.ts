import { Misfit } from '../../../reference-server/areas/records.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { textOf } from '../../../simulator/extension/entry.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, logged, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Received, type Service } from '../service.ts';

export const deliveredMistakes: Batch = {
  'delivery.ten-retries-are-for-ever': {
    source: 'extensions: Errors 2',
    breaks: 'With retryForever there is one more retry after each, also after the tenth.',
    kind: 'value',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, retries: Math.min(policy.retries, 10) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], failing);
      await service.edda.sendEvent();
      await service.pass(30, 70);
      return callsTo(host).length < 12;
    },
  },

  'delivery.own-limit-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of a simple one, a rate limit of its own among them.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, rateLimit: 5 } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await trust(service, { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 1000 });
      for (let count = 0; count < 7; count += 1) await service.edda.sendToEndpoint('hook', '');
      await service.pass(1, 2);
      return host.entries(({ path }) => path === '/hook').length < 7;
    },
  },

  'delivery.second-pause-is-not-logged': {
    source: 'extensions: Errors 3',
    breaks: 'To exceed the rate limit is logged each time, not the first time alone.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(40, 6);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
};

export const calledMistakes: Batch = {
  'calls.body-encoded-twice': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call to an endpoint is what was configured, letters beyond ASCII included.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return body === undefined ? request : { ...request, body: Buffer.from(body).toString('latin1') };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await trust(service, { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', 'Grüße');
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && textOf(entry.body) !== 'Grüße';
    },
  },

  'calls.mail-without-a-subject': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A mail has its four members, also where one of them is a text without characters.',
    kind: 'value',
    survives:
      'In which form a member comes that has nothing to tell is not said (optional-payload-members): calls.email.payload-fields records that of a subject without characters.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const members = Object.entries(payload).filter(([, value]) => value !== '');
      return right(areas, call, { ...triggered, payload: Object.fromEntries(members) });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: '', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && at(call.json, '/payload/subject') !== '';
    },
  },

  'tokens.no-longer-than-a-day': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A token is valid for the minutes that are registered, also for two days of them.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 24 * 60)),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await trust(service, { url: `${host.url}/hook`, tokenLifeTime: 2880 });
      await service.edda.sendToEndpoint('hook', '');
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      const [, payload = ''] = /access_token=([^&]+)/.exec(entry?.target ?? '')?.[1]?.split('.') ?? [];
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null');
      return claims !== null && Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 2880 * 60;
    },
  },
};

export const taskMistakes: Batch = {
  'tasks.no-longer-than-the-default': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The timeout of a task is configurable, also beyond the default.',
    kind: 'value',
    variant: replaces('triggers', 'taskPayload', (right, areas, body) => {
      const payload = right(areas, body);
      return { ...payload, timeout: Math.min(payload.timeout, 600) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await schedule(service, { timeout: 900 });
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && at(call.json, '/payload/timeout') !== 900;
    },
  },
};

export const recordMistakes: Batch = {
  'metadata.second-update': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is fetched whenever an extension is updated, the second time as the first.',
    kind: 'moment',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const answers = new Map<string, Awaited<ReturnType<typeof right>>[]>();
      return async (areas, extension, correlationId) => {
        const known = answers.get(extension.hostUri) ?? [];
        const answer = known[1] ?? (await right(areas, extension, correlationId));
        answers.set(extension.hostUri, [...known, answer]);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const { cora } = service;
      const id = at((await cora.get('/api/admin/svcExtension')).json, '/data/0/id');
      const update = () =>
        cora.put(`/api/admin/svcExtension/${String(id)}`, undefined, {
          hostUri: host.url,
          apiKey: hostKey,
          tokenLifeTime: 60,
        });
      await update();
      host.setRecords([eventRecord]);
      await update();
      return (await service.edda.sendEvent()).status !== 201;
    },
  },

  'metadata.version-of-two-digits': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record may have any version that SemVer knows, also one whose numbers have two digits.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = at(item, '/version');
      return typeof version === 'string' && /\d\d/.test(version)
        ? new Misfit('/version', 'must be a version')
        : right(areas, item);
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', version: '1.10.0' }]);
      return (await edda.sendEvent()).status !== 201;
    },
  },
};

/** Fails every call. */
const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

const eventRecord: MetadataRecord = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
};

/** @returns the path of the job */
async function schedule({ edda }: Service, more: object = {}): Promise<string> {
  const body = { recordId: 'task', inputPath: 'input.csv', ...more };
  const answer = await edda.post('/api/space/main/dx', body);
  return answer.headers.get('location') ?? '';
}

/** Registers a trusted endpoint that is sent text. */
function trust(service: Service, fields: object): Promise<Received> {
  const headers = [{ name: 'content-type', value: 'text/plain' }];
  return registerEndpoint(service, 'trustedExternalEndpoint', { headers, ...fields });
}
