import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, named, reached, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import {
  type Service,
  at,
  editPath,
  listAt,
  many,
  operationsPath,
  signatureOver,
  spaceFiles,
  versionHeader,
} from '../service.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { callMistakes, retryMistakes, validationMistakes } from './deliveries.ts';

/** A job whose task was acknowledged, of a host that is registered by now. */
async function runningJob(service: Service): Promise<string> {
  const job = await scheduleTask(service);
  for (let left = 50; left > 0; left -= 1) {
    if (at((await service.edda.get(job)).json, '/state') !== 'Scheduled') break;
    await service.pass(1);
  }
  return job;
}

const task = { id: 'task', extensionType: 'ExternalTask' };

const taskMistakes: Batch = {
  'tasks.progress-of-another-job': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A message is shown on the job that it was reported for, also where another job was just told the same.',
    kind: 'copy',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      let last: string | undefined;
      return (areas, job, progress) => {
        if (progress === last) return job;
        last = progress;
        return right(areas, job, progress);
      };
    }),
    async shows(service) {
      await service.host(() => [task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      for (const job of [one, other]) await service.edda.put(`${job}/progress`, undefined, { message: 'half of it' });
      return !(await service.edda.get(other)).text.includes('half of it');
    },
  },

  'tasks.files-of-the-job-before': {
    source: 'extensions: External task status',
    breaks: 'A job has the files that were reported for it, and none of another.',
    kind: 'copy',
    variant: breaks('jobs', 'jobAfterReport', (right) => {
      const kept = {};
      return (areas, job, status, files) => right(areas, job, status, Object.assign(kept, files));
    }),
    async shows(service) {
      await service.host(() => [task]);
      const [one, other] = [await runningJob(service), await runningJob(service)];
      await service.edda.put(`${one}/status/Completed`, undefined, { outputFilePath: 'folder/first.csv' });
      await service.edda.put(`${other}/status/Completed`, undefined);
      return (await service.edda.get(other)).text.includes('folder/first.csv');
    },
  },

  'tasks.links-of-an-administrator': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file has the token in its query, whoever scheduled the job.',
    kind: 'role',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      const user = areas.configuration.users.get(String(at(claims, '/sub')));
      const space = areas.configuration.spaces.get(spaceId);
      if (user === undefined || space === undefined) return links;
      if (!areas.auth.rolesOf(user, space).includes('administrator')) return links;
      return links.map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replace(/\?token=.*$/, '') } : link,
      );
    }),
    survives:
      'ledger task-link-templates: whether a link holds the token already is not shown, so that one without may be meant to be completed',
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.alma.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
      const [call] = await reached(host, 1);
      const links = listAt(call?.json, '/payload/links');
      const input = links.find((link) => at(link, '/id') === 'inputFile');
      return input !== undefined && !String(at(input, '/url')).includes('token=');
    },
  },

  'tasks.completed-by-the-acknowledgement': {
    source: 'extensions: Calls to extensions',
    breaks: 'The answer to a task acknowledges it and no more: it runs until its status is reported.',
    kind: 'value',
    variant: replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      if (delivery.kind !== 'task' || outcome?.kind !== 'answered' || !outcome.body.includes('"Completed"')) return;
      const job = await jobWith(writing, delivery.envelopeId);
      if (job !== undefined) await keepJob(writing, areas.jobs.jobAfterReport(job, 'Completed', {}));
    }),
    async shows(service) {
      await service.host(() => [task], always({ status: 200, json: { status: 'Completed' } }));
      const job = await runningJob(service);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
};

const profile = '/api/collection/user/profile';

const readingMistakes: Batch = {
  'reading.schema-for-readers': {
    source: 'core: SoftType read response',
    breaks: 'The data is that of the output schema in the path, whatever role the user has.',
    kind: 'role',
    variant: replaces('objects', 'viewOfRead', (right, areas, call, object) => {
      const onlyReads = areas.auth.rolesOf(call.user, call.space).every((role) => role === 'reader');
      const { outputSchemaId: _named, ...params } = call.params;
      return right(areas, onlyReads && call.params['pageNumber'] === undefined ? { ...call, params } : call, object);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 'summary', note: 'not in it' });
      const read = await rita.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/note') !== undefined;
    },
  },
};

