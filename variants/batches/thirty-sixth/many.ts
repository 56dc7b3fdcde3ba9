import { Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, type Variant, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, type Made, versionHeader } from '../service.ts';

const version = 'svc-uoiversion';

export const manyMistakes: Batch = {
  'batch.path-that-passed-already': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on each operation of a batch, also where an earlier one was for the same path.',
    kind: 'role',
    variant: breaks('batch', 'carryOutOperation', (right) => {
      const passed = new Set<string>();
      return async (areas, prepared, writing) => {
        const { route, call } = prepared;
        const key = `${call.correlationId} ${call.user.name} ${call.url}`;
        if (passed.has(key)) return areas.dispatcher.carryOutWrite(route, call, writing);
        const answer = await right(areas, prepared, writing);
        passed.add(key);
        return answer;
      };
    }),
    async shows({ edda, rita }) {
      const { path } = await edda.make('Part', { name: 'n' });
      const answer = await rita.batch([
        { method: 'GET', href: path },
        { method: 'DELETE', href: path },
      ]);
      return answer.status === 200;
    },
  },

  'batch.version-of-the-one-before': {
    source: 'core: Errors 2',
    breaks: 'An edit in a batch without a version fails, also behind one that has it.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const last = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const given = headers[version];
        if (given !== undefined) last.set(batch.correlationId, given);
        const former = last.get(batch.correlationId);
        const isEdit = operation.method === 'PUT' || operation.method === 'PATCH';
        return isEdit && former !== undefined ? { ...headers, [version]: given ?? former } : headers;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'm' })];
      const { headers: _none, ...bare } = edit(other, { note: 'x' });
      return (await edda.batch([edit(one, { note: 'x' }), bare])).status === 200;
    },
  },

  'batch.status-behind-a-create': {
    source: 'core: Batch result, row statusCode',
    breaks: 'The status of an operation is its own: a merge behind a create has 204.',
    kind: 'moment',
    variant: breaks('batch', 'operationResult', (right) => {
      const last = new Map<string, number>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const former = last.get(call.correlationId);
        last.set(call.correlationId, result.statusCode);
        return former === 201 && result.statusCode === 204 ? { ...result, statusCode: 201 } : result;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const create = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'm' } };
      const { json } = await edda.batch([create, edit(made, { note: 'x' })]);
      return at(json, '/1/statusCode') !== 204;
    },
  },

  'multi-create.type-of-a-namesake': {
    source: 'core: Multi-create item, row $softType',
    breaks: 'An item becomes what its own $softType says, also where another request of the batch has its $id.',
    kind: 'moment',
    variant: breaks('multiCreate', 'createItems', (right) => {
      const known = new Map<string, Parameters<typeof right>[3][number]['softType']>();
      return (areas, call, writing, items, inputs) => {
        const typed = items.map((item) => {
          const key = `${call.correlationId} ${item.$id ?? item.oid}`;
          const softType = known.get(key) ?? item.softType;
          known.set(key, softType);
          return { ...item, softType };
        });
        return right(areas, call, writing, typed, inputs);
      };
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([
        multiCreate([{ $id: 'a', $softType: 'Part', data: { name: 'n' } }]),
        multiCreate([{ $id: 'a', $softType: 'Requirement', data: { text: 't' } }]),
      ]);
      const { json: read } = await edda.get(String(at(json, '/1/body/0/href')));
      return at(read, '/data/$softType') === 'Part';
    },
  },

  'batch.same-result-once': {
    source: 'core: Batch rules 3',
    breaks: 'There is one result for each operation, also where two of them read the same.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const texts = results.map((result) => JSON.stringify(result));
      return right(
        areas,
        results.filter(({ statusCode }, index) => statusCode !== 200 || texts[index] !== texts[index - 1]),
      );
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Part', { name: 'n' });
      const { json } = await edda.batch(many(2, () => ({ method: 'GET', href: path })));
      return listAt(json, '').length !== 2;
    },
  },

  'batch.goes-on-without-a-version': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch remains where one operation fails, also where all that is amiss is its version header.',
    kind: 'value',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => right(areas, outcome) && outcome.answer.status !== 412,
    ),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'm' })];
      const { headers: _none, ...bare } = edit(other, { note: 'x' });
      await edda.batch([edit(one, { note: 'x' }), bare]);
      return at(await edda.read(one), '/data/note') === 'x';
    },
  },

  'batch.reads-without-their-query': {
    source: 'core: Batch operation, row href',
    breaks: 'An operation is for its whole URI: a read in a batch is filtered as its query says.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const { route, call } = right(areas, ...args);
      return { route, call: { ...call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n' }] });
      const { json } = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(json, '/0/body/data/files').length > 0;
    },
  },

  'batch.refers-to-another-multi-create': {
    source: 'core: Batch rules 4',
    breaks: 'An item of one multi-create of a batch cannot refer to an item of another one.',
    kind: 'combination',
    variant: findsAcross(),
    async shows({ edda }) {
      const describes = [{ id: 'd', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const { status } = await edda.batch([
        multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]),
        multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]),
      ]);
      return status === 200;
    },
  },

  'batch.long-ones-are-kept': {
    source: 'core: Batch rules 1',
    breaks: 'A batch of more than a hundred operations is undone as well when one of them fails.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (error instanceof Undone && call.json.length > 100) return error.answer;
        throw error;
      }
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'n' }), await edda.make('Part', { name: 'm' })];
      const reads = many(99, () => ({ method: 'GET', href: other.path }));
      await edda.batch([edit(one, { note: 'x' }), ...reads, { method: 'GET', href: `${other.path}0` }]);
      return at(await edda.read(one), '/data/note') === 'x';
    },
  },
};

function edit(made: Made, body: object) {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body };
}

function multiCreate(body: readonly object[]) {
  return { method: 'POST', href: '/space/main/softtype', body };
}

function findsAcross(): Variant {
  return breaks('multiCreate', 'multiCreate', (right) => {
    const known = new Map<string, { readonly $id: string | undefined }[]>();
    return (areas, call, writing) => {
      const items = known.get(call.correlationId) ?? [];
      known.set(call.correlationId, items);
      const across = within(areas, {
        multiCreate: {
          identifyItems(given) {
            const identified = areas.multiCreate.identifyItems(given);
            items.push(...identified);
            return identified;
          },
          findItem: (_own, $id) => items.find((item) => item.$id === $id) as never,
        },
      });
      return right(across, { ...call, isSibling: () => false }, writing);
    };
  });
}
