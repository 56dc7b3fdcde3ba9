import { routes } from '../../../contract/routes.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, movePath } from '../service.ts';

export const access: Batch = {
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
