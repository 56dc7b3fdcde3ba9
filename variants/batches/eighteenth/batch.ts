import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, isThere, logged, registerEndpoint, scheduleTask } from '../proofs.ts';
import { type Received, type Service, at, listAt, signatureOver, spaceFiles } from '../service.ts';
import { headerNames } from '../../../contract/names.ts';
import { isContent, referenceMembers } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { headerValues, textOf } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { callsMistakes } from './calls.ts';
import { extensionsMistakes } from './extensions.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { accessMistakes, readingMistakes } from './reading.ts';

const filesMistakes: Batch = {
  'files.gone-is-gone': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file fails when there is none, also when there was one before.',
    kind: 'copy',
    variant: breaks('files', 'deleteFile', (right) => {
      const gone = new Set<string>();
      return async (areas, place) => {
        const key = JSON.stringify(place);
        const isDone = await right(areas, place);
        return gone.has(key) || (isDone && gone.add(key).has(key));
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.delete(`${spaceFiles}/a.txt`)).status < 400;
    },
  },

  'chunks.size-of-the-file-before': {
    source: 'extensions: File routes, chunk table',
    breaks:
      'A chunk stands where its own upload says, also where an upload to the same path had chunks of another size.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkPosition', (right) => {
      const sizes = new Map<string, number>();
      return (areas, chunk) => {
        const chunkSize = sizes.get(chunk.relativePath) ?? chunk.chunkSize;
        sizes.set(chunk.relativePath, chunkSize);
        return right(areas, { ...chunk, chunkSize });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('a.txt', ['abcd', 'ef']);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.sendChunks('a.txt', ['gh', 'ij']);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'ghij';
    },
  },

  'bulk.source-below-the-root': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files go from the source where that is asked for, also those in its subdirectories.',
    kind: 'place',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && !file.path.includes('/'),
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      const path = join(sourceDirectory, 'folder', 'a.txt');
      await mkdir(join(sourceDirectory, 'folder'));
      await writeFile(path, 'a');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return isThere(path);
    },
  },
};

const keysMistakes: Batch = {
  'keys.license-opens-bulk': {
    source: 'extensions: Permission names',
    breaks: 'A key to manage the license is no administration key.',
    kind: 'role',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => right(areas, permission) || permission === 'LicenseCommunicationAPI',
    ),
    async shows(service) {
      const { brought } = await acquire(service, ['LicenseCommunicationAPI']);
      const key = String(at(brought, '/LicenseCommunicationAPI/apiKey'));
      const path = '/admin/fileupload/main';
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (
        (await service.nobody.post(path, body, { authorization: `Bearer ${signatureOver(path, key)}` })).status < 400
      );
    },
  },

  'keys.nothing-is-everything': {
    source: 'extensions: Extension metadata record, permissions',
    breaks: 'An extension whose record lists no permission gets no key.',
    kind: 'value',
    variant: replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) =>
      configured.length === 0 ? [] : right(areas, asked, configured),
    ),
    shows: async (service) => (await acquire(service, ['SnapshotAPI'], [])).answer.status < 400,
  },

  'keys.two-at-most': {
    source: 'extensions: Acquiring API keys',
    breaks: 'All permissions that a request names are answered, however many.',
    kind: 'place',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, asked, configured) =>
      right(areas, asked.slice(0, 2), configured),
    ),
    async shows(service) {
      const { brought } = await acquire(service, ['TaskUploadAPI', 'AuthorizationAPI', 'SnapshotAPI']);
      return at(brought, '/SnapshotAPI') === undefined;
    },
  },
};

/** Keys for an extension that may have them, brought to its callback. */
async function acquire(
  service: Service,
  asked: readonly PermissionName[],
  configured = asked,
  path = '/keys',
): Promise<{ readonly answer: Received; readonly brought: unknown }> {
  const host = await service.host(
    (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...configured] } }],
    always({ status: 200 }),
  );
  const body = { tokenCallback: host.url + path, permissions: asked };
  const answer = await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', body);
  return { answer, brought: host.entries((entry) => entry.path === path).at(-1)?.json };
}

