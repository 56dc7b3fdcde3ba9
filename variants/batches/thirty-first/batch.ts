import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, hostKey, listAt, many, md5, movePath, spaceFiles, versionHeader } from '../service.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { always, callsOf, logged, registerEndpoint } from '../proofs.ts';
import { isContent } from '../../../reference-server/areas/content.ts';

const filesMistakes: Batch = {
  'chunks.texts-behind-the-file': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The form has the part of the file and text parts, which may stand behind it.',
    kind: 'place',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      const at = parts.findIndex(({ name }) => name === 'file');
      return at < 0 ? parts : parts.slice(0, at + 1);
    }),
    async shows({ edda }) {
      const texts = {
        resumableTotalSize: '4',
        resumableChunkNumber: '1',
        resumableChunkSize: '4',
        resumableCurrentChunkSize: '4',
        resumableTotalChunks: '1',
        resumableType: 'text/plain',
        resumableFilename: 'c.txt',
        resumableRelativePath: 'chunked/c.txt',
      };
      const form = new FormData();
      form.set('file', new Blob(['text']), 'c.txt');
      for (const [name, text] of Object.entries(texts)) form.set(name, text);
      const request = new Response(form);
      const type = request.headers.get('content-type') ?? '';
      const headers = { checksum: md5('text'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 300;
    },
  },
};

const failing = always({ status: 503 });

const callMistakes: Batch = {
  'calls.upper-case-identifiers': {
    source: 'core: Events',
    breaks: 'The correlation id of the request is passed on as it is, a GUID in upper case too.',
    kind: 'value',
    survives: 'Letter case is a matter of the spelling of a GUID (ledger envelope-id-guid-form); it is remarked on.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = '6F9619FF-8B86-4D01-B42D-00CF4FC964FF';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1, 2);
      return callsOf(host, 'event')[0]?.envelope?.id !== id;
    },
  },

  'metadata.below-the-origin': {
    source: 'extensions: Metadata exchange',
    breaks: 'The route of the metadata is below the base URL of the host, also where that has a path.',
    kind: 'place',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) =>
      right(areas, { ...extension, hostUri: new URL(extension.hostUri).origin }, correlationId),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.clearJournal();
      const body = { hostUri: `${host.url}/deep`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target.startsWith('/deep/'));
    },
  },

  'actions.errors-for-others-are-general': {
    source: 'extensions: Errors 4',
    breaks: 'The messages of an action that failed reach its user, whatever role that has.',
    kind: 'role',
    survives: 'What the service itself answers to whoever runs an action is not shown (ledger trigger-action-binding).',
    variant: replaces('triggers', 'runAction', async (right, areas, call): Promise<Answer> => {
      const answer = await right(areas, call);
      if (answer.status !== 500 || areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      return { ...answer, raw: JSON.stringify({ errors: [{ message: 'The action failed.' }] }) };
    }),
    async shows(service) {
      await service.host(
        () => [{ id: 'act', extensionType: 'ExternalAction' }],
        always({ status: 500, json: { errors: [{ message: 'no paper' }] } }),
      );
      const answer = await service.edda.post('/api/space/main/externalAction/act', { kind: 'ribbon' });
      return at(answer.json, '/errors/0/message') !== 'no paper';
    },
  },
};

const retryMistakes: Batch = {
  'retries.not-of-unimplemented-methods': {
    source: 'extensions: Errors 1',
    breaks: 'Any 5xx of an endpoint is transient, 501 as well.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.kind === 'endpoint' && outcome.kind === 'answered' && outcome.status === 501
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 501 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(1, 4);
      return host.entries(({ target }) => target.startsWith('/hook')).length < 2;
    },
  },

  'log.no-entry-twice-in-a-row': {
    source: 'extensions: Events 3',
    breaks: 'Each event that is cancelled leaves an entry in the log, also when the one before it was cancelled too.',
    kind: 'copy',
    survives: 'How the log is read is not shown (ledger log-access), so that its entries are observed only.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      let last = '';
      return async (areas, writing, entry) => {
        const text = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.kind === 'cancelled' && text === last;
        last = text;
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], failing);
      const events = [await service.edda.sendEvent(), await service.edda.sendEvent()];
      for (const event of events) await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length < 2;
    },
  },
};

