import { relatedInCore } from './related/core.ts';
import type { RuleId } from './rule.ts';

/** Rules whose cases use the token of a task's envelope. */
const usesOfTaskTokens: readonly RuleId[] = [
  'tasks.links.input-file-usable',
  'tasks.links.input-dir-usable',
  'tasks.links.upload-stream-usable',
  'tasks.links.upload-chunk-usable',
  'tasks.links.templates-usable',
  'tasks.status.completed',
  'tasks.status.canceled-job-failed',
  'tasks.status.failed-job-outcome',
  'tasks.status.body-optional',
  'tasks.status.invalid-refused',
  'tasks.callback.missing-credential-401',
  'tasks.callback.unknown-job-fails',
  'tasks.callback.foreign-space-fails',
  'tasks.callback.foreign-user',
  'tasks.progress.message-shown',
  'tasks.timeout.configured-fails-job',
];

const refusedTaskTokens = usesOfTaskTokens.map((rule) => ({
  rule,
  because: 'the token of the envelope has to open what the task uses',
}));

/** Of the areas around extensions. */
const relatedInExtensions: RelatedRules = {
  'signing.extension-host.query-ignored': [
    { rule: 'calls.host.email-acknowledged', because: 'mails are called with a query' },
    { rule: 'calls.host.validation-object', because: 'validations are called with a query' },
    { rule: 'tasks.host.acknowledged-first', because: 'tasks are called with a query' },
  ],
  'calls.host.answers-within-timeout': [
    { rule: 'calls.host.event-acknowledged-first', because: 'an answer that is held comes late, whatever holds it' },
  ],
  'calls.host.concurrent-calls': [
    { rule: 'calls.host.redelivery', because: 'a call that was cut off may still be running when it is repeated' },
  ],
  'tasks.host.callback-token': [
    { rule: 'calls.host.uses-envelope-token', because: 'a report without a token does not carry that of its call' },
  ],
  'calls.envelope.id-from-correlation': [
    {
      rule: 'headers.correlation-id.reaches-extension',
      because: 'the id of the envelope is the correlation id of the trigger',
    },
    {
      rule: 'delivery.event.same-content-on-retry',
      because: 'it compares the id of the envelope with the correlation id of the trigger',
    },
  ],
  'calls.envelope.id-across-types': [
    { rule: 'headers.correlation-id.reaches-extension', because: 'a promote in a batch calls a validation' },
  ],
  'calls.validation.payload-fields': [
    {
      rule: 'metadata.records.several-types-usable',
      because: 'calls of a validation are told apart by their objectId',
    },
    {
      rule: 'metadata.capability.soft-type-limits-validation',
      because: 'calls of a validation are told apart by their objectId',
    },
    { rule: 'delivery.validation.retry-gaps', because: 'calls of a validation are told apart by their objectId' },
    {
      rule: 'delivery.validation.retry-forever-ignored',
      because: 'calls of a validation are told apart by their objectId',
    },
    { rule: 'delivery.validation.recovers', because: 'calls of a validation are told apart by their objectId' },
  ],
  'calls.trusted.access-token-appended': [
    { rule: 'delivery.trusted-endpoint.retry-gaps', because: 'it demands the parameter on every attempt' },
  ],
  'calls.simple.no-token': [{ rule: 'calls.simple.method', because: 'the call goes to exactly the registered url' }],
  'calls.token.jwt-form': refusedTaskTokens,
  'calls.token.accepted-by-api': refusedTaskTokens,
  'calls.token.life-time-claim': [
    { rule: 'calls.token.expires', because: 'the token works as long as its claims say' },
  ],
  'delivery.validation.no-fourth-retry': [
    {
      rule: 'delivery.validation.retry-forever-ignored',
      because: 'four attempts are right for a record with retryForever as well',
    },
  ],
  'registration.active.false-not-called-endpoint': [
    { rule: 'registration.active.toggle-at-runtime', because: 'what is switched off must not be called either' },
  ],
  'registration.active.false-not-called-extension': [
    { rule: 'registration.active.toggle-at-runtime', because: 'what is switched off must not be called either' },
  ],
  'signing.bulk.url-safe-alphabet': [
    { rule: 'api-keys.key.administration-on-bulk', because: 'the signature under an acquired key is spelled alike' },
  ],
  'tasks.status.completed': [
    { rule: 'tasks.timeout.configured-fails-job', because: 'its twin is saved from the timeout by Completed' },
  ],
  'api-keys.acquire.callback-mismatch-refused': [
    { rule: 'api-keys.acquire.own-configuration', because: 'the callback of another extension is another callback' },
  ],
  'tasks.payload.envelope-id-is-job': [
    { rule: 'calls.envelope.id-across-types', because: 'tasks are one of the types, and their id is that of the job' },
  ],
  'metadata.update.replaces-records': [
    { rule: 'metadata.capability.soft-type-limits-validation', because: 'its update takes a SoftType away' },
  ],
  'delivery.rate.configured': [
    { rule: 'delivery.event.retry-gaps', because: 'attempts that count against too low a limit are held back' },
  ],
};

