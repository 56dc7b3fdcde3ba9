import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

const createPart = '/api/space/main/softtype/Part/partInput';

export const listMistakes: Batch = {
  'batch.patch-from-the-tenth-on-replaces': {
    source: 'core: Batch operation, method; Batch rules 5',
    breaks: 'PATCH edits only what its body names, wherever in the batch it stands.',
    kind: 'place',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      const isMerge = operation.method === 'PATCH' && !Array.isArray(operation.body);
      return isMerge && index >= 10 ? { ...operation, method: 'PUT' } : operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', remark: 'r' });
      const reads = many(10, () => ({ method: 'GET', href: made.path }));
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'u' } };
      await edda.batch([...reads, edit]);
      return at(await edda.read(made), '/data/remark') === undefined;
    },
  },

  'batch.status-of-the-failed-is-a-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'A status code is an integer, also that of the operation by which the batch fails.',
    kind: 'moment',
    variant: replaces('batch', 'resultsOfUndone', (right, areas, batch, count, failedIndex, failed) => {
      const results = right(areas, batch, count, failedIndex, failed);
      return results.map((result) =>
        result === failed ? { ...result, statusCode: String(result.statusCode) as never } : result,
      );
    }),
    async shows({ edda }) {
      const answer = await edda.batch([{ method: 'POST', href: createPart, body: {} }]);
      return typeof at(answer.json, '/0/statusCode') !== 'number';
    },
  },

  'multi-create.last-of-fifty-has-no-entries': {
    source: 'core: Multi-create item, data',
    breaks: 'An item has all of its data, the last of the most that there may be as well.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(
        areas,
        call,
        writing,
        items,
        inputs.map((input, index) => (index < 49 ? input : { ...input, arrays: new Map() })),
      ),
    ),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $softType: 'Part', data: { name: `n${number}`, usages: named(1) } }));
      const made = await edda.multiCreate(items);
      const read = await edda.get(String(at(made.json, '/49/href')));
      return read.status === 200 && listAt(read.json, '/data/usages').length === 0;
    },
  },

  'operations.test-passes-behind-the-first': {
    source: 'core: Patch operation, op',
    breaks: 'An operation that is none of the three makes the list fail, behind others as well.',
    kind: 'place',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(
        areas,
        Array.isArray(body) ? body.filter((item, index) => index === 0 || at(item, '/op') !== 'test') : body,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'test', path: '/title', value: 'something else' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },

  'batch.reads-are-kept-for-the-next': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that reads tells how the objects are, also when the same one was sent before.',
    kind: 'copy',
    variant: breaks('batch', 'runBatch', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, writing, table) => {
        const readsOnly = call.json.every((operation) => at(operation, '/method') === 'GET');
        const key = `${call.space.id} ${call.user.name} ${JSON.stringify(call.json)}`;
        const answer = (readsOnly ? kept.get(key) : undefined) ?? (await right(areas, call, writing, table));
        if (readsOnly) kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = [{ method: 'GET', href: made.path }];
      await edda.batch(read);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.batch(read)).json, '/0/body/version') === 1;
    },
  },

  'batch.type-in-small-letters': {
    source: 'core: Operations-based PATCH rules 1',
    breaks:
      'The content type makes it an operations PATCH, also in a batch that spells the name of the header in small letters.',
    kind: 'place',
    survives: 'how names of headers may be spelled inside a batch is not said',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { 'content-type': _unseen, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), 'content-type': 'application/json-patch+json' },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
      ]);
      return answer.status !== 200;
    },
  },

  'batch.a-hundred-results': {
    source: 'core: Batch rules 3; Limits, operations per batch',
    breaks: 'There is a result for each operation, also of more than a hundred that read and write.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const statuses = new Set(results.map(({ statusCode }) => statusCode));
      return right(areas, statuses.has(200) && statuses.has(201) ? results.slice(0, 100) : results);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const reads = many(100, () => ({ method: 'GET', href: made.path }));
      const answer = await edda.batch([...reads, { method: 'POST', href: createPart, body: { name: 'n' } }]);
      return listAt(answer.json, '').length !== 101;
    },
  },
};
