import { permissionNames } from '../../../contract/names.ts';
import type { KeyHolder } from '../../api-keys/holder.ts';
import { registrationsOf } from '../../registration/kept.ts';
import type { Service } from '../../service.ts';
import type { Reading } from '../../store/store.ts';
import { replacing, type FaultsOf } from '../fault.ts';

export const apiKeysFaults: FaultsOf<'api-keys'> = {
  'api-keys.acquire.posts-to-callback': replacing(
    'bringKeys',
    () => async (service, _call, _holder, _request, keys) => ({
      status: 200,
      body: service.behaviours.keysBody(service, keys),
    }),
  ),

  'api-keys.acquire.exact-permissions': replacing('grantedPermissions', () => (_asked, configured) => configured),
  'api-keys.acquire.key-shape': replacing('keyMember', () => (key) => key),

  'api-keys.acquire.callback-mismatch-refused': replacing(
    'isConfiguredCallback',
    (right) => (given, configured) =>
      right(given, configured) || URL.parse(given)?.hostname === URL.parse(configured)?.hostname,
  ),

  'api-keys.acquire.unconfigured-permission-refused': replacing(
    'excessPermissions',
    (right) => (service, asked, configured) => {
      const isAlone = asked.length === 1 && permissionNames.some((name) => name === asked[0]);
      return isAlone ? [] : right(service, asked, configured);
    },
  ),

  'api-keys.acquire.mixed-request-no-excess': replacing(
    'excessPermissions',
    (right) => (service, asked, configured) => right(service, asked.slice(0, 1), configured),
  ),

  'api-keys.acquire.own-configuration': replacing('keyHoldersOf', (right) => async (service, reading, id) => [
    ...(await right(service, reading, id)),
    ...(await allHolders(service, reading)),
  ]),

  'api-keys.acquire.trusted-endpoint': replacing('endpointHolders', () => async () => []),

  'api-keys.acquire.no-permissions-refused': replacing('acquireComplaint', (right) => (service, holder, request) => {
    const isFree = holder.recordId !== undefined && holder.permissions === undefined;
    return isFree ? undefined : right(service, holder, request);
  }),

  'api-keys.key.administration-on-bulk': replacing('acquiredAdministrationKeys', () => async () => []),
  'api-keys.key.other-permission-not-on-bulk': replacing('opensAdministration', () => () => true),
  'api-keys.rotation.new-key-after-period': replacing('isKeyDue', () => () => false),
};

/** Every record of every extension. */
async function allHolders(service: Service, reading: Reading): Promise<readonly KeyHolder[]> {
  const holders: KeyHolder[] = [];
  for (const { id } of await registrationsOf(reading, 'svcExtension'))
    holders.push(...(await service.behaviours.extensionHolders(service, reading, id)));
  return holders;
}
