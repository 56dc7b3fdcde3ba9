import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

export const readingMistakes: Batch = {
  'paging.href-of-the-filtered-page': {
    source: 'core: Page response, row href',
    breaks: 'The href of a page is its own, also where the page was read with a filter before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const known = new Map<string, string>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const key = `${object.oid} ${view.id} ${section.path} ${page}`;
        if (filter !== undefined) known.set(key, body.href);
        return { ...body, href: known.get(key) ?? body.href };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing' }] });
      await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return String(at((await edda.page(made, 'files', 0)).json, '/href')).includes('softTypeFilter');
    },
  },
};

export const writingMistakes: Batch = {
  'operations.administrators-leave-the-model': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, whoever removed it.',
    kind: 'role',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isTrusted = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      return right(isTrusted ? within(areas, { operations: { complies: () => true } }) : areas, run, target);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', files: [{ name: 'n' }] });
      const id = String(at(await alma.read(made), '/data/files/0/$entryId'));
      await alma.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await alma.read(made), '/data/files').length === 1;
    },
  },
  'editing.merge-of-a-large-integer': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An integer beyond 32 bits is kept by a merge as it was sent.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [
        name,
        Number.isSafeInteger(edit) ? Number(edit) | 0 : edit,
      ]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
};
