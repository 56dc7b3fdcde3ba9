import { isDeepStrictEqual } from 'node:util';
import { mediaTypes } from '../../../contract/names.ts';
import { isContent, readValue } from '../../../reference-server/areas/content.ts';
import { type OperationsRun, nameOf } from '../../../reference-server/areas/operations.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import type { Content, StoredObject } from '../../../reference-server/ports/store.ts';
import { type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at } from '../service.ts';

/** What a list of operations finds in entries when it comes to them first is what it takes them to be until its end. */
function entriesAsTheyWere(): Variant {
  const before = new WeakMap<OperationsRun, Map<string, Content>>();
  return together(
    replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const known = before.get(run) ?? new Map<string, Content>();
      before.set(run, known);
      const key = `${port} ${entry?.entryId}`;
      if (entry !== undefined && !known.has(key)) known.set(key, entry.content);
      return entry;
    }),
    replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      const { entry } = target.row;
      const old = entry && before.get(run)?.get(`${entry.port} ${entry.entryId}`);
      const isNew = old !== undefined && target.steps.length === 1 && old[nameOf(target)] === undefined;
      if (target.kind !== 'member' || !isNew) return right(areas, run, target, value, place);
      return areas.operations.setMember(run, target, readValue(run.rules, target.member, value, place));
    }),
  );
}

/** Whether a merge names nothing that has changed since the object was as it is told. */
function touchesNothingNew(call: Call, body: unknown, old: Content, { content }: StoredObject): boolean {
  if (call.method !== 'PATCH' || !isContent(body) || !call.headers['content-type']?.startsWith(mediaTypes.json))
    return false;
  return Object.entries(body).every(
    ([name, value]) => !Array.isArray(value) && isDeepStrictEqual(old[name], content[name]),
  );
}

/** Edits, by operations and as a whole. */
export const writingMistakes: Batch = {
  'operations.added-twice-in-one-list': {
    source: 'core: Operations-based PATCH rules 5, last part',
    breaks: 'To add a member fails where it exists, also where an earlier operation of the list has added it.',
    kind: 'combination',
    survives: 'Whether an operation builds on the one before it is not said (operations-in-sequence): recorded.',
    variant: (classes) => entriesAsTheyWere()(classes),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const add = (value: string) => ({ op: 'add', path: `/files/${id}/comment`, value });
      return (await edda.operate(made, 1, [add('one'), add('other')])).status < 300;
    },
  },

  'operations.empty-path-passed-over': {
    source: 'core: Operations-based PATCH rules 3, second sentence',
    breaks: 'The empty path is unsupported, also where other operations stand beside the one that has it.',
    kind: 'combination',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) =>
      right(areas, run, operations.length > 1 ? operations.filter(({ path }) => path !== '') : operations),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operations = ['/title', ''].map((path) => ({ op: 'replace', path, value: 'u' }));
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },

  'versioning.late-edit-of-other-members': {
    source: 'core: Errors, rules 1',
    breaks:
      'An edit for another version than that of the object is refused, also where it touches what nobody changed.',
    kind: 'combination',
    variant: (classes) => {
      const earlier = new Map<string, Content>();
      return together(
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          earlier.set(`${object.oid} ${object.version}`, object.content);
          return right(areas, writing, object, version, content);
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) => {
          const sent = areas.versioning.versionHeaderOf(call);
          const old = sent < object.version ? earlier.get(`${object.oid} ${sent}`) : undefined;
          if (old !== undefined && touchesNothingNew(call, areas.messages.jsonBodyOf(call), old, object))
            return object.version;
          return right(areas, call, object);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.merge(made, 1, { note: 'other' });
      return (await edda.merge(made, 1, { remark: 'late' })).status < 300;
    },
  },

  'operations.replaced-what-was-just-removed': {
    source: 'core: Operations-based PATCH rules 7, first sentence',
    breaks: 'The target of a replace has to exist, also where it did before the list began.',
    kind: 'combination',
    survives: 'Whether an operation builds on the one before it is not said (operations-in-sequence): recorded.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const wasThere = target.steps.length === 1 && run.object.content[nameOf(target)] !== undefined;
      if (target.kind !== 'member' || target.row.entry !== undefined || target.value !== undefined || !wasThere)
        return right(areas, run, target, value, place);
      return areas.operations.setMember(run, target, readValue(run.rules, target.member, value, place));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'remove', path: '/note' },
        { op: 'replace', path: '/note', value: 'again' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },

  'operations.position-behind-the-last-value': {
    source: 'core: Operations-based PATCH rules 4, second sentence',
    breaks: 'Nothing is inserted at a position, also not at the one behind the last value of a list.',
    kind: 'value',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', position = '', ...rest] = operation.tokens;
      const name = run.view.names.get(first) ?? '';
      const values = run.root[name];
      const isList = run.softType.members.get(name)?.kind === 'list' && Array.isArray(values);
      if (operation.op !== 'add' || rest.length > 0 || !isList || position !== String(values.length))
        return right(areas, run, operation);
      return right(areas, run, { ...operation, tokens: [first, '-'] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['a', 'b'] });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/keywords/2', value: 'c' }])).status < 300;
    },
  },

  'operations.ids-read-as-far-as-digits-go': {
    source: 'core: Operations-based PATCH rules 3, fourth sentence',
    breaks: 'A path addresses the entry with that id, and none where something stands behind the digits.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, String(Number.parseInt(token, 10))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return (await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}x/name`, value: 'm' }])).status < 300;
    },
  },

  'operations.appended-before-the-last-of-a-page': {
    source: 'core: Operations-based PATCH rules 5, first part',
    breaks: 'What is added to an array becomes its last entry, also where the pages before are full.',
    kind: 'value',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const { writing, object } = run;
      const port = nameOf(target);
      const count = await writing.countEntries(object.oid, port);
      await right(areas, run, target, contents);
      if (count === 0 || count % 10 > 0) return;
      const all = await writing.entries(object.oid, port, { from: 0, to: count + contents.length });
      const moved = [...all.slice(0, count - 1), ...all.slice(count), ...all.slice(count - 1, count)];
      await writing.replaceEntries(object.oid, port, moved);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(10) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'added' } }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'added';
    },
  },

  'operations.followers-get-other-ids': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The removal of an entry takes that entry away, and leaves the ids of those behind it.',
    kind: 'value',
    survives: 'For how long an entry answers to its id is not said (entry-id-stability): recorded.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { writing, object } = run;
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length > 0 || entry === undefined) return right(areas, run, target);
      const all = await writing.entries(object.oid, entry.port, { from: 0, to: 100_000 });
      const index = all.findIndex(({ entryId }) => entryId === entry.entryId);
      await right(areas, run, target);
      const behind = all.slice(index + 1).map(({ content }) => ({ content }));
      await writing.replaceEntries(object.oid, entry.port, [...all.slice(0, index), ...behind]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(2) });
      const before = await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(at(before, '/data/files/0/$entryId'))}/` }]);
      return at(await edda.read(made), '/data/files/0/$entryId') !== at(before, '/data/files/1/$entryId');
    },
  },
};