const pagingMistakes: Batch = {
  'paging.filter-beyond-a-hundred': {
    source: 'core: Endpoint table',
    breaks: 'A filter chooses from all entries of an array, however far back they stand.',
    kind: 'combination',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const scanned = await right(areas, reading, object, section, { from: 0, to: 100 });
        const { member } = filter.filter;
        return scanned.filter(({ content }) => content[member] === filter.value).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section);
        return (await areas.entries.entriesOf(reading, object, section, { from: 0, to: 100 }, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const files = many(103, (number) => ({ name: `n${number}`, category: number > 100 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { title: 'far', files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return listAt(page.json, '/data').length !== 3;
    },
  },
};

const cachingMistakes: Batch = {
  'caching.told-once': {
    source: 'core: Errors',
    breaks: 'Whoever holds the data is told so every time he asks.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const key = JSON.stringify([call.url, call.headers['authorization'], call.headers['if-none-match']]);
        const { 'if-none-match': _held, ...headers } = call.headers;
        const next = right(areas, told.has(key) ? { ...call, headers } : call, answer);
        if (!told.delete(key) && next.status === 304) told.add(key);
        return next;
      };
    }),
    async shows({ cora }) {
      const etag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.get(profile, { 'if-none-match': etag });
      return (await cora.get(profile, { 'if-none-match': etag })).status === 200;
    },
  },
};

const accessMistakes: Batch = {
  'access.nobody-gets-results': {
    source: 'core: Authentication',
    breaks: 'Without a token the answer is 401, of a batch as of anything else.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (!route.path.endsWith('/batch') || call.headers['authorization'] !== undefined)
        return right(areas, route, call);
      const operations: unknown = JSON.parse(call.body?.toString() ?? '[]');
      const results = (Array.isArray(operations) ? operations : []).map(() => ({ statusCode: 401 }));
      return { status: 500, body: results };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 'closed' });
      return (await nobody.batch([{ method: 'GET', href: made.path }])).status !== 401;
    },
  },

  'access.query-token-of-ten-minutes': {
    source: 'extensions: Authentication',
    breaks: 'A token in the query opens a download as long as it does in the header.',
    kind: 'moment',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      const given = right(areas, call);
      if (given?.scheme !== 'bearer') return given;
      const claims: unknown = JSON.parse(Buffer.from(given.token.split('.')[1] ?? '', 'base64url').toString() || '{}');
      const issuedAt = Number(at(claims, '/iat'));
      return areas.tokens.secondsNow() - issuedAt > 600 ? undefined : given;
    }),
    async shows(service) {
      await service.edda.upload('old.txt', 'old');
      const token = await tokenOf(service, 'edda');
      await service.pass(900);
      const path = `${spaceFiles}/old.txt`;
      const header = await service.nobody.get(path, { authorization: `Bearer ${token}` });
      const query = await service.nobody.get(`${path}?token=${token}`);
      return header.status === 200 && query.status !== 200;
    },
  },
};

const bulkPath = '/admin/fileupload/main';

/** An empty directory of the host with one file in it. */
async function directoryWith(service: Service, name: string): Promise<string> {
  const directory = await service.directory();
  await writeFile(join(directory, name), name);
  return directory;
}

const filesMistakes: Batch = {
  'bulk.signature-that-passed-once': {
    source: 'extensions: Permission names',
    breaks: 'A signature under a key that has been rotated away opens nothing, also one that opened something before.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const passed = new Set<string>();
      return async (areas, call) => {
        const key = `${call.url} ${call.headers['authorization']}`;
        if (passed.has(key)) return;
        await right(areas, call);
        passed.add(key);
      };
    }),
    survives: 'ledger key-rotation-overlap: how long an old key goes on to be valid is open',
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
        tokenCallback: `${host.url}/keys`,
        permissions: ['AdministrationAPI'],
      });
      const [callback] = host.entries(({ path }) => path === '/keys');
      const key = String(at(callback?.json, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await directoryWith(service, 'rotated.txt'), writeLog: false };
      const headers = { authorization: `Bearer ${signatureOver(bulkPath, key)}` };
      const before = await service.nobody.post(bulkPath, body, headers);
      await service.pass(24 * 3600, 2);
      const after = await service.nobody.post(bulkPath, body, headers);
      return before.status < 300 && after.status < 300;
    },
  },
};

