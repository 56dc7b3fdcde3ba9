import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch } from '../mistake.ts';
import { type Service, at, editPath, listAt, many, operationsPath, spaceFiles, versionHeader } from '../service.ts';
import { always, callsOf, named, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import type { Extension } from '../../../reference-server/areas/records.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { accessMistakes } from './access.ts';
import { callMistakes } from './calls.ts';

const fileMistakes: Batch = {
  'bulk.what-it-brought-stays': {
    source: 'extensions: File routes, row 4',
    breaks: 'A file that is deleted is gone, also one that bulk upload brought.',
    kind: 'combination',
    variant: bulkStays(),
    async shows(service) {
      const source = await service.directory();
      await writeFile(join(source, 'brought.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory: source, writeLog: false });
      await service.edda.delete(`${spaceFiles}/brought.txt`);
      return (await service.edda.get(`${spaceFiles}/brought.txt`)).status === 200;
    },
  },

  'chunks.path-of-eight-names': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'The target path has as many subdirectories as it says, be they more than seven.',
    kind: 'value',
    variant: replaces('fileAreas', 'relativePathOf', (right, areas, path) => right(areas, path).slice(0, 8)),
    async shows({ edda }) {
      const path = 'a/b/c/d/e/f/g/h/deep.txt';
      await edda.sendChunks(path, ['deep']);
      return (await edda.get(`${spaceFiles}/${path}`)).text !== 'deep';
    },
  },
};

function bulkStays(): Variant {
  return (classes) => {
    const brought = new Set<string>();
    return together(
      replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
        const place = right(areas, area, target, path);
        brought.add(JSON.stringify(place));
        return place;
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const { area, segments } = place;
        return brought.has(JSON.stringify({ area, segments })) || right(areas, place);
      }),
    )(classes);
  };
}

const objectMistakes: Batch = {
  'reading.no-ids-behind-a-write': {
    source: 'core: System properties inside data, $entryId',
    breaks: 'An entry that is read has its id, also by the batch that has just written its object.',
    kind: 'moment',
    variant: replaces('instances', 'readInstance', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      const data = at(answer.body, '/data');
      if (call.isChangedHere?.(call.object.oid) !== true || typeof data !== 'object') return answer;
      return { ...answer, body: { ...(answer.body as object), data: withoutIds(data) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n' }] });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      const answer = await edda.batch([edit, { method: 'GET', href: made.path }]);
      return answer.status === 200 && at(answer.json, '/1/body/data/files/0/$entryId') === undefined;
    },
  },

  'reading.template-is-encoded-from-memory': {
    source: 'core: Link object, href',
    breaks: 'A page link has the template of its number, in the second read of a version as well.',
    kind: 'moment',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const seen = new Set<string>();
      return async (areas, call, reading, object, view, assemble) => {
        const answer = await right(areas, call, reading, object, view, assemble);
        const key = `${object.oid} ${object.version} ${view.id}`;
        if (seen.has(key) && typeof answer.raw === 'string')
          return { ...answer, raw: answer.raw.replaceAll('{pageNumber}', '%7BpageNumber%7D') };
        seen.add(key);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.get(made.path);
      return !(await edda.get(made.path)).text.includes('{pageNumber}');
    },
  },

  'editing.put-by-another-schema-tells-the-old': {
    source: 'core: Common request headers, Svc-UOIVersion in responses',
    breaks: 'A PUT is answered with the new version, by whichever input schema it comes.',
    kind: 'combination',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const isFirst = call.place.softType.inputs.values().next().value === call.place.view;
      return isFirst ? answer : { ...answer, headers: { ...answer.headers, ...versionHeader(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.put(editPath(made).replace('documentInput', 'documentBrief'), 1, { title: 'u' });
      return answer.headers.get('svc-uoiversion') !== '2';
    },
  },

  'editing.put-leaves-what-is-nothing': {
    source: 'core: Endpoint table, PUT',
    breaks:
      'A field that the body of a PUT leaves out is removed, also one with zero, false or a text without characters.',
    kind: 'value',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const nothing = Object.entries(old).filter(([, value]) => value === 0 || value === false || value === '');
      return { ...Object.fromEntries(nothing), ...right(areas, old, given) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', confidential: false });
      await edda.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/confidential') === false;
    },
  },

  'versioning.who-insists-gets-through': {
    source: 'core: Errors 409',
    breaks: 'A version that is not that of the object is refused, when it is sent for the second time too.',
    kind: 'moment',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const refused = new Set<string>();
      return (areas, call, object) => {
        const key = `${object.oid} ${object.version} ${call.headers['svc-uoiversion']} ${call.method}`;
        if (refused.has(key)) return object.version;
        try {
          return right(areas, call, object);
        } catch (error) {
          if (call.headers['svc-uoiversion'] !== undefined) refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'a' });
      await edda.merge(made, 1, { note: 'b' });
      return (await edda.merge(made, 1, { note: 'b' })).status === 204;
    },
  },

  'paging.references-have-one-more-page': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'A page holds no more than ten entries, one of references as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, {
        paging: { pageRange: (number) => ({ from: number * 10, to: number * 10 + 1000 }) },
      });
      const isWhole = section.member.kind === 'references' && page > 0;
      return right(isWhole ? whole : areas, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'n' });
      const describes = many(21, () => ({ value: { $oid: part.oid } }));
      const made = await edda.make('Document', { title: 't', describes });
      return listAt((await edda.page(made, 'describes', 1)).json, '/data').length > 10;
    },
  },
};

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== '$entryId');
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutIds(inner)]));
}

