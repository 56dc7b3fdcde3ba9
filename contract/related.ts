import { relatedInCore } from './related/core.ts';
import { relatedInExtensions } from './related/extensions.ts';
import { relatedInFiles } from './related/files.ts';
import type { RuleId } from './rule.ts';

/** A rule whose case has to fail as well when another one is broken, although neither stands on the other. */
export interface Related {
  readonly rule: RuleId;
  /** Why both say the same sentence of the document. */
  readonly because: string;
}

export type RelatedRules = Readonly<Partial<Record<RuleId, readonly Related[]>>>;

/** Faults by which one object disturbs another: under them cases run one after the other, so that a case meets only what it does itself. */
export const interfering: ReadonlySet<RuleId> = new Set<RuleId>([
  'versioning.object.own-counter',
  'versioning.race.different-objects-independent',
  'calls.host.uses-base-address',
]);

/** By broken rule: the rules that the same wrong implementation breaks necessarily. */
export const related: RelatedRules = { ...relatedInCore, ...relatedInFiles, ...relatedInExtensions };
