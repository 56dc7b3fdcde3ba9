import type { Side } from '../../contract/rule.ts';
import type { Rule } from '../../judge/rule.ts';
import { sidesOf, type LoadedProfile } from '../../judge/profile/load.ts';

export interface JudgedSides {
  /** Those of the selected rules that can be judged. */
  readonly rules: readonly Rule[];
  /** What is left out, and how to judge it. */
  readonly note?: string;
}

const advice: Readonly<Record<Side, string>> = {
  extension:
    'rules about extension hosts were not judged: the profile names none under extensionHost; `svc-conformance check-extension` judges one alone',
  service: 'rules about the service were not judged: `svc-conformance check` judges a service',
};

/** Rules about a side that is not there are no part of a run: a service without an extension host is complete, and the other way round. */
export function judgedSides(selected: readonly Rule[], loaded: LoadedProfile): JudgedSides {
  const sides = sidesOf(loaded);
  const rules = selected.filter(({ side }) => sides.includes(side));
  const [left] = selected.filter(({ side }) => !sides.includes(side));
  return left === undefined ? { rules } : { rules, note: `${selected.length - rules.length} ${advice[left.side]}` };
}
