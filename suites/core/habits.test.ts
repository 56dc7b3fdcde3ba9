import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { together, type Variant } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { textualEntryIds } from '../../variants/dialect/reads.ts';
import { noBlankTexts } from '../../variants/dialect/peculiar-content.ts';
import { catalogue } from '../catalogue.ts';
import { furtherHabits as further } from '../../variants/further-habits.fixture.ts';
import * as habits from '../../variants/habits.fixture.ts';

const aboutOrder: readonly RuleId[] = [
  'patch.remove.entry-with-trailing-slash',
  'patch.remove.cascades-to-parent',
  'patch.path.entry-member-addressed',
  'patch.index.entry-id-wins',
  'patch.add.missing-member-added',
  'patch.operations.match-model',
  'versioning.history.matches-model',
];

/** What the documents leave to a service, and rules that once demanded otherwise. */
const free: readonly (readonly [habit: string, by: Variant, ...rules: RuleId[]])[] = [
  [
    'members of its own',
    habits.ownMembersShown,
    'patch.merge.edits-named-member',
    'patch.put.stores-given-members',
    'headers.spelling.json-bodies',
  ],
  [
    'titles that no two objects have',
    habits.titlesOnce,
    'patch.put.stores-given-members',
    'reading.create.new-identity-each-time',
    'headers.location.on-create',
    'batch.result.create-href',
    'multi-create.reference.backward',
    'multi-create.id.reusable-in-next-request',
    'auth.role.reader-create-403',
  ],
  [
    'demotes that leave the version as it is',
    habits.unversionedDemotes,
    'maturity.demote.version-guarded',
    'batch.route.maturity-actions',
    'versioning.sequence.matches-model',
    'reading.instance.long-route-served',
    'reading.answers.right-throughout',
  ],
  [
    'arrays of fifty entries',
    habits.fiftyEntries,
    'paging.filter.shapes-links',
    'reading.filter.narrows-entries',
    'paging.link.total-number',
    'paging.pages.cover-array-once',
    'paging.page-body.href-leads-back',
    'patch.put.stores-given-members',
    'patch.add.lands-last',
  ],
  [
    'errors in a list',
    habits.errorsInList,
    'batch.failure.status-500',
    'batch.get.returns-read-response',
    'calls.validation.verdict-applied',
  ],
  ['ids that are given again', habits.idsGivenAgain, 'patch.delete.object-gone'],
  [
    'ids of deleted objects for new ones',
    further.idsFromFreeList,
    'patch.delete.object-gone',
    'versioning.history.matches-model',
    'versioning.later.same-versions',
  ],
  ['a gap that the last entry fills', further.lastFillsTheGap, ...aboutOrder],
  ['an edited entry that comes last', further.editedComesLast, ...aboutOrder],
  [
    'objects that begin at version 7',
    further.beginningAtSeven,
    'versioning.history.matches-model',
    'versioning.sequence.matches-model',
    'multi-create.items.all-created',
    'batch.commit.one-after-another',
  ],
  ['objects that are gone', habits.goneTold, 'patch.delete.object-gone', 'versioning.history.matches-model'],
  [
    'no empty texts',
    habits.noEmptyText,
    'reading.create.content-reads-back',
    'patch.path.member-addressed',
    'patch.add.existing-member-refused',
    'multi-create.items.all-created',
  ],
  [
    'no texts of blanks alone',
    noBlankTexts,
    'patch.path.entry-member-addressed',
    'patch.add.appends-without-marker',
    'patch.add.missing-member-added',
    'patch.merge.edits-named-member',
    'patch.put.stores-given-members',
    'versioning.sequence.matches-model',
  ],
  ['no characters of four bytes', habits.basicCharacters, 'headers.content-type.json-bodies'],
  [
    'objects that are whole',
    habits.wholeDimensions,
    'patch.put.drops-absent-members',
    'openapi.dynamic.describes-live-traffic',
  ],
  ['no blanks at the ends of texts', habits.noOuterBlanks, 'reading.filter.query-value-selects'],
  ['names without blanks at their ends', habits.namesCutBehind, 'files.stream.names-told-apart'],
  ['names that are listed once', habits.namesListed, 'caching.changed.status-200'],
  [
    'nulls that are there',
    habits.nullsShown,
    'patch.replace.missing-member-refused',
    'patch.operations.failing-list-changes-nothing',
    'patch.operations.match-model',
  ],
  ['ids that count', habits.countedIds, 'reading.missing-object.status-404'],
  [
    'no merge that names nothing',
    habits.noEmptyMerge,
    'patch.put.drops-absent-members',
    'hypermedia.editor.sees-write-links',
  ],
  ['requests of 100 kB', habits.smallRequests, 'batch.size.hundred-operations', 'batch.size.no-hard-limit'],
  ['requests of a mebibyte', habits.requestsOfAMebibyte, 'batch.size.hundred-operations'],
  [
    'texts that each object has by itself',
    habits.remarksByTurns,
    'batch.route.create-and-edit',
    'headers.spelling.json-bodies',
    'patch.body.required-members',
    'patch.body.value-required',
  ],
  ['ids made of a text', habits.idsOfNotes, 'batch.result.create-carries-no-data'],
  [
    'writers that are overtaken and come again',
    habits.overtakenComeAgain,
    'versioning.race.one-writer-wins',
    'versioning.race.retry-loop-loses-nothing',
    'maturity.promote.race-one-winner',
  ],
  ['one referrer to an object', habits.referredToOnce, 'multi-create.graph.every-edge-stored'],
  ['health in a word', habits.healthInAWord, 'collection.admin.is-served'],
  ['texts of words alone', habits.textsOfWords, 'openapi.dynamic.describes-live-traffic'],
  ['nothing to remove', habits.nothingToRemove, 'patch.path.data-prefix-refused'],
  [
    'ids of entries that hold for one version, and nothing to remove',
    together(textualEntryIds, habits.nothingToRemove),
    'patch.path.entry-member-addressed',
    'versioning.edit.operations-add-one',
  ],
  ['lists that are joined', habits.listsJoined, 'patch.merge.edits-named-member'],
  ['paths of two steps', habits.shallowPaths, 'patch.replace.object-refused'],
  [
    'GUIDs in capitals',
    habits.guidsInCapitals,
    'headers.correlation-id.reaches-extension',
    'calls.envelope.id-from-correlation',
    'calls.envelope.id-correlation-verbatim',
    'delivery.event.same-content-on-retry',
    'delivery.history.matches-model',
    'registration.history.matches-model',
    'tasks.history.matches-model',
  ],
  [
    'metadata that are used late',
    habits.metadataUsedLate,
    'delivery.timeout.configured',
    'metadata.update.replaces-records',
    'tasks.history.matches-model',
  ],
  [
    'pages whose address holds their number twice',
    further.pagesNumberedTwice,
    'paging.link.href-holds-template',
    'paging.pages.cover-array-once',
    'paging.page-body.href-leads-back',
    'reading.answers.right-throughout',
  ],
  [
    'a last page that stands for those behind it',
    further.lastPageForLaterOnes,
    'reading.entries.ids-unique-in-array',
    'patch.add.appends-without-marker',
    'patch.remove.cascades-to-parent',
    'patch.remove.entry-with-trailing-slash',
    'paging.pages.cover-array-once',
    'paging.page-one.holds-the-rest',
    'patch.operations.match-model',
    'versioning.race.retry-loop-loses-nothing',
  ],
  [
    'links of other schemes',
    further.addressesOfOtherSchemes,
    'headers.uris.stay-on-gateway',
    'hypermedia.link.offered-is-permitted',
    'reading.answers.right-throughout',
  ],
  [
    'a link to a manual elsewhere',
    habits.manualOffered,
    'headers.uris.stay-on-gateway',
    'hypermedia.link.offered-is-permitted',
  ],
  [
    'members with values by default',
    habits.numbersByDefault,
    'patch.operations.match-model',
    'versioning.sequence.matches-model',
    'versioning.history.matches-model',
  ],
  [
    'a token of its own in the query',
    habits.tokenOfItsOwnInQuery,
    'calls.query-token.validation',
    'calls.query-token.task',
    'calls.query-token.email',
    'calls.extension.right-throughout',
    'tasks.history.matches-model',
  ],
  [
    'the end of a token in a claim of another name',
    habits.endNamedOtherwise,
    'calls.token.life-time-claim',
    'calls.trusted.token-life-time',
  ],
  [
    'a minute that ends among calls that are counted',
    habits.minutesEndInBetween,
    'delivery.rate.default-five',
    'delivery.rate.configured',
    'delivery.rate.drains-in-windows',
    'delivery.history.matches-model',
  ],
  ['no links to pages of arrays inside entries', habits.innerPagesApart, 'patch.add.lands-last'],
  [
    'page links of short arrays',
    habits.shortArraysLinked,
    'paging.nested-array.limited',
    'paging.link.section-path-names-array',
    'patch.add.lands-last',
    'patch.remove.entry-with-trailing-slash',
    'paging.link.follows-growth',
    'paging.page-body.entry-ids-address-entries',
    'versioning.history.matches-model',
    'reading.answers.right-throughout',
  ],
  [
    'one validator that is asked, and one for all SoftTypes',
    habits.lastValidatorAsked,
    'metadata.capability.soft-type-limits-validation',
  ],
  [
    'correlation ids that are GUIDs',
    habits.guidsAsIds,
    'headers.correlation-id.reaches-extension',
    'delivery.history.matches-model',
    'registration.history.matches-model',
  ],
  ['an entry that every object has by itself', habits.filledByItself, 'reading.create.content-reads-back'],
  [
    'zeros for no value',
    habits.zerosForNone,
    'patch.merge.edits-named-member',
    'patch.path.member-addressed',
    'patch.add.existing-member-refused',
    'patch.operations.match-model',
  ],
  [
    'JSON that is told as text',
    further.jsonAsText,
    'headers.content-type.json-bodies',
    'auth.grant.returns-access-token',
  ],
  ['texts of western Europe', further.latinTexts, 'headers.content-type.json-bodies'],
  ['numbers of two places', further.amounts, 'openapi.dynamic.describes-live-traffic'],
  ...(
    [
      ['seconds', further.datesInSeconds],
      ['lists', further.datesAsLists],
      ['times with the name of a zone', further.datesOfNamedZones],
      ['times of a zone that is not told', further.datesOfTheService],
    ] as const
  ).map(
    ([form, habit]) =>
      [
        `dates that are read as ${form}`,
        habit,
        'patch.replace.dated-effectivity-date',
        'batch.headers.filter-inherited',
        'headers.information-filter.required-on-writes',
        'reading.create.content-reads-back',
      ] as const,
  ),
  [
    'compressed JSON',
    further.compressedJson,
    'reading.create.content-reads-back',
    'caching.match.status-304',
    'batch.get.returns-read-response',
  ],
  [
    'headers that are refused where the documents do not show them',
    further.headersInPlace,
    'headers.names.case-insensitive',
    'batch.version.mismatch-409',
    'batch.version.absent-412',
    'maturity.promote.absent-version-412',
    'versioning.absent.merge-412',
    'versioning.absent.operations-412',
    'versioning.absent.put-412',
  ],
  [
    'tokens of no use that are forbidden',
    further.tokensForbidden,
    'auth.grant.behind-the-end-of-the-last',
    'auth.jwt.expired-refused',
    'auth.jwt.alg-none-refused',
    'auth.jwt.tampered-refused',
  ],
  [
    'batches that are dropped in the queue when their client leaves',
    further.droppedInTheQueue,
    'batch.size.finishes-without-client',
  ],
  [
    'an order of its own, another one each time',
    habits.ownOrder,
    'patch.add.appends-with-marker',
    'patch.add.array-value',
    'multi-create.items.all-created',
  ],
];

