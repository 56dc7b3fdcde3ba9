import { requestPathOf } from '../../../reference-server/areas/signing.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  type Service,
  administrationKey,
  at,
  editPath,
  listAt,
  many,
  md5,
  pagePath,
  signatureOver,
  spaceFiles,
} from '../service.ts';
import { inputJsonSchema } from '../../../reference-server/areas/soft-type.ts';
import { always, callsTo, logged, named } from '../proofs.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { jsonOf } from '../../../contract/json.ts';
import { registeredMistakes } from './registered.ts';

/** Who is let in. */
const accessMistakes: Batch = {
  'bulk.signature-of-the-path-above': {
    source: 'core: Authentication 1',
    breaks: 'An administrative route asks for the key over its own path, not for that of a route above it.',
    kind: 'place',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const above = requestPathOf(call).replace(/\/[^/]*$/, '');
      try {
        await right(areas, call);
      } catch {
        await right(areas, { ...call, url: above });
      }
    }),
    async shows({ nobody, directory }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      const signature = signatureOver('/admin/fileupload', administrationKey);
      const answer = await nobody.post('/admin/fileupload/main', body, { authorization: `Bearer ${signature}` });
      return answer.status === 200;
    },
  },
};

/** Spaces, definitions and reads. */
const readingMistakes: Batch = {
  'root.nested-arrays': {
    source: 'core: What the service does',
    breaks: 'Everything is below the API root, the pages of an array inside an entry too.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return section.items === undefined ? href : href.replace(/^\/api/, '');
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      const link = links.find((candidate) => String(at(candidate, '/sectionPath')).includes('revisions'));
      return !String(at(link, '/href')).startsWith('/api/');
    },
  },

  'schema.input-of-the-same-name': {
    source: 'core: SoftType read response',
    breaks: 'The schema is that of the instance as it is read, where an input schema has the same name too.',
    kind: 'combination',
    survives: 'What the schema of an instance holds is not said: whether data fit it is recorded.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) => {
      const input = softType.inputs.get(view.id);
      return input === undefined ? right(areas, softType, view) : inputJsonSchema(softType, input);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Requirement', { text: 't', priority: 1 });
      const read = await edda.get(`/api/space/main/softtype/Requirement/requirementText/${oid}`);
      return at(read.json, '/schema/properties/priority') === undefined;
    },
  },

  'page.not-modified': {
    source: 'core: Errors, 200',
    breaks: 'A page is answered with its data, also to a client that names the version as its ETag.',
    kind: 'place',
    survives:
      'Whether reads of SoftTypes have an ETag, be it their version, and are answered by 304 is not said: recorded.',
    variant: replaces('paging', 'readPage', (right, areas, call, reading) =>
      call.headers['if-none-match'] === `"${call.object.version}"`
        ? Promise.resolve({ status: 304 })
        : right(areas, call, reading),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      return (await edda.get(pagePath(made, 'files', 1), { 'If-None-Match': '"1"' })).status === 304;
    },
  },
};

const put = new Step();

const versionHeader = headerNames.version.toLowerCase();

/** Objects of runs that lost an entry by way of a member of it. */
const cascaded = new WeakSet<object>();

