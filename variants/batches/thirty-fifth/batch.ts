import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, changeExtension, reached, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import { at, listAt, signatureOver, spaceFiles } from '../service.ts';

const batchingMistakes: Batch = {
  'batch.one-alone-has-its-own-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch that failed answers 500, also where it had one operation only.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [only, ...more] = results;
      return only !== undefined && more.length === 0 && only.statusCode >= 400
        ? only.statusCode
        : right(areas, results);
    }),
    shows: async ({ edda }) =>
      (await edda.batch([{ method: 'GET', href: '/api/space/main/softtype/none' }])).status !== 500,
  },
};

const callsMistakes: Batch = {
  'endpoints.get-loses-its-query': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the URL, also where the method is GET.',
    kind: 'combination',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.method !== 'GET' || !url.searchParams.has('access_token')) return url.href;
      url.search = new URLSearchParams({ access_token: url.searchParams.get('access_token') ?? '' }).toString();
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { method: 'GET', url: `${host.url}/hook?a=1` });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call !== undefined && !call.target.includes('a=1');
    },
  },
  'emails.end-of-the-text-is-trimmed': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is sent as it was given, its last line end included.',
    kind: 'value',
    survives:
      'What makes the service send a mail is not shown (ledger trigger-email-binding): it may take the text without the line end behind it.',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email') return payload;
      return { ...(payload as object), body: String(at(payload, '/body')).trimEnd() };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 's', body: 'text\n' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      const [call] = await reached(host, 1);
      return call !== undefined && at(call.envelope?.payload, '/body') !== 'text\n';
    },
  },
};

const userFiles = '/api/space/main/user/fs/file';

const filesMistakes: Batch = {
  'files.first-query-token-stays': {
    source: 'extensions: File areas, row User',
    breaks: 'A token in the query speaks for its own user, whoever downloaded before.',
    kind: 'copy',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const credentials = right(areas, call);
        if (credentials?.scheme !== 'bearer') return credentials;
        const key = credentials.token.slice(0, 36);
        if (!known.has(key)) known.set(key, credentials);
        return known.get(key);
      };
    }),
    async shows(service) {
      const texts: string[] = [];
      for (const user of ['edda', 'emil'] as const) {
        await service[user].upload('own.txt', user, userFiles);
        const token = await tokenOf(service, user);
        texts.push((await service.nobody.get(`${userFiles}/own.txt?token=${token}`)).text);
      }
      return texts[1] !== 'emil';
    },
  },
  'chunks.directory-that-holds-the-name': {
    source: 'extensions: File routes, row resumableRelativePath',
    breaks: 'The path leads to the file, also where a directory has the name of the file in its own.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const directory = chunk.relativePath.replace(chunk.fileName, '');
      return right(areas, { ...chunk, relativePath: `${directory.replace(/\/$/, '')}/${chunk.fileName}` }, area);
    }),
    async shows({ edda }) {
      await edda.sendChunks('old-data/data', ['one,', 'two']);
      return (await edda.get(`${spaceFiles}/old-data/data`)).text !== 'one,two';
    },
  },
};

const readingMistakes: Batch = {
  'paging.href-of-the-filtered-page': {
    source: 'core: Page response, row href',
    breaks: 'The href of a page is its own, also where the page was read with a filter before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const known = new Map<string, string>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const key = `${object.oid} ${view.id} ${section.path} ${page}`;
        if (filter !== undefined) known.set(key, body.href);
        return { ...body, href: known.get(key) ?? body.href };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing' }] });
      await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return String(at((await edda.page(made, 'files', 0)).json, '/href')).includes('softTypeFilter');
    },
  },
};

const writingMistakes: Batch = {
  'operations.administrators-leave-the-model': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, whoever removed it.',
    kind: 'role',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isTrusted = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      return right(isTrusted ? within(areas, { operations: { complies: () => true } }) : areas, run, target);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', files: [{ name: 'n' }] });
      const id = String(at(await alma.read(made), '/data/files/0/$entryId'));
      await alma.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await alma.read(made), '/data/files').length === 1;
    },
  },
  'editing.merge-of-a-large-integer': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An integer beyond 32 bits is kept by a merge as it was sent.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [
        name,
        Number.isSafeInteger(edit) ? Number(edit) | 0 : edit,
      ]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
};

