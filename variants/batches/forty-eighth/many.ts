import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, pagePath, versionHeader } from '../service.ts';

const multiCreatePath = '/space/main/softtype';

/** Many objects or many operations by one request. */
export const manyMistakes: Batch = {
  'batch.empty-texts-are-dropped': {
    source: 'core: Batch operation, body',
    breaks: 'The body of an operation is the payload of its request, a member with an empty text included.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      if (!isContent(operation.body)) return operation;
      return {
        ...operation,
        body: Object.fromEntries(Object.entries(operation.body).filter(([, each]) => each !== '')),
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'before' });
      await edda.batch([{ method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: '' } }]);
      return at(await edda.read(made), '/data/note') === 'before';
    },
  },

  'batch.version-header-in-small-letters': {
    source: 'core: Batch operation, headers',
    breaks: 'The version header of an operation is known by its name, whose letter case says nothing.',
    kind: 'value',
    survives:
      'Headers of an operation are members of a JSON object, and no sentence says whether the letter case of these counts.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const kept = Object.entries(operation.headers).filter(
        ([name]) => name === headerNames.version || name.toLowerCase() !== headerNames.version.toLowerCase(),
      );
      return right(areas, batch, { ...operation, headers: Object.fromEntries(kept) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version.toLowerCase()]: '1' };
      const batch = await edda.batch([{ method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } }]);
      return batch.status !== 200;
    },
  },

  'batch.page-without-its-filter': {
    source: 'core: Server side paging 5; Batch rules 2',
    breaks: 'A filter shapes a page that is read by an operation of a batch too.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const path = right(areas, batch, href);
      return path?.includes('/softtype/page/') ? path.split('?', 1)[0] : path;
    }),
    async shows({ edda }) {
      const files = ['drawing', 'letter'].map((category) => ({ name: 'n', category }));
      const made = await edda.make('Document', { title: 't', files });
      const href = `${pagePath(made, 'files', 0)}?softTypeFilter=drawings`;
      return listAt((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data').length !== 1;
    },
  },

  'multi-create.fifty-in-a-batch': {
    source: 'core: Batch rules 4; Multi-create rules 3',
    breaks: 'The limit is one of a multi-create, not of all those in a batch.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const counts = new Map<string, number>();
      return (areas, call, writing) => {
        const count = (counts.get(call.correlationId) ?? 0) + listAt(call.json, '').length;
        if (call.isSibling !== undefined) counts.set(call.correlationId, count);
        if (count > 50) throw new Refusal(422, 'A request takes 50 items.');
        return right(areas, call, writing);
      };
    }),
    async shows({ edda }) {
      const items = (prefix: string) =>
        many(30, (number) => ({ $id: `${prefix}${number}`, $softType: 'Part', data: { name: 'p' } }));
      const operation = (prefix: string) => ({ method: 'POST', href: multiCreatePath, body: items(prefix) });
      return (await edda.batch([operation('a'), operation('b')])).status !== 200;
    },
  },

  'multi-create.no-limit-in-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create takes fifty items, as an operation of a batch too.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined ? areas : within(areas, { multiCreate: { withinLimit: (items) => items } }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const body = many(51, (number) => ({ $id: `i${number}`, $softType: 'Part', data: { name: 'p' } }));
      return (await edda.batch([{ method: 'POST', href: multiCreatePath, body }])).status === 200;
    },
  },

  'multi-create.ids-of-what-failed': {
    source: 'core: Multi-create item, $id; Multi-create rules 1',
    breaks: 'A $id means something inside its request only, also after one that failed.',
    kind: 'copy',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const left = new Set<unknown>();
      return async (areas, call, writing) => {
        const ids = listAt(call.json, '').flatMap((item) => at(item, '/$id') ?? []);
        if (ids.some(($id) => left.has($id))) throw new Refusal(422, 'An item has this $id already.');
        try {
          return await right(areas, call, writing);
        } catch (error) {
          for (const $id of ids) left.add($id);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const items = (name: unknown) => named(2).map((_each, index) => part(`i${index}`, index === 1 ? name : 'p'));
      await edda.multiCreate(items(7));
      return (await edda.multiCreate(items('p'))).status >= 400;
    },
  },
};

function part($id: string, name: unknown): object {
  return { $id, $softType: 'Part', data: { name } };
}
