import { together } from '../breaks.ts';
import {
  endpointsAsTheyAre,
  filtersWrittenAnew,
  furtherClaims,
  furtherPayloadMembers,
  idsOfAttempts,
  nullsInPayloads,
  otherLinks,
  plainCallHeaders,
  routesSigned,
  textualVersions,
  tokenInEveryQuery,
  tokensKept,
} from './calls.ts';
import type { Choice } from './choice.ts';
import {
  anySuccess,
  comingAgainAsTold,
  emptyAfterRestart,
  jitteredRetries,
  keptWhileInactive,
  latestFirst,
  limitsOfHosts,
  lostTasksTimeOut,
  pausesFromTheFirst,
  redirectsFollowed,
  shortAnswersOnly,
} from './deliveries.ts';
import {
  boundedChunks,
  bulkAccepted,
  bulkLater,
  checksumsOfAnyForm,
  chunksInOrder,
  chunksNamedByFile,
  chunksWithoutChecksum,
  directoriesAreNoFiles,
  filesByRole,
  filesTold,
  otherBulkLogs,
  otherBulkRefusals,
  otherFileRefusals,
  otherListings,
  partialFilesHidden,
  plainDownloads,
  portableNames,
  queryTokenFirst,
} from './files.ts';
import {
  actionsRetried,
  actionsWrapped,
  deletionsShown,
  directCallsLimited,
  eventsLoggedOutside,
  firstMailer,
  jobsShown,
  lenientReports,
  otherVerdictStatuses,
  reportsOfTheScheduler,
  timeoutsFromTheCall,
  triggersAccepted,
  validatorsInTurn,
  verdictsAskedAgain,
} from './jobs.ts';
import {
  allOrNoRecords,
  endpointsOverwritten,
  keysBroughtLater,
  keysOfAnyForm,
  keysOfTheDay,
  knownCapabilities,
  lastRecordCounts,
  metadataAskedAgain,
  metadataFetchedLater,
  noMetadataOfInactive,
  permissionsCutDown,
  registrationsShown,
  strictRegistrations,
  typesInAnyCase,
} from './registrations.ts';

/** What whoever calls and is called meets. */
export const callingChoices: readonly Choice[] = [
  // what is called
  {
    meets: 'tokens in the query of every call',
    silences: ['token-query-names', 'token-query-other-types'],
    by: tokenInEveryQuery,
  },
  { meets: 'one token for all attempts', silences: ['token-on-retry'], by: tokensKept },
  { meets: 'other claims in tokens of calls', silences: ['token-claims'], by: furtherClaims },
  {
    meets: 'ids of attempts in capitals and braces',
    silences: ['envelope-id-guid-form', 'envelope-id-on-retry'],
    by: idsOfAttempts,
  },
  {
    meets: 'information filters written anew',
    silences: ['information-filter-without-trigger'],
    by: filtersWrittenAnew,
  },
  { meets: 'null for payload members that do not apply', silences: ['optional-payload-members'], by: nullsInPayloads },
  { meets: 'versions as text in payloads', silences: ['uoi-version-type'], by: textualVersions },
  { meets: 'more members in payloads and envelopes', silences: [], by: furtherPayloadMembers },
  { meets: 'calls of plain JSON', silences: ['request-body-encoding'], by: plainCallHeaders },
  {
    meets: 'signatures over the route below the host',
    silences: ['signature-host-base-path', 'signature-path-encoding'],
    by: routesSigned,
  },
  { meets: 'endpoints put behind their host as they are', silences: ['endpoint-joining'], by: endpointsAsTheyAre },
  { meets: 'other links for tasks', silences: ['task-link-templates'], by: otherLinks },
  // how it is delivered
  {
    meets: 'any 2xx as acknowledgement',
    silences: ['success-other-2xx', 'task-and-validation-success'],
    by: anySuccess,
  },
  { meets: 'retries that come a little late', silences: ['retry-jitter'], by: jitteredRetries },
  {
    meets: 'pauses that count from the first call, and no retries among them',
    silences: ['rate-pause-start', 'rate-retries-counted'],
    by: pausesFromTheFirst,
  },
  { meets: 'one limit for all records of a host', silences: ['rate-scope'], by: limitsOfHosts },
  { meets: 'one call at a time, the latest first', silences: ['queue-order'], by: latestFirst },
  { meets: 'events kept for a host that is switched off', silences: ['inactive-queue'], by: keptWhileInactive },
  { meets: 'lost tasks that run into their timeout', silences: ['task-delivery-failure'], by: lostTasksTimeOut },
  { meets: 'a queue that a restart empties', silences: ['queue-restart'], by: emptyAfterRestart },
  { meets: 'Retry-After honoured', silences: ['retry-after-header'], by: comingAgainAsTold },
  { meets: 'redirects followed within the host', silences: ['redirect-handling'], by: redirectsFollowed },
  { meets: 'no answers longer than 64 KiB', silences: ['response-size-limits'], by: shortAnswersOnly },
  // what is set off
  {
    meets: 'triggers that say no more than an id',
    silences: ['trigger-event-binding', 'trigger-endpoint-binding', 'trigger-task-binding', 'trigger-email-binding'],
    by: triggersAccepted,
  },
  { meets: 'an answer to deleted events', silences: ['event-delete-route'], by: deletionsShown },
  { meets: 'jobs with other members', silences: ['job-route'], by: jobsShown },
  {
    meets: 'reports in any spelling, and late ones without effect',
    silences: ['task-status-letter-case', 'task-final-state-changes'],
    by: lenientReports,
  },
  { meets: 'no reports of others', silences: ['task-callback-identity'], by: reportsOfTheScheduler },
  { meets: 'timeouts from the call on, and from progress', silences: ['task-timeout-clock'], by: timeoutsFromTheCall },
  { meets: 'validators asked in turn', silences: ['validation-several-extensions'], by: validatorsInTurn },
  { meets: '422 and 424 for what is not valid', silences: ['trigger-validation-binding'], by: otherVerdictStatuses },
  {
    meets: 'validations asked again for what cannot be read',
    silences: ['validation-status-code', 'task-and-validation-success'],
    by: verdictsAskedAgain,
  },
  { meets: 'actions tried again', silences: ['action-retries'], by: actionsRetried },
  { meets: 'a limit of direct calls', silences: ['rate-scope'], by: directCallsLimited },
  { meets: 'actions with an answer around them', silences: ['trigger-action-binding'], by: actionsWrapped },
  { meets: 'events told to the log of a host', silences: ['other-extension-payloads'], by: eventsLoggedOutside },
  { meets: 'the first mailer', silences: ['email-replacement'], by: firstMailer },
];

