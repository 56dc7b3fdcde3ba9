import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, named, reached, scheduleTask, tokenOf } from '../proofs.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Received, type Service, at, listAt, many, movePath, spaceFiles, versionHeader } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { callsMistakes } from './calls.ts';
import { manyMistakes } from './many.ts';

const leewaySeconds = 60;

/** Who is let in, and as whom. */
const accessMistakes: Batch = {
  'token.kept-beyond-its-end': {
    source: 'core: Authentication 3',
    breaks: 'The token endpoint answers with a token that opens what it is for, whatever it gave out before.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      const kept = new Map<string, { readonly token: string; readonly until: number }>();
      return async (areas, user) => {
        const now = areas.tokens.secondsNow();
        const known = kept.get(user.name);
        if (known !== undefined && now < known.until) return known.token;
        const token = await right(areas, user);
        const { tokenLifetimeSeconds } = areas.configuration.auth;
        kept.set(user.name, { token, until: now + tokenLifetimeSeconds + leewaySeconds });
        return token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'cora');
      await service.pass(3610);
      const authorization = `Bearer ${await tokenOf(service, 'cora')}`;
      return (await service.nobody.get('/api/collection/health', { authorization })).status === 401;
    },
  },

  'files.user-area-of-each-credential': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the authenticated identity, by whatever it shows who it is.',
    kind: 'role',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isToken = credentials?.scheme === 'bearer' && credentials.token.includes('.');
      return right(areas, call, isToken ? { ...user, name: `${user.name}.token` } : user, kind);
    }),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('mine.txt', 'text', base);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${base}/mine.txt`, { authorization })).status !== 200;
    },
  },
};

const userFiles = '/api/space/main/user/fs/file';

/** Files, and how they get there. */
const filesMistakes: Batch = {
  'areas.no-listing-of-the-user-area': {
    source: 'extensions: File areas, text below the table',
    breaks: 'There is a directory listing, of the user area too.',
    kind: 'place',
    survives: 'How a listing is asked for, and by whose credentials, is not shown (dir-listing): recorded.',
    variant: replaces('files', 'routes', (right, areas) =>
      right(areas).filter(({ path }) => !path.includes('/user/fs/dir')),
    ),
    shows: async ({ edda }) => (await edda.get('/api/space/main/user/fs/dir')).status !== 200,
  },

  'bulk.target-of-the-run-before': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'Without targetDirectory the structure ends up in the root, whatever the run before said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let latest: string | undefined;
      return (areas, body) => {
        const settings = right(areas, body);
        const isStated = typeof body === 'object' && body !== null && 'targetDirectory' in body;
        if (isStated) latest = settings.targetDirectory;
        return isStated ? settings : { ...settings, targetDirectory: latest ?? settings.targetDirectory };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'note.txt'), 'text');
      const run = (fields: object) =>
        service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...fields });
      await run({ targetDirectory: 'first' });
      await run({});
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },

  'chunks.byte-order-mark-is-cut': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The file is what its chunks hold, byte by byte, a mark at its beginning included.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat(right(areas, chunk));
      return chunk.number === 1 && bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? [bytes.subarray(3)] : [bytes];
    }),
    async shows({ edda }) {
      const base = userFiles;
      await edda.sendChunk('mark.txt', ['\ufeffone'], 1, base);
      const { headers } = await edda.send('HEAD', `${base}/mark.txt`);
      return headers.get('content-length') !== '6';
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

/** Tasks of data-exchange jobs. */
const tasksMistakes: Batch = {
  'tasks.progress-ends-the-time-limit': {
    source: 'extensions: Payloads by extension type, row ExternalTask, timeout',
    breaks: 'The job fails a task whose time is over, also one that has reported progress.',
    kind: 'combination',
    survives: 'What progress does to the time of a task is open (task-timeout-clock): recorded.',
    variant: replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      await areas.jobs.dropDeadline(writing, call.place.id);
      return answer;
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service, { timeout: 10 });
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.pass(5, 4);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },

  'tasks.acknowledged-after-the-end': {
    source: 'extensions: External task status, row Completed',
    breaks: 'A job whose task has reported its end is over, also where its acknowledgement comes after the report.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.state === 'Completed') return keepJob(writing, { ...job, state: 'Running' });
      return right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [task], always({ status: 200, delayMs: 400 }));
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      const job = (await service.edda.post('/api/space/main/dx', body)).headers.get('location') ?? '';
      const passed = service.pass(1);
      await reached(host, 1);
      await service.edda.put(`${job}/status/Completed`, undefined, {});
      await passed;
      await host.await(({ ending }) => ending === 'answered', 2, AbortSignal.timeout(2000));
      await service.pass(1, 2);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },

  'tasks.time-of-the-request': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has 600 seconds where nothing else is configured for it, whatever time its record gives a request.',
    kind: 'combination',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const { kind, payload } = delivery;
      const timeout = callee.record.requestTimeout;
      if (kind !== 'task' || timeout === undefined || !isContent(payload) || payload['timeout'] !== 600)
        return right(areas, delivery, callee);
      return right(areas, { ...delivery, payload: { ...payload, timeout } }, callee);
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...task, requestTimeout: 30 }]);
      await scheduleTask(service);
      return at(callsOf(host, 'task')[0]?.envelope?.payload, '/timeout') !== 600;
    },
  },
};

type Permission = 'AdministrationAPI' | 'SnapshotAPI';

/** What is registered, and the keys that it acquires. */
const registeredMistakes: Batch = {
  'metadata.one-behind-an-unsupported-type': {
    source: 'extensions: Metadata exchange; Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored, and no other one with it.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((_item, index) => {
          const before = at(items[index - 1], '/extensionType');
          return typeof before !== 'string' || areas.metadata.isSupportedType(before);
        }),
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'hologram', extensionType: 'Hologram' }, { id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'records.ids-in-small-letters': {
    source: 'extensions: Extension metadata record, id; Calls to extensions, row ExternalEvent',
    breaks: 'The record with the id is called, not one whose id differs from it in letter case.',
    kind: 'value',
    survives:
      'Whether ids of records may be alike, or alike but for their letter case, is not said (metadata-duplicate-ids).',
    variant: replaces('triggeredCalls', 'foundAddressee', async (right, areas, reading, type, named) => {
      const addresses = await areas.registry.recordsOfType(reading, type);
      const found = addresses.findLast(({ recordId }) => recordId.toLowerCase() === named.recordId?.toLowerCase());
      return right(areas, reading, type, found === undefined ? named : { ...named, recordId: found.recordId });
    }),
    async shows(service) {
      const host = await service.host(() => ['notify', 'Notify'].map((id) => ({ id, endpoint: `/is-${id}` })));
      await service.edda.sendEvent('notify');
      await service.pass(1);
      return callsTo(host)[0]?.path === '/is-Notify';
    },
  },

  'api-keys.those-of-before-come-along': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The keys that are asked for are brought, without those that were asked for before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'grantedPermissions', (right) => {
      const all = new Map<string, readonly string[]>();
      return (areas, asked, configured) => {
        const granted = right(areas, [...(all.get(configured.join()) ?? []), ...asked], configured);
        all.set(configured.join(), granted);
        return granted;
      };
    }),
    async shows(service) {
      const host = await keyHolder(service);
      await acquire(service, host, ['SnapshotAPI']);
      await acquire(service, host, ['AdministrationAPI']);
      return at(keysAt(host)[1], '/SnapshotAPI') !== undefined;
    },
  },
};

function keyHolder(service: Service): Promise<ExtensionHost> {
  const permissions = ['AdministrationAPI', 'SnapshotAPI'];
  return service.host(
    (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions } }],
    always({ status: 200 }),
  );
}

function acquire({ cora }: Service, host: ExtensionHost, permissions: readonly Permission[]): Promise<Received> {
  const body = { tokenCallback: `${host.url}/keys`, permissions };
  return cora.post('/api/collection/externalExtension/acquireAccessToken/holder', body);
}

/** What was brought to the callback, in its order. */
function keysAt(host: ExtensionHost): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => json);
}

const beyondIntegers = 2 ** 31;

/** What edits and moves leave behind. */
const writingMistakes: Batch = {
  'maturity.second-level-from-before-the-batch': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its state, also where one batch moves two of them.',
    kind: 'combination',
    variant: breaks('maturity', 'promoteObject', (right) => {
      const first = new Map<string, unknown>();
      return (areas, call, writing) => {
        const { object } = call;
        if (call.isChangedHere?.(object.oid) !== true) {
          first.set(object.oid, object.content[statesMember]);
          return right(areas, call, writing);
        }
        const content = { ...object.content, [statesMember]: first.get(object.oid) };
        return right(areas, { ...call, object: { ...object, content } }, writing);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const move = (level: string, version: number) => ({
        method: 'PUT',
        href: movePath(made, 'promote', level),
        headers: versionHeader(version),
      });
      await edda.batch([move('engineering', 1), move('approval', 2)]);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },

  'put.known-entries-keep-their-places': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT replaces the content, the order of the entries of an array included.',
    kind: 'value',
    survives: 'The order of entries is not said, apart from what is appended (order-of-entries): recorded.',
    variant: replaces('editing', 'replaceArray', (right, areas, writing, oid, port, items) => {
      const known = items.filter(({ entryId }) => entryId !== undefined);
      const fresh = items.filter(({ entryId }) => entryId === undefined);
      const inOrder = known.toSorted((one, other) => (one.entryId ?? 0) - (other.entryId ?? 0));
      return right(areas, writing, oid, port, [...inOrder, ...fresh]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(3) });
      const files = listAt(await edda.read(made), '/data/files');
      await edda.replace(made, 1, { title: 't', files: files.toReversed() });
      return at(await edda.read(made), '/data/files/0/name') !== 'n3';
    },
  },

  'operations.integers-of-32-bits': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced number is the one that was sent, one beyond 32 bits too.',
    kind: 'value',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) =>
      right(areas, run, target, Number.isInteger(value) && Number(value) >= beyondIntegers ? Number(value) | 0 : value),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', pageCount: 1 });
      await edda.operate(made, 1, [{ op: 'replace', path: '/pageCount', value: 3_000_000_000 }]);
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },

  'operations.deep-ones-raise-no-version': {
    source: 'core: Versioning 2',
    breaks: 'Each edit increments the version, one of an entry inside an entry too.',
    kind: 'place',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) => {
      const { versioning } = areas;
      const isDeep = call.json.every(({ tokens }) => tokens.length > 3 && tokens[3] !== '-');
      if (!isDeep) return right(areas, call, writing);
      const before = call.object.version;
      return right(areas, call, writing).then(async () => {
        const object = await writing.object(call.space.id, call.object.oid);
        if (object !== undefined) await versioning.storeEdit(writing, object, before, object.content);
        return versioning.editedAnswer(before);
      });
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ text: 'l', author: 'a' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/0/$entryId'), at(read, '/data/files/0/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/author`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'b' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
};

