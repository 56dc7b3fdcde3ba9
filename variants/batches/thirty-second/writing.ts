import { arrayItem, isContent } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, listAt, many, operationsPath, versionHeader } from '../service.ts';

/** Entries that were appended, by the correlation id of their request. */
const appended = new Map<string, { oid: string; port: string; contents: readonly Content[] }[]>();
/** Items of former requests, by their temporary ids. */
const formerItems = new WeakMap<object, Map<string, unknown>>();

/** What writes do, alone and together. */
export const writingMistakes: Batch = {
  'operations.twice-at-a-path-counts-twice': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version by one, also where two operations of its list name one path.',
    kind: 'combination',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = new Set(operations.map((operation) => at(operation, '/path')));
      return right(areas, object, operations) + operations.length - paths.size;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'a' });
      const replace = (value: string) => ({ op: 'replace', path: '/note', value });
      await edda.operate(made, 1, [replace('b'), replace('c')]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'batch.the-right-of-the-first-operation': {
    source: 'core: What the service does',
    breaks: 'Each operation of a batch needs the right to its own method, not that of the first one.',
    kind: 'role',
    variant: breaks('batch', 'carryOutOperation', (right) => {
      const admitted = new Set<string>();
      return async (areas, prepared, writing) => {
        const { route, call } = prepared;
        if (admitted.has(call.correlationId)) return areas.dispatcher.carryOutWrite(route, call, writing);
        const answer = await right(areas, prepared, writing);
        admitted.add(call.correlationId);
        return answer;
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'n' });
      const batch = await rita.batch([
        { method: 'GET', href: made.path },
        { method: 'PATCH', href: editPath(made), headers: { 'Svc-UOIVersion': '1' }, body: { note: 'm' } },
      ]);
      return batch.status === 200;
    },
  },
  'batch.the-query-of-the-operation-before': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation says all: a query of an operation before it is not its own.',
    kind: 'moment',
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
      const [one, other] = [
        await edda.make('Document', { title: 't', files }),
        await edda.make('Document', { title: 't', files }),
      ];
      const batch = await edda.batch([
        { method: 'GET', href: `${one.path}?softTypeFilterId=drawings` },
        { method: 'GET', href: other.path },
      ]);
      return listAt(batch.json, '/1/body/data/files').length === 1;
    },
  },
  'batch.long-texts-are-cut': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is taken as it is, also a text of more than 65535 characters.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
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
  'batch.a-version-begins-like-another': {
    source: 'core: Batch operation',
    breaks: 'The version that an operation of a batch gives has to equal that of the object, not to begin it.',
    kind: 'value',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const given = call.headers['svc-uoiversion'];
      const isBeginning = given !== undefined && given !== '' && String(object.version).startsWith(given);
      return 'isSibling' in call && isBeginning ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      for (let version = 1; version <= 11; version += 1) await edda.merge(made, version, { note: `n${version}` });
      const headers = versionHeader(1);
      const batch = await edda.batch([{ method: 'PATCH', href: editPath(made), headers, body: { note: 'm' } }]);
      return batch.status === 200;
    },
  },
  'operations.remove-decodes-the-other-way-round': {
    source: 'core: Patch operation',
    breaks: 'The path of a remove is a JSON Pointer: ~01 in it is ~1 and no slash.',
    kind: 'combination',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      if (operation.op !== 'remove' || operation.path === '') return right(areas, run, operation);
      const tokens = operation.path.slice(1).split('/');
      const decoded = tokens.map((token) => token.replaceAll('~0', '~').replaceAll('~1', '/'));
      return right(areas, run, { ...operation, tokens: decoded });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', 'scale/~1': 's' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/scale~1~01' }])).status >= 400;
    },
  },
  'creating.the-location-names-the-input-schema': {
    source: 'core: Errors 201',
    breaks: 'Location of a created object is a URI of it, also where it was created by another schema than the first.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      if (softType.inputs.keys().next().value === view.id) return answer;
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const Location = `/api/space/${call.space.id}/softtype/${softType.id}/${view.id}/${oid}`;
      return { ...answer, headers: { ...answer.headers, Location } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Part/partBrief', { name: 'n' });
      return (await edda.get(made.headers.get('location') ?? '')).status !== 200;
    },
  },
  'batch.a-create-shows-what-was-read-before': {
    source: 'core: Batch rules 6',
    breaks: 'The result of a create carries no data and no links, not even those of a read before it.',
    kind: 'copy',
    variant: breaks('batch', 'operationResult', (right) => {
      const read = new Map<string, Content>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const { correlationId } = call;
        if (!isContent(result.body) || result.statusCode >= 400) return result;
        if (call.method === 'GET') read.set(correlationId, result.body);
        if (result.statusCode !== 201) return result;
        return { ...result, body: { ...read.get(correlationId), ...result.body } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const batch = await edda.batch([
        { method: 'GET', href: made.path },
        { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'm' } },
      ]);
      return at(batch.json, '/1/body/data') !== undefined;
    },
  },
  'batch.appended-entries-stay': {
    source: 'core: Batch rules 1',
    breaks: 'A batch that fails leaves nothing behind, no entry either that an operations list has appended.',
    kind: 'combination',
    variant: together(
      replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
        await right(areas, run, target, contents);
        const { correlationId } = run.call;
        const port = target.steps.at(-1)?.name ?? '';
        const all = appended.get(correlationId) ?? [];
        appended.set(correlationId, [...all, { oid: run.object.oid, port, contents }]);
      }),
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const answer = await right(areas, route, call);
        const kept = appended.get(call.correlationId) ?? [];
        appended.delete(call.correlationId);
        if (!call.url.endsWith('/batch') || answer.status !== 500) return answer;
        for (const { oid, port, contents } of kept) {
          const items = areas.contents.withEntryIds(contents.map(arrayItem));
          await areas.store.change((writing) => writing.appendEntries(oid, port, items));
        }
        return answer;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/files', value: { name: 'b' } }];
      await edda.batch([
        { method: 'PATCH', href: operationsPath(made), headers, body },
        { method: 'GET', href: '/api/space/main/softtype/nothing' },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },
  'batch.a-put-keeps-from-the-one-before': {
    source: 'core: Batch rules 5',
    breaks: 'PUT replaces all fields with its own payload; nothing of the PUT before it in the batch comes in.',
    kind: 'copy',
    variant: breaks('editing', 'putObject', (right) => {
      const before = new Map<string, Content>();
      return (areas, call, writing) => {
        if (!('isSibling' in call) || !isContent(call.json)) return right(areas, call, writing);
        const key = `${call.correlationId} ${call.object.softType}`;
        const json = { ...before.get(key), ...call.json };
        before.set(key, json);
        return right(areas, { ...call, json }, writing);
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'm' })];
      const headers = versionHeader(1);
      await edda.batch([
        { method: 'PUT', href: editPath(one), headers, body: { name: 'n', note: 'x' } },
        { method: 'PUT', href: editPath(other), headers, body: { name: 'm' } },
      ]);
      return at(await edda.read(other), '/data/note') === 'x';
    },
  },
  'multi-create.an-item-of-a-former-request': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id is known inside its request only, not in one that comes later.',
    kind: 'copy',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const found = right(areas, items);
        const known = formerItems.get(areas.store) ?? new Map<string, unknown>();
        formerItems.set(areas.store, known);
        for (const item of found) if (item.$id !== undefined) known.set(item.$id, item);
        return found;
      }),
      replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
        const former = formerItems.get(areas.store)?.get($id) as ReturnType<typeof right>;
        return right(areas, items, $id, referrer) ?? former;
      }),
    ),
    async shows({ edda }) {
      await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]);
      const describes = [{ id: 'a', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const later = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]);
      return later.status === 201;
    },
  },
  'batch.beyond-a-hundred-the-last-is-not-told': {
    source: 'core: Limits',
    breaks: 'A batch has no hard limit: there is a result for each operation, also of more than a hundred.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => right(areas, results.slice(0, 100))),
    async shows({ edda }) {
      const { path } = await edda.make('Part', { name: 'n' });
      const batch = await edda.batch(many(101, () => ({ method: 'GET', href: path })));
      return listAt(batch, '/json').length !== 101;
    },
  },
  'operations.an-early-date-is-the-day': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is the time of the information filter, with its offset as well.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const time = '2020-02-03T04:05:06+05:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '13' }], { time });
      const stamped = String(at(await edda.read(made), '/data/price/effectivity'));
      return encoded({ time }) !== '' && Date.parse(stamped) !== Date.parse(time);
    },
  },
};
