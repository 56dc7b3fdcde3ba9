import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

/** Files of two categories in turn. */
const mixed = (count: number) =>
  many(count, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));

export const readingMistakes: Batch = {
  'reading.references-by-their-target': {
    source: 'core: Link object, sectionPath',
    breaks: 'sectionPath is the name of the array, also of one that holds references.',
    kind: 'value',
    survives: 'ledger section-path-form: which text stands for an array is open',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.member.kind === 'references' ? { ...link, sectionPath: section.member.to } : link;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'part' });
      const describes = many(11, (number) => ({ id: `r${number}`, value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return !listAt(await edda.read(made), '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },

  'reading.filtered-page-numbers-anew': {
    source: 'core: Page response, data',
    breaks: 'An entry of a page has its own $entryId, whether or not a filter left others out.',
    kind: 'combination',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (filter === undefined) return body;
        return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filtered', files: mixed(6) });
      const entries = listAt(await edda.read(made), '/data/files');
      const page = listAt((await edda.page(made, 'files', 0, '?softTypeFilter=drawings')).json, '/data');
      return at(page[0], '/$entryId') !== at(entries[1], '/$entryId');
    },
  },
};

export const accessMistakes: Batch = {
  'access.no-token-without-role': {
    source: 'core: Authentication 3',
    breaks: 'The answer of the token endpoint contains access_token, whatever role the user has.',
    kind: 'role',
    variant: replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const answer = right(areas, form, token);
      const user = areas.configuration.users.get(form.get('username') ?? '');
      const spaces = [...areas.configuration.spaces.values()];
      const hasRole =
        user?.collectionAdministrator || spaces.some((space) => user && areas.auth.rolesOf(user, space)[0]);
      return hasRole ? answer : { ...answer, body: { token } };
    }),
    async shows({ nobody }) {
      const form = 'grant_type=password&username=nora&password=nora-password&scope=All';
      const answer = await nobody.post('/auth/token', form, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return typeof at(answer.json, '/access_token') !== 'string';
    },
  },
};
