import type { Need } from '../../contract/needs.ts';
import type { Profile } from '../../contract/profile.ts';
import { matches } from '../../judge/run/glob.ts';
import { declaredOn } from '../check/declarations.ts';

/** Where a profile names what journeys use, by the need that it meets. */
const places: Partial<Readonly<Record<Need, readonly (readonly string[])[]>>> = {
  'soft-type': [['softTypes']],
  'scalar-members': [['softTypes', 'primary', 'scalars']],
  'array-port': [['softTypes', 'primary', 'arrayPort']],
  filter: [['filters', 'fixed']],
  maturity: [['maturity']],
  'demote-route': [['routes', 'demote']],
  'multi-create-result': [['multiCreate']],
  'etag-resource': [['caching']],
  'etag-resource-edit': [['caching', 'change']],
  'expired-token': [
    ['auth', 'expiredToken'],
    ['auth', 'signingKey'],
  ],
  'no-role-identity': [['identities', 'noRole']],
  'outsider-identity': [['identities', 'outsider']],
  'file-area-any': [['files']],
  'file-area-space': [['files', 'areas', 'space']],
  'file-area-user': [['files', 'areas', 'user']],
  'file-area-participant': [['files', 'areas', 'participant']],
  'file-area-collection': [['files', 'areas', 'collection']],
  'extension-listener': [['listener']],
  'trigger-event': [['triggers', 'event']],
};

/** A profile as far as its deployment offers it. */
export interface Offered {
  readonly profile: Profile;
  /** Sentences for the report. */
  readonly remarks: readonly string[];
}

/** Without what the profile names and declares as not supported all the same, so that no journey uses it. @param day as 2027-01-31 */
export function offeredBy(profile: Profile, day: string): Offered {
  const declared = Object.entries(declaredOn(day, profile).notSupported);
  const left = structuredClone(profile);
  const remarks = Object.entries(places).flatMap(([need, paths]) => {
    const reason = declared.find(([pattern]) => matches(pattern, need))?.[1];
    const taken = reason === undefined ? [] : paths.filter((path) => isTakenOut(left, path));
    return taken.length === 0
      ? []
      : [
          `The profile declares ${need} as not supported (${reason}): ${taken.map((path) => path.join('.')).join(' and ')} counted as not named.`,
        ];
  });
  return { profile: left, remarks };
}

function isTakenOut(from: object, [name = '', ...rest]: readonly string[]): boolean {
  const value: unknown = Reflect.get(from, name);
  if (value === undefined) return false;
  if (rest.length === 0) return Reflect.deleteProperty(from, name);
  return typeof value === 'object' && value !== null && isTakenOut(value, rest);
}
