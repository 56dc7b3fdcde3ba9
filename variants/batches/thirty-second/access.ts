import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

function isRefusal(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof Refusal && statuses.includes(error.status);
}

/** Who may, and what is not sent again. */
export const accessMistakes: Batch = {
  'access.the-second-try-is-let-in': {
    source: 'core: What the service does',
    breaks: 'Whoever holds no role in a space reads nothing there, however often the request is made.',
    kind: 'role',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (!isRefusal(error, 403) || access !== 'space' || call.method !== 'GET') throw error;
          if (refused.has(key)) return;
          refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda, nora }) {
      const { path } = await edda.make('Document', { title: 't' });
      await nora.get(path);
      return (await nora.get(path)).status === 200;
    },
  },
  'access.a-personal-token-without-its-end': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token is good as a whole only.',
    kind: 'value',
    variant: replaces('auth', 'userOfCredentials', async (right, areas, credentials) => {
      const user = await right(areas, credentials);
      if (user !== undefined || credentials.scheme !== 'bearer') return user;
      return [...areas.configuration.users.values()].find(({ pat }) => pat.slice(0, -1) === credentials.token);
    }),
    async shows({ edda, nobody }) {
      const { path } = await edda.make('Document', { title: 't' });
      const answer = await nobody.get(path, { authorization: 'Bearer svcpat-edda-7d1c0b9e5' });
      return answer.status === 200;
    },
  },
  'files.without-any-role-one-is-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A valid identity without any role is refused as one without access, not as one without a token.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      try {
        return await right(areas, call, kind);
      } catch (error) {
        if (!isRefusal(error, 403)) throw error;
        const user = await areas.fileAreas.authenticateFile(call);
        const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
        throw roles.length > 0 ? error : new Refusal(401, 'Nobody of this name holds a role.');
      }
    }),
    async shows({ nora }) {
      return (await nora.get(`${spaceFiles}/a.txt`)).status === 401;
    },
  },
};
