import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** What writes do, alone and together. */
export const writingMistakes: Batch = {
  'operations.twice-at-a-path-counts-twice': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version by one, also where two operations of its list name one path.',
    kind: 'combination',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = new Set(operations.map((operation) => at(operation, '/path')));
      return right(areas, object, operations) + operations.length - paths.size;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'a' });
      const replace = (value: string) => ({ op: 'replace', path: '/note', value });
      await edda.operate(made, 1, [replace('b'), replace('c')]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'batch.the-query-of-the-operation-before': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation says all: a query of an operation before it is not its own.',
    kind: 'moment',
    variant: breaks('batch', 'prepareOperation', (right) => {
      let query = '';
      return (areas, batch, table, value, index) => {
        const href = String(at(value, '/href') ?? '');
        if (index === 0) query = '';
        const [, own] = href.split('?');
        if (own !== undefined) query = `?${own}`;
        const isBare = isContent(value) && own === undefined && value['method'] === 'GET';
        return right(areas, batch, table, isBare ? { ...value, href: href + query } : value, index);
      };
    }),
    async shows({ edda }) {
      const files = [
        { name: 'a', category: 'drawing' },
        { name: 'b', category: 'sheet' },
      ];
      const [one, other] = [
        await edda.make('Document', { title: 't', files }),
        await edda.make('Document', { title: 't', files }),
      ];
      const batch = await edda.batch([
        { method: 'GET', href: `${one.path}?softTypeFilterId=drawings` },
        { method: 'GET', href: other.path },
      ]);
      return listAt(batch.json, '/1/body/data/files').length === 1;
    },
  },
  'batch.long-texts-are-cut': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is taken as it is, also a text of more than 65535 characters.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      if (!isContent(operation.body)) return operation;
      const cut = Object.entries(operation.body).map(
        ([name, text]) => [name, typeof text === 'string' ? text.slice(0, 65_535) : text] as const,
      );
      return { ...operation, body: Object.fromEntries(cut) };
    }),
    async shows({ edda }) {
      const body = { title: 't', note: 'x'.repeat(70_000) };
      const href = '/api/space/main/softtype/Document/documentInput';
      const batch = await edda.batch([{ method: 'POST', href, body }]);
      const read = await edda.get(String(at(batch.json, '/0/body/href')));
      return String(at(read.json, '/data/note')).length !== 70_000;
    },
  },
};
