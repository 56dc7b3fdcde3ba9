import type { Page } from '../../../contract/wire.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

const drawings = { name: 'n', category: 'drawing' };

/** Reads, their links and pages. */
export const readingMistakes: Batch = {
  'links.everybody-under-a-filter': {
    source: 'core: SoftType read response, links',
    breaks: 'The links are those of whoever asks, under a filter as without one.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const [editor = call.user] = [...areas.configuration.users.values()].filter((user) =>
        areas.auth.mayUse(user, call.space, 'PUT'),
      );
      return right(areas, filter === undefined ? call : { ...call, user: editor }, object, view, slices, filter);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const links = listAt(await rita.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/method') === 'PATCH');
    },
  },

  'links.of-whoever-read-the-summary-first': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'Links tell what the present user may do, through an output schema without arrays as well.',
    kind: 'copy',
    variant: replaces('memory', 'rightsOf', (right, areas, call) =>
      call.params['outputSchemaId']?.endsWith('Summary') ? 'any' : right(areas, call),
    ),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const path = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      await edda.get(path);
      return listAt((await rita.get(path)).json, '/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },

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

  'pages.inner-items-without-id': {
    source: 'core: System properties inside data, $entryId',
    breaks: 'Every object inside an array has its entry id, those inside the entries of a later page too.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const [, , , , , number] = args;
      return number === 0 ? page : { ...page, data: page.data.map((entry) => withoutInnerIds(entry)) };
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, revisions: [{ text: 'r' }] }));
      const made = await edda.make('Document', { title: 't', files });
      const page = (await edda.page(made, 'files', 1)).json;
      return at(page, '/data/0/revisions/0/$entryId') === undefined;
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

  'pages.remembered-without-their-filter': {
    source: 'core: Endpoint table, GET page',
    breaks: 'A page under a filter holds what the filter admits, also after that page was read without one.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const pages = new Map<string, Page>();
      return async (areas, ...args) => {
        const [, reading, object, view, section, number] = args;
        if ('insertObject' in reading) return right(areas, ...args);
        const key = [object.oid, object.version, view.id, section.path, number].join(' ');
        const page = pages.get(key) ?? (await right(areas, ...args));
        pages.set(key, page);
        return page;
      };
    }),
    async shows({ edda }) {
      const files = [drawings, { name: 'b', category: 'other' }];
      const made = await edda.make('Document', { title: 't', files });
      await edda.page(made, 'files', 0);
      const page = (await edda.page(made, 'files', 0, '?softTypeFilter=drawings')).json;
      return listAt(page, '/data').length !== 1;
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

function withoutInnerIds<E extends object>(entry: E): E {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((item: object) => withoutId(item)) : value,
    ]),
  ) as E;
}

function withoutId(item: object): object {
  const { $entryId: _gone, ...rest } = item as { readonly $entryId?: unknown };
  return rest;
}

function firstLevelOnly(content: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } {
  const states = content['$states'];
  if (typeof states !== 'object' || states === null) return content;
  return { ...content, $states: Object.fromEntries(Object.entries(states).slice(0, 1)) };
}
