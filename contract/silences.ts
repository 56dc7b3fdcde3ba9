import { authenticationSilences } from './silences/authentication.ts';
import { batchSilences } from './silences/batch.ts';
import { callSilences } from './silences/calls.ts';
import { deliverySilences } from './silences/delivery.ts';
import { errorSilences } from './silences/errors.ts';
import { fileSilences } from './silences/files.ts';
import { headerSilences } from './silences/headers.ts';
import { multiCreateSilences } from './silences/multi-create.ts';
import { operationSilences } from './silences/operations.ts';
import { pagingSilences } from './silences/paging.ts';
import { readingSilences } from './silences/reading.ts';
import { registrationSilences } from './silences/registration.ts';
import { routeSilences } from './silences/routes.ts';
import type { Silence, SilencesOfSection } from './silences/silence.ts';
import { triggerSilences } from './silences/triggers.ts';
import { writingSilences } from './silences/writing.ts';

/** Administration keys and signatures. */
const signingSilences: SilencesOfSection = {
  'initial-administration-key': {
    source: 'extensions: Authentication, rule 2; Acquiring API keys',
    open: 'Where the first administration key comes from, as only extensions can ask for one.',
    choice: 'From the configuration; it is good from the start.',
    profile: 'credentials.adminApiKey',
    records: 'if bulk rules used a configured key or an acquired one',
  },
  'administration-key-holders': {
    source: 'extensions: Authentication, rules 2 and 5; Permission names',
    open: 'If the key that an extension acquires opens bulk routes, and what the other permissions open.',
    choice: 'It does, signed the same way; the others open nothing here.',
    profile: 'auth.acquiredKeyOnBulk',
    records: 'how a bulk call ends, by key',
  },
  'signature-path-query': {
    source: 'extensions: Authentication, rules 2 and 3; Calls to extensions',
    open: 'If a query is part of the path that is signed.',
    choice: 'No: from the first slash to the question mark, encoded as it is sent.',
    records: 'the text that verifies when there is a query',
  },
  'signature-host-base-path': {
    source: 'extensions: Authentication, rule 3; Registered extension, hostUri',
    open: 'If the path inside hostUri is signed too.',
    choice: 'Yes: all of the path that the host receives.',
    profile: 'expect.signatureIncludesBasePath',
    records: 'the text that verifies when hostUri has a path',
  },
  'signature-path-encoding': {
    source: 'extensions: Authentication, rules 2 and 3',
    open: 'If encoded characters are signed encoded, and ids in which case.',
    choice: 'As they stand on the request line.',
    records: 'the text that verifies when the endpoint has an encoded character',
  },
  'signature-key-format': {
    source: 'extensions: Registered extension, apiKey; Authentication, rule 2',
    open: 'Which texts may be a key.',
    choice: 'Base64 of 16 bytes or more; others get 400.',
    records: 'how a short key and one that is not Base64 end',
  },
  'signature-refusal-status': {
    source: 'extensions: Authentication, rule 3',
    open: 'How a host refuses a bad signature.',
    choice: '401, by the bundled host.',
    profile: 'extension.refusalStatus',
    records: 'status',
  },
};

/** OpenAPI documents, links and the collection level. */
const collectionSilences: SilencesOfSection = {
  'openapi-version-and-media-type': {
    source: 'core: What the service does',
    open: 'Which OpenAPI it is and how it is written.',
    choice: '3.1, as JSON.',
    records: 'version declared, media type',
  },
  'openapi-access': {
    source: 'core: What the service does; Authentication 1 and 7',
    open: 'Who may read the documents.',
    choice: 'Those who may use the routes that they describe.',
    profile: 'expect.openApiWithoutToken',
    records: 'status without a token, and without a role',
  },
  'link-rels': {
    source: 'core: Link object, rel',
    open: 'Which kinds of links there are besides page.',
    choice: 'self and edit as registered with IANA; replace, delete, promote, demote.',
    records: 'the kinds met',
  },
  'link-completeness': {
    source: 'core: What the service does',
    open: 'If what has no link may not be done.',
    choice: 'Links are complete for the instance: what the identity may do now is there.',
    records: 'methods offered, by identity',
  },
  'links-and-state': {
    source: 'core: What the service does; States and transitions',
    open: 'If links follow the state of the object, or the role alone.',
    choice: 'promote and demote are there while they lead somewhere; a lock of somebody else takes no link away.',
    records: 'links, by state',
  },
  'collection-version-header': {
    source: 'core: Common request headers, Svc-UOIVersion',
    open: 'If writes at collection level name a version.',
    choice: 'No; there is no system version to name.',
    profile: 'expect.collectionWriteWithoutVersion',
    records: 'status',
  },
  'own-profile-access': {
    source: 'core: What the service does, collection level; Authentication 7',
    open: 'If everybody may see the profile that is their own.',
    choice: 'Administrators only; the rule knows no exception.',
    profile: 'collection.ownProfile',
    records: 'status for the editor',
  },
  'role-change-effect': {
    source: 'core: Authentication 7',
    open: 'If a token feels that its owner lost a role.',
    choice: 'With the next request.',
    records: 'nothing: the suite changes no roles',
  },
};

