import { mediaTypes } from '../../../contract/names.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, operationsPath } from '../service.ts';

/** Objects whose last write was a list of operations; no two servers share an id. */
const operatedOn = new Set<string>();

export const operationsMistakes: Batch = {
  'operations.three-digit-entries': {
    source: 'core: Patch operation (array item of an operations-based PATCH)',
    breaks: 'A path addresses an entry by its id, however many digits that has.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) =>
      token.length > 2 ? undefined : right(areas, run, port, token),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(101) });
      const id = String(at((await edda.page(made, 'contacts', 10)).json, '/data/0/$entryId'));
      const answer = await edda.operate(made, 1, [{ op: 'replace', path: `/contacts/${id}/name`, value: 'n' }]);
      return answer.status >= 400;
    },
  },

  'operations.reference-without-value': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A reference whose value is removed goes with it.',
    kind: 'place',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry, content } = target.row;
      if (entry?.array.kind !== 'references' || nameOf(target) !== 'value' || target.steps.length !== 1)
        return right(areas, run, target);
      const { value: _value, ...rest } = content;
      return run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, rest);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const describes = [{ id: 'first', value: { $oid: part.oid } }];
      const made = await edda.make('Document', { title: 't', describes });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },

  'operations.once-a-role': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add appends its value once, for somebody who has roles on two participants as well.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const roles = areas.auth.rolesOf(run.call.user, run.call.space);
      return right(areas, run, target, isPort(target) ? roles.flatMap(() => contents) : contents);
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      await emil.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'n' } }]);
      return listAt(await emil.read(made), '/data/files').length !== 1;
    },
  },

  'batch.small-letters-of-content-type': {
    source: 'core: Operations-based PATCH rules 1',
    breaks:
      'The content type selects the operations, in an operation of a batch with its name in small letters as well.',
    kind: 'place',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { 'content-type': _ignored, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    survives:
      'The headers of an operation are members of JSON, of which it is not said that their letter case does not matter: recorded.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { 'content-type': mediaTypes.operations, 'Svc-UOIVersion': '1' },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
      ]);
      return answer.status !== 200;
    },
  },
};

export const editingMistakes: Batch = {
  'merge.behind-operations-is-complete': {
    source: 'core: Common request headers',
    breaks: 'A body of plain JSON edits what it names and nothing else, right behind a list of operations as well.',
    kind: 'moment',
    variant: together(
      replaces('operations', 'operateObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        operatedOn.add(call.object.oid);
        return answer;
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        if (!operatedOn.delete(call.object.oid)) return right(areas, call, writing);
        const { softType, view } = call.place;
        const optional = [...view.names].filter(([, name]) => {
          const member = softType.members.get(name);
          return member?.kind === 'string' && !member.mandatory;
        });
        const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
        return right(areas, { ...call, json: { ...nulls, ...(call.json as object) } }, writing);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 'u' }]);
      await edda.merge(made, 2, { remark: 'r' });
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },

  'put.every-tenth-version': {
    source: 'core: Endpoint table',
    breaks: 'A PUT removes what its body leaves out, the one that makes the tenth version as well.',
    kind: 'moment',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const object = await writing.object(call.space.id, call.object.oid);
      if (object === undefined || object.version % 10 !== 0) return answer;
      await areas.versioning.storeEdit(writing, object, object.version, { ...call.object.content, ...object.content });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 9; version += 1) await edda.merge(made, version, { note: `n${version}` });
      await edda.replace(made, 9, { title: 't' });
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'versioning.nothing-to-merge': {
    source: 'core: Errors',
    breaks: 'A PATCH without the version header gets 412, one with an empty object as well.',
    kind: 'value',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isEmpty = call.method === 'PATCH' && call.body?.toString().trim() === '{}';
      return isEmpty && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, undefined, {})).status !== 412;
    },
  },
};
