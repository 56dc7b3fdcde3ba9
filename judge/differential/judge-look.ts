import { entriesPerPage } from '../../contract/limits.ts';
import type { RuleId } from '../../contract/rule.ts';
import { describe } from '../describe.ts';
import type { Party } from './party.ts';
import { dataIn, entriesIn, memberIn, type Seen, type SeenArray } from './roles.ts';
import { isObject } from '../json.ts';
import { inOrderOf, textOf } from '../model/compare.ts';
import { countAdmitted, type Subject } from '../model/object.ts';
import { type Edit, entriesOf } from '../model/state.ts';

/** What of a look differs from what the documents have there after that write. */
export function breachesIn(party: Party, subject: Subject, seen: Seen, cause: Cause): readonly Breach[] {
  const judging = openJudging();
  const { view, instance } = seen;
  const routes = view.instances.length > 1 ? ['short', 'long'] : ['long'];
  for (const [index, reply] of view.instances.entries()) {
    const rule =
      routes[index] === 'short' ? 'reading.instance.short-route-served' : 'reading.instance.long-route-served';
    judging.equal(rule, `status of a read by the ${routes[index]} route`, reply.status, 200, true);
  }
  if (instance.status !== 200) return judging.breaches;
  judgeBody(judging, subject, seen);
  judgeContent(judging, party, subject, seen, cause);
  const areSame = seen.arrays.map((array, index) => judgeArray(judging, subject, seen, array, index, cause));
  if (areSame[0] === true) judgeFiltered(judging, party, subject, seen);
  return judging.breaches;
}

function judgeBody(judging: Judging, { thing }: Subject, { instance, data, version }: Seen): void {
  const { holds, equal } = judging;
  holds(
    'reading.body.data-is-object',
    isObject(memberIn(instance, 'data')),
    'an object as data',
    typeof memberIn(instance, 'data'),
  );
  holds('reading.body.version-is-integer', Number.isInteger(version), 'an integer as version', String(version), true);
  holds(
    'reading.body.links-is-array',
    Array.isArray(memberIn(instance, 'links')),
    'an array as links',
    typeof memberIn(instance, 'links'),
  );
  holds(
    'reading.body.schema-is-object',
    isObject(memberIn(instance, 'schema')),
    'an object as schema',
    typeof memberIn(instance, 'schema'),
  );
  equal('reading.system.version-matches-top-level', '$version', data['$version'] ?? version, version);
  equal('reading.system.oid-matches-route', '$oid', data['$oid'] ?? thing.oid, thing.oid);
}

function judgeContent(
  { equal }: Judging,
  { shape }: Party,
  { state }: Subject,
  { data, version }: Seen,
  cause: Cause,
): void {
  equal(cause.version, `version after ${cause.name}`, version, state.version, true);
  for (const [index, name] of shape.scalars.entries()) {
    const believed = state.scalars[name] ?? null;
    equal(
      ruleFor(cause, `scalar ${index + 1}`, believed === null),
      `scalar ${index + 1} after ${cause.name}`,
      data[name] ?? null,
      believed,
      true,
    );
  }
  if (shape.object === undefined) return;
  const { member, scalars } = shape.object;
  const inner = isObject(data[member]) ? data[member] : {};
  const texts = (source: Readonly<Record<string, unknown>>): unknown[] => scalars.map((name) => source[name] ?? null);
  equal(
    ruleFor(cause, 'object member', state.inner === undefined),
    `object member after ${cause.name}`,
    texts(inner),
    texts(state.inner ?? {}),
    true,
  );
}

/** @param isNothing whether the model has nothing there */
function ruleFor({ names, named, others, drops }: Cause, member: string, isNothing: boolean): Cause['named'] {
  if (isNothing && drops !== undefined) return member.startsWith('array') ? drops.arrays : drops.members;
  return names === undefined || names.includes(member) ? named : others;
}

/** Returns whether the entries are those of the model. */
function judgeArray(
  judging: Judging,
  subject: Subject,
  seen: Seen,
  array: SeenArray,
  index: number,
  cause: Cause,
): boolean {
  const { equal, holds } = judging;
  if (subject.unordered)
    subject.state = {
      ...subject.state,
      arrays: subject.state.arrays.with(index, inOrderOf(entriesOf(subject.state, index), array.whole, array.port)),
    };
  const believed = entriesOf(subject.state, index).map(({ text }) => text ?? null);
  const place = `array ${index + 1}`;
  const count = believed.length;
  const texts = array.whole.map((entry) => textOf(entry, array.port));
  const isSame = JSON.stringify(texts.toSorted()) === JSON.stringify(believed.toSorted());
  if (!isSame && array.first.length <= entriesPerPage && !isCountedRight(array, count))
    return equal(
      ruleFor(cause, place, count === 0),
      `texts of ${place} after ${cause.name}, in any order`,
      texts.toSorted(),
      believed.toSorted(),
      true,
    );
  const most = Math.max(...seen.view.instances.map((read) => entriesIn(dataIn(read)[array.port.member]).length));
  holds(
    'paging.instance-read.at-most-ten',
    most <= entriesPerPage,
    `at most ten entries of ${place} in an instance read`,
    String(most),
  );
  judgeLinks(judging, array, count, place);
  const arePagesRight = judgePages(judging, seen, array, index, count);
  if (array.first.length > entriesPerPage || !arePagesRight) return true;
  equal(
    'paging.pages.cover-array-once',
    `texts of ${place} on all pages, in any order`,
    texts.toSorted(),
    believed.toSorted(),
  );
  if (isSame)
    equal(
      cause.appends ?? 'patch.operations.match-model',
      `order of ${place} after ${cause.name}`,
      texts,
      believed,
      true,
    );
  return judgeIds(judging, array, place);
}

