import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const writtenMistakes: Batch = {
  'editing.empty-text-is-no-edit': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge is edited, also when its new value is a text without characters.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).filter(([, edit]) => edit !== '');
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', note: 'before' });
      await edda.merge(made, 1, { note: '' });
      return at(await edda.read(made), '/data/note') === 'before';
    },
  },
};

/** When the first people stood on the moon. */
const longAgo = '1969-07-20T20:17:40Z';

const lately = '2026-02-03T04:05:06Z';

export const operationMistakes: Batch = {
  'operations.end-marker-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given behind every array, also behind one inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'array' && target.marker && target.row.entry !== undefined)
        throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'marker', files: [{ name: 'one', revisions: [] }] });
      const added = { op: 'add', path: '/files/1/revisions/-', value: { text: 'first' } };
      return (await edda.operate(made, 1, [added])).status >= 400;
    },
  },

  'operations.list-takes-a-value-once': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value that is added to an array is appended, also when the array has it already.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'list' && Array.isArray(target.value) && target.value.includes(value)) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice', keywords: ['steel'] });
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'steel' }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 2;
    },
  },

  'operations.zeros-before-an-id': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, and not by another text of the same number.',
    kind: 'value',
    survives:
      'In which texts a path may write an id is not said (entry-id-form); patch.path.unusual-pointers records what becomes of one with a zero before it.',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, token.replace(/^0+/, '')),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zeros', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/01/name', value: 'other' }])).status < 400;
    },
  },

  'operations.same-value-is-not-dated-anew': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'A dated element that is replaced gets the date of the information filter, also when its value is the same.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'member' && target.member.kind === 'dated' && at(target.value, '/value') === value) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '10' }], { time: lately });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), lately);
    },
  },

  'operations.date-before-1970': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, however long ago that is.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      const time = right(areas, call);
      return Date.parse(time) > 0 ? time : isoTime(areas.clock.now());
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time: longAgo });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), longAgo);
    },
  },
};

function isTime(effectivity: unknown, time: string): boolean {
  return Date.parse(String(effectivity)) === Date.parse(time);
}