const taskMistakes: Batch = {
  'tasks.directory-cut-to-its-first-name': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link to the directory leads to the one that holds the input, also two directories down.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) => {
        const [area = '', rest = ''] = link.url.split('/fs/dir/');
        return link.id === 'inputDir' && rest !== '' ? { ...link, url: `${area}/fs/dir/${rest.split('/')[0]}` } : link;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a/b/c.csv' });
      await service.pass(1, 2);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      return !links.some((link) => String(at(link, '/url')).endsWith('/fs/dir/a/b'));
    },
  },

  'tasks.progress-hidden-from-readers': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message of a task is shown on its job, whoever reads that.',
    kind: 'role',
    survives: 'How a job is read, and by whom, is not shown (ledger job-route).',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = await right(areas, call, reading);
      if (call.method !== 'GET' || areas.auth.mayUse(call.user, call.space, 'PUT')) return job;
      const { progress: _hidden, ...shown } = job;
      return shown;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a/c.csv' });
      await service.pass(1, 2);
      const path = job.headers.get('location') ?? '';
      await service.edda.put(`${path}/progress`, undefined, { message: 'half of it' });
      return !(await service.rita.get(path)).text.includes('half of it');
    },
  },
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const readingMistakes: Batch = {
  'reading.soft-type-of-readers': {
    source: 'core: System properties, $softType',
    breaks: 'The SoftType in the data is the definition, whoever reads it.',
    kind: 'role',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const instance = await right(areas, call, reading, object, view, filter);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return instance;
      return { ...instance, data: { ...instance.data, $softType: view.id } };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'n' });
      return at(await rita.read(made), '/data/$softType') !== 'Part';
    },
  },

  'reading.no-identifier-in-other-views': {
    source: 'core: System properties, $oid',
    breaks: 'Data hold the identifier of the object under a second output schema as well.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const [first] = space.template.softTypes.get(object.softType)?.outputs.values() ?? [];
      if (first?.id !== view.id) Reflect.deleteProperty(data, '$oid');
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return at(read.json, '/data/$oid') !== made.oid;
    },
  },

  'links.pages-of-inner-arrays-are-posted': {
    source: 'core: Link object, method',
    breaks: 'The method of a link is that by which it is followed, for an array inside an entry too.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.items === undefined ? link : { ...link, method: 'POST' };
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `t${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      return links.some((link) => at(link, '/rel') === 'page' && at(link, '/method') !== 'GET');
    },
  },

  'openapi.paths-of-the-first-space': {
    source: 'core: What the service does, dynamic routes',
    breaks: 'The definitions of a space are those of its template, also after those of another one were asked for.',
    kind: 'copy',
    survives: 'That a document holds paths of its own space alone is not said; its own SoftTypes are all in it here.',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let paths: object = {};
      return (areas, space) => {
        const document = right(areas, space);
        paths = { ...paths, ...Object(document['paths']) };
        return { ...document, paths };
      };
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const { text } = await edda.get('/space/depot/SoftType/dynamic/softtype.openApi');
      return text.includes('Requirement');
    },
  },

  'caching.tag-of-a-list-by-its-ids': {
    source: 'core: Versioning 4',
    breaks: 'A list in which one item was changed is changed data, though the same items are in it.',
    kind: 'combination',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const items = listAt(answer.body, '/data').map((item) => at(item, '/id'));
      if (items.length === 0 || answer.raw !== undefined) return right(areas, call, answer);
      const tag = areas.caching.etagOf(JSON.stringify([call.url, items]));
      return right(within(areas, { caching: { etagOf: () => tag } }), call, answer);
    }),
    async shows({ cora }) {
      const path = '/api/admin/externalEndpoint';
      const endpoint = { id: 'hook', method: 'POST', category: 'c', url: 'http://127.0.0.1:9/a' };
      const headers = [{ name: 'content-type', value: 'application/json' }];
      await cora.post(path, { ...endpoint, headers });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(`${path}/hook`, undefined, { ...endpoint, headers, category: 'd' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },

  'creating.location-of-a-neighbour': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The location of a create leads to what it has created, also while others create.',
    kind: 'moment',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      let last: string | undefined;
      return async (areas, route, call) => {
        const answer = await right(areas, route, call);
        if (answer.status !== 201 || call.params['inputSchemaId'] === undefined) return answer;
        last = answer.headers?.['Location'];
        await pause(2);
        return { ...answer, headers: { ...answer.headers, Location: last ?? '' } };
      };
    }),
    async shows({ edda }) {
      const made = await Promise.all(many(12, (number) => edda.make('Part', { name: `n${number}` })));
      return new Set(made.map(({ oid }) => oid)).size < made.length;
    },
  },

  'profile.spaces-in-names': {
    source: 'core: What the service does, collection level',
    breaks: 'A display name is kept as it was given, with all its blanks.',
    kind: 'value',
    survives: 'Fields of user profiles are not shown, nor what form of a display name is kept.',
    variant: replaces('collection', 'putProfile', (right, areas, call, writing) =>
      right(areas, { ...call, json: { displayName: call.json.displayName.replace(/ {2,}/g, ' ') } }, writing),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora  Collection' });
      return at((await cora.get(path)).json, '/displayName') !== 'Cora  Collection';
    },
  },

  'filter.former-one-instead-of-an-empty-one': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'A call carries the filter of its own trigger, also where that is empty and an earlier one was not.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const former = new Map<string, string>();
      return (areas, call) => {
        const filter = right(areas, call);
        if (filter === encoded({})) return former.get(call.user.name) ?? filter;
        former.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const dated = encoded({ time: '2020-01-01T00:00:00Z' });
      await service.edda.sendEvent('event', {}, { 'Svc-InformationFilter': dated });
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'plain' });
      await service.pass(1, 2);
      return host
        .entries(({ envelope }) => envelope?.id === 'plain')
        .some(({ json }) => at(json, '/informationFilter') === dated);
    },
  },
};

const referring = new Set(['describes', 'describedBy', 'satisfiedBy', 'affected']);

const versionMistakes: Batch = {
  'versions.references-do-not-count': {
    source: 'core: Versioning 2',
    breaks: 'Each edit raises the version, also one that touches references alone.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = operations.map((operation) => String(at(operation, '/path')).split('/')[1] ?? '');
      const isRelation = paths.length > 0 && paths.every((name) => referring.has(name));
      return isRelation ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'n' });
      const made = await edda.make('Document', { title: 't' });
      await edda.operate(made, 1, [{ op: 'add', path: '/describes/-', value: { id: 'x', value: { $oid: part.oid } } }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },

  'versions.taken-from-the-body': {
    source: 'core: Errors rule 2',
    breaks: 'Without the version header a PUT is refused, whatever its body says of the version.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isAbsent = call.headers['svc-uoiversion'] === undefined;
      const body: unknown = isAbsent && call.body !== undefined ? areas.messages.jsonBodyOf(call) : undefined;
      return at(body, '/$version') === object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.replace(made, undefined, { $version: 1, title: 'u' })).status === 204;
    },
  },

  'versions.repeated-request-passes': {
    source: 'core: Errors rule 1',
    breaks: 'An edit made for a former version is refused, also when it is the very one that was made for it before.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const accepted = new Set<string>();
      return (areas, call, object) => {
        const key = `${call.method} ${call.url} ${call.headers['svc-uoiversion']} ${call.body?.toString() ?? ''}`;
        if (accepted.has(key)) return object.version;
        const version = right(areas, call, object);
        accepted.add(key);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { title: 'u' });
      return (await edda.merge(made, 1, { title: 'u' })).status !== 409;
    },
  },
};

const editingMistakes: Batch = {
  'merge.inner-members-of-another-object': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge gives an object the members of its body, and none of what was merged into another one.',
    kind: 'copy',
    variant: breaks('editing', 'mergePatch', (right) => {
      let shared: object = {};
      return (areas, target, edits) => {
        const merged = right(areas, target === undefined ? shared : target, edits);
        if (target === undefined) shared = merged;
        return merged;
      };
    }),
    async shows({ edda }) {
      const one = await edda.make('Document', { title: 't' });
      const other = await edda.make('Document', { title: 't' });
      await edda.merge(one, 1, { dimensions: { width: '1' } });
      await edda.merge(other, 1, { dimensions: { height: '2' } });
      return at(await edda.read(other), '/data/dimensions/width') !== undefined;
    },
  },

  'operations.twice-with-two-roles': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'A list of operations is applied once, also for a user who holds a role on two participants.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      for (const _role of areas.auth.rolesOf(run.call.user, run.call.space)) await right(areas, run, target, contents);
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      await emil.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'n' } }]);
      return listAt(await emil.read(made), '/data/files').length !== 1;
    },
  },

  'operations.administrators-replace-arrays': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'A list is applied as operations, which append, whoever sends it.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const isHigh = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      if (isHigh) await run.writing.replaceEntries(run.object.oid, target.steps.at(-1)?.name ?? '', []);
      await right(areas, run, target, contents);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', files: [{ name: 'a' }] });
      await alma.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'b' } }]);
      return listAt(await alma.read(made), '/data/files').length !== 2;
    },
  },
};

const batchMistakes: Batch = {
  'batch.href-of-an-inner-host': {
    source: 'core: What the service does, gateway',
    breaks: 'A client talks to the gateway alone: the href of a promote in a batch leads there too.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      if (call.params['levelId'] === undefined || !isContent(body)) return body;
      return { ...body, href: `http://node-1.internal:8080${String(body['href'])}` };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return String(at(answer.json, '/0/body/href')).includes('internal');
    },
  },

  'batch.later-merges-are-plain-successes': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of a merge in a batch is that of a merge, behind the first operation as well.',
    kind: 'place',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const isLater = seen.has(call.correlationId);
        seen.add(call.correlationId);
        return isLater && call.method === 'PATCH' && result.statusCode === 204
          ? { ...result, statusCode: 200 }
          : result;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'a' }), await edda.make('Part', { name: 'b' })];
      const merges = [one, other].map((made) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(1),
        body: { note: 'n' },
      }));
      return at((await edda.batch(merges)).json, '/1/statusCode') !== 204;
    },
  },
};

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtyFirst: Batch = {
  ...readingMistakes,
  ...versionMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...callMistakes,
  ...retryMistakes,
  ...taskMistakes,
  ...filesMistakes,
};
