import { Step, type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Made, type Service, at, editPath, listAt, many, spaceFiles } from '../service.ts';
import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { deliveries } from './deliveries.ts';
import { editing } from './editing.ts';

/** File areas, uploads in chunks and in bulk. */
const files: Batch = {
  'stream.empty-file-gives-way': {
    source: 'extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, an empty one included.',
    kind: 'value',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      const info = await areas.fileStore.describe(place);
      if (info?.kind !== 'file' || info.size > 0) return right(areas, place);
      await areas.files.deleteFile(place);
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.upload('empty.txt', 'full')).status === 201;
    },
  },
  'stream.checksum-of-a-participant': {
    source: 'extensions: File routes, row 1',
    breaks: 'The checksum is mandatory for a stream upload to each area, that of a participant included.',
    kind: 'place',
    variant: replaces('fileAreas', 'expectedChecksum', (right, areas, call) => {
      const isParticipants = /\/participant\/[^/]+\/fs\/file\/stream\//.test(call.url);
      return isParticipants && call.headers['checksum'] === undefined ? undefined : right(areas, call);
    }),
    async shows({ edda }) {
      const path = '/api/space/main/participant/owner/fs/file/stream/unchecked.txt';
      return (await edda.post(path, 'content', { 'content-type': 'text/plain' })).status === 201;
    },
  },
  'download.any-token-in-the-query': {
    source: 'core: Authentication 6; extensions: Authentication 1',
    breaks: 'A valid identity without access gets no file, by a token in the query neither.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isLink = call.headers['authorization'] === undefined && call.query.has('token');
      return isLink || right(areas, user, area, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('closed.txt', 'content');
      return (await nobody.get(`${spaceFiles}/closed.txt?token=svcpat-otto-4c6d8e0f1a`)).status === 200;
    },
  },
  'chunks.end-of-the-former': {
    source: 'extensions: File routes, row 2 and paragraph after the chunk table',
    breaks: 'After a partial file was deleted, a shorter one uploaded there in chunks is what was sent.',
    kind: 'combination',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const sent = new Map<string, Buffer>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        const before = sent.get(key) ?? Buffer.alloc(0);
        const from = (chunk.number - 1) * chunk.chunkSize;
        const after = Buffer.alloc(Math.max(before.length, from + chunk.size));
        before.copy(after);
        Buffer.concat(chunk.pieces).copy(after, from);
        sent.set(key, after);
        if (chunk.number < chunk.totalChunks) return right(areas, place, chunk);
        sent.delete(key);
        return right(areas, place, { ...chunk, pieces: [...chunk.pieces, after.subarray(chunk.totalSize)] });
      };
    }),
    async shows({ edda }) {
      const path = 'began/anew.txt';
      for (const number of [1, 2])
        await edda.sendChunk(
          path,
          many(3, () => 'a'.repeat(10)),
          number,
        );
      await edda.delete(`${spaceFiles}/${path}`);
      await edda.sendChunks(path, ['b'.repeat(10), 'b'.repeat(5)]);
      return (await edda.get(`${spaceFiles}/${path}`)).text !== 'b'.repeat(15);
    },
  },
};

/** Reads, pages, filters and links. */
const reading: Batch = {
  'paging.one-digit': {
    source: 'core: Page response',
    breaks: 'The href of a page is the URI of that page, the eleventh page and those behind it included.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) =>
      right(areas, object, view, section, typeof page === 'number' ? firstDigit(page) : page, filter),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', documentWith(101));
      const page = (await edda.page(made, 'files', 10)).json;
      const again = (await edda.get(String(at(page, '/href')))).json;
      return JSON.stringify(at(again, '/data')) !== JSON.stringify(at(page, '/data'));
    },
  },
  'filter.not-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The filter is taken on both forms of the instance GET.',
    kind: 'place',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
      parameter === 'softTypeFilterId' && call.params['outputSchemaId'] !== undefined
        ? undefined
        : right(areas, call, softType, parameter),
    ),
    async shows({ edda }) {
      const files = [
        { name: 'one', category: 'drawing' },
        { name: 'two', category: 'letter' },
      ];
      const made = await edda.make('Document', { title: 'filtered', files });
      return listAt((await edda.get(longPath(made, 'documentFull') + drawings)).json, '/data/files').length === 2;
    },
  },
  'links.filtered-for-everybody': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links describe what the current user may do, in a filtered read as well.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      if (filter === undefined) return links;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const pages = links.filter(({ rel }) => rel === 'page');
      return [...areas.hypermedia.operationLinks(object, softType, view), ...pages];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', documentWith(1, { category: 'drawing' }));
      const links = listAt(await rita.read(made, drawings), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },
  'reading.other-view-before-the-promote': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the current version, under each output schema and whoever read it before.',
    kind: 'copy',
    variant: otherViewsBehindPromotes(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept' });
      const path = longPath(made, 'documentSummary');
      await edda.get(path);
      await edda.move(made, 1);
      return at((await edda.get(path)).json, '/version') === 1;
    },
  },
};

