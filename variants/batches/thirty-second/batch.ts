import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  type Client,
  type Received,
  type Service,
  at,
  hostKey,
  listAt,
  many,
  md5,
  movePath,
  signatureOver,
  spaceFiles,
} from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { always, reached } from '../proofs.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callMistakes } from './calls.ts';

function isRefusal(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof Refusal && statuses.includes(error.status);
}

/** Who may, and what is not sent again. */
const accessMistakes: Batch = {
  'access.the-second-try-is-let-in': {
    source: 'core: What the service does',
    breaks: 'Whoever holds no role in a space reads nothing there, however often the request is made.',
    kind: 'role',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (!isRefusal(error, 403) || access !== 'space' || call.method !== 'GET') throw error;
          if (refused.has(key)) return;
          refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda, nora }) {
      const { path } = await edda.make('Document', { title: 't' });
      await nora.get(path);
      return (await nora.get(path)).status === 200;
    },
  },
  'access.a-personal-token-without-its-end': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token is good as a whole only.',
    kind: 'value',
    variant: replaces('auth', 'userOfCredentials', async (right, areas, credentials) => {
      const user = await right(areas, credentials);
      if (user !== undefined || credentials.scheme !== 'bearer') return user;
      return [...areas.configuration.users.values()].find(({ pat }) => pat.slice(0, -1) === credentials.token);
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Document', { title: 't' });
      const answer = await nobody.get(path, { authorization: 'Bearer svcpat-edda-7d1c0b9e5' });
      return answer.status === 200;
    },
  },
  'files.without-any-role-one-is-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A valid identity without any role is refused as one without access, not as one without a token.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      try {
        return await right(areas, call, kind);
      } catch (error) {
        if (!isRefusal(error, 403)) throw error;
        const user = await areas.fileAreas.authenticateFile(call);
        const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
        throw roles.length > 0 ? error : new Refusal(401, 'Nobody of this name holds a role.');
      }
    }),
    async shows({ nora }) {
      return (await nora.get(`${spaceFiles}/a.txt`)).status === 401;
    },
  },
};

/** What writes do, alone and together. */
const writingMistakes: Batch = {
  'operations.twice-at-a-path-counts-twice': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version by one, also where two operations of its list name one path.',
    kind: 'combination',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = new Set(operations.map((operation) => at(operation, '/path')));
      return right(areas, object, operations) + operations.length - paths.size;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'a' });
      const replace = (value: string) => ({ op: 'replace', path: '/note', value });
      await edda.operate(made, 1, [replace('b'), replace('c')]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'batch.the-query-of-the-operation-before': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation says all: a query of an operation before it is not its own.',
    kind: 'moment',
    variant: breaks('batch', 'prepareOperation', (right) => {
      let query = '';
      return (areas, batch, table, value, index) => {
        const href = String(at(value, '/href') ?? '');
        if (index === 0) query = '';
        const [, own] = href.split('?');
        if (own !== undefined) query = `?${own}`;
        const isBare = isContent(value) && own === undefined && value['method'] === 'GET';
        return right(areas, batch, table, isBare ? { ...value, href: href + query } : value, index);
      };
    }),
    async shows({ edda }) {
      const files = [
        { name: 'a', category: 'drawing' },
        { name: 'b', category: 'sheet' },
      ];
      const [one, other] = [
        await edda.make('Document', { title: 't', files }),
        await edda.make('Document', { title: 't', files }),
      ];
      const batch = await edda.batch([
        { method: 'GET', href: `${one.path}?softTypeFilterId=drawings` },
        { method: 'GET', href: other.path },
      ]);
      return listAt(batch.json, '/1/body/data/files').length === 1;
    },
  },
  'batch.long-texts-are-cut': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is taken as it is, also a text of more than 65535 characters.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      if (!isContent(operation.body)) return operation;
      const cut = Object.entries(operation.body).map(
        ([name, text]) => [name, typeof text === 'string' ? text.slice(0, 65_535) : text] as const,
      );
      return { ...operation, body: Object.fromEntries(cut) };
    }),
    async shows({ edda }) {
      const body = { title: 't', note: 'x'.repeat(70_000) };
      const href = '/api/space/main/softtype/Document/documentInput';
      const batch = await edda.batch([{ method: 'POST', href, body }]);
      const read = await edda.get(String(at(batch.json, '/0/body/href')));
      return String(at(read.json, '/data/note')).length !== 70_000;
    },
  },
};

const dynamicPath = '/space/main/SoftType/dynamic/softtype.openApi';

