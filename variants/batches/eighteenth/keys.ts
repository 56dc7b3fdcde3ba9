import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always } from '../proofs.ts';
import { at, signatureOver, type Received, type Service } from '../service.ts';

export const keysMistakes: Batch = {
  'keys.license-opens-bulk': {
    source: 'extensions: Permission names',
    breaks: 'A key to manage the license is no administration key.',
    kind: 'role',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => right(areas, permission) || permission === 'LicenseCommunicationAPI',
    ),
    async shows(service) {
      const { brought } = await acquire(service, ['LicenseCommunicationAPI']);
      const key = String(at(brought, '/LicenseCommunicationAPI/apiKey'));
      const path = '/admin/fileupload/main';
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (
        (await service.nobody.post(path, body, { authorization: `Bearer ${signatureOver(path, key)}` })).status < 400
      );
    },
  },

  'keys.nothing-is-everything': {
    source: 'extensions: Extension metadata record, permissions',
    breaks: 'An extension whose record lists no permission gets no key.',
    kind: 'value',
    variant: replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) =>
      configured.length === 0 ? [] : right(areas, asked, configured),
    ),
    shows: async (service) => (await acquire(service, ['SnapshotAPI'], [])).answer.status < 400,
  },

  'keys.two-at-most': {
    source: 'extensions: Acquiring API keys',
    breaks: 'All permissions that a request names are answered, however many.',
    kind: 'place',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, asked, configured) =>
      right(areas, asked.slice(0, 2), configured),
    ),
    async shows(service) {
      const { brought } = await acquire(service, ['TaskUploadAPI', 'AuthorizationAPI', 'SnapshotAPI']);
      return at(brought, '/SnapshotAPI') === undefined;
    },
  },
};

/** Keys for an extension that may have them, brought to its callback. */
async function acquire(
  service: Service,
  asked: readonly PermissionName[],
  configured = asked,
  path = '/keys',
): Promise<{ readonly answer: Received; readonly brought: unknown }> {
  const host = await service.host(
    (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...configured] } }],
    always({ status: 200 }),
  );
  const body = { tokenCallback: host.url + path, permissions: asked };
  const answer = await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', body);
  return { answer, brought: host.entries((entry) => entry.path === path).at(-1)?.json };
}

type PermissionName = 'TaskUploadAPI' | 'AuthorizationAPI' | 'SnapshotAPI' | 'LicenseCommunicationAPI';
