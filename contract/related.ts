import type { RuleId } from './rules.ts';

/** A rule whose case has to fail as well when another one is broken, although neither stands on the other. */
export interface Related {
  readonly rule: RuleId;
  /** Why both say the same sentence of the document. */
  readonly because: string;
}

/** Faults by which one object disturbs another: under them cases run one after the other, so that a case meets only what it does itself. */
export const interfering: ReadonlySet<RuleId> = new Set<RuleId>([
  'versioning.object.own-counter',
  'versioning.race.different-objects-independent',
]);

/** By broken rule: the rules that the same wrong implementation breaks necessarily. */
export const related: Readonly<Partial<Record<RuleId, readonly Related[]>>> = {
  'caching.other-value.status-200': [
    { rule: 'caching.changed.status-200', because: 'after a change the stored ETag is another value as well' },
    { rule: 'caching.etag.is-not-object-version', because: 'an object version sent as ETag is another value as well' },
  ],
  'collection.admin.is-served': [{ rule: 'caching.etag.present', because: 'the bundled profile binds collection routes as resources with an ETag' }],
  'collection.missing-token.status-401': [
    { rule: 'caching.match.still-needs-access', because: 'the bundled profile binds collection routes as resources with an ETag' },
  ],
};
