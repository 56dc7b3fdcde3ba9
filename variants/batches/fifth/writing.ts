import { isContent, hasValue } from '../../../reference-server/areas/content.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

const replacing = new Step();

export const writing: Batch = {
  'operations.added-entry-loses-its-own-arrays': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object that is added to an array is kept with all that is in it, arrays included.',
    kind: 'place',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const flat = contents.map((content) =>
        Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value))),
      );
      return right(areas, run, target, flat);
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'deep' });
      const value = { name: 'a', revisions: [{ text: 'r' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== 'r';
    },
  },
  'operations.emptied-entry-goes': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost its last member stays where the model asks for none.',
    kind: 'place',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const isEmpty = !Object.entries(content).some(([name, value]) => !name.startsWith('$') && hasValue(value));
      return right(areas, members, content) && !isEmpty;
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'emptied', contacts: [{ name: 'x' }, { name: 'y' }] });
      const first = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${first}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
  'put.kept-entry-keeps-its-members': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, also inside an entry that is sent with its id.',
    kind: 'place',
    variant: together(
      replaces('editing', 'putObject', (right, areas, call, writing) =>
        replacing.run(() => right(areas, call, writing)),
      ),
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        const merged = [];
        for (const { entryId, content } of items) {
          const old = replacing.isOn() && entryId !== undefined ? await writing.entry(oid, port, entryId) : undefined;
          merged.push({ ...(entryId !== undefined && { entryId }), content: { ...old?.content, ...content } });
        }
        await right(areas, writing, oid, port, merged);
      }),
    ),
    shows: async ({ edda }) => {
      const files = [{ name: 'a', comment: 'old' }];
      const made = await edda.make('Document', { title: 'replaced', files });
      const $entryId = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 'replaced', files: [{ $entryId, name: 'a' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== undefined;
    },
  },
  'merge.stamps-what-it-leaves-alone': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the fields alone that its body does not name, the date of a dated element included.',
    kind: 'copy',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const merged = Object.entries(right(areas, target, edits)).map(([name, value]) => {
        const isDated = isContent(value) && 'effectivity' in value && !(name in edits);
        return [name, isDated ? { ...value, effectivity: isoTime(areas.clock.now()) } : value];
      });
      return Object.fromEntries(merged) as ReturnType<typeof right>;
    }),
    shows: async ({ edda }) => {
      const price = { value: '10', effectivity: '2020-01-01T00:00:00Z' };
      const made = await edda.make('Document', { title: 'dated', price });
      await edda.merge(made, 1, { note: 'other' });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(price.effectivity);
    },
  },
};
