import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { User } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, spaceFiles, versionHeader } from '../service.ts';

const openApiOf = (space: string): string => `/space/${space}/SoftType/dynamic/softtype.openApi`;

export const readingMistakes: Batch = {
  'reading.href-in-a-batch': {
    source: 'core: SoftType read response',
    breaks: 'The href of an instance is its own URI, also where a batch has read it.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, ...args) => {
      const body = await right(areas, call, ...args);
      return call.isSibling === undefined ? body : { ...body, href: `/api/space/${call.space.id}/batch` };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([{ method: 'GET', href: made.path }]);
      return at(json, '/0/body/href') !== made.path;
    },
  },

  'reading.version-before-the-batch': {
    source: 'core: System properties inside data',
    breaks: 'The version inside data is that beside it, also in a read behind an edit of its batch.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, ...args) => {
      const body = await right(areas, call, reading, object, ...args);
      const isChanged = call.isChangedHere?.(object.oid) === true;
      return isChanged ? { ...body, data: { ...body.data, $version: body.version - 1 } } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } },
        { method: 'GET', href: made.path },
      ]);
      return at(json, '/1/body/data/$version') !== at(json, '/1/body/version');
    },
  },

  'reading.schema-of-a-filtered-read': {
    source: 'core: SoftType read response',
    breaks: 'A read response has the schema of the instance, also where a filter was asked for.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const body = await right(areas, call, reading, object, view, filter);
      return filter === undefined ? body : { ...body, schema: undefined as never };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/schema') === undefined;
    },
  },

  'paging.version-of-the-first-look': {
    source: 'core: Page response',
    breaks: 'A page tells the version that its object has now.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading, object, ...args) => {
        const version = versions.get(object.oid) ?? object.version;
        versions.set(object.oid, version);
        return { ...(await right(areas, call, reading, object, ...args)), version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },

  'paging.name-of-the-first-array': {
    source: 'core: Link object',
    breaks: 'A page link names the array that it belongs to, also where another one is long too.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const first = links.find(({ rel }) => rel === 'page');
      return links.map((link) => (link.rel === 'page' ? { ...link, sectionPath: first?.sectionPath ?? '' } : link));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11), contacts: named(11) });
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/sectionPath') === 'contacts');
    },
  },

  'spaces.definitions-of-all-templates': {
    source: 'core: What the service does',
    breaks: 'The SoftTypes of a space are those of the template that it was made from.',
    kind: 'place',
    variant: replaces('objects', 'softTypeOf', (right, areas, space, definitionId) => {
      const all = [...areas.configuration.templates.values()];
      const template = all.find(({ softTypes }) => softTypes.has(definitionId)) ?? space.template;
      return right(areas, { ...space, template }, definitionId);
    }),
    shows: async ({ edda }) =>
      (await edda.post('/api/space/depot/softtype/Document/documentInput', { title: 't' })).status === 201,
  },

  'openapi.document-of-the-first-space': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The dynamic definitions are those of the SoftTypes of the space that is asked for.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let first: ReturnType<typeof right> | undefined;
      return (areas, space) => (first ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get(openApiOf('main'));
      return !(await edda.get(openApiOf('depot'))).text.includes('Dossier');
    },
  },
};

export const accessMistakes: Batch = {
  'auth.password-of-before': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is the password each time, not the first time alone.',
    kind: 'copy',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const known = new Map<string, User | undefined>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'basic') return right(areas, credentials);
        const user = known.get(credentials.name) ?? (await right(areas, credentials));
        known.set(credentials.name, user);
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const asEdda = async (secret: string) => {
        const authorization = `Basic ${Buffer.from(`edda:${secret}`).toString('base64')}`;
        return (await nobody.get(`${spaceFiles}/a.txt`, { authorization })).status;
      };
      await asEdda('svcpat-edda-7d1c0b9e5a');
      return (await asEdda('svcpat-nobody')) === 200;
    },
  },

  'auth.user-of-the-correlation-id': {
    source: 'core: Authentication 2',
    breaks: 'The token of a request says who asks, and not that of another with the same correlation id.',
    kind: 'copy',
    variant: breaks('auth', 'authenticate', (right) => {
      const users = new Map<string, User>();
      return async (areas, call) => {
        const known = users.get(call.correlationId);
        if (known !== undefined && call.headers['authorization'] === undefined) return known;
        const user = await right(areas, call);
        if (call.correlationGiven) users.set(call.correlationId, user);
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.correlationId]: randomUUID() };
      await edda.get(made.path, headers);
      return (await nobody.get(made.path, headers)).status === 200;
    },
  },

  'auth.no-token-beside-the-api': {
    source: 'core: Errors 401',
    breaks: 'Without a token the answer is 401, also on a route without the prefix of the others.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      if (call.url.startsWith('/space/') && call.headers['authorization'] === undefined)
        throw new Refusal(403, 'Nobody may do that.');
      return right(areas, call);
    }),
    async shows({ nobody }) {
      const items = [{ $id: 'd', $softType: 'Document', data: { title: 't' } }];
      return (await nobody.multiCreate(items)).status !== 401;
    },
  },
};