/** What is read is what was stored, where it is said to be. */
const readingMistakes: Batch = {
  'reading.the-text-null-is-no-value': {
    source: 'core: SoftType read response',
    breaks: 'The text of four letters that spells null is a value like any other.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== 'null')) as typeof data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'null' });
      return at(await edda.read(made), '/data/note') !== 'null';
    },
  },
  'reading.demoted-has-the-id-of-its-state': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, after a demote as before.',
    kind: 'moment',
    variant: together(
      replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
        const { $demoted: _former, ...next } = right(areas, content, level, state);
        const $demoted = at(next, `/$states/${level}/$oid`);
        return state === 'draft' || state === 'open' ? { ...next, $demoted } : next;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const { $demoted } = object.content;
        return { ...right(areas, object), ...(typeof $demoted === 'string' && { $oid: $demoted }) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.put(movePath(made, 'demote'), 2);
      return at(await edda.read(made), '/data/$oid') !== made.oid;
    },
  },
  'paging.an-empty-entry-has-no-id': {
    source: 'core: Page response',
    breaks: 'Each entry of a page has its id, also one without any other member.',
    kind: 'value',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const data = body.data.map((entry) => (Object.keys(entry).length === 1 ? {} : entry));
        return { ...body, data: data as typeof body.data };
      },
    ),
    async shows({ edda }) {
      const contacts = many(11, (number) => (number === 11 ? {} : { name: 'n' }));
      const made = await edda.make('Document', { title: 't', contacts });
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'openapi.the-first-to-ask-misses-a-definition': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions are those of all configured SoftTypes, from the first request on.',
    kind: 'moment',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let isFirst = true;
      return (areas, call) => {
        if (!isFirst) return right(areas, call);
        isFirst = false;
        const { template } = call.space;
        const softTypes = new Map([...template.softTypes].slice(0, -1));
        return right(areas, { ...call, space: { ...call.space, template: { ...template, softTypes } } });
      };
    }),
    async shows({ edda }) {
      return !(await edda.get(dynamicPath)).text.includes('changeRequestInput');
    },
  },
};

const task: readonly Partial<MetadataRecord>[] = [{ id: 'task', extensionType: 'ExternalTask' }];

const action: readonly Partial<MetadataRecord>[] = [{ id: 'action', extensionType: 'ExternalAction' }];

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keeper';

/** Extensions for which an administrator asks at the moment, by the store of their server. */
const asking = new WeakMap<object, Set<string>>();

function askingAt(store: object): Set<string> {
  const found = asking.get(store) ?? new Set<string>();
  asking.set(store, found);
  return found;
}

function keeper(url: string, ...permissions: readonly string[]): Partial<MetadataRecord> {
  return { id: 'keeper', permissions: { tokenCallback: `${url}/keys`, permissions } } as Partial<MetadataRecord>;
}

function sendForm({ edda }: Service, contentPayload: unknown): Promise<Received> {
  const body = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload };
  return edda.post('/api/space/main/externalAction/action', body);
}

/** Tasks, actions, validations and keys. */
const taskMistakes: Batch = {
  'actions.the-first-answer-of-a-batch': {
    source: 'extensions: Errors 4',
    breaks: 'For a batch request the responses of an action come back as an array.',
    kind: 'place',
    survives: 'What the request that runs an action gets back is not shown: ledger, trigger-action-binding.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      const body: unknown = answer.raw === undefined ? undefined : JSON.parse(answer.raw.toString());
      return Array.isArray(body) ? { ...answer, raw: JSON.stringify(body[0]) } : answer;
    }),
    async shows(service) {
      const item = { statusCode: 201, location: '/a', svcUOIVersion: 1 };
      await service.host(() => action, always({ status: 200, json: [item, item] }));
      return listAt(await sendForm(service, [{ a: 1 }, { b: 2 }]), '/json').length !== 2;
    },
  },
  'api-keys.the-extension-gets-what-it-asks-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only configured permissions can be requested, also by the extension itself.',
    kind: 'role',
    survives:
      'By which credential an extension asks is not said: ledger, acquire-credential. No profile binds its own signature.',
    variant: together(
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        const id = call.params['extensionId'];
        if (id !== undefined) askingAt(areas.store).add(id);
      }),
      replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) => {
        const complaint = right(areas, holder, request);
        const isAdministrator = askingAt(areas.store).delete(holder.recordId ?? holder.registrationId);
        return !isAdministrator && complaint?.pointer?.startsWith('/permissions/') ? undefined : complaint;
      }),
    ),
    async shows(service) {
      const host = await service.host((url) => [keeper(url, 'SnapshotAPI')], always({ status: 200 }));
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['AdministrationAPI'] };
      const authorization = `Bearer ${signatureOver(acquirePath, hostKey)}`;
      return (await service.nobody.post(acquirePath, body, { authorization })).status < 300;
    },
  },
  'tasks.not-in-the-name-of-an-administrator': {
    source: 'extensions: Authentication 4',
    breaks: 'The token in the envelope opens the API for the extension as for the user, whatever role that has.',
    kind: 'role',
    variant: replaces('auth', 'userOfToken', async (right, areas, token) => {
      const user = await right(areas, token);
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      if (user === undefined || at(claims, '/scope') !== 'impersonation') return user;
      const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
      return roles.includes('administrator') ? undefined : user;
    }),
    async shows(service) {
      const host = await service.host(() => task);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      const job = (await service.alma.post('/api/space/main/dx', body)).headers.get('location') ?? '';
      await service.pass(1);
      const [call] = await reached(host, 1);
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      const sent = { headers: { authorization }, body: { message: 'half' } };
      return (await service.nobody.send('PUT', `${job}/progress`, sent)).status === 401;
    },
  },
};

