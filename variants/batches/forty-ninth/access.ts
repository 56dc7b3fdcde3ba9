import { setTimeout } from 'node:timers/promises';
import { routes } from '../../../contract/routes.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';

const collectionFiles = '/api/collection/fs/file';

/** Who is let in, and as whom. */
export const accessMistakes: Batch = {
  'access.link-opens-the-collection': {
    source: 'core: What the service does, collection level',
    breaks: 'The collection is open to its administrators alone, for a download with the token in its query too.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isLink = area.kind === 'collection' && call.method === 'GET' && call.query.has('token');
      return isLink || right(areas, user, area, call);
    }),
    async shows(service) {
      await service.cora.upload('note.txt', 'text', collectionFiles);
      const token = await tokenOf(service, 'rita');
      return (await service.nobody.get(`${collectionFiles}/note.txt?token=${token}`)).status === 200;
    },
  },

  'token.one-for-all-who-ask-at-once': {
    source: 'core: Authentication 3, access_token',
    breaks: 'The answer contains a token of the user who asked, also where somebody else asks at the same moment.',
    kind: 'moment',
    variant: breaks('tokens', 'issueToken', (right) => {
      let pending: Promise<string> | undefined;
      return (areas, user) => {
        pending ??= setTimeout(5)
          .then(() => right(areas, user))
          .finally(() => (pending = undefined));
        return pending;
      };
    }),
    async shows(service) {
      const tokens = await Promise.all([tokenOf(service, 'edda'), tokenOf(service, 'emil')]);
      return tokens[0] === tokens[1];
    },
  },

  'access.empty-batch-asks-for-nobody': {
    source: 'core: Authentication 6',
    breaks: 'Without a token the answer is 401, to a batch without operations too.',
    kind: 'value',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const isNothing = route.path === routes.batch && call.body?.toString() === '[]';
      return isNothing && call.headers['authorization'] === undefined
        ? { status: 200, body: [] }
        : right(areas, route, call);
    }),
    shows: async ({ nobody }) => (await nobody.batch([])).status === 200,
  },

  'access.participant-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'A space route needs a role in that space, also where its path names a participant of another one.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      if (area.kind !== 'participant') return right(areas, user, area, call);
      return areas.configuration.spaces
        .values()
        .some(({ participants }) => participants.get(area.participantId)?.has(user.name) ?? false);
    }),
    async shows({ otto }) {
      const base = '/api/space/main/participant/keeper/fs/file';
      return (await otto.upload('note.txt', 'text', base)).status === 201;
    },
  },
};
