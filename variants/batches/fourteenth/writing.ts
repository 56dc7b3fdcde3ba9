import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const editingMistakes: Batch = {
  'editing.put-keeps-references': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is gone, an array of references as well.',
    kind: 'place',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
      const all = [...right(areas, softType, given)];
      return new Map(all.filter(([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references'));
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'described' });
      const made = await edda.make('Document', { title: 'put', describes: [{ value: { $oid: oid } }] });
      await edda.replace(made, 1, { title: 'put' });
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },

  'versioning.entries-of-a-creation': {
    source: 'core: Errors 201',
    breaks: 'The version header of a creation has the version of the object, also when it was created with entries.',
    kind: 'combination',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      const hasEntries = isContent(call.json) && Object.values(call.json).some((value) => Array.isArray(value));
      if (object === undefined || !hasEntries) return answer;
      await writing.updateObject(object.spaceId, oid, areas.versioning.nextVersion(object.version), object.content);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entries', files: named(2) });
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'versioning.header-counts-operations': {
    source: 'core: Common request headers',
    breaks: 'A PATCH returns the new version, which is one more, however many operations it has.',
    kind: 'combination',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      await right(areas, call, writing);
      return areas.versioning.editedAnswer(call.object.version + Math.max(1, call.json.length));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'operations' });
      const operations = ['note', 'remark'].map((member) => ({ op: 'add', path: `/${member}`, value: member }));
      const answer = await edda.operate(made, 1, operations);
      return answer.headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.order-of-members': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in any order.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const [first] = isContent(item) ? Object.keys(item) : [];
      if (first !== 'op') throw new Refusal(400, 'An operation begins with op.', { pointer });
      return right(areas, item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'order' });
      return (await edda.operate(made, 1, [{ value: 'added', path: '/note', op: 'add' }])).status >= 400;
    },
  },

  'operations.cascade-in-one-port': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member is removed, in whatever array of whatever SoftType.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      if (entry.port === 'files') await right(areas, run, entry);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'part', usages: named(2) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/usages/1/name' }]);
      return listAt(await edda.read(made), '/data/usages').length !== 1;
    },
  },

  'operations.add-beside-a-sibling': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that is added inside an object stands beside those that are there.',
    kind: 'place',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [holder, member] = target.steps;
      if (target.row.entry !== undefined || holder === undefined || member === undefined || target.value !== undefined)
        return right(areas, run, target, value);
      return right(areas, run, { ...target, steps: [holder] }, { [member.name]: value });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'beside', dimensions: { width: '1' } });
      await edda.operate(made, 1, [{ op: 'add', path: '/dimensions/height', value: '2' }]);
      return at(await edda.read(made), '/data/dimensions/width') !== '1';
    },
  },
};
