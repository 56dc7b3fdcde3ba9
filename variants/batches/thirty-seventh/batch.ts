import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  type Client,
  type Received,
  type Service,
  at,
  editPath,
  listAt,
  many,
  spaceFiles,
  versionHeader,
} from '../service.ts';
import { callsOf, changeExtension, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { createHash } from 'node:crypto';
import { headerValues } from '../../../simulator/extension/entry.ts';

const filesMistakes: Batch = {
  'files.chunk-like-the-first': {
    source: 'extensions: File routes',
    breaks: 'Each chunk is a part of the file, also one with the bytes of another.',
    kind: 'place',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const first = new Map<string, string>();
      return (areas, chunk) => {
        if (chunk.number === 1) first.set(chunk.relativePath, chunk.md5);
        const isRepeated = chunk.number > 1 && first.get(chunk.relativePath) === chunk.md5;
        return isRepeated ? [Buffer.alloc(chunk.size)] : right(areas, chunk);
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('twice.txt', ['aaaa', 'aaaa', 'bb']);
      return (await edda.get(`${spaceFiles}/twice.txt`)).text !== 'aaaaaaaabb';
    },
  },
};

/** A password grant with this form. */
function grant({ nobody }: Service, form: string): Promise<Received> {
  return nobody.post('/auth/token', form, {
    authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
}

const accessMistakes: Batch = {
  'access.personal-token-after-an-hour': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens routes, also when it has been in use for longer than a JWT lives.',
    kind: 'moment',
    survives: 'How long a personal access token opens anything is not said; it may end an hour after its first use.',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const first = new Map<string, number>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'bearer' || credentials.token.includes('.')) return right(areas, credentials);
        const now = areas.clock.now();
        const since = first.get(credentials.token) ?? now;
        first.set(credentials.token, since);
        return now - since > 3_600_000 ? undefined : right(areas, credentials);
      };
    }),
    async shows({ edda, pass }) {
      const made = await edda.make('Part', { name: 'part' });
      await pass(3700);
      return (await edda.get(made.path)).status === 401;
    },
  },

  'access.second-grant-without-a-token': {
    source: 'core: Authentication 3',
    breaks: 'The answer to a grant contains a token, to the second one of a user as well.',
    kind: 'place',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const known = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        const count = (known.get(name) ?? 0) + 1;
        known.set(name, count);
        if (count !== 2) return answer;
        const { access_token: _lost, ...body } = answer.body as Record<string, unknown>;
        return { ...answer, body };
      };
    }),
    async shows(service) {
      const form = 'grant_type=password&username=emil&password=emil-password&scope=All';
      await grant(service, form);
      return typeof at((await grant(service, form)).json, '/access_token') !== 'string';
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' } as const;

/** Job of a task that this user schedules, whose call has gone out. */
async function scheduledBy(service: Service, user: Client): Promise<string> {
  const host = await service.host(() => [task]);
  const job = await user.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
  await service.pass(1);
  await reached(host, 1);
  await service.pass(1);
  return job.headers.get('location') ?? '';
}

const tasksMistakes: Batch = {
  'tasks.progress-for-administrators': {
    source: 'extensions: External task links',
    breaks: 'What a task reports of its progress is shown on the job, whoever has scheduled it.',
    kind: 'role',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) => {
      const space = areas.configuration.spaces.get(job.spaceId);
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(job.scheduledBy));
      return roles.includes('administrator') ? job : right(areas, job, progress);
    }),
    async shows(service) {
      const job = await scheduledBy(service, service.alma);
      await service.alma.put(`${job}/progress`, undefined, { message: 'half' });
      return at((await service.alma.get(job)).json, '/progress') !== 'half';
    },
  },

  'tasks.log-by-the-token-of-the-call': {
    source: 'extensions: External task status',
    breaks:
      'The path of a log lies in the unmanaged files of the job, also when it is reported with the token of the call.',
    kind: 'role',
    survives:
      'How a job tells of its files is not said (job-route): the path stands in what it shows, as it stands in an address.',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      const [, payload = ''] = (call.headers['authorization'] ?? '').split('.');
      const isOfTheCall = Buffer.from(payload, 'base64url').toString().includes('"impersonation"');
      const path = call.json?.['logFilePath'];
      if (!isOfTheCall || typeof path !== 'string' || call.params['status'] !== 'Failed')
        return right(areas, call, writing);
      return right(areas, { ...call, json: { ...call.json, logFilePath: `${call.user.name}/${path}` } }, writing);
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      const job = await scheduleTask(service);
      const [entry] = await reached(host, 1);
      const authorization = `Bearer ${entry?.envelope?.accessToken}`;
      await service.pass(1);
      const body = { logFilePath: 'folder/log.txt' };
      await service.nobody.send('PUT', `${job}/status/Failed`, { headers: { authorization }, body });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },
};

/** Objects of a multi-create, by the store that has them. */
const fresh = new WeakMap<object, Set<string>>();

