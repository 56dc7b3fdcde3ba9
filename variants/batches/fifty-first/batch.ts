import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, editPath, hostKey, listAt, many, movePath, spaceFiles, versionHeader } from '../service.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import { always, changeExtension, isThere, named, reached, registerEndpoint } from '../proofs.ts';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Chunk } from '../../../reference-server/areas/chunks.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { writingMistakes } from './writing.ts';

/** Operations of which one change set takes no more. */
const portion = 100;

/** Many operations by one request. */
const manyMistakes: Batch = {
  'batch.portions-of-a-hundred': {
    source: 'core: Batch rules 1, first part',
    breaks:
      'All that a batch creates and updates is one change set, also where there are more than a hundred operations.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        const results = error instanceof Undone && Array.isArray(error.answer.body) ? error.answer.body : [];
        const failed = results.findIndex((result) => isContent(result) && result['statusCode'] !== 424);
        if (!(error instanceof Undone) || failed < portion) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      const reads = many(99, () => ({ method: 'GET', href: made.path }));
      await edda.batch([edit, ...reads, { method: 'GET', href: `${made.path}-gone` }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'batch.status-of-moves-as-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of an operation is an integer, that of a promote as well.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (call.method !== 'PUT' || !call.url.includes('/maturityAction/')) return result;
      return { ...result, statusCode: String(result.statusCode) as never };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(answer.json, '/0/statusCode') !== 204;
    },
  },

  'batch.results-of-the-first-hundred': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'There is a result for every operation of a batch, however many there are.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => ({
      ...right(areas, results),
      body: results.slice(0, portion),
    })),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 't' });
      const answer = await edda.batch(many(portion + 1, () => ({ method: 'GET', href: path })));
      return listAt(answer.json, '').length !== portion + 1;
    },
  },
};

