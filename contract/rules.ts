import type { Area } from './areas.ts';
import type { Row, Side, Style } from './rule.ts';
import { apiKeysRules } from './rules/api-keys.ts';
import { authRules } from './rules/auth.ts';
import { batchRules } from './rules/batch.ts';
import { bulkUploadRules } from './rules/bulk-upload.ts';
import { cachingRules } from './rules/caching.ts';
import { callsRules } from './rules/calls.ts';
import { collectionRules } from './rules/collection.ts';
import { deliveryRules } from './rules/delivery.ts';
import { filesRules } from './rules/files.ts';
import { headersRules } from './rules/headers.ts';
import { hypermediaRules } from './rules/hypermedia.ts';
import { maturityRules } from './rules/maturity.ts';
import { metadataRules } from './rules/metadata.ts';
import { multiCreateRules } from './rules/multi-create.ts';
import { openapiRules } from './rules/openapi.ts';
import { pagingRules } from './rules/paging.ts';
import { patchRules } from './rules/patch.ts';
import { readingRules } from './rules/reading.ts';
import { registrationRules } from './rules/registration.ts';
import { signingRules } from './rules/signing.ts';
import { tasksRules } from './rules/tasks.ts';
import { versioningRules } from './rules/versioning.ts';

/** The rows of every area. */
export const rulesByArea = {
  reading: readingRules,
  paging: pagingRules,
  patch: patchRules,
  batch: batchRules,
  'multi-create': multiCreateRules,
  maturity: maturityRules,
  versioning: versioningRules,
  auth: authRules,
  caching: cachingRules,
  headers: headersRules,
  openapi: openapiRules,
  hypermedia: hypermediaRules,
  collection: collectionRules,
  files: filesRules,
  'bulk-upload': bulkUploadRules,
  registration: registrationRules,
  metadata: metadataRules,
  signing: signingRules,
  calls: callsRules,
  delivery: deliveryRules,
  tasks: tasksRules,
  'api-keys': apiKeysRules,
} as const satisfies Record<Area, Record<string, Row>>;

type RowsByArea = typeof rulesByArea;

/** Every rule id of an area. */
export type RuleIdOf<A extends Area> = keyof RowsByArea[A] & string;
/** Every rule id. */
export type RuleId = { [A in Area]: RuleIdOf<A> }[Area];

type IdOfLevel<A extends Area, L> = {
  [Id in RuleIdOf<A>]: RowsByArea[A][Id] extends { level: L } ? Id : never;
}[RuleIdOf<A>];

/** Every rule id of an area that is about extension hosts. */
export type ExtensionRuleIdOf<A extends Area> = {
  [Id in RuleIdOf<A>]: RowsByArea[A][Id] extends { side: 'extension' } ? Id : never;
}[RuleIdOf<A>];
/** The ids of an area that have to have a fault in the service: every rule about it whose check can fail. */
export type FaultyIdOf<A extends Area> = Exclude<IdOfLevel<A, 'must' | 'should'>, ExtensionRuleIdOf<A>>;
/** A rule with its id and area filled in and no default left open. */
export interface Rule extends Row {
  readonly id: RuleId;
  readonly area: Area;
  readonly side: Side;
  readonly style: Style;
}

/** All rules, in the order of the areas and, inside an area, of its file. */
export const allRules: readonly Rule[] = Object.entries(rulesByArea).flatMap(([area, rows]) =>
  Object.entries(rows as Record<string, Row>).map(([id, row]) => ({
    side: 'service' as const,
    style: 'scenario' as const,
    ...row,
    id: id as RuleId,
    area: area as Area,
  })),
);

const byId: ReadonlyMap<string, Rule> = new Map(allRules.map((rule) => [rule.id, rule]));

/** The rule of that id, or undefined when there is none. */
export function ruleOf(id: RuleId): Rule;
export function ruleOf(id: string): Rule | undefined;
export function ruleOf(id: string): Rule | undefined {
  return byId.get(id);
}
