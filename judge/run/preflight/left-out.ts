import type { Need } from '../../../contract/needs.ts';
import type { IdentityName, Profile } from '../../../contract/profile.ts';
import type { AreaName } from '../../files/files.ts';
import { unmetNeeds } from '../../needs.ts';
import type { Unusable } from '../run.ts';

/** What a profile may name and rules can do without: another identity than the editor, a SoftType beside the primary one, or a file area. */
export type PartKey =
  | `identities.${Exclude<IdentityName, 'editor'>}`
  | 'softTypes.second'
  | `softTypes.further.${number}`
  | 'secondSpace.softType'
  | `files.areas.${AreaName}`;

/** Whether the run goes on without the part, so that the other rules can be judged; the sentence says why it cannot be used, and what to change. */
export type LeavesOut = (key: PartKey, sentence: string) => boolean;

/** A profile without a part that cannot be used, and why the needs are not met that only this one met. */
export interface LeftOut {
  readonly profile: Profile;
  readonly unusable: Unusable;
}

/** Undefined where each of the needs is met without the part as well, so that no blocked rule would tell that it is left out. */
export function leaveOut(
  profile: Profile,
  needs: ReadonlySet<Need>,
  key: PartKey,
  sentence: string,
): LeftOut | undefined {
  const left = without(profile, key);
  const lost = [...needs].filter((need) => isMet(need, profile) && !isMet(need, left));
  if (lost.length === 0) return undefined;
  return { profile: left, unusable: Object.fromEntries(lost.map((need) => [need, sentence])) };
}

function isMet(need: Need, profile: Profile): boolean {
  return unmetNeeds({ needs: [need] }, profile).length === 0;
}

/** The profile without what stands at the end of that path. */
function without(profile: Profile, key: PartKey): Profile {
  const whole = key === 'secondSpace.softType' ? 'secondSpace' : key;
  return withoutIn(profile, whole.split('.')) as Profile;
}

function withoutIn(value: unknown, [name = '', ...path]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.filter((_item, index) => String(index) !== name);
  const members = Object.entries(value ?? {});
  const kept = members.flatMap(([key, member]) => {
    if (key !== name) return [[key, member]];
    return path.length === 0 ? [] : [[key, withoutIn(member, path)]];
  });
  return Object.fromEntries(kept);
}
