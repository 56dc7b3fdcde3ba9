import { entriesPerPage } from '../../contract/limits.ts';
import { entriesIn, judgeRead, type Point, textOf } from '../../contract/judge-read.ts';
import type { RuleId } from '../../contract/rule.ts';
import { memberOf } from '../service/answers.ts';
import { describe } from '../describe.ts';
import type { Party } from './party.ts';
import { dataIn, type Seen } from './roles.ts';
import { admittedOf, knownOf, learnOrder, readOf, type Shape, type Subject } from '../model/object.ts';
import type { Edit } from '../model/state.ts';

/** What of a look differs from what the documents have there after that write. */
export function breachesIn({ shape }: Party, subject: Subject, { view }: Seen, cause: Cause): readonly Breach[] {
  const judging = openJudging();
  const [instance, other] = view.instances;
  for (const [index, { status }] of view.instances.entries()) {
    const route = index === 0 && other !== undefined ? 'short' : 'long';
    const rule = route === 'short' ? 'reading.instance.short-route-served' : 'reading.instance.long-route-served';
    judging.equal(rule, `status of a read by the ${route} route`, status, 200, true);
  }
  if (instance?.status !== 200) return judging.breaches;
  const read = readOf(view, shape.ports);
  learnOrder(subject, read, shape.ports);
  const known = knownOf(shape, subject);
  notePoints(judging, judgeRead(read, { ...known, envelope: true }), cause);
  if (judging.breaches.length > 0) return judging.breaches;
  const counts = (known.arrays ?? []).map(({ port, count }) => ({ port, count }));
  if (other !== undefined) notePoints(judging, judgeRead({ instance: other }, { arrays: counts }), cause);
  judgeFiltered(judging, shape, subject, view);
  return judging.breaches;
}

function notePoints({ equal }: Judging, points: readonly Point[], cause: Cause): void {
  for (const point of points.filter(({ holds }) => !holds)) {
    const { what, actual, expected, written } = point;
    const isWritten = written !== undefined;
    equal(ruleFor(cause, point), isWritten ? `${what} after ${cause.name}` : what, actual, expected, isWritten);
  }
}

/** What a write made of the object is judged by the rule of that write. */
function ruleFor({ version, names, named, others, drops, appends }: Cause, point: Point): RuleId {
  const { rule, written, expected } = point;
  if (written === undefined) return rule;
  if (written === '$version') return version;
  if (written.startsWith('order of ')) return appends ?? 'patch.operations.match-model';
  if (drops !== undefined && isNothing(expected)) return Array.isArray(expected) ? drops.arrays : drops.members;
  return names === undefined || names.includes(written) ? named : others;
}

/** Whether the model has nothing there: no text, no entries, no texts inside. */
function isNothing(expected: unknown): boolean {
  return expected === null || (typeof expected === 'object' && Object.values(expected).every((text) => text === null));
}

function judgeFiltered(
  { equal }: Judging,
  { ports: [port] }: Shape,
  { state }: Subject,
  { filtered }: Seen['view'],
): void {
  if (filtered === undefined || port === undefined) return;
  const { instance, pages } = filtered;
  const admitted = admittedOf(state);
  const first = entriesIn(dataIn(instance)[port.member]);
  equal(
    'reading.filter.narrows-entries',
    'entries in a read with the filter',
    first.length,
    Math.min(entriesPerPage, admitted.length),
  );
  const texts = pages.flatMap((page) => entriesIn(memberOf(page, 'data'))).map(({ members }) => textOf(members, port));
  if (pages.length > 0)
    equal(
      'paging.filter.applies-to-page',
      'texts on all pages with the filter',
      texts.toSorted(),
      admitted.map(({ text }) => text ?? null).toSorted(),
    );
}

