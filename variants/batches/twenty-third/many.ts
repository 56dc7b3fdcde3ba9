import type { SoftType } from '../../../reference-server/configuration.ts';
import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

export const multiCreateMistakes: Batch = {
  'multi-create.type-of-an-id-before': {
    source: 'core: Multi-create item, $softType',
    breaks: 'An item is of the SoftType that it names, whatever had its id in an earlier request.',
    kind: 'copy',
    variant: breaks('multiCreate', 'identifyItems', (right) => {
      const types = new Map<string, SoftType>();
      return (areas, items) =>
        right(
          areas,
          items.map((item) => {
            const softType = types.get(item.$id ?? '') ?? item.softType;
            if (item.$id !== undefined) types.set(item.$id, softType);
            return { ...item, softType };
          }),
        );
    }),
    async shows({ edda }) {
      await edda.multiCreate([{ $id: 'a', $softType: 'Part', data: { name: 'part' } }]);
      return (await edda.multiCreate([{ $id: 'a', $softType: 'Document', data: { title: 't' } }])).status >= 400;
    },
  },
};
