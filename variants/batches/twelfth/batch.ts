import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { acquire, callsAfter, refersTo } from './proofs.ts';
import { type Service, at, editPath, hostKey, listAt, many, signatureOver, spaceFiles } from '../service.ts';
import { callsTo, logged } from '../proofs.ts';
import { headerNames } from '../../../contract/names.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptedAnswer } from '../../../simulator/extension/step.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';

const registered: Batch = {
  'metadata.last-type-of-the-list-is-not-known': {
    source: 'extensions: Extension metadata record',
    breaks:
      'Each of the thirteen types is supported; an Identity extension may acquire the keys that it is configured for.',
    kind: 'value',
    variant: replaces('metadata', 'isSupportedType', (right, areas, type) => type !== 'Identity' && right(areas, type)),
    survives: 'Which of the types a service supports is not said: records of those that it does not are ignored.',
    async shows(service) {
      const { status } = await acquire(service, ['AuthorizationAPI'], { extensionType: 'Identity' });
      return status >= 300;
    },
  },
};

/** A job whose task reads that file, acknowledged. */
async function jobWith(
  service: Service,
  inputPath: string,
): Promise<{ readonly path: string; readonly links: unknown }> {
  const host = await service.host(() => [{ id: 't', extensionType: 'ExternalTask' }]);
  const job = await service.edda.post('/api/space/main/dx', { recordId: 't', inputPath });
  await service.pass(1);
  return { path: job.headers.get('location') ?? '', links: callsTo(host)[0]?.envelope?.payload?.['links'] };
}

const calls: Batch = {
  'task.log-of-a-failed-one-is-lost': {
    source: 'extensions: External task status',
    breaks: 'A task that reports that it failed or was cancelled may give a log path, which the job has.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, reported) =>
      right(areas, job, status, status === 'Completed' ? reported : {}),
    ),
    async shows(service) {
      const { edda } = service;
      const { path } = await jobWith(service, 'in.txt');
      await edda.put(`${path}/status/Canceled`, undefined, { logFilePath: 'logs/x.log' });
      return at((await edda.get(path)).json, '/logFilePath') !== 'logs/x.log';
    },
  },
};

const longestPageChars = 48 * 1024;

const reading: Batch = {
  'paging.page-ends-where-it-gets-long': {
    source: 'core: Server side paging 2',
    breaks: 'A page holds ten entries, however long their texts are.',
    kind: 'value',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      let left = longestPageChars;
      return { ...page, data: page.data.filter((entry) => (left -= JSON.stringify(entry).length) > 0) };
    }),
    async shows({ edda }) {
      const files = many(20, (number) => ({ name: `n${number}`, comment: 'x'.repeat(6000) }));
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 10;
    },
  },
  'logging.refusals-lack-the-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'All log messages of a request carry its correlation id, that of a refusal too.',
    kind: 'place',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status }) => {
      areas.log.warn({ method: call.method, status }, 'refused');
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows({ edda, log }) {
      const id = '0a8a6f0e-6d3c-4b53-9a55-9f0d9ad2d0c1';
      await edda.get('/api/space/main/softtype/none', { [headerNames.correlationId]: id });
      return !(await log(id)).includes('refused');
    },
  },
};

/** A directory of the host with these files, by their paths. */
async function sourceOf(service: Service, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await service.directory();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
}

const bulk = '/admin/fileupload/main';

