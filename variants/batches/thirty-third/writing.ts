import type { Content } from '../../../reference-server/ports/store.ts';
import { replaces, together } from '../../breaks.ts';
import { headerNames } from '../../../contract/names.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, movePath, versionHeader } from '../service.ts';

export const writingMistakes: Batch = {
  'batch.promote-takes-back-an-edit': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A promote in a batch leaves alone what an operation before it has edited in the object.',
    kind: 'combination',
    variant: (classes) => {
      const before = new Map<string, Content>();
      return together(
        replaces('editing', 'mergeObject', (right, areas, call, writing) => {
          before.set(call.object.oid, call.object.content);
          return right(areas, call, writing);
        }),
        replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
          const { object } = call;
          const content = call.isChangedHere?.(object.oid) === true ? before.get(object.oid) : undefined;
          return right(areas, content === undefined ? call : { ...call, object: { ...object, content } }, writing);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { title: 'after' } },
        { method: 'PUT', href: movePath(made), headers: versionHeader(2) },
      ]);
      return at(await edda.read(made), '/data/title') === 'before';
    },
  },

  'batch.empty-headers-take-the-filter-away': {
    source: 'core: Batch operation, headers',
    breaks: 'The information filter of the batch is that of each operation, also of one whose headers are empty.',
    kind: 'value',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = { ...right(areas, batch, operation) };
      if (operation.method === 'POST' && Object.keys(operation.headers).length === 0)
        delete headers[headerNames.informationFilter.toLowerCase()];
      return headers;
    }),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Document/documentInput';
      return (await edda.batch([{ method: 'POST', href, headers: {}, body: { title: 't' } }])).status !== 200;
    },
  },
};
