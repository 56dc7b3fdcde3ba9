import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, listAt, many, movePath, operationsPath } from '../service.ts';

const filterHeader = headerNames.informationFilter.toLowerCase();

/** As many as the guideline names, which is no limit. */
const guideline = 100;

export const batchMistakes: Batch = {
  'batch.reads-remember-what-was-undone': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is ever seen, whatever was read inside it.',
    kind: 'copy',
    variant: together(
      replaces('memory', 'rememberedRead', (right, areas, call, reading, object, view, assemble) => {
        const outside = Object.fromEntries(Object.entries(reading).filter(([name]) => name !== 'insertObject'));
        return right(areas, call, outside as typeof reading, object, view, assemble);
      }),
      replaces('memory', 'forgetReads', () => undefined),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      const headers = { [headerNames.version]: '1' };
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers, body: { note: 'undone' } },
        { method: 'GET', href: made.path },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },

  'batch.filter-left-behind': {
    source: 'core: Batch operation',
    breaks: 'The operations of a batch have its information filter, so that its date is stamped.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      return { ...right(areas, batch, operation), [filterHeader]: 'e30=' };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', price: '10' });
      const time = '2031-01-01T00:00:00Z';
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations },
        body: [{ op: 'replace', path: '/price', value: '11' }],
      };
      await edda.post('/api/space/main/batch', [operation], { [headerNames.informationFilter]: encoded({ time }) });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },

  'batch.promote-without-version': {
    source: 'core: Batch result',
    breaks: 'The result of a promote has the version in its body, in the place of the header.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const { [headerNames.version]: _version, ...headers } = answer.headers ?? {};
      return right(areas, call, call.params['levelId'] === undefined ? answer : { ...answer, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      const headers = { [headerNames.version]: '1' };
      const { json } = await edda.batch([{ method: 'PUT', href: movePath(made), headers }]);
      return at(json, '/0/body/version') !== 2;
    },
  },

  'batch.whoever-may-send-one': {
    source: 'core: Authentication 6',
    breaks: 'A user whose role does not allow a method is refused it inside a batch as well.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (_right, { dispatcher }, { route, call }, writing) => {
      return dispatcher.carryOutWrite(route, call, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'title' });
      const headers = { [headerNames.version]: '1' };
      await rita.batch([{ method: 'PATCH', href: editPath(made), headers, body: { note: 'note' } }]);
      return at(await edda.read(made), '/data/note') === 'note';
    },
  },

  'batch.no-more-than-the-guideline': {
    source: 'core: Limits',
    breaks: 'The number of operations in a batch has no hard limit: all of them are carried out.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => right(areas, body).slice(0, guideline)),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'part' });
      const { json } = await edda.batch(many(guideline + 1, () => ({ method: 'GET', href: made.path })));
      return listAt(json, '').length !== guideline + 1;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.fifty-one': {
    source: 'core: Multi-create rules 3',
    breaks: 'More than 50 instances are refused.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      return items.length > 64 ? right(areas, items) : items;
    }),
    async shows({ edda }) {
      const items = many(51, (number) => ({ $id: `${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.multiCreate(items)).status < 300;
    },
  },

  'multi-create.only-backwards': {
    source: 'core: Multi-create rules 2',
    breaks: 'An item may refer to one that stands behind it.',
    kind: 'place',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      return right(areas, items.slice(0, items.indexOf(referrer) + 1), $id, referrer);
    }),
    async shows({ edda }) {
      const describes = [{ id: 'reference', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const items = [
        { $id: 'document', $softType: 'Document', data: { title: 'title', describes } },
        { $id: 'part', $softType: 'Part', data: { name: 'part' } },
      ];
      return (await edda.multiCreate(items)).status >= 300;
    },
  },

  'multi-create.without-references-in-a-batch': {
    source: 'core: Batch rules 4',
    breaks: 'A multi-create relates its items, also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      if (call.isSibling !== undefined && JSON.stringify(call.json).includes('"instanceRef"'))
        throw new Refusal(422, 'A batch relates no instances to each other.');
      return right(areas, call, writing);
    }),
    async shows({ edda }) {
      const describes = [{ id: 'reference', value: { instanceRef: 'part', softTypeId: 'Part' } }];
      const body = [
        { $id: 'part', $softType: 'Part', data: { name: 'part' } },
        { $id: 'document', $softType: 'Document', data: { title: 'title', describes } },
      ];
      return (await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }])).status !== 200;
    },
  },

  'multi-create.data-of-the-one-before': {
    source: 'core: Multi-create item',
    breaks: 'The data of an item is its own, whatever another item of the same SoftType has.',
    kind: 'copy',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const last = new Map<string, object>();
      const shared = inputs.map((input, index) => {
        const id = items[index]?.softType.id ?? '';
        const content = { ...last.get(id), ...input.content };
        last.set(id, content);
        return isContent(content) ? { ...input, content } : input;
      });
      return right(areas, call, writing, items, shared);
    }),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        { $id: 'one', $softType: 'Part', data: { name: 'one', note: 'note' } },
        { $id: 'two', $softType: 'Part', data: { name: 'two' } },
      ]);
      const second = await edda.get(String(at(json, '/1/href')));
      return at(second.json, '/data/note') !== undefined;
    },
  },
};
