import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const reading: Batch = {
  'reading.version-of-two-digits-is-text': {
    source: 'core: SoftType read response',
    breaks: 'The version is an integer, from the tenth on as well.',
    kind: 'value',
    variant: replaces('instances', 'assembleInstance', async (right, areas, ...args) => {
      const read = await right(areas, ...args);
      return read.version < 10 ? read : Object.assign({ ...read }, { version: String(read.version) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      for (const version of many(9, (number) => number)) await edda.merge(made, version, { note: `${version}` });
      return typeof at(await edda.read(made), '/version') !== 'number';
    },
  },
  'paging.value-of-filter-ends-with-first-page': {
    source: 'core: Endpoint table, page route',
    breaks: 'A filter with a supplied value applies to every page, not to the first alone.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, ...rest) => {
      const applied = right(areas, call, ...rest);
      const isLater = (call.params['pageNumber'] ?? '0') !== '0';
      return isLater && applied?.filter.equals === undefined ? undefined : applied;
    }),
    async shows({ edda }) {
      const files = many(22, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'a' : 'b' }));
      const made = await edda.make('Document', { title: 't', files });
      const query = '?softTypeFilter=byCategory&fileGroup.category=a';
      return listAt((await edda.page(made, 'files', 1, query)).json, '/data').length !== 1;
    },
  },
};
