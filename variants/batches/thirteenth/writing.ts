import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

/** Marks what waits in the bin. */
const binned = '$deletedAt';

export const editingMistakes: Batch = {
  'editing.merge-of-an-empty-text': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge has afterwards the value that the body gives it, an empty text as well.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [name, edit === '' ? null : edit]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', note: 'something' });
      await edda.merge(made, 1, { note: '' });
      return at(await edda.read(made), '/data/note') !== '';
    },
  },

  'editing.put-leaves-a-default': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, and does not fall back to a default.',
    kind: 'value',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const flags = Object.entries(old).filter(([name, value]) => typeof value === 'boolean' && !(name in given));
      return { ...right(areas, old, given), ...Object.fromEntries(flags.map(([name]) => [name, false])) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'default', confidential: true });
      await edda.replace(made, 1, { title: 'default' });
      return at(await edda.read(made), '/data/confidential') !== undefined;
    },
  },

  'editing.merge-that-reorders-a-list': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks:
      'A field in the body of a merge has afterwards the value that the body gives it, also where only its order is new.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const old: Content = isContent(target) ? target : {};
      const dirty = Object.entries(edits).filter(([name, edit]) => !hasSameItems(old[name], edit));
      return right(areas, target, Object.fromEntries(dirty));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'list', keywords: ['one', 'two'] });
      await edda.merge(made, 1, { keywords: ['two', 'one'] });
      return at(await edda.read(made), '/data/keywords/0') !== 'two';
    },
  },

  'editing.create-from-a-used-object': {
    source: 'core: Endpoint table, POST softtype',
    breaks:
      'A new instance has the content that its body gives, and nothing of the instance that was created before it.',
    kind: 'moment',
    variant: breaks('contents', 'contentFrom', (right) => {
      const used = new Map<string, Content>();
      return (areas, call, softType, view, body) => {
        const input = right(areas, call, softType, view, body);
        if (call.method !== 'POST') return input;
        const before = used.get(softType.id) ?? {};
        used.set(softType.id, input.content);
        const members = Object.entries(input.content).map(([name, value]) => [name, filledFrom(before[name], value)]);
        return { ...input, content: Object.fromEntries(members) };
      };
    }),
    async shows({ edda }) {
      await edda.make('Document', { title: 'first', dimensions: { width: '1', height: '2' } });
      const made = await edda.make('Document', { title: 'second', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },

  'editing.operations-on-what-was-deleted': {
    source: 'core: Errors',
    breaks: 'What was deleted is not found, by an operations PATCH neither.',
    kind: 'moment',
    variant: together(
      replaces('editing', 'eraseObject', async (_right, _areas, writing, { spaceId, oid, version, content }) => {
        await writing.updateObject(spaceId, oid, version, { ...content, [binned]: true });
      }),
      replaces('objects', 'locateObject', async (right, areas, call, reading) => {
        const object = await right(areas, call, reading);
        const isOperations = call.method === 'PATCH' && call.params['inputSchemaId'] === undefined;
        if (object.content[binned] === undefined || isOperations) return object;
        throw new Refusal(404, `There is no object ${object.oid}.`);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'bin' });
      await edda.delete(made.path);
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'late' }])).status !== 404;
    },
  },
};

export const versioningMistakes: Batch = {
  'versioning.copy-of-before-the-operations': {
    source: 'core: Errors 1',
    breaks:
      'A version is compared with that of the object now, also where operations have made it since the last read.',
    kind: 'copy',
    variant: together(
      replaces('operations', 'operateObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        stale(areas.outgoing).set(call.object.oid, call.object.version);
        return answer;
      }),
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        stale(areas.outgoing).delete(object.oid);
        return right(areas, writing, object, version, content);
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const copy = stale(areas.outgoing).get(object.oid);
        const isOperations = call.params['inputSchemaId'] === undefined;
        if (!isOperations && copy !== undefined && areas.versioning.versionHeaderOf(call) === copy)
          return object.version;
        return right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'stale' });
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'first' }]);
      return (await edda.merge(made, 1, { note: 'second' })).status !== 409;
    },
  },
};

const staleVersions = new WeakMap<object, Map<string, number>>();

/** Versions that a cache has of objects, by what is made anew with the server. */
function stale(server: object): Map<string, number> {
  const versions = staleVersions.get(server) ?? new Map<string, number>();
  staleVersions.set(server, versions);
  return versions;
}

function hasSameItems(old: unknown, edit: unknown): boolean {
  if (!Array.isArray(old) || !Array.isArray(edit) || old.length !== edit.length) return false;
  return edit.every((item) => old.includes(item));
}

/** The value with those members that only the other one has, where both are objects. */
function filledFrom(before: unknown, value: unknown): unknown {
  return isContent(before) && isContent(value) ? { ...before, ...value } : value;
}
