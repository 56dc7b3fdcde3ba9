import type { Areas } from '../../../reference-server/areas.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import type { Space, User } from '../../../reference-server/configuration.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

/** Reads and pages. */
export const readingMistakes: Batch = {
  'paging.version-of-what-is-referred-to': {
    source: 'core: Page response, row version',
    breaks: 'A page tells the version of the object that has the array, also where its entries lead to other objects.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const oid = section.member.kind === 'references' ? at(body.data[0], '/value/$oid') : undefined;
        const target = typeof oid === 'string' ? await reading.object(object.spaceId, oid) : undefined;
        return target === undefined ? body : { ...body, version: target.version };
      },
    ),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      await edda.merge(part, 1, { note: 'n' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      return at((await edda.page(made, 'describes', 0)).json, '/version') !== 1;
    },
  },

  'paging.link-shared-by-arrays-of-one-length': {
    source: 'core: Server side paging 3',
    breaks: 'The link of each array leads to the pages of that array, also where another one is just as long.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const hrefs = new Map<string, string>();
      return (areas, object, view, section, total, filter) => {
        const link = right(areas, object, view, section, total, filter);
        const key = `${object.oid} ${object.version} ${view.id} ${total}`;
        const href = hrefs.get(key) ?? link.href;
        hrefs.set(key, href);
        return { ...link, href };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11), contacts: named(11) });
      const links = listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page');
      return new Set(links.map((link) => at(link, '/href'))).size === 1;
    },
  },

  'paging.page-that-is-called-otherwise': {
    source: 'core: Page response, row href',
    breaks: 'The URI in a page is that of the page, also where a configured filter with its own value made it.',
    kind: 'combination',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return filter?.filter.equals === undefined ? body : { ...body, href: body.href.replace(/\?.*/, '') };
      },
    ),
    survives:
      'silence filter-in-page-link: whether the filter belongs to the URI of what it was read through is said of no read',
    async shows({ edda }) {
      const files = [{ name: 'a' }, { name: 'b', category: 'drawing' }];
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      const again = await edda.get(String(at(page.json, '/href')));
      return JSON.stringify(listAt(again.json, '/data')) !== JSON.stringify(listAt(page.json, '/data'));
    },
  },

  'paging.one-page-too-many-of-references': {
    source: 'core: Link object, row pages',
    breaks: 'The number of pages of an array of references is right, also where the last page is full.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.member.kind === 'references' ? { ...link, pages: Math.floor(total / 10) + 1 } : link;
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', {
        title: 't',
        describes: many(20, () => ({ value: { $oid: part.oid } })),
      });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/pages') !== 2;
    },
  },
};

/** Who may do what, and who has what already. */
export const accessMistakes: Batch = {
  'caching.readers-get-it-all-again': {
    source: 'core: Versioning 4',
    breaks: 'Unchanged data give 304 to everybody who sends their tag, also to who may do nothing but read.',
    kind: 'role',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const isReader = 'user' in call && 'space' in call && !mayWrite(areas, call);
      return right(
        areas,
        isReader ? { ...call, headers: { ...call.headers, 'if-none-match': undefined } } : call,
        answer,
      );
    }),
    async shows({ rita }) {
      const path = '/space/main/SoftType/dynamic/softtype.openApi';
      const { headers } = await rita.get(path);
      return (await rita.get(path, { 'If-None-Match': headers.get('etag') ?? '' })).status !== 304;
    },
  },

  'grants.password-with-blanks-around': {
    source: 'core: Authentication 3',
    breaks: 'The password grant takes the password of the user, not one with blanks behind it.',
    kind: 'value',
    variant: replaces('auth', 'userOfPassword', (right, areas, name, password) => right(areas, name, password.trim())),
    survives:
      'what passes for the password is not said; NIST SP 800-63B 5.1.1.2 lets a service pass over blanks around it',
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'grant_type=password&username=edda&password=edda-password%20&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status === 200;
    },
  },
};

function mayWrite({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.mayUse(call.user as User, call.space as Space, 'PUT');
}
