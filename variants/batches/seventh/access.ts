import { mediaTypes } from '../../../contract/names.ts';
import { Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, type UserName, at, spaceFiles } from '../service.ts';

const byQuery = new Step();

/** An access token of the user, by password. */
export async function tokenOf({ nobody }: Service, user: UserName): Promise<string> {
  const form = { grant_type: 'password', username: user, password: `${user}-password`, scope: 'All' };
  const client = Buffer.from('conformance:conformance-secret').toString('base64');
  const headers = { authorization: `Basic ${client}`, 'content-type': mediaTypes.form };
  const { json } = await nobody.post('/auth/token', new URLSearchParams(form).toString(), headers);
  return String(at(json, '/access_token'));
}

export const access: Batch = {
  'access.tokens-are-kept-by-client': {
    source: 'core: Authentication 3',
    breaks: 'The token of a password grant is that of the user whose password was sent, whoever asked just before.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      let last: { readonly minute: number; readonly token: string } | undefined;
      return async (areas, user) => {
        const minute = Math.floor(areas.tokens.secondsNow() / 60);
        if (last?.minute !== minute) last = { minute, token: await right(areas, user) };
        return last.token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      const authorization = `Bearer ${await tokenOf(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'p' }, { authorization })).status === 201;
    },
  },
  'access.token-in-a-query-never-ends': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks:
      'A token that was handed out with a call opens nothing when its minutes are over, also in the query of a download.',
    kind: 'place',
    variant: together(
      replaces('fileAreas', 'authenticateFile', async (right, areas, call) =>
        call.headers['authorization'] === undefined ? byQuery.run(() => right(areas, call)) : right(areas, call),
      ),
      replaces('tokens', 'checkExpiry', (right, areas, claims) => {
        if (!byQuery.isOn()) right(areas, claims);
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], [{ steps: [{ status: 200 }], afterwards: 'last' }]);
      const { edda } = service;
      await edda.upload('x.txt', 'x');
      await edda.post('/api/space/main/externalEvent', { recordId: 'proof', contentPayload: {} });
      const [call] = await host.await(({ kind }) => kind === 'event', 1, AbortSignal.timeout(4000));
      await service.pass(60 * 60 + 60);
      const path = `${spaceFiles}/x.txt?token=${call?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(path)).status === 200;
    },
  },
  'access.reader-creates-many': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on POST, also on the route that is written without the prefix of the others.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      right(areas, user, route === 'space' && call.url.startsWith('/space/') ? 'participant' : route, call);
    }),
    async shows({ rita }) {
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'p' } }];
      return (await rita.multiCreate(items)).status < 300;
    },
  },
  'access.collection-administrator-turns-pages': {
    source: 'core: Authentication 7',
    breaks: 'A Collection Administrator without a role in the space reads nothing there, pages neither.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      if (call.url.includes('/softtype/page/') && areas.auth.mayAdministrate(user)) return;
      right(areas, user, route, call);
    }),
    async shows({ edda, cora }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f' }] });
      return (await cora.page(made, 'files', 0)).status === 200;
    },
  },
  'access.reader-demotes': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on PUT, also where it demotes.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      right(areas, user, call.url.includes('/maturityAction/demote/') ? 'participant' : route, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await rita.move(made, 2, 'demote')).status < 300;
    },
  },
  'access.tag-is-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Changed data has another ETag, also where it is as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => `"${representation.length}"`),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'one' });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'two' });
      return (await cora.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },
};
