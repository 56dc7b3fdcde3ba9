import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, type Changes, replaces, together, within } from '../../breaks.ts';
import { callsOf, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, filesOf, mergeOf, named, operationsOf, promoteOf, putOf, readOf } from '../proofs.ts';
import {
  at,
  type Client,
  editPath,
  encoded,
  listAt,
  type Made,
  many,
  operationsPath,
  versionHeader,
} from '../service.ts';
import { changes, decodeIfEncoded, during } from '../variant-parts.ts';

const batchPath = '/api/space/main/batch';

type Outcome = Awaited<ReturnType<Areas['batch']['runOperation']>>;

const filterName = headerNames.informationFilter.toLowerCase();

export const batchOperationsMistakes: Mistakes = {
  'batch.object-inside-the-create-before': {
    source: 'core: Batch rules 5',
    breaks: 'Each create of a batch stores its own payload, the object inside it too.',
    variant: breaks('contents', 'contentFrom', (right) => {
      const first = new Map<string, unknown>();
      return (areas, call, ...args) => {
        const input = right(areas, call, ...args);
        const { dimensions } = input.content;
        if (!('isChangedHere' in call) || call.method !== 'POST' || dimensions === undefined) return input;
        if (!first.has(call.correlationId)) first.set(call.correlationId, dimensions);
        return { ...input, content: { ...input.content, dimensions: first.get(call.correlationId) } };
      };
    }),
    async shows({ edda }) {
      const creates = ['1', '2'].map((width) => ({
        method: 'POST',
        href: documentsPath,
        body: { title: width, dimensions: { width } },
      }));
      const { json } = await edda.batch(creates);
      const read = await edda.get(String(at(json, '/1/body/href')));
      return at(read.json, '/data/dimensions/width') !== '2';
    },
  },
  'batch.same-creates-once': {
    source: 'core: Batch rules 5',
    breaks: 'Each create makes an object, also in a batch that was sent before.',
    variant: breaks('batch', 'runBatch', (right) => {
      const answers = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, ...args) => {
        const key = `${call.user.name} ${JSON.stringify(call.json)}`;
        const areCreates = call.json.every((operation) => at(operation, '/method') === 'POST');
        const answer = answers.get(key) ?? (await right(areas, call, ...args));
        if (areCreates) answers.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: documentsPath, body: { title: 'same' } };
      const [one, other] = [await edda.batch([create]), await edda.batch([create])];
      return at(one.json, '/0/body/href') === at(other.json, '/0/body/href');
    },
  },
  'batch.trimmed-texts': {
    source: 'core: Batch operation',
    breaks: 'The payload of an operation is that of its request, down to the blanks around a text.',
    variant: changes('batch', 'batchOperationFrom', (operation) =>
      operation.body === undefined ? operation : { ...operation, body: trimTexts(operation.body) },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const note = ' between blanks ';
      await edda.batch([mergeOf(made, 1, { note })]);
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
  'many.query-of-an-operation-is-lost': {
    source: 'core: Batch operation',
    breaks: 'An operation asks for its full URI, the filter in the query included.',
    variant: changes('batch', 'prepareOperation', (prepared) => ({
      ...prepared,
      call: { ...prepared.call, query: new URLSearchParams() },
    })),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const made = await edda.make('Document', { files });
      const answer = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'batch.second-parameter-is-lost': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation is a full URI: every parameter of its query counts.',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => right(areas, batch, href)?.split('&')[0]),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(2) });
      const query = '?softTypeFilterId=byCategory&fileGroup.category=drawing';
      return (await edda.batch([{ method: 'GET', href: made.path + query }])).status !== 200;
    },
  },
  'batch.empty-texts-are-dropped': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the payload of its request, a member with an empty text included.',
    variant: changes('batch', 'batchOperationFrom', (operation) => {
      if (!isContent(operation.body)) return operation;
      return {
        ...operation,
        body: Object.fromEntries(Object.entries(operation.body).filter(([, each]) => each !== '')),
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'before' });
      await edda.batch([mergeOf(made, 1, { note: '' })]);
      return at(await edda.read(made), '/data/note') === 'before';
    },
  },
  'batch.times-are-written-anew': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the payload, a text that looks like a time too.',
    variant: changes('batch', 'batchOperationFrom', (operation) => ({
      ...operation,
      body: withMilliseconds(operation.body),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const body = { note: '2024-05-06T07:08:09Z' };
      await edda.batch([mergeOf(made, 1, body)]);
      return at(await edda.read(made), '/data/note') !== body.note;
    },
  },
  'batch.question-under-no-filter': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of an operation is that of the batch, also in what is asked about its promote.',
    variant: during('validatedWrites', 'validatedBatch', (asking) =>
      replaces('triggeredCalls', 'passedFilter', (right, areas, call) =>
        asking.isOn() ? encoded({}) : right(areas, call),
      ),
    ),
    async shows(service) {
      const host = await service.host([validator]);
      const made = await service.edda.make('Document');
      const filter = encoded({ time: '2019-03-04T00:00:00Z' });
      const promote = promoteOf(made, 1);
      await service.edda.post(batchPath, [promote], { [headerNames.informationFilter]: filter });
      const [asked] = callsOf(host, 'validation');
      return asked !== undefined && asked.envelope?.informationFilter !== filter;
    },
  },
  'batch.query-decoded-before-it-is-read': {
    source: 'core: Batch operation, row href',
    breaks: 'An href is the URI of a request, also where a value of its query holds an ampersand.',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const [path = '', query] = (right(areas, batch, href) ?? '').split('?');
      return query === undefined ? right(areas, batch, href) : `${path}?${decodeIfEncoded(query)}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'c&d' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=c%26d`;
      const { json } = await edda.batch([{ method: 'GET', href }]);
      return listAt(json, '/0/body/data/files').length === 0;
    },
  },
  'batch.route-by-href': {
    source: 'core: Batch operation, method',
    breaks: 'Each operation does what its method says, two of one href too.',
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
      const made = await edda.make('Document');
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
      const [one, other] = [await edda.make('Document'), await edda.make('Document')];
      const body = { title: 'u' };
      const answer = await edda.batch([mergeOf(one, 1, body), { method: 'PATCH', href: editPath(other), body }]);
      return answer.status === 200;
    },
  },
  'batch.bodies-are-objects': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of its request, an array where the route takes one.',
    variant: changes('batch', 'batchOperationFrom', (operation) => {
      if (Array.isArray(operation.body)) throw new Refusal(400, 'A body has to be an object.');
      return operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'array' });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/note', value: 'added' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
  'batch.operation-brings-its-own-filter': {
    source: 'core: Batch operation',
    breaks: 'The information filter is that of the batch request, whatever an operation says.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const own = areas.messages.headersOf(Object.entries(operation.headers).flat())[filterName];
      return { ...right(areas, batch, operation), ...(own !== undefined && { [filterName]: own }) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      const time = '2032-02-03T04:05:06Z';
      const own = { [headerNames.informationFilter]: encoded({ time }) };
      return (await readStamp(edda, made, own, {})) === time;
    },
  },
  'batch.the-query-of-the-operation-before': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation says all: a query of an operation before it is not its own.',
    variant: breaks('batch', 'prepareOperation', (right) => {
      let query = '';
      return (areas, batch, table, value, index) => {
        const href = String(at(value, '/href') ?? '');
        if (index === 0) query = '';
        const [, own] = href.split('?');
        if (own !== undefined) query = `?${own}`;
        const isBare = isContent(value) && own === undefined && value['method'] === 'GET';
        return right(areas, batch, table, isBare ? { ...value, href: href + query } : value, index);
      };
    }),
    async shows({ edda }) {
      const files = [
        { name: 'a', category: 'drawing' },
        { name: 'b', category: 'sheet' },
      ];
      const [one, other] = [await edda.make('Document', { files }), await edda.make('Document', { files })];
      const batch = await edda.batch([{ method: 'GET', href: `${one.path}?softTypeFilterId=drawings` }, readOf(other)]);
      return listAt(batch.json, '/1/body/data/files').length === 1;
    },
  },
  'batch.long-texts-are-cut': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is taken as it is, also a text of more than 65535 characters.',
    variant: changes('batch', 'batchOperationFrom', (operation) => {
      if (!isContent(operation.body)) return operation;
      const cut = Object.entries(operation.body).map(
        ([name, text]) => [name, typeof text === 'string' ? text.slice(0, 65_535) : text] as const,
      );
      return { ...operation, body: Object.fromEntries(cut) };
    }),
    async shows({ edda }) {
      const body = { title: 't', note: 'x'.repeat(70_000) };
      const href = '/api/space/main/softtype/Document/documentInput';
      const batch = await edda.batch([{ method: 'POST', href, body }]);
      const read = await edda.get(String(at(batch.json, '/0/body/href')));
      return String(at(read.json, '/data/note')).length !== 70_000;
    },
  },
  'batch.long-arrays-of-edits-are-cut': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is taken as it is, also an array of more than ten entries in an edit.',
    variant: changes('batch', 'batchOperationFrom', (operation) => {
      if (operation.method === 'POST' || !isContent(operation.body)) return operation;
      return { ...operation, body: withShortArrays(operation.body) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { contacts: named(11) })]);
      return listAt((await edda.page(made, 'contacts', 1)).json, '/data').length !== 1;
    },
  },
  'batch.long-arrays-of-multi-creates-are-cut': {
    source: 'core: Batch rules 4',
    breaks:
      'An item of a multi-create holds its data whole in a batch as well, arrays of more than ten entries included.',
    variant: changes('batch', 'batchOperationFrom', (operation) => {
      if (!Array.isArray(operation.body) || operation.method !== 'POST') return operation;
      const items: readonly unknown[] = operation.body;
      const cut = items.map((item) =>
        isContent(item) && isContent(item['data']) ? { ...item, data: withShortArrays(item['data']) } : item,
      );
      return { ...operation, body: cut };
    }),
    async shows({ edda }) {
      const data = { title: 't', contacts: named(11) };
      const body = [{ $id: 'd', $softType: 'Document', data }];
      const batch = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      const oid = String(at(batch.json, '/0/body/0/href')).split('/').at(-1) ?? '';
      const page = await edda.page({ definition: 'Document', oid, path: '' }, 'contacts', 1);
      return listAt(page.json, '/data').length !== 1;
    },
  },
  'writing.deleted-after-an-edit-of-the-batch': {
    source: 'core: Batch operation',
    breaks: 'A DELETE of a batch deletes, also what an operation before it has edited.',
    variant: replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      const stored = await writing.object(object.spaceId, object.oid);
      if (stored?.content['remark'] === undefined || object.version < 2) return right(areas, writing, object);
      const { remark: _gone, ...content } = stored.content;
      return writing.updateObject(object.spaceId, object.oid, object.version + 1, content);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'delete' });
      await edda.batch([mergeOf(made, 1, { remark: 'edited' }), { method: 'DELETE', href: made.path }]);
      return (await edda.get(made.path)).status !== 404;
    },
  },
  'batch.empty-headers-take-the-filter-away': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of the batch is that of each operation, also of one whose headers are empty.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = { ...right(areas, batch, operation) };
      if (operation.method === 'POST' && Object.keys(operation.headers).length === 0)
        delete headers[headerNames.informationFilter.toLowerCase()];
      return headers;
    }),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Document/documentInput';
      return (await edda.batch([{ method: 'POST', href, headers: {}, body: { title: 't' } }])).status !== 200;
    },
  },
  'batch.version-header-in-lower-case-is-not-seen': {
    source: 'core: Batch operation',
    breaks: 'The headers of an operation are headers, whose names have no letter case.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = Object.entries(operation.headers).filter(([name]) => name !== headerNames.version.toLowerCase());
      return right(areas, batch, { ...operation, headers: Object.fromEntries(headers) });
    }),
    survives: 'That names in the JSON of an operation are read without letter case is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { [headerNames.version.toLowerCase()]: '1' };
      const operation = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },
  'batch.letters-of-one-byte': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of the request, in whatever script it is written.',
    variant: changes('batch', 'prepareOperation', ({ call, route }) => {
      const body = call.body && Buffer.from(call.body.toString('utf8'), 'latin1');
      return { route, call: { ...call, body } };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: documentsPath };
      return (await edda.batch([{ ...create, body: { title: 'Prüfung' } }])).status !== 200;
    },
  },
  'batch.one-operation-of-a-list': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the whole payload of its request, a list of patch operations as well.',
    variant: changes('batch', 'prepareOperation', (prepared) => {
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
  'batch.equal-reads-are-one': {
    source: 'core: Batch operation, row method',
    breaks: 'Each GET has a result of its own, also one that asks for what another has asked for.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const texts = results.map((result) => JSON.stringify(result));
      return right(
        areas,
        results.filter(({ statusCode }, index) => statusCode !== 200 || texts.indexOf(texts[index] ?? '') === index),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const results = await edda.batch(many(2, () => readOf(made)));
      return listAt(results.json, '').length !== 2;
    },
  },
  'batch.patch-from-the-tenth-on-replaces': {
    source: 'core: Batch operation, method; Batch rules 5',
    breaks: 'PATCH edits only what its body names, wherever in the batch it stands.',
    variant: changes('batch', 'batchOperationFrom', (operation, _areas, _value, index) => {
      const isMerge = operation.method === 'PATCH' && !Array.isArray(operation.body);
      return isMerge && index >= 10 ? { ...operation, method: 'PUT' } : operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { remark: 'r' });
      const reads = many(10, () => readOf(made));
      const edit = mergeOf(made, 1, { title: 'u' });
      await edda.batch([...reads, edit]);
      return at(await edda.read(made), '/data/remark') === undefined;
    },
  },
  'writing.put-in-batch-keeps-arrays': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT in a batch empties the arrays that its body leaves out.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
        return batch.isOn() ? given : right(areas, softType, given);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: [{ name: 'c' }] });
      const headers = { 'Svc-UOIVersion': '1' };
      await edda.batch([{ method: 'PUT', href: editPath(made), headers, body: { title: 'u' } }]);
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },
  'batch.put-merges': {
    source: 'core: Batch rules 5',
    breaks: 'PUT replaces all fields of its target, as an operation of a batch too.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('editing', 'replaceContent', (right, areas, old, given) =>
        right(areas, old, batch.isOn() ? { ...old, ...given } : given),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'before' });
      const body = { title: 'put' };
      await edda.batch([putOf(made, 1, body)]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
  'batch.operations-as-before-the-merge': {
    source: 'core: Batch rules 5',
    breaks: 'A PATCH edits only the fields in its body, and leaves what another one of the batch edited before.',
    variant: (classes) => {
      const before = new Map<string, Content>();
      return together(
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          before.set(object.oid, object.content);
          return right(areas, writing, object, version, content);
        }),
        replaces('operations', 'operateObject', (right, areas, call, writing) => {
          const { object } = call;
          const content = call.isChangedHere?.(object.oid) === true ? before.get(object.oid) : undefined;
          return right(areas, content === undefined ? call : { ...call, object: { ...object, content } }, writing);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([
        mergeOf(made, 1, { note: 'n' }),
        operationsOf(made, 2, [{ op: 'replace', path: '/title', value: 'u' }]),
      ]);
      const read = await edda.read(made);
      return at(read, '/data/title') === 'u' && at(read, '/data/note') !== 'n';
    },
  },
  'batch.put-behind-a-patch-merges': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT replaces all fields, also those that an earlier operation of the batch wrote.',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const { object } = call;
      const isChanged = call.isChangedHere?.(object.oid) ?? false;
      const answer = await right(areas, call, writing);
      const stored = await writing.object(call.space.id, object.oid);
      if (!isChanged || stored === undefined) return answer;
      const content = { ...object.content, ...stored.content };
      await writing.updateObject(call.space.id, object.oid, stored.version, content);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      await edda.batch([
        { method: 'PATCH', href, headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } },
        { method: 'PUT', href, headers: { 'Svc-UOIVersion': '2' }, body: { title: 'u' } },
      ]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
  'put.long-integer': {
    source: 'core: Batch rules 5 (PUT replaces all fields with the payload)',
    breaks: 'An integer of a PUT is stored as it is given, beyond 32 bits too.',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const short = Object.entries(given).map(([name, value]) => [
        name,
        Number.isInteger(value) ? Number(value) | 0 : value,
      ]);
      return right(areas, old, Object.fromEntries(short));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'number' });
      await edda.replace(made, 1, { title: 'number', pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'batch.equal-creates': {
    source: 'core: Batch rules 5',
    breaks: 'Every POST of a batch creates an object, also when another one before it has the same body.',
    variant: breaks('batch', 'runOperation', (right) => {
      const outcomes = new WeakMap<object, Map<string, Outcome>>();
      return async (areas, batch, writing, table, operation, index) => {
        const known = outcomes.get(batch.body ?? batch) ?? new Map<string, Outcome>();
        outcomes.set(batch.body ?? batch, known);
        const text = JSON.stringify(operation);
        const outcome = known.get(text) ?? (await right(areas, batch, writing, table, operation, index));
        if (isContent(operation) && operation['method'] === 'POST') known.set(text, outcome);
        return outcome;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'twin' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/statusCode') === 201 && at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },
  'batch.create-with-what-the-one-before-had': {
    source: 'core: Batch rules 5',
    breaks: 'A POST creates what its own payload holds, also behind another one of the same batch.',
    variant: breaks('contents', 'contentFrom', (right) => {
      let last: { batch: string; type: string; content: Readonly<Record<string, unknown>> } | undefined;
      return (areas, call, softType, view, body) => {
        const input = right(areas, call, softType, view, body);
        if (!('isSibling' in call) || call.method !== 'POST') return input;
        const isNext = last?.batch === call.correlationId && last.type === softType.id;
        const content = isNext ? { ...last?.content, ...input.content } : input.content;
        last = { batch: call.correlationId, type: softType.id, content };
        return { ...input, content };
      };
    }),
    async shows({ edda }) {
      const bodies = [{ title: 'a', note: 'n' }, { title: 'b' }];
      const results = await edda.batch(bodies.map((body) => ({ method: 'POST', href: documentsPath, body })));
      const read = await edda.get(String(at(results.json, '/1/body/href')));
      return at(read.json, '/data/note') !== undefined;
    },
  },
};

function trimTexts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
    typeof inner === 'string' ? inner.trim() : inner,
  ) as unknown;
}

/** Content with no more than ten items in each of its own arrays. */
function withShortArrays(content: Content): Content {
  const members = Object.entries(content).map(
    ([name, value]) => [name, Array.isArray(value) ? listAt(value, '').slice(0, 10) : value] as const,
  );
  return Object.fromEntries(members);
}

/** A value as a reader of JSON leaves it that takes texts for times and writes these in its own way. */
function withMilliseconds(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/, '$1.000Z');
  if (Array.isArray(value)) return listAt(value, '').map(withMilliseconds);
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withMilliseconds(inner)]));
}

/** Date of a price that one operation of a batch replaced. */
async function readStamp(client: Client, made: Made, headers: object, filter: object): Promise<unknown> {
  const edit = {
    method: 'PATCH',
    href: operationsPath(made),
    headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations, ...headers },
    body: [{ op: 'replace', path: '/price/value', value: '2' }],
  };
  await client.post('/api/space/main/batch', [edit], { [headerNames.informationFilter]: encoded(filter) });
  return at(await client.read(made), '/data/price/effectivity');
}
