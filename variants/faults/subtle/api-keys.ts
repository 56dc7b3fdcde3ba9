import type { AcquiredKey } from '../../../reference-server/areas/api-keys.ts';
import { type Variants, replaces } from '../../breaks.ts';

export const subtleApiKeyFaults = {
  /** A trusted endpoint gets its keys wherever it asks for them. */
  'subtle.keys.any-callback-of-trusted-endpoints': replaces(
    'apiKeys',
    'acquireComplaint',
    (right, areas, holder, request) => {
      const { recordId, permissions } = holder;
      if (recordId !== undefined || permissions === undefined) return right(areas, holder, request);
      return right(areas, holder, { ...request, tokenCallback: permissions.tokenCallback });
    },
  ),

  /** What those who asked before may have, the next one gets as well. */
  'subtle.keys.permissions-of-others-who-asked': (classes) => {
    const others = new Set<string>();
    return replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) => {
      const excess = right(areas, asked, [...configured, ...others]);
      for (const name of configured) others.add(name);
      return excess;
    })(classes);
  },

  /** Of all five keys that are issued together one that opens less is the key that opens bulk upload. */
  'subtle.keys.one-of-five-is-another': replaces(
    'apiKeys',
    'issueKeys',
    async (right, areas, writing, holder, permissions) => {
      const acquired = await right(areas, writing, holder, permissions);
      return acquired.length < 5
        ? acquired
        : acquired.map((key, index) => (index === 3 ? likeAdministration(key, acquired) : key));
    },
  ),
} satisfies Variants;

function likeAdministration(one: AcquiredKey, acquired: readonly AcquiredKey[]): AcquiredKey {
  const { key } = acquired.find(({ permission }) => permission === 'AdministrationAPI') ?? one;
  return { ...one, key };
}
