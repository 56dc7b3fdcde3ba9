import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many } from '../service.ts';
import { append, filesOf, linkHref, membersAt, pageLinkOf } from './proofs.ts';

export const reading: Batch = {
  'paging.total-never-falls': {
    source: 'core: Link object',
    breaks: 'The totals of a page link are those of the array as it is now, also after it became shorter.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const most = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const key = `${object.oid} ${section.path} ${filter?.value ?? ''}`;
        most.set(key, Math.max(total, most.get(key) ?? 0));
        return right(areas, object, view, section, most.get(key) ?? total, filter);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(21) });
      const before = await edda.read(made);
      const paths = [4, 7].map((id) => ({ op: 'remove', path: `/files/${id}/` }));
      await edda.operate(made, 1, paths);
      return (
        at(pageLinkOf(before, 'files'), '/pages') === 3 &&
        at(pageLinkOf(await edda.read(made), 'files'), '/pages') === 3
      );
    },
  },
  'links.first-read-after-an-edit-has-those-of-the-editor': {
    source: 'core: What the service does',
    breaks: 'Links tell what the user who reads may do, whoever has written just before.',
    kind: 'role',
    variant: (() => {
      const editors = new Map<string, string>();
      return together(
        replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
          editors.set(call.object.oid, call.user.name);
          return answer;
        }),
        replaces('hypermedia', 'linksOf', (right, areas, call, object, ...rest) => {
          const editor = areas.configuration.users.get(editors.get(object.oid) ?? '');
          editors.delete(object.oid);
          return right(areas, editor === undefined ? call : { ...call, user: editor }, object, ...rest);
        }),
      );
    })(),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await rita.read(made);
      await edda.merge(made, 1, { title: 'u' });
      return linkHref(await rita.read(made), 'edit') !== undefined;
    },
  },
  'filter.ends-behind-page-one': {
    source: 'core: Server side paging 5',
    breaks: 'A filter applies to every page, the third as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) =>
      right(areas, call, reading, object, view, section, page, page >= 2 ? undefined : filter),
    ),
    async shows({ edda }) {
      const files = many(50, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'model' }));
      const made = await edda.make('Document', { title: 't', files });
      const { json } = await edda.page(made, 'files', 2, '?softTypeFilter=drawings');
      return membersAt(json, '/data', 'category').includes('model');
    },
  },
  'links.of-the-object-read-before': {
    source: 'core: What the service does',
    breaks:
      'Links describe operations on the resource that was requested, also when another one of its kind was read before.',
    kind: 'copy',
    variant: breaks('hypermedia', 'operationLinks', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, object, softType, view) => {
        const links = right(areas, object, softType, view);
        const key = `${object.spaceId} ${view.id} ${object.version} ${links.map(({ rel }) => rel).join()}`;
        const former = kept.get(key) ?? links;
        kept.set(key, former);
        return links.map((link, index) => (link.rel === 'self' ? link : (former[index] ?? link)));
      };
    }),
    async shows({ edda }) {
      const one = await edda.make('Document', { title: 't' });
      const other = await edda.make('Document', { title: 'u' });
      await edda.read(one);
      return String(linkHref(await edda.read(other), 'edit')).includes(one.oid);
    },
  },
  'page.ten-is-page-zero': {
    source: 'core: Server side paging 3',
    breaks: 'The number that a client puts in may have two digits.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => right(areas, call) % 10),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(103) });
      const { json } = await edda.page(made, 'files', 10);
      return membersAt(json, '/data', 'name')[0] === 'f1';
    },
  },
  'paging.link-is-forgotten-when-the-array-grows-again': {
    source: 'core: Server side paging 2',
    breaks: 'An array that fell to ten entries and grew again has its page link again.',
    kind: 'moment',
    variant: breaks('hypermedia', 'pageLinksOf', (right) => {
      const seen = new Map<string, { wasLong: boolean; fell: boolean }>();
      return (areas, object, view, slice, filter) => {
        const key = `${object.oid} ${slice.section.path}`;
        const state = seen.get(key) ?? { wasLong: false, fell: false };
        seen.set(key, state);
        if (slice.total > 10) state.wasLong = true;
        else if (state.wasLong) state.fell = true;
        const links = right(areas, object, view, slice, filter);
        return state.fell ? links.filter((link) => link.sectionPath !== slice.section.path) : links;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(11) });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      await edda.read(made);
      await append(edda, made, 2, filesOf(2, 'model', 'again'));
      return pageLinkOf(await edda.read(made), 'files') === undefined;
    },
  },
};
