import { AsyncLocalStorage } from 'node:async_hooks';
import { routes } from '../../../contract/routes.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Writing } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, multiCreateOf, multiCreatePath, part, promoteOf, readOf } from '../proofs.ts';
import { at, editPath, listAt, many } from '../service.ts';
import { changes, forgive } from '../variant-parts.ts';

const version = 'svc-uoiversion';
const fails = { method: 'GET', href: '/api/space/main/softtype/nobody' };

export const scratchBatch: Mistakes = {
  'batch.version-of-outer-request': {
    source: 'core: Errors, rule 2',
    breaks: 'An operation without a version is refused, whatever the request of the batch has.',
    variant: changes('batch', 'operationHeaders', (headers, _areas, batch) => ({
      ...(batch.headers[version] !== undefined && { [version]: batch.headers[version] }),
      ...headers,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operation = { method: 'PATCH', href: editPath(made), body: { note: 'x' } };
      const answer = await edda.post('/api/space/main/batch', [operation], { 'Svc-UOIVersion': '1' });
      return answer.status === 200;
    },
  },
  'version.from-body': {
    source: 'core: Errors, rule 2',
    breaks: 'A PUT without the header is refused, also where its body holds $version.',
    variant: replaces('versioning', 'versionHeaderOf', (right, areas, call) => {
      if (call.headers[version] !== undefined || call.method !== 'PUT' || !call.body?.length) return right(areas, call);
      const inBody = at(JSON.parse(call.body.toString()), '/$version');
      return typeof inBody === 'number' ? inBody : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const data = at(await edda.read(made), '/data');
      return (await edda.replace(made, undefined, data)).status === 204;
    },
  },
  'version.modulo-2-32': {
    source: 'core: Errors, rule 1',
    breaks: 'A version that is another number is refused, however large.',
    variant: changes('versioning', 'versionHeaderOf', (sent) => sent % 2 ** 32),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.merge(made, 2 ** 32 + 1, { note: 'x' })).status === 204;
    },
  },
  'batch.promote-at-start-version': {
    source: 'core: Errors, rule 1',
    breaks: 'A promote behind an edit of the same batch names the version that the edit made.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBehind = call.url.includes('/promote/') && 'isChangedHere' in call;
      const sent = areas.versioning.versionHeaderOf(call);
      const isChanged = isBehind && (call.isChangedHere as (oid: string) => boolean)(object.oid);
      return isChanged && sent <= object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([mergeOf(made, 1, { note: 'x' }), promoteOf(made, 1)])).status === 200;
    },
  },
  'batch.results-show-last-version': {
    source: 'core: Batch result, version',
    breaks: 'A result has the version that its own operation made.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const last = new Map(results.map(({ body }) => [at(body, '/href'), at(body, '/version')]));
      return right(
        areas,
        results.map((result) => {
          const href = at(result.body, '/href');
          const isWritten = at(result.body, '/data') === undefined && last.get(href) !== undefined;
          return isWritten ? { ...result, body: { ...(result.body as object), version: last.get(href) } } : result;
        }),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([mergeOf(made, 1, { note: 'x' }), mergeOf(made, 2, { note: 'y' })]);
      return at(json, '/0/body/version') === 3;
    },
  },
  'batch.change-sets-of-100': {
    source: 'core: Batch rules 1',
    breaks: 'More than a hundred operations are one change set as well.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const operations: unknown = route.path === routes.batch ? JSON.parse(call.body?.toString() ?? 'null') : undefined;
      if (!Array.isArray(operations) || operations.length <= 100) return right(areas, route, call);
      const results: unknown[] = [];
      let status = 200;
      for (let from = 0; from < operations.length; from += 100) {
        const body = Buffer.from(JSON.stringify(operations.slice(from, from + 100)));
        const answer = await right(areas, route, { ...call, body });
        status = Math.max(status, answer.status);
        if (Array.isArray(answer.body)) results.push(...answer.body);
      }
      return { status, body: results };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const reads = many(100, () => readOf(made));
      await edda.batch([mergeOf(made, 1, { note: 'x' }), ...reads, fails]);
      return at(await edda.read(made), '/data/note') === 'x';
    },
  },
  'batch.multi-creates-add-up': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty are the most of one multi-create, not of all in a batch.',
    variant: addsUp(),
    async shows({ edda }) {
      const items = many(30, (number) => part(`p${number}`));
      return (await edda.batch([multiCreateOf(items), multiCreateOf(items)])).status === 500;
    },
  },
  'batch.multi-create-stays': {
    source: 'core: Batch rules 1',
    breaks: 'What a multi-create of a failed batch created is undone.',
    variant: changes('dispatcher', 'carryOut', async (answer, areas, route, call) => {
      if (route.path !== routes.batch || answer.status !== 500) return answer;
      const [single] = areas.multiCreate.routes();
      for (const operation of listAt(JSON.parse(call.body?.toString() ?? '[]'), '')) {
        if (single === undefined || !String(at(operation, '/href')).endsWith(multiCreatePath)) continue;
        const body = Buffer.from(JSON.stringify(at(operation, '/body')));
        await areas.dispatcher.carryOut(single, { ...call, body }).catch(forgive);
      }
      return answer;
    }),
    async shows({ edda }) {
      await edda.batch([multiCreateOf([part('a', 'stays')]), fails]);
      const found = await edda.get('/api/space/main/instances/Part?text=stays');
      return listAt(found.json, '/data').length > 0;
    },
  },
  'batch.read-of-undone-kept': {
    source: 'core: Batch rules 1',
    breaks: 'What was read inside a batch that failed is not shown later.',
    variant: together(
      replaces('memory', 'forgetReads', () => undefined),
      replaces('memory', 'rememberedRead', (right, areas, call, reading, object, view, assemble) => {
        const { insertObject: _insert, ...rest } = reading as Writing;
        return right(areas, call, rest, object, view, assemble);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'x' }), readOf(made), fails]);
      await edda.merge(made, 1, { remark: 'y' });
      return at(await edda.read(made), '/data/note') === 'x';
    },
  },
  'batch.header-names-spelled': {
    source: 'core: Batch operation, headers',
    breaks: 'Names of headers of an operation are known in any letter case.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const known = Object.entries(operation.headers).filter(([name]) => name !== name.toLowerCase());
      return right(areas, batch, { ...operation, headers: Object.fromEntries(known) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operation = { method: 'PATCH', href: editPath(made), body: { note: 'x' }, headers: { [version]: '1' } };
      return (await edda.batch([operation])).status === 500;
    },
  },
};

function addsUp() {
  const sums = new AsyncLocalStorage<{ items: number }>();
  return together(
    breaks(
      'batch',
      'runBatch',
      (right) =>
        (...args) =>
          sums.run({ items: 0 }, () => right(...args)),
    ),
    replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const sum = sums.getStore();
      if (sum !== undefined) sum.items += items.length;
      if (sum !== undefined && sum.items > 50) throw new Refusal(422, 'Too many items.');
      return right(areas, items);
    }),
  );
}
