import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { at, listAt, signatureOver, spaceFiles } from '../service.ts';
import { headerNames } from '../../../contract/names.ts';
import { callsTo, logged, named, registerEndpoint } from '../proofs.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { registerAgain } from './scenes.ts';

const manyMistakes: Batch = {
  'batch.read-under-a-schema': {
    source: 'core: Batch rules 2',
    breaks: 'A batch supports the reads of SoftTypes, that with definition and output schema as well.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      return method === 'GET' && found?.params['outputSchemaId'] !== undefined ? undefined : found;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'long' });
      const href = `/api/space/main/softtype/Document/documentFull/${oid}`;
      return (await edda.batch([{ method: 'GET', href }])).status !== 200;
    },
  },
};

const filesMistakes: Batch = {
  'files.delete-by-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, on whichever route and method.',
    kind: 'place',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      if (call.method === 'DELETE' && call.headers['authorization'] === undefined)
        throw new Refusal(403, 'Nobody may delete files.');
      return right(areas, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('there.txt', 'there');
      return (await nobody.delete(`${spaceFiles}/there.txt`)).status !== 401;
    },
  },

  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the whole path of the request, the participant included.',
    kind: 'place',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) =>
      right(areas, apiKey, path.startsWith('/admin/') ? path.split('/').slice(0, 4).join('/') : path),
    ),
    async shows({ directory, bulk }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      return (await bulk('/admin/fileupload/main/owner', body)).status >= 400;
    },
  },
};

const writingMistakes: Batch = {
  'create.quoted-version': {
    source: 'core: Errors',
    breaks: 'The version header of a 201 holds the version, which is an integer.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: '"1"' } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partInput', { name: 'part' });
      return answer.headers.get(headerNames.version) !== '1';
    },
  },

  'versioning.edit-of-an-entry': {
    source: 'core: Endpoint table',
    breaks: 'An operations PATCH makes a new version, also when it touches nothing but what is inside an entry.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isDeep = operations.every((operation) => listAt(operation, '/tokens').length > 2);
      return isDeep ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: [{ name: 'one' }] });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/name', value: 'two' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },

  'operations.entries-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, on whichever page it is.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const shown = await run.writing.entries(run.object.oid, port, { from: 0, to: 10 });
      return shown.some(({ entryId }) => entryId === entry?.entryId) ? entry : undefined;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'second page', files: named(11) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/11/name', value: 'x' }])).status >= 400;
    },
  },
};

const deliveryMistakes: Batch = {
  'metadata.one-record-of-a-name': {
    source: 'extensions: Extension metadata record',
    breaks: 'Records are told apart by their id; two may have one name.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const { records, complaints } = right(areas, items);
      return { records: [...new Map(records.map((record) => [record.name, record])).values()], complaints };
    }),
    async shows({ host, edda }) {
      await host(() => ['event', 'other'].map((id) => ({ id, name: 'Notifier', endpoint: `/${id}` })));
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'metadata.empty-description': {
    source: 'extensions: Extension metadata record',
    breaks: 'The description of a record is any text or none, an empty one as well.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      return right(
        areas,
        items.filter((item) => at(item, '/description') !== ''),
      );
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', description: '' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'delivery.retries-of-an-endpoint': {
    source: 'extensions: Limits',
    breaks: 'A call to an endpoint is retried five times, as an event is.',
    kind: 'place',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return { ...policy, retries: Math.min(policy.retries, delivery.kind === 'endpoint' ? 3 : Infinity) };
    }),
    async shows(service) {
      await registerEndpoint(service, 'externalEndpoint', {
        url: 'http://127.0.0.1:9/hook',
        rateLimitNumberOfExecutions: 1000,
      });
      await service.edda.sendToEndpoint();
      await service.pass(5, 16);
      return (await logged(service, 'transient-error')).length < 5;
    },
  },
};

/** How long an ETag stays the same, in ms. */
const tagPeriodMs = 600_000;