/** Creates, edits and their versions. */
const writingMistakes: Batch = {
  'version.cascade-counts-twice': {
    source: 'core: Common request headers, text below',
    breaks: 'An edit leads to the next version, one that removes a parent along with its member too.',
    kind: 'combination',
    variant: together(
      replaces('operations', 'cascadeTo', (right, areas, run, entry) => {
        cascaded.add(run.object);
        return right(areas, run, entry);
      }),
      replaces(
        'versioning',
        'versionAfterOperations',
        (right, areas, object, operations) => right(areas, object, operations) + (cascaded.has(object) ? 1 : 0),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      const edit = await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/name' }]);
      return edit.headers.get(headerNames.version) === '3';
    },
  },

  'put.arrays-inside-of-kept-entries': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body leaves out is removed, the array inside an entry that it keeps too.',
    kind: 'combination',
    variant: together(
      replaces('editing', 'putObject', (right, ...args) => put.run(() => right(...args))),
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (!put.isOn()) return right(areas, writing, oid, port, items);
        const kept = items.map(async ({ entryId, content }) => {
          const old = entryId === undefined ? undefined : await writing.entry(oid, port, entryId);
          if (entryId === undefined || old === undefined) return { content };
          const arrays = Object.entries(old.content).filter(([, value]) => Array.isArray(value));
          return { entryId, content: { ...Object.fromEntries(arrays), ...content } };
        });
        return right(areas, writing, oid, port, await Promise.all(kept));
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a', revisions: [{ text: 'r' }] }] });
      await edda.replace(made, 1, { title: 't', files: [{ $entryId: 1, name: 'a' }] });
      return listAt(await edda.read(made), '/data/files/0/revisions').length > 0;
    },
  },

  'operations.member-that-was-there-before': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that an operation before has removed does not exist any more, so that it is added.',
    kind: 'moment',
    survives: 'Whether later operations of a list see what earlier ones did is not said: recorded.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      const path = target.steps.map(({ name }) => `/${name}`).join('');
      if (target.kind === 'member' && target.row.entry === undefined && target.steps.length > 1)
        if (at(run.object.content, path) !== undefined) throw new Refusal(422, 'The member has a value already.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      const edit = await edda.operate(made, 1, [
        { op: 'remove', path: '/dimensions/width' },
        { op: 'add', path: '/dimensions/width', value: '3' },
      ]);
      return edit.status >= 400;
    },
  },

  'version.header-of-the-batch': {
    source: 'core: Errors 2',
    breaks: 'An operation without the version header is refused by 412, whatever header the batch has itself.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => ({
      ...(call.headers[versionHeader] !== undefined && { [versionHeader]: call.headers[versionHeader] }),
      ...right(areas, call, operation),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PATCH', href: editPath(made), body: { title: 'u' } };
      const answer = await edda.post('/api/space/main/batch', [operation], { [headerNames.version]: '1' });
      return at(answer.json, '/0/statusCode') !== 412;
    },
  },
};

const mostItems = 50;

const atOnce = 10;

