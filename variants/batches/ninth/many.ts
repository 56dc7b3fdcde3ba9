import { isContent } from '../../../reference-server/areas/content.ts';
import { within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many, movePath } from '../service.ts';
import { namesOn } from './proofs.ts';

const part = (name: string) => ({ $id: name, $softType: 'Part', data: { name } });
const href = '/space/main/softtype';
const reference = (instanceRef: string) => ({ id: instanceRef, value: { instanceRef, softTypeId: 'Part' } });

export const manyAtOnce: Batch = {
  'many.promote-result-lacks-href': {
    source: 'core: Batch result',
    breaks: 'The result of a promote names its object as that of any other write.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/maturityAction/') && isContent(body) ? { version: body['version'] } : body;
    }),
    survives: 'href takes the place of Location, which a 201 alone has: that a promote names its object is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const promote = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return typeof at((await edda.batch([promote])).json, '/0/body/href') !== 'string';
    },
  },
  'many.multi-create-in-batch-refers-backwards-only': {
    source: 'core: Batch rules 4',
    breaks: 'In a batch, too, an item of a multi-create may refer to one that stands behind it.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined
          ? areas
          : within(areas, {
              multiCreate: {
                findItem: (items, $id, referrer) =>
                  areas.multiCreate.findItem(items.slice(0, items.indexOf(referrer) + 1), $id, referrer),
              },
            }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p')] } };
      const answer = await edda.batch([{ method: 'POST', href, body: [document, part('p')] }]);
      return answer.status !== 200;
    },
  },
  'many.multi-create-stores-ten-entries': {
    source: 'core: Multi-create item',
    breaks: 'The content of an item is stored whole, arrays beyond ten entries included.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const cut = inputs.map(({ content, arrays }) => ({
        content,
        arrays: new Map([...arrays].map(([port, entries]) => [port, entries.slice(0, 10)] as const)),
      }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const data = { title: 't', contacts: many(11, (number) => ({ name: `c${number}` })) };
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }]);
      const oid = String(at(json, '/0/href')).split('/').at(-1) ?? '';
      const page = await edda.page({ definition: 'Document', oid, path: '' }, 'contacts', 1);
      return namesOn(page.json) !== 'c11';
    },
  },
};
