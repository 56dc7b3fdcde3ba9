import { replacing, together, type FaultsOf } from './fault.ts';

export const apiKeysFaults: FaultsOf<'api-keys'> = {
  'api-keys.host.request-matches-metadata': replacing('permissionsAsked', (right) => (asking) => {
    const names = right(asking);
    return [...names, names.includes('SnapshotAPI') ? 'LicenseCommunicationAPI' : 'SnapshotAPI'];
  }),
  'api-keys.host.callback-accepted': replacing('keysAnswer', (right) => (host, entry) => {
    if (entry.method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
    return right(host, { ...entry, method: 'POST' });
  }),
  'api-keys.host.rotation-handled': together(
    replacing('keyLifetimeMs', () => () => Infinity),
    replacing('isKeyRefused', () => () => false),
  ),
};
