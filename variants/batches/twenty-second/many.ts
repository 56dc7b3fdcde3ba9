import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Client } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.reads-without-links': {
    source: 'core: Batch rules 6',
    breaks: 'A read in a batch brings the whole read response, links included.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (call.method !== 'GET' || !isContent(result.body)) return result;
      const { links: _gone, ...body } = result.body;
      return { ...result, body };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'links' });
      return at((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/links') === undefined;
    },
  },
};

/** A part and a document that refers to it. @returns what the reference leads to, and the part */
async function createPair(edda: Client): Promise<readonly unknown[]> {
  const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
  const { json } = await edda.multiCreate([
    { $id: 'p', $softType: 'Part', data: { name: 'part' } },
    { $id: 'd', $softType: 'Document', data: { title: 'document', describes } },
  ]);
  const read = await edda.get(String(at(json, '/1/href')));
  return [at(read.json, '/data/describes/0/value/$oid'), String(at(json, '/0/href')).split('/').at(-1)];
}

export const manyMistakes: Batch = {
  'multi-create.item-of-an-earlier-request': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'A reference leads to an item of its own request, also when an earlier one had an item of that name.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const found = known.get($id) ?? right(areas, items, $id, referrer);
        known.set($id, found);
        return found;
      };
    }),
    async shows({ edda }) {
      await createPair(edda);
      const [target, part] = await createPair(edda);
      return target !== part;
    },
  },
};