const drawings = '?softTypeFilterId=drawings';

function documentWith(count: number, member: object = {}): object {
  return { title: 'long', files: many(count, (number) => ({ name: `file ${number}`, ...member })) };
}

function longPath({ definition, oid }: Made, view: string): string {
  return `/api/space/main/softtype/${definition}/${view}/${oid}`;
}

function firstDigit(page: number): number {
  return Number(String(page).charAt(0));
}

/** Notes of every promote which version it started from. */
function notesPromotes(versions: Map<string, number>): Variant {
  return replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
    versions.set(object.oid, object.version);
    return right(areas, object);
  });
}

function otherViewsBehindPromotes(): Variant {
  const before = new Map<string, number>();
  return together(
    notesPromotes(before),
    breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { version: number; answer: Awaited<ReturnType<typeof right>> }>();
      return async (areas, call, reading, object, view, assemble) => {
        const { softType, version, oid } = object;
        const usual = areas.objects.outputViewOf(areas.objects.softTypeOf(call.space, softType), undefined);
        if (view === usual) return right(areas, call, reading, object, view, assemble);
        const key = `${oid} ${view.id} ${call.user.name}`;
        const known = kept.get(key);
        if (known !== undefined && known.version === before.get(oid) && version === known.version + 1)
          return known.answer;
        const answer = await right(areas, call, reading, object, view, assemble);
        kept.set(key, { version, answer });
        return answer;
      };
    }),
  );
}

/** Batches, multi-creates, versions, access and what is cached. */
const sets: Batch = {
  'batch.without-a-version': {
    source: 'core: Errors, rule 2; Batch operation, headers',
    breaks: 'A PUT or PATCH without a version fails as an operation of a batch too.',
    kind: 'combination',
    variant: versionsOptionalInBatches(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'unversioned' });
      const body = { note: 'new' };
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body }])).status === 200;
    },
  },
  'batch.multi-create-stays': {
    source: 'core: Batch rules 1 and 4',
    breaks: 'What a multi-create inside a batch creates is rolled back when a later operation fails.',
    kind: 'combination',
    variant: multiCreatesOutliveBatches(),
    async shows({ edda }) {
      const name = `stays ${randomUUID()}`;
      const create = { method: 'POST', href: '/space/main/softtype', body: [{ $softType: 'Part', data: { name } }] };
      const missing = { method: 'GET', href: `/api/space/main/softtype/${randomUUID()}` };
      const { status } = await edda.batch([create, missing]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return status === 500 && listAt(listed.json, '/data').length > 0;
    },
  },
  'batch.role-of-its-own-space': {
    source: 'core: Authentication 6 and 7',
    breaks: 'An operation needs a role in the space that it leads to, not in that of the batch.',
    kind: 'role',
    variant: batchesAcrossSpaces(),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'of main' });
      const results = await otto.batch([{ method: 'GET', href: made.path }], 'depot');
      return at(results.json, '/0/body/data/title') === 'of main';
    },
  },
  'batch.collection-administrator-reads': {
    source: 'core: Authentication 7',
    breaks: 'A Collection Administrator without a role in the space reads nothing there, by a batch neither.',
    kind: 'role',
    variant: batchesForCollectionAdministrators(),
    async shows({ edda, cora }) {
      const made = await edda.make('Document', { title: 'of main' });
      return (await cora.batch([{ method: 'GET', href: made.path }])).status === 200;
    },
  },
};

/** The step that the operations of a batch are, beside what is wrong in it. */
function inBatches(batch: Step, wrong: Variant): Variant {
  const running = replaces('batch', 'runBatch', (right, areas, ...args) => batch.run(() => right(areas, ...args)));
  return together(running, wrong);
}

function versionsOptionalInBatches(): Variant {
  const batch = new Step();
  const header = headerNames.version.toLowerCase();
  const wrong = replaces('versioning', 'assertVersion', (right, areas, call, object) =>
    batch.isOn() && call.headers[header] === undefined ? object.version : right(areas, call, object),
  );
  return inBatches(batch, wrong);
}

/** A multi-create has a transaction of its own, which nobody rolls back. */
function multiCreatesOutliveBatches(): Variant {
  const batch = new Step();
  const made: (SpaceCall & { readonly json: unknown })[] = [];
  const noting = replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    if (batch.isOn()) made.push(call);
    return answer;
  });
  const keeping = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (!call.url.endsWith('/batch')) return answer;
    for (const creation of made.splice(0))
      if (answer.status === 500)
        await areas.store.change((writing) => areas.multiCreate.multiCreate(creation, writing));
    return answer;
  });
  return inBatches(batch, together(noting, keeping));
}

