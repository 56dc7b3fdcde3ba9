import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Step, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, named, registerEndpoint } from '../proofs.ts';
import { type Service, at, listAt, operationsPath, spaceFiles, versionHeader } from '../service.ts';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { filterMistakes, readingMistakes } from './reading.ts';

/** The work of a batch. */
const inBatch = new Step();

const batchMistakes: Batch = {
  'batch.no-limit': {
    source: 'core: Limits',
    breaks: 'An array in a read has ten entries at most, also when the read is an operation of a batch.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, ...args) => inBatch.run(() => right(areas, ...args))),
      replaces('entries', 'firstReadRange', (right, areas) =>
        inBatch.isOn() ? { from: 0, to: 1_000_000 } : right(areas),
      ),
    ),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 'limit', files: named(12) });
      const read = await edda.batch([{ method: 'GET', href: path }]);
      return listAt(read.json, '/0/body/data/files').length !== 10;
    },
  },

  'batch.bodies-are-objects': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of its request, an array where the route takes one.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      if (Array.isArray(operation.body)) throw new Refusal(400, 'A body has to be an object.');
      return operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'array' });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/note', value: 'added' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
};

const filesMistakes: Batch = {
  'chunks.types-with-a-dot': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The type of a chunk is a MIME type, also one with dots or a plus in it.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, size) => {
      if (!/^\w+\/[\w-]+$/.test(chunk.type)) throw new Refusal(400, 'Expected a MIME type.');
      right(areas, chunk, size);
    }),
    async shows({ edda }) {
      const sent = await edda.sendChunk('a.xls', ['one', 'two'], 1, spaceFiles, 'application/vnd.ms-excel');
      return sent.status >= 400;
    },
  },

  'chunks.placed-by-their-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal size says where a chunk stands, also for the last one, which is shorter.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('chunks.txt', ['four', 'four', 'to']);
      return (await edda.get(`${spaceFiles}/chunks.txt`)).text !== 'fourfourto';
    },
  },
};

const bulkMistakes: Batch = {
  'bulk.settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files stay in the source unless it is said, also when the run before had them deleted.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let deleteFilesAfterUpload = false;
      return (areas, body) => {
        const settings = right(areas, isContent(body) ? { deleteFilesAfterUpload, ...body } : body);
        ({ deleteFilesAfterUpload } = settings);
        return settings;
      };
    }),
    async shows({ directory, bulk }) {
      const run = async (name: string, more: object) => {
        const sourceDirectory = await directory();
        await writeFile(join(sourceDirectory, name), name);
        await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...more });
        return sourceDirectory;
      };
      await run('one.txt', { deleteFilesAfterUpload: true });
      return (await readdir(await run('other.txt', {}))).length === 0;
    },
  },
};

const callsMistakes: Batch = {
  'email.without-tags': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The body of a mail is handed on as it is, formatted or not.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll(/<[^>]+>/g, '');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await mailed(service, {}, '<p>body</p>');
      return at(callsOf(host, 'email')[0]?.json, '/payload/body') !== '<p>body</p>';
    },
  },

  'endpoints.query-written-anew': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The registered address is called as it stands, its query included.',
    kind: 'value',
    survives:
      'A blank in a query has two spellings, and nothing says which: calls.simple.method compares what names and values a query holds.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      url.search = url.searchParams.toString();
      return url.href;
    }),
    async shows(service) {
      const host = await hooked(service, '/hook?name=a%20b');
      return host.entries(({ path }) => path === '/hook')[0]?.target !== '/hook?name=a%20b';
    },
  },
};

const deliveryMistakes: Batch = {
  'log.second-pause': {
    source: 'extensions: Errors 3',
    breaks: 'An entry tells of each time that the rate limit is exceeded.',
    kind: 'moment',
    survives: 'Nothing says how the log is read (ledger log-access): delivery.log.entries records what it tells.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const paused = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && paused.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') paused.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent();
      await service.pass(35, 6);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
};

/** A host that had a mail with this body. */
async function mailed(service: Service, answer: { readonly status?: number }, body: string): Promise<ExtensionHost> {
  const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always(answer));
  await service.edda.post('/api/space/main/externalEmail', { recordId: 'mail', to: 'a@b.example', subject: 's', body });
  await service.pass(1);
  return host;
}

/** A host whose endpoint at the path was called. */
async function hooked(service: Service, path: string): Promise<ExtensionHost> {
  const host = await service.host(() => []);
  await registerEndpoint(service, 'externalEndpoint', { url: host.url + path });
  await service.edda.sendToEndpoint('hook', { text: 'Übergabe' });
  await service.pass(1);
  return host;
}

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

const writingMistakes: Batch = {
  'versioning.references-are-an-edit': {
    source: 'core: Versioning 2',
    breaks: 'A created object has version 1, also one that refers to others.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      if (object !== undefined && (await writing.countEntries(oid, 'describes')) > 0)
        await writing.updateObject(call.space.id, oid, object.version + 1, object.content);
      return answer;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'part' });
      const made = await edda.make('Document', { title: 'refers', describes: [{ value: { $oid: oid } }] });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
};

const operationsMistakes: Batch = {
  'operations.append-to-the-first-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also when the array has further pages.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { writing, object } = run;
      const all = await writing.entries(object.oid, nameOf(target), whole);
      if (all.length <= 10 + contents.length) return;
      const added = all.slice(-contents.length);
      const order = [...all.slice(0, 10), ...added, ...all.slice(10, -contents.length)];
      await writing.replaceEntries(object.oid, nameOf(target), order);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'append', files: named(12) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'added' } }]);
      return at(listAt((await edda.page(made, 'files', 1)).json, '/data').at(-1), '/name') !== 'added';
    },
  },

  'operations.siblings-of-a-member': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses one member: those beside it in its object stay.',
    kind: 'place',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [parent, member] = target.steps;
      const isInObject = target.row.entry === undefined && target.steps.length === 2 && parent?.entryId === undefined;
      if (!isInObject || parent === undefined || member === undefined) return right(areas, run, target, value);
      const row = { ...target.row, content: { ...target.row.content, [parent.name]: {} } };
      return right(areas, run, { ...target, row }, value);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'siblings', dimensions: { width: '1', height: '2' } });
      await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions/width', value: '3' }]);
      return at(await edda.read(made), '/data/dimensions/height') !== '2';
    },
  },

  'operations.ids-inside-an-added-entry': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also those inside an entry that an operation added.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', (right, areas, ...args) => {
      const unnumbered = {
        withEntryIds: (items: readonly { content: object }[]) => items.map(({ content }) => ({ ...content })),
      };
      return right(within(areas, { contents: unnumbered }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'inside' });
      const value = { name: 'file', revisions: [{ text: 'first' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },

  'operations.nested-entry-with-a-slash': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry is removed by its path with a slash behind it, also one of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', (right, areas, run, operation, pointer) => {
      if (operation.op === 'remove' && operation.path.endsWith('/') && operation.tokens.length > 3)
        throw new Refusal(422, 'There is no such member.');
      return right(areas, run, operation, pointer);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const made = await edda.make('Document', { title: 'slash', files });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }])).status >= 400;
    },
  },
};

/** Sixty sentences of both documents, drawn by lot, each broken as the author of a service of his own would get it wrong. */
export const nineteenth: Batch = {
  ...readingMistakes,
  ...filterMistakes,
  ...writingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