/** External tasks and their reports. */
const taskSilences: SilencesOfSection = {
  'task-link-templates': {
    source: 'extensions: External task links',
    open: 'What has to be filled into the links of a task, and if they open by themselves.',
    choice:
      '{path} and {status}, in absolute URLs; inputFile has its token, downloadFile waits for one after `?token=`.',
    profile: 'tasks.linkTemplates',
    records: 'placeholders, form, tokens',
  },
  'task-status-letter-case': {
    source: 'extensions: Callbacks from an external task, status',
    open: 'If a status may be reported in other letters, and how a report is acknowledged.',
    choice:
      'As written or 400; 204. A body of another form gets 422, as do paths over 4096 and messages over 10000 characters.',
    profile: 'status.taskCallback',
    records: 'status, by spelling and on success',
  },
  'task-final-state-changes': {
    source: 'extensions: External task status',
    open: 'What a report is worth when the job has ended or timed out.',
    choice: 'Nothing: 409, the end stays what it was. A cancelled job has failed, and keeps that it was cancelled.',
    records: 'statuses and state of the job',
  },
  'task-timeout-clock': {
    source: 'extensions: Payloads, ExternalTask; Limits, task timeout',
    open: 'When the time of a task starts, and if progress buys more.',
    choice: 'When it is acknowledged; no. A report that comes ahead of the acknowledgement counts.',
    profile: 'tasks.timeoutClock',
    records: 'time until failure, from call and from acknowledgement',
  },
  'task-delivery-failure': {
    source: 'extensions: Events, rule 3; External task status',
    open: 'How a job ends whose call never got through.',
    choice: 'Failed, at once.',
    records: 'when, and in which state',
  },
  'task-callback-identity': {
    source: 'extensions: Authentication, rule 4; Callbacks from an external task',
    open: 'Who besides the scheduler may report.',
    choice: 'Whoever has a role in the space.',
    records: 'status for another member and for an outsider',
  },
};

/** Maturity levels and their states. */
const maturitySilences: SilencesOfSection = {
  'maturity-states-and-conditions': {
    source: 'core: States and transitions',
    open: 'Which states there are, which moves, and on what conditions.',
    choice: 'One process, two levels, three states in a row each, no conditions.',
    profile: ['maturity.processId', 'maturity.levelId', 'maturity.states'],
    records: 'states met',
  },
  'current-state-member': {
    source: 'core: States and transitions',
    open: 'Where in data the current state stands.',
    choice: 'At the root, one member for each level, called like the level.',
    profile: 'maturity.stateMember',
    records: 'members that have the documented shape',
  },
  'promote-in-last-state': {
    source: 'core: States and transitions',
    open: 'How promote is refused at the end, and demote at the start.',
    choice: '422, with nothing changed.',
    profile: 'expect.promoteInLastState',
    records: 'status, version, state',
  },
  'promote-unknown-process-or-level': {
    source: 'core: Endpoint table, row promote; Errors, 404',
    open: 'How a process or level is refused that is unknown, or strange to the object.',
    choice: '404.',
    records: 'status, by kind',
  },
  'promote-with-body': {
    source: 'core: Endpoint table, row promote',
    open: 'If a body does harm where none is asked for.',
    choice: 'No, it is not read.',
    records: 'status',
  },
  'demote-effect': {
    source: 'core: States and transitions',
    open: 'How far back a demote goes.',
    choice: 'One state.',
    records: 'the state it led to',
  },
  'state-and-edits': {
    source: 'core: States and transitions',
    open: 'If a state closes the object to edits or deletion, and how that is told.',
    choice: 'No state does.',
    profile: 'maturity.frozenStates',
    records: 'status of an edit in each state reached',
  },
};