type PermissionName = 'TaskUploadAPI' | 'AuthorizationAPI' | 'SnapshotAPI' | 'LicenseCommunicationAPI';

const writingMistakes: Batch = {
  'creating.once-is-enough': {
    source: 'core: Errors 201',
    breaks:
      'The Location of a create is that of the object it made, also where one with the same content was made just before.',
    kind: 'copy',
    variant: breaks('editing', 'createObject', (right) => {
      const answers = new Map<string, { readonly answer: Answer; readonly at: number }>();
      return async (areas, call, writing) => {
        const key = JSON.stringify([call.user.name, call.url, call.json]);
        const before = answers.get(key);
        const now = areas.clock.now();
        if (before !== undefined && now - before.at < 5000) return before.answer;
        const answer = await right(areas, call, writing);
        answers.set(key, { answer, at: now });
        return answer;
      };
    }),
    async shows({ edda }) {
      const make = () => edda.make('Document', { title: 'twice' });
      return (await make()).oid === (await make()).oid;
    },
  },

  'creating.version-under-another-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A create answers with the version, whichever input schema it was made by.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const { headers = {}, ...answer } = await right(areas, call, writing);
      const { Location = '' } = headers;
      const [first] = call.place.softType.inputs.values();
      return { ...answer, headers: call.place.view === first ? headers : { Location } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 't' });
      return made.headers.get(headerNames.version) === null;
    },
  },

  'operations.reference-to-nothing': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An assignment goes with the value that is removed from it, a reference like every other.',
    kind: 'place',
    variant: replaces(
      'operations',
      'complies',
      (right, areas, members, content) => members === referenceMembers || right(areas, members, content),
    ),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'n' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },

  'maturity.state-after-a-demote': {
    source: 'core: States and transitions',
    breaks: 'A current state has its own identifier and definition, also after a demote.',
    kind: 'moment',
    variant: replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
      const bare = within(areas, {
        maturity: {
          contentInState(content, level, state) {
            const states = content[statesMember];
            return { ...content, [statesMember]: { ...(isContent(states) && states), [level]: { id: level, state } } };
          },
        },
      });
      return right(bare, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/engineering/$oid') === undefined;
    },
  },
};

const task = () => [{ id: 'task', extensionType: 'ExternalTask' }];

/** The URL of a link in the payload of a task. */
function linkIn(json: unknown, id: string): unknown {
  const links = listAt(json, '/payload/links');
  return at(
    links.find((link) => at(link, '/id') === id),
    '/url',
  );
}

const tasksMistakes: Batch = {
  'tasks.download-in-a-retry': {
    source: 'extensions: External task links',
    breaks: 'A task is told where to download files, also by the second call.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const fewer = within(areas, {
        requests: {
          taskLinks: (...args) => areas.requests.taskLinks(...args).filter(({ id }) => id !== 'downloadFile'),
        },
      });
      return right(attempt > 1 ? fewer : areas, delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(task, [{ steps: [{ status: 503 }] }]);
      await scheduleTask(service);
      await service.pass(3);
      const [, second] = callsOf(host, 'task');
      return second !== undefined && linkIn(second.json, 'downloadFile') === undefined;
    },
  },

  'tasks.status-of-the-job-before': {
    source: 'extensions: External task links',
    breaks: 'The status link is that of the job, also where another one had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const urls = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'taskStatus') return link;
          const url = urls.get(inputPath) ?? link.url;
          urls.set(inputPath, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const host = await service.host(task);
      await scheduleTask(service);
      await scheduleTask(service);
      const [first, second] = callsOf(host, 'task').map(({ json }) => linkIn(json, 'taskStatus'));
      return second !== undefined && first === second;
    },
  },

  'tasks.acknowledgement-without-a-body': {
    source: 'extensions: Calls to extensions, row ExternalTask',
    breaks: 'A task that is acknowledged works on, whether or not the acknowledgement says anything.',
    kind: 'value',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isSilent = kind === 'task' && outcome.kind === 'answered' && outcome.body === '';
      return !isSilent && right(areas, kind, outcome);
    }),
    async shows(service) {
      await service.host(task);
      const job = await scheduleTask(service);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },

  'tasks.longer-than-by-default': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has the time that its configuration gives it, also where that is more than by default.',
    kind: 'value',
    variant: replaces('jobs', 'taskDeadline', (right, areas, job) =>
      right(areas, { ...job, timeout: Math.min(job.timeout, 600) }),
    ),
    async shows(service) {
      await service.host(task);
      const job = await scheduleTask(service, { timeout: 1200 });
      await service.pass(700);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },

  'tasks.log-of-a-cancelled-one': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A report may name its log, also that of a task which was cancelled.',
    kind: 'place',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) =>
      right(areas, call.params['status'] === 'Canceled' ? { ...call, json: undefined } : call, writing),
    ),
    async shows(service) {
      await service.host(task);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'folder/task.log' });
      return at((await service.edda.get(job)).json, '/logFilePath') === undefined;
    },
  },
};