/** What reads show, whole and page by page. */
const readingMistakes: Batch = {
  'paging.page-zero-of-inner-arrays-is-falsy': {
    source: 'core: Server side paging 3',
    breaks: 'Page 0 is the first one of an array inside an entry as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const isLong = (section.items?.length ?? 0) > 10;
      return right(areas, call, reading, object, view, section, isLong ? page || 1 : page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return listAt((await edda.page(made, `files/${id}/revisions`, 0)).json, '/data').length !== 10;
    },
  },

  'paging.array-of-an-entry-that-is-gone': {
    source: 'core: Errors, 404',
    breaks: 'An array inside an entry that does not exist is not found.',
    kind: 'place',
    survives:
      'How the pages of an array inside an entry are reached is not said (nested-array-paging), nor what an array that does not exist has: recorded of a port.',
    variant: replaces('paging', 'locateSection', async (right, areas, reading, object, view, softType, path) => {
      try {
        return await right(areas, reading, object, view, softType, path);
      } catch (error) {
        const [root = '', id = '', port = '', ...more] = path.split('/');
        const array = softType.members.get(view.names.get(root) ?? '');
        const member = array?.kind === 'entries' ? array.members.get(port) : undefined;
        if (!(error instanceof Refusal) || !/^\d+$/.test(id) || !isArrayMember(member) || more.length > 0) throw error;
        return { path, port, member, items: [] };
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      return (await edda.page(made, 'files/99/revisions', 0)).status === 200;
    },
  },

  'maturity.narrow-views-show-one-level': {
    source: 'core: States and transitions, first point',
    breaks: 'An instance carries a state for each level, whichever output schema it is read with.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const softType = areas.objects.softTypeOf(space, object.softType);
      if (view === areas.objects.outputViewOf(softType, undefined)) return data;
      const [, ...others] = softType.maturity?.levels.keys() ?? [];
      const shown = Object.entries(data).filter(([name]) => !others.includes(name));
      return { ...data, ...Object.fromEntries(others.map((name) => [name, undefined])), ...Object.fromEntries(shown) };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/approval') === undefined;
    },
  },
};

/** From this size on, chunks are put where a page of memory begins. */
const alignedFrom = 1024 * 1024;

const memoryPage = 4096;

/** Where a chunk stands when they are put together in the order of their numbers as texts. */
function positionAmongTexts({ number, chunkSize, totalChunks, totalSize }: Chunk): number {
  const sizeOf = (each: number): number => (each < totalChunks ? chunkSize : totalSize - (totalChunks - 1) * chunkSize);
  const order = many(totalChunks, String).toSorted();
  return order.slice(0, order.indexOf(String(number))).reduce((sum, each) => sum + sizeOf(Number(each)), 0);
}

/** Files, whole and in chunks, by hand and in bulk. */
const filesMistakes: Batch = {
  'chunks.put-together-by-name': {
    source: 'extensions: File routes, chunk table, resumableChunkNumber',
    breaks: 'Chunks follow each other by their numbers, the tenth behind the ninth.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) =>
      chunk.totalChunks > 9 ? positionAmongTexts(chunk) : right(areas, chunk),
    ),
    async shows({ edda }) {
      const pieces = many(11, (number) => `${String.fromCodePoint(96 + number)};`);
      await edda.sendChunks('eleven.txt', pieces);
      return (await edda.get(`${spaceFiles}/eleven.txt`)).text !== pieces.join('');
    },
  },

  'chunks.large-ones-are-aligned': {
    source: 'extensions: File routes, chunk table, resumableChunkSize',
    breaks: 'A chunk begins where the nominal size says, whatever size that is.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const { number, chunkSize } = chunk;
      if (chunkSize < alignedFrom) return right(areas, chunk);
      return (number - 1) * Math.floor(chunkSize / memoryPage) * memoryPage;
    }),
    async shows({ edda }) {
      const pieces = ['a'.repeat(alignedFrom + 1), 'b'];
      await edda.sendChunks('large.txt', pieces);
      return (await edda.get(`${spaceFiles}/large.txt`)).text !== pieces.join('');
    },
  },

  'chunks.types-with-a-plus-refused': {
    source: 'extensions: File routes, chunk table, resumableType',
    breaks: 'Every MIME type is one that a chunk may have.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (!/^\w+\/[\w.-]+(?:;|$)/.test(chunk.type))
        throw new Refusal(400, 'Expected a MIME type.', { pointer: 'resumableType' });
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('drawing.svg', ['<svg/>'], 1, spaceFiles, 'image/svg+xml')).status >= 400;
    },
  },

  'bulk.what-is-there-alike-is-deleted': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files that were uploaded are deleted from the source, and not those that were there before.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const result = await right(areas, run, entry);
      if (result.status !== 'skipped' || !run.request.deleteFilesAfterUpload) return result;
      const path = join(run.source, ...entry.path);
      const there = await areas.fileStore.read({ area: run.area, segments: [...run.target, ...entry.path] });
      if (there !== undefined && (await buffer(there)).equals(await readFile(path))) await unlink(path);
      return result;
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'alike.txt'), 'alike');
      await edda.upload('alike.txt', 'alike');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return !(await isThere(join(sourceDirectory, 'alike.txt')));
    },
  },

  'bulk.taken-in-the-collection': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A bulk upload to a space asks what stands in that space, and not what does in the collection.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: { kind: 'collection' }, segments: [...run.target, ...entry.path] } as const;
      const isTaken = run.area.kind === 'space' && (await areas.fileStore.describe(place)) !== undefined;
      if (!isTaken || run.request.replaceFiles) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'a file is there already' };
    }),
    async shows({ cora, edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'both.txt'), 'of the space');
      await cora.upload('both.txt', 'of the collection', '/api/collection/fs/file');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/both.txt`)).status !== 200;
    },
  },

  'bulk.hidden-directories-left-out': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'All files below the source are uploaded, also those in a directory whose name begins with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const isHidden = entry.path.slice(0, -1).some((name) => name.startsWith('.'));
      return isHidden ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry);
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, '.settings'));
      await writeFile(join(sourceDirectory, '.settings', 'view.txt'), 'content');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/.settings/view.txt`)).status !== 200;
    },
  },
};

type Permission = 'AdministrationAPI' | 'SnapshotAPI';

/** A record that may have keys. */
function holder(url: string, ...permissions: readonly Permission[]) {
  return { id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } };
}

function acquire({ cora }: Service, url: string, permissions: readonly Permission[], id = 'holder') {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback: `${url}/keys`, permissions });
}

/** The keys that the callback was brought, one body a call. */
function broughtTo(host: ExtensionHost): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => json);
}

