import { callExpectations } from './calls-out.ts';
import { optional, status, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

/** What to expect where the documents are silent; a key that is not set is recorded only. */
export const expectations = Type.Closed({
  putSuccess: status('Success status of PUT.'),
  operationsPatchSuccess: status('Success status of an operations PATCH.'),
  operationsPatchFailure: status('Status of an operations PATCH that fails.'),
  deleteSuccess: status('Success status of DELETE.'),
  demoteSuccess: status('Success status of a demote.'),
  methodNotAllowed: status('Status for a method that a route does not have.'),
  malformedJson: status('Status of a body that is no JSON.'),
  invalidContent: status('Status of a value of the wrong type or an absent mandatory member.'),
  invalidBody: status('Status of a body that is JSON and no object.'),
  unknownMember: status('Status of a member that the input schema does not know.'),
  unknownSoftTypeInPath: status('Status of an unknown definition id in the path.'),
  mismatchedRoute: status('Status of an unknown schema, or a definition that is not that of the object.'),
  unsupportedMediaType: status('Status of other content types.'),
  patchRouteMismatch: status('Status when content type and PATCH route disagree.'),
  unknownSpace: status('Status for a space that does not exist.'),
  unusableToken: status('Status of a malformed, altered or expired token.'),
  grantErrors: status('Status of a refused grant.'),
  unknownScope: status('Status of a grant with another scope.'),
  informationFilterMissing: status('Status without the information filter.'),
  informationFilterMalformed: status('Status of an unreadable information filter.'),
  invalidVersionHeader: status('Status of a version header that is no integer.'),
  pageOutOfRange: status('Status for a page beyond the last.'),
  pageInvalid: status('Status for a page number that is no natural number.'),
  unknownFilter: status('Status for a filter id that is not configured.'),
  filterValueMissing: status('Status for a blank-value filter without a value.'),
  removeMissingTarget: status('Status of a remove whose target does not exist.'),
  openApiWithoutToken: status('Status of the OpenAPI document without a token.'),
  promoteInLastState: status('Status of a promote when there is no further state.'),
  collectionWriteWithoutVersion: status('Status of a collection-level write without version header.'),
  registrationSuccess: status('Success status of a registration.'),
  registrationInvalid: status('Status of a registration whose body is not valid.'),
  severalValidations: optional(
    Type.Union([Type.Literal('all'), Type.Literal('one')], {
      description:
        'Who is asked where several extensions validate a SoftType. Before a run two of them tell it, unless it is said here; where one is asked, the cases of validations take turns.',
    }),
  ),
  duringValidation: optional(
    Type.Union([Type.Literal('answered'), Type.Literal('wait')], {
      description:
        'Whether requests of others are answered while a validation is under way, and their objects validated, or wait until it is over. Found out before a run, unless it is said here; where they wait, moved time goes on sooner for what waits.',
    }),
  ),
  callsAtOnce: optional(
    Type.Integer({
      minimum: 1,
      description:
        'Calls to extensions and endpoints that the service has under way at once at most. Counted before a run in real time, unless it is said here; where they are few, cases that leave calls unanswered come last there, one after another.',
    }),
  ),
  validationNegative: status('Status of an operation that a validation stopped.'),
  validationFailed: status('Status of an operation whose validation failed.'),
  queryTokenElsewhere: optional(
    Type.Boolean({
      description: 'Whether uploads and deletions of files take the query token as their only credential.',
    }),
  ),
  foreignParticipantArea: optional(
    Type.Boolean({
      description: 'Whether the area of a participant opens to members of the space without a role on it.',
    }),
  ),
  ...callExpectations,
  batchEmpty: status('Status of a batch of no operations.'),
  batchNoArray: status('Status of a batch whose body is no array.'),
  multiCreateSuccess: status('Success status of a multi-create.'),
  multiCreateTooMany: status('Status of a multi-create of 51 items.'),
  multiCreateEmpty: status('Status of a multi-create of no items.'),
  multiCreateUnknownReference: status('Status of an instanceRef that no item has.'),
  multiCreateDuplicateId: status('Status of two items with one $id.'),
  errorMediaType: optional(text('Media type of error bodies.')),
  uriForm: optional(
    Type.Union([Type.Literal('absolute'), Type.Literal('path')], {
      description: 'Form of href and Location: with scheme and host, or from the host on.',
    }),
  ),
  mergeNull: optional(
    Type.Union([Type.Literal('removed'), Type.Literal('stored'), Type.Literal('refused')], {
      description: 'What becomes of a null in a merge.',
    }),
  ),
  mergeNested: optional(
    Type.Union([Type.Literal('merged'), Type.Literal('replaced')], {
      description: 'What becomes of an object in a merge: whether inner members that it does not name stay.',
    }),
  ),
  mergeArray: optional(
    Type.Union([Type.Literal('replaced'), Type.Literal('appended'), Type.Literal('merged'), Type.Literal('refused')], {
      description:
        'What becomes of an array in a merge: it takes the place of the old one, or all its entries come behind it, or merged, where an entry edits the one whose $entryId it names.',
    }),
  ),
  systemMembersInBody: optional(
    Type.Union([Type.Literal('ignored'), Type.Literal('applied'), Type.Literal('refused')], {
      description: 'What becomes of $oid, $version and $softType in the body of a create.',
    }),
  ),
  systemMembersOnWrite: optional(
    Type.Union([Type.Literal('ignored'), Type.Literal('applied'), Type.Literal('refused')], {
      description: 'The same in a PUT or a merge.',
    }),
  ),
  noOpRaisesVersion: optional(
    Type.Boolean({ description: 'Whether an edit that changes nothing raises the version.' }),
  ),
  deleteVersionHeader: optional(
    Type.Union([Type.Literal('needed'), Type.Literal('compared'), Type.Literal('ignored')], {
      description: 'What the version header is to DELETE: needed, compared where it is given, or nothing.',
    }),
  ),
});