const taskMistakes: Batch = {
  'api-keys.of-endpoints-stay': {
    source: 'extensions: Authentication 5; Limits, permission key rotation',
    breaks: 'Keys rotate every 24 hours, those of a trusted endpoint as well.',
    kind: 'copy',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const still = within(areas, { apiKeys: { isKeyDue: () => false, isKeyValid: () => true } });
      return right(holder.recordId === undefined ? still : areas, writing, holder, permissions);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 200 }) });
      const tokenCallback = `${host.url}/keys`;
      const permissions = { tokenCallback, permissions: ['SnapshotAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      await acquire(service, 'hook', tokenCallback);
      await service.pass(25 * 3600);
      await acquire(service, 'hook', tokenCallback);
      const keys = host.entries(({ kind }) => kind !== 'metadata').map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 2 && keys[0] === keys[1];
    },
  },

  'tasks.directory-of-a-file-in-the-root': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link of the directory leads to the one with the input, which may be the root of the area.',
    kind: 'value',
    survives: "shows only where the trigger, which is the service's own, names a path without a slash before it",
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputDir' && !inputPath.includes('/') ? { ...link, url: `${link.url}/${inputPath}` } : link,
      ),
    ),
    async shows(service) {
      const links = await linksOf(service, 'input.csv');
      const link = links.find((each) => at(each, '/id') === 'inputDir');
      return String(at(link, '/url')).endsWith('/input.csv');
    },
  },

  'tasks.end-of-the-longer-progress': {
    source: 'extensions: External task links, taskProgress; Callbacks from an external task',
    breaks: 'The progress of a job is the text that was reported last, be it shorter than the one before.',
    kind: 'copy',
    survives: 'a job may show former messages beside the last one',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress + (job.progress ?? '').slice(progress.length)),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 200 }));
      const path = await scheduleTask(service);
      for (const message of ['half of it is done', 'done'])
        await service.edda.put(`${path}/progress`, undefined, { message });
      return at((await service.edda.get(path)).json, '/progress') !== 'done';
    },
  },

  'validation.nonsense-after-a-retry-is-a-yes': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also when it comes on a retry.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      const outcome = await right(areas, delivery, callee, count);
      if (delivery.kind !== 'validation' || count === 1 || outcome.kind !== 'answered') return outcome;
      const isMalformed = outcome.status === 200 && !outcome.body.includes('isValid');
      return isMalformed ? { ...outcome, body: '{"isValid":true,"message":""}' } : outcome;
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        () => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }],
        [{ steps: [{ status: 503 }, { status: 200, text: 'nonsense' }], afterwards: 'last' }],
      );
      const made = await service.edda.make('Document', { title: 't' });
      const moved = service.edda.move(made, 1);
      await reached(host, 1);
      for (let left = 5; left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await service.pass(3);
      }
      return (await moved).status === 204;
    },
  },

  'metadata.fetched-again-after-a-404': {
    source: 'extensions: Metadata exchange; Versioning',
    breaks: 'Metadata is fetched when an extension is added or updated, and not because an endpoint was not found.',
    kind: 'moment',
    variant: fetchingAgain(),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent('event');
      await service.pass(1, 3);
      await reached(host, 1);
      await service.pass(1, 2);
      return callsOf(host, 'metadata').length > 1;
    },
  },
};

function fetchingAgain(): Variant {
  return (classes) => {
    const known = new Map<string, Extension>();
    return together(
      replaces('outgoingCalls', 'preparedRequest', async (right, areas, delivery, callee, count) => {
        const request = await right(areas, delivery, callee, count);
        if ('extension' in callee) known.set(request.url, callee.extension);
        return request;
      }),
      replaces('outgoingCalls', 'call', async (right, areas, request) => {
        const outcome = await right(areas, request);
        const extension = known.get(request.url);
        if (extension !== undefined && outcome.kind === 'answered' && outcome.status === 404)
          await right(areas, areas.metadata.metadataRequest(extension, 'again'));
        return outcome;
      }),
    )(classes);
  };
}