/** Rules that say what an object looks like after a write. */
export interface Cause {
  /** The write in words. */
  readonly name: string;
  readonly version: RuleId;
  /** About what the write names. */
  readonly named: RuleId;
  /** About what it does not name. */
  readonly others: RuleId;
  /** Members that it names; absent where it names all. */
  readonly names?: readonly string[];
  /** Members that it takes away by not naming them. */
  readonly drops?: { readonly members: RuleId; readonly arrays: RuleId };
  /** About the last entry of an array, where the write puts one there. */
  readonly appends?: RuleId;
}

export const createCause: Cause = {
  name: 'create',
  version: 'versioning.read.leaves-version',
  named: 'reading.create.content-reads-back',
  others: 'reading.create.content-reads-back',
};

export const refusedWriteCause: Cause = {
  name: 'a refused write',
  version: 'versioning.refused.changes-nothing',
  named: 'versioning.refused.changes-nothing',
  others: 'versioning.refused.changes-nothing',
};

export const refusedOperationsCause: Cause = {
  name: 'refused operations',
  version: 'patch.operations.failing-list-changes-nothing',
  named: 'patch.operations.failing-list-changes-nothing',
  others: 'patch.operations.failing-list-changes-nothing',
};

export const passedBatchCause: Cause = {
  name: 'a batch',
  version: 'batch.result.version-in-body',
  named: 'batch.route.create-and-edit',
  others: 'versioning.sequence.matches-model',
};

export const failedBatchCause: Cause = {
  name: 'a batch that failed',
  version: 'batch.rollback.edits-undone',
  named: 'batch.rollback.edits-undone',
  others: 'batch.rollback.edits-undone',
};

/** What follows from an edit that was accepted. */
export function causeOf(edit: Edit, { object, ports }: Shape): Cause {
  const objectMember = object === undefined ? [] : [object.member];
  switch (edit.kind) {
    case 'merge':
      return {
        name: edit.kind,
        version: 'versioning.edit.merge-adds-one',
        named: 'patch.merge.edits-named-member',
        others: 'patch.merge.keeps-other-members',
        names: [...Object.keys(edit.scalars), ...(edit.inner === undefined ? [] : objectMember)],
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
        names: namesIn(edit, ports, objectMember),
        ...(edit.kind === 'append' && { appends: 'patch.add.lands-last' as const }),
      };
  }
}

function byModel(name: string): Cause {
  const rule = 'versioning.sequence.matches-model';
  return { name, version: rule, named: rule, others: rule };
}

function namesIn(edit: Edit, ports: Shape['ports'], objectMember: readonly string[]): readonly string[] {
  if ('port' in edit) return ports.slice(edit.port, edit.port + 1).map(({ member }) => member);
  return 'name' in edit && edit.kind !== 'replace inside object' ? [edit.name] : objectMember;
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

/** What the documents decide and an answer does otherwise. */
export interface Breach {
  readonly rule: RuleId;
  readonly expected: string;
  readonly actual: string;
  /** Whether the object is not what the model believes it to be any more, so that nothing more can be said about it. */
  readonly isLasting: boolean;
}

/** Collects breaches in the words of an expectation. */
export interface Judging {
  readonly breaches: Breach[];
  /** Notes a breach of the rule unless the two are the same JSON. */
  equal(rule: RuleId, what: string, actual: unknown, expected: unknown, isLasting?: boolean): boolean;
  /** Notes a breach of the rule unless the condition holds. */
  holds(rule: RuleId, condition: boolean, expected: string, actual: string, isLasting?: boolean): boolean;
}

const longest = 200;

export function openJudging(): Judging {
  const breaches: Breach[] = [];
  const holds: Judging['holds'] = (rule, condition, expected, actual, isLasting = false) => {
    if (!condition && breaches.every((breach) => breach.rule !== rule))
      breaches.push({ rule, expected, actual, isLasting });
    return condition;
  };
  return {
    breaches,
    holds,
    equal: (rule, what, actual, expected, isLasting) =>
      holds(
        rule,
        JSON.stringify(actual) === JSON.stringify(expected),
        `${what} ${describe(expected, longest)}`,
        describe(actual, longest),
        isLasting,
      ),
  };
}
