import { keyPeriodSeconds } from '../../contract/limits.ts';
import { permissionNames } from '../../contract/names.ts';
import type { Areas } from '../../reference-server/areas.ts';
import type { KeyHolder } from '../../reference-server/areas/api-keys.ts';
import { registrationsOf } from '../../reference-server/areas/registry.ts';
import type { Reading } from '../../reference-server/ports/store.ts';
import { breaks, replaces, type Variants, within } from '../breaks.ts';

export const apiKeysFaults = {
  'api-keys.acquire.posts-to-callback': replaces(
    'apiKeys',
    'bringKeys',
    async (_right, areas, _call, _holder, _request, keys) => ({
      status: 200,
      body: areas.apiKeys.keysBody(keys),
    }),
  ),

  'api-keys.acquire.exact-permissions': replaces(
    'apiKeys',
    'grantedPermissions',
    (_right, _areas, _asked, configured) => configured,
  ),
  'api-keys.acquire.key-shape': replaces('apiKeys', 'keyMember', (_right, _areas, key) => key),

  'api-keys.acquire.callback-mismatch-refused': replaces(
    'apiKeys',
    'isConfiguredCallback',
    (right, areas, given, configured) =>
      right(areas, given, configured) || URL.parse(given)?.hostname === URL.parse(configured)?.hostname,
  ),

  'api-keys.acquire.unconfigured-permission-refused': replaces(
    'apiKeys',
    'excessPermissions',
    (right, areas, asked, configured) => {
      const isAlone = asked.length === 1 && permissionNames.some((name) => name === asked[0]);
      return isAlone ? [] : right(areas, asked, configured);
    },
  ),

  'api-keys.acquire.mixed-request-no-excess': replaces(
    'apiKeys',
    'excessPermissions',
    (right, areas, asked, configured) => right(areas, asked.slice(0, 1), configured),
  ),

  'api-keys.acquire.own-configuration': replaces('apiKeys', 'keyHoldersOf', async (right, areas, reading, id) => [
    ...(await right(areas, reading, id)),
    ...(await allHolders(areas, reading)),
  ]),

  'api-keys.acquire.trusted-endpoint': replaces('apiKeys', 'endpointHolders', async () => []),

  'api-keys.acquire.no-permissions-refused': replaces(
    'apiKeys',
    'acquireComplaint',
    (right, areas, holder, request) => {
      const isFree = holder.recordId !== undefined && holder.permissions === undefined;
      return isFree ? undefined : right(areas, holder, request);
    },
  ),

  'api-keys.key.administration-on-bulk': replaces('apiKeys', 'acquiredAdministrationKeys', async () => []),
  'api-keys.key.other-permission-not-on-bulk': replaces('apiKeys', 'opensAdministration', () => true),
  'api-keys.rotation.new-key-after-period': replaces('apiKeys', 'isKeyDue', () => false),
  'api-keys.rotation.across-restart': breaks('apiKeys', 'issueKeys', (right) => {
    let since: number | undefined;
    return (areas, ...args) => {
      const now = areas.clock.now();
      const first = (since ??= now);
      const isKeyDue: typeof areas.apiKeys.isKeyDue = ({ issuedAt }) =>
        now >= Math.max(issuedAt, first) + keyPeriodSeconds * 1000;
      return right(within(areas, { apiKeys: { isKeyDue } }), ...args);
    };
  }),
} satisfies Variants;

/** Every record of every extension. */
async function allHolders(areas: Areas, reading: Reading): Promise<readonly KeyHolder[]> {
  const holders: KeyHolder[] = [];
  for (const { id } of await registrationsOf(reading, 'svcExtension'))
    holders.push(...(await areas.apiKeys.extensionHolders(reading, id)));
  return holders;
}
