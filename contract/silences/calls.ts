import type { SilencesOfSection } from './silence.ts';

/** What a call to an extension carries. */
export const callSilences: SilencesOfSection = {
  'envelope-id-guid-form': {
    source: 'extensions: Call envelope, id; core: Common request headers, X-Correlation-Id',
    open: 'How generated ids are written, and what becomes of given ones that are no GUIDs.',
    choice: 'Version 4, lower case, four hyphens; given ones go on untouched.',
    records: 'form of generated ids, and if given ones changed',
  },
  'envelope-id-on-retry': {
    source: 'extensions: Call envelope, id',
    open: 'If a repeated call is a new call with a new id.',
    choice: 'No: one id for one event.',
    records: 'id, by attempt',
  },
  'token-on-retry': {
    source: 'extensions: Registered extension, tokenLifeTime; Limits, retries',
    open: 'If a late attempt carries a token that is still good.',
    choice: 'Every attempt gets its own.',
    records: 'token and its end, by attempt',
  },
  'token-subject': {
    source: 'extensions: Call envelope, accessToken; Registered trusted external endpoint',
    open: 'In whose name a call is made; several are mentioned.',
    choice: 'Of whoever caused it; of the owner for subscriptions, of the scheduler for tasks.',
    profile: 'triggers.subscribedAs',
    records: 'name in the token, by kind of call',
  },
  'token-claims': {
    source: 'extensions: Authentication, rule 4; core: Authentication 2',
    open: 'What such a token claims, and how exactly its end is kept.',
    choice: 'sub, iat, exp, jti, scope; to the second.',
    profile: 'tokens.clockSkewSeconds',
    records: 'claims, and how long after its end it still opened',
  },
  'token-query-names': {
    source: 'extensions: File routes, row 3; Registered trusted external endpoint; Calls to extensions',
    open: 'What the token in a query is called on calls, where the text has no name for it.',
    choice: 'access_token on every call, token on downloads.',
    profile: 'expect.queryTokenName',
    records: 'name, by kind of call',
  },
  'token-query-other-types': {
    source: 'extensions: Calls to extensions',
    open: 'If events and actions may have such a query too.',
    choice: 'They have none.',
    records: 'query parameters, by kind of call',
  },
  'information-filter-without-trigger': {
    source: 'extensions: Call envelope, informationFilter; core: Information filter',
    open: 'What filter a call passes on when it was given none, and if a given one is rewritten.',
    choice: 'That of {}; a given one goes on as it came.',
    records: 'the value with a filter and without',
  },
  'optional-payload-members': {
    source: 'extensions: Payloads by extension type',
    open: 'How a member looks that does not apply.',
    choice: 'It is left out.',
    records: 'how, by member',
  },
  'uoi-version-type': {
    source: 'extensions: Payloads, ExternalAction; Errors, rule 4',
    open: 'If an action hears the version as a number; in its answer it is one.',
    choice: 'As a number.',
    records: 'JSON type',
  },
  'tls-and-certificates': {
    source: 'extensions: Registered extension, hostUri; Registered external endpoint, url',
    open: 'If hosts may do without TLS, and whose certificates are good.',
    choice: 'They may; those that the machine trusts.',
    profile: 'listener.tls',
    records: 'if a certificate that nobody trusts is retried',
  },
  'response-size-limits': {
    source: 'extensions: Metadata exchange; Calls to extensions',
    open: 'How much a host may answer.',
    choice: '1 MiB; more is malformed.',
    profile: 'calls.maxResponseBytes',
    records: 'what 2 MiB of metadata or of verdict led to',
  },
  'request-body-encoding': {
    source: 'extensions: Call envelope',
    open: 'How the body of a call is labelled and packed.',
    choice: 'JSON in UTF-8, said so, not compressed.',
    records: 'headers',
  },
  'other-extension-payloads': {
    source: 'extensions: Payloads, last sentence',
    open: 'What the eight types without a shown payload are sent.',
    choice: 'Nothing; their records are kept.',
    records: 'calls for such records',
  },
  'endpoint-body-and-query': {
    source: 'extensions: Registered external endpoint, text below the table; Registered trusted external endpoint',
    open: 'If GET and DELETE calls bring a body, and where the token goes in an odd URL.',
    choice: 'They bring none; it goes last in the query, and a fragment is cut off.',
    records: 'request line and body, by method',
  },
};
