import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import { awaitCalls, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  documentOf,
  documentsPath,
  mergeOf,
  multiCreateOf,
  named,
  part,
  promoteOf,
  readOf,
  reference,
} from '../proofs.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';
import { changes } from '../variant-parts.ts';

/** Instances that a batch makes at most. */
const mostInBatch = 100;

const operationsType = { 'content-type': 'application/json-patch+json' };

export const batchMistakes: Mistakes = {
  'batch.one-result-alone': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that failed is answered with a list of results, also where there is one alone.',
    variant: changes('batch', 'batchAnswer', (answer, _areas, results) =>
      answer.status === 500 && results.length === 1 ? { ...answer, body: results[0] } : answer,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const stale = mergeOf(made, 7, { note: 'n' });
      return !Array.isArray((await edda.batch([stale])).json);
    },
  },
  'batch.results-of-the-first-hundred': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'There is a result for every operation of a batch, however many there are.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => ({
      ...right(areas, results),
      body: results.slice(0, 100),
    })),
    async shows({ edda }) {
      const { path } = await edda.make('Document');
      const answer = await edda.batch(many(101, () => ({ method: 'GET', href: path })));
      return listAt(answer.json, '').length !== 101;
    },
  },
  'batch.reads-are-kept-for-the-next': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that reads tells how the objects are, also when the same one was sent before.',
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
      const made = await edda.make('Document');
      const read = [readOf(made)];
      await edda.batch(read);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.batch(read)).json, '/0/body/version') === 1;
    },
  },
  'batch.missing-version-is-no-failure': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'The answer is 500 when an operation has failed, for want of a version too.',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      right(
        areas,
        results.filter(({ statusCode }) => statusCode !== 412),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { title: 'u' } }])).status === 200;
    },
  },
  'batch.create-after-a-read': {
    source: 'core: Batch rules',
    breaks: 'The result of a create carries neither data nor links, also behind that of a read.',
    variant: breaks('batch', 'operationResult', (right) => {
      const read = new Map<string, unknown>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        if (call.method === 'GET') read.set(call.correlationId, result.body);
        if (answer.status !== 201 || !isContent(result.body)) return result;
        const before = read.get(call.correlationId);
        return { ...result, body: { ...(isContent(before) ? before : {}), ...result.body } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'read' });
      const answer = await edda.batch([
        readOf(made),
        { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'made' } },
      ]);
      return at(answer.json, '/1/body/data') !== undefined;
    },
  },
  'batch.entries-of-a-failed-one': {
    source: 'core: Batch rules',
    breaks: 'Nothing of a failed batch stays, of a list of operations in it neither.',
    variant: keepsAppended(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'stays', files: named(1) });
      await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), ...operationsType },
          body: [{ op: 'add', path: '/files', value: { name: 'appended' } }],
        },
        mergeOf(made, 9, { note: 'stale' }),
      ]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
  'batch.multi-create-is-none-of-the-api': {
    source: 'core: Batch rules 4',
    breaks: 'The multi-create route may be an operation of a batch, by the path that it has.',
    variant: changes('batch', 'pathOfHref', (path) => {
      if (path !== undefined && !path.startsWith('/api/')) throw new Refusal(400, 'Expected an API URI as href.');
      return path;
    }),
    async shows({ edda }) {
      const body = [part('a', 'p')];
      return (await edda.batch([multiCreateOf(body)])).status !== 200;
    },
  },
  'batch.items-of-another-operation': {
    source: 'core: Batch rules 4',
    breaks: 'What separate operations of a batch create is not related, by the $id of an item of another neither.',
    variant: (classes) => {
      const kept = new Map<string, readonly unknown[]>();
      let current = '';
      return together(
        replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
          current = call.correlationId;
          const { isSibling: _isSibling, ...rest } = call;
          return right(areas, rest, writing);
        }),
        replaces(
          'multiCreate',
          'findItem',
          (right, areas, items, $id, referrer) =>
            right(areas, items, $id, referrer) ?? right(areas, (kept.get(current) ?? []) as never, $id, referrer),
        ),
        replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
          kept.set(call.correlationId, [...(kept.get(call.correlationId) ?? []), ...items]);
          return right(areas, call, writing, items, inputs);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const describes = [reference('p')];
      const { status } = await edda.batch([
        multiCreateOf([part('p', 'n')]),
        multiCreateOf([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]),
      ]);
      return status === 200;
    },
  },
  'multi-create.fifty-in-a-batch': {
    source: 'core: Batch rules 4; Multi-create rules 3',
    breaks: 'The limit is one of a multi-create, not of all those in a batch.',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const counts = new Map<string, number>();
      return (areas, call, writing) => {
        const count = (counts.get(call.correlationId) ?? 0) + listAt(call.json, '').length;
        if (call.isSibling !== undefined) counts.set(call.correlationId, count);
        if (count > 50) throw new Refusal(422, 'A request takes 50 items.');
        return right(areas, call, writing);
      };
    }),
    async shows({ edda }) {
      const items = (prefix: string) => many(30, (number) => part(`${prefix}${number}`, 'p'));
      const operation = (prefix: string) => multiCreateOf(items(prefix));
      return (await edda.batch([operation('a'), operation('b')])).status !== 200;
    },
  },
  'many.multi-create-in-batch-refers-backwards-only': {
    source: 'core: Batch rules 4',
    breaks: 'In a batch, too, an item of a multi-create may refer to one that stands behind it.',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined
          ? areas
          : within(areas, {
              multiCreate: {
                findItem: (items, $id, referrer) =>
                  areas.multiCreate.findItem(items.slice(0, items.indexOf(referrer) + 1), $id, referrer),
              },
            }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const document = documentOf('d', ['p']);
      const answer = await edda.batch([multiCreateOf([document, part('p')])]);
      return answer.status !== 200;
    },
  },
  'many.batches-end-at-256': {
    source: 'core: Limits',
    breaks: 'The number of operations in a batch has no hard limit.',
    variant: changes('batch', 'batchOperationsOf', (operations) => {
      if (operations.length > 256) throw new Refusal(422, 'Too many operations.');
      return operations;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const answer = await edda.batch(many(257, () => readOf(made)));
      return answer.status !== 200;
    },
  },
  'batch.creates-fifty-at-most': {
    source: 'core: Limits',
    breaks: 'Fifty is the limit of a multi-create, and not of the creates of a batch.',
    variant: changes('batch', 'batchOperationsOf', (operations) => {
      const creates = operations.filter((operation) => at(operation, '/method') === 'POST');
      return creates.length > 50 ? operations.map(() => ({ method: 'POST', href: '/' })) : operations;
    }),
    async shows({ edda }) {
      const operations = many(51, (number) => ({ method: 'POST', href: documentsPath, body: { title: `t${number}` } }));
      return (await edda.batch(operations)).status === 500;
    },
  },
  'batch.a-mebibyte-is-the-limit': {
    source: 'core: Limits (text under the table)',
    breaks: 'A batch has no hard limit, neither in operations nor in bytes.',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      if (JSON.stringify(body).length > 2 ** 20) throw new Refusal(413, 'Expected a body of at most 1 MiB.');
      return right(areas, body);
    }),
    shows: async ({ edda }) => {
      const note = 'n'.repeat(100_000);
      const href = '/api/space/main/softtype/Document/documentInput';
      const operations = many(11, (number) => ({ method: 'POST', href, body: { title: `t${number}`, note } }));
      return (await edda.batch(operations)).status !== 200;
    },
  },
  'batch.undone-when-nobody-waits': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch is carried out to its end, also where the connection has ended meanwhile.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      if (call.isAbandoned?.()) throw new Refusal(400, 'Nobody waits for the batch any more.');
      const answer = await right(areas, call, writing, table);
      if (call.isAbandoned?.()) throw new Refusal(400, 'Nobody waits for the batch any more.');
      return answer;
    }),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document');
      const held = await service.host([validator], [{ when: { kind: 'validation' }, steps: [{ delayMs: 300 }] }]);
      const hangUp = new AbortController();
      const batch = fetch(new URL('/api/space/main/batch', service.url), {
        method: 'POST',
        headers: {
          authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
          'content-type': 'application/json',
          'Svc-InformationFilter': 'e30=',
        },
        body: JSON.stringify([promoteOf(made, 1)]),
        signal: hangUp.signal,
      }).catch(() => undefined);
      await awaitCalls(held, 1);
      hangUp.abort();
      await batch;
      await new Promise((resolve) => setTimeout(resolve, 800));
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'batch.instances-are-counted': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit, of the instances that its multi-creates make neither.',
    variant: changes('batch', 'batchOperationsOf', (operations) => {
      const items = operations
        .filter((operation) => at(operation, '/method') === 'POST')
        .map((operation) => listAt(operation, '/body').length);
      if (items.reduce((sum, count) => sum + count, 0) > mostInBatch)
        throw new Refusal(400, `Expected a batch of at most ${mostInBatch} instances.`);
      return operations;
    }),
    async shows({ edda }) {
      const body = many(50, (number) => ({ $softType: 'Part', data: { name: `n${number}` } }));
      const create = multiCreateOf(body);
      return (await edda.batch([create, create, create])).status !== 200;
    },
  },
  'batch.more-than-a-hundred': {
    source: 'core: Limits, text below',
    breaks: 'A batch has no hard limit: a hundred operations are a guideline.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      if (call.json.length <= 100) return right(areas, call, writing, table);
      throw new Undone({ status: 413, body: [] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      return (await edda.batch(many(101, () => readOf(made)))).status !== 200;
    },
  },
};

/** Appends once more what a failed batch appended. */
function keepsAppended(): Variant {
  const appended = new Map<string, { readonly oid: string; readonly port: string; readonly contents: Content[] }[]>();
  return together(
    replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { correlationId, isChangedHere } = run.call;
      const port = target.steps.at(-1)?.name ?? '';
      if (isChangedHere === undefined) return;
      const noted = appended.get(correlationId) ?? [];
      appended.set(correlationId, [...noted, { oid: run.object.oid, port, contents: [...contents] }]);
    }),
    changes('dispatcher', 'carryOut', async (answer, areas, _route, call) => {
      const noted = appended.get(call.correlationId) ?? [];
      appended.delete(call.correlationId);
      if (answer.status !== 500) return answer;
      for (const { oid, port, contents } of noted)
        await areas.store.change(async (writing) => void (await writing.appendEntries(oid, port, contents)));
      return answer;
    }),
  );
}
