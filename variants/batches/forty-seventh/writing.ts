import { headerNames } from '../../../contract/names.ts';
import type { OperationsRun } from '../../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { Content, StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** Creates, merges and versions. */
export const writingMistakes: Batch = {
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
