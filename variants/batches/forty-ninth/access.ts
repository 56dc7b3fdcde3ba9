import { setTimeout } from 'node:timers/promises';
import { routes } from '../../../contract/routes.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, claimsIn, tokenOf } from '../proofs.ts';
import { administrationKey, at, signatureOver } from '../service.ts';

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

  'access.no-session-acquires-keys': {
    source: 'core: Authentication 1',
    breaks: 'A collection route takes a JWT as well as a personal access token, that by which keys are acquired too.',
    kind: 'role',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const isSession = call.headers['authorization']?.split('.').length === 3;
      if (isSession && call.url.includes('/acquireAccessToken/'))
        throw areas.tokens.unusableToken('The signature is none of the extension.');
      return right(areas, call);
    }),
    async shows(service) {
      const permissions = ['SnapshotAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      const answer = await service.nobody.post(
        '/api/collection/externalExtension/acquireAccessToken/holder',
        { tokenCallback: `${host.url}/keys`, permissions },
        { authorization: `Bearer ${await tokenOf(service, 'cora')}` },
      );
      return answer.status === 401;
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

  'basic.none-for-the-collection': {
    source: 'extensions: Authentication 1',
    breaks: 'File routes take Basic authentication, those of the collection too.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileCredentialsOf', (right, areas, call) => {
      const credentials = right(areas, call);
      const isBasic = credentials?.scheme === 'basic' && call.url.startsWith('/api/collection/');
      return isBasic ? { scheme: 'unknown' } : credentials;
    }),
    async shows({ cora, nobody }) {
      await cora.upload('note.txt', 'text', collectionFiles);
      const authorization = `Basic ${Buffer.from('cora:svcpat-cora-6f8b0d2e4a').toString('base64')}`;
      return (await nobody.get(`${collectionFiles}/note.txt`, { authorization })).status === 401;
    },
  },

  'bulk.second-minus-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus is replaced in the signature that is sent, and so in the one that is expected.',
    kind: 'value',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) => {
      const [first = '', ...others] = right(areas, apiKey, path).split('-');
      return others.length === 0 ? first : `${first}-${others.join('+')}`;
    }),
    async shows(service) {
      const paths = ['', '/main', '/depot', '/main/owner', '/main/supplier', '/depot/keeper'];
      for (const rest of paths) {
        const path = `/admin/fileupload${rest}`;
        if (signatureOver(path, administrationKey).split('-').length < 3) continue;
        const body = { sourceDirectory: await service.directory(), writeLog: false };
        return (await service.bulk(path, body)).status === 401;
      }
      return false;
    },
  },

  'token.of-the-extension-that-calls-back': {
    source: 'extensions: Authentication 4',
    breaks: 'The token lets the extension call as that user, who then also is the one behind what it triggers.',
    kind: 'combination',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      const [, payload = ''] = call.headers['authorization']?.split('.') ?? [];
      const isImpersonating = Buffer.from(payload, 'base64url').toString().includes('"scope":"impersonation"');
      return isImpersonating ? { ...delivery, userName: 'extension' } : delivery;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}`;
      await service.nobody.sendEvent('event', {}, { authorization });
      await service.pass(1);
      const [, second] = callsTo(host);
      return second !== undefined && at(claimsIn(second), '/sub') !== 'edda';
    },
  },
};