const jsonType = { name: 'content-type', value: 'application/json' };

const endpointsMistakes: Batch = {
  'endpoints.trusted-and-switched-off': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'An endpoint that is not active is not called, a trusted one neither.',
    kind: 'place',
    variant: replaces(
      'callees',
      'isActive',
      (right, areas, registration) => registration.kind === 'trustedExternalEndpoint' || right(areas, registration),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },

  'endpoints.token-of-a-neighbour': {
    source: 'extensions: Registered external endpoint, text below the table',
    breaks: 'A simple endpoint gets no token, also where a trusted one has the same address.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const { kind, url } = callee.endpoint;
        const known = kind === 'externalEndpoint' ? urls.get(url) : undefined;
        const made = known ?? (await right(areas, delivery, callee));
        urls.set(url, made);
        return made;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url });
      await registerEndpoint(service, 'externalEndpoint', { id: 'simple', url });
      for (const id of ['trusted', 'simple']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return callsTo(host).at(-1)?.target.includes('access_token') ?? false;
    },
  },

  'endpoints.headers-of-a-neighbour': {
    source: 'extensions: Authentication 6',
    breaks: 'An endpoint gets the headers that are configured for it, and no key of another one.',
    kind: 'copy',
    variant: breaks('requests', 'endpointRequest', (right) => {
      const all: Record<string, string> = {};
      return async (areas, ...args) => {
        const request = await right(areas, ...args);
        return { ...request, headers: { ...Object.assign(all, request.headers) } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', {
        id: 'a',
        url,
        headers: [jsonType, { name: 'x-key', value: 'a' }],
      });
      await registerEndpoint(service, 'externalEndpoint', { id: 'b', url });
      for (const id of ['a', 'b']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      const last = callsTo(host).at(-1);
      return last !== undefined && headerValues(last, 'x-key').length > 0;
    },
  },

  'endpoints.longer-than-by-default': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'An endpoint has as many seconds as are configured, also more than by default.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, ...args) => {
      const callee = await right(areas, ...args);
      if (callee === undefined || !('endpoint' in callee)) return callee;
      return { ...callee, timeoutMs: Math.min(callee.timeoutMs, 100_000) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 150 });
      await service.edda.sendToEndpoint();
      await service.pass(10, 12);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'endpoints.json-in-quotes': {
    source: 'extensions: Registered external endpoint, text below the table',
    breaks: 'The body is what is configured: a text that is JSON already is sent as it is.',
    kind: 'combination',
    survives:
      'How a body is configured is not said (trigger-endpoint-binding): where JSON is called for, a text may be a JSON string as well.',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isJson = Object.values(request.headers).some((value) => value.includes('json'));
      const isText = request.body !== undefined && typeof delivery.payload === 'string';
      return isJson && isText ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', '{"a":1}');
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && textOf(call.body) !== '{"a":1}';
    },
  },
};

/** Sixty sentences of both documents, drawn by lot, each broken as somebody would who writes such a service from the documents alone. */
export const eighteenth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...endpointsMistakes,
  ...extensionsMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...keysMistakes,
};