/** Whether keys are due is asked of the first of those that are acquired together. */
function dueTogether(): Variant {
  let answer: boolean | undefined;
  return together(
    replaces('apiKeys', 'isKeyDue', (right, areas, key) => (answer ??= right(areas, key))),
    replaces('apiKeys', 'issueKeys', async (right, areas, writing, who, permissions) => {
      answer = undefined;
      return right(areas, writing, who, permissions);
    }),
  );
}

/** What is registered, and what it may have. */
const registeredMistakes: Batch = {
  'registration.names-are-unique': {
    source: 'extensions: Registered external endpoint, name',
    breaks: 'The id tells endpoints apart: two of them may have one name.',
    kind: 'combination',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { name, kind } = call.json;
      const others = await registrationsOf(writing, kind);
      if (name !== undefined && others.some((other) => 'name' in other && other.name === name))
        throw new Refusal(409, `There is an endpoint ${name} already.`, { pointer: '/name' });
      return right(areas, call, writing);
    }),
    async shows(service) {
      const fields = { url: 'https://nowhere.invalid/hook', name: 'same' };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'one' });
      return (await registerEndpoint(service, 'externalEndpoint', { ...fields, id: 'other' })).status >= 400;
    },
  },

  'registration.base-in-small-letters': {
    source: 'extensions: Registered extension, hostUri',
    breaks: 'The base URL of a host is what is registered, with the capitals of its path.',
    kind: 'value',
    variant: replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return { ...fields, hostUri: fields.hostUri.toLowerCase() };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const body = { hostUri: `${host.url}/Base`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return host.entries().some(({ target }) => target.startsWith('/base/'));
    },
  },

  'api-keys.due-as-the-first-of-them': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Every key is rotated after a day, also where one that is asked for with it is younger.',
    kind: 'combination',
    variant: (classes) => dueTogether()(classes),
    async shows(service) {
      const both = ['SnapshotAPI', 'AdministrationAPI'] as const;
      const host = await service.host((url) => [holder(url, ...both)], always({ status: 200 }));
      await acquire(service, host.url, ['AdministrationAPI']);
      await service.pass(12 * 3600);
      await acquire(service, host.url, ['SnapshotAPI']);
      await service.pass(12 * 3600 + 60);
      await acquire(service, host.url, both);
      const [first, , last] = broughtTo(host).map((body) => at(body, '/AdministrationAPI/apiKey'));
      return first !== undefined && first === last;
    },
  },

  'metadata.version-ten-is-older-than-nine': {
    source: 'extensions: Versioning, first sentence',
    breaks: 'Versions are those of SemVer, by which ten comes behind nine; what an update brings counts.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const old = former.find(({ id }) => id === record.id);
        return old !== undefined && record.version < old.version ? old : record;
      }),
    ),
    async shows(service) {
      const record = {
        id: 'event',
        name: 'event',
        extensionType: 'ExternalEvent',
        category: 'proof',
        rateLimitNumberOfExecutions: 1000,
      } as const;
      const host = await service.host(() => [{ ...record, version: '9.0.0', endpoint: '/nine' }]);
      host.setRecords([{ ...record, version: '10.0.0', endpoint: '/ten' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      return (await reached(host, 1))[0]?.path === '/nine';
    },
  },

  'api-keys.ids-in-small-letters': {
    source: 'extensions: Authentication 5, first part',
    breaks: 'A trusted endpoint may ask for its keys, also where its id has capitals.',
    kind: 'value',
    variant: replaces('apiKeys', 'endpointHolders', (right, areas, reading, id) =>
      right(areas, reading, id.toLowerCase()),
    ),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const { permissions } = holder(host.url, 'SnapshotAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'Hook', url: `${host.url}/hook`, permissions });
      return (await acquire(service, host.url, ['SnapshotAPI'], 'Hook')).status === 404;
    },
  },

  'metadata.long-categories-left-out': {
    source: 'extensions: Extension metadata record, category',
    breaks: 'The category is a text, however long.',
    kind: 'value',
    survives: 'How long a category may be is not said: a service may take no more than so many characters.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isLong = !(record instanceof Misfit) && record.category.length > 50;
      return isLong ? new Misfit('/category', 'must have at most 50 characters') : record;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', category: 'events of interest '.repeat(4) }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
};

/** Of sixty mistakes of the sorts that teams make, in sentences that were drawn by lot from both documents, by somebody who knew no check. */
export const fiftyFirst: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...registeredMistakes,
};
