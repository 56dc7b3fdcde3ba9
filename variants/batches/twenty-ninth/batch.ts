import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  type Client,
  type Made,
  type Received,
  type Service,
  at,
  editPath,
  listAt,
  md5,
  spaceFiles,
} from '../service.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { always, callsOf, callsTo, logged, reached, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { registrationOf } from '../../../reference-server/areas/registry.ts';
import type { Store } from '../../../reference-server/ports/store.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { randomUUID } from 'node:crypto';
import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { readingMistakes } from './reading.ts';

const manyMistakes: Batch = {
  'batch.forbidden-is-not-found': {
    source: 'core: Batch result',
    breaks: 'The status of an operation that the role does not allow is 403, as it would be alone.',
    kind: 'role',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      return result.statusCode === 403 ? { ...result, statusCode: 404 } : result;
    }),
    async shows({ rita }) {
      const href = '/api/space/main/softtype/Part/partInput';
      const answer = await rita.batch([{ method: 'POST', href, body: { name: 'n' } }]);
      return at(answer.json, '/0/statusCode') !== 403;
    },
  },

  'batch.second-schema-unknown': {
    source: 'core: Batch rules 2',
    breaks: 'A merge is an operation of a batch under every input schema of its definition.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      const { spaceId = '', definitionId = '', inputSchemaId } = found?.params ?? {};
      const definition = areas.configuration.spaces.get(spaceId)?.template.softTypes.get(definitionId);
      const [first] = definition?.inputs.keys() ?? [];
      return method === 'PATCH' && inputSchemaId !== undefined && inputSchemaId !== first ? undefined : found;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const operation = patchOf(made);
      const href = operation.href.replace('partInput', 'partBrief');
      return (await edda.batch([{ ...operation, href }])).status !== 200;
    },
  },
};

function patchOf(made: Made) {
  return { method: 'PATCH', href: editPath(made), headers: { 'Svc-UOIVersion': '1' }, body: { note: 'changed' } };
}

/** Forms that came with a wish for another form of answer. */
const wished = new WeakSet<object>();

const accessMistakes: Batch = {
  'token.answer-in-the-form-of-the-request': {
    source: 'core: Authentication 3',
    breaks: 'The answer with the token is JSON, also for a client that takes a form before that.',
    kind: 'value',
    variant: together(
      replaces('grants', 'grantFormOf', (right, areas, call) => {
        const form = right(areas, call);
        if (call.headers['accept']?.startsWith(mediaTypes.form)) wished.add(form);
        return form;
      }),
      replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
        const { body: _json, ...answer } = right(areas, form, token);
        const raw = new URLSearchParams({ access_token: token, token_type: 'Bearer' }).toString();
        const headers = { ...answer.headers, 'Content-Type': mediaTypes.form };
        return wished.has(form) ? { ...answer, headers, raw } : right(areas, form, token);
      }),
    ),
    async shows(service) {
      const { json } = await grant(service, 'edda-password', { accept: `${mediaTypes.form}, application/json` });
      return at(json, '/access_token') === undefined;
    },
  },
};

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function grant({ nobody }: Service, password: string, headers: Readonly<Record<string, string>> = {}) {
  return nobody.post('/auth/token', `grant_type=password&username=edda&password=${password}&scope=All`, {
    authorization: basic('conformance:conformance-secret'),
    'content-type': mediaTypes.form,
    ...headers,
  });
}

const filesMistakes: Batch = {
  'files.an-old-token-for-chunks': {
    source: 'extensions: Authentication 1',
    breaks: 'A chunk needs an access token that is valid when it comes.',
    kind: 'moment',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/form-data') ?? false;
      return right(isForm ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call);
    }),
    async shows(service) {
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      await service.pass(7200);
      return (await sendForm(service.nobody, textsOf('f.txt', 'content'), 'content', { authorization })).status < 300;
    },
  },

  'chunks.number-of-an-upload-before': {
    source: 'extensions: File routes',
    breaks: 'The number of chunks is that of this upload, also after one to the path that was broken off and deleted.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const numbers = new Map<string, number>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        const known = numbers.get(key) ?? chunk.totalChunks;
        if (known !== chunk.totalChunks) throw new Refusal(409, `Expected ${known} chunks.`);
        const progress = await right(areas, place, chunk);
        if (uploadComplete(progress)) numbers.delete(key);
        else numbers.set(key, known);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('f.txt', ['ab', 'cd', 'ef'], 1);
      await edda.delete(`${spaceFiles}/f.txt`);
      await edda.sendChunks('f.txt', ['abc', 'def']);
      return (await edda.get(`${spaceFiles}/f.txt`)).text !== 'abcdef';
    },
  },
};

