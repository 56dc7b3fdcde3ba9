import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, signatureOver } from '../service.ts';

/** One area for a user, whatever the space. */
function inFirstSpace(area: FileArea): FileArea {
  return area.kind === 'user' ? { ...area, spaceId: 'main' } : area;
}

export const access: Batch = {
  'access.roles-kept-by-user': {
    source: 'core: Authentication 7',
    breaks: 'A role in one space opens that space, and none that the user comes to afterwards.',
    kind: 'role',
    variant: breaks('auth', 'rolesOf', (right) => {
      const kept = new Map<string, readonly string[]>();
      return (areas, user, space) => {
        const roles = kept.get(user.name) ?? right(areas, user, space);
        if (roles.length > 0) kept.set(user.name, roles);
        return roles;
      };
    }),
    async shows({ otto, edda }) {
      const made = await edda.make('Document', { title: 't' });
      await otto.get('/space/depot/SoftType/dynamic/softtype.openApi');
      return (await otto.get(made.path)).status === 200;
    },
  },
  'access.administrator-of-a-space-is-one-of-all': {
    source: 'core: What the service does, collection level',
    breaks: 'Collection routes ask for a Collection Administrator; the highest role of a space is none.',
    kind: 'role',
    variant: replaces(
      'auth',
      'mayAdministrate',
      (right, areas, user) =>
        right(areas, user) ||
        areas.configuration.spaces.values().some((space) => areas.auth.rolesOf(user, space).includes('administrator')),
    ),
    async shows({ alma }) {
      return (await alma.get('/api/collection/template')).status === 200;
    },
  },
  'access.one-area-of-a-user-for-all-spaces': {
    source: 'extensions: File areas, row User',
    breaks: 'The files of a user in one space are none of another space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, ...args) => inFirstSpace(right(areas, ...args))),
    async shows({ edda }) {
      await edda.upload('mine.txt', 'mine', '/api/space/main/user/fs/file');
      return (await edda.get('/api/space/depot/user/fs/file/mine.txt')).status === 200;
    },
  },
  'access.form-read-as-it-stands': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token request come as a form, whose percent-encoding is taken away.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      right(areas, call);
      const fields = (call.body?.toString('utf8') ?? '').split('&').map((field) => {
        const [name = '', value = ''] = field.split('=', 2);
        return [name, value] as const;
      });
      return new Map(fields);
    }),
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'grant_type=password&username=%65dda&password=edda%2Dpassword&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status !== 200;
    },
  },
  'access.signature-of-the-path-above': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature opens the path that was signed, not those below it.',
    kind: 'role',
    variant: replaces(
      'signing',
      'isSignatureOf',
      (right, areas, key, path, given) =>
        right(areas, key, path, given) || right(areas, key, path.slice(0, path.lastIndexOf('/')), given),
    ),
    async shows({ directory, nobody }) {
      const signature = signatureOver('/admin/fileupload', administrationKey);
      const body = { sourceDirectory: await directory(), writeLog: false };
      const headers = { authorization: `Bearer ${signature}` };
      return (await nobody.post('/admin/fileupload/main', body, headers)).status === 200;
    },
  },
};
