import type { RuleId } from '../../contract/rule.ts';
import type { Edit } from '../model/edit.ts';

/** Rules that say what an object looks like after a write. */
export interface Cause {
  /** The write in words. */
  readonly name: string;
  /** About the version. */
  readonly version: RuleId;
  /** About what the write names. */
  readonly named: RuleId;
  /** About what it does not name. */
  readonly others: RuleId;
  /** Members that it names: `scalar 1`, `object member`, `array 1`; absent where it names all. */
  readonly names?: readonly string[];
  /** Members that it takes away by not naming them. */
  readonly drops?: { readonly members: RuleId; readonly arrays: RuleId };
  /** About the last entry of an array, where the write puts one there. */
  readonly appends?: RuleId;
}

export const created: Cause = {
  name: 'create',
  version: 'versioning.read.leaves-version',
  named: 'reading.create.content-reads-back',
  others: 'reading.create.content-reads-back',
};

export const refusedWrite: Cause = {
  name: 'a refused write',
  version: 'versioning.refused.changes-nothing',
  named: 'versioning.refused.changes-nothing',
  others: 'versioning.refused.changes-nothing',
};

export const refusedOperations: Cause = {
  name: 'refused operations',
  version: 'patch.operations.failing-list-changes-nothing',
  named: 'patch.operations.failing-list-changes-nothing',
  others: 'patch.operations.failing-list-changes-nothing',
};

export const passedBatch: Cause = {
  name: 'a batch',
  version: 'batch.result.version-in-body',
  named: 'batch.route.create-and-edit',
  others: 'versioning.sequence.matches-model',
};

export const failedBatch: Cause = {
  name: 'a batch that failed',
  version: 'batch.rollback.edits-undone',
  named: 'batch.rollback.edits-undone',
  others: 'batch.rollback.edits-undone',
};

/** What follows from an edit that was accepted. @param scalars names of the scalars of the SoftType, in order */
export function causeOf(edit: Edit, scalars: readonly string[]): Cause {
  const scalar = (name: string): string => `scalar ${scalars.indexOf(name) + 1}`;
  switch (edit.kind) {
    case 'merge':
      return {
        name: edit.kind,
        version: 'versioning.edit.merge-adds-one',
        named: 'patch.merge.edits-named-member',
        others: 'patch.merge.keeps-other-members',
        names: [...Object.keys(edit.scalars).map(scalar), ...(edit.inner === undefined ? [] : ['object member'])],
      };
    case 'put':
      return {
        name: edit.kind,
        version: 'versioning.edit.put-adds-one',
        named: 'patch.put.stores-given-members',
        others: 'patch.put.stores-given-members',
        drops: { members: 'patch.put.drops-absent-members', arrays: 'patch.put.drops-absent-arrays' },
      };
    case 'promote':
      return { ...byModel(edit.kind), version: 'maturity.promote.version-plus-one' };
    case 'demote':
      return byModel(edit.kind);
    default:
      return {
        name: edit.kind,
        version: 'versioning.edit.operations-add-one',
        named: namedBy(edit),
        others: 'patch.operations.match-model',
        names: 'name' in edit && edit.kind !== 'replace inside object' ? [scalar(edit.name)] : [placeOf(edit)],
        ...(edit.kind === 'append' && { appends: 'patch.add.lands-last' as const }),
      };
  }
}

function byModel(name: string): Cause {
  const rule = 'versioning.sequence.matches-model';
  return { name, version: rule, named: rule, others: rule };
}

function placeOf(edit: Edit): string {
  return 'port' in edit ? `array ${edit.port + 1}` : 'object member';
}

const rulesOfOperations: Readonly<Partial<Record<Edit['kind'], RuleId>>> = {
  'add scalar': 'patch.add.missing-member-added',
  'replace scalar': 'patch.path.member-addressed',
  'remove scalar': 'patch.remove.member-gone',
  'add object': 'patch.add.object-value',
  'remove object': 'patch.remove.member-gone',
  'replace inside object': 'patch.path.member-addressed',
  'add text': 'patch.add.missing-member-added',
  'replace text': 'patch.path.entry-member-addressed',
  'remove text': 'patch.remove.optional-keeps-parent',
  'remove mandatory': 'patch.remove.cascades-to-parent',
  'remove entry': 'patch.remove.entry-with-trailing-slash',
};

function namedBy(edit: Edit): RuleId {
  if (edit.kind === 'append') return edit.marker ? 'patch.add.appends-with-marker' : 'patch.add.appends-without-marker';
  return rulesOfOperations[edit.kind] ?? 'patch.operations.match-model';
}

/** The rule that has an edit refused whatever version it states. */
export function refusalRule({ kind }: Edit): RuleId {
  if (kind === 'replace object') return 'patch.replace.object-refused';
  if (kind === 'replace in unknown entry') return 'patch.replace.missing-entry-refused';
  return kind.startsWith('add') ? 'patch.add.existing-member-refused' : 'patch.replace.missing-member-refused';
}
