import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectionArea } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  always,
  callsOf,
  callsTo,
  changeExtension,
  isThere,
  registerEndpoint,
  scheduleTask,
  tokenOf,
} from '../proofs.ts';
import { type Service, administrationKey, at, hostKey, listAt, many, signatureOver, spaceFiles } from '../service.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { callsMistakes } from './calls.ts';
import { readingMistakes } from './reading.ts';
import { writingMistakes } from './writing.ts';

const collectionFiles = '/api/collection/fs/file';

/** A directory of the host with as many files, each called by a name and its number. */
async function directoryOf(service: Service, name: string, count: number): Promise<string> {
  const directory = await service.directory();
  for (const number of many(count, (each) => each)) await writeFile(join(directory, `${name}${number}.txt`), 'text');
  return directory;
}

/** Files, and how they come and go. */
const filesMistakes: Batch = {
  'files.space-falls-back-to-the-collection': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file that is not in the area of the space is not there, be one of its name in that of the collection.',
    kind: 'role',
    variant: replaces('files', 'downloadFile', (right, areas, call) =>
      right(areas, call).catch((error: unknown) => {
        const isMissing = error instanceof Refusal && error.status === 404;
        if (!isMissing || call.admitted.kind !== 'space') throw error;
        return right(areas, { ...call, admitted: collectionArea() });
      }),
    ),
    async shows({ cora, edda }) {
      await cora.upload('note.txt', 'text', collectionFiles);
      return (await edda.get(`${spaceFiles}/note.txt`)).status === 200;
    },
  },

  'bulk.source-is-a-pattern': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'The source directory is the one that is named, be there what a pattern of names would have in its name.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
      const settings = right(areas, body);
      return { ...settings, sourceDirectory: settings.sourceDirectory.replaceAll(/\[([^\]])[^\]]*\]/g, '$1') };
    }),
    async shows(service) {
      const sourceDirectory = join(await service.directory(), 'run[1]');
      await mkdir(sourceDirectory);
      await writeFile(join(sourceDirectory, 'note.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },

  'bulk.nothing-is-deleted-beside-a-log': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The files that were uploaded are deleted from the source, also where a log is written there.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => !request.writeLog && right(areas, request, file),
    ),
    async shows(service) {
      const sourceDirectory = await directoryOf(service, 'note', 1);
      const body = { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      return isThere(join(sourceDirectory, 'note1.txt'));
    },
  },
};

/** Schedules a task. @returns the link of its call that has the id */
async function linkOf(service: Service, id: string, fields: object = {}): Promise<string> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  await scheduleTask(service, fields);
  const links = listAt(callsTo(host)[0]?.envelope?.payload, '/links');
  return String(
    at(
      links.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

/** Tasks, what they are told, and what they report. */
const tasksMistakes: Batch = {
  'tasks.types-by-the-version-of-the-record': {
    source: 'extensions: Extension metadata record, text on the capability use, second sentence',
    breaks: 'The task manages the types that its record lists now, also where the version of the record stayed.',
    kind: 'copy',
    variant: breaks('triggers', 'assertManages', (right) => {
      const known = new Map<string, Parameters<typeof right>[1]>();
      return (areas, record, path) => {
        const key = `${record.id} ${record.version}`;
        const first = known.get(key) ?? record;
        known.set(key, first);
        right(areas, first, path);
      };
    }),
    async shows(service) {
      const task = {
        id: 'task',
        version: '1.0.0',
        name: 'task',
        endpoint: '/task',
        extensionType: 'ExternalTask',
        category: 'proof',
      } as const;
      const withType = (type: string) => ({
        ...task,
        capabilities: [{ capabilityType: 'MimeType' as const, capabilities: [type] }],
      });
      const host = await service.host(() => [withType('application/pdf')]);
      await scheduleTask(service);
      host.setRecords([withType('text/csv')]);
      await changeExtension(service, { hostUri: host.url });
      await scheduleTask(service);
      return callsTo(host).length === 0;
    },
  },

  'tasks.a-directory-that-looks-encoded': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link leads to the directory of the input, be there what looks like percent-encoding in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const path = inputPath.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent);
      const directory = right(areas, spaceId, jobId, path, token).find(({ id }) => id === 'inputDir');
      return right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputDir' ? (directory ?? link) : link,
      );
    }),
    async shows(service) {
      const url = await linkOf(service, 'inputDir', { inputPath: 'a%20b/input.csv' });
      return !url.endsWith('/a%2520b');
    },
  },

  'tasks.braces-of-the-template-are-encoded': {
    source: 'extensions: External task links, content',
    breaks: 'The link for content is a template that the task fills in.',
    kind: 'value',
    survives: 'In which form a template leaves its places open is not said (task-link-templates).',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => (link.id === 'content' ? { ...link, url: new URL(link.url).href } : link)),
    ),
    shows: async (service) => !(await linkOf(service, 'content')).includes('{'),
  },

  'tasks.log-path-of-255-letters': {
    source: 'extensions: External task status, row Failed',
    breaks: 'The log path that a failed task gives is kept, a long one too.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      const { logFilePath, ...files } = right(areas, call);
      return logFilePath === undefined ? files : { ...files, logFilePath: logFilePath.slice(0, 255) };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      const logFilePath = `${'directory/'.repeat(28)}task.log`;
      await service.edda.put(`${job}/status/Failed`, undefined, { logFilePath });
      return at((await service.edda.get(job)).json, '/logFilePath') !== logFilePath;
    },
  },

  'tasks.progress-of-digits-is-a-number': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message is shown on the job as the text that it is, one of digits too.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, /^\d+$/.test(progress) ? String(Number(progress)) : progress),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: '007' });
      return !(await service.edda.get(job)).text.includes('007');
    },
  },

  'tasks.one-timer-for-all': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task that runs out of time fails, also where another one began after it.',
    kind: 'combination',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      await right(areas, writing, id);
      for (const deadline of await writing.documents('taskDeadline'))
        if (deadline.id !== id) await writing.deleteDocument('taskDeadline', deadline.id);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const first = await scheduleTask(service);
      await scheduleTask(service);
      await service.pass(700, 2);
      return at((await service.edda.get(first)).json, '/state') === 'Running';
    },
  },
};

