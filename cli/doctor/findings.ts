import { needs, type Need } from '../../contract/needs.ts';
import type { Profile } from '../../contract/profile.ts';
import { needsOfHost } from '../../judge/host/host-needs.ts';
import { unmetNeeds } from '../../judge/needs.ts';
import type { Examination } from '../../judge/probe/examination.ts';
import { matches } from '../../judge/run/glob.ts';

/** `met`: tried. `declared`: the profile has it, and it was not tried. `not offered`: the profile says so. */
export type NeedState = 'met' | 'declared' | 'missing' | 'failed' | 'not offered';

export interface NeedFinding {
  readonly need: Need;
  readonly state: NeedState;
  /** What to add, what failed, or why it is not offered. */
  readonly detail?: string;
}

/** The state of every need of the vocabulary, by what the profile declares and by what was tried of it. */
export function findingsOf(profile: Profile, examinations: readonly Examination[]): readonly NeedFinding[] {
  return (Object.keys(needs) as Need[]).map((need) => findingOf(need, profile, examinations));
}

function findingOf(need: Need, profile: Profile, examinations: readonly Examination[]): NeedFinding {
  const reason = Object.entries(profile.notSupported ?? {}).find(([name]) => matches(name, need))?.[1];
  if (reason !== undefined)
    return { need, state: 'not offered', detail: typeof reason === 'string' ? reason : reason.reason };
  const [unmet] = unmetNeeds({ needs: [dependsOnHost(need) ? 'extension-host' : need] }, profile);
  if (unmet !== undefined) return { need, state: 'missing', detail: unmet.hint };
  const own = examinations.filter((examination) => examination.needs.includes(need));
  const failed = own.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return { need, state: 'failed', detail: failed.what };
  return { need, state: own.length > 0 ? 'met' : 'declared' };
}

function dependsOnHost(need: Need): boolean {
  return needsOfHost[need] !== undefined || need === 'extension-samples';
}
