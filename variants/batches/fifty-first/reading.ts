import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

/** What reads show, whole and page by page. */
export const readingMistakes: Batch = {
  'paging.page-zero-of-inner-arrays-is-falsy': {
    source: 'core: Server side paging 3',
    breaks: 'Page 0 is the first one of an array inside an entry as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const isLong = (section.items?.length ?? 0) > 10;
      return right(areas, call, reading, object, view, section, isLong ? page || 1 : page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return listAt((await edda.page(made, `files/${id}/revisions`, 0)).json, '/data').length !== 10;
    },
  },

  'paging.array-of-an-entry-that-is-gone': {
    source: 'core: Errors, 404',
    breaks: 'An array inside an entry that does not exist is not found.',
    kind: 'place',
    survives:
      'How the pages of an array inside an entry are reached is not said (nested-array-paging), nor what an array that does not exist has: recorded of a port.',
    variant: replaces('paging', 'locateSection', async (right, areas, reading, object, view, softType, path) => {
      try {
        return await right(areas, reading, object, view, softType, path);
      } catch (error) {
        const [root = '', id = '', port = '', ...more] = path.split('/');
        const array = softType.members.get(view.names.get(root) ?? '');
        const member = array?.kind === 'entries' ? array.members.get(port) : undefined;
        if (!(error instanceof Refusal) || !/^\d+$/.test(id) || !isArrayMember(member) || more.length > 0) throw error;
        return { path, port, member, items: [] };
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      return (await edda.page(made, 'files/99/revisions', 0)).status === 200;
    },
  },

  'maturity.narrow-views-show-one-level': {
    source: 'core: States and transitions, first point',
    breaks: 'An instance carries a state for each level, whichever output schema it is read with.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const softType = areas.objects.softTypeOf(space, object.softType);
      if (view === areas.objects.outputViewOf(softType, undefined)) return data;
      const [, ...others] = softType.maturity?.levels.keys() ?? [];
      const shown = Object.entries(data).filter(([name]) => !others.includes(name));
      return { ...data, ...Object.fromEntries(others.map((name) => [name, undefined])), ...Object.fromEntries(shown) };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/approval') === undefined;
    },
  },
};