/** A note in the space main, and the headers by which somebody without a role there shows who he is by his personal access token. */
async function noteForStrangers({ edda }: Service): Promise<Readonly<Record<string, string>>> {
  await edda.upload('note.txt', 'text');
  return { authorization: `Basic ${Buffer.from('otto:svcpat-otto-4c6d8e0f1a').toString('base64')}` };
}

/** Who is let in, and as whom. */
const accessMistakes: Batch = {
  'tokens.known-in-small-letters': {
    source: 'core: Common request headers, Authorization',
    breaks: 'A token is one whose signature is right, letter case included, whichever was let in before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, string>();
      return async (areas, token) => {
        const first = known.get(token.toLowerCase()) ?? token;
        const claims = await right(areas, first);
        known.set(token.toLowerCase(), first);
        return claims;
      };
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      const made = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(made.path, { authorization: `Bearer ${token}` });
      const [head = '', claims = '', signature = ''] = token.split('.');
      const other = signature.replace(/[A-Za-z]/, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      const forged = [head, claims, other].join('.');
      return (await service.nobody.get(made.path, { authorization: `Bearer ${forged}` })).status === 200;
    },
  },

  'auth.space-of-the-query': {
    source: 'core: Authentication 6',
    breaks: 'Who has no role in the space of the path is refused, whatever space the query names.',
    kind: 'combination',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaceId = call.query.get('spaceId');
      right(areas, user, access, spaceId === null ? call : { ...call, params: { ...call.params, spaceId } });
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 't' });
      return (await otto.get(`${made.path}?spaceId=depot`)).status === 200;
    },
  },

  'files.basic-needs-no-role': {
    source: 'extensions: Authentication 1',
    breaks: 'Who has no role is refused at the file routes, by whatever he shows who he is.',
    kind: 'role',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) =>
        areas.auth.credentialsOf(call.headers)?.scheme === 'basic' || right(areas, user, area, call),
    ),
    async shows(service) {
      const headers = await noteForStrangers(service);
      return (await service.nobody.get(`${spaceFiles}/note.txt`, headers)).status === 200;
    },
  },

  'bulk.half-a-signature-is-enough': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is the Base64 of the whole HMAC.',
    kind: 'value',
    variant: replaces(
      'signing',
      'sameSignature',
      (right, areas, given, expected) =>
        right(areas, given, expected) || (given.length * 2 === expected.length && expected.startsWith(given)),
    ),
    async shows(service) {
      const path = '/admin/fileupload/main';
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const signature = signatureOver(path, administrationKey);
      const authorization = `Bearer ${signature.slice(0, signature.length / 2)}`;
      return (await service.nobody.post(path, body, { authorization })).status === 200;
    },
  },

  'tokens.for-the-space-of-the-call': {
    source: 'extensions: Authentication 4',
    breaks: 'The token lets the extension call the API as that user, in every space that is open to him.',
    kind: 'role',
    variant: (classes) => {
      const spaces = new Map<string, string>();
      return together(
        replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
          const request = await right(areas, delivery, callee);
          const token = /"accessToken":"([^"]*)"/.exec(request.body ?? '')?.[1];
          if (token !== undefined) spaces.set(token, delivery.spaceId);
          return request;
        }),
        replaces('auth', 'authorize', (right, areas, user, access, call) => {
          const spaceId = spaces.get(call.headers['authorization']?.slice('Bearer '.length) ?? '');
          if (spaceId !== undefined && spaceId !== call.params['spaceId'])
            throw new Refusal(403, `The token is for the space ${spaceId}.`);
          right(areas, user, access, call);
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Dossier', { title: 't' });
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(made.path, { authorization })).status === 403;
    },
  },

  'tokens.late-reports-are-taken': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token is over after its minutes, also for the report of a task that takes longer.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', (right, areas, call) =>
      right(call.url.includes('/dx/') ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 1 });
      const job = await scheduleTask(service);
      const headers = { authorization: `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}` };
      await service.pass(120);
      const report = await service.nobody.send('PUT', `${job}/progress`, { headers, body: { message: 'late' } });
      return report.status < 300;
    },
  },
};

