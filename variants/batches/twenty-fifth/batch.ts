import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import { type Received, type Service, at, listAt, many } from '../service.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';

const cachingMistakes: Batch = {
  'tokens.none-beside-a-session': {
    source: 'core: Authentication 1',
    breaks: 'A route takes a personal access token, also of a user who has an access token as well.',
    kind: 'moment',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const users = new Set<string>();
      return async (areas, credentials) => {
        const user = await right(areas, credentials);
        if (user === undefined || credentials.scheme !== 'bearer') return user;
        if (credentials.token.split('.').length === 3) users.add(user.name);
        else if (users.has(user.name)) return undefined;
        return user;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(made.path, { authorization: `Bearer ${await tokenOf(service, 'edda')}` });
      return (await service.edda.get(made.path)).status === 401;
    },
  },
};

const filesMistakes: Batch = {
  'files.chunks-rounded': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The chunks of a file are its size divided by that of a chunk and rounded up, however little is left.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks !== Math.max(1, Math.round(totalSize / chunkSize))) throw new Refusal(400, 'Other chunks.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('rounded.txt', ['aaaa', 'b'], 1)).status >= 400;
    },
  },
};

const tasksMistakes: Batch = {
  'tasks.links-of-the-first-space': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'A task reports on its job in the space of that job, also when one of another space was called before.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, ...args) => right(areas, (first ??= spaceId), ...args);
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      return linkIn(callsOf(host, 'task')[1]?.json, 'taskStatus').includes('/space/main/');
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

function linkIn(call: unknown, id: string): string {
  const link = listAt(call, '/payload/links').find((each) => at(each, '/id') === id);
  return String(at(link, '/url'));
}

const operationsMistakes: Batch = {
  'operations.id-by-count': {
    source: 'core: System properties, $entryId',
    breaks:
      'An $entryId tells one entry of an array from the others, also when one was removed before another was added.',
    kind: 'combination',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) =>
      right(areas, call, {
        ...writing,
        updateEntry: async (oid, port, entryId, content) => {
          const before = await writing.entry(oid, port, entryId);
          await writing.updateEntry(oid, port, entryId, recounted(before?.content ?? {}, content));
        },
      }),
    ),
    async shows({ edda }) {
      const revisions = many(3, (number) => ({ text: `revision ${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'one', revisions }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files/1/revisions', value: { text: 'last' } }]);
      const ids = listAt(await edda.read(made), '/data/files/0/revisions').map((item) => at(item, '/$entryId'));
      return new Set(ids).size < ids.length;
    },
  },

  'operations.add-of-nothing': {
    source: 'core: Patch operation, value',
    breaks: 'An add needs a value, also where an entry without any member would do.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const isBare = isContent(item) && item['op'] === 'add' && !('value' in item);
      return right(areas, isBare ? { ...item, value: {} } : item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/contacts' }])).status < 400;
    },
  },
};

const writingMistakes: Batch = {
  'editing.merge-of-the-same': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An accepted merge answers 204, also when each field has the value already.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const edits = isContent(call.json) ? Object.entries(call.json) : [];
      const isSame = edits.every(([name, value]) => call.object.content[name] === value);
      return isSame ? { ...answer, status: 200, body: { message: 'not changed' } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'same' });
      return (await edda.merge(made, 1, { note: 'same' })).status !== 204;
    },
  },
};

/** Numbers an item that came to an array of the entry by how many the array has now. */
function recounted(before: Content, after: Content): Content {
  const members = Object.entries(after).map(([name, value]) => {
    const items = itemsOf(after, name);
    const last = items.at(-1);
    if (last === undefined || items.length <= itemsOf(before, name).length) return [name, value];
    return [name, [...items.slice(0, -1), { ...last, $entryId: items.length }]];
  });
  return Object.fromEntries(members);
}

const deliveryMistakes: Batch = {
  'delivery.asked-again-in-need': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not because calls to it fail.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
      if (count > 3 && 'extension' in callee) await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(33, 6);
      return callsOf(host, 'metadata').length > 1;
    },
  },
};

const callsMistakes: Batch = {
  'calls.base-address-of-the-api': {
    source: 'extensions: Call envelope, baseAddress',
    breaks: 'The base address is that of the service as it was configured, and not the root of its API.',
    kind: 'value',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const { body = '', ...request } = await right(areas, delivery, callee);
      return { ...request, body: body.replace(/("baseAddress":"[^"]*)"/, '$1/api"') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress !== service.url;
    },
  },

  'registration.off-for-good': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'What was switched off is called again when it is switched on.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        if (!right(areas, registration)) off.add(registration.id);
        return !off.has(registration.id);
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await putEndpoint(service, { url, active: false });
      await service.edda.sendToEndpoint();
      await putEndpoint(service, { url, active: true });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'registration.active-from-the-start': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is registered as it is sent, also as one that is not active.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => ({
      ...right(areas, body),
      active: true,
    })),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length > 0;
    },
  },
};

const keysMistakes: Batch = {
  'keys.last-name-of-the-list': {
    source: 'extensions: Permission names',
    breaks: 'There are keys for each of the five permissions, the last of the list as well.',
    kind: 'value',
    variant: replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) =>
      request.permissions.includes('LicenseCommunicationAPI')
        ? new Refusal(403, 'There is no such permission.')
        : right(areas, holder, request),
    ),
    async shows(service) {
      const host = await hostOfKeys(service);
      return (await acquire(service, host, ['LicenseCommunicationAPI'])).status >= 400;
    },
  },
};

/** The endpoint `hook`, otherwise. */
function putEndpoint({ cora }: Service, fields: object): Promise<Received> {
  return cora.put('/api/admin/externalEndpoint/hook', undefined, {
    id: 'hook',
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    ...fields,
  });
}

/** May have two of the keys. */
function hostOfKeys({ host }: Service): Promise<ExtensionHost> {
  const names = ['SnapshotAPI', 'LicenseCommunicationAPI'];
  return host(
    (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: names } }],
    [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

function acquire(
  { cora }: Service,
  host: ExtensionHost,
  permissions: readonly string[],
  id = 'event',
): Promise<Received> {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
}

/**
 * Sixty mistakes of sentences that a lot was cast for, as the author of a service of another make would make them: a sentence misread, a branch
 * forgotten, a cache, a type taken for another, what one request knew told to the next.
 */
export const twentyFifth: Batch = {
  ...operationsMistakes,
  ...writingMistakes,
  ...cachingMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...keysMistakes,
};
