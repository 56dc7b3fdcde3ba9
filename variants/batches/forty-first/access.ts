import { Refusal } from '../../../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

const profilePath = '/api/collection/user/profile';

export const accessMistakes: Batch = {
  'spaces.delete-from-the-neighbour': {
    source: 'core: What the service does',
    breaks: 'An object is in one space: who has a role in two does not reach it by the path of the other.',
    kind: 'role',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      if (call.method !== 'DELETE') return right(areas, call, reading);
      for (const space of areas.configuration.spaces.values()) {
        const object = await reading.object(space.id, call.params['objectId'] ?? '');
        if (object !== undefined && areas.auth.rolesOf(call.user, space).length > 0) return object;
      }
      return right(areas, call, reading);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'here' });
      await edda.delete(`/api/space/depot/softtype/${made.oid}`);
      return (await edda.get(made.path)).status === 404;
    },
  },

  'collection.name-of-other-letters-only': {
    source: 'core: What the service does, collection level',
    breaks: 'A display name that is written is the one that is read, also where letters alone became capitals.',
    kind: 'value',
    survives: 'whether a profile keeps capitals apart is not shown',
    variant: replaces('collection', 'putProfile', async (right, areas, call, writing) => {
      const stored = JSON.parse((await writing.document('userProfile', call.user.name)) ?? '{}') as object;
      const former = String(at(stored, '/displayName'));
      const isSame = former.toLowerCase() === call.json.displayName.toLowerCase();
      return isSame ? { status: 204 } : right(areas, call, writing);
    }),
    async shows({ cora }) {
      await cora.put(profilePath, undefined, { displayName: 'cora' });
      await cora.put(profilePath, undefined, { displayName: 'CORA' });
      return at((await cora.get(profilePath)).json, '/displayName') !== 'CORA';
    },
  },

  'spaces.blank-behind-the-id': {
    source: 'core: What the service does, space level',
    breaks: 'A text that is no identifier of a space leads to none, also where it is one with a blank behind it.',
    kind: 'value',
    survives: 'a store may compare texts without the blanks at their ends, and leads nobody to what is not his',
    variant: replaces('auth', 'spaceOf', (right, areas, call) =>
      right(areas, { ...call, params: { ...call.params, spaceId: (call.params['spaceId'] ?? '').trimEnd() } }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'blank' });
      return (await edda.get(made.path.replace('/main/', '/main%20/'))).status === 200;
    },
  },

  'filter.blank-ahead-of-the-object': {
    source: 'core: Information filter',
    breaks: 'The filter is a JSON object however JSON may be written, with a line end before it as well.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const text = Buffer.from(call.headers['svc-informationfilter'] ?? '', 'base64').toString();
      if (/^\s/.test(text)) throw new Refusal(400, 'Expected an object as information filter.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filter' });
      const filter = Buffer.from('\n{ "time": "2020-01-01T00:00:00Z" }').toString('base64');
      return (await edda.get(made.path, { 'Svc-InformationFilter': filter })).status === 400;
    },
  },

  'caching.templates-are-sent-again': {
    source: 'core: Common request headers, If-None-Match',
    breaks: 'Who holds the tag of the templates gets them no second time.',
    kind: 'place',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      if (!call.url.startsWith('/api/collection/template')) return right(areas, call, answer);
      const { 'if-none-match': _held, ...headers } = call.headers;
      return right(areas, { ...call, headers }, answer);
    }),
    async shows({ cora }) {
      const path = '/api/collection/template';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await cora.get(path, { 'If-None-Match': tag })).status !== 304;
    },
  },

  'operations.entries-of-the-creator': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path leads to a member of an entry whoever writes, be it somebody else than made the object.',
    kind: 'role',
    variant: ofCreator(),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const answer = await emil.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'm' }]);
      return answer.status === 403;
    },
  },

  'tokens.stranger-without-any-role': {
    source: 'core: Authentication 1 and 6',
    breaks: 'A personal access token is one also of a user without any role, who is forbidden and not unknown.',
    kind: 'role',
    variant: replaces('auth', 'userOfCredentials', async (right, areas, credentials) => {
      const user = await right(areas, credentials);
      if (user === undefined || credentials.scheme !== 'bearer' || credentials.token.split('.').length === 3)
        return user;
      const spaces = [...areas.configuration.spaces.values()];
      const isKnown =
        user.collectionAdministrator || spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      return isKnown ? user : undefined;
    }),
    async shows({ edda, nora }) {
      const made = await edda.make('Document', { title: 't' });
      return (await nora.get(made.path)).status === 401;
    },
  },

  'tokens.query-before-header': {
    source: 'core: Authentication 2',
    breaks: 'Whoever calls is told by the Authorization header, whatever the query of a core route has besides.',
    kind: 'combination',
    survives: 'a request with two tokens may be refused',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      const token = call.query.get('access_token');
      if (token === null) return right(areas, call);
      return right(areas, { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.get(`${made.path}?access_token=nothing`)).status !== 200;
    },
  },
};

function ofCreator(): Variant {
  return (classes) => {
    const creators = new Map<string, string>();
    return together(
      replaces('editing', 'createObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        creators.set(answer.headers?.['Location']?.split('/').at(-1) ?? '', call.user.name);
        return answer;
      }),
      replaces('operations', 'entryAt', (right, areas, run, port, token) => {
        const creator = creators.get(run.object.oid) ?? run.call.user.name;
        if (creator !== run.call.user.name) throw new Refusal(403, 'The entry is that of another user.');
        return right(areas, run, port, token);
      }),
    )(classes);
  };
}
