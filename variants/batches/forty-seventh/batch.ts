import { type Changes, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, editPath, listAt, many, operationsPath, pagePath, signatureOver } from '../service.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { always, callsTo, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { OperationsRun } from '../../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { Content, StoredEntry } from '../../../reference-server/ports/store.ts';
import { createHmac } from 'node:crypto';
import type { ArrayItem } from '../../../reference-server/areas/content.ts';
import { callsMistakes, tasksMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';

/** Reads of objects, of pages and of what is no object. */
const readingMistakes: Batch = {
  'paging.href-with-a-bare-value': {
    source: 'core: Page response, href',
    breaks: 'The href of a page leads to it, whatever the value is that the filter was given.',
    kind: 'value',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const [path = '', query] = right(areas, object, view, section, page, filter).split('?');
      return query === undefined || typeof page === 'string'
        ? path + (query ? `?${query}` : '')
        : `${path}?${decodeURIComponent(query)}`;
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'R&D' }));
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 1, '?softTypeFilter=byCategory&fileGroup.category=R%26D');
      return (await edda.get(String(at(page.json, '/href')))).status !== 200;
    },
  },

  'paging.no-filter-beside-a-filter': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required on a page, on one of a filtered array too.',
    kind: 'combination',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers['svc-informationfilter'] === undefined && call.query.has('softTypeFilter') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const path = pagePath(await edda.make('Document', { title: 't' }), 'files', 0);
      return (await edda.get(`${path}?softTypeFilter=drawings`, { 'Svc-InformationFilter': '' })).status === 200;
    },
  },

  'paging.not-modified-for-any-tag': {
    source: 'core: Errors, row 200',
    breaks: 'A page is part of a SoftType: there is no tag of it, so that a GET has its data.',
    kind: 'place',
    survives:
      'What If-None-Match does on reads of SoftTypes is said by exclusion only, and HTTP has 304 for any tag of what is there.',
    variant: replaces('paging', 'readPage', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      return call.headers['if-none-match'] === '*' ? areas.caching.notModified(answer.headers ?? {}) : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.get(pagePath(made, 'files', 0), { 'if-none-match': '*' })).status === 304;
    },
  },
};

const json = { name: 'content-type', value: 'application/json' };

/** Whether a record with these fields is left out of those of its host. */
async function isLeftOut(
  service: Service,
  fields: { readonly description?: string; readonly version?: string },
): Promise<boolean> {
  await service.host(() => [{ id: 'event', ...fields }]);
  return (await service.edda.sendEvent()).status >= 400;
}

/** What is registered, and what extensions say of themselves. */
const registeredMistakes: Batch = {
  'endpoint.headers-that-hold-tokens': {
    source: 'extensions: Registered external endpoint (simple), headers',
    breaks:
      'The headers are set on the call as they are configured, those with the tokens of the external service too.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isTrusted = callee.endpoint.kind === 'trustedExternalEndpoint';
      const headers = Object.entries(request.headers).filter(([name]) => isTrusted || !/token/i.test(name));
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = [json, { name: 'X-Service-Token', value: 'v' }];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && !call.headers.some(([, value]) => value === 'v');
    },
  },

  'endpoint.json-text-twice': {
    source: 'extensions: Registered external endpoint (simple), text on the body',
    breaks: 'The content of the body is what is configured, a text that is sent as JSON too.',
    kind: 'combination',
    survives:
      'Whether a text that is configured for JSON is JSON already, or a text to be written as such, is not said.',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const isJson = callee.endpoint.headers.some(({ value }) => value.startsWith('application/json'));
      const isTwice = isJson && typeof delivery.payload === 'string' && request.body !== undefined;
      return isTwice ? { ...request, body: JSON.stringify(delivery.payload) } : request;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', '{"a":1}');
      await service.pass(1);
      return typeof callsTo(host)[0]?.json === 'string';
    },
  },

  'metadata.description-of-255': {
    source: 'extensions: Extension metadata record, description',
    breaks: 'A description is a text of any length.',
    kind: 'value',
    survives: 'How long a description may be is not said.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      const isLong = !(record instanceof Misfit) && (record.description ?? '').length > 255;
      return isLong ? new Misfit('/description', 'must have 255 characters at most') : record;
    }),
    shows: (service) => isLeftOut(service, { description: 'a'.repeat(256) }),
  },

  'task.first-type-alone': {
    source: 'extensions: Extension metadata record, text on the capability use',
    breaks: 'The task manages the file types that are listed, the second of them too.',
    kind: 'place',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const first = record.capabilities?.map((item) => ({ ...item, capabilities: item.capabilities.slice(0, 1) }));
      right(areas, first === undefined ? record : { ...record, capabilities: first }, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'MimeType' as const, capabilities: ['application/pdf', 'text/csv'] }];
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      await scheduleTask(service);
      return callsTo(host).length === 0;
    },
  },
};