/** What reads and pages show. */
const readingMistakes: Batch = {
  'system.no-oid-in-a-narrow-view': {
    source: 'core: System properties inside data, $oid',
    breaks: 'The data hold the identifier of the object, under an output schema with few members too.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const all = space.template.softTypes.get(object.softType)?.members.size ?? 0;
      if (view.names.size === all) return data;
      return Object.fromEntries(Object.entries(data).filter(([name]) => name !== '$oid')) as typeof data;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$oid') !== oid;
    },
  },

  'links.inner-pages-have-no-method': {
    source: 'core: Link object, method',
    breaks: 'A page link names its method, that of an array inside an entry too.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.sectionPath?.includes('/') ? (Object.assign({ ...link }, { method: undefined }) as never) : link,
      ),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `l${number}` }));
      const read = await edda.read(await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] }));
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/method') !== 'GET');
    },
  },

  'paging.counter-that-nobody-turns-back': {
    source: 'core: Link object, totalNumber; Operations-based PATCH rules 8',
    breaks: 'totalNumber counts the entries that are there, also where one went because it lost a mandatory member.',
    kind: 'combination',
    variant: (classes) => {
      const gone = new Map<string, number>();
      return together(
        replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
          const key = `${run.object.oid} ${entry.port}`;
          gone.set(key, (gone.get(key) ?? 0) + 1);
          return right(areas, run, entry);
        }),
        replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
          const counted = filter === undefined ? (gone.get(`${object.oid} ${section.port}`) ?? 0) : 0;
          return (await right(areas, reading, object, section, filter)) + counted;
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') === 12;
    },
  },

  'filter.one-page-is-linked': {
    source: 'core: Server side paging 2 and 5',
    breaks: 'There is a page link where more than ten entries pass the filter, not where ten do.',
    kind: 'combination',
    survives: 'Whether there may be a page link where none is needed is not said (page-link-when-not-needed).',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      const links = right(areas, object, view, slice, filter);
      if (filter?.filter.port !== slice.section.port || slice.total !== entriesPerPage) return links;
      return [...links, areas.hypermedia.pageLink(object, view, slice.section, slice.total, filter)];
    }),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: 'n', category: number > 10 ? 'letter' : 'drawing' }));
      const read = await edda.read(await edda.make('Document', { title: 't', files }), '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page');
    },
  },

  'filter.remembered-without-its-value': {
    source: 'core: Server side paging 5',
    breaks: 'A filter with a value in the query shows what has that value, whatever was asked for before.',
    kind: 'copy',
    variant: breaks('instances', 'readInstance', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, reading) => {
        const filter = call.query.get('softTypeFilterId');
        if (filter === null) return right(areas, call, reading);
        const { object, place } = call;
        const key = `${object.oid} ${object.version} ${place.view.id} ${call.user.name} ${filter}`;
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const files = ['a', 'b', 'b'].map((category) => ({ name: 'n', category }));
      const made = await edda.make('Document', { title: 't', files });
      const [, second] = [
        await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a'),
        await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=b'),
      ];
      return listAt(second, '/data/files').length !== 2;
    },
  },
};

/** Of thirty mistakes in sentences that were drawn by lot, and thirty as the issue tracker of a service shows them after two years, by somebody who knew no check. */
export const fortyEighth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...registeredMistakes,
};
