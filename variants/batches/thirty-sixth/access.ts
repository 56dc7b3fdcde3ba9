import { Refusal } from '../../../reference-server/http/refusal.ts';
import { allKeptKeys } from '../../../reference-server/areas/api-keys.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, registerEndpoint, tokenOf } from '../proofs.ts';
import { at, type Received, type Service, signatureOver } from '../service.ts';

type PermissionName = 'AdministrationAPI' | 'AuthorizationAPI' | 'TaskUploadAPI';

export const accessMistakes: Batch = {
  'auth.personal-token-in-the-first-space': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens every space in which its user has a role.',
    kind: 'place',
    survives: 'How a personal access token is issued is not said: it may be one for one space.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access, call);
      const credentials = areas.auth.credentialsOf(call.headers);
      if (access !== 'space' || credentials?.scheme !== 'bearer' || credentials.token.includes('.')) return;
      const first = areas.configuration.spaces.values().find((space) => areas.auth.rolesOf(user, space).length > 0);
      if (first?.id !== call.params['spaceId']) throw new Refusal(403, 'The token is for another space.');
    }),
    async shows({ edda }) {
      return (await edda.post('/api/space/depot/softtype/Dossier/dossierInput', { title: 't' })).status === 403;
    },
  },

  'grants.type-comes-first': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the form stand in any order.',
    kind: 'place',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = new Map(right(areas, call));
      if (form.keys().next().value !== 'grant_type') form.delete('grant_type');
      return form;
    }),
    async shows({ nobody }) {
      const form = 'username=edda&password=edda-password&grant_type=password&scope=All';
      const answer = await nobody.post('/auth/token', form, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return answer.status !== 200;
    },
  },

  'auth.batch-with-a-role-elsewhere': {
    source: 'core: Authentication 7',
    breaks: 'A batch needs a role in its own space; one in another space does not do.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isSomebody = areas.configuration.spaces
        .values()
        .some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (access !== 'participant' || !isSomebody) right(areas, user, access, call);
    }),
    async shows({ otto }) {
      return (await otto.batch([{ method: 'GET', href: '/api/space/main/softtype/x' }])).status !== 403;
    },
  },

  'registrations.kind-of-the-former': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is what it was registered as, also where its id was that of a simple one before.',
    kind: 'copy',
    variant: breaks('registrations', 'createEndpoint', (right) => {
      const simple = new Set<string>();
      return async (areas, { json }, writing) => {
        const endpoint = simple.has(json.id) ? ({ ...json, kind: 'externalEndpoint' } as typeof json) : json;
        const answer = await right(areas, { json: endpoint }, writing);
        if (endpoint.kind === 'externalEndpoint') simple.add(json.id);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      const { headers } = await registerEndpoint(service, 'externalEndpoint', { url });
      await service.cora.delete(headers.get('location') ?? '');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && !entry.target.includes('access_token=');
    },
  },

  'api-keys.one-at-a-time': {
    source: 'extensions: Permission names',
    breaks: 'A key stays valid for its permission when another permission is asked for.',
    kind: 'copy',
    variant: replaces('apiKeys', 'acquiredAdministrationKeys', async (right, areas, reading) => {
      const kept = await allKeptKeys(reading);
      const isReplaced = kept.some(({ permission }) => permission === 'TaskUploadAPI');
      return isReplaced ? [] : right(areas, reading);
    }),
    async shows(service) {
      const host = await keyHost(service, ['AdministrationAPI', 'TaskUploadAPI']);
      await acquire(service, host, ['AdministrationAPI']);
      const key = keyIn(host, 'AdministrationAPI');
      const before = await runBulk(service, key);
      await acquire(service, host, ['TaskUploadAPI']);
      return before.status === 200 && (await runBulk(service, key)).status !== 200;
    },
  },

  'api-keys.of-the-same-letter': {
    source: 'extensions: Authentication 2',
    breaks: 'Bulk upload needs the key for administration; one for authorization opens nothing there.',
    kind: 'value',
    variant: replaces('apiKeys', 'opensAdministration', (_right, _areas, permission) => permission.startsWith('A')),
    async shows(service) {
      const host = await keyHost(service, ['AuthorizationAPI']);
      await acquire(service, host, ['AuthorizationAPI']);
      return (await runBulk(service, keyIn(host, 'AuthorizationAPI'))).status === 200;
    },
  },

  'api-keys.former-callback': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback has to be the one that is configured now, after an update as well.',
    kind: 'moment',
    variant: breaks('apiKeys', 'extensionHolders', (right) => {
      const first = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, id) => {
        const holders = first.get(id) ?? (await right(areas, reading, id));
        if (holders.length > 0) first.set(id, holders);
        return holders;
      };
    }),
    async shows(service) {
      const host = await keyHost(service, ['TaskUploadAPI']);
      await acquire(service, host, ['TaskUploadAPI']);
      host.setRecords([{ ...keyRecord(`${host.url}/elsewhere`, ['TaskUploadAPI']) }]);
      await changeExtension(service, { hostUri: host.url });
      return (await acquire(service, host, ['TaskUploadAPI'])).status < 300;
    },
  },

  'files.query-token-of-the-user-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download from the user area may have its token in the query too.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.includes('/user/fs/') ? undefined : right(areas, call),
    ),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('q.txt', 'x', base);
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${base}/q.txt?token=${token}`)).status !== 200;
    },
  },
};

function keyRecord(tokenCallback: string, permissions: PermissionName[]) {
  return {
    id: 'holder',
    version: '1.0.0',
    name: 'holder',
    endpoint: '/holder',
    extensionType: 'ExternalEvent',
    category: 'proof',
    permissions: { tokenCallback, permissions },
  };
}

function keyHost(service: Service, permissions: PermissionName[]): Promise<ExtensionHost> {
  return service.host((url) => [keyRecord(`${url}/keys`, permissions)], always({ status: 200 }));
}

function acquire({ cora }: Service, host: ExtensionHost, permissions: readonly PermissionName[]): Promise<Received> {
  const path = '/api/collection/externalExtension/acquireAccessToken/holder';
  return cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
}

function keyIn(host: ExtensionHost, name: PermissionName): string {
  const brought = host.entries(({ path }) => path === '/keys').at(-1);
  return String(at(brought?.json, `/${name}/apiKey`));
}

async function runBulk({ nobody, directory }: Service, key: string): Promise<Received> {
  const path = '/admin/fileupload/main';
  const body = { sourceDirectory: await directory(), writeLog: false };
  return nobody.post(path, body, { authorization: `Bearer ${signatureOver(path, key)}` });
}
