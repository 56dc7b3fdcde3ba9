import { together, type Fault } from '../faults/fault.ts';
import * as batches from './batches.ts';
import type { Choice } from './choice.ts';
import * as etags from './etags.ts';
import { textualEntryIds } from './entry-ids.ts';
import * as extras from './extras.ts';
import * as identities from './identities.ts';
import * as informationFilter from './information-filter.ts';
import * as mediaTypes from './media-types.ts';
import * as multiCreates from './multi-creates.ts';
import * as nothing from './nothing.ts';
import * as openApi from './openapi.ts';
import * as operations from './operations.ts';
import * as pages from './pages.ts';
import * as refusals from './refusals.ts';
import { schemaOfItsOwn } from './schema-language.ts';
import { sectionsByPointer } from './sections.ts';
import * as spelling from './spelling.ts';
import * as states from './states.ts';
import * as successes from './successes.ts';
import { otherStatusesOutside } from './outside-statuses.ts';
import * as transport from './transport.ts';
import { absoluteUris } from './uris.ts';
import * as versions from './versions.ts';
import * as writes from './writes.ts';

/**
 * All that the strange dialect takes another way, innermost first: where two touch the same behaviour, the later one has the last
 * word. Every `must` and `should` of the documents holds under each of them and under all together.
 */
