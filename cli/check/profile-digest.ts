import { createHash } from 'node:crypto';
import { registryOf } from '../../judge/redact/profile-secrets.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';

const origin = /\bhttps?:\/\/[^\s/"]+/gi;
const digits = 16;

/** The same text for two profiles that differ in nothing but secrets, hosts, ports and folders of the machine, as those of two shards do. */
export function profileDigest(loaded: LoadedProfile): string {
  const secrets = registryOf(loaded);
  const { bulk, ...rest } = loaded.profile;
  const content = { ...rest, ...(bulk !== undefined && { bulk: { ...bulk, hostDirectory: '' } }) };
  const plain = JSON.stringify(sorted(secrets.redactAll(content, (text) => text))).replaceAll(origin, 'http://host');
  return createHash('sha256').update(plain).digest('hex').slice(0, digits);
}

/** With the members of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