const keyMistakes: Batch = {
  'keys.permission-that-was-withdrawn': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions that are configured can be asked for, and none that the metadata once had.',
    kind: 'copy',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => {
      const once = new Map<string, ReadonlySet<string>>();
      return (areas, holder, request) => {
        const { registrationId, recordId, permissions } = holder;
        if (permissions === undefined) return right(areas, holder, request);
        const key = `${registrationId} ${recordId}`;
        const all = new Set([...(once.get(key) ?? []), ...permissions.permissions]);
        once.set(key, all);
        return right(areas, { ...holder, permissions: { ...permissions, permissions: [...all] } }, request);
      };
    }),
    async shows(service) {
      const permissionsAt = (url: string, permissions: readonly string[]) => ({
        permissions: { tokenCallback: `${url}/keys`, permissions },
      });
      const host = await service.host(
        (url) => [{ id: 'keys', ...permissionsAt(url, ['SnapshotAPI', 'TaskUploadAPI']) }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const acquire = (permission: string) =>
        service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
          tokenCallback: `${host.url}/keys`,
          permissions: [permission],
        });
      await acquire('TaskUploadAPI');
      host.setRecords([
        {
          id: 'keys',
          version: '1.0.1',
          name: 'keys',
          endpoint: '/keys-event',
          extensionType: 'ExternalEvent',
          category: 'proof',
          ...permissionsAt(host.url, ['TaskUploadAPI']),
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      return (await acquire('SnapshotAPI')).status < 300;
    },
  },

  'keys.plain-for-trusted-endpoints': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The value of each permission is an object with the key, also for a trusted endpoint.',
    kind: 'place',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(
        holder.recordId === undefined ? within(areas, { apiKeys: { keyMember: (key: string) => key } }) : areas,
        call,
        holder,
        request,
        keys,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const tokenCallback = `${host.url}/keys`;
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        permissions: { permissions: ['SnapshotAPI'], tokenCallback },
      });
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/hook', {
        tokenCallback,
        permissions: ['SnapshotAPI'],
      });
      const [callback] = host.entries(({ path }) => path === '/keys');
      return typeof at(callback?.json, '/SnapshotAPI') === 'string';
    },
  },
};

const operationsType = { 'content-type': 'application/json-patch+json' };

/** Appends once more what a failed batch appended. */
function keepsAppended(): Variant {
  const appended = new Map<string, { readonly oid: string; readonly port: string; readonly contents: Content[] }[]>();
  return together(
    replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { correlationId, isChangedHere } = run.call;
      const port = target.steps.at(-1)?.name ?? '';
      if (isChangedHere === undefined) return;
      const noted = appended.get(correlationId) ?? [];
      appended.set(correlationId, [...noted, { oid: run.object.oid, port, contents: [...contents] }]);
    }),
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      const noted = appended.get(call.correlationId) ?? [];
      appended.delete(call.correlationId);
      if (answer.status !== 500) return answer;
      for (const { oid, port, contents } of noted)
        await areas.store.change(async (writing) => void (await writing.appendEntries(oid, port, contents)));
      return answer;
    }),
  );
}

const versionMistakes: Batch = {
  'versioning.first-edit-of-a-batch-only': {
    source: 'core: Versioning',
    breaks: 'Each edit of a batch is made for the version of its object, the second one as well as the first.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const compared = new Map<string, string>();
      return (areas, call, object) => {
        if (!('isChangedHere' in call)) return right(areas, call, object);
        const first = compared.get(call.correlationId);
        if (first === undefined || first === object.oid) {
          compared.set(call.correlationId, object.oid);
          return right(areas, call, object);
        }
        areas.versioning.versionHeaderOf(call);
        return object.version;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'one' }), await edda.make('Part', { name: 'other' })];
      const answer = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: versionHeader(1), body: { note: 'right' } },
        { method: 'PATCH', href: editPath(other), headers: versionHeader(7), body: { note: 'stale' } },
      ]);
      return answer.status === 200;
    },
  },
};

