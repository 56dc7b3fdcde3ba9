import type { Claims } from '../../../reference-server/areas/tokens.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached, registerEndpoint } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

/** Who may do what, and how it is known who asks. */
export const accessMistakes: Batch = {
  'access.roles-of-every-space': {
    source: 'core: Authentication 7, first part',
    breaks: 'A space is open by a role on a participant of that space, and not by one of another space.',
    kind: 'role',
    variant: replaces('auth', 'rolesOf', (right, areas, user) =>
      [...areas.configuration.spaces.values()].flatMap((space) => right(areas, user, space)),
    ),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 't' });
      return (await otto.get(made.path)).status === 200;
    },
  },

  'access.administrator-of-the-collection-looks-in': {
    source: 'core: What the service does, space level, access',
    breaks: 'A space is open to who holds a role in it, a Collection Administrator not excepted.',
    kind: 'role',
    variant: replaces(
      'auth',
      'mayUse',
      (right, areas, user, space, method) =>
        right(areas, user, space, method) || (method === 'GET' && areas.auth.mayAdministrate(user)),
    ),
    async shows({ edda, cora }) {
      const made = await edda.make('Document', { title: 't' });
      return (await cora.get(made.path)).status === 200;
    },
  },

  'access.readers-write-by-batch': {
    source: 'core: What the service does, space level, second sentence',
    breaks: 'The role decides which methods there are, also for the operations of a batch.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (_right, areas, { route, call }, writing) =>
      areas.dispatcher.carryOutWrite(route, call, writing),
    ),
    async shows({ rita }) {
      const href = '/api/space/main/softtype/Part/partInput';
      return (await rita.batch([{ method: 'POST', href, body: { name: 'p' } }])).status === 200;
    },
  },

  'access.any-name-beside-the-token': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is a password together with the name of its user, and with no other name.',
    kind: 'role',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) =>
      right(areas, credentials.scheme === 'basic' ? { scheme: 'bearer', token: credentials.secret } : credentials),
    ),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const pair = Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64');
      return (await nobody.get(`${spaceFiles}/a.txt`, { authorization: `Basic ${pair}` })).status === 200;
    },
  },

  'access.one-participant-and-no-more': {
    source: 'core: Authentication 7, first part',
    breaks: 'A role on a participant is needed, and who holds roles on two has one.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access, call);
      if (access === 'participant' && areas.auth.rolesOf(user, areas.auth.spaceOf(call)).length !== 1)
        throw new Refusal(403, `${user.name} has no role on a participant of the space.`);
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Document', { title: 't' });
      return (await emil.batch([{ method: 'GET', href: made.path }])).status === 403;
    },
  },

  'access.endpoints-by-administrators-of-spaces': {
    source: 'extensions: Registration routes',
    breaks: 'Endpoints are registered by a Collection Administrator, and not by who administrates a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const administrates = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (access === 'collection' && call.url.startsWith('/api/admin/') && administrates) return;
      right(areas, user, access, call);
    }),
    async shows(service) {
      const asAlma = { ...service, cora: service.alma };
      const url = `${service.url}/hook`;
      return (await registerEndpoint(asAlma, 'externalEndpoint', { url })).status === 201;
    },
  },

  'access.bulk-upload-by-token': {
    source: 'extensions: Authentication 2, first sentence',
    breaks: 'Bulk upload needs the administration key: the token of an administrator does not open it.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      try {
        await right(areas, call);
      } catch (error) {
        const user = await areas.auth.authenticate(call).catch(() => undefined);
        if (user === undefined || !areas.auth.mayAdministrate(user)) throw error;
      }
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const body = { sourceDirectory, writeLog: false };
      return (await service.cora.post('/admin/fileupload/main', body)).status < 300;
    },
  },

  'tokens.good-for-ever-once-they-were-good': {
    source: 'extensions: Authentication 4',
    breaks: 'An impersonating token is valid for the minutes of its registration, also one that was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, Claims>();
      return async (areas, token) => {
        const claims = known.get(token) ?? (await right(areas, token));
        known.set(token, claims);
        return claims;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      const headers = { authorization: `Bearer ${call?.envelope?.accessToken}` };
      const before = await service.nobody.get(made.path, headers);
      await service.pass(2 * 3600);
      return before.status === 200 && (await service.nobody.get(made.path, headers)).status === 200;
    },
  },
};
