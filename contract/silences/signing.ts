import type { Silence } from './silence.ts';

/** Administration keys and signatures. */
export const signingSilences: readonly Silence[] = [
  {
    id: 'initial-administration-key',
    source: 'extensions: Authentication, rule 2; Acquiring API keys',
    open: 'Where the first administration key comes from, as only extensions can ask for one.',
    choice: 'From the configuration; it is good from the start.',
    profile: 'credentials.adminApiKey',
    records: 'if bulk rules used a configured key or an acquired one',
  },
  {
    id: 'administration-key-holders',
    source: 'extensions: Authentication, rules 2 and 5; Permission names',
    open: 'If the key that an extension acquires opens bulk routes, and what the other permissions open.',
    choice: 'It does, signed the same way; the others open nothing here.',
    profile: 'auth.acquiredKeyOnBulk',
    records: 'how a bulk call ends, by key',
  },
  {
    id: 'signature-path-query',
    source: 'extensions: Authentication, rules 2 and 3; Calls to extensions',
    open: 'If a query is part of the path that is signed.',
    choice: 'No: from the first slash to the question mark, encoded as it is sent.',
    records: 'the text that verifies when there is a query',
  },
  {
    id: 'signature-host-base-path',
    source: 'extensions: Authentication, rule 3; Registered extension, hostUri',
    open: 'If the path inside hostUri is signed too.',
    choice: 'Yes: all of the path that the host receives.',
    profile: 'expect.signatureIncludesBasePath',
    records: 'the text that verifies when hostUri has a path',
  },
  {
    id: 'signature-path-encoding',
    source: 'extensions: Authentication, rules 2 and 3',
    open: 'If encoded characters are signed encoded, and ids in which case.',
    choice: 'As they stand on the request line.',
    records: 'the text that verifies when the endpoint has an encoded character',
  },
  {
    id: 'signature-key-format',
    source: 'extensions: Registered extension, apiKey; Authentication, rule 2',
    open: 'Which texts may be a key.',
    choice: 'Base64 of 16 bytes or more; others get 400.',
    records: 'how a short key and one that is not Base64 end',
  },
  {
    id: 'signature-refusal-status',
    source: 'extensions: Authentication, rule 3',
    open: 'How a host refuses a bad signature.',
    choice: '401, by the bundled host.',
    profile: 'extension.refusalStatus',
    records: 'status',
  },
];
