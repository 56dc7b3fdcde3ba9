import type { Static } from 'typebox';
import { caller, requestParts } from './calls-out.ts';
import { optional, pathTemplate, placeholders, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

const changeRequest = Type.Closed({
  resource: optional(
    Type.Integer({ minimum: 0, description: 'Index of the resource that the change concerns; 0 unless given.' }),
  ),
  ...requestParts,
  rawBody: optional(text('Body that is no JSON, as the content of a file; in the place of body.')),
  take: optional(
    Type.Record(Type.String(), text('JSON Pointer, or Location'), {
      description: 'Further placeholders for the requests after this one, as those of triggers.',
    }),
  ),
});
export type ChangeRequest = Static<typeof changeRequest>;

/** Data other than SoftTypes, and how it is changed. */
export const caching = Type.Closed({
  resources: Type.Array(
    Type.Closed({
      path: pathTemplate('Path, from the base URL on; {spaceId} is the space of the profile.', ['spaceId']),
      as: optional(caller),
    }),
    { minItems: 1, description: 'GET routes for data other than SoftTypes.' },
  ),
  endpointList: optional(
    Type.Closed(
      { path: pathTemplate('Path, from the base URL on.', []), as: optional(caller) },
      {
        description:
          'GET route that lists the registered simple endpoints, with their names; one of them is changed by routes.registrationUpdate. What it tells of others stands in the report.',
      },
    ),
  ),
  change: optional(
    Type.Union([changeRequest, Type.Array(changeRequest, { minItems: 1 })], {
      description:
        'Request that changes one of the resources, or several that are sent in this order. {{unique}} becomes a fresh text that shows in the data afterwards, and where a body has it in several places each is changed alone as well; {{checksum}} is that of rawBody, as uploads carry it; {{version}} is what a GET of the resource shows: its version header, else version.',
      ...placeholders('{{', ['unique', 'checksum', 'version', 'spaceId', 'participantId']),
    }),
  ),
});
