import { Refusal } from '../../../reference-server/http/refusal.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const writingMistakes: Batch = {
  'versioning.references-are-an-edit': {
    source: 'core: Versioning 2',
    breaks: 'A created object has version 1, also one that refers to others.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      if (object !== undefined && (await writing.countEntries(oid, 'describes')) > 0)
        await writing.updateObject(call.space.id, oid, object.version + 1, object.content);
      return answer;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'part' });
      const made = await edda.make('Document', { title: 'refers', describes: [{ value: { $oid: oid } }] });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.append-to-the-first-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also when the array has further pages.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { writing, object } = run;
      const all = await writing.entries(object.oid, nameOf(target), whole);
      if (all.length <= 10 + contents.length) return;
      const added = all.slice(-contents.length);
      const order = [...all.slice(0, 10), ...added, ...all.slice(10, -contents.length)];
      await writing.replaceEntries(object.oid, nameOf(target), order);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'append', files: named(12) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'added' } }]);
      return at(listAt((await edda.page(made, 'files', 1)).json, '/data').at(-1), '/name') !== 'added';
    },
  },

  'operations.siblings-of-a-member': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses one member: those beside it in its object stay.',
    kind: 'place',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [parent, member] = target.steps;
      const isInObject = target.row.entry === undefined && target.steps.length === 2 && parent?.entryId === undefined;
      if (!isInObject || parent === undefined || member === undefined) return right(areas, run, target, value);
      const row = { ...target.row, content: { ...target.row.content, [parent.name]: {} } };
      return right(areas, run, { ...target, row }, value);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'siblings', dimensions: { width: '1', height: '2' } });
      await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions/width', value: '3' }]);
      return at(await edda.read(made), '/data/dimensions/height') !== '2';
    },
  },

  'operations.ids-inside-an-added-entry': {
    source: 'core: System properties inside data',
    breaks: 'Each object in an array has an entry id, also those inside an entry that an operation added.',
    kind: 'combination',
    variant: replaces('operations', 'appendToPort', (right, areas, ...args) => {
      const unnumbered = {
        withEntryIds: (items: readonly { content: object }[]) => items.map(({ content }) => ({ ...content })),
      };
      return right(within(areas, { contents: unnumbered }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'inside' });
      const value = { name: 'file', revisions: [{ text: 'first' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },

  'operations.nested-entry-with-a-slash': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry is removed by its path with a slash behind it, also one of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', (right, areas, run, operation, pointer) => {
      if (operation.op === 'remove' && operation.path.endsWith('/') && operation.tokens.length > 3)
        throw new Refusal(422, 'There is no such member.');
      return right(areas, run, operation, pointer);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const made = await edda.make('Document', { title: 'slash', files });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }])).status >= 400;
    },
  },
};
