import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

/** Many objects by one request. */
export const manyMistakes: Batch = {
  'many.ids-in-one-form-of-unicode': {
    source: 'core: Multi-create item, $id',
    breaks: 'A reference leads to the item whose id it holds, and not to one whose id merely looks the same.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const found = items.find((item) => item.$id?.normalize('NFC') === $id.normalize('NFC'));
      return found ?? right(areas, items, $id, referrer);
    }),
    async shows({ edda }) {
      const [composed, decomposed] = ['\u00e9', 'e\u0301'];
      const made = await edda.multiCreate([
        { $id: composed, $softType: 'Part', data: { name: 'one' } },
        { $id: decomposed, $softType: 'Part', data: { name: 'other' } },
        {
          $id: 'document',
          $softType: 'Document',
          data: { title: 't', describes: [{ value: { instanceRef: decomposed } }] },
        },
      ]);
      const [other, document] = [at(made.json, '/1/href'), at(made.json, '/2/href')];
      const read = await edda.get(String(document));
      return at(read.json, '/data/describes/0/value/href') !== other;
    },
  },

  'many.ids-of-digits-are-places': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item with that id, and not to the one at that place.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const place = /^\d+$/.test($id) ? Number($id) : -1;
      return items[place] ?? right(areas, items, $id, referrer);
    }),
    async shows({ edda }) {
      const reference = { value: { instanceRef: '0', softTypeId: 'Part' } };
      const made = await edda.multiCreate([
        { $id: '1', $softType: 'Document', data: { title: 't', describes: [reference] } },
        { $id: '0', $softType: 'Part', data: { name: 'p' } },
      ]);
      return made.status >= 400;
    },
  },
};
