import { routes } from '../../../contract/routes.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, at, editPath, movePath } from '../service.ts';

const basic = `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`;

/** An access token by password grant. */
async function tokenOf(nobody: Client, name: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'password',
    username: name,
    password: `${name}-password`,
    scope: 'All',
  });
  const headers = {
    authorization: basic,
    'content-type': 'application/x-www-form-urlencoded',
    'Svc-InformationFilter': '',
  };
  const answer = await nobody.send('POST', '/auth/token', { headers, body: form.toString() });
  return String(at(answer.json, '/access_token'));
}

export const access: Batch = {
  'access.multi-create-knows-no-jwt': {
    source: 'core: Authentication 1',
    breaks: 'The multi-create route, which has no api prefix, accepts a JWT as the others do.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
      const isJwt = call.headers['authorization']?.split('.').length === 3;
      const isMeant = route.path === routes.multiCreate && isJwt;
      return right(areas, route, isMeant ? { ...call, headers: { ...call.headers, authorization: undefined } } : call);
    }),
    async shows({ nobody }) {
      const token = await tokenOf(nobody, 'edda');
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'p' } }];
      const answer = await nobody.post('/space/main/softtype', items, { authorization: `Bearer ${token}` });
      return answer.status >= 300;
    },
  },
  'access.verified-signature-vouches-for-other-claims': {
    source: 'core: Authentication 2',
    breaks: 'The signature of a token is that of its own claims, also when it was seen before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const seen = new Set<string>();
      return async (areas, token) => {
        const [, payload = '', signature = ''] = token.split('.');
        if (seen.has(signature))
          return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Awaited<ReturnType<typeof right>>;
        const claims = await right(areas, token);
        seen.add(signature);
        return claims;
      };
    }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Part', { name: 'p' });
      const token = await tokenOf(nobody, 'otto');
      await nobody.get(made.path, { authorization: `Bearer ${token}` });
      const [head, payload = '', signature] = token.split('.');
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const forged = Buffer.from(JSON.stringify({ ...(claims as object), sub: 'edda' })).toString('base64url');
      const authorization = `Bearer ${head}.${forged}.${signature}`;
      return (await nobody.get(made.path, { authorization })).status === 200;
    },
  },
  'access.space-administrator-registers-trusted-endpoints': {
    source: 'extensions: Registration routes',
    breaks: 'Trusted endpoints are registered by Collection Administrators, not by administrators of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'collection' && call.url.startsWith('/api/admin/trustedExternalEndpoint');
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'))) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const body = {
        id: 'trusted',
        url: 'http://127.0.0.1:9/x',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        tokenLifeTime: 5,
      };
      return (await alma.post('/api/admin/trustedExternalEndpoint', body)).status < 300;
    },
  },
  'access.multi-create-asks-for-a-role-anywhere': {
    source: 'core: Authentication 7',
    breaks: 'A multi-create needs a role in its space, not in some other one.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'space' && /^\/space\/[^/]+\/softtype$/i.test(call.url);
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.mayUse(user, space, call.method))) return;
      right(areas, user, access, call);
    }),
    async shows({ otto }) {
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'p' } }];
      return (await otto.multiCreate(items)).status !== 403;
    },
  },
  'access.user-area-needs-no-role': {
    source: 'core: Authentication 7',
    breaks: 'The own file area in a space is for those who have a role in the space.',
    kind: 'role',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) => area.kind === 'user' || right(areas, user, area, call),
    ),
    async shows({ nora }) {
      const answer = await nora.upload('n.txt', 'n', '/api/space/main/user/fs/file');
      return answer.status < 300;
    },
  },
  'access.readers-move-in-a-batch': {
    source: 'core: What the service does, Space level',
    breaks: 'A role that may only read performs no maturity action, be it in a batch.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      if (prepared.route.path !== routes.promote) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return at((await rita.batch([operation])).json, '/0/statusCode') === 204;
    },
  },
  'access.tag-counts-the-bytes': {
    source: 'core: Versioning 4',
    breaks: 'Changed data is sent with 200, also when it is as long as before.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => `"${representation.length}"`),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora A' });
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Cora B' });
      return (await cora.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },
  'access.demote-needs-no-filter': {
    source: 'core: Common request headers',
    breaks: 'The information filter is required on the demote route as well.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const isLeftOut = call.headers['svc-informationfilter'] === undefined;
      return isLeftOut && call.url.includes('/maturityAction/demote/') ? {} : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const headers = { 'Svc-UOIVersion': '2', 'Svc-InformationFilter': '' };
      return (await edda.send('PUT', movePath(made, 'demote'), { headers })).status < 300;
    },
  },
  'access.put-by-a-reader-of-what-he-knows': {
    source: 'core: What the service does, Space level',
    breaks: 'A role that may only read replaces nothing, be the version right.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = call.method === 'PUT' && call.url.includes('/softtype/') && access === 'space';
      const rights = isMeant ? { ...call, method: 'GET' } : call;
      right(areas, user, access, rights);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await rita.put(editPath(made), 1, { name: 'q' })).status !== 403;
    },
  },
};
