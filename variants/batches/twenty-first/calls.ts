import { headerNames } from '../../../contract/names.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  always,
  callsOf,
  callsTo,
  changeExtension,
  claimsIn,
  reached,
  registerEndpoint,
  scheduleTask,
} from '../proofs.ts';
import { at, encoded, listAt, signatureOver, type Service, type UserName } from '../service.ts';

export const callsMistakes: Batch = {
  'calls.address-written-anew': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The address that is called is the registered one, its query included.',
    kind: 'value',
    survives:
      'A blank in a query has two spellings, and nothing says which: calls.simple.method compares what names and values a query holds.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, ...args) => {
      const url = new URL(await right(areas, ...args));
      url.search = String(url.searchParams);
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?all&name=a%20b` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host)[0]?.target !== '/hook?all&name=a%20b';
    },
  },

  'calls.token-twice-in-a-retry': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A token is appended to the registered address, in a retry as at first.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      const token = new URL(request.url).searchParams.get('access_token');
      return attempt === 1 || token === null || !('endpoint' in callee)
        ? request
        : { ...request, url: withParameter(request.url, 'access_token', token) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }] }] });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(3, 3);
      return (callsTo(host)[1]?.target.split('access_token=').length ?? 2) > 2;
    },
  },

  'calls.no-query-in-a-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'A validation has the token in its query as well, in a retry as at first.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || delivery.kind !== 'validation') return request;
      return { ...request, url: request.url.replace(/[?&]access_token=[^&]*/, '') };
    }),
    async shows(service) {
      const host = await service.host(() => [validator], [{ steps: [{ status: 503 }] }]);
      const promoted = promoteOne(service);
      await reached(host, 1);
      await service.pass(3);
      await promoted;
      return callsOf(host, 'validation')[1]?.target.includes('access_token=') === false;
    },
  },

  'calls.longer-than-by-default': {
    source: 'extensions: Extension metadata record',
    breaks: 'The default of 100 seconds is none of a record that says otherwise, nor a limit.',
    kind: 'value',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) =>
      record.requestTimeout === undefined ? right(areas, record) : Math.min(100, right(areas, record)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 200 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await service.pass(15, 9);
      return callsOf(host, 'event').length > 1;
    },
  },

  'calls.key-after-two-updates': {
    source: 'extensions: Registered extension',
    breaks: 'Calls are signed with the key that is registered now, however often it was changed.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const keys = new Map<string, string[]>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        const seen = keys.get(origin) ?? [];
        keys.set(origin, seen.includes(apiKey) ? seen : [...seen, apiKey]);
        return right(areas, seen[1] ?? apiKey, url);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const key = (byte: number) => Buffer.alloc(64, byte).toString('base64');
      for (const byte of [8, 9]) await changeExtension(service, { hostUri: host.url, apiKey: key(byte) });
      await service.edda.sendEvent();
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path !== '/svc/extension');
      const signature = `Bearer ${signatureOver(entry?.path ?? '', key(9))}`;
      return entry !== undefined && headerValues(entry, 'authorization')[0] !== signature;
    },
  },

  'tokens.first-user-of-an-action': {
    source: 'extensions: Call envelope',
    breaks: 'The token of an action speaks for the user that runs it, and not for the one before.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const users = new Map<string, string>();
      return (areas, delivery, callee) => {
        const userName = users.get(delivery.registrationId) ?? delivery.userName;
        if (delivery.kind !== 'action') return right(areas, delivery, callee);
        users.set(delivery.registrationId, userName);
        return right(areas, { ...delivery, userName }, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      for (const user of ['edda', 'emil'] as const) await run(service, user, {});
      return at(claimsIn(callsOf(host, 'action')[1]), '/sub') !== 'emil';
    },
  },

  'tokens.lifetime-after-an-update': {
    source: 'extensions: Registered extension',
    breaks: 'Tokens live as many minutes as are registered now, also when it was more at the first call.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const known = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { id } = callee.extension;
        const tokenLifeTime = known.get(id) ?? callee.extension.tokenLifeTime;
        known.set(id, tokenLifeTime);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      await service.pass(1);
      return lifetime(claimsIn(callsOf(host, 'event')[1])) !== 300;
    },
  },

  'tokens.hours-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The lifetime of a token of a trusted endpoint is in minutes.',
    kind: 'place',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      const { endpoint } = callee;
      if (endpoint.kind === 'externalEndpoint') return right(areas, delivery, callee);
      const tokenLifeTime = endpoint.tokenLifeTime * 60;
      return right(areas, delivery, { ...callee, endpoint: { ...endpoint, tokenLifeTime } });
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 30 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [, payload = ''] = (callsTo(host)[0]?.target.split('access_token=')[1] ?? '').split('.');
      return lifetime(JSON.parse(Buffer.from(payload, 'base64url').toString())) !== 30 * 60;
    },
  },

  'validation.verdict-in-a-list': {
    source: 'extensions: Errors 5',
    breaks: 'A verdict is a JSON object; one in an array is malformed.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !outcome.body.startsWith('[')) return right(areas, outcome);
      return right(areas, { ...outcome, body: JSON.stringify(at(JSON.parse(outcome.body), '/0')) });
    }),
    async shows(service) {
      await service.host(() => [validator], always({ status: 200, json: [{ isValid: true, message: '' }] }));
      return (await promoteOne(service)).status < 400;
    },
  },

  'keys.more-than-an-endpoint-asked': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint gets the keys that it asked for, and no others of its configuration.',
    kind: 'place',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const all = holder.recordId === undefined ? holder.permissions?.permissions : undefined;
      return right(areas, writing, holder, all ?? permissions);
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const [tokenCallback, asked] = [`${host.url}/keys`, ['SnapshotAPI']];
      const permissions = { tokenCallback, permissions: [...asked, 'AdministrationAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      const path = '/api/collection/externalExtension/acquireAccessToken/hook';
      await service.cora.post(path, { tokenCallback, permissions: asked });
      const [entry] = host.entries(({ path }) => path === '/keys');
      return at(entry?.json, '/AdministrationAPI') !== undefined;
    },
  },

  'actions.context-as-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'There is a selected object only where something is selected, whatever the context.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, ...args) => {
      const payload = await right(areas, ...args);
      const { selectedObject, contextObject } = Object(at(payload, '/contentPayload'));
      return contextObject === undefined
        ? payload
        : { contentPayload: { selectedObject: selectedObject ?? contextObject, contextObject } };
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      const { oid: contextObjectId } = await service.edda.make('Document', { title: 'context' });
      await run(service, 'edda', { contextObjectId });
      return at(callsOf(host, 'action')[0]?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },

  'actions.filter-of-the-call-before': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The payload of an action has the information filter of its own request.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      let before: unknown;
      return (areas, call, triggered) => {
        const { payload } = triggered;
        if (triggered.kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        const informationFilter = before ?? payload['informationFilter'];
        before = payload['informationFilter'];
        return right(areas, call, { ...triggered, payload: { ...payload, informationFilter } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      const filters = ['one', 'two'].map((role) => encoded({ role }));
      for (const filter of filters) await run(service, 'edda', {}, { [headerNames.informationFilter]: filter });
      return at(callsOf(host, 'action')[1]?.json, '/payload/informationFilter') !== filters[1];
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.stream-link-of-a-deep-input': {
    source: 'extensions: External task links',
    breaks: 'A stream goes where the input is, however deep that is.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const [first, ...rest] = inputPath.split('/').filter(Boolean);
      const shallow = [first, ...rest.slice(-1)].join('/');
      const links = right(areas, spaceId, jobId, inputPath, token);
      const others = right(areas, spaceId, jobId, shallow, token);
      return links.map((link, index) => (link.id === 'uploadFileStream' ? (others[index] ?? link) : link));
    }),
    async shows(service) {
      const [link] = await taskLinks(service, 'uploadFileStream', 'a/b/input.csv');
      return !String(at(link, '/url')).endsWith('/stream/a/b');
    },
  },

  'tasks.method-of-the-status-link': {
    source: 'extensions: External task links',
    breaks: 'A status is reported by PUT, as its link says.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => (link.id === 'taskStatus' ? { ...link, method: 'POST' } : link)),
    ),
    async shows(service) {
      const [link] = await taskLinks(service, 'taskStatus', 'input.csv');
      return at(link, '/method') !== 'PUT';
    },
  },

  'tasks.progress-of-the-first-job': {
    source: 'extensions: External task links',
    breaks: 'Progress is reported to the job of the task, also when there was another before it.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const urls = new Map<string, string>();
      return (areas, spaceId, ...args) =>
        right(areas, spaceId, ...args).map((link) => {
          if (link.id !== 'taskProgress') return link;
          const url = urls.get(spaceId) ?? link.url;
          urls.set(spaceId, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const [first, second] = await taskLinks(service, 'taskProgress', 'one.csv', 'two.csv');
      return at(first, '/url') === at(second, '/url');
    },
  },

  'tasks.timeout-of-the-job-before': {
    source: 'extensions: Limits',
    breaks: 'A task that says nothing has 600 seconds, also when the one before had others.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let last: number | undefined;
      return (areas, body) => {
        const payload = right(areas, body);
        if (body['timeout'] !== undefined) last = payload.timeout;
        return { ...payload, timeout: last ?? payload.timeout };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service, { timeout: 30 });
      await scheduleTask(service);
      return at(callsOf(host, 'task')[1]?.json, '/payload/timeout') !== 600;
    },
  },

  'tasks.log-without-output': {
    source: 'extensions: External task status',
    breaks: 'A task that is completed may name a log, also where it names no output.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Completed' && files.outputFilePath === undefined ? {} : files),
    ),
    async shows(service) {
      await service.host(() => [task]);
      const path = await scheduleTask(service);
      await service.edda.put(`${path}/status/Completed`, undefined, { logFilePath: 'folder/task.log' });
      return at((await service.edda.get(path)).json, '/logFilePath') === undefined;
    },
  },
};

const action = { id: 'action', extensionType: 'ExternalAction' };

const task = { id: 'task', extensionType: 'ExternalTask' };

const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

async function promoteOne({ edda }: Service) {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}

/** Runs a ribbon action. */
function run(service: Service, user: UserName, fields: object, headers: Readonly<Record<string, string>> = {}) {
  return service.as(user).post('/api/space/main/externalAction/action', { kind: 'ribbon', ...fields }, headers);
}

/** The links with this id of the tasks with these inputs. */
async function taskLinks(service: Service, id: string, ...inputPaths: readonly string[]): Promise<readonly unknown[]> {
  const host = await service.host(() => [task]);
  for (const inputPath of inputPaths) await scheduleTask(service, { inputPath });
  return callsOf(host, 'task').flatMap(({ json }) =>
    listAt(json, '/payload/links').filter((link) => at(link, '/id') === id),
  );
}

/** In seconds. */
function lifetime(claims: unknown): number {
  return Number(at(claims, '/exp')) - Number(at(claims, '/iat'));
}
