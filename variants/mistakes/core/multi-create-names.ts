import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { part, reference } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { changes } from '../variant-parts.ts';

export const multiCreateNamesMistakes: Mistakes = {
  'multi-create-names.limit-counts-them': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty are the most, items without $id included.',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const ids = new Set(items.map((item) => at(item, '/$id')));
      right(areas, items.slice(0, Math.max(ids.size, 1)));
      return items;
    }),
    async shows({ edda }) {
      const item = { $softType: 'Part', data: { name: 'n' } };
      return (await edda.multiCreate(many(51, () => item))).status === 201;
    },
  },
  'multi-create-names.found-in-every-object': {
    source: 'core: Multi-create item, $id',
    breaks: 'Any text is an $id, one that names a member of every object too.',
    variant: changes('multiCreate', 'identifyItems', (items) => {
      const known: Record<string, unknown> = {};
      if (!items.some(({ $id }) => $id !== undefined && $id in known)) return items;
      throw new Refusal(422, 'Another item has this $id already.');
    }),
    shows: async ({ edda }) => (await edda.multiCreate([part('toString')])).status !== 201,
  },
  'multi-create-names.null-is-none': {
    source: 'core: Multi-create item, $id',
    breaks: 'Any text is an $id to which a reference leads, the word null too.',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      $id === 'null' ? undefined : right(areas, items, $id, referrer),
    ),
    async shows({ edda }) {
      const referrer = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('null')] } };
      const { status, json } = await edda.multiCreate([part('null'), referrer]);
      return status !== 201 && listAt(json, '').length === 0;
    },
  },
};