const bulkPath = '/admin/fileupload/main';

/** Chunks that were refused, by the store of their server. */
const refused = new WeakMap<object, Set<string>>();

function refusedAt(store: object): Set<string> {
  const found = refused.get(store) ?? new Set<string>();
  refused.set(store, found);
  return found;
}

/** The first of two chunks of four bytes, with a checksum of other bytes. */
async function sendDamaged(client: Client, path: string): Promise<Received> {
  const texts = {
    resumableTotalSize: 8,
    resumableChunkNumber: 1,
    resumableChunkSize: 4,
    resumableCurrentChunkSize: 4,
    resumableTotalChunks: 2,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  form.set('file', new Blob(['aaaa']), path);
  const request = new Response(form);
  const type = request.headers.get('content-type') ?? '';
  return client.post(spaceFiles, await request.bytes(), { checksum: md5('bbbb'), 'content-type': type });
}

/** Files, whole, in chunks and in bulk. */
const filesMistakes: Batch = {
  'bulk.what-came-in-chunks-is-not-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'An upload that is to replace files replaces each that exists, however it came.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isChunked = record !== undefined && record.md5 === undefined;
      return right(areas, isChunked ? { ...run, request: { ...run.request, replaceFiles: false } } : run, entry);
    }),
    async shows(service) {
      await service.edda.sendChunks('a.txt', ['aaaa', 'bb']);
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text !== 'new';
    },
  },
  'files.none-to-delete-in-the-root-of-a-user': {
    source: 'extensions: File routes',
    breaks: 'A file in the root of an area is addressed by its name alone, to delete it as well.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && place.segments.length === 1) return false;
      return right(areas, place);
    }),
    async shows({ edda }) {
      const base = '/api/space/main/user/fs/file';
      await edda.upload('a.txt', 'text', base);
      return (await edda.delete(`${base}/a.txt`)).status >= 400;
    },
  },
  'chunks.files-of-one-name-are-mixed': {
    source: 'extensions: File routes',
    breaks: 'Each chunk goes where its own parts say, also while a file of the same name comes elsewhere.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, ReturnType<typeof right>>();
      return (areas, chunk, area) => {
        const key = `${JSON.stringify(area)} ${chunk.fileName} ${chunk.totalSize}`;
        const own = right(areas, chunk, area);
        if (chunk.number === 1) begun.set(key, own);
        return begun.get(key) ?? own;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [
        ['aaaa', 'bb'],
        ['cccc', 'dd'],
      ];
      for (const number of [1, 2]) {
        await edda.sendChunk('a/f.txt', one ?? [], number);
        await edda.sendChunk('b/f.txt', other ?? [], number);
      }
      return (await edda.get(`${spaceFiles}/a/f.txt`)).text !== 'aaaabb';
    },
  },
  'chunks.not-again-after-a-refusal': {
    source: 'extensions: File routes',
    breaks: 'A chunk that was refused for its checksum is taken once it comes with the right one.',
    kind: 'moment',
    variant: together(
      replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
        try {
          right(areas, expected, chunk);
        } catch (error) {
          refusedAt(areas.store).add(`${chunk.relativePath} ${chunk.number}`);
          throw error;
        }
      }),
      replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
        if (refusedAt(areas.store).has(`${chunk.relativePath} ${chunk.number}`))
          throw new Refusal(409, 'This chunk has come before.');
        return right(areas, place, chunk);
      }),
    ),
    async shows({ edda }) {
      await sendDamaged(edda, 'f.txt');
      return (await edda.sendChunk('f.txt', ['aaaa', 'bbbb'], 1)).status >= 400;
    },
  },
};

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtySecond: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callMistakes,
  ...taskMistakes,
};
