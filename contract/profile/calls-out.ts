import { Type, type Static } from 'typebox';
import { closed, optional, text } from '../schema-parts.ts';

/** Who sends a request that the profile binds. */
export const caller = Type.Union(
  [
    Type.Literal('editor'),
    Type.Literal('secondEditor'),
    Type.Literal('reader'),
    Type.Literal('outsider'),
    Type.Literal('noRole'),
    Type.Literal('administrator'),
  ],
  { description: 'Identity that sends the request.' },
);

const request = {
  method: text('HTTP method.'),
  path: text('Path from the base URL on; {{name}} is replaced, percent-encoded.'),
  as: optional(caller),
  headers: optional(
    Type.Record(Type.String(), Type.String(), { description: 'Further headers; {{name}} is replaced.' }),
  ),
  body: optional(
    Type.Unknown({
      description:
        'JSON body. A text that is {{name}} alone becomes the value as it is, and is left out where there is none; inside a text it becomes text.',
    }),
  ),
};
/** A request that the documents do not show. */
const requestTemplate = Type.Object(request, closed);
export type RequestTemplate = Static<typeof requestTemplate>;

const { method, path, ...further } = request;
/** What differs from the template for one kind of registration. */
const ofKind = optional(Type.Object({ method: optional(method), path: optional(path), ...further }, closed));
/** A request about a registration. */
const registrationTemplate = Type.Object(
  {
    ...request,
    byKind: optional(
      Type.Object(
        { externalEndpoint: ofKind, trustedExternalEndpoint: ofKind, svcExtension: ofKind },
        {
          ...closed,
          description:
            'What differs for one kind of registration. {{version}} in any of them is what a read of the registration shows: its version header, else version.',
        },
      ),
    ),
  },
  closed,
);
export type RegistrationTemplate = Static<typeof registrationTemplate>;

const trigger = Type.Object(
  {
    ...request,
    idPath: optional(
      text(
        'JSON Pointer into the answer to the id of what was made (event, job); the last segment of Location unless given.',
      ),
    ),
  },
  closed,
);

/** Where the service reaches the suite. */
export const listener = Type.Object(
  {
    bind: Type.String({
      description: 'Address and port to listen on, as 0.0.0.0:8099; port 0 takes a free one.',
      pattern: ':\\d+$',
    }),
    publicUrl: Type.String({
      description:
        'URL under which the service reaches that address, without a slash at its end; {port} becomes the port.',
      pattern: '^https?://[^\\s]*[^\\s/]$',
    }),
  },
  closed,
);

/** Requests that make the service call out. Source: ledger, trigger-* */
export const triggers = Type.Object(
  {
    event: optional(trigger),
    endpoint: optional(trigger),
    validation: optional(trigger),
    validationInContext: optional(trigger),
    task: optional(trigger),
    email: optional(trigger),
    actionForm: optional(trigger),
    actionRibbon: optional(trigger),
    actionRibbonInContext: optional(trigger),
    subscribedAs: optional(caller),
    carryHeaders: optional(
      Type.Boolean({
        description: 'Whether correlation id and information filter of a trigger reach the service; true unless given.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'subscribedAs: who owns the subscription behind events and endpoint calls, where there is one and its token speaks for the owner. Placeholders: spaceId, registrationId, recordId, endpointId, objectId, contextObjectId, version, definitionId, processId, levelId, payload, correlationId, to, subject, body, taskSettings, timeout, inputPath, requestedRoute, httpVerb. A validation has no recordId and no registrationId, as the SoftType of the object decides who is called, but from the context object module.',
  },
);

/** How the time of the service passes. */
export const time = Type.Object(
  {
    mode: Type.Union([Type.Literal('real'), Type.Literal('controlled')]),
    control: optional(
      Type.Object(
        {
          url: text('Address of the clock: GET tells now and timers, POST moves it.'),
          token: optional(text('Bearer token for the address.')),
        },
        closed,
      ),
    ),
  },
  closed,
);

/** Most seconds between two looks of a service at its delivery queue: at a multiple of the first gaps they could no longer be told apart. */
const coarsestSeconds = 10;

/** How exactly the service keeps its delivery times. */
export const delivery = Type.Object(
  {
    granularitySeconds: optional(
      Type.Number({
        minimum: 0,
        maximum: coarsestSeconds,
        description: `How often the service looks at its delivery queue: calls may be late by that much on top of the usual tolerance, never early. 0 unless given, at most ${coarsestSeconds}.`,
      }),
    ),
  },
  closed,
);

/** Routes around registrations and deliveries that the documents do not show. */
export const callRoutes = {
  registrationRead: optional(registrationTemplate),
  registrationIdPath: optional(
    text(
      'JSON Pointer into the answer to the registration of an extension to its id; the last segment of Location, else /id, unless given.',
    ),
  ),
  registrationUpdate: optional(registrationTemplate),
  registrationDelete: optional(registrationTemplate),
  eventDelete: optional(requestTemplate),
  deliveryLog: optional(requestTemplate),
  job: optional(requestTemplate),
};

/** Silences about registrations and calls that a deployment may bind. */
export const callExpectations = {
  signatureIncludesBasePath: optional(
    Type.Boolean({ description: 'Whether the signed path holds the path of hostUri.' }),
  ),
  queryTokenName: optional(
    Type.String({ description: 'Query parameter of the token on validation, task and email calls.', minLength: 1 }),
  ),
  retriesTimeouts: optional(Type.Boolean()),
  retriesTooManyRequests: optional(Type.Boolean()),
  retriesActions: optional(Type.Boolean()),
  retriesOtherSuccess: optional(
    Type.Boolean({ description: 'Whether an event answered with 202, 204 or 206 is sent again.' }),
  ),
  mimeTypeLimitsTask: optional(
    Type.Boolean({
      description:
        'Whether a task is kept from files that its MimeType capability does not list where its trigger names the record.',
    }),
  ),
  ratePauseStart: optional(Type.Union([Type.Literal('first'), Type.Literal('last'), Type.Literal('excess')])),
  rateCountsRetries: optional(Type.Boolean()),
  rateScope: optional(Type.Union([Type.Literal('record'), Type.Literal('host')])),
  gapClock: optional(Type.Union([Type.Literal('start'), Type.Literal('end')])),
};
