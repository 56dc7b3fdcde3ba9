import type { SilencesOfSection } from './silence.ts';

/** Registrations and the exchange of metadata. */
export const registrationSilences: SilencesOfSection = {
  'registration-responses': {
    source: 'extensions: Registration routes',
    open: 'How a registration answers.',
    choice: '201, Location and an id, or 400; keys are never sent back.',
    profile: 'expect.registrationSuccess',
    records: 'statuses, ids, secrets that came back',
  },
  'registration-read-update-delete': {
    source: 'extensions: Registration routes; Metadata exchange; Registered external endpoint, active',
    open: 'How a registration is read, changed and ended, all of which the text takes for granted.',
    choice: 'GET, PUT (all of it) and DELETE on the route plus its id; GET on the route lists.',
    profile: 'routes.registrationUpdate',
    records: 'which of these are bound',
  },
  'registration-duplicates': {
    source: 'extensions: Registered external endpoint, id',
    open: 'If an endpoint id or a hostUri may be used again.',
    choice: 'An id no, 409; a hostUri yes.',
    records: 'status and effect of the second one',
  },
  'registration-validation-depth': {
    source: 'extensions: Registered external endpoint; Registered trusted external endpoint; Registered extension',
    open: 'Which mistakes in a registration are refused.',
    choice:
      'Lacking fields, wrong types, numbers under 1 and headers without a content type get 400; extra fields pass.',
    profile: 'expect.registrationInvalid',
    records: 'status, by mistake',
  },
  'registration-scheme': {
    source: 'extensions: Registration routes; Acquiring API keys',
    open: 'If the two schemes in the examples mean two addresses.',
    choice: 'One address serves all; nothing redirects.',
    profile: 'baseUrl',
    records: 'scheme, by route',
  },
  'registration-inactive-extension': {
    source: 'extensions: Registered extension, active; Metadata exchange',
    open: 'If a host that is switched off is asked for metadata, and if switching it on asks again.',
    choice: 'Every add and every update asks, on or off.',
    records: 'requests for metadata around such registrations and switches',
  },
  'inactive-queue': {
    source: 'extensions: Registered external endpoint, active',
    open: 'What becomes of events while the endpoint is off, and of those that wait when it is switched.',
    choice: 'New ones are dropped and logged; waiting ones go out when it is on again.',
    records: 'if they were dropped, kept or sent',
  },
  'extension-identifier': {
    source: 'extensions: Acquiring API keys; Registered extension; Extension metadata record, id',
    open: 'Which id the acquire route means, as a registered host has none.',
    choice:
      'That of the metadata record, or of the registration for any of its records; for trusted endpoints that of the endpoint.',
    profile: 'apiKeys.extensionId',
    records: 'the id that worked',
  },
  'metadata-fetch-timing': {
    source: 'extensions: Metadata exchange',
    open: 'If the registration waits for the metadata, and falls with it.',
    choice: 'It waits up to 10 s; without metadata it stands, empty, and its 201 has a warning.',
    profile: 'metadata.fetchDeadlineSeconds',
    records: 'which came first, and the answer when the host is down',
  },
  'metadata-fetch-retry': {
    source: 'extensions: Metadata exchange; Errors, rule 1',
    open: 'If a failed request for metadata is repeated.',
    choice: 'No.',
    records: 'number and gaps of requests to a failing host',
  },
  'metadata-invalid-record': {
    source: 'extensions: Extension metadata record',
    open: 'What one bad record does to its host.',
    choice: 'It is left out and logged; the good ones serve.',
    profile: 'metadata.invalidRecord',
    records: 'status of the registration, and if good neighbours were called',
  },
  'metadata-capability-type': {
    source: 'extensions: Extension metadata record, capabilities and the text on their use',
    open: 'Which capability types exist: the schema knows one, the samples three, the prose any.',
    choice: 'Any text that is not empty; a task gets no file of a type that its MimeType capability leaves out.',
    profile: 'expect.mimeTypeLimitsTask',
    records: 'what MimeType, BaseType and a made-up one led to',
  },
  'metadata-duplicate-ids': {
    source: 'extensions: Extension metadata record, id',
    open: 'If two records may share an id, in one host or in two.',
    choice: 'In two they may; in one the first counts.',
    records: 'the record that was called',
  },
  'metadata-type-spelling': {
    source: 'extensions: Extension metadata record, extensionType',
    open: 'If a type in other letters is a type or one of those passed over.',
    choice: 'It is passed over.',
    records: 'what became of a lower-case type',
  },
  'endpoint-joining': {
    source: 'extensions: Calls to extensions; Metadata exchange; Extension metadata record, endpoint',
    open: 'How hostUri and endpoint meet, slash or no slash, and if an endpoint may bring a query.',
    choice: 'With one slash; its query stays, and more is added to it.',
    records: 'paths that arrived, by form',
  },
};
