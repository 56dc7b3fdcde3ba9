import type { RelatedRules } from '../related.ts';

/** Of the areas of the first document. */
export const relatedInCore: RelatedRules = {
  'reading.create.status-201': [
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that a create answers 201' },
  ],
  'reading.instance.short-route-served': [
    { rule: 'patch.delete.object-gone', because: 'it reads by the short route and demands the answer' },
    { rule: 'patch.remove.cascade-spares-siblings', because: 'it reads by the short route and demands the answer' },
    { rule: 'auth.missing-token.write-has-no-effect', because: 'it reads by the short route and demands the answer' },
    { rule: 'auth.role.reader-may-read', because: 'it reads by the short route and demands the answer' },
    { rule: 'auth.role.reader-delete-403', because: 'it reads by the short route and demands the answer' },
    { rule: 'auth.grant.returns-access-token', because: 'it reads by the short route and demands the answer' },
    { rule: 'auth.pat.bearer-accepted', because: 'it reads by the short route and demands the answer' },
    {
      rule: 'headers.information-filter.required-on-reads',
      because: 'it reads by the short route and demands the answer',
    },
    { rule: 'headers.correlation-id.optional', because: 'it reads by the short route and demands the answer' },
    { rule: 'headers.correlation-id.any-text', because: 'it reads by the short route and demands the answer' },
    { rule: 'headers.names.case-insensitive', because: 'it reads by the short route and demands the answer' },
    { rule: 'batch.route.maturity-actions', because: 'it reads by the short route and demands the answer' },
    { rule: 'batch.route.multi-create', because: 'it reads by the short route and demands the answer' },
    {
      rule: 'multi-create.route.served-without-api-prefix',
      because: 'it reads by the short route and demands the answer',
    },
    { rule: 'reading.system.oid-matches-route', because: '`$oid` has to be accepted as object id by that route' },
  ],
  'reading.body.data-is-object': [
    { rule: 'headers.location.leads-to-object', because: 'the Location has to lead to a read response with its data' },
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that data is an object' },
  ],
  'reading.body.version-is-integer': [
    { rule: 'headers.uoi-version.on-create', because: 'the header is compared with the version of the read response' },
    { rule: 'batch.result.version-in-body', because: 'the result is compared with the version of the read response' },
    {
      rule: 'batch.get.returns-read-response',
      because: 'the result is compared with the version of the read response',
    },
    { rule: 'multi-create.items.all-created', because: 'it reads the version of what was created' },
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that version is an integer' },
  ],
  'reading.body.schema-is-object': [
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that schema is an object' },
  ],
  'reading.system.soft-type-names-definition': [
    { rule: 'multi-create.items.different-types', because: 'it tells the created objects apart by `$softType`' },
  ],
  'reading.entries.objects-carry-entry-id': [
    { rule: 'patch.add.array-value', because: 'nested entries of an added array are entries inside an array as well' },
  ],
  'reading.entries.ids-unique-in-array': [
    { rule: 'patch.operations.match-model', because: 'its sequences address entries by id after removals and appends' },
  ],
  'paging.instance-read.at-most-ten': [
    {
      rule: 'openapi.dynamic.describes-live-traffic',
      because: 'the document says that an array of a read response has ten items at most',
    },
  ],
  'paging.instance-read.short-array-complete': [
    { rule: 'paging.instance-read.at-most-ten', because: 'it counts short arrays too' },
    { rule: 'paging.link.follows-growth', because: 'its arrays grow and shrink through ten entries' },
    {
      rule: 'paging.page-zero.equals-first-read',
      because: 'page 0 of ten entries is compared with the first read of them',
    },
    { rule: 'patch.remove.entry-with-trailing-slash', because: 'one of its removals leaves ten entries' },
  ],
  'paging.link.method-is-get': [
    {
      rule: 'hypermedia.reader.sees-no-write-links',
      because: 'a page link that is no GET is a writing link of the reader',
    },
  ],
  'paging.link.expanded-href-works': [
    { rule: 'paging.page.documented-route-served', because: 'it compares the documented route with the expanded link' },
  ],
  'paging.page.documented-route-served': [
    { rule: 'auth.role.reader-may-read', because: 'it reads a page as the reader and demands the answer' },
    {
      rule: 'headers.information-filter.required-on-reads',
      because: 'it reads a page with the filter and demands the answer',
    },
  ],
  'paging.page-zero.equals-first-read': [
    { rule: 'paging.pages.cover-array-once', because: 'entries of another page 0 are there twice or not at all' },
  ],
  'paging.page-one.holds-the-rest': [
    { rule: 'paging.pages.cover-array-once', because: 'entries repeated on page 1 are not there exactly once' },
    { rule: 'reading.entries.ids-unique-in-array', because: 'entries repeated on page 1 bring their ids with them' },
    { rule: 'paging.page-body.entry-ids-address-entries', because: 'it counts the entries left of 18' },
  ],
  'paging.pages.cover-array-once': [
    { rule: 'paging.page.holds-at-most-ten', because: 'the page that repeats an entry of the one before holds eleven' },
  ],
  'paging.page.holds-at-most-ten': [
    { rule: 'paging.pages.cover-array-once', because: 'every page but the last holds exactly ten' },
  ],
  'paging.page-body.data-is-array': [
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that data of a page is an array' },
  ],
  'paging.page-body.entry-ids-address-entries': [
    { rule: 'reading.entries.ids-unique-in-array', because: 'ids that start again on a later page are not unique' },
    { rule: 'paging.page-one.holds-the-rest', because: 'its ids are compared with those of the first read' },
    { rule: 'patch.path.entry-member-addressed', because: 'it addresses an entry of a later page' },
    { rule: 'patch.remove.cascade-spares-siblings', because: 'it addresses an entry of a later page' },
  ],
  'hypermedia.link.basic-members': [
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that a link has a method' },
  ],
  'hypermedia.link.paging-members': [
    { rule: 'openapi.dynamic.describes-live-traffic', because: 'the document says that pages is an integer' },
  ],
  'hypermedia.reader.sees-no-write-links': [
    {
      rule: 'hypermedia.link.offered-is-permitted',
      because: 'a writing link that the reader sees is refused when followed',
    },
  ],
  'caching.other-value.status-200': [
    { rule: 'caching.changed.status-200', because: 'after a change the stored ETag is another value as well' },
    { rule: 'caching.etag.is-not-object-version', because: 'an object version sent as ETag is another value as well' },
  ],
  'collection.admin.is-served': [
    { rule: 'caching.etag.present', because: 'the bundled profile binds collection routes as resources with an ETag' },
  ],
  'collection.missing-token.status-401': [
    {
      rule: 'caching.match.still-needs-access',
      because: 'the bundled profile binds collection routes as resources with an ETag',
    },
  ],
  'patch.merge.status-204': [
    { rule: 'batch.result.status-code-is-integer', because: 'an edit in a batch has the status of a single one' },
  ],
  'patch.target.unknown-object-404': [
    {
      rule: 'batch.failure.status-500',
      because: 'an edit that creates what it does not find does not fail in a batch either',
    },
  ],
  'patch.content-type.selects-operations': [
    { rule: 'batch.route.create-and-edit', because: 'operations in a batch are those of the single route' },
  ],
  'patch.add.appends-without-marker': [
    { rule: 'batch.route.create-and-edit', because: 'operations in a batch are those of the single route' },
  ],
  'patch.replace.dated-effectivity-date': [
    {
      rule: 'batch.headers.filter-inherited',
      because: 'an element replaced in a batch is dated as by the single route',
    },
  ],
  'patch.add.new-entry-gets-id': [
    {
      rule: 'reading.entries.ids-unique-in-array',
      because: 'two appended entries without id cannot be told apart either',
    },
  ],
  'versioning.create.starts-at-one': [
    {
      rule: 'openapi.dynamic.describes-live-traffic',
      because: 'the document of the reference server says that versions start at 1',
    },
  ],
  'versioning.mismatch.operations-409': [
    { rule: 'versioning.race.one-writer-wins', because: 'a write whose version is not compared wins every race' },
    {
      rule: 'versioning.race.retry-loop-loses-nothing',
      because: 'writers at an old version are let through, which loses what others wrote',
    },
  ],
  'versioning.mismatch.put-409': [
    { rule: 'versioning.race.one-writer-wins', because: 'a write whose version is not compared wins every race' },
  ],
  'versioning.mismatch.across-users-409': [
    {
      rule: 'versioning.race.retry-loop-loses-nothing',
      because: 'writers at an old version are let through, which loses what others wrote',
    },
    { rule: 'versioning.race.one-writer-wins', because: 'a version seen before the winner wrote still passes' },
    { rule: 'maturity.promote.race-one-winner', because: 'those who lose a race were overtaken after they had read' },
  ],
  'versioning.object.own-counter': [
    {
      rule: 'versioning.race.different-objects-independent',
      because: 'it compares the versions of objects edited by turns',
    },
    { rule: 'reading.create.new-identity-each-time', because: 'it watches the objects beside the one it edits' },
    { rule: 'patch.operations.match-model', because: 'it watches several objects' },
    { rule: 'paging.link.follows-growth', because: 'its pages state the version of one object among several' },
    { rule: 'batch.rollback.objects-stay-writable', because: 'it watches several objects' },
    { rule: 'batch.route.maturity-actions', because: 'it watches several objects' },
  ],
  'versioning.refused.changes-nothing': [
    { rule: 'calls.validation.verdict-applied', because: 'a promote that was refused has to leave the version alone' },
    { rule: 'versioning.mismatch.lower-409', because: 'a 409 has to leave the version alone' },
    { rule: 'versioning.mismatch.higher-409', because: 'a 409 has to leave the version alone' },
    { rule: 'versioning.mismatch.operations-409', because: 'a 409 has to leave the version alone' },
    { rule: 'versioning.mismatch.put-409', because: 'a 409 has to leave the version alone' },
    {
      rule: 'versioning.race.one-writer-wins',
      because: 'the losers of a race get a 409, which has to leave the version alone',
    },
    {
      rule: 'versioning.race.retry-loop-loses-nothing',
      because: 'writers that start over got a 409, which has to leave the version alone',
    },
    { rule: 'maturity.promote.wrong-version-409', because: 'a 409 has to leave the version alone' },
    {
      rule: 'maturity.promote.race-one-winner',
      because: 'the losers of a race get a 409, which has to leave the version alone',
    },
    { rule: 'maturity.demote.version-guarded', because: 'a 409 has to leave the version alone' },
  ],
  'versioning.header.only-for-put-and-patch': [
    { rule: 'openapi.dynamic.is-served', because: 'its fault refuses the document' },
  ],
  'headers.correlation-id.optional': [{ rule: 'openapi.dynamic.is-served', because: 'its fault refuses the document' }],
  'auth.jwt.tampered-refused': [
    { rule: 'files.auth.invalid-bearer-refused', because: 'an altered token is among those that it tries' },
    { rule: 'auth.jwt.other-algorithm-refused', because: 'a foreign key gives a signature that does not verify' },
    {
      rule: 'files.download.query-token-invalid-refused',
      because: 'an altered token in the query is checked by the same hand',
    },
  ],
  'auth.role.outsider-403': [
    { rule: 'files.auth.space-non-member-403', because: 'the same outsider asks for a file' },
    { rule: 'tasks.callback.foreign-user', because: 'an outsider who has a role in the space may report as well' },
  ],
  'auth.pat.bearer-accepted': [
    { rule: 'collection.pat.accepted', because: 'both need a personal access token as bearer' },
  ],
  'maturity.state-field.shape': [
    {
      rule: 'openapi.dynamic.describes-live-traffic',
      because: 'the document of the reference server says that current states are objects',
    },
  ],
  'maturity.promote.version-plus-one': [
    { rule: 'maturity.promote.race-one-winner', because: 'a race has one winner when the version rose by one' },
    { rule: 'batch.route.maturity-actions', because: 'a promote in a batch raises the version as a single one' },
  ],
  'maturity.promote.then-edit': [
    { rule: 'maturity.promote.race-one-winner', because: 'an edit that does not notice a promote wins beside it' },
  ],
  'maturity.promote.absent-version-412': [
    {
      rule: 'hypermedia.link.offered-is-permitted',
      because: 'it tries the offered promote without a version, which may not change anything',
    },
  ],
  'versioning.race.one-writer-wins': [
    { rule: 'maturity.promote.race-one-winner', because: 'a promote is a write, and races like all of them' },
    { rule: 'delivery.validation.recovers', because: 'its promote pauses as every write does' },
    { rule: 'delivery.validation.retry-forever-ignored', because: 'its promote pauses as every write does' },
    { rule: 'delivery.validation.retry-gaps', because: 'its promote pauses as every write does' },
  ],
  'versioning.sequence.matches-model': [
    {
      rule: 'maturity.promote.then-edit',
      because: 'it sends a stale edit and then one in order, which is such a sequence',
    },
  ],
  'batch.failure.status-500': [
    { rule: 'batch.route.multi-create', because: 'a multi-create that is taken back leaves a batch that failed' },
  ],
  'batch.result.keeps-order': [
    { rule: 'batch.version.mismatch-409', because: 'it looks for the 409 at its place' },
    { rule: 'batch.auth.forbidden-operation', because: 'it looks for the 403 at its place' },
  ],
  'batch.result.status-code-is-integer': [
    { rule: 'batch.result.keeps-order', because: 'it knows a create by its statusCode' },
  ],
  'batch.result.version-in-body': [
    { rule: 'batch.result.keeps-order', because: 'it knows an edit by the version in its result' },
  ],
  'batch.get.returns-read-response': [
    { rule: 'batch.result.keeps-order', because: 'it knows a read by the object in its result' },
  ],
  'batch.version.mismatch-409': [
    {
      rule: 'batch.version.absent-412',
      because: 'a version on the batch request stands in for the one that is absent',
    },
  ],
  'batch.rollback.edits-undone': [
    { rule: 'batch.version.mismatch-409', because: 'what failed has to leave the objects alone' },
    { rule: 'batch.rollback.failed-read-aborts-writes', because: 'what failed has to leave the objects alone' },
    { rule: 'batch.operation.required-members', because: 'what failed has to leave the objects alone' },
  ],
  'batch.rollback.objects-stay-writable': [
    { rule: 'batch.version.mismatch-409', because: 'the corrected batch has to pass' },
    { rule: 'batch.rollback.failed-read-aborts-writes', because: 'the corrected batch has to pass' },
    { rule: 'batch.operation.required-members', because: 'the corrected batch has to pass' },
    { rule: 'batch.failure.status-500', because: 'the corrected batch has to pass' },
  ],
  'batch.size.hundred-operations': [
    { rule: 'batch.size.no-hard-limit', because: 'who refuses 51 operations refuses 101' },
  ],
  'multi-create.items.different-types': [
    {
      rule: 'multi-create.reference.backward',
      because: 'the target of a reference is of another type than its referrer',
    },
    {
      rule: 'multi-create.reference.forward',
      because: 'the target of a reference is of another type than its referrer',
    },
    {
      rule: 'multi-create.reference.mutual',
      because: 'the target of a reference is of another type than its referrer',
    },
    {
      rule: 'multi-create.reference.stores-real-identity',
      because: 'the target of a reference is of another type than its referrer',
    },
    {
      rule: 'multi-create.id.reusable-in-next-request',
      because: 'the target of a reference is of another type than its referrer',
    },
    {
      rule: 'multi-create.graph.every-edge-stored',
      because: 'the target of a reference is of another type than its referrer',
    },
  ],
  'multi-create.reference.stores-real-identity': [
    { rule: 'multi-create.reference.forward', because: 'a reference that names a temporary id leads nowhere' },
    { rule: 'multi-create.reference.mutual', because: 'a reference that names a temporary id leads nowhere' },
    {
      rule: 'multi-create.id.reusable-in-next-request',
      because: 'a reference that names a temporary id leads nowhere',
    },
    { rule: 'multi-create.graph.every-edge-stored', because: 'a reference that names a temporary id leads nowhere' },
  ],
  'versioning.read.leaves-version': [
    { rule: 'patch.operations.match-model', because: 'it reads with a filter between the edits' },
  ],
  'versioning.mismatch.higher-409': [
    { rule: 'batch.failure.status-500', because: 'the operation that fails carries a version above the current one' },
    { rule: 'batch.result.keeps-order', because: 'the operation that fails carries a version above the current one' },
    { rule: 'batch.route.multi-create', because: 'the operation that fails carries a version above the current one' },
  ],
  'versioning.absent.merge-412': [
    { rule: 'batch.version.absent-412', because: 'an edit in a batch is refused as a single one' },
  ],
  'versioning.absent.put-412': [
    { rule: 'batch.version.absent-412', because: 'a PUT in a batch is refused as a single one' },
  ],
  'headers.correlation-id.reaches-extension': [
    {
      rule: 'calls.envelope.id-from-correlation',
      because: 'the id of the envelope is the correlation id of the trigger',
    },
    {
      rule: 'calls.envelope.id-correlation-verbatim',
      because: 'the id of the envelope is the correlation id of the trigger',
    },
    { rule: 'calls.envelope.id-across-types', because: 'the id of the envelope is the correlation id of the trigger' },
    {
      rule: 'delivery.event.same-content-on-retry',
      because: 'it compares the id of the envelope with the correlation id of the trigger',
    },
  ],
  'maturity.promote.status-204': [
    {
      rule: 'delivery.validation.recovers',
      because: 'the operation that is validated is a promote, and has to succeed',
    },
    {
      rule: 'calls.validation.verdict-applied',
      because: 'the operation that is validated is a promote, and has to succeed',
    },
  ],
  'maturity.promote.race-one-winner': [
    { rule: 'delivery.validation.recovers', because: 'the operation that waits for its validation is a promote' },
    {
      rule: 'delivery.validation.retry-forever-ignored',
      because: 'the operation that waits for its validation is a promote',
    },
    {
      rule: 'delivery.validation.retry-gaps',
      because: 'the operation that waits for its validation is a promote, which pauses',
    },
  ],
  'auth.missing-token.write-has-no-effect': [
    {
      rule: 'versioning.refused.changes-nothing',
      because: 'an edit without token is among the refusals that it looks behind',
    },
  ],
  'auth.jwt.three-decodable-parts': [
    { rule: 'calls.trusted.access-token-appended', because: 'the appended token is made alike, and read' },
    { rule: 'calls.token.jwt-form', because: 'the tokens of envelopes are made alike' },
  ],
  'auth.jwt.header-names-hs512': [{ rule: 'calls.token.jwt-form', because: 'the tokens of envelopes are made alike' }],
  'auth.jwt.alg-none-refused': [
    { rule: 'files.auth.invalid-bearer-refused', because: 'a token without signature is among those that it tries' },
  ],
  'auth.jwt.expired-refused': [
    { rule: 'calls.token.expires', because: 'the token of an envelope ends by the same check' },
  ],
  'auth.refused-token.status-401': [
    { rule: 'calls.token.expires', because: 'the token of an envelope is refused with the same status' },
  ],
  'headers.uoi-version.on-create': [
    {
      rule: 'batch.result.version-in-body',
      because: 'what a header of the single request says stands in the body of its result',
    },
  ],
  'headers.uoi-version.on-merge': [
    { rule: 'batch.result.keeps-order', because: 'it tells the results apart by their versions' },
    {
      rule: 'batch.result.version-in-body',
      because: 'what a header of the single request says stands in the body of its result',
    },
  ],
  'headers.information-filter.required-on-writes': [
    { rule: 'batch.headers.filter-inherited', because: 'a batch without the filter is among the writes' },
  ],
};