const files: Batch = {
  'files.empty-file-is-none': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file without content is a file, and its download does not fail.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (answer.stream?.size !== 0) return answer;
      answer.stream.content.destroy();
      throw areas.files.missingFile(areas.files.filePlaceOf(call, call.admitted));
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
  'bulk.files-below-a-directory-are-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Without replaceFiles no file that is there gives way, in subdirectories neither.',
    kind: 'place',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = { ...run.request, replaceFiles: run.request.replaceFiles || entry.path.length > 1 };
      return right(areas, { ...run, request }, entry);
    }),
    async shows(service) {
      const { edda } = service;
      await edda.upload('sub/a.txt', 'old');
      const sourceDirectory = await sourceOf(service, { 'sub/a.txt': 'new' });
      await service.bulk(bulk, { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/sub/a.txt`)).text === 'new';
    },
  },
};

const inBatch: Batch = {
  'batch.version-header-in-lower-case-is-not-seen': {
    source: 'core: Batch operation',
    breaks: 'The headers of an operation are headers, whose names have no letter case.',
    kind: 'value',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = Object.entries(operation.headers).filter(([name]) => name !== headerNames.version.toLowerCase());
      return right(areas, batch, { ...operation, headers: Object.fromEntries(headers) });
    }),
    survives: 'That names in the JSON of an operation are read without letter case is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version.toLowerCase()]: '1' };
      const operation = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },
  'multi-create.one-target-is-referred-to-once': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to one and the same item.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const taken = new Set<unknown>();
      const isFirst = (oid: unknown): boolean => oid === undefined || (!taken.has(oid) && taken.add(oid).size > 0);
      const thinned = inputs.map((input) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            entries.filter(({ content }) => isFirst(at(content, '/value/$oid'))),
          ]),
        ),
      }));
      return right(areas, call, writing, items, thinned);
    }),
    async shows({ edda }) {
      const data = { title: 't', describes: [refersTo('p', 'Part')] };
      const answer = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'p' } },
        { $id: 'd', $softType: 'Document', data },
        { $id: 'e', $softType: 'Document', data },
      ]);
      const second = await edda.get(String(at(answer.json, '/2/href')));
      return listAt(second.json, '/data/describes').length !== 1;
    },
  },
};

const busy: ScriptedAnswer = { steps: [{ status: 503 }], afterwards: 'last' };

/** The first of a text becomes another one, and no further. */
function replaceFirst(signature: string): string {
  const [head = '', ...rest] = signature.split('-');
  return rest.length === 0 ? head : `${head}-${rest.join('+')}`;
}

const deliveries: Batch = {
  'signing.first-plus-alone-is-replaced': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus of the Base64 becomes a minus, not the first one only.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, ...args) => replaceFirst(right(areas, ...args))),
    async shows(service) {
      const endpoints = many(40, (number) => `/endpoint-${number}`);
      const endpoint = endpoints.find((path) => signatureOver(path, hostKey).split('-').length > 2) ?? '';
      const host = await service.host(() => [{ id: 'e', endpoint }]);
      await service.edda.sendEvent('e');
      await service.pass(1);
      return callsTo(host)[0]?.signature?.ok === false;
    },
  },
  'log.pause-is-told-once-an-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'Every time that the rate limit is exceeded there is an entry, not only the first time.',
    kind: 'moment',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      for (let left = 4; left > 0; left -= 1) await service.edda.sendEvent('e');
      await service.pass(1);
      await service.pass(65);
      await service.pass(65);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
  'events.cancelled-between-retries-is-not-logged': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves an entry, also when it waits for a retry.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [{ id: 'e' }], [busy]);
      const event = await edda.sendEvent('e');
      await callsAfter(service, host, 2, 1);
      await edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },
};

/** Every text in a value, changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

const writing: Batch = {
  'create.texts-of-entries-are-cut': {
    source: 'core: Endpoint table, POST',
    breaks: 'A text inside an entry is kept whole, as one of the object itself is.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) =>
      right(areas, items).map((content) => mapTexts(content, (text) => text.slice(0, 255)) as Content),
    ),
    async shows({ edda }) {
      const comment = 'x'.repeat(300);
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
  'create.equal-entries-are-one': {
    source: 'core: Endpoint table, POST',
    breaks: 'Two entries of one content are two entries.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const distinct = new Map(items.map((item) => [JSON.stringify(item.content), item]));
      return right(areas, [...distinct.values()]);
    }),
    survives:
      'Whether an array may hold one content twice is for the model to say: what becomes of equal entries is recorded.',
    async shows({ edda }) {
      const contacts = [{ name: 'twin' }, { name: 'twin' }, { name: 'other' }];
      const made = await edda.make('Document', { title: 't', contacts });
      return listAt(await edda.read(made), '/data/contacts').length !== 3;
    },
  },
  'create.lists-hold-a-value-once': {
    source: 'core: Endpoint table, POST',
    breaks: 'A list of plain values reads as it was written, with what stands in it twice.',
    kind: 'value',
    variant: replaces('contents', 'contentFrom', (right, areas, ...args) => {
      const input = right(areas, ...args);
      const { keywords } = input.content;
      if (!Array.isArray(keywords)) return input;
      return { ...input, content: { ...input.content, keywords: [...new Set<unknown>(keywords)] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['a', 'b', 'a'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'operations.added-texts-are-normalised': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A text that is added reads as it was sent, character by character.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, path) =>
      right(
        areas,
        run,
        target,
        mapTexts(value, (text) => text.normalize('NFC')),
        path,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const note = 'cafe\u0301';
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: note }]);
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
};

/** Thought of with the documents alone in view: sentences of two sections at once, and data that is not as short and plain as in a sample. */
export const twelfth: Batch = {
  ...reading,
  ...writing,
  ...inBatch,
  ...files,
  ...registered,
  ...deliveries,
  ...calls,
};
