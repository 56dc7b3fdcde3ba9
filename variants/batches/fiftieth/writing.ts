import { isDeepStrictEqual } from 'node:util';
import { entryIdMember, isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, operationsPath, versionHeader } from '../service.ts';

/** Creates, edits and moves. */
export const writingMistakes: Batch = {
  'operations.inner-entries-by-their-id-alone': {
    source: 'core: Patch operation, path',
    breaks: 'A path leads to the entry inside the one that it names, and not to one of the same id inside another.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', , inner = '', id = '', ...rest] = operation.tokens;
      const entries = id === '' ? [] : await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
      const holder = entries.find(({ content }) =>
        itemsOf(content, inner).some((item) => String(item[entryIdMember]) === id),
      );
      const tokens = holder === undefined ? operation.tokens : [port, String(holder.entryId), inner, id, ...rest];
      return right(areas, run, { ...operation, tokens });
    }),
    async shows({ edda }) {
      const files = ['a', 'b'].map((name) => ({ name, revisions: [{ text: name }] }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/1/$entryId'), at(read, '/data/files/1/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/text`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'c' }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === 'c';
    },
  },

  'operations.add-of-what-is-there': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that exists fails, be it with the value that the member has.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'member' && target.value !== undefined && isDeepStrictEqual(target.value, value)) return;
      await right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }])).status < 300;
    },
  },

  'operations.remove-with-a-number': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A remove has no value, be it one that a library takes for empty, as it does numbers.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (!isContent(item) || item['op'] !== 'remove') return right(areas, item, place);
      const { value, ...bare } = item;
      const isEmpty = typeof value === 'string' ? value === '' : Object.keys(Object(value)).length === 0;
      return right(areas, isEmpty ? bare : item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: 42 }])).status < 300;
    },
  },

  'batch.operations-as-before-the-merge': {
    source: 'core: Batch rules 5',
    breaks: 'A PATCH edits only the fields in its body, and leaves what another one of the batch edited before.',
    kind: 'combination',
    variant: (classes) => {
      const before = new Map<string, Content>();
      return together(
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          before.set(object.oid, object.content);
          return right(areas, writing, object, version, content);
        }),
        replaces('operations', 'operateObject', (right, areas, call, writing) => {
          const { object } = call;
          const content = call.isChangedHere?.(object.oid) === true ? before.get(object.oid) : undefined;
          return right(areas, content === undefined ? call : { ...call, object: { ...object, content } }, writing);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } },
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(2), 'Content-Type': 'application/json-patch+json' },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
      ]);
      const read = await edda.read(made);
      return at(read, '/data/title') === 'u' && at(read, '/data/note') !== 'n';
    },
  },

  'create.location-of-what-it-refers-to': {
    source: 'core: Errors, row 201',
    breaks: 'The Location of a create is that of the new object, and not of the one that it refers to.',
    kind: 'combination',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const items = Object.values(Object(call.json)).flatMap((value) => (Array.isArray(value) ? value : []));
      const oid = items.map((item) => at(item, '/value/$oid')).find((value) => typeof value === 'string');
      if (oid === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, Location: areas.objects.locationOf(call.space.id, oid) } };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const describes = [{ value: { $oid: part.oid } }];
      return (await edda.make('Document', { title: 't', describes })).oid === part.oid;
    },
  },

  'merge.unchanged-is-told': {
    source: 'core: Errors, row 204',
    breaks: 'A merge is answered by 204, also where the values are those that the object had.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const { content } = call.object;
      const answer = await right(areas, call, writing);
      const edits = Object.entries(Object(call.json));
      const isSame = edits.length > 0 && edits.every(([name, value]) => isDeepStrictEqual(content[name], value));
      return isSame ? { ...answer, status: 200, body: { changed: false } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, 1, { title: 't' })).status === 200;
    },
  },

  'versions.what-is-taken-back-does-not-count': {
    source: 'core: Versioning 2',
    breaks: 'Each edit increments the version, be it that its second operation takes back what the first one did.',
    kind: 'value',
    survives: 'Whether a write that changes nothing raises the version is not said (no-op-version): recorded.',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const [first, second, ...more] = operations;
      const isTakenBack =
        more.length === 0 &&
        at(first, '/op') === 'add' &&
        at(second, '/op') === 'remove' &&
        at(first, '/path') === at(second, '/path');
      return isTakenBack ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.operate(made, 1, [
        { op: 'add', path: '/note', value: 'n' },
        { op: 'remove', path: '/note' },
      ]);
      return at(await edda.read(made), '/version') === 1;
    },
  },
};
