import { replaces, together, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const listsMistakes: Batch = {
  'multi-create.first-without-arrays-ends': {
    source: 'core: Multi-create rules 1',
    breaks: 'All items come with all that is in them, also behind one that has no arrays.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const end = inputs.findIndex(({ arrays }) => arrays.size === 0);
      const cut = inputs.map((input, index) => (end < 0 || index < end ? input : { ...input, arrays: new Map() }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $softType: 'Part', data: { name: 'a' } },
        { $softType: 'Part', data: { name: 'b', usages: named(1) } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/usages').length === 0;
    },
  },

  'operations.once-not-compliant': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent goes when it no longer complies itself, not because one before it in the list did not.',
    kind: 'copy',
    variant: onceNotCompliant(),
    async shows({ edda }) {
      const files = [
        { name: 'a', comment: 'a' },
        { name: 'b', comment: 'b' },
      ];
      const made = await edda.make('Document', { title: 't', files });
      const ids = listAt(await edda.read(made), '/data/files').map((file) => String(at(file, '/$entryId')));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${ids[0]}/name` },
        { op: 'remove', path: `/files/${ids[1]}/comment` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },
};

function onceNotCompliant(): Variant {
  return (classes) => {
    let found = new Set<unknown>();
    return together(
      replaces('operations', 'applyOperations', (right, areas, run, operations) => {
        found = new Set();
        return right(areas, run, operations);
      }),
      replaces('operations', 'complies', (right, areas, members, content) => {
        const complies = !found.has(members) && right(areas, members, content);
        if (!complies) found.add(members);
        return complies;
      }),
    )(classes);
  };
}
