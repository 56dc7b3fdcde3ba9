import type { Static } from 'typebox';
import { classNames } from './classes.ts';
import { callRoutes, delivery, listener, time, triggers } from './profile/calls-out.ts';
import { caching } from './profile/caching.ts';
import { expectations } from './profile/expectations.ts';
import { extensionHost } from './profile/extension-host.ts';
import { apiKeys, bulk, files, tasks } from './profile/files.ts';
import { proxy, tls } from './profile/reach.ts';
import { softType, type arrayPort } from './profile/soft-type.ts';
import { declaration } from './profile/declaration.ts';
import { json, optional, pathTemplate, text } from './schema-parts.ts';
import { Type } from './type.ts';

const identityMembers = {
  username: optional(text('User name, for the password grant and for Basic authentication.')),
  password: optional(text('Password for the grant; usually ${NAME_OF_AN_ENVIRONMENT_VARIABLE}.')),
  token: optional(text('A ready access token, used instead of the grant.')),
  pat: optional(text('Personal access token.')),
  email: optional(text('Mail address of the user, as actions carry it.')),
  methods: optional(
    Type.Array(text('HTTP method'), {
      description: 'Methods that the role of this identity allows, where that is known.',
    }),
  ),
};
const identity = (description: string) => Type.Closed(identityMembers, { description });

/** How long a case lasts at most, in s, where the profile says nothing. */
const defaultCaseSeconds = 120;

const ofObject = ['spaceId', 'objectId', 'definitionId', 'inputSchemaId', 'outputSchemaId'];

const lockRoute = Type.Closed({
  method: text('HTTP method.'),
  path: pathTemplate('Path template.', ['spaceId', 'objectId']),
  body: optional(json('Body, where one is asked for; {objectId} in a text becomes the id of the object.')),
});