const writingMistakes: Batch = {
  'writing.first-merge-after-a-multi-create': {
    source: 'core: Multi-create item',
    breaks: 'The data of an item is the content of its instance, of which a merge leaves what it does not name.',
    kind: 'moment',
    variant: together(
      replaces('multiCreate', 'multiCreateAnswer', (right, areas, call, items) => {
        const oids = fresh.get(areas.store) ?? new Set();
        for (const { oid } of items) oids.add(oid);
        fresh.set(areas.store, oids);
        return right(areas, call, items);
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        const { object } = call;
        const { note: _lost, ...content } = object.content;
        const isFresh = fresh.get(areas.store)?.delete(object.oid) ?? false;
        return right(areas, isFresh ? { ...call, object: { ...object, content } } : call, writing);
      }),
    ),
    async shows({ edda }) {
      const data = { name: 'part', note: 'kept' };
      const answer = await edda.multiCreate([{ $id: 'one', $softType: 'Part', data }]);
      const path = String(at(answer.json, '/0/href'));
      const made = { definition: 'Part', oid: path.split('/').at(-1) ?? '', path } as const;
      await edda.merge(made, 1, { remark: 'edited' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },

  'writing.deleted-after-an-edit-of-the-batch': {
    source: 'core: Batch operation',
    breaks: 'A DELETE of a batch deletes, also what an operation before it has edited.',
    kind: 'combination',
    variant: replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      const stored = await writing.object(object.spaceId, object.oid);
      if (stored?.content['remark'] === undefined || object.version < 2) return right(areas, writing, object);
      const { remark: _gone, ...content } = stored.content;
      return writing.updateObject(object.spaceId, object.oid, object.version + 1, content);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'delete' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { remark: 'edited' } },
        { method: 'DELETE', href: made.path },
      ]);
      return (await edda.get(made.path)).status !== 404;
    },
  },

  'many.unknown-definition-in-a-batch': {
    source: 'core: Multi-create item',
    breaks:
      'An item names the definition that is instantiated; one that there is not fails the request, in a batch too.',
    kind: 'place',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const { softTypes } = call.space.template;
      if (call.isSibling === undefined || !Array.isArray(call.json)) return right(areas, call, writing);
      const json = call.json.filter((item) => softTypes.has(String(at(item, '/$softType'))));
      return right(areas, { ...call, json }, writing);
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'one', $softType: 'Part', data: { name: 'part' } },
        { $id: 'two', $softType: 'Nothing', data: { name: 'none' } },
      ];
      const batch = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body: items }]);
      return batch.status === 200;
    },
  },
};

const callsMistakes: Batch = {
  'calls.correlation-of-the-request-before': {
    source: 'core: Events',
    breaks: 'A call has the correlation id of the request that triggered it, not that of the one before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        if (!call.correlationGiven) return kept.get(call.user.name) ?? right(areas, call);
        kept.set(call.user.name, call.correlationId);
        return right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const given = '5f1d0d2e-8a4f-4e0e-9f0a-3c1b2a4d5e6f';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': given });
      await service.edda.sendEvent('event', { second: true });
      await service.pass(1);
      const calls = await reached(host, 2);
      return calls.filter(({ envelope }) => envelope?.id === given).length === 2;
    },
  },

  'calls.third-header-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of the simple one: each of its headers is set on the call.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind === 'externalEndpoint') return request;
      const headers = Object.entries(request.headers ?? {});
      return { ...request, headers: Object.fromEntries(headers.slice(0, 2)) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = ['content-type', 'x-one', 'x-two'].map((name) => ({ name, value: 'application/json' }));
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      return entry !== undefined && headerValues(entry, 'x-two').length === 0;
    },
  },

  'calls.batch-of-a-form-by-roles': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A form that sends a batch has the array as its payload, whatever roles its user has.',
    kind: 'role',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      const content = at(payload, '/contentPayload');
      const roles = areas.auth.rolesOf(call.user, call.space);
      if (roles.length < 2 || !Array.isArray(content)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...(payload as object), contentPayload: { ...content } } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await service.emil.post('/api/space/main/externalAction/action', {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main/softtype/one' }],
      });
      const [entry] = callsOf(host, 'action');
      return entry !== undefined && !Array.isArray(at(entry.json, '/payload/contentPayload'));
    },
  },

  'calls.event-with-the-content-of-another': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one that says what another said that is queued still.',
    kind: 'place',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, string>();
      return async (areas, writing, delivery) => {
        const content = JSON.stringify(at(delivery.payload, '/contentPayload') ?? '');
        const digest = createHash('md5').update(`${delivery.recordId} ${delivery.userName} ${content}`).digest('hex');
        const known = await writing.delivery(queued.get(digest) ?? '');
        if (delivery.kind === 'event' && known !== undefined && known.attempts > 0) return true;
        queued.set(digest, delivery.id);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(1);
      await reached(host, 1);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(3, 4);
      return (await reached(host, 3, 1500)).length < 3;
    },
  },

  'calls.update-that-changes-nothing': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is updated, also with the fields that it has already.',
    kind: 'copy',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, extension, correlationId) => {
        const key = JSON.stringify(extension, Object.keys(extension).toSorted());
        const answer = kept.get(key) ?? (await right(areas, extension, correlationId));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url });
      await changeExtension(service, { hostUri: host.url });
      return host.entries(({ kind }) => kind === 'metadata').length < 3;
    },
  },
};