/** Batches and multi-creates. */
const manyMistakes: Batch = {
  'batch.missing-version-is-no-failure': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'The answer is 500 when an operation has failed, for want of a version too.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      right(
        areas,
        results.filter(({ statusCode }) => statusCode !== 412),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { title: 'u' } }])).status === 200;
    },
  },

  'batch.locks-are-taken-alone': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows the routes of lock objects, that by which a lock is freed too.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      method === 'DELETE' && path.includes('/lock/') ? undefined : right(areas, table, method, path),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/lock/${oid}`;
      await edda.post(href);
      return (await edda.batch([{ method: 'DELETE', href }])).status === 500;
    },
  },

  'batch.one-result-a-read': {
    source: 'core: Batch rules 3',
    breaks: 'There is one result for each operation, for one that reads the same again too.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const reads = call.json.map((operation) => (at(operation, '/method') === 'GET' ? at(operation, '/href') : {}));
      const { body } = answer;
      return Array.isArray(body)
        ? { ...answer, body: body.filter((_result, index) => reads.indexOf(reads[index]) === index) }
        : answer;
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href };
      return listAt((await edda.batch([read, read])).json, '').length === 1;
    },
  },

  'multi-create.ten-at-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set, or none, however many they are.',
    kind: 'value',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        const index = error instanceof Refusal ? Number(error.pointer?.split('/')[1]) : 0;
        const before = Array.isArray(call.json) ? call.json.slice(0, index - (index % atOnce)) : [];
        if (before.length > 0)
          detach(() => void areas.store.change((own) => right(areas, { ...call, json: before }, own)));
        throw error;
      }
    }),
    async shows({ edda }) {
      const items = many(11, (number) => ({ $softType: 'Part', data: number > atOnce ? {} : { name: 'left-over' } }));
      await edda.multiCreate(items);
      await edda.make('Part', { name: 'p' });
      return listAt((await edda.get('/api/space/main/instances/Part?text=left-over')).json, '/data').length > 0;
    },
  },

  'multi-create.fifty-of-each-definition': {
    source: 'core: Limits, instances per multi-create',
    breaks: 'A request creates at most fifty instances, of all definitions together.',
    kind: 'combination',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const counts = Object.values(Object.groupBy(items, (item) => String(isContent(item) && item['$softType'])));
      return counts.some((same) => (same?.length ?? 0) > mostItems) ? right(areas, items) : items;
    }),
    async shows({ edda }) {
      const parts = many(mostItems, () => ({ $softType: 'Part', data: { name: 'p' } }));
      return (await edda.multiCreate([...parts, { $softType: 'Document', data: { title: 't' } }])).status < 300;
    },
  },
};

const bulk = new Step();

const chunksSeen = new Set<string>();

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

/** A directory of the host with these files in it. */
async function sourceWith(service: Service, files: Readonly<Record<string, string>>, name = ''): Promise<string> {
  const source = join(await service.directory(), name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), content);
  }
  return source;
}

/** Bulk uploads. */
const bulkMistakes: Batch = {
  'bulk.no-log-of-nothing': {
    source: 'extensions: Bulk upload request body, writeLog',
    breaks: 'The log is written when the upload has finished, one of no file too.',
    kind: 'value',
    survives: 'What a bulk upload of an empty directory is answered with is not said.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.files.length > 0) await right(areas, source, report);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return (await readdir(sourceDirectory)).length === 0;
    },
  },

  'bulk.tag-of-what-was-replaced': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A file that a bulk upload has replaced is other data, so that its ETag is another one.',
    kind: 'copy',
    survives: 'Whether files have tags, and what these tell, is not said (ledger download-metadata-headers).',
    variant: together(
      replaces('bulkUpload', 'runBulkUpload', (right, ...args) => bulk.run(() => right(...args))),
      breaks('fileAreas', 'keepFileRecord', (right) => {
        const sums = new Map<string, string>();
        return (areas, place, stamp, record) => {
          const key = keyOf(place);
          const known = bulk.isOn() ? sums.get(key) : undefined;
          if (record.md5 !== undefined && known === undefined) sums.set(key, record.md5);
          return right(areas, place, stamp, known === undefined ? record : { ...record, md5: known });
        };
      }),
    ),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      const etag = (await service.edda.get(`${spaceFiles}/a.txt`)).headers.get('etag') ?? '';
      const sourceDirectory = await sourceWith(service, { 'a.txt': 'new' });
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`, { 'If-None-Match': etag })).status === 304;
    },
  },
};

/** Streams and chunks. */
const uploadMistakes: Batch = {
  'chunks.checksum-of-the-first-time': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A chunk is validated against its checksum, one that is sent again too.',
    kind: 'copy',
    variant: replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
      const key = `${chunk.relativePath} ${chunk.number} ${chunk.totalSize}`;
      if (chunksSeen.has(key)) return;
      right(areas, expected, chunk);
      chunksSeen.add(key);
    }),
    async shows(service) {
      const { edda, as } = service;
      const path = `${new URL(service.url).port}.txt`;
      await edda.sendChunk(path, ['aaaa', 'bb'], 1);
      const asked = as('edda');
      const post = asked.post.bind(asked);
      asked.post = (to, body, headers) => post(to, body, { ...headers, checksum: md5('other') });
      return (await asked.sendChunk(path, ['aaaa', 'bb'], 1)).status < 300;
    },
  },

  'chunks.partial-files-stay': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an interrupted upload has left.',
    kind: 'combination',
    variant: replaces('files', 'deleteFile', async (right, areas, place) =>
      (await areas.fileAreas.uploadUnderWay(place)) === undefined ? right(areas, place) : true,
    ),
    async shows({ edda }) {
      await edda.sendChunk('a.txt', ['aaaa', 'bb'], 1);
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
};