/** Base64 of a key with each of the signs that only one alphabet has. */
const signedKey = Buffer.alloc(64, 0xfb).toString('base64');

const acquirePath = (id: string) => `/api/collection/externalExtension/acquireAccessToken/${id}`;

const mail = { recordId: 'mail', subject: 's', body: 'text' };

const extensionsMistakes: Batch = {
  'signing.plus-in-a-key-is-a-blank': {
    source: 'extensions: Authentication 2',
    breaks: 'The key is Base64, whose alphabet has a plus.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, apiKey.replaceAll('+', ' '), path),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await changeExtension(service, { hostUri: host.url, apiKey: signedKey });
      const call = host.entries(({ kind }) => kind === 'metadata').at(-1);
      const expected = `Bearer ${signatureOver('/svc/extension', signedKey)}`;
      return call !== undefined && !JSON.stringify(call.headers).includes(expected);
    },
  },
  'emails.the-same-text-is-the-same-mail': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail goes to its address, also where another one had the same text.',
    kind: 'copy',
    variant: breaks('queue', 'enqueue', (right) => {
      const known = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = JSON.stringify({ ...(delivery.payload as object), to: undefined });
        if (delivery.kind === 'email' && known.has(key)) return true;
        known.add(key);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 200 }));
      for (const to of ['a@b.example', 'c@d.example'])
        await service.edda.post('/api/space/main/externalEmail', { ...mail, to });
      return (await reached(host, 2, 1000)).length === 1;
    },
  },
  'metadata.type-of-the-first-time': {
    source: 'extensions: Extension metadata record, row extensionType',
    breaks: 'A record is of the type that it names now, not of the one that it named before an update.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({
        ...record,
        extensionType: former.find(({ id }) => id === record.id)?.extensionType ?? record.extensionType,
      })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'ExternalEvent' }], always({ status: 200 }));
      host.setRecords([
        { id: 'mail', version: '1.0.1', name: 'x', endpoint: '/x', extensionType: 'Email', category: 'proof' },
      ]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.post('/api/space/main/externalEmail', { ...mail, to: 'a@b.example' });
      return (await reached(host, 1, 1000)).length === 0;
    },
  },
  'metadata.asked-before-keys-are-brought': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is added or updated, and not when it asks for keys.',
    kind: 'moment',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) => {
      const registration = await areas.store.read((reading) =>
        areas.registry.registrationOf(reading, holder.registrationId),
      );
      if (registration?.kind === 'svcExtension') await areas.metadata.fetchMetadata(registration, call.correlationId);
      return right(areas, call, holder, request, keys);
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'x', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      await service.cora.post(acquirePath('x'), { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] });
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'api-keys.endpoints-get-the-first': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint may have keys for all its permissions in one request.',
    kind: 'role',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(areas, call, holder, request, holder.apiKey === undefined ? keys.slice(0, 1) : keys),
    ),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const permissions = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI', 'AdministrationAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      await service.cora.post(acquirePath('hook'), permissions);
      const [call] = callsTo(host);
      return call !== undefined && !JSON.stringify(call).includes('AdministrationAPI');
    },
  },
  'tasks.timeout-is-cut-to-whole-seconds': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The timeout of a task is a number, with its fraction.',
    kind: 'value',
    survives: 'How a task is configured is not shown (ledger trigger-task-binding): its seconds may be integers there.',
    variant: replaces('triggers', 'taskPayload', (right, areas, body) => {
      const payload = right(areas, body);
      return { ...payload, timeout: Math.max(1, Math.trunc(payload.timeout)) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { timeout: 90.5 });
      const [call] = await reached(host, 1);
      return call !== undefined && at(call.envelope?.payload, '/timeout') !== 90.5;
    },
  },
};

/** Sentences of both documents drawn by lot, each with a circumstance under which alone the mistake shows. */
export const thirtyFifth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...batchingMistakes,
  ...extensionsMistakes,
};
