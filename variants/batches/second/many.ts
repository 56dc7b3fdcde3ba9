import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

type Outcome = Awaited<ReturnType<Areas['batch']['runOperation']>>;

export const batchMistakes: Batch = {
  'batch.equal-creates': {
    source: 'core: Batch rules 5',
    breaks: 'Every POST of a batch creates an object, also when another one before it has the same body.',
    kind: 'copy',
    variant: breaks('batch', 'runOperation', (right) => {
      const outcomes = new WeakMap<object, Map<string, Outcome>>();
      return async (areas, batch, writing, table, operation, index) => {
        const known = outcomes.get(batch.body ?? batch) ?? new Map<string, Outcome>();
        outcomes.set(batch.body ?? batch, known);
        const text = JSON.stringify(operation);
        const outcome = known.get(text) ?? (await right(areas, batch, writing, table, operation, index));
        if (isContent(operation) && operation['method'] === 'POST') known.set(text, outcome);
        return outcome;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'twin' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/statusCode') === 201 && at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.empty-text': {
    source: 'core: Multi-create item (array item of the multi-create request)',
    breaks: 'The data of an item is the content of its object, a text of no characters included.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const emptied = inputs.map((input) => {
        const filled = Object.entries(input.content).filter(([, value]) => value !== '');
        return { ...input, content: Object.fromEntries(filled) };
      });
      return right(areas, call, writing, items, emptied);
    }),
    async shows({ edda }) {
      const data = { title: 'empty', note: '' };
      const { json } = await edda.multiCreate([{ $id: 'a', $softType: 'Document', data }]);
      return at((await edda.get(String(at(json, '/0/href')))).json, '/data/note') !== '';
    },
  },
};
