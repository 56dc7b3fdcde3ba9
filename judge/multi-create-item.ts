import type { SoftTypeProfile } from '../contract/profile.ts';
import type { CaseContext } from './case.ts';

/** An item of a multi-create request. */
export interface Item {
  readonly $id: string;
  readonly $softType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** SoftType that the item names. */
export function typeOf(profile: CaseContext['profile'], { $softType }: Item): SoftTypeProfile {
  return profile.all.softTypes?.second?.definitionId === $softType ? profile.second : profile.primary;
}
