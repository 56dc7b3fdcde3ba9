import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, operationsPath, spaceFiles, versionHeader } from '../service.ts';
import { randomUUID } from 'node:crypto';
import { combinedVerdict } from '../../../reference-server/areas/validation.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { always, callsOf, logged, reached, registerEndpoint, scheduleTask } from '../proofs.ts';

const filesMistakes: Batch = {
  'files.last-chunk-at-its-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal chunk size places a chunk, also the last one, which may be shorter.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const size = [...chunk.pieces].reduce((sum, piece) => sum + piece.length, 0);
      return chunk.number > 2 && size < chunk.chunkSize
        ? right(areas, { ...chunk, number: chunk.number - 1 }) + size
        : right(areas, chunk);
    }),
    async shows({ edda }) {
      await edda.sendChunks('short.txt', ['aaaa', 'bbbb', 'cc']);
      return (await edda.get(`${spaceFiles}/short.txt`)).text !== 'aaaabbbbcc';
    },
  },
};

/** Files of two categories in turn. */
const mixed = (count: number) =>
  many(count, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));

const readingMistakes: Batch = {
  'reading.references-by-their-target': {
    source: 'core: Link object, sectionPath',
    breaks: 'sectionPath is the name of the array, also of one that holds references.',
    kind: 'value',
    survives: 'ledger section-path-form: which text stands for an array is open',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.member.kind === 'references' ? { ...link, sectionPath: section.member.to } : link;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'part' });
      const describes = many(11, (number) => ({ id: `r${number}`, value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return !listAt(await edda.read(made), '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },

  'reading.filtered-page-numbers-anew': {
    source: 'core: Page response, data',
    breaks: 'An entry of a page has its own $entryId, whether or not a filter left others out.',
    kind: 'combination',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (filter === undefined) return body;
        return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filtered', files: mixed(6) });
      const entries = listAt(await edda.read(made), '/data/files');
      const page = listAt((await edda.page(made, 'files', 0, '?softTypeFilter=drawings')).json, '/data');
      return at(page[0], '/$entryId') !== at(entries[1], '/$entryId');
    },
  },
};

const accessMistakes: Batch = {
  'access.no-token-without-role': {
    source: 'core: Authentication 3',
    breaks: 'The answer of the token endpoint contains access_token, whatever role the user has.',
    kind: 'role',
    variant: replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const answer = right(areas, form, token);
      const user = areas.configuration.users.get(form.get('username') ?? '');
      const spaces = [...areas.configuration.spaces.values()];
      const hasRole =
        user?.collectionAdministrator || spaces.some((space) => user && areas.auth.rolesOf(user, space)[0]);
      return hasRole ? answer : { ...answer, body: { token } };
    }),
    async shows({ nobody }) {
      const form = 'grant_type=password&username=nora&password=nora-password&scope=All';
      const answer = await nobody.post('/auth/token', form, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return typeof at(answer.json, '/access_token') !== 'string';
    },
  },
};

const deliveryMistakes: Batch = {
  'delivery.another-id-for-the-second-validator': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id is passed on to every extension that a request calls, not only to the first.',
    kind: 'place',
    variant: replaces('validation', 'verdictOn', async (_right, areas, call, object, validators) => {
      const verdicts = validators.map((validator, index) =>
        areas.validation.askValidator(index === 0 ? call : { ...call, correlationId: randomUUID() }, object, validator),
      );
      return combinedVerdict(await Promise.all(verdicts));
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const validator = (id: string) => ({ id, extensionType: 'ExternalValidation' as const, capabilities });
      const host = await service.host(() => [validator('one'), validator('two')], valid);
      const { oid } = await service.edda.make('Document', { title: 'validated' });
      const headers = { 'svc-uoiversion': '1', 'x-correlation-id': '5c0c3c55-7a4a-4b5e-9a53-2f6f7a1f5a01' };
      await service.edda.send('PUT', `/api/space/main/maturityAction/promote/${oid}/release/engineering`, { headers });
      return callsOf(host, 'validation').some(({ envelope }) => envelope?.id !== headers['x-correlation-id']);
    },
  },

  'delivery.mail-taken-with-created': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: '201 is a success of a mail, as 200 is.',
    kind: 'value',
    survives: 'ledger log-access: such a mail goes out once either way, only a log entry differs',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      return (
        right(areas, kind, outcome) && !(kind === 'email' && outcome.kind === 'answered' && outcome.status === 201)
      );
    }),
    async shows(service) {
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'delivery.rate-shared-by-host': {
    source: 'extensions: Limits, rate limit',
    breaks: 'Each endpoint has executions of its own, also when another one leads to the same host.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return 'endpoint' in callee ? { ...policy, rateKey: new URL(callee.url).origin } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', {
          id,
          url: `${host.url}/${id}`,
          rateLimitNumberOfExecutions: 2,
        });
      for (const id of ['one', 'one', 'two']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return (await reached(host, 3, 1500)).length < 3;
    },
  },

  'delivery.deleted-while-held-back': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also while the rate limit holds it back.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && areas.clock.now() - delivery.dueAt > 5000;
      return isHeld || right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const second = await service.edda.sendEvent();
      await service.pass(6);
      await service.edda.delete(second.headers.get('location') ?? '');
      await service.pass(30, 5);
      return callsOf(host, 'event').length > 1;
    },
  },

  'endpoint.switched-off-with-its-neighbour': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'active switches one endpoint, and not another one with the same address.',
    kind: 'copy',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Set<string>();
      return (areas, registration) => {
        const active = right(areas, registration);
        if (registration.kind !== 'externalEndpoint') return active;
        const own = `${registration.url} ${registration.id}`;
        if (active) off.delete(own);
        else off.add(own);
        return active && ![...off].some((key) => key.startsWith(`${registration.url} `));
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/same`;
      await registerEndpoint(service, 'externalEndpoint', { id: 'off', url, active: false });
      await registerEndpoint(service, 'externalEndpoint', { id: 'on', url });
      await service.edda.sendToEndpoint('off');
      await service.edda.sendToEndpoint('on');
      await service.pass(1);
      return (await reached(host, 1, 1500)).length < 1;
    },
  },

  'endpoint.configured-type-replaced-for-text': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The call carries the headers that are configured, also when its content is a plain text.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (typeof delivery.payload !== 'string') return request;
      const headers = Object.entries(request.headers).map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? 'text/plain' : value,
      ]);
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [{ name: 'content-type', value: 'text/html' }];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint('hook', '<p>text</p>');
      await service.pass(1);
      return (await reached(host, 1)).some((entry) => !headerValues(entry, 'content-type').includes('text/html'));
    },
  },
};

const payloadMistakes: Batch = {
  'task.settings-of-the-task-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'taskSettings are those configured for this task, without any of an earlier one.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let before = {};
      return (areas, body) => {
        const payload = right(areas, body);
        before = { ...before, ...payload.taskSettings };
        return { ...payload, taskSettings: before };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { taskSettings: { first: true } });
      await scheduleTask(service, { taskSettings: { second: true } });
      const calls = await reached(host, 2);
      return calls.some(({ envelope }) => {
        const settings = at(envelope, '/payload/taskSettings');
        return at(settings, '/first') === true && at(settings, '/second') === true;
      });
    },
  },

  'metadata.twenty-records-at-most': {
    source: 'extensions: Metadata exchange',
    breaks: 'Every record of the metadata is known, however many a host has.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => right(areas, items.slice(0, 20))),
    async shows(service) {
      const host = await service.host(() => many(21, (number) => ({ id: `event-${number}` })));
      await service.edda.sendEvent('event-21');
      await service.pass(1);
      return (await reached(host, 1, 1500)).length < 1;
    },
  },
};

/** Valid, whoever asks. */
const valid = always({ status: 200, json: { isValid: true, message: '' } });

const operationsMistakes: Batch = {
  'operations.list-sent-again': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'Every accepted list of operations is carried out, also one that reads as the one before.',
    kind: 'copy',
    variant: breaks('operations', 'applyOperations', (right) => {
      const last = new Map<string, string>();
      return async (areas, run, operations) => {
        const text = JSON.stringify(operations);
        if (last.get(run.object.oid) === text) return;
        await right(areas, run, operations);
        last.set(run.object.oid, text);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'again' });
      const add = { op: 'add', path: '/contacts', value: { name: 'same' } };
      await edda.operate(made, 1, [add]);
      await edda.operate(made, 2, [add]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
};

const editingMistakes: Batch = {
  'editing.put-keeps-what-was-reviewed': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body of a PUT leaves out is removed, after a promote as well.',
    kind: 'moment',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const content = right(areas, old, given);
      return JSON.stringify(old).includes('"state":"reviewed"') ? { ...old, ...content } : content;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'old' });
      await edda.move(made, 1);
      await edda.replace(made, 2, { title: 'put' });
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
};

const maturityMistakes: Batch = {
  'maturity.last-state-with-old-version': {
    source: 'core: States and transitions',
    breaks: 'A promote at version n gives n+1, the one into the last state as well.',
    kind: 'moment',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { states, current } = call.place;
      const headers = { ...answer.headers, 'Svc-UOIVersion': String(call.object.version) };
      return states.indexOf(current) === states.length - 2 ? { ...answer, headers } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'last' });
      await edda.move(made, 1);
      return (await edda.move(made, 2)).headers.get('svc-uoiversion') !== '3';
    },
  },

  'maturity.second-demote-with-old-version': {
    source: 'core: Endpoint table, PUT demote',
    breaks: 'Every PUT returns the new version, the second demote of an object as well.',
    kind: 'moment',
    variant: breaks('maturity', 'demoteObject', (right) => {
      const seen = new Set<string>();
      return async (areas, call, writing) => {
        const answer = await right(areas, call, writing);
        const { oid, version } = call.object;
        const again = seen.has(oid);
        seen.add(oid);
        return again ? { ...answer, headers: { ...answer.headers, 'Svc-UOIVersion': String(version) } } : answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      await edda.move(made, 3, 'demote');
      return (await edda.move(made, 4, 'demote')).headers.get('svc-uoiversion') !== '5';
    },
  },
};

const manyMistakes: Batch = {
  'batch.one-operation-of-a-list': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the whole payload of its request, a list of patch operations as well.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      const { call } = prepared;
      const body: unknown = call.method === 'PATCH' && call.body ? JSON.parse(call.body.toString()) : undefined;
      if (!Array.isArray(body)) return prepared;
      return { ...prepared, call: { ...call, body: Buffer.from(JSON.stringify(body.slice(0, 1))) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'list' });
      const body = [
        { op: 'add', path: '/note', value: 'note' },
        { op: 'add', path: '/remark', value: 'remark' },
      ];
      const headers = { ...versionHeader(1), 'content-type': 'application/json-patch+json' };
      await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }]);
      return at(await edda.read(made), '/data/remark') !== 'remark';
    },
  },

  'batch.version-of-a-promote-as-text': {
    source: 'core: Batch result, body',
    breaks: 'version is an integer in every result, that of a promote as well.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      return call.url.includes('/maturityAction/') && typeof body === 'object'
        ? { ...body, version: String(version) }
        : body;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'promoted' });
      const href = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
      const answer = await edda.batch([{ method: 'PUT', href, headers: versionHeader(1) }]);
      return at(answer.json, '/0/body/version') !== 2;
    },
  },

  'batch.second-operations-patch': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The content type makes an operations PATCH, also for the second one of a batch.',
    kind: 'combination',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const met = new WeakSet<object>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        if (headers['content-type'] !== 'application/json-patch+json') return headers;
        const again = met.has(batch.headers);
        met.add(batch.headers);
        return again ? { ...headers, 'content-type': 'application/json' } : headers;
      };
    }),
    async shows({ edda }) {
      const both = [await edda.make('Document', { title: 'one' }), await edda.make('Document', { title: 'two' })];
      const headers = { ...versionHeader(1), 'content-type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/note', value: 'note' }];
      const all = both.map((made) => ({ method: 'PATCH', href: operationsPath(made), headers, body }));
      return (await edda.batch(all)).status !== 200;
    },
  },

  'batch.without-version-passes': {
    source: 'core: Batch rules 3',
    breaks: 'A batch with a failed operation answers 500, whichever status the operation has.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      return right(
        areas,
        results.filter(({ statusCode }) => statusCode !== 412 && statusCode !== 424),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'no version' });
      const operation = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      return (await edda.batch([operation])).status !== 500;
    },
  },

  'multi-create.last-of-fifty-is-of-the-first-type': {
    source: 'core: Multi-create rules 2',
    breaks: 'Each item becomes an object with its own data, also the last of as many as are allowed.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const most =
        items.length === 50 ? [...inputs.slice(0, -1), inputs[0] ?? { content: {}, arrays: new Map() }] : inputs;
      return right(areas, call, writing, items, most);
    }),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      const answer = await edda.multiCreate(items);
      const read = await edda.get(String(at(answer.json, '/49/href')));
      return at(read.json, '/data/name') !== 'part 50';
    },
  },
};

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentyEighth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...operationsMistakes,
  ...editingMistakes,
  ...maturityMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...deliveryMistakes,
  ...payloadMistakes,
};