/** What whoever registers meets. */
export const registeringChoices: readonly Choice[] = [
  {
    meets: 'registrations in answers of another shape',
    silences: ['registration-responses', 'registration-read-update-delete'],
    by: registrationsShown,
  },
  {
    meets: 'endpoints overwritten, hosts registered once',
    silences: ['registration-duplicates'],
    by: endpointsOverwritten,
  },
  {
    meets: '422 for registrations with further members',
    silences: ['registration-validation-depth'],
    by: strictRegistrations,
  },
  { meets: 'keys of any form', silences: ['signature-key-format'], by: keysOfAnyForm },
  {
    meets: 'no metadata of a host that is switched off',
    silences: ['registration-inactive-extension'],
    by: noMetadataOfInactive,
  },
  { meets: 'metadata asked for again', silences: ['metadata-fetch-retry'], by: metadataAskedAgain },
  { meets: 'metadata asked for after the answer', silences: ['metadata-fetch-timing'], by: metadataFetchedLater },
  { meets: 'no records where one is wrong', silences: ['metadata-invalid-record'], by: allOrNoRecords },
  { meets: 'the last of two records', silences: ['metadata-duplicate-ids'], by: lastRecordCounts },
  { meets: 'types of records in any spelling', silences: ['metadata-type-spelling'], by: typesInAnyCase },
  { meets: 'two types of capabilities', silences: ['metadata-capability-type'], by: knownCapabilities },
  {
    meets: 'keys brought unsigned after the answer',
    silences: ['acquire-callback-details', 'acquire-credential', 'extension-identifier'],
    by: keysBroughtLater,
  },
  { meets: 'keys for some of the names', silences: ['acquire-mixed-request'], by: permissionsCutDown },
  { meets: 'keys that end with the day', silences: ['key-rotation-overlap'], by: keysOfTheDay },
];

/** What whoever keeps files meets. */
export const filingChoices: readonly Choice[] = [
  { meets: 'other statuses for what is done to files', silences: ['file-success-statuses'], by: filesTold },
  {
    meets: 'other statuses of refusals about files',
    silences: ['file-error-statuses', 'file-exists-status', 'checksum-mismatch-status'],
    by: otherFileRefusals,
  },
  { meets: 'checksums of any form', silences: ['checksum-notation'], by: checksumsOfAnyForm },
  { meets: 'chunks without checksum', silences: ['chunk-checksum-enforcement'], by: chunksWithoutChecksum },
  {
    meets: 'chunks in order, over what is there',
    silences: ['chunk-order-and-repeat', 'chunk-on-completed-file'],
    by: chunksInOrder,
  },
  { meets: 'no partial files', silences: ['chunk-partial-visibility'], by: partialFilesHidden },
  { meets: 'chunks named by their file', silences: ['chunk-name-precedence'], by: chunksNamedByFile },
  { meets: 'chunks of some bytes', silences: ['chunk-size-bounds', 'chunk-empty-file'], by: boundedChunks },
  { meets: 'names for any disk', silences: ['file-name-rules'], by: portableNames },
  { meets: '400 and 403 for directories', silences: ['directory-semantics'], by: directoriesAreNoFiles },
  { meets: 'directories listed with other members', silences: ['dir-listing'], by: otherListings },
  { meets: 'downloads to be saved', silences: ['download-metadata-headers'], by: plainDownloads },
  { meets: 'the token of the query first', silences: ['file-token-query-scope'], by: queryTokenFirst },
  { meets: 'no uploads by readers', silences: ['file-area-roles'], by: filesByRole },
  { meets: 'bulk uploads under way', silences: ['bulk-response'], by: together(bulkLater, bulkAccepted) },
  { meets: 'other logs of bulk uploads', silences: ['bulk-log-schema'], by: otherBulkLogs },
  {
    meets: '422 and 404 for bulk uploads',
    silences: ['bulk-source-errors', 'bulk-write-log-missing'],
    by: otherBulkRefusals,
  },
];

/** What the foreign dialect takes another way of files and extensions, innermost first. */
export const foreignExtensionChoices: readonly Choice[] = [...callingChoices, ...registeringChoices, ...filingChoices];
