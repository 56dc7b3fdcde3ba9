import type { Choice } from './choice.ts';
import {
  backFromTheLast,
  briefForCreates,
  commentsByDefault,
  deletedByTheirMakers,
  emptyTexts,
  escapedEntryIds,
  finerTimes,
  goneIsGone,
  hrefsAsAsked,
  idsCountedAnew,
  idsInAnyCase,
  innerSystemMembers,
  lastEditTold,
  linksOfVersions,
  longEntryIds,
  namesAsContent,
  numbersAsIds,
  objectsFromTheBeginning,
  ownersListed,
  placesTold,
  referencedKept,
  shortLists,
  shortTexts,
  statesOfTheirOwn,
  titlesOfTheirOwn,
} from './peculiar-content.ts';
import {
  callsCollected,
  callsOfLibrary,
  directoriesOfFiles,
  downloadsElsewhere,
  keysWithEnds,
  laggingJobs,
  slashBehindBase,
} from './peculiar-outside.ts';
import {
  blanksAroundJson,
  bodiesUntilTheEnd,
  correlationIdsOnce,
  datelessAnswers,
  encodedUris,
  grantsInText,
  interimAnswers,
  pathsBelowServer,
  placeAndVersionTold,
  relativeUris,
  wholeNumbersWithFraction,
} from './peculiar-wire.ts';

/** What whoever calls and is called meets. */
export const peculiarCalls: readonly Choice[] = [
  { meets: 'calls that are collected for a second', silences: [], by: callsCollected },
  { meets: 'a slash behind the base address', silences: [], by: slashBehindBase },
  { meets: 'calls with the headers of a library', silences: [], by: callsOfLibrary },
  { meets: 'jobs that are read a little late', silences: ['job-route'], by: laggingJobs },
];

/** What whoever registers meets. */
export const peculiarRegistrations: readonly Choice[] = [
  { meets: 'keys that say until when', silences: [], by: keysWithEnds },
];

/** What the peculiar dialect takes another way, innermost first: what neither of the others has. */
export const peculiarChoices: readonly Choice[] = [
  // what is read
  { meets: 'content that tells of the last edit', silences: [], by: lastEditTold },
  { meets: 'texts without value as empty ones', silences: ['empty-and-absent-members'], by: emptyTexts },
  { meets: 'objects that are there from the beginning', silences: [], by: objectsFromTheBeginning },
  { meets: 'a long array of the service itself', silences: [], by: ownersListed },
  { meets: 'members of the system inside objects', silences: [], by: innerSystemMembers },
  { meets: 'entries that tell their place', silences: [], by: placesTold },
  { meets: 'URIs as they were asked for', silences: [], by: hrefsAsAsked },
  { meets: 'page links that name a version', silences: ['filter-parameter-names'], by: linksOfVersions },
  { meets: 'times with their offset', silences: [], by: finerTimes },
  { meets: 'states that are objects of their own', silences: [], by: statesOfTheirOwn },
  { meets: 'paths below the server of a definition', silences: [], by: pathsBelowServer },
  // what is written
  { meets: 'entries with a text by default', silences: [], by: commentsByDefault },
  { meets: 'entry ids that count anew', silences: ['entry-id-form', 'entry-id-stability'], by: idsCountedAnew },
  { meets: 'a schema to create by alone', silences: ['unknown-schema-in-route'], by: briefForCreates },
  { meets: 'no list of more than ten operations', silences: [], by: shortLists },
  { meets: 'names that no operation changes', silences: [], by: namesAsContent },
  { meets: 'a way back from the last state alone', silences: ['maturity-states-and-conditions'], by: backFromTheLast },
  { meets: 'numbers as ids of objects', silences: [], by: numbersAsIds },
  { meets: 'ids of objects in any case', silences: ['client-supplied-oid'], by: idsInAnyCase },
  { meets: 'no text of more than 255 characters', silences: [], by: shortTexts },
  { meets: 'no two objects with one title', silences: [], by: titlesOfTheirOwn },
  { meets: 'what somebody made taken away by nobody else', silences: [], by: deletedByTheirMakers },
  { meets: 'what others refer to kept', silences: ['delete-success-status'], by: referencedKept },
  { meets: '410 for what was there', silences: ['delete-success-status'], by: goneIsGone },
  // what is outside
  ...peculiarCalls,
  ...peculiarRegistrations,
  { meets: 'no directory without a file', silences: ['directory-semantics'], by: directoriesOfFiles },
  { meets: 'downloads that are elsewhere', silences: ['download-metadata-headers'], by: downloadsElsewhere },
  { meets: 'correlation ids of one write each', silences: [], by: correlationIdsOnce },
  { meets: 'grants in text', silences: ['token-response-members'], by: grantsInText },
  // how it looks on the wire
  { meets: 'URIs with dashes encoded', silences: [], by: encodedUris },
  { meets: 'URIs relative to the request', silences: ['uri-absolute-or-relative'], by: relativeUris },
  {
    meets: 'place and version told of edits',
    silences: ['version-header-on-other-responses'],
    by: placeAndVersionTold,
  },
  {
    meets: 'entry ids that are escaped in paths',
    silences: ['entry-id-form', 'pointer-oddities'],
    by: escapedEntryIds,
  },
  { meets: 'whole numbers with a fraction', silences: [], by: wholeNumbersWithFraction },
  { meets: 'blanks around JSON', silences: [], by: blanksAroundJson },
  { meets: 'bodies that end with their connection', silences: [], by: bodiesUntilTheEnd },
  { meets: 'interim answers', silences: [], by: interimAnswers },
  { meets: 'answers without date', silences: [], by: datelessAnswers },
];

/** What cannot stand beside others of its dialect. */
export const loneChoices: readonly Choice[] = [
  { meets: 'entry ids of 64 bits', silences: ['entry-id-form'], by: longEntryIds },
];
