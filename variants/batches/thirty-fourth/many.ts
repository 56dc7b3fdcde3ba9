import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.second-read-of-one-object-is-short': {
    source: 'core: Batch rules 6',
    breaks: 'A GET of a batch brings the full read response, also the second one of the same object.',
    kind: 'copy',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const key = `${call.correlationId} ${call.url}`;
        if (call.method !== 'GET' || !isContent(result.body)) return result;
        const isFirst = !seen.has(key);
        seen.add(key);
        if (isFirst) return result;
        const { schema: _known, links: _linked, ...body } = result.body;
        return { ...result, body };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href: made.path };
      const batch = await edda.batch([read, read]);
      return at(batch.json, '/1/body/schema') === undefined;
    },
  },

  'multi-create.of-two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may refer to each other, and each reference is kept.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const refersTo = (from: number, to: number) =>
        JSON.stringify([...(inputs[from]?.arrays ?? [])]).includes(items[to]?.oid ?? '?');
      const oneWay = inputs.map((input, index) => {
        const mutual = items.flatMap(({ oid }, other) =>
          other < index && refersTo(other, index) && refersTo(index, other) ? [oid] : [],
        );
        const arrays = [...input.arrays].map(
          ([port, entries]) =>
            [port, entries.filter(({ content }) => !mutual.includes(String(at(content, '/value/$oid'))))] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, oneWay);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 't', describes: [{ id: 'x', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
        },
        {
          $id: 'p',
          $softType: 'Part',
          data: { name: 'n', describedBy: [{ id: 'y', value: { instanceRef: 'd', softTypeId: 'Document' } }] },
        },
      ]);
      const part = await edda.get(String(at(made.json, '/1/href')));
      return listAt(part.json, '/data/describedBy').length !== 1;
    },
  },
};
