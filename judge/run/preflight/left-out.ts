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

/** The first sentence about what a run cannot go on without; without a key stands what no rule can do without. */
export function firstKept(
  found: readonly { readonly key: PartKey | undefined; readonly sentence: string | undefined }[],
  leavesOut: LeavesOut = () => false,
): string | undefined {
  return found.find(({ key, sentence }) => sentence !== undefined && (key === undefined || !leavesOut(key, sentence)))
    ?.sentence;
}

/** What a run goes on with where parts of its profile cannot be used. */
export class LeftOut {
  readonly #stated: Profile;
  readonly #needs: ReadonlySet<Need>;
  readonly #keys: PartKey[] = [];
  /** The stated profile without these parts. */
  profile: Profile;
  /** Why the needs are not met that only these parts met. */
  unusable: Unusable = {};

  constructor(stated: Profile, needs: ReadonlySet<Need>) {
    this.#stated = stated;
    this.#needs = needs;
    this.profile = stated;
  }

  /** False where each of the needs is met without the part as well, so that no blocked rule would tell that it is left out. */
  add: LeavesOut = (key, sentence) => {
    const left = without(this.#stated, [...this.#keys, key]);
    const lost = [...this.#needs].filter((need) => isMet(need, this.profile) && !isMet(need, left));
    if (lost.length === 0) return false;
    this.#keys.push(key);
    this.profile = left;
    this.unusable = { ...this.unusable, ...Object.fromEntries(lost.map((need) => [need, sentence])) };
    return true;
  };
}

function isMet(need: Need, profile: Profile): boolean {
  return unmetNeeds({ needs: [need] }, profile).length === 0;
}

/** The profile without what stands at the end of these paths; the last ones of a list go first, so that the places of the others are what they were. */
function without(profile: Profile, keys: readonly PartKey[]): Profile {
  return keys
    .map((key) => (key === 'secondSpace.softType' ? 'secondSpace' : key))
    .toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .reduce((left, key) => withoutIn(left, key.split('.')) as Profile, profile);
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