const batchMistakes: Batch = {
  'batch.create-after-a-read': {
    source: 'core: Batch rules',
    breaks: 'The result of a create carries neither data nor links, also behind that of a read.',
    kind: 'copy',
    variant: breaks('batch', 'operationResult', (right) => {
      const read = new Map<string, unknown>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        if (call.method === 'GET') read.set(call.correlationId, result.body);
        if (answer.status !== 201 || !isContent(result.body)) return result;
        const before = read.get(call.correlationId);
        return { ...result, body: { ...(isContent(before) ? before : {}), ...result.body } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'read' });
      const answer = await edda.batch([
        { method: 'GET', href: made.path },
        { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'made' } },
      ]);
      return at(answer.json, '/1/body/data') !== undefined;
    },
  },

  'batch.results-beyond-a-hundred': {
    source: 'core: Limits',
    breaks: 'A batch has no hard limit: each operation has a result of its own, however many there are.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) =>
      right(
        areas,
        results.map((result, index) => (index < 100 ? result : (results[99] ?? result))),
      ),
    ),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Part/partInput';
      const operations = many(101, (number) => ({ method: 'POST', href, body: { name: `n${number}` } }));
      const { json } = await edda.batch(operations);
      return at(json, '/100/body/href') === at(json, '/99/body/href');
    },
  },

  'batch.entries-of-a-failed-one': {
    source: 'core: Batch rules',
    breaks: 'Nothing of a failed batch stays, of a list of operations in it neither.',
    kind: 'combination',
    variant: keepsAppended(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'stays', files: named(1) });
      await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), ...operationsType },
          body: [{ op: 'add', path: '/files', value: { name: 'appended' } }],
        },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(9), body: { note: 'stale' } },
      ]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
};

const multiCreateMistakes: Batch = {
  'multi-create.later-items-for-administrators': {
    source: 'core: Multi-create rules',
    breaks: 'Items refer to each other in both directions, whatever the role of who sends them.',
    kind: 'role',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator'))
        return right(areas, call, writing, items, inputs);
      const earlier = inputs.map((input, index) => {
        const later = new Set<unknown>(items.slice(index + 1).map(({ oid }) => oid));
        const arrays = [...input.arrays].map(
          ([port, list]) => [port, list.filter(({ content }) => !later.has(at(content, '/value/$oid')))] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, earlier);
    }),
    async shows({ alma }) {
      const describes = [{ id: 'r', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const answer = await alma.multiCreate([
        { $id: 'document', $softType: 'Document', data: { title: 'first', describes } },
        { $id: 'part', $softType: 'Part', data: { name: 'second' } },
      ]);
      const read = await alma.get(String(at(answer.json, '/0/href')));
      return listAt(read.json, '/data/describes').length !== 1;
    },
  },

  'multi-create.second-version-in-a-batch': {
    source: 'core: Versioning',
    breaks:
      'A created object has version 1, also one with references that an operation of a batch created with others.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      if (call.isChangedHere === undefined) return;
      for (const [index, { oid }] of items.entries()) {
        const object = await writing.object(call.space.id, oid);
        if (object !== undefined && inputs[index]?.arrays.has('describes'))
          await writing.updateObject(call.space.id, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const body = [
        { $id: 'part', $softType: 'Part', data: { name: 'one' } },
        { $id: 'document', $softType: 'Document', data: { title: 'other', describes } },
      ];
      const answer = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      const read = await edda.get(String(at(answer.json, '/0/body/1/href')));
      return at(read.json, '/version') === 2;
    },
  },
};

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtieth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...cachingMistakes,
  ...accessMistakes,
  ...versionMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...keyMistakes,
  ...retryMistakes,
  ...callMistakes,
  ...validationMistakes,
  ...taskMistakes,
};
