import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

/** Versions that a demote has just made, by object. */
const demoted = new Map<string, number>();

/** Files of two categories in turn. */
const mixed = (count: number) =>
  many(count, (number) => ({ name: `f${number}`, category: number % 2 === 0 ? 'drawing' : 'text' }));

const drawn = '?softTypeFilterId=drawings';
const byText = 'fileGroup.category=text';

export const readingMistakes: Batch = {
  'reading.filtered-links-for-all': {
    source: 'core: What the service does',
    breaks: 'Links name what the current user may do, in a filtered read as well.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      if (filter === undefined) return links;
      const all = areas.hypermedia.operationLinks(object, areas.objects.softTypeOf(call.space, object.softType), view);
      return [...all, ...links.filter(({ rel }) => rel === 'page')];
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'links' });
      const links = listAt(await rita.read(made, drawn), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },

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

  'reading.old-version-after-demote': {
    source: 'core: System properties inside data, $version',
    breaks: '$version is the version of the object, after a demote as well.',
    kind: 'copy',
    variant: together(
      replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        demoted.set(call.object.oid, call.object.version + 1);
        return answer;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const members = right(areas, object);
        return demoted.get(object.oid) === object.version ? { ...members, $version: object.version - 1 } : members;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demoted' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/$version') !== 3;
    },
  },

  'reading.third-page-of-first-version': {
    source: 'core: Page response, version',
    breaks: 'A page names the version of the object, from the third page on as well.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return page < 2 ? body : { ...body, version: areas.versioning.firstVersion() };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'third', contacts: named(21) });
      await edda.merge(made, 1, { note: 'edited' });
      return at((await edda.page(made, 'contacts', 2)).json, '/version') !== 2;
    },
  },

  'reading.ten-pages-at-most': {
    source: 'core: Server side paging 2',
    breaks: 'A page link counts all pages, also those of more than a hundred entries.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (right, areas, total) => Math.min(right(areas, total), 10)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'hundred', contacts: named(101) });
      return !listAt(await edda.read(made), '/links').some((link) => at(link, '/pages') === 11);
    },
  },

  'reading.given-value-not-counted': {
    source: 'core: Server side paging 5',
    breaks: 'A filter whose value comes with the request shapes the links as well.',
    kind: 'combination',
    variant: replaces('entries', 'totalOf', (right, areas, reading, object, section, filter) => {
      return right(areas, reading, object, section, filter?.filter.equals === undefined ? undefined : filter);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'given', files: mixed(24) });
      const links = listAt(await edda.read(made, `?softTypeFilterId=byCategory&${byText}`), '/links');
      return links.some((link) => at(link, '/rel') === 'page' && at(link, '/totalNumber') !== 12);
    },
  },

  'reading.nested-page-zero-is-all': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'A page holds ten entries at most, that of an array inside an entry as well.',
    kind: 'place',
    variant: replaces('entries', 'entriesOf', (right, areas, reading, object, section, range, filter) => {
      const whole = section.items !== undefined && range.from === 0 ? { from: 0, to: section.items.length } : range;
      return right(areas, reading, object, section, whole, filter);
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `t${number}` }));
      const made = await edda.make('Document', { title: 'nested', files: [{ name: 'file', revisions }] });
      const link = listAt(await edda.read(made), '/links').find((found) => at(found, '/rel') === 'page');
      const page = await edda.get(String(at(link, '/href')).replace('{pageNumber}', '0'));
      return listAt(page.json, '/data').length > 10;
    },
  },

  'reading.only-soft-type-not-described': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The dynamic definition holds all configured SoftTypes, also where there is only one.',
    kind: 'combination',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const document = right(areas, space);
      return space.template.softTypes.size > 1 ? document : { ...document, paths: {} };
    }),
    async shows({ edda }) {
      const { json } = await edda.get('/space/depot/SoftType/dynamic/softtype.openApi');
      return !Object.keys(at(json, '/paths') ?? {}).some((path) => path.includes('Dossier'));
    },
  },

  'caching.tag-of-two-changes-ago': {
    source: 'core: Versioning 4',
    breaks: 'Changed data are sent again, whichever of the earlier ETags the client still holds.',
    kind: 'moment',
    variant: breaks('caching', 'conditional', (right) => {
      const tags = new Map<string, string[]>();
      return (areas, call, answer) => {
        const key = `${call.url} ${call.headers['authorization'] ?? ''}`;
        const known = tags.get(key) ?? [];
        const held = known.indexOf(call.headers['if-none-match'] ?? '');
        const found = right(areas, call, answer);
        const tag = found.headers?.['ETag'] ?? '';
        if (!known.includes(tag)) tags.set(key, [...known, tag]);
        return held >= 0 && held < known.length - 2 ? areas.caching.notModified(found.headers ?? {}) : found;
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const first = (await cora.get(path)).headers.get('etag') ?? '';
      for (const displayName of ['One', 'Two', 'Three']) {
        await cora.put(path, undefined, { displayName });
        await cora.get(path);
      }
      return (await cora.get(path, { 'if-none-match': first })).status === 304;
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

  'access.roles-of-the-first-space': {
    source: 'core: Authentication 6',
    breaks: 'A role in one space opens no other one, also right after it was used.',
    kind: 'copy',
    variant: breaks('auth', 'rolesOf', (right) => {
      const known = new Map<string, readonly string[]>();
      return (areas, user, space) => {
        const roles = right(areas, user, space);
        if (roles.length > 0) known.set(user.name, roles);
        return roles.length > 0 || user.collectionAdministrator ? roles : (known.get(user.name) ?? roles);
      };
    }),
    async shows({ otto }) {
      await otto.make('Dossier', { title: 'own' });
      const answer = await otto.post('/api/space/main/softtype/Part/partInput', { name: 'foreign' });
      return answer.status !== 403;
    },
  },
};
