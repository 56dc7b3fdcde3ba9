import type { AppliedFilter } from '../../../reference-server/areas/entries.ts';
import { longHref } from '../../../reference-server/areas/objects.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

export const readingMistakes: Batch = {
  'links.total-of-another-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter shapes the links as well, also when the array was just read without one.',
    kind: 'copy',
    variant: breaks('entries', 'totalOf', (right) => {
      const totals = new Map<string, Promise<number>>();
      return (areas, reading, object, section, filter) => {
        const key = [object.oid, object.version, section.path].join(' ');
        const total = totals.get(key) ?? right(areas, reading, object, section, filter);
        totals.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const files = many(25, (number) => ({ name: `n${number}`, category: number < 13 ? 'drawing' : 'text' }));
      const made = await edda.make('Document', { title: 'links', files });
      await edda.read(made);
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => at(link, '/rel') === 'page' && at(link, '/totalNumber') !== 12);
    },
  },

  'links.method-of-inner-pages': {
    source: 'core: Link object',
    breaks: 'The method of a link is the one of HTTP, in its letters, for an array inside an entry as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, ...rest) => {
      const link = right(areas, object, view, section, ...rest);
      return section.items === undefined ? link : { ...link, method: link.method.toLowerCase() };
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 'links', files: [{ name: 'one', revisions }] });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/method') === 'get');
    },
  },

  'paging.ranges-of-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what page 0 does not, also when an entry of page 0 was removed.',
    kind: 'moment',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (range.from === 0 || section.items !== undefined || filter !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: 100_000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(18) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      const pages = [(await edda.page(made, 'files', 0)).json, (await edda.page(made, 'files', 1)).json];
      const ids = pages.flatMap((page) => listAt(page, '/data').map((entry) => at(entry, '/$entryId')));
      return new Set(ids).size < ids.length;
    },
  },

  'paging.href-of-the-tenth-page': {
    source: 'core: Page response',
    breaks: 'The URI of a page is its own, also when its number has two digits.',
    kind: 'value',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return { ...body, href: body.href.replace(/\d(\?|$)/, `${page}$1`) };
      },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(101) });
      const href = at((await edda.page(made, 'files', 10)).json, '/href');
      return listAt((await edda.get(String(href))).json, '/data').length !== 1;
    },
  },

  'filters.value-of-the-first-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter whose value is blank takes the value of the request, also when another request gave another one.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const known = new Map<string, AppliedFilter>();
      return (areas, call, softType, parameter) => {
        const key = [call.params.objectId, call.query.get(parameter)].join(' ');
        const applied = known.get(key) ?? right(areas, call, softType, parameter);
        if (applied !== undefined) known.set(key, applied);
        return applied;
      };
    }),
    async shows({ edda }) {
      const files = ['text', 'drawing', 'text'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'filters', files });
      const read = (value: string) => edda.read(made, `?softTypeFilterId=byCategory&fileGroup.category=${value}`);
      await read('text');
      return listAt(await read('drawing'), '/data/files').length !== 1;
    },
  },

  'creating.location-by-the-input-schema': {
    source: 'core: Common request headers',
    breaks: 'The Location of a 201 is where the instance is read, whatever input schema it was made by.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const [first] = softType.inputs.values();
      if (view === first) return answer;
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      return {
        ...answer,
        headers: { ...answer.headers, Location: longHref({ spaceId: call.space.id, oid }, softType, view) },
      };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 'brief' });
      return (await edda.get(made.headers.get('location') ?? '')).status !== 200;
    },
  },

  'openapi.of-the-first-space': {
    source: 'core: What the service does',
    breaks: 'The dynamic OpenAPI definitions are those of the space that is asked for.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let known: ReturnType<typeof right> | undefined;
      return (areas, space) => (known ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

export const accessMistakes: Batch = {
  'access.administrator-of-a-space': {
    source: 'core: What the service does',
    breaks: 'Collection routes are open to Collection Administrators, and not to who administrates a space.',
    kind: 'role',
    variant: replaces('auth', 'mayAdministrate', (right, areas, user) => {
      const spaces = [...areas.configuration.spaces.values()];
      return right(areas, user) || spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
    }),
    async shows({ alma }) {
      return (await alma.get('/api/collection/template')).status === 200;
    },
  },

  'access.fields-of-a-grant-as-they-came': {
    source: 'core: Authentication 3',
    breaks: 'The fields of a password grant are form-encoded: what is percent-encoded in them is decoded.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const fields = (call.body?.toString() ?? '').split('&').map((field) => field.split('='));
      return new Map([...right(areas, call), ...fields.map(([name = '', value = '']) => [name, value] as const)]);
    }),
    async shows({ nobody }) {
      const authorization = `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const form = 'grant_type=password&username=%65dda&password=edda%2Dpassword&scope=All';
      return (await nobody.post('/auth/token', form, headers)).status !== 200;
    },
  },

  'access.known-by-name': {
    source: 'core: Authentication 5',
    breaks:
      'In Basic authentication the personal access token is asked for each time, also of a user who just showed it.',
    kind: 'copy',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'basic') return right(areas, credentials);
        const user = known.get(credentials.name) ?? (await right(areas, credentials));
        if (user !== undefined) known.set(credentials.name, user);
        return user;
      };
    }),
    async shows({ nobody }) {
      const ask = (pat: string) =>
        nobody.get('/api/space/main/fs/file/none.txt', {
          authorization: `Basic ${Buffer.from(`edda:${pat}`).toString('base64')}`,
        });
      await ask('svcpat-edda-7d1c0b9e5a');
      return (await ask('svcpat-none')).status !== 401;
    },
  },
};