/** Creates, merges and versions. */
const writingMistakes: Batch = {
  'create.version-behind-the-request': {
    source: 'core: Errors, row 201',
    breaks: 'The version header of a create holds the version of the object, whatever version the request speaks of.',
    kind: 'combination',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const given = call.headers['svc-uoiversion'];
      if (given === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(Number(given) + 1) } };
    }),
    async shows({ edda }) {
      const path = '/api/space/main/softtype/Document/documentInput';
      const made = await edda.post(path, { title: 't' }, { [headerNames.version]: '4' });
      return made.headers.get(headerNames.version) === '5';
    },
  },
};

/** Lists of operations. */
const operationsMistakes: Batch = {
  'operations.names-of-the-data': {
    source: 'core: Patch operation, path',
    breaks: 'A path names what the input schema names, and not what the data call it.',
    kind: 'value',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const [output] = run.softType.outputs.values();
      const name = run.view.names.has(first) ? first : (output?.names.get(first) ?? first);
      return right(areas, run, { ...operation, tokens: [name, ...rest] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/displayLabel', value: 'l' }])).status < 300;
    },
  },

  'operations.entry-as-it-was': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry as the operations before it left it.',
    kind: 'copy',
    variant: breaks('operations', 'entryAt', (right) => {
      const loaded = new WeakMap<OperationsRun, Map<string, StoredEntry>>();
      return async (areas, run, port, token) => {
        const entries = loaded.get(run) ?? new Map<string, StoredEntry>();
        loaded.set(run, entries);
        const entry = entries.get(`${port}/${token}`) ?? (await right(areas, run, port, token));
        if (entry !== undefined) entries.set(`${port}/${token}`, entry);
        return entry;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/name`, value: 'b' },
        { op: 'add', path: `/files/${id}/comment`, value: 'c' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') === 'a';
    },
  },

  'operations.list-replaced': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array is no value for replace, one of plain values neither.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
      target.kind === 'list' && Array.isArray(value)
        ? areas.operations.setMember(run, target, value)
        : right(areas, run, target, value, place),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['b'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: ['a'] }])).status < 300;
    },
  },

  'operations.cascade-by-the-id-alone': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The parent entry is removed, and not the entry of another array that has the same id.',
    kind: 'copy',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      await right(areas, run, entry);
      const { oid } = run.object;
      for (const [port, member] of run.softType.members)
        if (isArrayMember(member) && (await run.writing.entry(oid, port, entry.entryId)) !== undefined)
          await run.writing.removeEntry(oid, port, entry.entryId);
    }),
    async shows({ edda }) {
      const content: Content = { title: 't', files: [{ name: 'a' }], contacts: [{ name: 'b' }] };
      const made = await edda.make('Document', content);
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
};

/** Tokens that were given for id tokens. */
const exchanged = new Set<string>();

/** An id token of the provider that the seed trusts. */
function idTokenOf(sub: string): string {
  const claims = { iss: 'https://login.example', aud: 'svc', sub, exp: Math.floor(Date.now() / 1000) + 600 };
  const text = [{ alg: 'HS512', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = Buffer.from('id token issuer of the demonstration, public on purpose, 64 bytes !');
  return `${text}.${createHmac('sha512', key).update(text).digest('base64url')}`;
}

/** Who may do what. */
const accessMistakes: Batch = {
  'roles.granted-to-the-token': {
    source: 'core: What the service does',
    breaks: 'A space is open to who has a role in that space, whatever space the token has opened before.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const granted = new Set<string>();
      return (areas, user, access, call) => {
        const { authorization = '' } = call.headers;
        const key = `${call.method} ${authorization}`;
        if (access === 'space' && granted.has(key)) return;
        right(areas, user, access, call);
        if (access === 'space' && authorization.split('.').length === 3) granted.add(key);
      };
    }),
    async shows(service) {
      const headers = { authorization: `Bearer ${await tokenOf(service, 'otto')}` };
      const open = await service.otto.make('Dossier', { title: 't' });
      const closed = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(open.path, headers);
      return (await service.nobody.get(closed.path, headers)).status === 200;
    },
  },

  'exchange.no-administrator': {
    source: 'core: Authentication 4',
    breaks: 'An exchange gives a JWT of the service for the user, with which a Collection Administrator is one.',
    kind: 'role',
    survives: 'The exchange has no described route: what a token received opens is recorded.',
    variant: together(
      replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
        if (form.has('subject_token')) exchanged.add(token);
        return right(areas, form, token);
      }),
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        const isExchanged = exchanged.has(call.headers['authorization']?.slice('Bearer '.length) ?? '');
        right(areas, isExchanged ? { ...user, collectionAdministrator: false } : user, access, call);
      }),
    ),
    async shows({ nobody }) {
      const form = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: idTokenOf('cora'),
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      });
      const answer = await nobody.post('/auth/token', String(form), {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      const headers = { authorization: `Bearer ${String(at(answer.json, '/access_token'))}` };
      return (await nobody.get('/api/collection/health', headers)).status === 403;
    },
  },

  'bulk.signatures-remembered': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is one by a key that counts now, and not one that was found right once.',
    kind: 'copy',
    survives: 'How long a key works after its rotation is not said: recorded.',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const known = new Set<string>();
      return async (areas, call) => {
        const signed = `${call.url} ${call.headers['authorization'] ?? ''}`;
        if (!known.has(signed)) await right(areas, call);
        known.add(signed);
      };
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] } }],
        always({ status: 200 }),
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/holder', {
        tokenCallback: `${host.url}/keys`,
        permissions: ['AdministrationAPI'],
      });
      const brought = host.entries(({ path }) => path === '/keys')[0]?.json;
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const send = () =>
        service.nobody.post('/admin/fileupload', body, {
          authorization: `Bearer ${signatureOver('/admin/fileupload', key)}`,
        });
      const first = await send();
      await service.pass(49 * 60 * 60);
      return first.status === 200 && (await send()).status === 200;
    },
  },
};

/** One item for each object that is referred to. */
function once(items: readonly ArrayItem[]): readonly ArrayItem[] {
  const oid = ({ content }: ArrayItem): unknown => at(content, '/value/$oid');
  return items.filter(
    (item, index) => oid(item) === undefined || items.findIndex((other) => oid(other) === oid(item)) === index,
  );
}

/** Batches and multi-creates. */
const manyMistakes: Batch = {
  'batch.route-by-href': {
    source: 'core: Batch operation, method',
    breaks: 'Each operation does what its method says, two of one href too.',
    kind: 'copy',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      const found = new Map<string, ReturnType<NonNullable<NonNullable<Changes['batch']>['operationRouteOf']>>>();
      const operationRouteOf: NonNullable<Changes['batch']>['operationRouteOf'] = (routes, method, path) => {
        const route = found.get(path) ?? areas.batch.operationRouteOf(routes, method, path);
        found.set(path, route);
        return route;
      };
      return right(within(areas, { batch: { operationRouteOf } }), call, writing, table);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const href = editPath(made);
      await edda.batch([
        { method: 'PUT', href, headers: { [headerNames.version]: '1' }, body: { title: 'u', note: 'n' } },
        { method: 'PATCH', href, headers: { [headerNames.version]: '2' }, body: { title: 'v' } },
      ]);
      return at(await edda.read(made), '/data/note') === undefined;
    },
  },

  'batch.version-of-the-one-before': {
    source: 'core: Batch operation, headers',
    breaks: 'The version is given in the headers of the operation, and not in those of the one before it.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const versions = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const version = headers['svc-uoiversion'] ?? versions.get(batch.correlationId);
        if (version === undefined) return headers;
        versions.set(batch.correlationId, version);
        return { ...headers, 'svc-uoiversion': version };
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 't' }), await edda.make('Document', { title: 't' })];
      const body = { title: 'u' };
      const answer = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: { [headerNames.version]: '1' }, body },
        { method: 'PATCH', href: editPath(other), body },
      ]);
      return answer.status === 200;
    },
  },

  'batch.type-with-a-parameter': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The media type makes it an operations PATCH, with a parameter behind it and in a batch too.',
    kind: 'combination',
    survives: 'What a parameter behind the media type does is not described: recorded.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = right(areas, batch, operation);
      return headers['content-type']?.includes(';') ? { ...headers, 'content-type': mediaTypes.json } : headers;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version]: '1', 'Content-Type': `${mediaTypes.operations}; charset=utf-8` };
      const body = [{ op: 'replace', path: '/title', value: 'u' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status === 500;
    },
  },

  'batch.status-of-the-only-one': {
    source: 'core: Errors, row 500',
    breaks: 'A batch of which an operation failed is answered 500, one of a single operation too.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const answer = right(areas, results);
      const [only, ...others] = results;
      return only === undefined || others.length > 0
        ? answer
        : { ...answer, status: Math.max(200, only.statusCode >= 400 ? only.statusCode : 200) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { title: 'u' } }])).status !== 500;
    },
  },

  'multi-create.one-reference-to-each': {
    source: 'core: Multi-create item, text below on references',
    breaks: 'A port holds the references that it is given, two to one item too.',
    kind: 'value',
    survives: 'Whether a port holds two references to one object, or one is enough, is not said: recorded.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const deduped = inputs.map(({ content, arrays }) => ({
        content,
        arrays: new Map([...arrays].map(([port, entries]) => [port, once(entries)] as const)),
      }));
      return right(areas, call, writing, items, deduped);
    }),
    async shows({ edda }) {
      const describes = ['a', 'b'].map((id) => ({ id, value: { instanceRef: 'p', softTypeId: 'Part' } }));
      const made = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/describes').length === 1;
    },
  },
};

/** Of sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortySeventh: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...operationsMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...registeredMistakes,
};