const readingMistakes: Batch = {
  'paging.rounded-pages': {
    source: 'core: Server side paging 4',
    breaks: 'A rest of entries has a page of its own, also when it is less than half of one.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.max(1, Math.round(total / entriesPerPage))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'rest', contacts: named(13) });
      const page = listAt(await edda.read(made), '/links').find((link) => at(link, '/rel') === 'page');
      return at(page, '/pages') !== 2;
    },
  },

  'caching.tag-with-the-time': {
    source: 'core: Errors',
    breaks: 'Data that has not changed gives 304 to whoever holds its ETag, however long ago it was given.',
    kind: 'moment',
    variant: replaces('caching', 'etagOf', (right, areas, representation) => {
      const period = Math.floor(areas.clock.now() / tagPeriodMs);
      return right(areas, `${period} ${representation.toString()}`);
    }),
    async shows({ cora, pass }) {
      const path = '/api/collection/space';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await pass(tagPeriodMs / 1000);
      return (await cora.get(path, { 'if-none-match': etag })).status !== 304;
    },
  },

  'openapi.types-without-a-process': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition is of all configured SoftTypes, those without maturity included.',
    kind: 'value',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].filter(([, { maturity }]) => maturity !== undefined));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('/Requirement/');
    },
  },

  'tokens.fields-in-order': {
    source: 'core: Authentication 3',
    breaks: 'A grant is asked for by the fields of a form, in whichever order they come.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = right(areas, call);
      if (form.keys().next().value === 'grant_type') return form;
      throw new Refusal(400, 'Expected grant_type first.');
    }),
    async shows({ nobody }) {
      const body = 'username=edda&password=edda-password&scope=All&grant_type=password';
      const answer = await nobody.post('/auth/token', body, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return at(answer.json, '/access_token') === undefined;
    },
  },
};

/** Base64 of a key that needs no padding. */
const unpaddedKey = Buffer.alloc(48, 9).toString('base64');

const callsMistakes: Batch = {
  'calls.key-without-padding': {
    source: 'extensions: Authentication 2',
    breaks: 'The bytes of a key are what its Base64 decodes to, also where that needs no equals sign.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) => {
      return right(areas, apiKey.endsWith('=') ? apiKey : Buffer.from(apiKey).toString('base64'), path);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerAgain(service, host, { apiKey: unpaddedKey });
      const entry = host.entries(({ kind }) => kind === 'metadata').at(-1);
      if (entry === undefined) return false;
      return headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, unpaddedKey)}`;
    },
  },

  'calls.route-of-two-segments': {
    source: 'extensions: Extension metadata record',
    breaks: 'The endpoint of a record is a route below the host, of as many segments as it has.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || 'endpoint' in callee) return callee;
      const route = encodeURIComponent(callee.record.endpoint.replace(/^\//, ''));
      return { ...callee, url: `${callee.extension.hostUri.replace(/\/$/, '')}/${route}` };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/one/two' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return !callsTo(host).some(({ path }) => path === '/one/two');
    },
  },

  'calls.id-of-an-event': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The id in the payload of an event is that of the event, not that of the request.',
    kind: 'value',
    survives:
      'What names the resource of an event is not said (trigger-event-binding): a correlation id, which is unique per request, may.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      if (triggered.kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...payload, id: call.correlationId } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const event = await service.edda.sendEvent();
      await service.pass(1);
      const id = event.headers.get('location')?.split('/').at(-1);
      return at(callsTo(host)[0]?.json, '/payload/id') !== id;
    },
  },

  'actions.success-without-content': {
    source: 'extensions: Errors 4',
    breaks: 'Status 200 is the success of an action, also without a body: it is run once.',
    kind: 'value',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      return answer.status === 200 && answer.raw === undefined ? right(areas, call) : answer;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'action', extensionType: 'ExternalAction' }],
        [{ steps: [{ status: 200 }], afterwards: 'last' }],
      );
      await service.edda.post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      return callsTo(host).length > 1;
    },
  },
};

/**
 * Mistakes, one for each of sixty-one sentences that were drawn from both documents by lot: half of them such that what the documents show
 * as an example still looks right.
 */
export const sixteenth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
