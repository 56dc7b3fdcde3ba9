import { catalogue } from './catalogue.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { startReference, type Deployment } from '../api/deployment.ts';
import type { RuleId } from '../contract/rule.ts';
import { subtleFaults, subtleFaultsOf, type SubtleFaultId } from '../variants/faults/subtle/subtle.ts';
import { openJudge } from '../judge/run/judge.ts';

const deployments: Deployment[] = [];
afterEach(async () => {
  for (const deployment of deployments.splice(0)) await deployment[Symbol.asyncDispose]();
});

async function serverWith(...faults: readonly SubtleFaultId[]): Promise<Deployment> {
  const deployment = await startReference({ faults });
  deployments.push(deployment);
  return deployment;
}

async function verdictOf({ loaded }: Deployment, rule: RuleId): Promise<string | undefined> {
  await using open = openJudge(catalogue, { loaded, seed: 1, runs: 5 });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  return outcome?.verdict;
}

/** Cheap ones: a value, a schedule, a counter, a pause, an update, and the wrong one of two things. */
const finders = [
  ['reading.body.schema-is-object', 'subtle.schema.lacks-arrays'],
  ['metadata.capability.mime-type-limits-task', 'subtle.task.keeps-former-endpoint'],
  ['auth.role.no-role-403', 'subtle.access.parts-are-open'],
  ['auth.role.outsider-403', 'subtle.access.parts-are-open'],
  ['patch.merge.edits-named-member', 'subtle.merge.skips-zero-and-false'],
  ['reading.create.content-reads-back', 'subtle.create.drops-zero-and-false'],
  ['reading.create.content-reads-back', 'subtle.entries.later-ones-are-filled-up'],
  ['reading.create.content-reads-back', 'subtle.entries.inner-ones-are-filled-up'],
  ['headers.uoi-version.on-put', 'subtle.version.not-told-by-demote'],
  ['patch.merge.edits-named-member', 'subtle.merge.makes-numbers-of-texts'],
  ['reading.filter.query-value-selects', 'subtle.filter.value-ends-at-semicolon'],
  ['patch.merge.edits-named-member', 'subtle.merge.knows-one-blank'],
  ['reading.create.content-reads-back', 'subtle.create.no-formulas'],
  ['patch.put.stores-given-members', 'subtle.put.composes-texts'],
  ['patch.path.member-addressed', 'subtle.replace.cuts-long-texts'],
  ['patch.put.stores-given-members', 'subtle.put.trims-inside'],
  ['versioning.mismatch.lower-409', 'subtle.version.sign-counts-for-nothing'],
  ['openapi.dynamic.describes-live-traffic', 'subtle.openapi.parts-are-made-as-documents'],
  ['patch.add.lands-last', 'subtle.page.contacts-are-backwards'],
  ['paging.link.section-path-names-array', 'subtle.page.contacts-end-with-files'],
  ['versioning.value.text-refused', 'subtle.version.empty-one-passes'],
  ['tasks.links.input-file-usable', 'subtle.task.links-break-off-at-a-question-mark'],
  ['patch.remove.with-null-value-refused', 'subtle.remove.empty-list-is-no-value'],
  ['patch.remove.member-gone', 'subtle.remove.finds-no-false'],
  ['multi-create.reference.backward', 'subtle.multi-create.zero-is-no-name'],
  ['reading.instance.long-route-served', 'subtle.long-route.makes-numbers-of-texts'],
  ['hypermedia.link.offered-is-permitted', 'subtle.links.edits-are-of-the-first-type'],
  ['hypermedia.link.offered-is-permitted', 'subtle.links.items-write-to-the-last'],
  ['hypermedia.link.offered-is-permitted', 'subtle.links.lead-to-the-first-space'],
  ['reading.system.soft-type-names-definition', 'subtle.read.further-type-is-another'],
  ['hypermedia.editor.sees-write-links', 'subtle.links.none-of-further-types'],
  ['paging.filter.shapes-links', 'subtle.filter.index-ends-early'],
  ['reading.filter.query-value-selects', 'subtle.filter.null-is-no-value'],
  ['patch.add.appends-without-marker', 'subtle.append.lines-are-items'],
  ['patch.add.missing-member-added', 'subtle.add.deep-texts-are-trimmed'],
  ['patch.put.stores-given-members', 'subtle.put.drops-empty-texts-inside'],
  ['reading.create.content-reads-back', 'subtle.entries.objects-are-trimmed'],
  ['patch.put.drops-absent-arrays', 'subtle.put.empty-list-is-none'],
  ['batch.rollback.edits-undone', 'subtle.batch.removals-stay-when-it-fails'],
  ['calls.simple.body', 'subtle.content.names-lose-what-stands-before-a-slash'],
  ['calls.action.form-fields', 'subtle.content.names-lose-what-stands-before-a-slash'],
  ['calls.action.common-fields', 'subtle.action.version-lags-after-promote'],
  ['tasks.payload.fields', 'subtle.task.settings-lack-empty-lists'],
  ['patch.add.appends-without-marker', 'subtle.append.composes-texts'],
  ['patch.add.object-value', 'subtle.add.no-objects-inside-entries'],
  ['patch.replace.object-refused', 'subtle.replace.takes-objects-inside-entries'],
  ['patch.remove.entry-with-trailing-slash', 'subtle.remove.first-of-alike-goes'],
  ['reading.entries.ids-unique-in-array', 'subtle.entry-id.new-ones-by-place'],
  ['patch.replace.missing-entry-refused', 'subtle.entry-id.is-trimmed-in-replace'],
  ['patch.add.lands-last', 'subtle.append.marker-inside-is-of-first-entry'],
  ['patch.merge.edits-named-member', 'subtle.edit.cuts-long-texts'],
  ['paging.link.pages-count', 'subtle.links.inner-total-is-of-those-shown'],
  ['paging.page-body.href-leads-back', 'subtle.page.href-of-first-space'],
  ['caching.changed.status-200', 'subtle.etag.misses-category'],
  ['caching.match.status-304', 'subtle.etag.counts-objects'],
  ['caching.changed.status-200', 'subtle.listing.tag-of-its-address'],
  ['batch.get.returns-read-response', 'subtle.batch.pages-are-the-first'],
  ['batch.get.returns-read-response', 'subtle.batch.reads-keep-three-digits'],
  ['reading.instance.long-route-served', 'subtle.long-route.escapes-markup'],
  ['auth.role.reader-may-read', 'subtle.reader.sees-one-line'],
  ['batch.route.create-and-edit', 'subtle.batch.loses-astral-characters'],
  ['patch.add.missing-member-added', 'subtle.add.rounds-numbers'],
  ['batch.route.create-and-edit', 'subtle.batch.put-rounds-numbers'],
  ['patch.merge.edits-named-member', 'subtle.merge.joins-lists'],
  ['multi-create.items.all-created', 'subtle.multi-create.loses-dated-members'],
  ['multi-create.reference.backward', 'subtle.multi-create.names-lose-what-stands-before-a-slash'],
  ['multi-create.size.fifty-accepted', 'subtle.multi-create.first-chunk-alone'],
  ['multi-create.size.fifty-one-refused', 'subtle.multi-create.unlimited-in-a-batch'],
  ['versioning.mismatch.higher-409', 'subtle.version.further-digits-pass'],
  ['versioning.mismatch.operations-409', 'subtle.version.further-digits-pass'],
  ['versioning.mismatch.put-409', 'subtle.version.last-digits-suffice'],
  ['registration.simple.content-type-header-required', 'subtle.registration.content-type-within-a-name'],
  ['metadata.records.additional-property-not-used', 'subtle.metadata.late-names-are-dropped'],
  ['metadata.capability.soft-type-limits-validation', 'subtle.capability.first-letters-suffice'],
  ['calls.envelope.id-correlation-verbatim', 'subtle.correlation.zero-is-none'],
  ['delivery.event.retry-gaps', 'subtle.retry.counted-per-endpoint'],
  ['delivery.timeout.exhausted', 'subtle.timeout.retries-wait-by-default'],
  ['delivery.rate.configured', 'subtle.rate.limit-of-neighbouring-record'],
  ['delivery.rate.configured', 'subtle.rate.pause-begun-by-retry-ends-early'],
  ['delivery.rate.none-lost-none-doubled', 'subtle.rate.queue-holds-six'],
  ['delivery.retry-forever.continues', 'subtle.retry.for-ever-not-for-connections'],
  ['delivery.event.no-sixth-retry', 'subtle.update.retries-count-anew'],
  ['delivery.success.200-sent-once', 'subtle.update.held-call-is-sent-again'],
  ['delivery.queue.delete-cancels', 'subtle.cancel.takes-oldest-of-endpoint'],
  ['delivery.rate.configured', 'subtle.rate.counts-what-is-dropped'],
  ['signing.extension-call.key-after-update', 'subtle.signature.key-changes-only-once'],
  ['calls.validation.verdict-applied', 'subtle.validation.edit-meanwhile-counts-for-nothing'],
  ['calls.token.no-more-rights', 'subtle.token.of-who-updated-registration'],
  ['calls.token.no-more-rights', 'subtle.token.of-first-sender-of-mail'],
  ['delivery.transient.request-timeout-status', 'subtle.retry.timeout-status-of-mail-is-final'],
  ['delivery.rate.default-five', 'subtle.rate.tasks-have-no-limit'],
  ['delivery.timeout.configured', 'subtle.timeout.of-endpoints-is-cut-down'],
  ['delivery.event.same-content-on-retry', 'subtle.signature.retry-of-task-is-unsigned'],
  ['calls.query-token.email', 'subtle.token.in-query-signed-as-another'],
  ['signing.extension-call.own-key-per-extension', 'subtle.signature.of-first-actions'],
  ['tasks.status.invalid-refused', 'subtle.task.status-of-longer-word'],
  ['files.stream.names-told-apart', 'subtle.stream.name-is-trimmed'],
  ['files.stream.name-percent-literal', 'subtle.chunk.path-is-decoded'],
  ['bulk-upload.structure.preserved', 'subtle.bulk.names-are-trimmed'],
  ['bulk-upload.structure.preserved', 'subtle.bulk.slash-behind-source-takes-a-letter'],
  ['files.download.missing-file-fails', 'subtle.download.shows-what-is-kept-beside'],
  ['files.stream.refused-leaves-no-file', 'subtle.chunk.path-of-refused-stream-is-taken'],
  ['calls.action.form-fields', 'subtle.action.empty-members-are-dropped'],
  ['calls.event.content-payload-equal', 'subtle.event.names-with-dollar-are-dropped'],
  ['calls.event.content-payload-equal', 'subtle.event.texts-are-cut'],
  ['calls.simple.body', 'subtle.endpoint.texts-are-cut'],
  ['delivery.queue.equal-ones', 'subtle.action.shares-call-under-way'],
  ['delivery.success.200-sent-once', 'subtle.success.long-answer-is-none'],
  ['metadata.records.all-fields-accepted', 'subtle.metadata.empty-lists-are-no-lists'],
  ['files.delete.leaves-siblings', 'subtle.delete.any-case'],
  ['files.auth.participant-foreign-role', 'subtle.chunk.participant-of-whole-space'],
  ['files.auth.space-non-member-403', 'subtle.chunk.participant-by-name'],
  ['files.download.query-token-invalid-refused', 'subtle.download.query-token-never-expires'],
  ['api-keys.acquire.callback-mismatch-refused', 'subtle.keys.any-callback-of-trusted-endpoints'],
] as const satisfies readonly (readonly [RuleId, SubtleFaultId])[];

describe('subtle faults', () => {
  test('have ids of their own in every area', () => {
    const ids = Object.values(subtleFaultsOf).flatMap((faults) => Object.keys(faults));
    expect(ids.toSorted()).toEqual(Object.keys(subtleFaults).toSorted());
    for (const id of ids) expect(id).toMatch(/^subtle\.[a-z-]+\.[a-z-]+$/);
  });

  test('leave a server that answers', async () => {
    for (const id of Object.keys(subtleFaults) as readonly SubtleFaultId[]) {
      const { loaded } = await serverWith(id);
      expect((await fetch(`${loaded.profile.baseUrl}/openapi.json`)).status, id).toBeLessThan(500);
    }
  });

  test.each([...new Set(finders.map(([rule]) => rule))])('%s finds nothing in the reference server', async (rule) => {
    expect(['pass', 'observed']).toContain(await verdictOf(await serverWith(), rule));
  });

  test.each(finders)('%s finds %s', async (rule, fault) => {
    expect(['fail', 'warn']).toContain(await verdictOf(await serverWith(fault), rule));
  });
});
