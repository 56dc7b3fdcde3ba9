import { isContent } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

const operationsType = { 'content-type': 'application/json-patch+json' };

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
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      const noted = appended.get(call.correlationId) ?? [];
      appended.delete(call.correlationId);
      if (answer.status !== 500) return answer;
      for (const { oid, port, contents } of noted)
        await areas.store.change(async (writing) => void (await writing.appendEntries(oid, port, contents)));
      return answer;
    }),
  );
}

export const versionMistakes: Batch = {
  'versioning.first-edit-of-a-batch-only': {
    source: 'core: Versioning',
    breaks: 'Each edit of a batch is made for the version of its object, the second one as well as the first.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const compared = new Map<string, string>();
      return (areas, call, object) => {
        if (!('isChangedHere' in call)) return right(areas, call, object);
        const first = compared.get(call.correlationId);
        if (first === undefined || first === object.oid) {
          compared.set(call.correlationId, object.oid);
          return right(areas, call, object);
        }
        areas.versioning.versionHeaderOf(call);
        return object.version;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'one' }), await edda.make('Part', { name: 'other' })];
      const answer = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: versionHeader(1), body: { note: 'right' } },
        { method: 'PATCH', href: editPath(other), headers: versionHeader(7), body: { note: 'stale' } },
      ]);
      return answer.status === 200;
    },
  },
};

export const batchMistakes: Batch = {
  'batch.create-after-a-read': {
    source: 'core: Batch rules',
    breaks: 'The result of a create carries neither data nor links, also behind that of a read.',
    kind: 'copy',
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
        { method: 'GET', href: made.path },
        { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'made' } },
      ]);
      return at(answer.json, '/1/body/data') !== undefined;
    },
  },

  'batch.results-beyond-a-hundred': {
    source: 'core: Limits',
    breaks: 'A batch has no hard limit: each operation has a result of its own, however many there are.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) =>
      right(
        areas,
        results.map((result, index) => (index < 100 ? result : (results[99] ?? result))),
      ),
    ),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Part/partInput';
      const operations = many(101, (number) => ({ method: 'POST', href, body: { name: `n${number}` } }));
      const { json } = await edda.batch(operations);
      return at(json, '/100/body/href') === at(json, '/99/body/href');
    },
  },

  'batch.entries-of-a-failed-one': {
    source: 'core: Batch rules',
    breaks: 'Nothing of a failed batch stays, of a list of operations in it neither.',
    kind: 'combination',
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
        { method: 'PATCH', href: editPath(made), headers: versionHeader(9), body: { note: 'stale' } },
      ]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.later-items-for-administrators': {
    source: 'core: Multi-create rules',
    breaks: 'Items refer to each other in both directions, whatever the role of who sends them.',
    kind: 'role',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator'))
        return right(areas, call, writing, items, inputs);
      const earlier = inputs.map((input, index) => {
        const later = new Set<unknown>(items.slice(index + 1).map(({ oid }) => oid));
        const arrays = [...input.arrays].map(
          ([port, list]) => [port, list.filter(({ content }) => !later.has(at(content, '/value/$oid')))] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, earlier);
    }),
    async shows({ alma }) {
      const describes = [{ id: 'r', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const answer = await alma.multiCreate([
        { $id: 'document', $softType: 'Document', data: { title: 'first', describes } },
        { $id: 'part', $softType: 'Part', data: { name: 'second' } },
      ]);
      const read = await alma.get(String(at(answer.json, '/0/href')));
      return listAt(read.json, '/data/describes').length !== 1;
    },
  },

  'multi-create.second-version-in-a-batch': {
    source: 'core: Versioning',
    breaks:
      'A created object has version 1, also one with references that an operation of a batch created with others.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      if (call.isChangedHere === undefined) return;
      for (const [index, { oid }] of items.entries()) {
        const object = await writing.object(call.space.id, oid);
        if (object !== undefined && inputs[index]?.arrays.has('describes'))
          await writing.updateObject(call.space.id, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const body = [
        { $id: 'part', $softType: 'Part', data: { name: 'one' } },
        { $id: 'document', $softType: 'Document', data: { title: 'other', describes } },
      ];
      const answer = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      const read = await edda.get(String(at(answer.json, '/0/body/1/href')));
      return at(read.json, '/version') === 2;
    },
  },
};
