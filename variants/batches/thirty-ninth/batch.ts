import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  always,
  callsOf,
  changeExtension,
  isThere,
  logged,
  named,
  reached,
  registerEndpoint,
  scheduleTask,
  tokenOf,
} from '../proofs.ts';
import { type Service, at, encoded, listAt, signatureOver } from '../service.ts';
import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { headerNames } from '../../../contract/names.ts';
import type { User } from '../../../reference-server/configuration.ts';
import { type Entry, headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { objectsMistakes } from './objects.ts';

const filesMistakes: Batch = {
  'bulk.deletes-as-the-last-time': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files stay in the source unless their own run says otherwise, whatever an earlier run of it said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      const latest = new Map<string, boolean>();
      return (areas, body) => {
        const settings = right(areas, body);
        const isGiven = typeof body === 'object' && body !== null && 'deleteFilesAfterUpload' in body;
        const kept = isGiven ? undefined : latest.get(settings.sourceDirectory);
        const deleteFilesAfterUpload = kept ?? settings.deleteFilesAfterUpload;
        latest.set(settings.sourceDirectory, deleteFilesAfterUpload);
        return { ...settings, deleteFilesAfterUpload };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const run = { sourceDirectory, writeLog: false };
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      await service.bulk('/admin/fileupload/main', { ...run, deleteFilesAfterUpload: true });
      await writeFile(join(sourceDirectory, 'b.txt'), 'b');
      await service.bulk('/admin/fileupload/main', run);
      return !(await isThere(join(sourceDirectory, 'b.txt')));
    },
  },

  'chunks.one-of-the-nominal-size': {
    source: 'extensions: File routes, resumableChunkSize',
    breaks: 'A file that is as long as the nominal chunk comes in one chunk.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (chunk.totalSize === chunk.chunkSize && chunk.totalSize > 0)
        throw new Refusal(400, 'Expected a last chunk below the nominal size.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('x.txt', ['aaaa'], 1)).status === 400;
    },
  },
};