function judgeIds({ holds }: Judging, array: SeenArray, place: string): boolean {
  const ids = array.whole.map(({ entryId }) => entryId);
  holds(
    'reading.entries.objects-carry-entry-id',
    !ids.includes(''),
    `an $entryId in each entry of ${place}`,
    'an entry without',
  );
  return holds(
    'reading.entries.ids-unique-in-array',
    new Set(ids).size === ids.length,
    `different entry ids in ${place}`,
    ids.join(', '),
  );
}

/** Where a link counts as many entries as there should be, and the pages do not show them, the pages are wrong and not the write. */
function isCountedRight({ links, whole }: SeenArray, count: number): boolean {
  return count > entriesPerPage && whole.length !== count && links.some((link) => link['totalNumber'] === count);
}

function judgeLinks({ equal, holds }: Judging, { links }: SeenArray, count: number, place: string): void {
  if (count > entriesPerPage)
    holds('paging.link.present-above-ten', links.length > 0, `a page link while ${place} has ${count} entries`, 'none');
  if (count === 0) return;
  for (const link of links) {
    equal('paging.link.total-number', `totalNumber of ${place}`, link['totalNumber'], count);
    equal('paging.link.pages-count', `pages of ${place}`, link['pages'], Math.ceil(count / entriesPerPage));
    holds(
      'paging.link.href-holds-template',
      String(link['href']).includes('{pageNumber}'),
      `{pageNumber} in the href of the page link of ${place}`,
      String(link['href']),
    );
  }
}

/** Returns whether no page is wrong by itself. */
function judgePages(
  { equal, holds }: Judging,
  { view, version }: Seen,
  array: SeenArray,
  index: number,
  count: number,
): boolean {
  const ids = (entries: SeenArray['first']): readonly string[] => entries.map(({ entryId }) => entryId).toSorted();
  const right = (view.pages[index] ?? []).map((page, number) => {
    const place = `page ${number} of array ${index + 1}`;
    const length = array.pages[number]?.length ?? 0;
    if (!equal('paging.page.documented-route-served', `status of ${place}`, page.status, 200)) return false;
    equal('paging.page-body.version-of-owner', `version of ${place}`, memberIn(page, 'version'), version);
    const isArray = holds(
      'paging.page-body.data-is-array',
      Array.isArray(memberIn(page, 'data')),
      `an array as data of ${place}`,
      typeof memberIn(page, 'data'),
    );
    return (
      holds(
        'paging.page.holds-at-most-ten',
        length <= entriesPerPage,
        `at most ten entries on ${place}`,
        String(length),
      ) && isArray
    );
  });
  const [zero, one] = array.pages;
  if (zero !== undefined)
    right.push(
      equal(
        'paging.page-zero.equals-first-read',
        `entries on page 0 of array ${index + 1}`,
        ids(zero),
        ids(array.first),
      ),
    );
  if (one === undefined || right.includes(false)) return !right.includes(false);
  const repeats = one.filter(({ entryId }) => array.first.some((entry) => entry.entryId === entryId)).length;
  const rest = Math.min(entriesPerPage, count - entriesPerPage);
  return equal(
    'paging.page-one.holds-the-rest',
    `entries on page 1 of ${count}, and how many of them page 0 shows`,
    [one.length, repeats],
    [rest, 0],
  );
}

function judgeFiltered({ equal }: Judging, { shape }: Party, { state }: Subject, { view }: Seen): void {
  const [port] = shape.ports;
  if (view.filtered === undefined || port === undefined) return;
  const { instance, pages } = view.filtered;
  const admitted = entriesOf(state, 0).filter((entry) => entry.admitted);
  const first = entriesIn(dataIn(instance)[port.member]);
  equal(
    'reading.filter.narrows-entries',
    'entries in a read with the filter',
    first.length,
    Math.min(entriesPerPage, countAdmitted(state)),
  );
  const texts = pages.flatMap((page) => entriesIn(memberIn(page, 'data'))).map((entry) => textOf(entry, port));
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
