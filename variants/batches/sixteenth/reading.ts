import { entriesPerPage } from '../../../contract/limits.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named, tokenOf } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** How long an ETag stays the same, in ms. */
const tagPeriodMs = 600_000;

export const readingMistakes: Batch = {
  'reading.links-by-number-of-roles': {
    source: 'core: What the service does',
    breaks: 'Links describe what the current user may do, not what somebody with as many roles may.',
    kind: 'copy',
    variant: replaces('memory', 'rightsOf', (_right, areas, call) =>
      String(areas.auth.rolesOf(call.user, call.space).length),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'links' });
      await edda.read(made);
      const links = listAt(await rita.read(made), '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },

  'reading.soft-type-of-a-view': {
    source: 'core: System properties inside data',
    breaks: '$softType is the definition of the object, under whichever output schema it is read.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const isDefault = areas.objects.softTypeOf(space, object.softType).outputs.keys().next().value === view.id;
      return isDefault ? data : { ...data, $softType: view.id };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'summary' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$softType') !== 'Document';
    },
  },

  'paging.rounded-pages': {
    source: 'core: Server side paging 4',
    breaks: 'A rest of entries has a page of its own, also when it is less than half of one.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.max(1, Math.round(total / entriesPerPage))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'rest', contacts: named(13) });
      const page = listAt(await edda.read(made), '/links').find((link) => at(link, '/rel') === 'page');
      return at(page, '/pages') !== 2;
    },
  },

  'paging.version-from-the-first-look': {
    source: 'core: Page response',
    breaks: 'The version of a page is that of its object now, not that of the first time the page was read.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const versions = new Map<string, number>();
      return async (areas, ...args) => {
        const page = await right(areas, ...args);
        const version = versions.get(page.href) ?? page.version;
        versions.set(page.href, version);
        return { ...page, version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', contacts: named(12) });
      await edda.page(made, 'contacts', 1);
      await edda.merge(made, 1, { note: 'edited' });
      return at((await edda.page(made, 'contacts', 1)).json, '/version') !== 2;
    },
  },

  'reading.nothing-left-by-a-filter': {
    source: 'core: Errors',
    breaks: 'A read that succeeds is a 200 with data, also when its filter leaves no entry.',
    kind: 'value',
    variant: replaces('instances', 'readInstance', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      const filtered = call.query.has('softTypeFilterId') && listAt(answer.body, '/data/files').length === 0;
      return filtered ? { status: 204 } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filter', files: [{ name: 'one', category: 'letter' }] });
      return (await edda.get(`${made.path}?softTypeFilterId=drawings`)).status !== 200;
    },
  },

  'caching.tag-of-a-length': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also when it is as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => `"${representation.length}"`),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora' });
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Anna' });
      return (await cora.get(path, { 'if-none-match': etag })).status !== 200;
    },
  },

  'caching.tag-with-the-time': {
    source: 'core: Errors',
    breaks: 'Data that has not changed gives 304 to whoever holds its ETag, however long ago it was given.',
    kind: 'moment',
    variant: replaces('caching', 'etagOf', (right, areas, representation) => {
      const period = Math.floor(areas.clock.now() / tagPeriodMs);
      return right(areas, `${period} ${representation.toString()}`);
    }),
    async shows({ cora, pass }) {
      const path = '/api/collection/space';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await pass(tagPeriodMs / 1000);
      return (await cora.get(path, { 'if-none-match': etag })).status !== 304;
    },
  },

  'openapi.types-without-a-process': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition is of all configured SoftTypes, those without maturity included.',
    kind: 'value',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].filter(([, { maturity }]) => maturity !== undefined));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('/Requirement/');
    },
  },

  'access.administrator-of-a-space': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator; the administrator of a space is none.',
    kind: 'role',
    variant: replaces('auth', 'mayAdministrate', (right, areas, user) => {
      const spaces = [...areas.configuration.spaces.values()];
      return right(areas, user) || spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
    }),
    async shows({ alma }) {
      return (await alma.get('/api/collection/space')).status !== 403;
    },
  },

  'access.objects-of-other-spaces': {
    source: 'core: What the service does',
    breaks: 'A route of a space is about objects of that space.',
    kind: 'place',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      const { objectId = '', definitionId, softTypeId } = call.params;
      if (definitionId !== undefined || softTypeId !== undefined) return right(areas, call, reading);
      for (const spaceId of areas.configuration.spaces.keys()) {
        const object = await reading.object(spaceId, objectId);
        if (object !== undefined) return object;
      }
      return right(areas, call, reading);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'elsewhere' });
      await edda.delete(made.path.replace('/main/', '/depot/'));
      return (await edda.get(made.path)).status !== 200;
    },
  },

  'tokens.kept-by-user': {
    source: 'core: Authentication 3',
    breaks: 'The token that a grant gives can be used, also when the one before has expired.',
    kind: 'copy',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const tokens = new Map<unknown, string>();
      return (areas, form, token) => {
        const user = form.get('username');
        const kept = tokens.get(user) ?? token;
        tokens.set(user, kept);
        return right(areas, form, kept);
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      await service.pass(4000);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      const made = await service.edda.make('Document', { title: 'token' });
      return (await service.nobody.get(made.path, { authorization })).status !== 200;
    },
  },

  'tokens.fields-in-order': {
    source: 'core: Authentication 3',
    breaks: 'A grant is asked for by the fields of a form, in whichever order they come.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = right(areas, call);
      if (form.keys().next().value === 'grant_type') return form;
      throw new Refusal(400, 'Expected grant_type first.');
    }),
    async shows({ nobody }) {
      const body = 'username=edda&password=edda-password&scope=All&grant_type=password';
      const answer = await nobody.post('/auth/token', body, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return at(answer.json, '/access_token') === undefined;
    },
  },
};