const listsMistakes: Batch = {
  'multi-create.first-without-arrays-ends': {
    source: 'core: Multi-create rules 1',
    breaks: 'All items come with all that is in them, also behind one that has no arrays.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const end = inputs.findIndex(({ arrays }) => arrays.size === 0);
      const cut = inputs.map((input, index) => (end < 0 || index < end ? input : { ...input, arrays: new Map() }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $softType: 'Part', data: { name: 'a' } },
        { $softType: 'Part', data: { name: 'b', usages: named(1) } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/usages').length === 0;
    },
  },

  'operations.once-not-compliant': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent goes when it no longer complies itself, not because one before it in the list did not.',
    kind: 'copy',
    variant: onceNotCompliant(),
    async shows({ edda }) {
      const files = [
        { name: 'a', comment: 'a' },
        { name: 'b', comment: 'b' },
      ];
      const made = await edda.make('Document', { title: 't', files });
      const ids = listAt(await edda.read(made), '/data/files').map((file) => String(at(file, '/$entryId')));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${ids[0]}/name` },
        { op: 'remove', path: `/files/${ids[1]}/comment` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },
};

function onceNotCompliant(): Variant {
  return (classes) => {
    let found = new Set<unknown>();
    return together(
      replaces('operations', 'applyOperations', (right, areas, run, operations) => {
        found = new Set();
        return right(areas, run, operations);
      }),
      replaces('operations', 'complies', (right, areas, members, content) => {
        const complies = !found.has(members) && right(areas, members, content);
        if (!complies) found.add(members);
        return complies;
      }),
    )(classes);
  };
}

const task = { id: 'task', extensionType: 'ExternalTask' } as const;

const tasksMistakes: Batch = {
  'tasks.status-in-the-first-space': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'The link of the status leads to the job, also for a job of another space than the first one was of.',
    kind: 'place',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, jobId, inputPath, token) => {
        first ??= spaceId;
        const links = right(areas, spaceId, jobId, inputPath, token);
        const elsewhere = right(areas, first, jobId, inputPath, token);
        return links.map((link, index) => (link.id === 'taskStatus' ? (elsewhere[index] ?? link) : link));
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'a.csv' });
      await service.pass(1);
      const link = linkOf(callsOf(host, 'task')[1]?.json, 'taskStatus');
      return !link.includes('/space/depot/');
    },
  },

  'tasks.token-of-the-first-input': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link of the input opens it by the token in it, also for a job long after the first.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, jobId, inputPath, token) => right(areas, spaceId, jobId, inputPath, (first ??= token));
    }),
    survives:
      'External task links, row inputFile: whose token the link has is not said, and until that one has ended nothing differs; a run whose first tokens live for a year does not come to their end.',
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('folder/input.csv', 'a;b');
      await scheduleTask(service);
      await service.pass(3700);
      await scheduleTask(service);
      const link = new URL(linkOf(callsOf(host, 'task').at(-1)?.json, 'inputFile'));
      return (await service.nobody.get(link.pathname + link.search)).status !== 200;
    },
  },

  'jobs.canceled-and-then-acknowledged': {
    source: 'extensions: External task status, Canceled',
    breaks: 'A job whose task was canceled is failed, also when the call of the task is acknowledged after that.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.taskStatus !== 'Canceled') return right(areas, writing, id);
      await keepJob(writing, { ...job, state: 'Running' });
    }),
    async shows(service) {
      const host = await service.host(() => [task], [{ steps: [{ status: 200, delayMs: 700 }], afterwards: 'last' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' });
      const path = job.headers.get('location') ?? '';
      await reached(host, 1);
      await service.edda.send('PUT', `${path}/status/Canceled`);
      await new Promise((resolve) => setTimeout(resolve, 1200));
      return at((await service.edda.get(path)).json, '/state') === 'Running';
    },
  },
};

function linkOf(call: unknown, id: string): string {
  const link = listAt(call, '/payload/links').find((each) => at(each, '/id') === id);
  return String(at(link, '/url'));
}

const accessMistakes: Batch = {
  'auth.user-of-the-correlation': {
    source: 'core: Authentication 6',
    breaks: 'A request without a token gets 401, also one with the correlation id of an earlier request that had one.',
    kind: 'copy',
    variant: breaks('auth', 'authenticate', (right) => {
      const users = new Map<string, User>();
      return async (areas, call) => {
        const known = users.get(call.correlationId);
        if (known !== undefined && call.headers['authorization'] === undefined) return known;
        const user = await right(areas, call);
        if (call.correlationGiven) users.set(call.correlationId, user);
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.correlationId]: 'one-and-the-same' };
      await edda.get(made.path, headers);
      return (await nobody.get(made.path, headers)).status === 200;
    },
  },

  'information-filter.readers-need-none': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required of everybody, also of those who may only read.',
    kind: 'role',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const { user, space } = call as Partial<Parameters<typeof areas.instances.readInstance>[0]>;
      const isMissing = call.headers[headerNames.informationFilter.toLowerCase()] === undefined;
      if (isMissing && user && space && !areas.auth.mayUse(user, space, 'PUT')) return {};
      return right(areas, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      return (await rita.get(made.path, { [headerNames.informationFilter]: '' })).status === 200;
    },
  },

  'grants.none-without-a-role': {
    source: 'core: Authentication 3 and 6',
    breaks: 'The password grant gives a token to every user with the right password, also to one without any role.',
    kind: 'role',
    variant: replaces('auth', 'userOfPassword', (right, areas, name, password) => {
      const user = right(areas, name, password);
      if (user === undefined || user.collectionAdministrator) return user;
      const spaces = [...areas.configuration.spaces.values()];
      return spaces.some((space) => areas.auth.rolesOf(user, space).length > 0) ? user : undefined;
    }),
    survives:
      'Authentication 3: how a token is asked for is told, not which users get one; whether one without a role does is left open.',
    async shows(service) {
      return (await tokenOf(service, 'nora')) === 'undefined';
    },
  },

  'information-filter.cut-for-the-call': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'The envelope holds the Base64 of the whole information filter, however long it is.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => right(areas, call).slice(0, 256)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const filter = encoded({ view: 'v'.repeat(300) });
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filter });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      return at(call?.json, '/informationFilter') !== filter;
    },
  },

  'jobs.no-body-of-a-type': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The body of a final status is optional, also where the request names the type that it could have.',
    kind: 'combination',
    variant: replaces('admission', 'admit', (right, areas, call, reading, needs) => {
      const isEmpty = call.body === undefined || call.body.length === 0;
      if (needs.bodyOptional && isEmpty && call.headers['content-type'] !== undefined)
        throw new Refusal(400, 'Expected a JSON body, found none.');
      return right(areas, call, reading, needs);
    }),
    survives:
      'ledger malformed-json-status: an empty text is no JSON, and what a request gets that names that type for one is not said.',
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' });
      await service.pass(1);
      const path = `${job.headers.get('location') ?? ''}/status/Completed`;
      const { status } = await service.edda.send('PUT', path, { headers: { 'content-type': 'application/json' } });
      return status === 400;
    },
  },
};

const otherKey = Buffer.alloc(64, 8).toString('base64');

const callsMistakes: Batch = {
  'delivery-log.retries-of-endpoints-from-zero': {
    source: 'extensions: Errors 3',
    breaks: 'The log tells the number of the retry out of the total, for the calls of an endpoint as well.',
    kind: 'place',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).map((entry) =>
        delivery.kind === 'endpoint' && entry.retry !== undefined ? { ...entry, retry: entry.retry - 1 } : entry,
      ),
    ),
    survives: 'ledger log-access: the entries are listed without a form or a way to read them.',
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1);
      const [entry] = await logged(service, 'transient-error');
      return at(entry, '/retry') === 0;
    },
  },

  'callees.endpoint-at-the-root': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'An endpoint is relative to the host URI, also where that has a path of its own.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, `${callee.extension.hostUri}/`).href };
    }),
    survives:
      'ledger endpoint-joining: how an endpoint with a slash before it is joined is open, and as a reference it leads to the root of the host.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      const hostUri = `${host.url}/base`;
      await changeExtension(service, { hostUri });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries(({ target }) => target === '/event').length > 0;
    },
  },

  'requests.key-of-the-first-attempt': {
    source: 'extensions: Registered extension, apiKey',
    breaks:
      'Calls are signed with the key of the extension, also the retry of one that began before the key was changed.',
    kind: 'combination',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    survives:
      'Authentication 3: whether the key of the trigger or that of the moment signs what waited while it was changed is not said.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, apiKey: otherKey });
      await service.pass(1, 3);
      const second = host.entries(({ path }) => path === '/event')[1];
      return second !== undefined && !isSigned(second, otherKey);
    },
  },

  'actions.selected-in-its-own-module': {
    source: 'extensions: Payloads by extension type, ribbon actions',
    breaks: 'The selected object is told with the context object, also where both are one.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) =>
      right(areas, call, reading, body, body['contextObjectId'] === selected?.oid ? undefined : selected),
    ),
    async shows(service) {
      const { oid } = await service.edda.make('Document', { title: 't' });
      const call = await actionCall(service, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(call?.json, '/payload/contentPayload/selectedObject/$oid') !== oid;
    },
  },

  'metadata.unsupported-ones-take-an-id': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored, so that it takes no id from another one.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const taken = new Set<unknown>();
      const left = items.filter((item) => {
        if (taken.has(at(item, '/id'))) return false;
        if (!areas.metadata.isSupportedType(String(at(item, '/extensionType')))) taken.add(at(item, '/id'));
        return true;
      });
      return right(areas, left);
    }),
    survives: 'ledger metadata-duplicate-ids: what becomes of two records of one id is open, whatever their types.',
    async shows(service) {
      await service.host(() => [{ id: 'event', extensionType: 'Unheard' as 'Email' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },
};

function isSigned(entry: Entry, key: string): boolean {
  return headerValues(entry, 'authorization')[0] === `Bearer ${signatureOver(entry.path, key)}`;
}

/** The call of an action, of a form unless the fields say otherwise. */
async function actionCall(service: Service, fields: object): Promise<Entry | undefined> {
  const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
  const form = { kind: 'form', requestedRoute: '/api', httpVerb: 'POST', contentPayload: {} };
  await service.edda.post(
    '/api/space/main/externalAction/action',
    { ...form, ...fields },
    {
      'Svc-InformationFilter': encoded({}),
    },
  );
  return callsOf(host, 'action')[0];
}

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const thirtyNinth: Batch = {
  ...accessMistakes,
  ...objectsMistakes,
  ...listsMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