/** Text parts of a file of one chunk. */
function textsOf(path: string, content: string) {
  return {
    resumableTotalSize: String(content.length),
    resumableChunkNumber: '1',
    resumableChunkSize: String(content.length),
    resumableCurrentChunkSize: String(content.length),
    resumableTotalChunks: '1',
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
}

/** A form with text parts before and behind the file. */
async function sendForm(
  client: Client,
  before: Readonly<Record<string, string>>,
  content: string,
  headers: Readonly<Record<string, string>>,
  behind: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const form = new FormData();
  for (const [name, text] of Object.entries(before)) form.set(name, text);
  form.set('file', new Blob([content]), 'f.txt');
  for (const [name, text] of Object.entries(behind)) form.set(name, text);
  const request = new Response(form);
  const type = request.headers.get('content-type') ?? '';
  return client.post(spaceFiles, await request.bytes(), { checksum: md5(content), 'content-type': type, ...headers });
}

/** Addresses of endpoints that were called, by id. */
const addresses = new WeakMap<Store, Map<string, string>>();

/** The longest time that a timer knows, in ms. */
const longestTimer = 2 ** 31 - 1;

const unlimited = { rateLimitNumberOfExecutions: 1000 };

const registrationMistakes: Batch = {
  'registration.address-of-the-one-before': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The url is the address that is called, also of an endpoint with the id of one that was deleted.',
    kind: 'place',
    variant: together(
      replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('endpoint' in callee)) return callee;
        const known = addresses.get(areas.store) ?? new Map<string, string>();
        addresses.set(areas.store, known);
        const url = known.get(callee.name) ?? callee.url;
        known.set(callee.name, url);
        return { ...callee, url, endpoint: { ...callee.endpoint, url } };
      }),
      replaces('queue', 'resumeDeliveries', async (right, areas, writing, id) => {
        if ((await registrationOf(writing, id)) !== undefined) addresses.get(areas.store)?.delete(id);
        return right(areas, writing, id);
      }),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/first`, ...unlimited });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/second`, ...unlimited });
      await service.edda.sendToEndpoint();
      const calls = await reached(host, 2);
      return !calls.some(({ path }) => path === '/second');
    },
  },

  'registration.longer-than-a-timer': {
    source: 'extensions: Registration routes',
    breaks: 'A request waits as many seconds for its response as are registered, however many those are.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      return callee === undefined || callee.timeoutMs <= longestTimer ? callee : { ...callee, timeoutMs: 1 };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 3_000_000 });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1, 2);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'metadata.described-alike': {
    source: 'extensions: Extension metadata record',
    breaks: 'Two records may have one description; it tells nothing apart.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const descriptions = items.map((item) => (isContent(item) ? item['description'] : undefined));
      const isFirst = (index: number) =>
        descriptions[index] === undefined || descriptions.indexOf(descriptions[index]) === index;
      return right(
        areas,
        items.filter((_item, index) => isFirst(index)),
      );
    }),
    async shows(service) {
      await service.host(() => ['one', 'other'].map((id) => ({ id, description: 'handles events' })));
      return (await service.edda.sendEvent('other')).status >= 300;
    },
  },
};

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };

const endpointMistakes: Batch = {
  'endpoint.bare-deletions': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The configured headers are set on every call, also on one whose method has no body.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      return request.method === 'DELETE' ? { ...request, headers: {} } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-proof', value: 'shown' },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'DELETE', headers });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call === undefined || headerValues(call, 'x-proof').length === 0;
    },
  },

  'endpoint.token-in-a-header': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'No access token is passed to a simple endpoint, in no header either, whatever its method.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'externalEndpoint' || request.method !== 'PATCH') return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, method: 'PATCH' });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call === undefined || headerValues(call, 'authorization').length > 0;
    },
  },
};

const callMistakes: Batch = {
  'calls.another-id-later-on': {
    source: 'core: Events',
    breaks: 'The correlation id of the request is passed on by every attempt of the call that it leads to.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const isLate = attempt >= 3 && delivery.kind !== 'task';
      return right(areas, isLate ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 503 }] }]);
      await service.edda.sendEvent('event', {}, { 'x-correlation-id': 'given' });
      await service.pass(3, 6);
      return callsTo(host).some(({ envelope }) => envelope?.id !== 'given');
    },
  },

  'calls.a-mail-for-each-role': {
    source: 'extensions: Calls to extensions',
    breaks: 'A mail is one call, also when its sender has roles on several participants.',
    kind: 'role',
    variant: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const user = areas.configuration.users.get(delivery.userName);
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = user === undefined || space === undefined ? [] : areas.auth.rolesOf(user, space);
      if (delivery.kind === 'email')
        for (const _role of roles.slice(1)) await right(areas, writing, { ...delivery, id: randomUUID() });
      return right(areas, writing, delivery);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.emil.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 3);
      return callsOf(host, 'email').length > 1;
    },
  },
};

const taskMistakes: Batch = {
  'tasks.directory-below-a-directory': {
    source: 'extensions: External task links',
    breaks: 'The link to the directory of the input leads there, also where that lies in another directory.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const names = inputPath.split('/').filter(Boolean).slice(0, -1);
      return right(areas, spaceId, jobId, inputPath, token).map((link) => {
        if (link.id !== 'inputDir' || names.length < 2) return link;
        return { ...link, url: link.url.replace(/\/fs\/dir\/.*$/, `/fs/dir/${encodeURIComponent(names.join('/'))}`) };
      });
    }),
    async shows(service) {
      await service.edda.upload('outer/inner/input.csv', 'content');
      const url = await linkOf(service, 'inputDir', 'outer/inner/input.csv');
      return (await service.edda.get(url)).status !== 200;
    },
  },

  'tasks.status-by-way-of-another-space': {
    source: 'extensions: States and transitions',
    breaks: 'The status of a task is reported in the space of its job; in another one there is no such job.',
    kind: 'place',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = call.params['status'] === undefined ? undefined : await jobWith(reading, call.params['jobId'] ?? '');
      return job ?? right(areas, call, reading);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
};

/** Address of a link that a task with this input is given. */
async function linkOf(service: Service, id: string, inputPath: string): Promise<string> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  const link = listAt(call?.json, '/payload/links').find((candidate) => at(candidate, '/id') === id);
  return String(at(link, '/url'));
}

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentyNinth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...registrationMistakes,
  ...endpointMistakes,
  ...callMistakes,
  ...taskMistakes,
};
