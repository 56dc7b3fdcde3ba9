import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { OperationsRun } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, movePath, operationsPath, versionHeader } from '../service.ts';

const versionName = headerNames.version.toLowerCase();

const operationsType = { 'content-type': 'application/json-patch+json' };

/** Compares no version of an object whose last edit was half an hour ago. */
function forgetsVersions(): Variant {
  const editedAt = new Map<string, number>();
  return together(
    replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
      await right(areas, writing, object, version, content);
      editedAt.set(object.oid, areas.clock.now());
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const last = editedAt.get(object.oid);
      if (last === undefined || areas.clock.now() - last < 1_800_000) return right(areas, call, object);
      areas.versioning.versionHeaderOf(call);
      return object.version;
    }),
  );
}

/** Takes back what was promoted just now without being told the version. */
function undoesWithoutVersion(): Variant {
  const promoted = new Map<string, number>();
  return together(
    replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
      const version = right(areas, object);
      promoted.set(object.oid, version);
      return version;
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isUndone = call.url.includes('/demote/') && promoted.get(object.oid) === object.version;
      return isUndone && call.headers[versionName] === undefined ? object.version : right(areas, call, object);
    }),
  );
}

/** Finds an entry one place further once another one was removed by the same list. */
function shiftsEntries(): Variant {
  const shortened = new WeakMap<OperationsRun, Set<string>>();
  return together(
    replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      if (target.kind !== 'entry' || target.row.entry === undefined) return;
      shortened.set(run, new Set([...(shortened.get(run) ?? []), target.row.entry.port]));
    }),
    replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      if (entry === undefined || !shortened.get(run)?.has(port)) return entry;
      const all = await run.writing.entries(run.object.oid, port, { from: 0, to: 1_000_000 });
      return all[all.findIndex(({ entryId }) => entryId === entry.entryId) + 1] ?? entry;
    }),
  );
}

/** Takes a member of an entry for present once it was there. */
function remembersRemoved(): Variant {
  const removed = new Set<string>();
  return together(
    replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      if (target.kind === 'member' && target.row.entry !== undefined)
        removed.add(JSON.stringify([run.object.oid, target.row.entry.port, target.row.entry.entryId, target.steps]));
    }),
    replaces('operations', 'addValue', async (right, areas, run, target, value, where) => {
      const entry = target.row.entry;
      const key = JSON.stringify([run.object.oid, entry?.port, entry?.entryId, target.steps]);
      if (removed.has(key)) throw new Refusal(422, 'The member has a value already: replace it.');
      return right(areas, run, target, value, where);
    }),
  );
}

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
  'versioning.forgotten-after-half-an-hour': {
    source: 'core: Versioning',
    breaks: 'The version that is sent is compared, however long ago the last edit was.',
    kind: 'moment',
    variant: forgetsVersions(),
    async shows({ edda, pass }) {
      const made = await edda.make('Document', { title: 'old' });
      await edda.merge(made, 1, { note: 'second' });
      await pass(3600);
      return (await edda.merge(made, 1, { note: 'third' })).status !== 409;
    },
  },

  'versioning.inherited-from-the-batch': {
    source: 'core: Errors',
    breaks: 'An edit without a version is refused, also as an operation of a batch that was sent with one.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => ({
      [versionName]: batch.headers[versionName],
      ...right(areas, batch, operation),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'inherited' });
      const operations = [{ method: 'PATCH', href: editPath(made), body: { note: 'without' } }];
      const answer = await edda.post('/api/space/main/batch', operations, versionHeader(1));
      return at(answer.json, '/0/statusCode') !== 412;
    },
  },

  'versioning.undo-without-version': {
    source: 'core: Errors',
    breaks: 'A PUT without a version is refused, also where it takes back what was just done.',
    kind: 'moment',
    variant: undoesWithoutVersion(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undo' });
      await edda.move(made, 1);
      return (await edda.put(movePath(made, 'demote'), undefined)).status !== 412;
    },
  },

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

export const operationsMistakes: Batch = {
  'operations.entry-behind-a-removed-one': {
    source: 'core: Patch operation',
    breaks: 'An entry is found by its id, also where the same list removed one before it.',
    kind: 'combination',
    variant: shiftsEntries(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'shift', files: named(3) });
      await edda.operate(made, 1, [
        { op: 'remove', path: '/files/1/' },
        { op: 'replace', path: '/files/2/name', value: 'changed' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') !== 'changed';
    },
  },

  'operations.replace-by-an-empty-object': {
    source: 'core: Operations-based PATCH rules',
    breaks: 'No object replaces anything, one without members neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, where) => {
      const isEmpty = isContent(value) && Object.keys(value).length === 0;
      if (isEmpty && target.kind === 'member' && isContent(target.value))
        return areas.operations.setMember(run, target, {});
      return right(areas, run, target, value, where);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', dimensions: { width: '1' } });
      const answer = await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions', value: {} }]);
      return answer.status < 300;
    },
  },

  'operations.add-of-what-was-there': {
    source: 'core: Operations-based PATCH rules',
    breaks: 'A member that is not there is added, also where it once was.',
    kind: 'moment',
    variant: remembersRemoved(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'again', files: [{ name: 'one', comment: 'first' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/comment' }]);
      const answer = await edda.operate(made, 2, [{ op: 'add', path: '/files/1/comment', value: 'second' }]);
      return answer.status >= 400;
    },
  },

  'operations.first-hundred': {
    source: 'core: Operations-based PATCH rules',
    breaks: 'Every operation of the list is carried out, however long the list is.',
    kind: 'value',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) =>
      right(areas, run, operations.slice(0, 100)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'many' });
      const operations = many(101, (number) => ({ op: 'add', path: '/files', value: { name: `n${number}` } }));
      await edda.operate(made, 1, operations);
      return listAt((await edda.page(made, 'files', 10)).json, '/data').length === 0;
    },
  },

  'editing.delete-across-spaces': {
    source: 'core: What the service does',
    breaks: 'An object is in its space, and found through no other.',
    kind: 'place',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      if (call.method !== 'DELETE') return right(areas, call, reading);
      for (const space of areas.configuration.spaces.values()) {
        const mayUse = areas.auth.rolesOf(call.user, space).length > 0;
        const object = mayUse ? await reading.object(space.id, call.params.objectId ?? '') : undefined;
        if (object !== undefined) return object;
      }
      return right(areas, call, reading);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'elsewhere' });
      await edda.delete(`/api/space/depot/softtype/${made.oid}`);
      return (await edda.get(made.path)).status === 404;
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

  'batch.version-of-a-promote': {
    source: 'core: Batch result',
    breaks: 'The version in a result is the new one, that of a promote as well.',
    kind: 'place',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      if (call.isChangedHere === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'promoted' });
      const answer = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(answer.json, '/0/body/version') !== 2;
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

  'multi-create.id-that-is-a-guid': {
    source: 'core: Multi-create item',
    breaks:
      'The id of an item counts inside its request only: another request may use it again, whatever it looks like.',
    kind: 'value',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) =>
      right(areas, items).map((item) =>
        /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(item.$id ?? '')
          ? { ...item, oid: item.$id ?? item.oid }
          : item,
      ),
    ),
    async shows({ edda }) {
      const items = [{ $id: 'b7a6f2de-0d53-4f0e-9a55-1d2f3c4b5a69', $softType: 'Part', data: { name: 'guid' } }];
      await edda.multiCreate(items);
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
};
