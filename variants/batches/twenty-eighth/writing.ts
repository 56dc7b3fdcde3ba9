import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

export const operationsMistakes: Batch = {
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
