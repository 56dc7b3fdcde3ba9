import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { InformationFilter } from '../../../reference-server/http/call.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, movePath, operationsPath, versionHeader } from '../service.ts';

export const writingMistakes: Batch = {
  'multi-create.one-table-of-names': {
    source: 'core: Multi-create item, $softType',
    breaks: 'An item becomes what its SoftType says, also where another item bears the name of that SoftType.',
    kind: 'combination',
    variant: replaces('multiCreate', 'itemTypeOf', (right, areas, call, $softType, place) => {
      const namesake = listAt(areas.messages.jsonBodyOf(call), '').find((item) => at(item, '/$id') === $softType);
      return right(areas, call, namesake === undefined ? $softType : at(namesake, '/$softType'), place);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'Part', $softType: 'Document', data: { title: 't' } },
        { $id: 'b', $softType: 'Part', data: { name: 'n' } },
      ]);
      return answer.status >= 400;
    },
  },

  'batch.promote-takes-back-an-edit': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A promote in a batch leaves alone what an operation before it has edited in the object.',
    kind: 'combination',
    variant: (classes) => {
      const before = new Map<string, Content>();
      return together(
        replaces('editing', 'mergeObject', (right, areas, call, writing) => {
          before.set(call.object.oid, call.object.content);
          return right(areas, call, writing);
        }),
        replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
          const { object } = call;
          const content = call.isChangedHere?.(object.oid) === true ? before.get(object.oid) : undefined;
          return right(areas, content === undefined ? call : { ...call, object: { ...object, content } }, writing);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'after' } },
        { method: 'PUT', href: movePath(made), headers: versionHeader(2) },
      ]);
      return at(await edda.read(made), '/data/title') === 'before';
    },
  },

  'operations.value-first-and-empty': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The order of the members of an operation says nothing, also where an empty text comes first.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (!isContent(item) || Object.keys(item)[0] !== 'value' || item['value'] !== '')
        return right(areas, item, place);
      const { value: _empty, ...rest } = item;
      return right(areas, rest, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const headers = { ...versionHeader(1), 'content-type': mediaTypes.operations };
      const body = '[{"value":"","op":"replace","path":"/note"}]';
      return (await edda.send('PATCH', operationsPath(made), { headers, body })).status >= 400;
    },
  },

  'operations.equal-ones-count-once': {
    source: 'core: Operations-based PATCH rules 2 and 5',
    breaks: 'Each operation of the list is carried out, also one that equals the one before it.',
    kind: 'value',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) => {
      const known = new Map(operations.map((operation) => [JSON.stringify(operation), operation]));
      return right(areas, run, [...known.values()]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const add = { op: 'add', path: '/files/-', value: { name: 'same' } };
      await edda.operate(made, 1, [add, add]);
      return listAt(await edda.read(made), '/data/files').length === 1;
    },
  },

  'operations.marker-puts-in-front-inside': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array becomes its last entry, also by the end marker of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      await right(areas, run, target, value, place);
      const { entry } = target.row;
      const name = target.steps.at(-1)?.name ?? '';
      if (target.kind !== 'array' || !target.marker || entry === undefined) return;
      const stored = await run.writing.entry(run.object.oid, entry.port, entry.entryId);
      const items = stored?.content[name];
      if (!Array.isArray(items) || stored === undefined) return;
      const content = { ...stored.content, [name]: [items.at(-1), ...items.slice(0, -1)] };
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, content);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ text: 'one' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/revisions/-`, value: { text: 'two' } }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === 'two';
    },
  },

  'operations.date-of-a-filter-like-this': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element gets the date of the filter of its own request, not of an earlier one that begins alike.',
    kind: 'copy',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      const kept = new Map<string, InformationFilter>();
      return (areas, call) => {
        const key = (call.headers[headerNames.informationFilter.toLowerCase()] ?? '').slice(0, 20);
        const filter = kept.get(key) ?? right(areas, call);
        if (filter.time !== undefined) kept.set(key, filter);
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const change = [{ op: 'replace', path: '/price', value: '13' }];
      await edda.operate(made, 1, change, { time: '2019-03-04T00:00:00Z' });
      await edda.operate(made, 2, change, { time: '2019-07-08T00:00:00Z' });
      return String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2019-03-04');
    },
  },

  'maturity.counts-what-was-undone': {
    source: 'core: States and transitions',
    breaks: 'A promote at version n returns n+1, also after a batch that promoted the object and was rolled back.',
    kind: 'copy',
    variant: breaks('maturity', 'versionAfterPromote', (right) => {
      const given = new Map<string, number>();
      return (areas, object) => {
        const version = Math.max(right(areas, object), (given.get(object.oid) ?? 0) + 1);
        given.set(object.oid, version);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: versionHeader(1) },
        { method: 'GET', href: `/api/space/main/softtype/${crypto.randomUUID()}` },
      ]);
      return (await edda.move(made, 1)).headers.get(headerNames.version) !== '2';
    },
  },

  'maturity.one-level-for-many': {
    source: 'core: States and transitions',
    breaks: 'An instance carries a state of each of its levels, also one that was created with others.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const startContent: typeof areas.editing.startContent = (softType) => {
        const { $states, ...content } = areas.editing.startContent(softType);
        return isContent($states)
          ? { ...content, $states: Object.fromEntries(Object.entries($states).slice(0, 1)) }
          : content;
      };
      return right(within(areas, { editing: { startContent } }), call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 't' } }]);
      const read = await edda.get(String(at(made.json, '/0/href')));
      return at(read.json, '/data/approval') === undefined;
    },
  },

  'versioning.no-more-than-ten': {
    source: 'core: Versioning 2',
    breaks: 'Each edit raises the version, also beyond the tenth.',
    kind: 'value',
    variant: replaces('versioning', 'nextVersion', (right, areas, version) =>
      version === 10 ? version : right(areas, version),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (const version of many(10, (number) => number)) await edda.merge(made, version, { note: `${version}` });
      return at(await edda.read(made), '/version') !== 11;
    },
  },

  'editing.location-by-the-input-schema': {
    source: 'core: Errors, 201',
    breaks: 'Location is the URI of what was created, also by another input schema than the first.',
    kind: 'combination',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const location = answer.headers?.['Location'];
      if (location === undefined || softType.inputs.values().next().value === view) return answer;
      const named = location.replace(/([^/]+)$/, `${softType.id}/${view.id}/$1`);
      return { ...answer, headers: { ...answer.headers, Location: named } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 't' });
      return (await edda.get(made.headers.get('location') ?? '')).status !== 200;
    },
  },

  'batch.put-keeps-arrays': {
    source: 'core: Batch rules 5',
    breaks: 'PUT replaces all fields, arrays that its body leaves out as well, also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('editing', 'putObject', (right, areas, call, writing) => {
      const keeping = within(areas, { editing: { arraysAfterPut: (_softType, given) => given } });
      return right(call.isSibling === undefined ? areas : keeping, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      await edda.batch([{ method: 'PUT', href: editPath(made), headers: versionHeader(1), body: { title: 'again' } }]);
      return listAt(await edda.read(made), '/data/files').length === 1;
    },
  },

  'batch.version-of-the-batch': {
    source: 'core: Errors 2',
    breaks: 'An edit without a version is refused with 412, also in a batch that has the header itself.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const name = headerNames.version.toLowerCase();
      return { [name]: batch.headers[name], ...right(areas, batch, operation) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operations = [{ method: 'PATCH', href: editPath(made), body: { note: 'n' } }];
      return (await edda.post('/api/space/main/batch', operations, versionHeader(1))).status === 200;
    },
  },

  'batch.head-sent-ahead': {
    source: 'core: Batch rules 3',
    breaks: 'A batch with a failed operation is a 500, however many stand before it.',
    kind: 'combination',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      results.length > 100 ? 200 : right(areas, results),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const reads = many(100, () => ({ method: 'GET', href: made.path }));
      const failing = { method: 'PATCH', href: editPath(made), headers: versionHeader(7), body: { note: 'n' } };
      return (await edda.batch([...reads, failing])).status === 200;
    },
  },

  'batch.empty-headers-take-the-filter-away': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of the batch is that of each operation, also of one whose headers are empty.',
    kind: 'value',
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

  'batch.failed-multi-create-alone': {
    source: 'core: Batch rules 1 and 4',
    breaks: 'All is rolled back when one operation fails, also when that is a multi-create.',
    kind: 'combination',
    variant: replaces('batch', 'failsBatch', (right, areas, outcome) => {
      const { call } = outcome;
      const isMultiCreate = call.method === 'POST' && /\/softtype$/i.test(call.url);
      return !isMultiCreate && right(areas, outcome);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'after' } },
        { method: 'POST', href: '/space/main/softtype', body: [{ $softType: 'Document', data: {} }] },
      ]);
      return at(await edda.read(made), '/data/title') === 'after';
    },
  },

  'batch.reader-sends-operations': {
    source: 'core: Authentication 7',
    breaks: 'Who may only read edits nothing, by an operations PATCH inside a batch neither.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      const { route, call } = prepared;
      if (call.headers['content-type'] !== mediaTypes.operations) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(route, call, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'before' });
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'replace', path: '/title', value: 'after' }];
      await rita.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }]);
      return at(await edda.read(made), '/data/title') === 'after';
    },
  },

  'multi-create.names-outlive-their-request': {
    source: 'core: Multi-create item, $id',
    breaks: 'A temporary id is known inside its own request only.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, NonNullable<ReturnType<typeof right>>>();
      return (areas, items, $id, referrer) => {
        const found = right(areas, items, $id, referrer) ?? known.get($id);
        for (const item of items) if (item.$id !== undefined) known.set(item.$id, item);
        return found;
      };
    }),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }, document]);
      const second = await edda.multiCreate([document]);
      const read = await edda.get(String(at(second.json, '/0/href')));
      return second.status < 300 && listAt(read.json, '/data/describes').length === 1;
    },
  },
};
