import { request } from 'node:http';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named, tokenOf } from '../proofs.ts';
import { at, editPath, listAt, many, operationsPath, type Service, versionHeader } from '../service.ts';

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

  'operations.insert-before-an-inner-entry': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'Nothing is inserted before an entry, in an array inside an entry neither.',
    kind: 'combination',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      const [step, ...deeper] = target.steps;
      if (target.kind !== 'entry' || step === undefined || deeper.length > 0 || !isContent(value))
        return right(areas, run, target, value, place);
      const items = itemsOf(target.row.content, step.name);
      const last = Math.max(...items.map((item) => Number(item['$entryId'])));
      const index = items.findIndex((item) => item['$entryId'] === step.entryId);
      const inserted = items.toSpliced(index, 0, { $entryId: last + 1, ...value });
      await areas.operations.setMember(run, { ...target, steps: [{ name: step.name }] }, inserted);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions: [{ text: 'a' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const inner = String(at(await edda.read(made), '/data/files/0/revisions/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/revisions/${inner}`, value: { text: 'b' } }]);
      return listAt(await edda.read(made), '/data/files/0/revisions').length === 2;
    },
  },

  'batch.read-without-its-query': {
    source: 'core: Batch rules 6; Server side paging 5',
    breaks: 'A GET in a batch is answered as alone, with the filter that its query names.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = [
        { name: 'a', category: 'drawing' },
        { name: 'b', category: 'other' },
      ];
      const made = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length === 2;
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

  'batch.ends-with-its-connection': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch runs to its end though nobody waits for its answer any more.',
    kind: 'moment',
    variant: replaces('batch', 'runOperation', async (right, areas, batch, writing, table, operation, index) => {
      if (index % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 5));
      if (batch.isAbandoned?.() === true)
        throw new Undone(areas.messages.problemAnswer(batch, new Refusal(499, 'The client has gone.')));
      return right(areas, batch, writing, table, operation, index);
    }),
    async shows(service) {
      const text = `left alone ${Date.now()}`;
      await leaveAlone(
        service,
        many(600, (number) => ({ method: 'POST', href: createPart, body: { name: 'n', note: `${text} ${number}` } })),
      );
      const path = `/api/space/main/instances/Part?text=${encodeURIComponent(text)}`;
      for (let left = 40; left > 0; left -= 1) {
        if (listAt((await service.edda.get(path)).json, '/data').length > 0) return false;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return true;
    },
  },
};

/** Sends a batch and hangs up when all of it has left. */
async function leaveAlone(service: Service, operations: readonly object[]): Promise<void> {
  const token = await tokenOf(service, 'edda');
  const sent = request(new URL('/api/space/main/batch', service.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'Svc-InformationFilter': 'e30=',
    },
  });
  sent.on('error', () => undefined);
  await new Promise<void>((resolve) => sent.end(JSON.stringify(operations), resolve));
  await new Promise((resolve) => setTimeout(resolve, 40));
  sent.destroy();
}
