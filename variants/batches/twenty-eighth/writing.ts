import type { Answer } from '../../../reference-server/http/call.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

export const operationsMistakes: Batch = {
  'operations.equal-values-once': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Each add on an array appends its value, also one that another add of the list has appended.',
    kind: 'copy',
    variant: breaks('operations', 'appendToPort', (right) => {
      const added = new WeakMap<object, Set<string>>();
      return async (areas, run, target, contents) => {
        const texts = added.get(run) ?? new Set();
        added.set(run, texts);
        const fresh = contents.filter((content) => !texts.has(JSON.stringify(content)));
        for (const content of fresh) texts.add(JSON.stringify(content));
        if (fresh.length > 0) await right(areas, run, target, fresh);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'equal' });
      const add = { op: 'add', path: '/contacts', value: { name: 'same' } };
      await edda.operate(made, 1, [add, add]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },

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

  'operations.entry-as-it-was': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'Two operations on members of one entry both take effect.',
    kind: 'combination',
    variant: breaks('operations', 'entryAt', (right) => {
      const read = new WeakMap<object, Map<string, StoredEntry | undefined>>();
      return async (areas, run, port, token) => {
        const known = read.get(run) ?? new Map<string, StoredEntry | undefined>();
        read.set(run, known);
        const key = `${port} ${token}`;
        const entry = known.get(key) ?? (await right(areas, run, port, token));
        known.set(key, entry);
        return entry;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: [{ name: 'old', comment: 'old' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/name`, value: 'new' },
        { op: 'replace', path: `/files/${id}/comment`, value: 'new' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') !== 'new';
    },
  },

  'operations.date-in-batch': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is that of the information filter, in a batch as well.',
    kind: 'combination',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      return call.url.includes('/softtype/') && 'isSibling' in call
        ? new Date(areas.clock.now()).toISOString()
        : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '1' });
      const body = [{ op: 'replace', path: '/price', value: '2' }];
      const headers = { ...versionHeader(1), 'content-type': 'application/json-patch+json' };
      const filter = { 'svc-informationfilter': encoded({ time: '2031-05-06T07:08:09Z' }) };
      await edda.post(
        '/api/space/main/batch',
        [{ method: 'PATCH', href: operationsPath(made), headers, body }],
        filter,
      );
      return !JSON.stringify(at(await edda.read(made), '/data/price')).includes('2031-05-06');
    },
  },

  'operations.no-cascade-with-inner-entries': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, also when it holds entries itself.',
    kind: 'combination',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const inner = [...members].some(([name, { kind }]) => kind === 'entries' && Object.hasOwn(content, name));
      return inner || right(areas, members, content);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'one' }] }];
      const made = await edda.make('Document', { title: 'cascade', files });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await edda.read(made), '/data/files').length > 0;
    },
  },

  'operations.removes-ids-that-begin-alike': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry is removed by its id, and none whose id begins with it.',
    kind: 'value',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length > 0 || entry === undefined) return;
      const all = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 });
      for (const { entryId } of all)
        if (String(entryId).startsWith(String(entry.entryId)))
          await run.writing.removeEntry(run.object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'alike', contacts: named(12) });
      const id = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${id}/` }]);
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/totalNumber') === 11);
    },
  },
};

export const editingMistakes: Batch = {
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

  'editing.put-in-short-schema-forgets-states': {
    source: 'core: States and transitions',
    breaks: 'An instance carries its current states, also after a PUT by another input schema.',
    kind: 'combination',
    variant: replaces('editing', 'putObject', (right, areas, call, writing) => {
      const isFirst = call.place.view === areas.operations.pathViewOf(call.place.softType);
      const content = Object.fromEntries(Object.entries(call.object.content).filter(([name]) => !name.startsWith('$')));
      return right(areas, isFirst ? call : { ...call, object: { ...call.object, content } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'states' });
      const path = editPath(made).replace('documentInput', 'documentBrief');
      await edda.put(path, 1, { title: 'brief' });
      return at(await edda.read(made), '/data/engineering/state') === undefined;
    },
  },
};

export const maturityMistakes: Batch = {
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

export const manyMistakes: Batch = {
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

  'batch.put-one-version-late': {
    source: 'core: Errors 1',
    breaks: 'Another version than that of the server is a conflict, in a PUT of a batch as well.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isLate = call.headers['svc-uoiversion'] === String(object.version - 1);
      const isOperation = 'isSibling' in call && call.method === 'PUT' && call.url.includes('/softtype/');
      return isLate && isOperation ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'late' });
      await edda.merge(made, 1, { note: 'of another' });
      const operation = { method: 'PUT', href: editPath(made), headers: versionHeader(1), body: { title: 'late' } };
      return (await edda.batch([operation])).status !== 500;
    },
  },

  'batch.twice-the-same-create': {
    source: 'core: Batch rules 5',
    breaks: 'POST creates: two operations with the same body make two objects.',
    kind: 'copy',
    variant: breaks('batch', 'carryOutOperation', (right) => {
      let batch = '';
      const made = new Map<string, Answer>();
      return async (areas, operation, writing) => {
        const { method, url, body, correlationId } = operation.call;
        if (correlationId !== batch) made.clear();
        batch = correlationId;
        const key = `${url} ${String(body)}`;
        const answer = (method === 'POST' ? made.get(key) : undefined) ?? (await right(areas, operation, writing));
        if (method === 'POST') made.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const operation = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'twin' } };
      const { json } = await edda.batch([operation, operation]);
      return at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },

  'multi-create.ids-that-begin-alike': {
    source: 'core: Multi-create item, reference',
    breaks: 'instanceRef names the item with that very $id, not one whose $id begins with it.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      return items.find((item) => item.$id?.startsWith($id)) ?? right(areas, items, $id, referrer);
    }),
    async shows({ edda }) {
      const parts = [10, 1].map((number) => ({
        $id: `part-${number}`,
        $softType: 'Part',
        data: { name: `part ${number}` },
      }));
      const reference = { id: 'r', value: { instanceRef: 'part-1', softTypeId: 'Part' } };
      const document = { $id: 'document', $softType: 'Document', data: { title: 'refers', describes: [reference] } };
      const answer = await edda.multiCreate([...parts, document]);
      const read = await edda.get(String(at(answer.json, '/2/href')));
      const part = String(at(answer.json, '/1/href')).split('/').at(-1);
      return at(read.json, '/data/describes/0/value/$oid') !== part;
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
