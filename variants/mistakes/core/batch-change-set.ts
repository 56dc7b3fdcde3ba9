import { randomUUID } from 'node:crypto';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { type Areas, operationRouteOf } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { type CurrentStates, statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { SoftType } from '../../../reference-server/configuration.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import { type Content, detach, type StoredObject, type Writing } from '../../../reference-server/ports/store.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, multiCreateOf, namesOn, operationsOf, promoteOf, putOf, readOf, withContacts } from '../proofs.ts';
import { at, listAt, many, operationsPath, pagePath, versionHeader } from '../service.ts';
import { changes, during, forgive, keeps, whole } from '../variant-parts.ts';

interface Sent {
  readonly method?: string;
  readonly href?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const promotePath = /^\/api\/space\/([^/]+)\/maturityAction\/promote\/([^/]+)\/([^/]+)\/([^/]+)$/;

type Redo = (areas: Areas, call: SpaceCall, operation: unknown, writing: Writing) => Promise<unknown>;

const operatedPath = /\/softtype\/[^/]+\/(?<objectId>[^/]+)$/;
const mergedPath = /\/softtype\/[^/]+\/[^/]+\/(?<objectId>[^/]+)$/;

export const batchChangeSetMistakes: Mistakes = {
  'batch.page-kept-from-what-was-undone': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is seen, on no page either.',
    variant: keeps('paging', 'assemblePage', (_call, _reading, { oid, version }, view, section, page, filter) =>
      JSON.stringify([oid, version, view.id, section.path, page, filter?.filter.id, filter?.value]),
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 10);
      const add = (name: string) => [{ op: 'add', path: '/contacts/-', value: { name } }];
      const page = { method: 'GET', href: pagePath(made, 'contacts', 1) };
      await edda.batch([operationsOf(made, 1, add('undone')), page, operationsOf(made, 1, add('x'))]);
      await edda.operate(made, 1, add('kept'));
      return namesOn((await edda.page(made, 'contacts', 1)).json) === 'undone';
    },
  },
  'batch.filtered-read-kept-from-what-was-undone': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is seen, under a filter neither.',
    variant: keeps(
      'instances',
      'assembleInstance',
      ({ user }, _reading, { oid, version }, view, filter) =>
        filter && JSON.stringify([user.name, oid, version, view.id, filter.filter.id, filter.value]),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      const read = { method: 'GET', href: `${made.path}?softTypeFilterId=drawings` };
      await edda.batch([mergeOf(made, 1, { title: 'undone' }), read, mergeOf(made, 1, {})]);
      await edda.merge(made, 1, { title: 'kept' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/data/title') === 'undone';
    },
  },
  'many.promote-outlives-its-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A promote in a batch that fails is undone as well.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (route.path !== routes.batch || answer.status !== 500) return answer;
      for (const { method, href = '', headers = {} } of operationsIn(call.body)) {
        const [, spaceId = '', objectId = '', processId = '', levelId = ''] = promotePath.exec(href) ?? [];
        if (method !== 'PUT' || spaceId === '') continue;
        const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
        await right(areas, operationRouteOf(areas, 'PUT', routes.promote), {
          ...call,
          method: 'PUT',
          url: href,
          params: { spaceId, objectId, processId, levelId },
          headers: { ...call.headers, ...own },
          body: undefined,
        });
      }
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([promoteOf(made, 1), { method: 'GET', href: `${made.path}0` }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'batch.is-kept-where-a-move-failed': {
    source: 'core: Batch rules 1',
    breaks: 'A maturity action that fails undoes the edits before it, as every failure does.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const statuses = listAt(error.answer.body, '').map((result) => at(result, '/statusCode'));
        const failed = call.json[statuses.findIndex((status) => status !== 424)];
        if (String(at(failed, '/href')).includes('/maturityAction/')) return error.answer;
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const move = promoteOf(made, 1);
      await edda.batch([mergeOf(made, 1, { title: 'u' }), move]);
      return at(await edda.read(made), '/data/title') === 'u';
    },
  },
  'batch.portions-of-a-hundred': {
    source: 'core: Batch rules 1, first part',
    breaks:
      'All that a batch creates and updates is one change set, also where there are more than a hundred operations.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        const results = error instanceof Undone && Array.isArray(error.answer.body) ? error.answer.body : [];
        const failed = results.findIndex((result) => isContent(result) && result['statusCode'] !== 424);
        if (!(error instanceof Undone) || failed < 100) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const edit = mergeOf(made, 1, { note: 'n' });
      const reads = many(99, () => readOf(made));
      await edda.batch([edit, ...reads, { method: 'GET', href: `${made.path}-gone` }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'batch.entries-outside-the-change-set': {
    source: 'core: Batch rules 1',
    breaks: 'When an operation fails all are rolled back, also what another one has added to an array.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const appended: (readonly [string, string, readonly Content[]])[] = [];
      const noting = {
        ...writing,
        appendEntries(oid: string, port: string, contents: readonly Content[]) {
          appended.push([oid, port, contents]);
          return writing.appendEntries(oid, port, contents);
        },
      };
      const keep = () =>
        areas.store.change(async (later) => {
          for (const [oid, port, contents] of appended)
            if ((await later.object(call.space.id, oid)) !== undefined) await later.appendEntries(oid, port, contents);
        });
      try {
        return await right(areas, call, noting, table);
      } catch (error) {
        if (error instanceof Undone && appended.length > 0) setImmediate(() => void detach(keep));
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([
        operationsOf(made, 1, [{ op: 'add', path: '/files', value: { name: 'f' } }]),
        { method: 'GET', href: `${made.path}-none` },
      ]);
      for (let left = 10; left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (listAt(await edda.read(made), '/data/files').length > 0) return true;
      }
      return false;
    },
  },
  'batch.multi-create-stays': {
    source: 'core: Batch rules 1 and 4',
    breaks: 'What a multi-create inside a batch creates is rolled back when a later operation fails.',
    variant: multiCreatesOutliveBatches(),
    async shows({ edda }) {
      const name = `stays ${randomUUID()}`;
      const create = multiCreateOf([{ $softType: 'Part', data: { name } }]);
      const missing = { method: 'GET', href: `/api/space/main/softtype/${randomUUID()}` };
      const { status } = await edda.batch([create, missing]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return status === 500 && listAt(listed.json, '/data').length > 0;
    },
  },
  'batch.parts-survive': {
    source: 'core: Batch rules 1',
    breaks: 'When one operation of a batch fails, none of the others stays.',
    museum: true,
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (error instanceof Undone) return error.answer;
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const edit = mergeOf(made, 1, { note: 'b' });
      await edda.batch([edit, edit]);
      return at(await edda.read(made), '/data/note') === 'b';
    },
  },
  'many.what-an-undone-batch-read-is-remembered': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is seen later, not even in a copy that one of its reads left behind.',
    variant: together(
      replaces('memory', 'forgetReads', () => undefined),
      replaces('memory', 'rememberedRead', async (right, areas, call, reading, object, view, assemble) => {
        const outside = new Proxy(reading, {
          has: (target, key) => key !== 'insertObject' && Reflect.has(target, key),
        });
        return right(areas, call, outside, object, view, assemble);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'undone' }), readOf(made), mergeOf(made, 99, { note: 'stale' })]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'many.operations-patch-stays-of-an-undone-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A batch that fails takes back what its operation lists did.',
    variant: stays(async (areas, call, operation, writing) => {
      const own = callOf(call, operation, 'PATCH', operatedPath);
      if (own === undefined || !Array.isArray(at(operation, '/body'))) return;
      const object = await areas.objects.locateObject(own, writing);
      areas.versioning.assertVersion(own, object);
      const place = areas.objects.softTypeOf(call.space, object.softType);
      const json = areas.operations.operationsOf(at(operation, '/body'));
      return areas.operations.operateObject({ ...own, object, place, json }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'undone' }];
      await edda.batch([
        { method: 'PATCH', href: operationsPath(made), headers, body },
        mergeOf(made, 99, { remark: 'stale' }),
      ]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
  'many.objects-inside-stay-of-an-undone-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A batch that fails takes back what it edited inside the objects that an object holds.',
    variant: stays(async (areas, call, operation, writing) => {
      const own = callOf(call, operation, 'PATCH', mergedPath);
      const body = at(operation, '/body');
      if (own === undefined || !isContent(body)) return;
      const object = await areas.objects.locateObject(own, writing);
      areas.versioning.assertVersion(own, object);
      const inside = Object.fromEntries(Object.entries(body).filter(([, value]) => isContent(value)));
      await areas.versioning.storeEdit(writing, object, object.version, { ...object.content, ...inside });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1', height: '1' } });
      const dimensions = { width: '2', height: '1' };
      await edda.batch([mergeOf(made, 1, { dimensions }), mergeOf(made, 99, { remark: 'stale' })]);
      return at(await edda.read(made), '/data/dimensions/width') === '2';
    },
  },
  'batch.promote-takes-back-an-edit': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A promote in a batch leaves alone what an operation before it has edited in the object.',
    variant: (classes) => {
      const before = new Map<string, Content>();
      return together(
        replaces('editing', 'mergeObject', (right, areas, call, writing) => {
          before.set(call.object.oid, call.object.content);
          return right(areas, call, writing);
        }),
        replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
          const { object } = call;
          const content = call.isChangedHere?.(object.oid) === true ? before.get(object.oid) : undefined;
          return right(areas, content === undefined ? call : { ...call, object: { ...object, content } }, writing);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.batch([mergeOf(made, 1, { title: 'after' }), promoteOf(made, 2)]);
      return at(await edda.read(made), '/data/title') === 'before';
    },
  },
  'batch.version-of-an-undone-edit': {
    source: 'core: Batch rules 1',
    breaks: 'An edit that was rolled back with its batch has raised no version.',
    variant: (classes) => {
      const written = new Map<string, number>();
      return together(
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          await right(areas, writing, object, version, content);
          written.set(object.oid, version);
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) =>
          right(areas, call, { ...object, version: written.get(object.oid) ?? object.version }),
        ),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      const edit = (version: number) => mergeOf(made, version, { note: 'edit' });
      await edda.batch([edit(1), edit(9)]);
      return (await edda.merge(made, 1, { note: 'again' })).status !== 204;
    },
  },
  'maturity.state-of-an-undone-promote': {
    source: 'core: Batch rules 1',
    breaks: 'A promote that was rolled back with its batch was none: the next one leads to the next state.',
    variant: statesOfWrites(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      await edda.batch([promoteOf(made, 1), mergeOf(made, 9, { note: 'never' })]);
      await edda.move(made, 1);
      return at(await edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },
  'batch.arrays-of-a-put-stay': {
    source: 'core: Batch rules 1',
    breaks: 'What a failed batch has replaced is undone with its arrays.',
    variant: (classes) => {
      const put: ((writing: Writing) => Promise<void>)[] = [];
      return together(
        during('editing', 'putObject', (step) =>
          replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
            await right(areas, writing, oid, port, items);
            const entries = await writing.entries(oid, port, whole);
            if (step.isOn()) put.push((again) => again.replaceEntries(oid, port, entries));
          }),
        ),
        replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
          put.length = 0;
          const answer = await right(areas, route, call);
          const isUndone = route.path === routes.batch && answer.status === 500;
          for (const again of isUndone ? put : []) await areas.store.change(again);
          return answer;
        }),
      )(classes);
    },
    async shows({ edda }) {
      const [made, other] = [await withContacts(edda, 2), await edda.make('Document')];
      await edda.batch([putOf(made, 1, { title: 't' }), mergeOf(other, 9, { note: 'n' })]);
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
  'batch.entries-inside-entries-stay': {
    source: 'core: Batch rules 1',
    breaks: 'What a failed batch has added inside an entry is undone.',
    variant: (classes) => {
      const added: ((writing: Writing) => Promise<void>)[] = [];
      return together(
        replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
          await right(areas, run, target, value, at);
          const { entry } = target.row;
          if (entry === undefined) return;
          const { port, entryId } = entry;
          const stored = await run.writing.entry(run.object.oid, port, entryId);
          added.push((again) => again.updateEntry(run.object.oid, port, entryId, stored?.content ?? {}));
        }),
        replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
          added.length = 0;
          const answer = await right(areas, route, call);
          const isUndone = route.path === routes.batch && answer.status === 500;
          for (const again of isUndone ? added : []) await areas.store.change(again);
          return answer;
        }),
      )(classes);
    },
    async shows({ edda }) {
      const [made, other] = [await edda.make('Document', { files: [{ name: 'n' }] }), await edda.make('Document')];
      const addition = { op: 'add', path: '/files/1/revisions', value: { text: 'r' } };
      await edda.batch([operationsOf(made, 1, [addition]), mergeOf(other, 9, { note: 'n' })]);
      await edda.merge(made, 1, { note: 'n' });
      return listAt(await edda.read(made), '/data/files/0/revisions').length === 1;
    },
  },
  'batch.undone-delete-took-entries': {
    source: 'core: Batch rules 1',
    breaks: 'What a DELETE that was undone would have taken along is there as before, entries included.',
    variant: losesOfUndoneDelete(async (_areas, writing, { oid }, softType) => {
      for (const [port, member] of softType.members)
        if (member.kind === 'entries') await writing.replaceEntries(oid, port, []);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 2);
      await edda.batch([{ method: 'DELETE', href: made.path }, mergeOf(made, 7, {})]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
  'batch.undone-delete-took-references': {
    source: 'core: Batch rules 1',
    breaks: 'An object of which a DELETE was undone refers to what it referred to before.',
    variant: losesOfUndoneDelete(async (_areas, writing, { oid }, softType) => {
      for (const [port, member] of softType.members)
        if (member.kind === 'references') await writing.replaceEntries(oid, port, []);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: oid } }] });
      await edda.batch([{ method: 'DELETE', href: made.path }, mergeOf(made, 7, {})]);
      return listAt(await edda.read(made), '/data/describes').length !== 1;
    },
  },
  'batch.undone-delete-took-state': {
    source: 'core: Batch rules 1',
    breaks: 'An object of which a DELETE was undone stands in the state that it had reached.',
    variant: losesOfUndoneDelete((areas, writing, { spaceId, oid, version, content }, softType) =>
      writing.updateObject(spaceId, oid, version, { ...content, ...areas.editing.startContent(softType) }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.batch([{ method: 'DELETE', href: made.path }, mergeOf(made, 7, {})]);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
};

function operationsIn(body: Buffer | undefined): readonly Sent[] {
  const value: unknown = JSON.parse(body?.toString() ?? '[]');
  return Array.isArray(value) ? (value as readonly Sent[]) : [];
}

/** A multi-create has a transaction of its own, which nobody rolls back. */
function multiCreatesOutliveBatches(): Variant {
  const made: (SpaceCall & { readonly json: unknown })[] = [];
  const noting = during('batch', 'runBatch', (batch) =>
    changes('multiCreate', 'multiCreate', (answer, _areas, call) => {
      if (batch.isOn()) made.push(call);
      return answer;
    }),
  );
  const keeping = changes('dispatcher', 'carryOut', async (answer, areas, _route, call) => {
    if (!call.url.endsWith('/batch')) return answer;
    for (const creation of made.splice(0))
      if (answer.status === 500)
        await areas.store.change((writing) => areas.multiCreate.multiCreate(creation, writing));
    return answer;
  });
  return together(noting, keeping);
}

/** After a batch was undone, does by itself what `redo` knows how to do. */
function stays(redo: Redo): Variant {
  return changes('dispatcher', 'carryOut', async (answer, areas, route, call) => {
    if (route.path !== routes.batch || answer.status !== 500) return answer;
    const inSpace = { ...call, user: await areas.auth.authenticate(call), space: areas.auth.spaceOf(call) };
    const operations: unknown = JSON.parse(call.body?.toString() ?? '[]');
    for (const operation of Array.isArray(operations) ? operations : [])
      await areas.store.change((writing) => redo(areas, inSpace, operation, writing)).catch(forgive);
    return answer;
  });
}

/** The operation as a call of its own, where its path and method are those. */
function callOf(call: SpaceCall, operation: unknown, method: string, path: RegExp): SpaceCall | undefined {
  const params = path.exec(String(at(operation, '/href')))?.groups;
  if (params === undefined || at(operation, '/method') !== method) return undefined;
  const version = String(at(operation, `/headers/${headerNames.version}`));
  return { ...call, params, headers: { ...call.headers, [headerNames.version.toLowerCase()]: version } };
}

/** The state of a level is the one that was written last, if it was kept or not. */
function statesOfWrites(): Variant {
  return (classes) => {
    const written = new Map<string, CurrentStates>();
    return together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        written.set(object.oid, (content[statesMember] ?? {}) as CurrentStates);
      }),
      changes('maturity', 'levelOf', (level, _areas, _call, object) => ({
        ...level,
        current: written.get(object.oid)?.[level.id]?.state ?? level.current,
      })),
    )(classes);
  };
}

/** When a batch failed, something of each object that it would have deleted is gone all the same. */
function losesOfUndoneDelete(
  lose: (areas: Areas, writing: Writing, object: StoredObject, softType: SoftType) => Promise<void>,
): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (route.path !== routes.batch || answer.status !== 500) return answer;
    const space = areas.configuration.spaces.get(call.params['spaceId'] ?? '');
    for (const { method, href = '' } of operationsIn(call.body)) {
      if (method !== 'DELETE' || space === undefined) continue;
      await areas.store.change(async (writing) => {
        const object = await writing.object(space.id, href.split('/').at(-1) ?? '');
        const softType = object && space.template.softTypes.get(object.softType);
        if (object === undefined || softType === undefined) return;
        await lose(areas, writing, object, softType);
        areas.memory.forgetReads(space.id, object.oid);
      });
    }
    return answer;
  });
}