/** The batch route has judged the role already, so that its operations go where they want to. */
function batchesAcrossSpaces(): Variant {
  const foreign = new WeakSet<object>();
  return together(
    replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const [, spaceId = ''] = /\/space\/([^/?]+)/.exec(String(at(value, '/href'))) ?? [];
      const space = areas.configuration.spaces.get(spaceId) ?? batch.space;
      const prepared = right(areas, { ...batch, space }, table, value, index);
      if (space !== batch.space) foreign.add(prepared.call);
      return prepared;
    }),
    replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      if (!foreign.has(prepared.call)) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing);
    }),
  );
}

function batchesForCollectionAdministrators(): Variant {
  const batch = new Step();
  const wrong = replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const opensBatch = access === 'participant' && call.url.endsWith('/batch');
    const readsThere = access === 'space' && batch.isOn() && call.method === 'GET';
    if (areas.auth.mayAdministrate(user) && (opensBatch || readsThere)) return;
    right(areas, user, access, call);
  });
  return inBatches(batch, wrong);
}

/** Validations, tasks, actions, tokens and keys. */
const calls: Batch = {
  'validation.third-soft-type': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to each SoftType that is listed, the third one included.',
    kind: 'place',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const addresses = await right(areas, reading, softTypeId);
      const isEarly = await Promise.all(
        addresses.map(async ({ registrationId, recordId }) => {
          const registration = await areas.registry.registrationOf(reading, registrationId);
          if (registration?.kind !== 'svcExtension') return true;
          const record = registration.records.find(({ id }) => id === recordId);
          return record === undefined || capabilitiesOf(record, 'SoftType').indexOf(softTypeId) < 2;
        }),
      );
      return addresses.filter((_, index) => isEarly[index]);
    }),
    async shows({ edda, host }) {
      await host(
        () => [validationOf('Part', 'Requirement', 'ChangeRequest')],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'no' } }], afterwards: 'last' }],
      );
      const made = await edda.make('ChangeRequest', { subject: 'third' });
      return (await edda.move(made, 1)).status === 204;
    },
  },
  'tasks.no-timeout-after-a-restart': {
    source: 'extensions: Limits, task timeout',
    survives: 'What outlives the process is not said (queue-restart), of jobs as little as of events.',
    breaks: 'A task that does not end in time fails, though the service was started again meanwhile.',
    kind: 'moment',
    variant: replaces('jobs', 'startTasks', async () => undefined),
    async shows(service) {
      await service.host(() => [task], acknowledged);
      const job = await schedule(service, 'input.txt', 60);
      await service.pass(1);
      await service.restart();
      await service.pass(120);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },
  'tasks.reported-through-another-space': {
    source: 'core: Authentication 6 and 7; extensions: Callbacks from an external task',
    breaks: 'A job belongs to its space: a role in another one lets nobody report on it.',
    kind: 'role',
    variant: replaces(
      'jobs',
      'locateJob',
      async (right, areas, call, reading) =>
        (await jobWith(reading, call.params['jobId'] ?? '')) ?? right(areas, call, reading),
    ),
    async shows(service) {
      await service.host(() => [task], acknowledged);
      const job = await schedule(service, 'input.txt');
      await service.pass(1);
      await service.otto.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'tokens.used-once-never-over': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token ends after its life time, also when it was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const seen = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, token) => {
        const claims = seen.get(token) ?? (await right(areas, token));
        seen.set(token, claims);
        return claims;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 'read by token' });
      const host = await service.host(() => [event]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      const authorization = `Bearer ${call?.envelope?.accessToken ?? ''}`;
      const first = (await service.nobody.get(made.path, { authorization })).status;
      await service.pass(61 * 60);
      return first === 200 && (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
};

const acknowledged: Script = [{ when: { kind: 'task' }, steps: [{ status: 200 }], afterwards: 'last' }];

const event = record('proof-event', 'ExternalEvent');

const task = record('proof-task', 'ExternalTask');

function record(id: string, extensionType: string): MetadataRecord {
  return {
    id,
    version: '1.0.0',
    name: id,
    endpoint: `/${id}`,
    extensionType,
    category: 'proof',
    rateLimitNumberOfExecutions: 1000,
  };
}

function validationOf(...softTypes: readonly string[]): MetadataRecord {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
  return { ...record('proof-validation', 'ExternalValidation'), capabilities };
}

/** Path of the job. */
async function schedule({ edda }: Service, inputPath: string, timeout = 600): Promise<string> {
  const answer = await edda.post('/api/space/main/dx', { recordId: task.id, inputPath, timeout });
  return answer.headers.get('location') ?? '';
}

/** Of sixty mistakes by somebody who had read the documents and the server, and no check: the former batches, the faults and the rules unseen. */
export const fourth: Batch = { ...reading, ...editing, ...sets, ...files, ...deliveries, ...calls };
