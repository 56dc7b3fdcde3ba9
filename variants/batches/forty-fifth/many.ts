import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

/** Batches and multi-creates. */
export const manyMistakes: Batch = {
  'multi-create.equal-items-are-one': {
    source: 'core: Multi-create rules 1',
    breaks: 'Each item becomes an instance, also where two of them are alike.',
    kind: 'value',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const known = new Map<string, string>();
        return right(areas, items).map((item) => {
          const key = JSON.stringify([item.softType.id, item.data]);
          const oid = known.get(key) ?? item.oid;
          known.set(key, oid);
          return { ...item, oid };
        });
      }),
      replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
        const isFirst = items.map(({ oid }, index) => items.findIndex((item) => item.oid === oid) === index);
        return right(
          areas,
          call,
          writing,
          items.filter((_item, index) => isFirst[index]),
          inputs.filter((_input, index) => isFirst[index]),
        );
      }),
    ),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'a', $softType: 'Part', data: { name: 'p' } },
        { $id: 'b', $softType: 'Part', data: { name: 'p' } },
      ]);
      return at(answer.json, '/0/href') === at(answer.json, '/1/href');
    },
  },
};
