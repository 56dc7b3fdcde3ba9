import { breaks, type Variant, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

export const manyMistakes: Batch = {
  'multi-create.type-of-a-namesake': {
    source: 'core: Multi-create item, row $softType',
    breaks: 'An item becomes what its own $softType says, also where another request of the batch has its $id.',
    kind: 'moment',
    variant: breaks('multiCreate', 'createItems', (right) => {
      const known = new Map<string, Parameters<typeof right>[3][number]['softType']>();
      return (areas, call, writing, items, inputs) => {
        const typed = items.map((item) => {
          const key = `${call.correlationId} ${item.$id ?? item.oid}`;
          const softType = known.get(key) ?? item.softType;
          known.set(key, softType);
          return { ...item, softType };
        });
        return right(areas, call, writing, typed, inputs);
      };
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([
        multiCreate([{ $id: 'a', $softType: 'Part', data: { name: 'n' } }]),
        multiCreate([{ $id: 'a', $softType: 'Requirement', data: { text: 't' } }]),
      ]);
      const { json: read } = await edda.get(String(at(json, '/1/body/0/href')));
      return at(read, '/data/$softType') === 'Part';
    },
  },

  'batch.refers-to-another-multi-create': {
    source: 'core: Batch rules 4',
    breaks: 'An item of one multi-create of a batch cannot refer to an item of another one.',
    kind: 'combination',
    variant: findsAcross(),
    async shows({ edda }) {
      const describes = [{ id: 'd', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const { status } = await edda.batch([
        multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]),
        multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]),
      ]);
      return status === 200;
    },
  },
};

function multiCreate(body: readonly object[]) {
  return { method: 'POST', href: '/space/main/softtype', body };
}

function findsAcross(): Variant {
  return breaks('multiCreate', 'multiCreate', (right) => {
    const known = new Map<string, { readonly $id: string | undefined }[]>();
    return (areas, call, writing) => {
      const items = known.get(call.correlationId) ?? [];
      known.set(call.correlationId, items);
      const across = within(areas, {
        multiCreate: {
          identifyItems(given) {
            const identified = areas.multiCreate.identifyItems(given);
            items.push(...identified);
            return identified;
          },
          findItem: (_own, $id) => items.find((item) => item.$id === $id) as never,
        },
      });
      return right(across, { ...call, isSibling: () => false }, writing);
    };
  });
}
