import { headerNames } from '../../../contract/names.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import type { OperationsRun } from '../../../reference-server/areas/operations.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'paging.pages-rounded': {
    source: 'core: Link object',
    breaks: 'A page link counts a last page also where that holds no more than one entry.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.round(total / 10)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(21) });
      return at(pageLinkIn(await edda.read(made)), '/pages') !== 3;
    },
  },

  'reading.view-for-a-soft-type': {
    source: 'core: System properties, $softType',
    breaks: 'A read tells the definition of the object as $softType, whatever output schema shows it.',
    kind: 'place',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      const isDefault = view === areas.objects.outputViewOf(softType, undefined);
      return isDefault ? read : { ...read, data: { ...read.data, $softType: view.id } };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$softType') !== 'Document';
    },
  },

  'filters.nothing-is-everything': {
    source: 'core: Server side paging 5',
    breaks: 'A filter shapes the links, also one that admits no entry at all.',
    kind: 'value',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      return { ...slice, total: slice.total || (await areas.entries.totalOf(reading, object, section)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      return at(pageLinkIn(await edda.read(made, '?softTypeFilterId=drawings')), '/totalNumber') === 11;
    },
  },

  'filters.value-of-the-page-before': {
    source: 'core: Server side paging 5',
    breaks: 'A page is filtered by the value that its own request supplies, not by that of the first who asked.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call, softType, parameter) => {
        const applied = right(areas, call, softType, parameter);
        if (applied === undefined || parameter === 'softTypeFilterId') return applied;
        const first = known.get(applied.filter.id) ?? applied;
        known.set(applied.filter.id, first);
        return first;
      };
    }),
    async shows({ edda }) {
      const files = ['letter', 'photo'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const query = '?softTypeFilter=byCategory&fileGroup.category=';
      await edda.page(made, 'files', 0, `${query}letter`);
      return at((await edda.page(made, 'files', 0, `${query}photo`)).json, '/data/0/name') !== 'photo';
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.id-by-count': {
    source: 'core: System properties, $entryId',
    breaks:
      'An $entryId tells one entry of an array from the others, also when one was removed before another was added.',
    kind: 'combination',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) =>
      right(areas, call, {
        ...writing,
        updateEntry: async (oid, port, entryId, content) => {
          const before = await writing.entry(oid, port, entryId);
          await writing.updateEntry(oid, port, entryId, recounted(before?.content ?? {}, content));
        },
      }),
    ),
    async shows({ edda }) {
      const revisions = many(3, (number) => ({ text: `revision ${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'one', revisions }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files/1/revisions', value: { text: 'last' } }]);
      const ids = listAt(await edda.read(made), '/data/files/0/revisions').map((item) => at(item, '/$entryId'));
      return new Set(ids).size < ids.length;
    },
  },

  'operations.cascade-by-position': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The entry that does not comply any more is removed, and no other one that stands where its id would be.',
    kind: 'moment',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const { port, entryId } = entry;
      const [there] = await run.writing.entries(run.object.oid, port, { from: entryId - 1, to: entryId });
      return right(areas, run, { ...entry, entryId: there?.entryId ?? entryId });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/2/name' }]);
      return at(await edda.read(made), '/data/files/0/name') !== 'n3';
    },
  },

  'operations.replaced-by-nothing': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'A replace takes no array, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, pointer) => {
      const isEmptied = target.kind === 'list' && Array.isArray(value) && value.length === 0;
      return isEmptied ? areas.operations.setMember(run, target, []) : right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['one'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: [] }])).status < 400;
    },
  },

  'operations.add-of-nothing': {
    source: 'core: Patch operation, value',
    breaks: 'An add needs a value, also where an entry without any member would do.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const isBare = isContent(item) && item['op'] === 'add' && !('value' in item);
      return right(areas, isBare ? { ...item, value: {} } : item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/contacts' }])).status < 400;
    },
  },

  'operations.replace-in-an-object': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace has to exist, also when it is a member of an object inside.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, pointer) => {
      const isNew = target.kind === 'member' && target.value === undefined && target.steps.length > 1;
      return isNew ? areas.operations.addValue(run, target, value, pointer) : right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions/height', value: '2' }])).status < 400;
    },
  },

  'operations.entries-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses any entry of an array, also one that no first read shows.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const found = await right(areas, run, port, token);
      const shown = await run.writing.entries(run.object.oid, port, { from: 0, to: 10 });
      return shown.some(({ entryId }) => entryId === found?.entryId) ? found : undefined;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/12/name', value: 'new' }])).status >= 400;
    },
  },

  'operations.entry-as-it-was-read': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'Of a list each operation has its effect, also when two change members of one entry.',
    kind: 'combination',
    variant: breaks('operations', 'entryAt', (right) => {
      const runs = new WeakMap<OperationsRun, Map<string, ReturnType<typeof right>>>();
      return (areas, run, port, token) => {
        const read = runs.get(run) ?? new Map<string, ReturnType<typeof right>>();
        runs.set(run, read);
        const entry = read.get(`${port}/${token}`) ?? right(areas, run, port, token);
        read.set(`${port}/${token}`, entry);
        return entry;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      await edda.operate(made, 1, [
        { op: 'replace', path: '/files/1/name', value: 'renamed' },
        { op: 'add', path: '/files/1/comment', value: 'new' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') !== 'renamed';
    },
  },

  'operations.test-passed-over': {
    source: 'core: Patch operation, op',
    breaks: 'There are add, replace and remove: a list with another operation is not carried out.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(areas, Array.isArray(body) ? body.filter((item) => at(item, '/op') !== 'test') : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'test', path: '/title', value: 'other' }])).status < 400;
    },
  },

  'operations.same-value-again': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value that is added to an array stands at its end, also when the array has an equal one.',
    kind: 'moment',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) =>
      right(areas, run, target, target.kind === 'list' && Array.isArray(value) ? [...new Set<unknown>(value)] : value),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['one', 'two'] });
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'one' }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },

  'operations.add-onto-an-object': {
    source: 'core: Errors 3',
    breaks: 'To add a member that exists fails, also when both values are objects that could be merged.',
    kind: 'place',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, pointer) =>
      target.kind === 'member' && target.member.kind === 'object' && isContent(target.value) && isContent(value)
        ? areas.operations.setMember(run, target, { ...target.value, ...value })
        : right(areas, run, target, value, pointer),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/dimensions', value: { height: '2' } }])).status < 400;
    },
  },

  'operations.remove-with-null': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A remove has no value, not even null.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      if (!isContent(item) || item['op'] !== 'remove' || item['value'] !== null) return right(areas, item, pointer);
      const { value: _null, ...rest } = item;
      return right(areas, rest, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }])).status < 400;
    },
  },
};

export const writingMistakes: Batch = {
  'versioning.own-edits': {
    source: 'core: Errors 1',
    breaks: 'An edit for an older version is refused, also when nobody else has edited the object since.',
    kind: 'role',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const editors = new Map<string, unknown>();
      return (areas, call, object) => {
        const user = at(call, '/user/name');
        const isOwn = areas.versioning.versionHeaderOf(call) < object.version && editors.get(object.oid) === user;
        const version = isOwn ? object.version : right(areas, call, object);
        editors.set(object.oid, user);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'first' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/remark', value: 'stale' }])).status !== 409;
    },
  },

  'versioning.batch-without-version': {
    source: 'core: Errors 412',
    breaks: 'Without its version header a PATCH is refused, also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBare = 'isSibling' in call && call.headers[headerNames.version.toLowerCase()] === undefined;
      return isBare ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([{ method: 'PATCH', href: editPath(made), body: { note: 'edited' } }]);
      return answer.status === 200;
    },
  },

  'maturity.second-demote': {
    source: 'core: Endpoint table, PUT demote',
    breaks: 'Each demote makes a new version, also the second of an object.',
    kind: 'moment',
    variant: breaks('maturity', 'versionAfterDemote', (right) => {
      const demoted = new Set<string>();
      return (areas, object) => {
        if (demoted.has(object.oid)) return object.version;
        demoted.add(object.oid);
        return right(areas, object);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (const version of [1, 2]) await edda.move(made, version);
      await edda.move(made, 3, 'demote');
      return (await edda.move(made, 4, 'demote')).headers.get(headerNames.version) !== '5';
    },
  },

  'editing.merge-of-the-same': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An accepted merge answers 204, also when each field has the value already.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const edits = isContent(call.json) ? Object.entries(call.json) : [];
      const isSame = edits.every(([name, value]) => call.object.content[name] === value);
      return isSame ? { ...answer, status: 200, body: { message: 'not changed' } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'same' });
      return (await edda.merge(made, 1, { note: 'same' })).status !== 204;
    },
  },

  'editing.created-twice': {
    source: 'core: Common request headers, Location',
    breaks: 'Each 201 leads to what that request created, also when a request like it came just before.',
    kind: 'moment',
    variant: breaks('editing', 'createObject', (right) => {
      const last = new Map<string, { readonly body: string; readonly answer: Answer }>();
      return async (areas, call, writing) => {
        const body = JSON.stringify([call.url, call.json]);
        const before = last.get(call.user.name);
        if (before?.body === body) return before.answer;
        const answer = await right(areas, call, writing);
        last.set(call.user.name, { body, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'p' }), await edda.make('Part', { name: 'p' })];
      return one.oid === other.oid;
    },
  },

  'batch.short-reads-alone': {
    source: 'core: Batch rules 2',
    breaks: 'A batch may hold the GET of an instance in each of its two forms.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      return method === 'GET' && found?.params['definitionId'] !== undefined ? undefined : found;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentFull/${oid}`;
      return (await edda.batch([{ method: 'GET', href }])).status !== 200;
    },
  },
};

/** The page link of the files in a read. */
function pageLinkIn(read: unknown): unknown {
  return listAt(read, '/links').find((link) => at(link, '/sectionPath') === 'files');
}

/** Numbers an item that came to an array of the entry by how many the array has now. */
function recounted(before: Content, after: Content): Content {
  const members = Object.entries(after).map(([name, value]) => {
    const items = itemsOf(after, name);
    const last = items.at(-1);
    if (last === undefined || items.length <= itemsOf(before, name).length) return [name, value];
    return [name, [...items.slice(0, -1), { ...last, $entryId: items.length }]];
  });
  return Object.fromEntries(members);
}
