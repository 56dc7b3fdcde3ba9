import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { referenceTo } from './scenes.ts';

export const multiCreateMistakes: Batch = {
  'multi-create.id-used-up': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to the same one.',
    kind: 'moment',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const used = new WeakMap<object, Set<string>>();
      return (areas, items, $id, referrer) => {
        const before = used.get(items) ?? new Set();
        used.set(items, new Set([...before, $id]));
        return before.has($id) ? undefined : right(areas, items, $id, referrer);
      };
    }),
    async shows(service) {
      const describes = [referenceTo('p', 'Part')];
      const answer = await service.edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        { $id: 'd1', $softType: 'Document', data: { title: 't', describes } },
        { $id: 'd2', $softType: 'Document', data: { title: 't', describes } },
      ]);
      return answer.status >= 400;
    },
  },
};
