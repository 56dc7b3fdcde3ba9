import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { OperationsRun } from '../../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { Content, StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** An object where an empty text is none. */
function withoutEmpty(value: unknown): unknown {
  return isContent(value) ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== '')) : value;
}

/** Creates, merges and versions. */
export const writingMistakes: Batch = {
  'create.location-with-the-input-schema': {
    source: 'core: Common request headers, text below on Location',
    breaks: 'The Location of a create leads to the object, whatever schema it was created by.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const [usual] = softType.inputs.values();
      const location = answer.headers?.['Location'] ?? '';
      const long = location.replace(/\/(?=[^/]*$)/, `/${softType.id}/${view.id}/`);
      return { ...answer, headers: { ...answer.headers, Location: view === usual ? location : long } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 't' });
      return (await edda.get(made.headers.get('location') ?? '')).status === 404;
    },
  },

  'create.version-behind-the-request': {
    source: 'core: Errors, row 201',
    breaks: 'The version header of a create holds the version of the object, whatever version the request speaks of.',
    kind: 'combination',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const given = call.headers['svc-uoiversion'];
      if (given === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(Number(given) + 1) } };
    }),
    async shows({ edda }) {
      const path = '/api/space/main/softtype/Document/documentInput';
      const made = await edda.post(path, { title: 't' }, { [headerNames.version]: '4' });
      return made.headers.get(headerNames.version) === '5';
    },
  },

  'merge.empty-text-inside': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'The fields in the body are edited, be it to an empty text, inside an object too.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const pairs = Object.entries(edits).map(([name, edit]) => [name, withoutEmpty(edit)] as const);
      return right(areas, target, Object.fromEntries(pairs));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      await edda.merge(made, 1, { dimensions: { width: '' } });
      return at(await edda.read(made), '/data/dimensions/width') === '1';
    },
  },

  'version.of-32-bits': {
    source: 'core: Errors, row 409',
    breaks:
      'A version that differs does not equal that of the server, be it by as much as an integer of 32 bits holds.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent % 2 ** 32 === current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, 2 ** 32 + 1, { title: 'u' })).status === 204;
    },
  },
};

/** Lists of operations. */
export const operationsMistakes: Batch = {
  'operations.names-of-the-data': {
    source: 'core: Patch operation, path',
    breaks: 'A path names what the input schema names, and not what the data call it.',
    kind: 'value',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const [output] = run.softType.outputs.values();
      const name = run.view.names.has(first) ? first : (output?.names.get(first) ?? first);
      return right(areas, run, { ...operation, tokens: [name, ...rest] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/displayLabel', value: 'l' }])).status < 300;
    },
  },

  'operations.value-of-a-later-remove': {
    source: 'core: Patch operation, value',
    breaks: 'The value is omitted for remove, wherever in the list it stands.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (place === '/0' || !isContent(item) || item['op'] !== 'remove') return right(areas, item, place);
      const { value: _value, ...bare } = item;
      return right(areas, bare, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'remove', path: '/note', value: 'n' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },

  'operations.entry-as-it-was': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry as the operations before it left it.',
    kind: 'copy',
    variant: breaks('operations', 'entryAt', (right) => {
      const loaded = new WeakMap<OperationsRun, Map<string, StoredEntry>>();
      return async (areas, run, port, token) => {
        const entries = loaded.get(run) ?? new Map<string, StoredEntry>();
        loaded.set(run, entries);
        const entry = entries.get(`${port}/${token}`) ?? (await right(areas, run, port, token));
        if (entry !== undefined) entries.set(`${port}/${token}`, entry);
        return entry;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/name`, value: 'b' },
        { op: 'add', path: `/files/${id}/comment`, value: 'c' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') === 'a';
    },
  },

  'operations.inserted-into-a-list': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'Nothing is inserted at an index, into an array of plain values neither.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const [name = '', index = '', ...rest] = operation.tokens;
      const isList = run.softType.members.get(name)?.kind === 'list' && rest.length === 0 && /^\d+$/.test(index);
      if (!isList || operation.op !== 'add') return right(areas, run, operation, place);
      const target = await areas.operations.targetOf(run, { ...operation, tokens: [name, '-'] });
      const present: readonly unknown[] = Array.isArray(target.value) ? target.value : [];
      return areas.operations.setMember(run, target, present.toSpliced(Number(index), 0, operation.value));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['b'] });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/keywords/0', value: 'a' }])).status < 300;
    },
  },

  'operations.list-replaced': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array is no value for replace, one of plain values neither.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
      target.kind === 'list' && Array.isArray(value)
        ? areas.operations.setMember(run, target, value)
        : right(areas, run, target, value, place),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['b'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: ['a'] }])).status < 300;
    },
  },

  'operations.cascade-by-the-id-alone': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The parent entry is removed, and not the entry of another array that has the same id.',
    kind: 'copy',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      await right(areas, run, entry);
      const { oid } = run.object;
      for (const [port, member] of run.softType.members)
        if (isArrayMember(member) && (await run.writing.entry(oid, port, entry.entryId)) !== undefined)
          await run.writing.removeEntry(oid, port, entry.entryId);
    }),
    async shows({ edda }) {
      const content: Content = { title: 't', files: [{ name: 'a' }], contacts: [{ name: 'b' }] };
      const made = await edda.make('Document', content);
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
};