/** Rules whose cases send chunks to the first area that the profile declares. */
const chunkUploads: readonly RuleId[] = [
  'files.chunk.single-chunk',
  'files.chunk.two-chunks',
  'files.chunk.many-chunks',
  'files.chunk.last-chunk-smaller',
  'files.chunk.exact-multiple',
  'files.chunk.sample-chunk-size',
  'files.chunk.other-chunk-size',
  'files.chunk.every-area',
  'files.chunk.relative-path-subdirectories',
  'files.chunk.relative-path-root',
  'files.chunk.checksum-per-chunk',
  'files.chunk.checksum-wrong-refused',
  'files.chunk.checksum-wrong-recoverable',
  'files.chunk.interleaved-files',
  'files.chunk.partial-deletable',
  'files.chunk.restart-after-interruption',
  'files.chunk.part-order',
];

/** Rules whose cases read a file with a bearer token to see what became of it. */
const downloads: readonly RuleId[] = [
  'files.collection-area.base-path',
  'files.space-area.base-path',
  'files.user-area.base-path',
  'files.participant-area.base-path',
  'files.isolation.between-users',
  'files.isolation.between-participants',
  'files.isolation.between-spaces',
  'files.safety.chunk-relative-path',
  'files.auth.space-non-member-403',
  'files.auth.collection-non-admin-403',
  'tasks.links.input-dir-usable',
  'tasks.links.upload-stream-usable',
  'tasks.links.upload-chunk-usable',
  'tasks.links.templates-usable',
  ...chunkUploads,
];

/** Of file areas and bulk upload. */
const relatedInFiles: RelatedRules = {
  'files.collection-area.base-path': chunkUploads.map((rule) => ({ rule, because: 'it sends chunks to that area' })),
  'files.space-area.base-path': [{ rule: 'files.chunk.every-area', because: 'it sends chunks to that area too' }],
  'files.user-area.base-path': [{ rule: 'files.chunk.every-area', because: 'it sends chunks to that area too' }],
  'files.participant-area.base-path': [{ rule: 'files.chunk.every-area', because: 'it sends chunks to that area too' }],
  'files.download.bearer': downloads.map((rule) => ({
    rule,
    because: 'it reads with a bearer token and demands the answer',
  })),
  'files.download.query-token': [
    { rule: 'tasks.links.input-file-usable', because: 'the link has its token in the query' },
    { rule: 'tasks.links.templates-usable', because: 'downloadFile has its token in the query' },
  ],
  'files.auth.download-missing-credential-401': [
    { rule: 'files.download.bearer', because: 'its second request has no credential' },
    { rule: 'tasks.links.input-file-usable', because: 'the link without its token is a download without a credential' },
  ],
  'files.isolation.between-areas': [
    { rule: 'files.chunk.every-area', because: 'it keeps a file of one path in each area as well' },
    { rule: 'files.safety.chunk-relative-path', because: 'what may be kept inside one area shows in the other' },
    { rule: 'bulk-upload.collection.uploads-tree', because: 'it reads what is uploaded in the collection area' },
    { rule: 'bulk-upload.space.uploads-tree', because: 'it looks for the files in the collection area too' },
  ],
  'files.chunk.two-chunks': [
    { rule: 'tasks.links.upload-chunk-usable', because: 'it uploads a file in two chunks by the link' },
  ],
  'files.chunk.every-area': [{ rule: 'files.download.bytes-identical', because: 'it sends chunks to every area too' }],
  'files.chunk.checksum-per-chunk': [
    {
      rule: 'files.chunk.many-chunks',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
    {
      rule: 'files.chunk.last-chunk-smaller',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
    {
      rule: 'files.chunk.interleaved-files',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
    {
      rule: 'files.chunk.restart-after-interruption',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
  ],
  'files.chunk.partial-deletable': [
    { rule: 'files.chunk.interleaved-files', because: 'in its histories uploads are given up, deleted and begun anew' },
  ],
  'files.chunk.restart-after-interruption': [
    { rule: 'files.chunk.interleaved-files', because: 'in its histories uploads are given up, deleted and begun anew' },
  ],
  'bulk-upload.space.uploads-tree': [
    { rule: 'bulk-upload.body.write-log-required', because: 'the complete body has to upload into the space' },
    { rule: 'bulk-upload.target-directory.no-escape', because: 'a plain upload into the space has to work' },
  ],
  'files.isolation.between-spaces': [
    { rule: 'bulk-upload.space.uploads-tree', because: 'it looks for the files in the other space too' },
  ],
};

/** A rule whose case has to fail as well when another one is broken, although neither stands on the other. */
export interface Related {
  readonly rule: RuleId;
  /** Why both say the same sentence of the document. */
  readonly because: string;
}

export type RelatedRules = Readonly<Partial<Record<RuleId, readonly Related[]>>>;

/** Faults by which one object disturbs another: under them cases run one after the other, so that a case meets only what it does itself. */
export const interfering: ReadonlySet<RuleId> = new Set<RuleId>([
  'versioning.object.own-counter',
  'versioning.race.different-objects-independent',
  'calls.host.uses-base-address',
]);

/** By broken rule: the rules that the same wrong implementation breaks necessarily. */
export const related: RelatedRules = { ...relatedInCore, ...relatedInFiles, ...relatedInExtensions };
