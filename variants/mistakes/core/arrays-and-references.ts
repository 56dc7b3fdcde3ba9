import { replaces, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { firstFile, named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { whole } from '../variant-parts.ts';

/** Of several values that are added at once to one of that kind there is the first. */
function addsTheFirst(kind: 'list' | 'array'): Variant {
  return replaces('operations', 'addValue', (right, areas, run, target, value, place) =>
    right(areas, run, target, target.kind === kind && Array.isArray(value) ? value.slice(0, 1) : value, place),
  );
}

export const arraysAndReferencesMistakes: Mistakes = {
  'add.over-an-empty-text-inside-an-object-of-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member of an object inside an entry fails where the member is an empty text.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const isMeant = target.kind === 'member' && target.value === '' && target.row.entry && target.steps.length > 1;
      return right(areas, run, isMeant ? { ...target, value: undefined } : target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', origin: { place: '' } }] });
      const path = `${await firstFile(edda, made)}/origin/place`;
      return (await edda.operate(made, 1, [{ op: 'add', path, value: 'x' }])).status < 300;
    },
  },
  'add.over-an-empty-text-inside-two-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member of an entry inside an entry fails where the member is an empty text.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const isInside = target.steps.some(({ entryId }) => entryId !== undefined);
      const isMeant = target.kind === 'member' && target.value === '' && isInside;
      return right(areas, run, isMeant ? { ...target, value: undefined } : target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', revisions: [{ text: '' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/revisions/0/$entryId'));
      const path = `${await firstFile(edda, made)}/revisions/${id}/text`;
      return (await edda.operate(made, 1, [{ op: 'add', path, value: 'x' }])).status < 300;
    },
  },
  'add.first-of-an-added-list': {
    source: 'core: Operations-based PATCH rules 5 and 6',
    breaks: 'A list that is added where there is none has all its values.',
    variant: addsTheFirst('list'),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords', value: ['a', 'b'] }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 2;
    },
  },
  'add.first-of-added-entries': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array of entries that is added to an array without any has them all.',
    variant: addsTheFirst('array'),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const reply = await edda.operate(made, 1, [{ op: 'add', path: '/files', value: named(2) }]);
      return reply.status < 300 && listAt(await edda.read(made), '/data/files').length !== 2;
    },
  },
  'remove.last-reference-in-place-of-its-owner': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'With the value of a reference the entry goes that owned it, not another one.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const [last] = (await run.writing.entries(run.object.oid, entry.port, whole)).slice(-1);
      const isMeant = entry.array.kind === 'references' && last !== undefined;
      await right(areas, run, isMeant ? { ...entry, entryId: last.entryId } : entry);
    }),
    async shows({ edda }) {
      const oids = [(await edda.make('Part')).oid, (await edda.make('Part')).oid];
      const made = await edda.make('Document', { describes: oids.map(($oid) => ({ value: { $oid } })) });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return at(await edda.read(made), '/data/describes/0/value/$oid') !== oids[1];
    },
  },
  'remove.value-of-a-reference-takes-those-behind-it': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'With the value of a reference one entry goes, and none of those behind it.',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      await right(areas, run, entry);
      if (entry.array.kind !== 'references') return;
      for (const { entryId } of await run.writing.entries(run.object.oid, entry.port, whole))
        if (entryId > entry.entryId) await run.writing.removeEntry(run.object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const { oid: $oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: many(2, () => ({ value: { $oid } })) });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length !== 1;
    },
  },
};
