import { Misfit } from '../../../reference-server/areas/records.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, listAt, many, movePath, spaceFiles, versionHeader } from '../service.ts';
import { headerNames } from '../../../contract/names.ts';
import { randomUUID } from 'node:crypto';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { reached } from '../proofs.ts';
import type { Page } from '../../../contract/wire.ts';

const extensions: Batch = {
  'metadata.no-pre-releases': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A pre-release is a version that SemVer knows.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      return !(record instanceof Misfit) && record.version.includes('-')
        ? new Misfit('/version', 'must be three numbers')
        : record;
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'proof', version: '2.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent('proof')).status >= 400;
    },
  },
};

const files: Batch = {
  'chunks.in-the-order-of-their-texts': {
    source: 'extensions: File routes, resumableChunkNumber',
    breaks: 'The tenth chunk stands behind the second one in the file.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const order = many(chunk.totalChunks, String).toSorted();
      return right(areas, { ...chunk, number: order.indexOf(String(chunk.number)) + 1 });
    }),
    async shows({ edda }) {
      await edda.sendChunks(
        'eleven.txt',
        many(11, (number) => `${String(number).padStart(9, '0')}\n`),
      );
      const { text } = await edda.get(`${spaceFiles}/eleven.txt`);
      return !text.startsWith('000000001\n000000002\n');
    },
  },
  'bulk.keeps-one-directory-only': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The structure of the source ends up in the area, directories in directories too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 2 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'one', 'two'), { recursive: true });
      await writeFile(join(sourceDirectory, 'one', 'two', 'deep.txt'), 'deep');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/one/two/deep.txt`)).status !== 200;
    },
  },
};

const writing: Batch = {
  'operations.replace-finds-no-empty-text': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'An empty text in an entry is a value that can be replaced.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
      right(
        areas,
        run,
        target.kind === 'member' && target.row.entry !== undefined && target.value === ''
          ? { ...target, value: undefined }
          : target,
        value,
        place,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: '' }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/comment`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'c' }])).status >= 400;
    },
  },
  'operations.entry-path-takes-one-digit': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The path of an entry that is to be removed names the entry by its whole id.',
    kind: 'value',
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      const tokens = right(areas, path);
      return tokens?.length === 3 && tokens[2] === '' ? [tokens[0] ?? '', (tokens[1] ?? '').slice(0, 1), ''] : tokens;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const $entryId = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String($entryId)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'f11';
    },
  },
};

const access: Batch = {
  'access.administrator-of-a-space-is-one-of-all': {
    source: 'core: What the service does, collection level',
    breaks: 'Collection routes ask for a Collection Administrator; the highest role of a space is none.',
    kind: 'role',
    variant: replaces(
      'auth',
      'mayAdministrate',
      (right, areas, user) =>
        right(areas, user) ||
        areas.configuration.spaces.values().some((space) => areas.auth.rolesOf(user, space).includes('administrator')),
    ),
    async shows({ alma }) {
      return (await alma.get('/api/collection/template')).status === 200;
    },
  },
  'access.form-read-as-it-stands': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token request come as a form, whose percent-encoding is taken away.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      right(areas, call);
      const fields = (call.body?.toString('utf8') ?? '').split('&').map((field) => {
        const [name = '', value = ''] = field.split('=', 2);
        return [name, value] as const;
      });
      return new Map(fields);
    }),
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'grant_type=password&username=%65dda&password=edda%2Dpassword&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status !== 200;
    },
  },
};

const movingInBatch = new Step();

const versionName = headerNames.version.toLowerCase();

const manyAtOnce: Batch = {
  'batch.move-tells-the-former-version': {
    source: 'core: Batch result, body',
    breaks: 'The result of a promote in a batch has the version that the promote made.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      if (!call.url.includes('/maturityAction/') || typeof version !== 'number') return body;
      return { href: at(body, '/href'), version: version - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(json, '/0/body/version') !== 2;
    },
  },
  'batch.moves-without-a-version': {
    source: 'core: Errors 2',
    breaks: 'A promote in a batch needs the version header as one by itself does.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, store) =>
        prepared.call.url.includes('/maturityAction/')
          ? movingInBatch.run(() => right(areas, prepared, store))
          : right(areas, prepared, store),
      ),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        movingInBatch.isOn() && call.headers[versionName] === undefined ? object.version : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },
};

const eventRecord = (): readonly Partial<MetadataRecord>[] => [{ id: 'proof' }];

const validator: Partial<MetadataRecord> = {
  id: 'proof',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

const calls: Batch = {
  'calls.correlation-id-in-lower-case': {
    source: 'extensions: Call envelope, id',
    breaks: 'The id of the envelope is the GUID of the triggering request as it was written there.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, ...args) => right(areas, ...args).toLowerCase()),
    async shows(service) {
      const host = await service.host(eventRecord);
      const id = randomUUID().toUpperCase();
      await service.edda.sendEvent('proof', {}, { [headerNames.correlationId]: id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== id;
    },
  },
  'calls.failed-validations-leave-no-line': {
    source: 'extensions: Errors 3',
    breaks: 'A transient error of a validation is logged as that of an event is.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      delivery.kind === 'validation' ? [] : right(areas, delivery, policy, outcome, step),
    ),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [validator], [{ steps: [{ status: 503 }] }]);
      const made = await edda.make('Document', { title: 't' });
      const moved = edda.move(made, 1);
      await reached(host, 1);
      await service.pass(2);
      await moved;
      return !(await service.cora.get('/api/admin/log')).text.includes('transient-error');
    },
  },
};

const reading: Batch = {
  'reading.total-never-falls': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total of a page link is the number of entries that the array has now.',
    kind: 'copy',
    variant: breaks('entries', 'firstSlice', (right) => {
      const most = new Map<string, number>();
      return async (areas, store, object, section, filter) => {
        const slice = await right(areas, store, object, section, filter);
        if (filter !== undefined) return slice;
        const key = `${object.oid} ${section.port}`;
        const total = Math.max(slice.total, most.get(key) ?? 0);
        most.set(key, total);
        return { ...slice, total };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(13, (n) => ({ name: `f${n}` })) });
      const read = await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(at(read, '/data/files/0/$entryId'))}/` }]);
      const link = listAt(await edda.read(made), '/links').find((item) => at(item, '/sectionPath') === 'files');
      return at(link, '/totalNumber') !== 12;
    },
  },
  'reading.page-kept-while-count-stays': {
    source: 'core: Page response, data',
    breaks: 'A later page shows its entries as they are at the version that it names.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Page['data']>();
      return async (areas, call, store, object, view, section, page, filter) => {
        const body = await right(areas, call, store, object, view, section, page, filter);
        if (page === 0) return body;
        const total = await areas.entries.totalOf(store, object, section, filter);
        const key = `${object.oid} ${section.path} ${view.id} ${page} ${total} ${filter?.value}`;
        const data = kept.get(key) ?? body.data;
        kept.set(key, data);
        return { ...body, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const before = await edda.page(made, 'files', 1);
      const path = `/files/${String(at(before.json, '/data/0/$entryId'))}/name`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'other' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'other';
    },
  },
};

/** Thought of with the documents alone in view: slips that pass the first test of whoever makes them, and show with the second value, place or moment. */
export const sixth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
  ...extensions,
};
