import { isContent } from '../../../reference-server/areas/content.ts';
import { statesMember, storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Claims } from '../../../reference-server/areas/tokens.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';
import { named, tokenOf } from '../proofs.ts';

/** An entry whose own arrays hold items without their ids. */
function withoutInnerIds(entry: object): object {
  const withoutId = (item: unknown): unknown => (isContent(item) ? { ...item, $entryId: undefined } : item);
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, Array.isArray(value) ? value.map(withoutId) : value]),
  );
}

export const reading: Batch = {
  'reading.version-of-two-digits-is-text': {
    source: 'core: SoftType read response',
    breaks: 'The version is an integer, from the tenth on as well.',
    kind: 'value',
    variant: replaces('instances', 'assembleInstance', async (right, areas, ...args) => {
      const read = await right(areas, ...args);
      return read.version < 10 ? read : Object.assign({ ...read }, { version: String(read.version) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      for (const version of many(9, (number) => number)) await edda.merge(made, version, { note: `${version}` });
      return typeof at(await edda.read(made), '/version') !== 'number';
    },
  },
  'reading.version-in-data-counts-no-promote': {
    source: 'core: System properties',
    breaks: 'The version inside the data is that of the response, after a promote too.',
    kind: 'combination',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => {
      const members = right(areas, object);
      const isMoved = Object.values(storedStates(object)).some(({ state }) => !['draft', 'open'].includes(state));
      return isMoved ? { ...members, $version: object.version - 1 } : members;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },
  'reading.page-lacks-inner-entry-ids': {
    source: 'core: System properties',
    breaks: 'Every object inside an array has its entry id, in an array of an entry on a page as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      return { ...page, data: page.data.map((entry) => Object.assign({ ...entry }, withoutInnerIds(entry))) };
    }),
    async shows({ edda }) {
      const files = [...named(10), { name: 'last', revisions: [{ text: 'r' }] }];
      const page = await edda.page(await edda.make('Document', { title: 't', files }), 'files', 1);
      return page.status === 200 && at(page.json, '/data/0/revisions/0/$entryId') === undefined;
    },
  },
  'paging.references-have-no-link': {
    source: 'core: Server side paging 2',
    breaks: 'An array of more than ten references has its page link like any other.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, ...rest) =>
      slice.section.member.kind === 'references' ? [] : right(areas, object, view, slice, ...rest),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'p' });
      const describes = many(11, () => ({ value: { $oid: oid } }));
      const read = await edda.read(await edda.make('Document', { title: 't', describes }));
      return !listAt(read, '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },
  'paging.value-of-filter-ends-with-first-page': {
    source: 'core: Endpoint table, page route',
    breaks: 'A filter with a supplied value applies to every page, not to the first alone.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, ...rest) => {
      const applied = right(areas, call, ...rest);
      const isLater = (call.params['pageNumber'] ?? '0') !== '0';
      return isLater && applied?.filter.equals === undefined ? undefined : applied;
    }),
    async shows({ edda }) {
      const files = many(22, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'a' : 'b' }));
      const made = await edda.make('Document', { title: 't', files });
      const query = '?softTypeFilter=byCategory&fileGroup.category=a';
      return listAt((await edda.page(made, 'files', 1, query)).json, '/data').length !== 1;
    },
  },
  'paging.page-remembers-its-version': {
    source: 'core: Page response',
    breaks: 'A page tells the version that its object has now, whether its own entries have changed or not.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, { readonly text: string; readonly version: number }>();
      return async (areas, ...args) => {
        const page = await right(areas, ...args);
        const text = JSON.stringify(page.data);
        const former = kept.get(page.href);
        if (former?.text === text) return { ...page, version: former.version };
        kept.set(page.href, { text, version: page.version });
        return page;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'paging.page-ten-is-page-one': {
    source: 'core: Server side paging 3',
    breaks: 'A page number has as many digits as it needs.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const pageNumber = (call.params['pageNumber'] ?? '').slice(0, 1);
      return right(areas, { ...call, params: { ...call.params, pageNumber } });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(101) });
      return listAt((await edda.page(made, 'contacts', 10)).json, '/data').length !== 1;
    },
  },
  'states.demote-forgets-the-definition': {
    source: 'core: States and transitions',
    breaks: 'A current state names its level-state definition, after a demote as well.',
    kind: 'combination',
    variant: replaces('maturity', 'demoteObject', (right, areas, ...args) => {
      const contentInState: typeof areas.maturity.contentInState = (content, level, state) => {
        const moved = areas.maturity.contentInState(content, level, state);
        const states = moved[statesMember];
        if (!isContent(states)) return moved;
        const own = states[level];
        return {
          ...moved,
          [statesMember]: { ...states, [level]: { ...(isContent(own) && own), $softType: undefined } },
        };
      };
      return right(within(areas, { maturity: { contentInState } }), ...args);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return typeof at(await edda.read(made), '/data/engineering/$softType') !== 'string';
    },
  },
  'access.known-token-needs-no-signature': {
    source: 'core: Authentication 2',
    breaks: 'The signature of a token is looked at each time that it comes, and not kept apart from it.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, Claims>();
      return async (areas, token) => {
        const signed = token.slice(0, token.lastIndexOf('.'));
        const claims = known.get(signed) ?? (await right(areas, token));
        areas.tokens.checkExpiry(claims);
        known.set(signed, claims);
        return claims;
      };
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      const { path } = await service.edda.make('Part', { name: 'p' });
      await service.nobody.get(path, { authorization: `Bearer ${token}` });
      const forged = `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(64, 1).toString('base64url')}`;
      return (await service.nobody.get(path, { authorization: `Bearer ${forged}` })).status === 200;
    },
  },
  'access.roles-are-remembered-for-all-spaces': {
    source: 'core: Authentication 7',
    breaks: 'A role opens the space of its participant and no other that is asked for afterwards.',
    kind: 'role',
    variant: breaks('auth', 'rolesOf', (right) => {
      const known = new Map<string, readonly string[]>();
      return (areas, user, space) => {
        const roles = known.get(user.name) ?? right(areas, user, space);
        known.set(user.name, roles);
        return roles;
      };
    }),
    async shows({ edda, otto }) {
      const dossier = await edda.make('Dossier', { title: 't' });
      const part = await edda.make('Part', { name: 'p' });
      await otto.get(dossier.path);
      return (await otto.get(part.path)).status === 200;
    },
  },
  'openapi.second-space-gets-that-of-the-first': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions are those of the SoftTypes of the space that is asked.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let kept: ReturnType<typeof right> | undefined;
      return (areas, space) => (kept ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};