export const strangeChoices: readonly Choice[] = [
  // what is read
  {
    meets: 'null for members without value, no empty arrays',
    silences: ['empty-and-absent-members'],
    by: nothing.nullsAndNoEmptyArrays,
  },
  {
    meets: 'null for the paging members of other links',
    silences: ['empty-and-absent-members'],
    by: nothing.nullsInLinks,
  },
  { meets: 'more links, with other rels, in another order', silences: ['link-rels'], by: extras.furtherLinks },
  { meets: 'more members in every shape', silences: [], by: extras.furtherMembers },
  { meets: 'pages with links and a schema', silences: ['page-response-extra-members'], by: extras.pagesWithLinks },
  {
    meets: 'entry ids that are texts and hold for one version',
    silences: ['entry-id-form', 'entry-id-stability', 'client-supplied-entry-id'],
    by: textualEntryIds,
  },
  {
    meets: 'a JSON Pointer as sectionPath',
    silences: ['section-path-form', 'nested-array-paging'],
    by: sectionsByPointer,
  },
  { meets: 'a schema in another language', silences: ['schema-member-content'], by: schemaOfItsOwn },
  { meets: 'empty pages behind the last one', silences: ['page-out-of-range'], by: pages.endlessPages },
  { meets: 'no page of an empty array', silences: ['page-zero-of-empty-array'], by: pages.noPageOfNothing },
  { meets: 'page numbers with zeros in front', silences: ['page-negative-or-no-number'], by: pages.loosePageNumbers },
  {
    meets: 'filters by either name, unknown ones without effect',
    silences: ['filter-unknown-id', 'filter-blank-value-missing', 'filter-parameter-names'],
    by: pages.looseFilters,
  },
  // what is written
  { meets: 'unknown members passed over', silences: ['unknown-member-status'], by: writes.unknownMembersIgnored },
  {
    meets: 'system members refused',
    silences: ['client-supplied-oid', 'system-members-on-write'],
    by: writes.systemMembersRefused,
  },
  { meets: 'null refused in a merge', silences: ['merge-null'], by: writes.nullRefused },
  { meets: 'objects replaced by a merge', silences: ['merge-nested-objects'], by: writes.objectsReplaced },
  { meets: 'entries appended by a merge', silences: ['merge-arrays'], by: writes.entriesAppended },
  { meets: 'new entry ids after a PUT', silences: ['put-entry-ids'], by: writes.newIdsOnPut },
  { meets: 'nothing removed without complaint', silences: ['remove-missing-target'], by: operations.removingNothing },
  {
    meets: 'entries removed with the slash only, arrays never',
    silences: ['remove-entry-without-trailing-slash', 'remove-whole-array'],
    by: operations.strictRemove,
  },
  { meets: 'a slash that appends', silences: ['add-trailing-slash-on-array'], by: operations.slashAppends },
  { meets: 'an array added item by item', silences: ['add-array-onto-array'], by: operations.arraysAddedItemByItem },
  { meets: 'pointers without their first slash', silences: ['pointer-oddities'], by: operations.slashlessPointers },
  {
    meets: 'empty lists and further members of operations refused',
    silences: ['operations-empty-list', 'operation-extra-members'],
    by: operations.strictLists,
  },
  {
    meets: 'JSON of looser media types',
    silences: ['unsupported-content-type-status'],
    by: mediaTypes.looseMediaTypes,
  },
  {
    meets: 'a PATCH that is what its media type says',
    silences: ['content-type-and-route-disagree'],
    by: mediaTypes.typeDecidesPatch,
  },
  {
    meets: 'integers in any spelling as version',
    silences: ['version-header-spellings', 'invalid-version-header-status'],
    by: versions.looseVersions,
  },
  { meets: 'no version for an edit of nothing', silences: ['no-op-version'], by: versions.noVersionForNothing },
  {
    meets: 'elements dated to the beginning of time',
    silences: ['information-filter-without-date'],
    by: informationFilter.datedFromTheBeginning,
  },
  { meets: 'DELETE with a version only', silences: ['delete-version-header'], by: versions.versionForDelete },
  // many at once
  {
    meets: 'no batch of nothing',
    silences: ['batch-empty-list', 'batch-body-no-array'],
    by: batches.batchesOfSomething,
  },
  {
    meets: '409 for what was undone with a batch',
    silences: ['batch-sibling-statuses'],
    by: batches.undoneInConflict,
  },
  {
    meets: 'failed operations without a body',
    silences: ['batch-result-body-of-failure'],
    by: batches.failuresWithoutBody,
  },
  { meets: 'more members in batch results', silences: [], by: batches.furtherResultMembers },
  { meets: 'no href in results of edits', silences: [], by: batches.hrefsOfCreatesOnly },
  { meets: 'operations with absolute URIs only', silences: ['batch-href-form'], by: batches.hrefsWithScheme },
  { meets: 'no DELETE in a batch', silences: ['batch-delete'], by: batches.noDeletesInBatches },
  { meets: 'methods in any case', silences: ['batch-method-letter-case'], by: batches.methodsInAnyCase },
  {
    meets: 'operations that say what their body is',
    silences: ['batch-content-type-of-operation'],
    by: batches.typedOperations,
  },
  {
    meets: '404 for what is not for a batch',
    silences: ['batch-unsupported-routes'],
    by: batches.unknownOperations,
  },
  {
    meets: '200 for a multi-create, and its objects in an object',
    silences: ['multi-create-success-status', 'multi-create-response-body', 'multi-create-location-header'],
    by: multiCreates.wrappedCreations,
  },
  {
    meets: 'other statuses of items that do not fit',
    silences: [
      'multi-create-too-many-status',
      'multi-create-unknown-reference',
      'multi-create-duplicate-id',
      'multi-create-softtypeid-mismatch',
    ],
    by: multiCreates.otherItemStatuses,
  },
  {
    meets: 'a multi-create of nothing',
    silences: ['multi-create-empty-list'],
    by: multiCreates.nothingCreated,
  },
  // states and locks
  { meets: '200 with a body for demote', silences: ['demote-success-status'], by: states.demotedWithBody },
  { meets: '409 where a level ends', silences: ['promote-in-last-state'], by: states.endsInConflict },
  {
    meets: '400 for an unknown level',
    silences: ['promote-unknown-process-or-level'],
    by: states.unknownLevels,
  },
  { meets: 'no promote with a body', silences: ['promote-with-body'], by: states.noBodyForPromote },
  { meets: 'last states that take no edits', silences: ['state-and-edits'], by: states.closedAtTheEnd },
  { meets: 'locks that tell of themselves', silences: ['lock-object-routes'], by: states.locksWithBody },
  {
    meets: '409 for the lock of somebody else',
    silences: ['lock-object-routes'],
    by: states.lockedOutIsForbidden,
  },
  // who may
  {
    meets: 'Bearer and nothing else',
    silences: ['scheme-name-case', 'pat-in-basic-on-core-routes'],
    by: identities.bearerOnly,
  },
  {
    meets: 'tokens with other claims, granted curtly',
    silences: ['token-claims-and-lifetime', 'token-response-members'],
    by: identities.otherTokens,
  },
  { meets: 'any scope', silences: ['scope-other-than-all'], by: identities.anyScope },
  { meets: '403 for every refused grant', silences: ['token-error-response'], by: identities.grantsForbidden },
  { meets: 'spaces that are not there forbidden', silences: ['unknown-space-status'], by: refusals.hiddenSpaces },
  // how it is refused
  {
    meets: '428 and 422 about the information filter, in any Base64',
    silences: [
      'information-filter-missing-status',
      'information-filter-malformed-status',
      'information-filter-fields',
      'information-filter-base64-variant',
    ],
    by: informationFilter.otherInformationFilter,
  },
  {
    meets: 'an OpenAPI document that asks for the information filter',
    silences: ['information-filter-reach'],
    by: informationFilter.filterForOpenApi,
  },
  { meets: 'headers looked at before the object', silences: ['error-precedence'], by: refusals.headersFirst },
  { meets: '406 for those who take no JSON', silences: ['accept-header'], by: refusals.jsonOrNothing },
  {
    meets: 'other statuses of failing operations',
    silences: ['operations-patch-failure-status', 'pointer-unknown-member', 'output-names-as-path'],
    by: refusals.otherOperationStatuses,
  },
  {
    meets: 'other statuses of refusals, and no challenge',
    silences: [
      'malformed-json-status',
      'invalid-content-status',
      'put-mandatory-missing',
      'unknown-softtype-status',
      'unknown-schema-in-route',
      'unknown-array-port',
      'unknown-method-on-route',
    ],
    by: refusals.otherRefusalStatuses,
  },
  {
    meets: 'other bodies of refusals, or none',
    silences: ['error-body-shape', 'challenge-on-401', 'server-error-detail'],
    by: refusals.otherRefusalBodies,
  },
  // how it succeeds
  {
    meets: '200 with a body where the document names no status',
    silences: ['put-success-status', 'operations-patch-success-status', 'delete-success-status'],
    by: successes.okInsteadOfNoContent,
  },
  { meets: 'other statuses around files, tasks and keys', silences: [], by: otherStatusesOutside },
  { meets: 'creates that bring the instance along', silences: ['create-response-body'], by: successes.createdWithBody },
  {
    meets: 'weak tags, compared letter by letter',
    silences: ['etag-strength', 'if-none-match-forms', 'etag-on-304'],
    by: etags.weakTags,
  },
  { meets: 'tags on instances', silences: ['softtype-etag'], by: etags.tagsOnInstances },
  {
    meets: 'the version header on reads',
    silences: ['version-header-on-other-responses'],
    by: transport.versionOnReads,
  },
  {
    meets: 'an OpenAPI document below the API root only',
    silences: ['openapi-path-prefix'],
    by: openApi.openApiBelowRoot,
  },
  {
    meets: 'an OpenAPI document of its own media type',
    silences: ['openapi-version-and-media-type'],
    by: openApi.openApiMediaType,
  },
  { meets: 'an OpenAPI document that tells of all this', silences: [], by: openApi.describesItself },
  // how it looks on the wire
  { meets: 'URIs that name the host', silences: ['uri-absolute-or-relative'], by: absoluteUris },
  { meets: 'members in the opposite order', silences: [], by: spelling.membersTurnedRound },
  { meets: 'JSON types with suffix or parameter', silences: [], by: spelling.otherJsonTypes },
  { meets: 'indented JSON in ASCII', silences: [], by: spelling.spaciousJson },
  { meets: 'JSON with letters escaped', silences: [], by: spelling.escapedLetters },
  {
    meets: 'other headers',
    silences: ['correlation-id-echo', 'cache-control', 'api-versioning-scheme'],
    by: transport.otherHeaders,
  },
  { meets: 'header names in capitals', silences: [], by: transport.capitalHeaderNames },
  { meets: 'chunked bodies', silences: [], by: transport.chunkedBodies },
  { meets: 'slow answers', silences: [], by: transport.slowAnswers },
  { meets: 'connections that end', silences: [], by: transport.endingConnections },
];

/** The server with everything changed that the documents leave open. */
export const strangeDialect: Fault = together(...strangeChoices.map(({ by }) => by));