const schedules = new Set(catalogue.all.flatMap(({ id, test: { seconds } }) => (seconds === undefined ? [] : [id])));

test.for(free)('no rule objects to %s', async ([, habit, ...rules]) => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [habit] }));
  const run = { loaded: server.loaded, seed: 1, runs: 1 };
  const ordinary = rules.filter((rule) => !schedules.has(rule));
  // time stands behind a schedule until its judge is closed
  for (const judged of [ordinary, ...rules.filter((rule) => schedules.has(rule)).map((rule) => [rule])]) {
    await using open = openJudge(catalogue, run);
    for (const rule of judged) {
      const { outcome } = await open.judge(rule, new AbortController().signal);
      expect([rule, outcome?.verdict, outcome?.reason ?? outcome?.violation?.actual]).toEqual([
        rule,
        'pass',
        undefined,
      ]);
    }
  }
});

test('no rule objects to states that are all closed to edits but the first, where the profile says so', async () => {
  await using server = await startReference({}, (options) =>
    createVariant({ ...options, faults: [habits.closedBehindTheFirst] }),
  );
  const { profile } = server.loaded;
  const maturity = profile.maturity && { ...profile.maturity, frozenStates: ['reviewed', 'released'] };
  const loaded = { ...server.loaded, profile: { ...profile, ...(maturity && { maturity }) } };
  await using open = openJudge(catalogue, { loaded, seed: 1, runs: 1 });
  for (const rule of ['maturity.promote.then-edit', 'maturity.transitions.open-questions'] as const) {
    const { outcome } = await open.judge(rule, new AbortController().signal);
    expect([rule, outcome?.verdict, outcome?.reason]).toEqual([
      rule,
      rule.endsWith('open-questions') ? 'observed' : 'pass',
      undefined,
    ]);
  }
});
