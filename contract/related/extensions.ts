import type { RuleId } from '../rule.ts';
import type { RelatedRules } from '../related.ts';

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
export const relatedInExtensions: RelatedRules = {
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
