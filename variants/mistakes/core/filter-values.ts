import { replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes, during, isInstanceRead, keptUntilOwnWrite, whole } from '../variant-parts.ts';

export const filterValuesMistakes: Mistakes = {
  'filter-value.comma-is-or': {
    source: 'core: Server side paging 5',
    breaks: 'A supplied value is one value, with a comma in it too.',
    variant: takesLists(),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [...filesOf(1, 'a,b'), ...filesOf(2, 'a')] });
      const read = await edda.read(made, `?softTypeFilterId=byCategory&fileGroup.category=a%2Cb`);
      return listAt(read, '/data/files').length === 2;
    },
  },
  'filter-value.comma-is-or-on-pages': {
    source: 'core: Server side paging 5',
    breaks: 'A supplied value is one value on a page as well.',
    variant: during('paging', 'readPage', (step) => takesLists(() => step.isOn())),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [...filesOf(1, 'a,b'), ...filesOf(2, 'a')] });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=byCategory&fileGroup.category=a%2Cb');
      return listAt(page.json, '/data').length === 2;
    },
  },
  'filter-value.counts-end-at-a-hundred': {
    source: 'core: Server side paging 5',
    breaks: 'The link of a filtered read counts all that the filter admits.',
    variant: changes('entries', 'totalOf', (total, _areas, _reading, _object, _section, filter) =>
      filter === undefined ? total : Math.min(total, 100),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(103, 'a') });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a');
      return JSON.stringify(at(read, '/links')).includes('"totalNumber":100');
    },
  },
  'filter-value.default-schema': {
    source: 'core: Endpoint table, GET softtype, second form',
    breaks: 'A filtered read too is by the output schema of its path.',
    variant: replaces('objects', 'viewOfRead', (right, areas, call, object) => {
      const { outputSchemaId: _left, ...params } = call.params;
      return right(areas, call.query.has('softTypeFilterId') ? { ...call, params } : call, object);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { note: 'n' });
      const path = `/api/space/main/softtype/Document/documentSummary/${oid}?softTypeFilterId=drawings`;
      return at((await edda.get(path)).json, '/data/note') !== undefined;
    },
  },
  'filters.reads-kept-until-own-edit': {
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    breaks: 'A filtered read shows what another user has edited since.',
    variant: keptUntilOwnWrite((route, { query }) => isInstanceRead(route) && query.has('softTypeFilterId')),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'drawing' }] });
      await edda.read(made, '?softTypeFilterId=drawings');
      await emil.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/version') === 1;
    },
  },
  'filters.pages-kept-until-own-edit': {
    source: 'core: Page response, version; Server side paging 5',
    breaks: 'A filtered page tells the version that another user has made since.',
    variant: keptUntilOwnWrite((_route, { query }) => query.has('softTypeFilter')),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'drawing' }] });
      const query = '?softTypeFilter=drawings';
      await edda.page(made, 'files', 0, query);
      await emil.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 0, query)).json, '/version') === 1;
    },
  },
};

/** A value with commas admits what equals one of the values between them. */
function takesLists(isMeant: () => boolean = () => true): Variant {
  return together(
    replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined || !isMeant()) return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, whole);
      const values = filter.value.split(',');
      const admitted = all.filter(({ content }) => values.includes(String(content[filter.filter.member])));
      return admitted.slice(range.from, range.to);
    }),
    replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      if (filter === undefined || !isMeant()) return right(areas, reading, object, section, filter);
      return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
    }),
  );
}