/** Everything that the documents leave open, bound for one deployment. Keys follow the ledger of silences. */
export const profileSchema = Type.Closed(
  {
    profileVersion: Type.Literal(1),
    implementation: text('Name of the implementation; results are published under it.'),
    baseUrl: Type.String({
      description: 'Address before /api, as clients use it: http://host:port',
      pattern: '^https?://[^\\s/]+',
    }),
    tls: optional(tls),
    proxy: optional(proxy),
    space: text('Id of the space under test.'),
    participant: optional(text('Id of a participant of that space.')),
    auth: optional(
      Type.Closed({
        tokenUrl: optional(text('Token endpoint of the password grant; absolute or from the base URL on.')),
        clientId: optional(text('Client id.')),
        clientSecret: optional(text('Client secret.')),
        signingKey: optional(text('Symmetric key of the JWTs, where it is disclosed.')),
        signingKeyForm: optional(Type.Union([Type.Literal('base64'), Type.Literal('text')])),
        tokenLifetimeSeconds: optional(Type.Number({ exclusiveMinimum: 0 })),
        expiredToken: optional(
          text('A genuine token past its expiry, as one that was granted before and kept until it ran out.'),
        ),
        basicOnCoreRoutes: optional(
          Type.Boolean({
            description: 'Whether Basic with a personal access token opens core routes; recorded unless given.',
          }),
        ),
        acquiredKeyOnBulk: optional(
          Type.Literal(true, {
            description:
              'Bulk uploads are open to the AdministrationAPI key that an extension acquires, so that a refusal is a violation; else it is recorded.',
          }),
        ),
        idTokenExchange: optional(
          Type.Closed({
            url: text('Route of the exchange.'),
            form: json('Form fields; {{idToken}} becomes the id token.', ['idToken']),
            idToken: text('Id token of a trusted provider.'),
            foreignIdToken: optional(text('Id token of a provider that is not trusted.')),
          }),
        ),
      }),
    ),
    identities: Type.Closed({
      editor: identity('Creates and edits in the space; its role there allows every method.'),
      secondEditor: optional(identity('Another user with such a role in the same space.')),
      reader: optional(identity('User whose role in the space allows GET only.')),
      outsider: optional(identity('User whose only role is in another space.')),
      noRole: optional(identity('User without a role on any participant.')),
      administrator: optional(
        identity(
          'Collection Administrator, without a role in the space where that can be; where it holds one, methods says what that allows.',
        ),
      ),
      spaceAdministrator: optional(
        identity(
          'Administrator of the space who is no Collection Administrator: collection routes stay closed to it. Where its methods are GET, POST, PUT, PATCH and DELETE, it takes the place of the editor in some cases, by lot.',
        ),
      ),
    }),
    informationFilter: optional(
      Type.Closed({
        default: json('The information filter sent with every request.'),
        dateMember: optional(text('Member of the filter that holds the chosen date, for dated effectivity.')),
        dateForm: optional(
          Type.Union([Type.Literal('date-time'), Type.Literal('date')], {
            description: 'Whether that date is a time or a day alone; found out unless given.',
          }),
        ),
        notNeededOn: optional(
          Type.Array(Type.Union([Type.Literal('openApi'), Type.Literal('multiCreate'), Type.Literal('collection')]), {
            description:
              'Routes at the edge of the space level that do not ask for the header, and are held to that; multi-create has to ask for it and the others are recorded unless given.',
          }),
        ),
      }),
    ),
    softTypes: optional(
      Type.Closed({
        primary: softType,
        second: optional(softType),
        further: optional(
          Type.Array(softType, {
            description:
              'Further SoftTypes, or further parts of one. A rule is judged on the first SoftType of all that has everything it needs: what offers most, as an array port with a nested one, comes first.',
          }),
        ),
        others: optional(
          Type.Array(text('Id of a SoftType definition.'), {
            description: 'SoftTypes of the space besides, of which the dynamic definition has to tell as well.',
          }),
        ),
      }),
    ),
    secondSpace: optional(
      Type.Closed({
        space: text('Id of another space; where that can be, one made from another template.'),
        softType,
        as: optional(
          Type.Enum(['editor', 'outsider'], {
            description:
              'Who writes there: `editor`, or the `outsider` where the editor has no role in it. Found out unless given.',
          }),
        ),
      }),
    ),
    filters: optional(
      Type.Closed({
        softType: optional(
          text('definitionId of the SoftType whose array port is filtered; the primary one unless given.'),
        ),
        fixed: optional(
          Type.Closed({
            id: text('Id of a filter with a fixed value over the array port.'),
            matching: json('Members of an entry that the filter admits.'),
            other: json('Members of an entry that it does not.'),
          }),
        ),
        withValue: optional(
          Type.Closed({
            id: text('Id of a filter whose value is blank.'),
            groupId: text('groupId of the value parameter.'),
            criteriaPort: text('criteriaPort of the value parameter.'),
            member: text('Entry member that the value is compared with.'),
            equals: optional(
              Type.Literal(true, {
                description:
                  'Where only entries are admitted whose member is the very value; unless given, any comparison will do.',
              }),
            ),
          }),
        ),
      }),
    ),
    caching: optional(caching),
    collection: optional(
      Type.Closed({
        reads: Type.Array(text('Path from the base URL on.'), { minItems: 1 }),
        writes: optional(
          Type.Array(Type.Closed({ method: text('HTTP method.'), path: text('Path.'), body: json('Body.') })),
        ),
        ownProfile: optional(
          text('Path of the own profile of the caller, which others than the administrator may read.'),
        ),
      }),
    ),
    maturity: optional(
      Type.Closed({
        softType: optional(text('definitionId of the SoftType that has this level; the primary one unless given.')),
        processId: text('Process id of the promote route.'),
        levelId: text('Level id of the promote route.'),
        secondLevelId: optional(text('Id of another level of the same process, which promotes from its start state.')),
        states: optional(
          Type.Array(text('state'), {
            minItems: 2,
            description:
              'States of the level in order, each as the member state of the state object in data spells it (not its id).',
          }),
        ),
        stateMember: optional(
          text('Member of data that holds the current state of the level, or a JSON Pointer to it from data on.'),
        ),
        frozenStates: optional(
          Type.Array(text('state'), {
            description: 'States of the level in which edits are refused; recorded unless given.',
          }),
        ),
      }),
    ),
    batch: optional(
      Type.Closed({
        hrefForm: optional(
          Type.Union([Type.Literal('absolute'), Type.Literal('path'), Type.Literal('fromBaseUrl')], {
            description:
              'Form of href in an operation: with scheme and host, from the host on, or from the base URL on; tried out unless given.',
          }),
        ),
      }),
    ),
    multiCreate: optional(
      Type.Closed({
        resultHref: text(
          'JSON Pointer into the answer to the URI or the id of an object created, as /{index}/href. {index} stands for the place of the result, {id} for the $id of its item.',
        ),
        resultId: optional(
          text(
            'JSON Pointer with {index} to the $id that a result belongs to, where the results may stand in another order than the items.',
          ),
        ),
        resultInBatch: optional(
          text(
            'JSON Pointer into a batch result to that answer, where a multi-create is an operation of a batch; /body unless given.',
          ),
        ),
      }),
    ),
    references: optional(
      Type.Closed({
        readPath: text(
          'JSON Pointer into an entry of a reference port, as it is read, to the identifier or URI of its target, as /value/$oid.',
        ),
      }),
    ),
    openApi: optional(
      Type.Closed({ served: Type.Boolean({ description: 'Whether the dynamic OpenAPI route is served.' }) }),
    ),
    routes: optional(
      Type.Closed({
        softTypePut: optional(pathTemplate('Path template of the stand-alone PUT.', ofObject)),
        softTypeDelete: optional(pathTemplate('Path template of the DELETE of an object.', ofObject)),
        demote: optional(pathTemplate('Path template of the demote.', [...ofObject, 'processId', 'levelId'])),
        multiCreate: optional(pathTemplate('Path template of the multi-create.', ['spaceId'])),
        openApiDynamic: optional(pathTemplate('Path template of the dynamic definition.', ['spaceId'])),
        openApiStatic: optional(Type.Array(text('Path of a static definition.'))),
        instanceListing: optional(
          pathTemplate(
            'Path template whose GET shows the instances of {definitionId} that hold the text {text}, or all of them.',
            ['spaceId', 'definitionId', 'text'],
          ),
        ),
        lockTake: optional(lockRoute),
        lockFree: optional(lockRoute),
        ...callRoutes,
      }),
    ),
    allowHosts: optional(
      Type.Array(
        Type.String({
          description: 'Name of a host, with its port where it is not the usual one.',
          pattern: '^(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?$',
        }),
        {
          description:
            'Hosts beside that of baseUrl under which clients reach the same service. Where a Location or href leads to one of them, it is followed, with the token; to others it is not.',
        },
      ),
    ),
    baseAddress: optional(text('Base address that the service was set up with, as calls to extensions tell it.')),
    listener: optional(listener),
    triggers: optional(triggers),
    time: optional(time),
    delivery: optional(delivery),
    files: optional(files),
    bulk: optional(bulk),
    apiKeys: optional(apiKeys),
    tasks: optional(tasks),
    extensionHost: optional(extensionHost),
    restart: optional(
      Type.Closed({
        url: text(
          'Address whose POST restarts the service, answered when it is back; docs/control.md has the protocol.',
        ),
        token: optional(text('Bearer token for the address.')),
      }),
    ),
    probes: optional(
      Type.Closed({
        log: optional(
          Type.Closed({
            url: optional(
              pathTemplate(
                'Address whose GET returns the service log as text, one entry a line; absolute or from the base URL on; docs/control.md has the protocol.',
                ['correlationId'],
              ),
            ),
            file: optional(text('File of the service log that the suite can read.')),
            token: optional(text('Bearer token for the address.')),
          }),
        ),
      }),
    ),
    expect: optional(expectations),
    limits: optional(
      Type.Closed({
        requestsPerSecond: optional(
          Type.Number({
            exclusiveMinimum: 0,
            description: 'Most requests a second that the suite sends; unlimited unless given.',
          }),
        ),
        concurrency: optional(
          Type.Integer({
            minimum: 1,
            maximum: 256,
            description: 'Most requests under way at once; 32 unless given.',
          }),
        ),
        requestTimeoutSeconds: optional(
          Type.Number({ exclusiveMinimum: 0, description: 'Longest wait for one answer; 30 unless given.' }),
        ),
        caseSeconds: optional(
          Type.Number({
            exclusiveMinimum: 0,
            description: `Longest case; unless given ${defaultCaseSeconds}, and for each of 1,500 requests what the fastest answer takes, a quarter of an hour of these at most.`,
          }),
        ),
        totalSeconds: optional(
          Type.Number({
            exclusiveMinimum: 0,
            description:
              'Longest time in which rules are judged, without what is tried before the first and the clean-up behind the last; unless given 900, what the longest schedule needs, and for each of 40,000 requests what the fastest answer takes or requestsPerSecond lets it take, two hours of these at most.',
          }),
        ),
        timeBudgetSeconds: optional(
          Type.Number({
            exclusiveMinimum: 0,
            description:
              'Longest real time of one schedule; all start together, and one that saw nothing but lateness begins once more. 150 unless given.',
          }),
        ),
      }),
    ),
    probeWriteLinks: optional(
      Type.Boolean({
        description: 'Whether POST and DELETE links may be tried on objects made for it; true unless given.',
      }),
    ),
    claims: optional(
      Type.Array(Type.Enum([...classNames]), {
        uniqueItems: true,
        description:
          'Classes of rules that the implementation claims to keep, each with everything that belongs to it; reports say whether it does, and `claim` signs it.',
      }),
    ),
    tracing: optional(
      Type.Boolean({
        description:
          'Whether requests of cases carry traceparent and, where the case leaves that header alone, the id of their rule in X-Correlation-Id; true unless given. For gateways that refuse headers that they do not know.',
      }),
    ),
    notSupported: optional(
      Type.Record(Type.String(), declaration, {
        description:
          'Needs or rule ids (with * as wildcard) that this deployment does not offer, each with the reason.',
      }),
    ),
    knownFailures: optional(
      Type.Record(Type.String(), declaration, {
        description:
          'Rule ids (with * as wildcard: every rule of that name) that are known to fail, each with the reason.',
      }),
    ),
  },
  { $id: 'https://svc-conformance.example/schema/profile.json', title: 'Profile of a deployment under test' },
);

export type Profile = Static<typeof profileSchema>;
/** Longest case, in ms. */
export const caseMsOf = ({ limits }: Pick<Profile, 'limits'>): number =>
  (limits?.caseSeconds ?? defaultCaseSeconds) * 1000;
/** What a deployment can be told to call. */
export type TriggerName = Exclude<keyof NonNullable<Profile['triggers']>, 'carryHeaders' | 'subscribedAs'>;
export type IdentityName = keyof Profile['identities'];
export type SoftTypeProfile = Static<typeof softType>;
export type ArrayPortProfile = Static<typeof arrayPort>;
/** Keys of `expect`, each binding one silence of the documents. */
export type Expectation = keyof NonNullable<Profile['expect']>;