const readingMistakes: Batch = {
  'reading.page-in-another-charset': {
    source: 'core: What the service does',
    breaks: 'Payloads are JSON, which is UTF-8, on a later page as well.',
    kind: 'place',
    variant: replaces('paging', 'readPage', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      if (call.params.pageNumber === '0') return answer;
      return {
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'application/json' },
        raw: Buffer.from(JSON.stringify(answer.body), 'latin1').toString('utf8'),
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', files: many(11, (n) => ({ name: `größe ${n}` })) });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'größe 11';
    },
  },

  'reading.links-of-another-space': {
    source: 'core: What the service does',
    breaks: 'What stands behind the root of a space is the id of that space, in links to pages as well.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, ...rest) => {
      const [first = object.spaceId] = areas.configuration.spaces.keys();
      return right(areas, { ...object, spaceId: first }, ...rest);
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 'pages', sheets: many(11, (n) => ({ name: `sheet ${n}` })) });
      const page = listAt(await otto.read(made), '/links').find((link) => at(link, '/rel') === 'page');
      return !String(at(page, '/href')).includes('/space/depot/');
    },
  },

  'reading.second-entry-with-a-long-array': {
    source: 'core: Server side paging 2',
    breaks: 'Each array that is longer than ten has a page link, in the second entry that holds such a one as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const known = new Set<string>();
      return right(areas, ...args).filter((link) => {
        const path = link.sectionPath ?? '';
        if (link.rel !== 'page' || !path.includes('/')) return true;
        const name = path.replaceAll(/\/\d+\//g, '/');
        return !known.has(name) && known.add(name);
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (n) => ({ text: `revision ${n}` }));
      const files = many(2, (n) => ({ name: `file ${n}`, revisions }));
      const made = await edda.make('Document', { title: 'nested', files });
      return listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page').length !== 2;
    },
  },

  'reading.oid-with-a-leading-zero': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, also where it begins with a zero.',
    kind: 'value',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => {
      const members = right(areas, object);
      return { ...members, $oid: members.$oid.replace(/^0+/, '') };
    }),
    async shows({ edda }) {
      const items = many(50, (n) => ({ $id: `i${n}`, $softType: 'Part', data: { name: `part ${n}` } }));
      for (let round = 0; round < 8; round += 1)
        for (const item of listAt((await edda.multiCreate(items)).json, '')) {
          const href = String(at(item, '/href'));
          const oid = href.split('/').at(-1) ?? '';
          if (oid.startsWith('0')) return at((await edda.get(href)).json, '/data/$oid') !== oid;
        }
      return false;
    },
  },

  'reading.soft-type-inside-a-batch': {
    source: 'core: System properties inside data',
    breaks: 'The data names the definition of the object, in a read between two writes of a batch as well.',
    kind: 'moment',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const body = await right(areas, call, reading, object, view, filter);
      if (call.isChangedHere?.(object.oid) !== true) return body;
      return { ...body, data: { ...body.data, $softType: view.id } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const path = made.path.replace('/softtype/', '/softtype/Document/documentInput/');
      const headers = { 'Svc-UOIVersion': '1' };
      const batch = await edda.batch([
        { method: 'PATCH', href: path, headers, body: { note: 'edited' } },
        { method: 'GET', href: made.path },
      ]);
      return JSON.stringify(batch.json).includes('"$softType":"documentFull"');
    },
  },

  'reading.page-of-another-value': {
    source: 'core: Endpoint table',
    breaks: 'A page through a filter holds what has the value of this request, not that of the one before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        if (filter === undefined) return right(areas, call, reading, object, view, section, page, filter);
        const key = [object.oid, object.version, view.id, section.path, page, filter.filter.id].join(' ');
        const body = kept.get(key) ?? (await right(areas, call, reading, object, view, section, page, filter));
        kept.set(key, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const files = ['draw', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'values', files });
      await edda.page(made, 'files', 0, '?softTypeFilter=byCategory&fileGroup.category=draw');
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=byCategory&fileGroup.category=letter');
      return at(page.json, '/data/0/name') !== 'letter';
    },
  },

  'reading.version-in-a-filtered-summary': {
    source: 'core: Versioning 1',
    breaks: 'The data holds the version of the object, also through a filter and another output schema at once.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const body = await right(areas, call, reading, object, view, filter);
      if (filter === undefined || call.params.outputSchemaId === undefined) return body;
      return { ...body, data: { ...body.data, $version: 1 } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'summary' });
      await edda.merge(made, 1, { note: 'edited' });
      const path = made.path.replace('/softtype/', '/softtype/Document/documentSummary/');
      return at((await edda.get(`${path}?softTypeFilterId=drawings`)).json, '/data/$version') !== 2;
    },
  },
};

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtySeventh: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...callsMistakes,
};