const mail = { to: 'a@mail.example', subject: 's', body: 'b' };

const actionPath = '/api/space/main/externalAction/action';

const action = { id: 'action', extensionType: 'ExternalAction' };

/** How calls go out, and what follows from them. */
const callsMistakes: Batch = {
  'email.first-record-of-its-host': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes by the extension that replaces the component for it, wherever its record stands.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'foundAddressee', async (right, areas, reading, type, named) => {
      const found = await right(areas, reading, type, named);
      return type === 'Email' && found?.callee.extension.records[0]?.id !== found?.recordId ? undefined : found;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }, { id: 'mail', extensionType: 'Email' }]);
      return (await service.edda.post('/api/space/main/externalEmail', mail)).status >= 400;
    },
  },

  'rate.retries-beside-the-pause': {
    source: 'extensions: Registered external endpoint (simple), rateLimitNumberOfExecutions',
    breaks: 'All requests to the endpoint pause, those that are tried again too.',
    kind: 'combination',
    survives: 'What a pause does to a retry that is due is not said: recorded.',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isRetry = 'attempts' in delivery && Number(delivery.attempts) > 0;
      return isRetry ? { ...policy, rateKey: `${policy.rateKey} again` } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }], always({ status: 503 }));
      await service.edda.sendEvent('event', { first: 1 });
      await service.pass(1);
      await service.edda.sendEvent('event', { second: 2 });
      await service.pass(1, 6);
      return callsTo(host).length > 1;
    },
  },

  'status.no-json-is-no-success': {
    source: 'extensions: Events 2',
    breaks: 'An event is delivered by 200, whatever stands in the body.',
    kind: 'value',
    survives:
      'The event is sent once and no more: that it counts as failed stands in the log alone, which no documented route shows.',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isReadable = outcome.kind !== 'answered' || outcome.body === '' || jsonOf(outcome.body) !== undefined;
      return (isReadable || kind !== 'event') && right(areas, kind, outcome);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 200, text: 'OK' }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'log.removal-after-timeouts': {
    source: 'extensions: Events 3',
    breaks: 'That an event was removed from the queue is logged, where its last attempt ran out of time too.',
    kind: 'combination',
    survives: 'No documented route shows the log: entries are recorded.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      return outcome.kind === 'timeout' ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 1 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1, 80);
      return (await logged(service, 'failed')).length > 0 && (await logged(service, 'removed')).length === 0;
    },
  },

  'action.first-error-alone': {
    source: 'extensions: Errors 4',
    breaks: 'All errors that an action answers with are shown.',
    kind: 'value',
    survives: 'What whoever runs an action gets of its answer is not shown, but for the web client: recorded.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      const errors = listAt(jsonOf(String(answer.raw)), '/errors');
      return errors.length > 1 ? { ...answer, raw: JSON.stringify({ errors: errors.slice(0, 1) }) } : answer;
    }),
    async shows(service) {
      const errors = [{ message: 'one' }, { message: 'two' }];
      await service.host(() => [action], always({ status: 500, json: { errors } }));
      const { json } = await service.edda.post(actionPath, { kind: 'ribbon' });
      return listAt(json, '/errors').length === 1;
    },
  },
};

/** What calls carry. */
const payloadMistakes: Batch = {
  'email.lines-as-mail-has-them': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is what was composed, to the ends of its lines.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email') return right(areas, call, triggered);
      const body = String(at(payload, '/body')).replace(/\r?\n/g, '\r\n');
      return right(areas, call, { ...triggered, payload: { ...Object(payload), body } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.edda.post('/api/space/main/externalEmail', { ...mail, body: 'a\nb' });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/body') === 'a\r\nb';
    },
  },
};

/** Of sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortySixth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...bulkMistakes,
  ...uploadMistakes,
  ...callsMistakes,
  ...payloadMistakes,
  ...registeredMistakes,
};