/** How extensions come by API keys. */
const apiKeySilences: SilencesOfSection = {
  'acquire-credential': {
    source: 'extensions: Acquiring API keys; core: Authentication 7',
    open: 'Who may ask: the route is for administrators by its place, the caller is an extension.',
    choice:
      'The extension, signing the path with its key, or an administrator; trusted endpoints come in by the latter. Who is neither is told so before the id is looked at: 404 is for administrators.',
    profile: 'credentials.acquire',
    records: 'what was accepted',
  },
  'acquire-callback-details': {
    source: 'extensions: Acquiring API keys',
    open: 'How the keys are brought: to which address, under which signature, how often, and when.',
    choice:
      'To an absolute address, signed like any call where there is a key, once, ahead of the 204. They open doors when they arrive; without a 2xx there the answer is 502, and they are void.',
    profile: 'apiKeys.callbackTimeoutSeconds',
    records: 'headers, order, attempts',
  },
  'acquire-mixed-request': {
    source: 'extensions: Acquiring API keys',
    open: 'What one name too many does to a request.',
    choice: 'It fails whole, 403.',
    profile: 'status.acquireRefused',
    records: 'status, and if keys came',
  },
  'key-rotation-overlap': {
    source: 'extensions: Permission names; Limits, permission key rotation',
    open: 'From when the 24 hours count, how long the old key lasts, and if the new one is sent.',
    choice:
      'From its issue; five minutes more; no. A key also ends with its registration or permission, and while the registration is switched off.',
    profile: 'apiKeys.overlapSeconds',
    records: 'last use of an old key, keys that were sent, if keys of one period are equal',
  },
};

const cachingSilences: SilencesOfSection = {
  'etag-resources': {
    source: 'core: Common request headers, If-None-Match',
    open: 'Which reads are of data that is not a SoftType.',
    choice: 'Those of the collection and of OpenAPI documents. A page is SoftType data.',
    profile: ['caching.resources', 'caching.change'],
    records: 'reads that came with an ETag',
  },
  'etag-strength': {
    source: 'core: Versioning 4',
    open: 'What an ETag looks like.',
    choice: 'A quoted hash of what is sent, strong (RFC 9110).',
    records: 'its form',
  },
  'if-none-match-forms': {
    source: 'core: Errors, 304',
    open: 'If equality covers *, lists and W/.',
    choice: 'As RFC 9110 compares, section 13.1.2.',
    records: 'status, by form',
  },
  'etag-on-304': {
    source: 'core: Errors, 304',
    open: 'If a 304 names the ETag again.',
    choice: 'Yes (RFC 9110).',
    records: 'headers of a 304',
  },
  'softtype-etag': {
    source: 'core: Common request headers; Versioning 4',
    open: 'If SoftTypes may take part in caching all the same.',
    choice: 'They do not: no ETag, and If-None-Match does nothing.',
    records: 'ETag and status of conditional reads of an instance',
  },
};

/** The ledger of silences by document: what each leaves open, what the reference server does there, and what binds it elsewhere. */
export const silences: { readonly core: readonly Silence[]; readonly extensions: readonly Silence[] } = {
  core: listed([
    routeSilences,
    errorSilences,
    authenticationSilences,
    headerSilences,
    readingSilences,
    pagingSilences,
    writingSilences,
    operationSilences,
    batchSilences,
    multiCreateSilences,
    maturitySilences,
    cachingSilences,
    collectionSilences,
  ]),
  extensions: listed([
    fileSilences,
    signingSilences,
    registrationSilences,
    triggerSilences,
    callSilences,
    deliverySilences,
    taskSilences,
    apiKeySilences,
  ]),
};

function listed(sections: readonly SilencesOfSection[]): readonly Silence[] {
  return sections.flatMap((section) => Object.entries(section).map(([id, silence]) => ({ id, ...silence })));
}
