import { isContent } from '../../../reference-server/areas/content.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

/** Far behind the end of any array. */
const everything = { from: 0, to: 100_000 };

/** What was read last of an object, and at which version it was. */
interface Newest {
  readonly version: string;
  readonly answer: Answer;
}

/** The value without the ids of the entries in its arrays. */
function withoutInnerIds(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    if (!isContent(item)) return item;
    const { $entryId: _id, ...content } = item;
    return content;
  });
}

function decodedAgain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What reads show, whole and page by page. */
export const readingMistakes: Batch = {
  'reading.inner-ids-missing-when-filtered': {
    source: 'core: System properties, $entryId',
    breaks: 'Every object in an array has an id, also in an array inside an entry that a filter lets pass.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', (right, areas, call, reading, object, view, filter) => {
      const bare = within(areas, {
        entries: {
          entryOut: (space, member, entry) => {
            const { $entryId, ...content } = areas.entries.entryOut(space, member, entry);
            const inner = Object.entries(content).map(([name, value]) => [name, withoutInnerIds(value)] as const);
            return { $entryId, ...Object.fromEntries(inner) };
          },
        },
      });
      return right(filter === undefined ? areas : bare, call, reading, object, view, filter);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', category: 'drawing', revisions: [{ text: 'r' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return at(read, '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },

  'reading.version-ten-is-older-than-nine': {
    source: 'core: SoftType read response, version',
    breaks: 'A read shows the current version, also where its digits stand before those of the former one.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const newest = new Map<string, Newest>();
      return async (areas, call, reading, object, view, assemble) => {
        const key = `${object.oid} ${view.id} ${areas.memory.rightsOf(call)}`;
        const known = newest.get(key);
        if (known !== undefined && String(object.version) < known.version) return known.answer;
        const answer = await right(areas, call, reading, object, view, assemble);
        if (!('insertObject' in reading)) newest.set(key, { version: String(object.version), answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 9; version += 1) await edda.merge(made, version, { note: `n${version}` });
      await edda.read(made);
      await edda.merge(made, 9, { note: 'tenth' });
      return at(await edda.read(made), '/version') !== 10;
    },
  },

  'reading.filter-value-decoded-twice': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'A dynamic value is what the query holds once it is decoded, percent signs included.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const found = right(areas, call, softType, parameter);
      return found && { ...found, value: decodedAgain(found.value) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'a%20b' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%2520b');
      return listAt(read, '/data/files').length === 0;
    },
  },

  'paging.plus-in-a-link-is-a-blank': {
    source: 'core: Link object, href',
    breaks: 'The link of a page is a URI that leads to it, also where the value of the filter holds a plus sign.',
    kind: 'value',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) =>
      right(areas, object, view, section, page, filter).replaceAll('%2B', '+'),
    ),
    async shows({ edda }) {
      const files = named(11).map((file) => ({ ...file, category: 'a+b' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%2Bb');
      const link = listAt(read, '/links').find((candidate) => at(candidate, '/rel') === 'page');
      return (await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'))).status !== 200;
    },
  },

  'paging.first-digit-of-the-number': {
    source: 'core: Endpoint table, GET softtype page',
    breaks: 'The page with the number that is asked for is delivered, also where that has two digits.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => Number(String(right(areas, call)).charAt(0))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(101) });
      return at((await edda.page(made, 'files', 10)).json, '/data/0/name') !== 'n101';
    },
  },

  'paging.inner-arrays-whole-behind-page-zero': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'An array inside an entry holds ten entries at most on every page, not on the first one alone.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, { entries: { nestedReadRange: () => everything } });
      return right(page > 0 ? whole : areas, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const files = [...named(10), { name: 'last', revisions }];
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length > 10;
    },
  },

  'reading.inner-version-from-before-the-batch': {
    source: 'core: System properties, $version',
    breaks: 'The version in the data is the one beside it, also where the batch that reads has just made it.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const read = await right(areas, call, reading, object, view, filter);
      if (object.version === 1 || call.isChangedHere?.(object.oid) !== true) return read;
      return { ...read, data: { ...read.data, $version: object.version - 1 } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } },
        { method: 'GET', href: made.path },
      ]);
      return at(answer.json, '/1/body/data/$version') !== at(answer.json, '/1/body/version');
    },
  },

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