async function acquire({ cora }: Service, id: string, tokenCallback: string): Promise<void> {
  await cora.post(`/api/collection/externalExtension/acquireAccessToken/${id}`, {
    tokenCallback,
    permissions: ['SnapshotAPI'],
  });
}

/** Links that a task with this input gets. */
async function linksOf(service: Service, inputPath: string): Promise<readonly unknown[]> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], always({ status: 200 }));
  await scheduleTask(service, { inputPath });
  const [call] = await reached(host, 1);
  return listAt(call?.envelope?.payload, '/links');
}

const createPart = '/api/space/main/softtype/Part/partInput';

const listMistakes: Batch = {
  'batch.patch-from-the-tenth-on-replaces': {
    source: 'core: Batch operation, method; Batch rules 5',
    breaks: 'PATCH edits only what its body names, wherever in the batch it stands.',
    kind: 'place',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      const isMerge = operation.method === 'PATCH' && !Array.isArray(operation.body);
      return isMerge && index >= 10 ? { ...operation, method: 'PUT' } : operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', remark: 'r' });
      const reads = many(10, () => ({ method: 'GET', href: made.path }));
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'u' } };
      await edda.batch([...reads, edit]);
      return at(await edda.read(made), '/data/remark') === undefined;
    },
  },

  'batch.status-of-the-failed-is-a-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'A status code is an integer, also that of the operation by which the batch fails.',
    kind: 'moment',
    variant: replaces('batch', 'resultsOfUndone', (right, areas, batch, count, failedIndex, failed) => {
      const results = right(areas, batch, count, failedIndex, failed);
      return results.map((result) =>
        result === failed ? { ...result, statusCode: String(result.statusCode) as never } : result,
      );
    }),
    async shows({ edda }) {
      const answer = await edda.batch([{ method: 'POST', href: createPart, body: {} }]);
      return typeof at(answer.json, '/0/statusCode') !== 'number';
    },
  },

  'multi-create.last-of-fifty-has-no-entries': {
    source: 'core: Multi-create item, data',
    breaks: 'An item has all of its data, the last of the most that there may be as well.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(
        areas,
        call,
        writing,
        items,
        inputs.map((input, index) => (index < 49 ? input : { ...input, arrays: new Map() })),
      ),
    ),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $softType: 'Part', data: { name: `n${number}`, usages: named(1) } }));
      const made = await edda.multiCreate(items);
      const read = await edda.get(String(at(made.json, '/49/href')));
      return read.status === 200 && listAt(read.json, '/data/usages').length === 0;
    },
  },

  'operations.test-passes-behind-the-first': {
    source: 'core: Patch operation, op',
    breaks: 'An operation that is none of the three makes the list fail, behind others as well.',
    kind: 'place',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(
        areas,
        Array.isArray(body) ? body.filter((item, index) => index === 0 || at(item, '/op') !== 'test') : body,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'test', path: '/title', value: 'something else' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },

  'batch.reads-are-kept-for-the-next': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that reads tells how the objects are, also when the same one was sent before.',
    kind: 'copy',
    variant: breaks('batch', 'runBatch', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, writing, table) => {
        const readsOnly = call.json.every((operation) => at(operation, '/method') === 'GET');
        const key = `${call.space.id} ${call.user.name} ${JSON.stringify(call.json)}`;
        const answer = (readsOnly ? kept.get(key) : undefined) ?? (await right(areas, call, writing, table));
        if (readsOnly) kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = [{ method: 'GET', href: made.path }];
      await edda.batch(read);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.batch(read)).json, '/0/body/version') === 1;
    },
  },

  'batch.type-in-small-letters': {
    source: 'core: Operations-based PATCH rules 1',
    breaks:
      'The content type makes it an operations PATCH, also in a batch that spells the name of the header in small letters.',
    kind: 'place',
    survives: 'how names of headers may be spelled inside a batch is not said',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { 'content-type': _unseen, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), 'content-type': 'application/json-patch+json' },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
      ]);
      return answer.status !== 200;
    },
  },

  'batch.a-hundred-results': {
    source: 'core: Batch rules 3; Limits, operations per batch',
    breaks: 'There is a result for each operation, also of more than a hundred that read and write.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const statuses = new Set(results.map(({ statusCode }) => statusCode));
      return right(areas, statuses.has(200) && statuses.has(201) ? results.slice(0, 100) : results);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const reads = many(100, () => ({ method: 'GET', href: made.path }));
      const answer = await edda.batch([...reads, { method: 'POST', href: createPart, body: { name: 'n' } }]);
      return listAt(answer.json, '').length !== 101;
    },
  },
};

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const fortyFirst: Batch = {
  ...accessMistakes,
  ...objectMistakes,
  ...listMistakes,
  ...fileMistakes,
  ...callMistakes,
  ...taskMistakes,
};
