import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

const drawings = { name: 'n', category: 'drawing' };

/** Reads, their links and pages. */
export const readingMistakes: Batch = {
  'links.one-of-all-inner-arrays': {
    source: 'core: Server side paging 2',
    breaks: 'Every array of more than ten entries has its page link, also the same member of a second entry.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      const links = right(areas, object, view, slice, filter);
      const seen = new Set<string>();
      return links.filter(({ sectionPath = '' }) => {
        const ports = sectionPath.split('/').filter((_part, index) => index % 2 === 0);
        const key = ports.join('/');
        const isNew = !seen.has(key);
        seen.add(key);
        return isNew;
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', {
        title: 't',
        files: [
          { name: 'a', revisions },
          { name: 'b', revisions },
        ],
      });
      return listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page').length < 2;
    },
  },

  'links.template-is-encoded-before-a-query': {
    source: 'core: Server side paging 3',
    breaks: 'The href of a page link holds the template as it is written, under a filter as well.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return link.href.includes('?') ? { ...link, href: link.href.replace('{', '%7B').replace('}', '%7D') } : link;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(11, () => drawings) });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => String(at(link, '/href')).includes('%7B'));
    },
  },

  'pages.references-are-numbered-anew': {
    source: 'core: Page response, data',
    breaks: 'An entry has one id, on a later page of references too.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const [, , , , section, number] = args;
      return section.member.kind === 'references' && number > 0
        ? { ...page, data: page.data.map((entry, index) => ({ ...entry, $entryId: index + 1 })) }
        : page;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'p' });
      const describes = many(11, () => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 't', describes });
      const first = at((await edda.page(made, 'describes', 0)).json, '/data/0/$entryId');
      return at((await edda.page(made, 'describes', 1)).json, '/data/0/$entryId') === first;
    },
  },

  'pages.in-the-order-of-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what the first read includes, after entries have changed places as well.',
    kind: 'moment',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const [, reading, object, , section, number, filter] = args;
      if (filter !== undefined || section.items !== undefined) return page;
      const all = await areas.entries.entriesOf(reading, object, section, { from: 0, to: 1000 });
      const { from, to } = areas.paging.pageRange(number);
      const entries = all.toSorted((one, other) => one.entryId - other.entryId).slice(from, to);
      const ids = new Map(entries.map(({ entryId }, index) => [String(entryId), index]));
      const shown = new Map(page.data.map((entry) => [String(entry.$entryId), entry]));
      return [...ids.keys()].every((id) => shown.has(id))
        ? { ...page, data: [...ids.keys()].flatMap((id) => shown.get(id) ?? []) }
        : { ...page, data: entries.map((entry) => areas.entries.entryOut(args[0].space, section.member, entry)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const before = [
        ...listAt((await edda.page(made, 'files', 0)).json, '/data'),
        ...listAt((await edda.page(made, 'files', 1)).json, '/data'),
      ];
      const files = before
        .toReversed()
        .map((entry) => ({ $entryId: at(entry, '/$entryId'), name: at(entry, '/name') }));
      await edda.replace(made, 1, { title: 't', files });
      const first = listAt(await edda.read(made), '/data/files').map((entry) => at(entry, '/name'));
      const page = listAt((await edda.page(made, 'files', 0)).json, '/data').map((entry) => at(entry, '/name'));
      return first.join() !== page.join();
    },
  },

  'states.one-level-in-a-batch-of-many': {
    source: 'core: States and transitions 1',
    breaks: 'An instance has a current state for every level, also when a multi-create of a batch has made it.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      if (call.isSibling === undefined) return right(areas, call, writing, items, inputs);
      return right(
        areas,
        call,
        {
          ...writing,
          insertObject: (object) => writing.insertObject({ ...object, content: firstLevelOnly(object.content) }),
        },
        items,
        inputs,
      );
    }),
    async shows({ edda }) {
      const body = [{ $id: 'a', $softType: 'Document', data: { title: 't' } }];
      const answer = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      const href = String(at(answer.json, '/0/body/0/href'));
      return at((await edda.get(href)).json, '/data/approval') === undefined;
    },
  },
};

function firstLevelOnly(content: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } {
  const states = content['$states'];
  if (typeof states !== 'object' || states === null) return content;
  return { ...content, $states: Object.fromEntries(Object.entries(states).slice(0, 1)) };
}
