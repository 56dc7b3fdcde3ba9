import { together } from '../breaks.ts';
import { breaks, type HostFaults } from './breaks.ts';

export const apiKeysFaults = {
  'api-keys.host.request-matches-metadata': breaks('keys', 'permissionsAsked', (right) => (asking) => {
    const names = right(asking);
    return [...names, names.includes('SnapshotAPI') ? 'LicenseCommunicationAPI' : 'SnapshotAPI'];
  }),
  'api-keys.host.callback-accepted': breaks('keys', 'answerCallback', (right) => (entry) => {
    if (entry.method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
    return right({ ...entry, method: 'POST' });
  }),
  'api-keys.host.rotation-handled': together(
    breaks('keys', 'keyLifetimeMs', () => () => Infinity),
    breaks('keys', 'isKeyRefused', () => () => false),
  ),
} satisfies HostFaults;
