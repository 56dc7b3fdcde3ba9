import type { Area } from './areas.ts';
import { relatedInCore } from './related/core.ts';
import { relatedInExtensions } from './related/extensions.ts';
import { relatedInFiles } from './related/files.ts';
import type { RuleId } from './rules.ts';

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

const ofOneObject: readonly Area[] = ['reading', 'paging', 'patch', 'batch', 'maturity', 'versioning'];

/** Rules whose case compares the whole state of an object through every route: they fail with any other rule of these areas. */
export const summaries: ReadonlyMap<RuleId, readonly Area[]> = new Map<RuleId, readonly Area[]>([
  ['versioning.sequence.matches-model', ofOneObject],
  ['patch.operations.match-model', ofOneObject],
  ['paging.link.follows-growth', ['reading', 'paging', 'patch']],
]);

/** By broken rule: the rules that the same wrong implementation breaks necessarily. */
export const related: RelatedRules = { ...relatedInCore, ...relatedInFiles, ...relatedInExtensions };