const event = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
} as const;

/** A host that serves the metadata of one more extension below the path. */
function servesBelow(path: string, record: object): Script {
  return [{ when: { path: `${path}/svc/extension` }, steps: [{ status: 200, json: [record] }], afterwards: 'last' }];
}

function register({ cora }: Service, hostUri: string, active = true) {
  return cora.post('/api/admin/svcExtension', { hostUri, apiKey: hostKey, tokenLifeTime: 60, active });
}

/** What is registered, and the keys that it acquires. */
const registeredMistakes: Batch = {
  'active.switched-by-origin': {
    source: 'extensions: Registered extension, active',
    breaks: 'An extension is switched off by itself, and not with it another one of the same origin.',
    kind: 'combination',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Map<string, Set<string>>();
      return (areas, registration) => {
        if (registration.kind !== 'svcExtension') return right(areas, registration);
        const { origin } = new URL(registration.hostUri);
        const ids = off.get(origin) ?? new Set();
        off.set(origin, ids);
        if (registration.active) ids.delete(registration.id);
        else ids.add(registration.id);
        return ids.size === 0;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'first' }], servesBelow('/other', { ...event, id: 'other' }));
      await register(service, `${host.url}/other`, false);
      for (const id of ['other', 'first']) await service.edda.sendEvent(id);
      await service.pass(1);
      return callsOf(host, 'event').length === 0;
    },
  },

  'metadata.names-that-every-object-has': {
    source: 'extensions: Extension metadata record, id',
    breaks: 'An id is any text, one that a table of the language has from the start too.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((item) => !(String(at(item, '/id')) in {})),
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'constructor' }]);
      await service.edda.sendEvent('constructor');
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'endpoints.one-for-each-address': {
    source: 'extensions: Registration routes, externalEndpoint',
    breaks: 'An endpoint is registered under its id, be there another one that has the same address.',
    kind: 'value',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const all = await registrationsOf(writing, call.json.kind);
      if (all.some((registration) => 'url' in registration && registration.url === call.json.url))
        throw new Refusal(409, 'There is an endpoint of this address already.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const url = 'http://localhost:9/hook';
      await registerEndpoint(service, 'externalEndpoint', { url });
      return (await registerEndpoint(service, 'externalEndpoint', { url, id: 'other' })).status >= 400;
    },
  },

  'api-keys.in-the-alphabet-of-urls': {
    source: 'extensions: Acquiring API keys',
    breaks: 'An acquired key is Base64, as its holder decodes it.',
    kind: 'value',
    variant: replaces('apiKeys', 'keyMember', (_right, _areas, key) => ({
      apiKey: Buffer.from(key, 'base64').toString('base64url'),
    })),
    survives: 'Which alphabet of Base64 an acquired key is written in is not said.',
    async shows(service) {
      const permissions = ['AdministrationAPI' as const];
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions } }],
        always({ status: 200 }),
      );
      const tokenCallback = `${host.url}/keys`;
      const path = '/api/collection/externalExtension/acquireAccessToken/holder';
      await service.cora.post(path, { tokenCallback, permissions });
      const brought = callsTo(host).find((call) => call.path === '/keys')?.json;
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      return Buffer.from(key, 'base64').toString('base64') !== key;
    },
  },

  'metadata.unsigned-while-switched-off': {
    source: 'extensions: Metadata exchange, last sentence',
    breaks: 'The request for the metadata is signed, also where the extension is registered as switched off.',
    kind: 'combination',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) => {
      const request = right(areas, extension, correlationId);
      const { Authorization: _signature, ...headers } = request.headers;
      return extension.active ? request : { ...request, headers };
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      await changeExtension(service, { hostUri: host.url, active: false });
      const [, second] = callsOf(host, 'metadata');
      return second !== undefined && headerValues(second, 'authorization').length === 0;
    },
  },

  'metadata.asked-before-who-asks-is-known': {
    source: 'extensions: Versioning',
    breaks: 'The metadata is fetched when an extension is added, and not where the one who would add it may not.',
    kind: 'role',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (call.method !== 'POST' || route.path !== '/api/admin/svcExtension') return right(areas, route, call);
      const fields = areas.registrations.extensionFrom(areas.messages.jsonBodyOf(call));
      const records = await areas.metadata.fetchMetadata(fields, call.correlationId);
      return right(within(areas, { metadata: { fetchMetadata: async () => records } }), route, call);
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      const before = callsOf(host, 'metadata').length;
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 };
      await service.edda.post('/api/admin/svcExtension', body);
      return callsOf(host, 'metadata').length > before;
    },
  },
};

/** Of sixty mistakes of the sorts that teams make, in sentences that were drawn by lot from both documents, by somebody who knew no check. */
export const fiftieth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...registeredMistakes,
};
