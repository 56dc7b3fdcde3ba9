import { isDeepStrictEqual } from 'node:util';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

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

  'editing.merge-dates-anew': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What the body of a merge leaves out stays, the date of a dated element included.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const object = await writing.object(call.space.id, call.object.oid);
      if (object === undefined) return answer;
      const effectivity = areas.contents.effectivityOf(call);
      const dated = Object.entries(object.content).flatMap(([name, value]) =>
        call.place.softType.members.get(name)?.kind === 'dated' && isContent(value)
          ? [[name, { ...value, effectivity }]]
          : [],
      );
      const content = { ...object.content, ...Object.fromEntries(dated) };
      await writing.updateObject(object.spaceId, object.oid, object.version, content);
      return answer;
    }),
    async shows({ edda }) {
      const effectivity = '2020-01-01T00:00:00Z';
      const made = await edda.make('Document', { title: 'dated', price: { value: '10', effectivity } });
      await edda.merge(made, 1, { note: 'edited' });
      return at(await edda.read(made), '/data/price/effectivity') !== effectivity;
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
  'operations.marker-in-a-nested-array': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given, also for an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      if (operation.tokens.length === 4 && operation.tokens.at(-1) === '-')
        throw new Refusal(422, 'There is no entry with such an id.');
      return right(areas, run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'marker', files: [{ name: 'one', revisions: [] }] });
      const added = { op: 'add', path: '/files/1/revisions/-', value: { text: 'added' } };
      return (await edda.operate(made, 1, [added])).status >= 400;
    },
  },

  'operations.add-of-the-same': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'To add a member that exists fails, also when it would have the value that it has.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'member' && isDeepStrictEqual(target.value, value)) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'same', note: 'there' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'there' }])).status < 400;
    },
  },

  'operations.replace-of-a-list': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array replaces nothing, also not a list of plain values.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'list' && Array.isArray(value)) return areas.operations.setMember(run, target, value);
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'list', keywords: ['old'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: ['new'] }])).status < 400;
    },
  },

  'operations.date-only-forward': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, be it before the one it has.',
    kind: 'value',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [before, next] = [target.value, value].map((dated) => Date.parse(String(at(dated, '/effectivity'))));
      if (before === undefined || next === undefined || !(before > next)) return right(areas, run, target, value);
      return right(areas, run, target, { ...Object(value), effectivity: at(target.value, '/effectivity') });
    }),
    async shows({ edda }) {
      const price = { value: '10', effectivity: '2030-01-01T00:00:00Z' };
      const made = await edda.make('Document', { title: 'dated', price });
      const time = '2026-03-29T00:30:00Z';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },

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

  'operations.append-into-the-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also when one in the middle was removed before.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const port = nameOf(target);
      const entries = await run.writing.entries(run.object.oid, port, whole);
      const [last] = entries.slice(-1);
      const gap = entries.findIndex(({ entryId }, index) => entryId !== index + 1);
      if (last === undefined || gap < 0 || contents.length !== 1) return;
      await run.writing.replaceEntries(run.object.oid, port, entries.slice(0, -1).toSpliced(gap, 0, last));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'gap', files: named(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/2/' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files', value: { name: 'added' } }]);
      return at(await edda.read(made), '/data/files/2/name') !== 'added';
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
