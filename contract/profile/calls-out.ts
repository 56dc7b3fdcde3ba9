import type { Static } from 'typebox';
import { optional, placeholders, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

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

/** Parts of a request that the documents do not show. */
export const requestParts = {
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
const requestTemplate = Type.Closed(requestParts);
export type RequestTemplate = Static<typeof requestTemplate>;

const { method, path, ...further } = requestParts;
/** What differs from the template for one kind of registration. */
const ofKind = optional(Type.Closed({ method: optional(method), path: optional(path), ...further }));
/** A request about a registration. */
const registrationTemplate = Type.Closed({
  ...requestParts,
  byKind: optional(
    Type.Closed(
      { externalEndpoint: ofKind, trustedExternalEndpoint: ofKind, svcExtension: ofKind },
      {
        description:
          'What differs for one kind of registration. {{version}} in any of them is what a read of the registration shows: its version header, else version.',
      },
    ),
  ),
});
export type RegistrationTemplate = Static<typeof registrationTemplate>;

/** What every template knows. */
const ofSpace = ['spaceId', 'participantId', 'processId', 'levelId'];

const ofThing = ['objectId', 'version', 'definitionId', 'inputSchemaId', 'outputSchemaId'];

/** A request that the documents do not show. */
const bound = (description: string, names: readonly string[]) =>
  optional(Type.Closed(requestParts, { description, ...placeholders('{{', [...names, ...ofSpace]) }));

/** Members of registrations. Source: extensions, Registered external endpoint, Registered trusted external endpoint, Registered extension */
const ofRegistration = [
  'kind',
  'registrationId',
  'registration',
  'hostUri',
  'apiKey',
  'tokenLifeTime',
  'active',
  'id',
  'url',
  'method',
  'category',
  'headers',
  'name',
  'description',
  'requestTimeout',
  'retryForever',
  'rateLimitNumberOfExecutions',
  'permissions',
];

const aboutRegistration = (description: string) =>
  optional(
    Type.Closed(registrationTemplate.properties, {
      description,
      ...placeholders('{{', [...ofRegistration, 'version', ...ofSpace]),
    }),
  );

const triggerRequest = Type.Closed({
  ...requestParts,
  idPath: optional(
    text(
      'JSON Pointer into the answer to the id of what was made (event, job), as routes.eventDelete and routes.job take it; the last segment of Location, else /id, unless given.',
    ),
  ),
  shownPath: optional(
    text(
      'JSON Pointer into the answer to a text that stands in the call, by which the suite recognises it where it may not choose the content; the id of what was made unless given.',
    ),
  ),
  take: optional(
    Type.Record(Type.String(), text('JSON Pointer, or Location'), {
      description:
        'Further placeholders for the requests after this one: each name with the JSON Pointer into the answer to its value, or with the word Location for the last segment of that header.',
    }),
  ),
  answer: optional(
    Type.Boolean({
      description: 'Whether this is the request whose answer counts; the last one unless one says so.',
    }),
  ),
});
export type TriggerRequest = Static<typeof triggerRequest>;
export type TriggerTemplate = TriggerRequest | TriggerRequest[];

/** One request or several, sent one after the other. */
const trigger = (description: string, names: readonly string[]) =>
  optional(
    Type.Union([triggerRequest, Type.Array(triggerRequest, { minItems: 1 })], {
      description: `${description} One request, or several that are sent in this order, each once the one before was accepted.`,
      ...placeholders('{{', [...names, ...ofSpace]),
    }),
  );

/** Where the service reaches the suite. */
export const listener = Type.Closed({
  bind: Type.String({
    description: 'Address and port to listen on, as 0.0.0.0:8099; port 0 takes a free one.',
    pattern: ':\\d+$',
  }),
  publicUrl: Type.String({
    description:
      'URL under which the service reaches that address, without a slash at its end; {port} becomes the port.',
    pattern: '^https?://[^\\s]*[^\\s/]$',
  }),
  tls: optional(
    Type.Closed(
      {
        certificate: Type.String({
          description: 'Certificate in PEM, those of its issuers after it; the service has to trust them.',
        }),
        key: Type.String({ description: 'Its key in PEM, usually ${NAME_OF_AN_ENVIRONMENT_VARIABLE}.' }),
      },
      { description: 'The suite speaks TLS at that address; without it, what stands before it may.' },
    ),
  ),
});

/** How a record of an extension is named. */
const ofRecord = ['recordId', 'registrationId'];

/** Requests that make the service call out. Source: ledger, trigger-* */
export const triggers = Type.Closed(
  {
    event: trigger(
      'Causes one event of the extension that it names by its record or its registration. Cases run beside each other: where it subscribes to something, only to what it does itself.',
      [...ofRecord, 'payload'],
    ),
    endpoint: trigger('Causes one call of a simple or trusted endpoint, and likewise none of others.', [
      'endpointId',
      'payload',
    ]),
    validation: trigger('The operation that is validated; the SoftType of the object decides who is called.', ofThing),
    validationInContext: trigger('The same from the context object module.', [
      ...ofRecord,
      ...ofThing,
      'contextObjectId',
    ]),
    task: trigger('Schedules one data-exchange job with a task.', [
      ...ofRecord,
      'inputPath',
      'taskSettings',
      'timeout',
    ]),
    email: trigger('Sends one mail.', [...ofRecord, 'to', 'subject', 'body']),
    actionForm: trigger('Runs the form variant of an action.', [
      ...ofRecord,
      ...ofThing,
      'requestedRoute',
      'httpVerb',
      'payload',
    ]),
    actionRibbon: trigger('Runs the ribbon variant of an action; there is no context, whose member is left out.', [
      ...ofRecord,
      ...ofThing,
      'contextObjectId',
    ]),
    actionRibbonInContext: trigger('The same from the context object module.', [
      ...ofRecord,
      ...ofThing,
      'contextObjectId',
    ]),
    subscribedAs: optional(caller),
    carryHeaders: optional(
      Type.Boolean({
        description: 'Whether correlation id and information filter of a trigger reach the service; true unless given.',
      }),
    ),
  },
  {
    description:
      'subscribedAs: who owns the subscription behind events and endpoint calls, where there is one and its token speaks for the owner.',
  },
);

/** How the time of the service passes. */
export const time = Type.Closed({
  mode: Type.Union([Type.Literal('real'), Type.Literal('controlled')]),
  control: optional(
    Type.Closed({
      url: text('Address of the clock: GET tells now and timers, POST moves it; docs/control.md has the protocol.'),
      token: optional(text('Bearer token for the address.')),
    }),
  ),
});

/** Most seconds between two looks of a service at its delivery queue: at a multiple of the first gaps they could no longer be told apart. */
const coarsestSeconds = 10;

/** How exactly the service keeps its delivery times. */
export const delivery = Type.Closed({
  granularitySeconds: optional(
    Type.Number({
      minimum: 0,
      maximum: coarsestSeconds,
      description: `How often the service looks at its delivery queue: calls may be late by that much on top of the usual tolerance, never early. 0 unless given, at most ${coarsestSeconds}.`,
    }),
  ),
});

/** Routes around registrations and deliveries that the documents do not show. */
export const callRoutes = {
  registrationRead: aboutRegistration(
    'Reads one registration of an endpoint or an extension. The members of what was registered are placeholders too; kind is externalEndpoint, trustedExternalEndpoint or svcExtension, registration the whole body.',
  ),
  registrationIdPath: optional(
    text(
      'JSON Pointer into the answer to a registration to the id by which its routes name it or to an address that ends with it, or the word Location for the last segment of that header. Unless given: the id that an endpoint states; the last segment of Location, else /id, for an extension.',
    ),
  ),
  registrationUpdate: aboutRegistration('Changes one registration; registration is the whole body with the change.'),
  registrationDelete: aboutRegistration('Removes one registration.'),
  eventDelete: bound('Deletes an event from the queue; eventId is what triggers.event.idPath leads to.', ['eventId']),
  deliveryLog: bound('Reads the log of deliveries.', []),
  job: bound('Reads the outcome of a data-exchange job; jobId is what triggers.task.idPath leads to.', ['jobId']),
};

/** Silences about registrations and calls that a deployment may bind. */
export const callExpectations = {
  signatureIncludesBasePath: optional(
    Type.Boolean({ description: 'Whether the signed path holds the path of hostUri.' }),
  ),
  queryTokenName: optional(
    Type.String({ description: 'Query parameter of the token on validation, task and email calls.', minLength: 1 }),
  ),
  emailTimeoutSeconds: optional(
    Type.Integer({
      description:
        'Seconds after which a mail call without a requestTimeout of its own is given up; 600 unless given, as the table of limits has it. The table of records has 100.',
      minimum: 1,
      maximum: 600,
    }),
  ),
  retriesTimeouts: optional(Type.Boolean({ description: 'Whether a call that ran into its timeout is tried again.' })),
  retriesTooManyRequests: optional(Type.Boolean({ description: 'Whether a call answered with 429 is tried again.' })),
  retriesActions: optional(Type.Boolean({ description: 'Whether an action is tried again after a transient error.' })),
  retriesOtherSuccess: optional(
    Type.Boolean({ description: 'Whether an event answered with 202, 204 or 206 is sent again.' }),
  ),
  mimeTypeLimitsTask: optional(
    Type.Boolean({
      description:
        'Whether a task is kept from files that its MimeType capability does not list where its trigger names the record.',
    }),
  ),
  ratePauseStart: optional(
    Type.Union([Type.Literal('first'), Type.Literal('last'), Type.Literal('excess')], {
      description:
        'Which execution of a minute the pause begins with: the first one, the last that is allowed, or the first that is too many.',
    }),
  ),
  rateCountsRetries: optional(Type.Boolean({ description: 'Whether retries are executions to the rate limit.' })),
  rateScope: optional(
    Type.Union([Type.Literal('record'), Type.Literal('host')], {
      description: 'What has a rate of its own: each metadata record, or the host of all of them.',
    }),
  ),
  gapClock: optional(
    Type.Union([Type.Literal('start'), Type.Literal('end')], {
      description: 'Where the gap before a retry begins: at the start of the failed attempt, or at its end.',
    }),
  ),
};
