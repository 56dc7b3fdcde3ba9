import { type Need, needs } from '../../contract/needs.ts';
import type { Profile } from '../../contract/profile.ts';
import { leanProfile } from '../../fixtures/lean-profile.ts';
import { isObject } from '../../judge/json.ts';
import { hasCredential } from '../../judge/service/roles.ts';
import { profileFrom } from '../../judge/profile/load.ts';
import { ProfileError } from '../../judge/profile/document.ts';

/** Without these there is no run, or one without end. */
const kept = ['profileVersion', 'implementation', 'baseUrl', 'limits', 'time', 'identities.editor'];

/** Without it no token is granted, and the run is refused with that sentence. */
const refused = 'auth.clientSecret';

/** Nobody leaves out what lies deeper. */
const depth = 4;

/** Dotted paths of what somebody may have left out of a profile, outer ones first. */
export function keysOf(profile: Profile): readonly string[] {
  return pathsIn(profile, []).filter(
    (path) => path !== refused && !kept.some((key) => path === key || key.startsWith(`${path}.`)),
  );
}

/** The profile of somebody who knows nothing of these needs and has left these keys out, where it is one without them. @param read the same profile; throws a ProfileError on what is none */
export function carelessProfile(
  profile: Profile,
  without: { readonly needs: readonly string[]; readonly keys: readonly string[] },
  read: (profile: Profile) => Profile = (less) => profileFrom(JSON.stringify(less), 'swarm').profile,
): Profile {
  const left = (Object.keys(needs) as Need[]).filter((need) => !without.needs.includes(need));
  const lean = without.needs.length === 0 ? profile : leanProfile(profile, left);
  return without.keys.reduce((careless, key) => withoutKey(careless, key.split('.'), read), lean);
}

function withoutKey(profile: Profile, path: readonly string[], read: (profile: Profile) => Profile): Profile {
  const less = structuredClone(profile);
  const holder = path.slice(0, -1).reduce<unknown>((inner, name) => isObject(inner) && inner[name], less);
  if (!isObject(holder) || !Reflect.deleteProperty(holder, path.at(-1) ?? '')) return profile;
  try {
    const careless = read(less);
    // by a profile that lost its word for the editor nothing is judged
    return hasCredential(careless, 'editor') || !hasCredential(profile, 'editor') ? careless : profile;
  } catch (error) {
    if (error instanceof ProfileError) return profile;
    throw error;
  }
}

function pathsIn(value: unknown, above: readonly string[]): readonly string[] {
  if (!isObject(value) || above.length === depth) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...above, name].join('.'),
    ...pathsIn(inner, [...above, name]),
  ]);
}
