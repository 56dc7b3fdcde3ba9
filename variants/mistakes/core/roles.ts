import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { lockPath } from '../../../reference-server/areas/locks.ts';
import { breaks, replaces, type Variant, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, part } from '../proofs.ts';
import { at, listAt, versionHeader } from '../service.ts';
import { changes, isRefusal } from '../variant-parts.ts';

const source = 'core: Authentication 7';

/** Some users of the seed have two roles: rita one in each space, emil and alma both in one. */
export const rolesMistakes: Mistakes = {
  'roles.locks-change-before-the-refusal': {
    source: 'core: Authentication 6',
    breaks: 'What a role is refused does not happen, neither to a lock.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const headers = { ...call.headers, authorization: basic('edda', 'svcpat-edda-7d1c0b9e5a') };
        if (isRefusal(error, 403) && route.path === lockPath) await right(areas, route, { ...call, headers });
        throw error;
      }
    }),
    async shows({ edda, emil, rita }) {
      const made = await edda.make('Document');
      await rita.post(`/api/space/main/lock/${made.oid}`);
      return (await emil.merge(made, 1, { note: 'n' })).status === 423;
    },
  },
  'roles.deletions-of-others-not-seen': {
    source: 'core: Endpoint table; What the service does, space level',
    breaks: 'What somebody has deleted is there for nobody, neither for who has read it before.',
    variant: breaks('dispatcher', 'carryOutRead', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, route, call, reading) => {
        const key = `${call.user.name} ${call.url}`;
        try {
          const answer = await right(areas, route, call, reading);
          kept.set(key, answer);
          return answer;
        } catch (error) {
          const held = kept.get(key);
          if (held === undefined || call.user.name === 'edda' || !isRefusal(error, 404)) throw error;
          return held;
        }
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await rita.get(made.path);
      await edda.delete(made.path);
      return (await rita.get(made.path)).status === 200;
    },
  },
  'roles.long-reads-as-before-the-edit-of-another': {
    source: 'core: Endpoint table, GET softtype; Versioning 1',
    breaks: 'Who has read an instance sees what another has made of it since, by the long route too.',
    variant: breaks('dispatcher', 'carryOutRead', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, route, call, reading) => {
        const key = `${call.user.name} ${call.url}`;
        if (call.user.name === 'edda' || route.path !== routes.instanceLong) return right(areas, route, call, reading);
        const answer = kept.get(key) ?? right(areas, route, call, reading);
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { note: 'one' });
      const read = () => rita.get(`/api/space/main/softtype/Document/documentFull/${made.oid}`);
      await read();
      await edda.merge(made, 1, { note: 'two' });
      return at((await read()).json, '/data/note') === 'one';
    },
  },
  'roles.first-one-in-a-multi-create': {
    source,
    breaks: 'A role on any participant of the space counts on every route, on that of many instances as on the others.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = call.method === 'POST' && /^(?:\/api)?\/space\/[^/]+\/softtype$/i.test(call.url);
      return right(isMeant ? withFirstRole(areas) : areas, user, access, call);
    }),
    shows: async ({ emil }) => (await emil.multiCreate([part('one')])).status === 403,
  },
  'roles.first-one-in-a-put': {
    source,
    breaks:
      'A role on any participant of the space counts on every route, where content is replaced as where it is merged.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = call.method === 'PUT' && /\/softtype\//i.test(call.url);
      return right(isMeant ? withFirstRole(areas) : areas, user, access, call);
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Part');
      return (await emil.replace(made, 1, { name: 'p' })).status === 403;
    },
  },
  'roles.administrators-delete': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who administrates the collection and has no role in a space deletes none of its objects.',
    variant: administratorsMay('DELETE'),
    async shows({ edda, cora }) {
      const made = await edda.make('Part');
      return (await cora.delete(made.path, versionHeader(1))).status !== 403;
    },
  },
  'roles.administrators-demote': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who administrates the collection and has no role in a space moves none of its objects back.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      if (user.collectionAdministrator && /\/demote/i.test(call.url)) return;
      right(areas, user, access, call);
    }),
    async shows({ edda, cora }) {
      const made = await edda.make('Document');
      await edda.move(made, 1, 'promote');
      return (await cora.move(made, 2, 'demote')).status !== 403;
    },
  },
  'roles.administrators-edit': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who administrates the collection and has no role in a space edits none of its objects.',
    variant: administratorsMay('PATCH'),
    shows: async ({ edda, cora }) => (await cora.merge(await edda.make('Part'), 1, { name: 'p' })).status !== 403,
  },
  'roles.union-of-spaces': {
    source,
    breaks: 'What a role allows, it allows in its space, also to somebody who has another one elsewhere.',
    variant: replaces('auth', 'rolesOf', (right, areas, user, space) => {
      const here = right(areas, user, space);
      const all = [...areas.configuration.spaces.values()].flatMap((each) => right(areas, user, each));
      return here.length === 0 ? here : all;
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return (await rita.merge(made, 1, { note: 'n' })).status < 300;
    },
  },
  'roles.of-the-first-participant': {
    source,
    breaks: 'What the second role of a user in a space allows, is allowed.',
    variant: changes('auth', 'rolesOf', (all) => all.slice(0, 1)),
    async shows({ edda, emil }) {
      const made = await edda.make('Document');
      return (await emil.merge(made, 1, { note: 'n' })).status === 403;
    },
  },
  'roles.of-the-last-participant': {
    source,
    breaks: 'What the first role of a user in a space allows, is allowed.',
    variant: changes('auth', 'rolesOf', (all) => all.slice(-1)),
    async shows({ edda, alma }) {
      const made = await edda.make('Document');
      return (await alma.merge(made, 1, { note: 'n' })).status === 403;
    },
  },
  'roles.reads-kept-by-the-first-role': {
    source: 'core: What the service does',
    breaks: 'Links tell what any of the roles of a user allows, whoever read the object before.',
    variant: changes('memory', 'rightsOf', (rights) => rights.split(',')[0] ?? ''),
    async shows({ edda, rita, emil }) {
      const made = await edda.make('Document');
      await rita.read(made);
      return !listAt(await emil.read(made), '/links').some((link) => at(link, '/method') === 'PUT');
    },
  },
  'roles.those-of-spaces-before-too': {
    source,
    breaks:
      'The roles on participants of this space decide, whatever those of a space are that the user was in before.',
    variant: breaks('auth', 'rolesOf', (right) => {
      const known = new Map<string, ReadonlySet<string>>();
      return (areas, user, space) => {
        const own = right(areas, user, space);
        if (own.length === 0) return own;
        const all = new Set([...(known.get(user.name) ?? []), ...own]);
        known.set(user.name, all);
        return [...all];
      };
    }),
    async shows({ edda, rita }) {
      await rita.make('Dossier');
      return (await rita.merge(await edda.make('Document'), 1, { note: 'n' })).status < 300;
    },
  },
  'roles.reader-frees-a-lock': {
    source,
    breaks: 'A role that allows GET alone frees no lock.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isFreed = call.method === 'DELETE' && call.url.includes('/lock/');
      return right(areas, user, access, isFreed ? { ...call, method: 'GET' } : call);
    }),
    shows: async ({ edda, rita }) =>
      (await rita.delete(`/api/space/main/lock/${(await edda.make('Document')).oid}`)).status < 300,
  },
};

/** Where users have no role but the first. */
function withFirstRole(areas: Areas): Areas {
  return within(areas, { auth: { rolesOf: (...args) => areas.auth.rolesOf(...args).slice(0, 1) } });
}

function administratorsMay(allowed: string): Variant {
  return replaces(
    'auth',
    'mayUse',
    (right, areas, user, space, method) =>
      right(areas, user, space, method) || (method === allowed && user.collectionAdministrator),
  );
}
