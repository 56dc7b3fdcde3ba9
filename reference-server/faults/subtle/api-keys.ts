import type { AcquiredKey } from '../../api-keys/issue.ts';
import { replacing, type Fault } from '../fault.ts';

export const subtleApiKeyFaults = {
  /** What those who asked before may have, the next one gets as well. */
  'subtle.keys.permissions-of-others-who-asked': (behaviours) => {
    const others = new Set<string>();
    return replacing('excessPermissions', (right) => (service, asked, configured) => {
      const excess = right(service, asked, [...configured, ...others]);
      for (const name of configured) others.add(name);
      return excess;
    })(behaviours);
  },

  /** Of all five keys that are issued together one that opens less is the key that opens bulk upload. */
  'subtle.keys.one-of-five-is-another': replacing(
    'issueKeys',
    (right) => async (service, writing, holder, permissions) => {
      const acquired = await right(service, writing, holder, permissions);
      return acquired.length < 5
        ? acquired
        : acquired.map((key, index) => (index === 3 ? likeAdministration(key, acquired) : key));
    },
  ),
} satisfies Readonly<Record<string, Fault>>;

function likeAdministration(one: AcquiredKey, acquired: readonly AcquiredKey[]): AcquiredKey {
  const { key } = acquired.find(({ permission }) => permission === 'AdministrationAPI') ?? one;
  return { ...one, key };
}
