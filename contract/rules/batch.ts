import { rules } from '../rule.ts';

export const batchRules = rules('batch', {
  'batch.success.status-200': {
    level: 'must',
    source: 'core: Batch rules 3; Endpoint table, POST batch',
    statement: 'POST `/api/space/{spaceId}/batch` answers 200 when every operation passed.',
    check:
      'Batches of one read, of one create, and of two creates plus two edits: status 200 and every statusCode below 400. Read everything back, so that a batch that only claims success fails.',
    fault: 'answers 201 when the batch contains a create',
    needs: ['soft-type'],
  },
  'batch.failure.status-500': {
    level: 'must',
    source: 'core: Batch rules 3; Errors 500',
    statement:
      'The batch answers 500 when at least one operation failed, wherever it stands in the list and whatever its own status is.',
    check:
      'Batches of 1 to 8 operations with one failing (stale version, unknown object, forbidden) at a generated place: 500, never 200, 207, 404 or 409. The same batch without the failing operation: 200.',
    fault: 'answers with the status of the first failing operation',
    needs: ['soft-type', 'scalar-members'],
    style: 'property',
    after: ['batch.success.status-200'],
  },
  'batch.result.one-per-operation': {
    level: 'must',
    source: 'core: Batch rules 3',
    statement:
      'The response body is a JSON array with as many results as the request has operations, for 200 and for 500 alike.',
    check:
      '1, 2 and 10 operations, all passing, and with the failing one first, middle and last: the length always equals the number sent.',
    fault: 'the array ends after the first failing operation',
    needs: ['soft-type', 'scalar-members'],
    style: 'property',
    after: ['batch.success.status-200'],
  },
  'batch.result.keeps-order': {
    level: 'must',
    source: 'core: Batch rules 3 (one result per operation, nothing else ties them together)',
    statement: 'The result at position i belongs to the operation at position i.',
    check:
      'Mix reads of distinct objects, creates and edits in generated orders: reads return the object asked for at their place, creates show 201 and an href, edits the expected version. In a failing batch the failing status stands at the place of the failing operation.',
    fault: 'results are grouped by method',
    needs: ['soft-type', 'scalar-members'],
    style: 'property',
    after: ['batch.result.one-per-operation'],
  },
  'batch.result.status-code-is-integer': {
    level: 'must',
    source: 'core: Batch result, statusCode',
    statement:
      'Each result has `statusCode` as an integer holding the status that the route would have answered alone: 200 for a read, 201 for a create, 204 for a merge edit.',
    check:
      'One batch with the three; compare types and values. Operation kinds whose single status the document leaves open are compared with the single route.',
    fault: 'statusCode is 200 for every passing operation',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
  },
  'batch.result.create-href': {
    level: 'must',
    source: 'core: Batch result, body.href',
    statement:
      'The result of a create has `body.href`, a string that takes the place of Location and leads to the new object.',
    check:
      'Batch of three creates with different content: three different href values, each GET answers 200 with the content of its operation.',
    fault: 'href of every create in a batch names the last one',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
  },
  'batch.result.version-in-body': {
    level: 'must',
    source: 'core: Batch result, body.version',
    statement:
      'The result of a create, edit or maturity action has `body.version`, an integer that takes the place of the version response header.',
    check:
      'Create and edit two objects that stand at versions 1 and 4 in one batch: 1, 2 and 5, each equal to the next GET of that object.',
    fault: 'body.version is the version before the edit',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
  },
  'batch.result.create-carries-no-data': {
    level: 'must',
    source: 'core: Batch rules 6',
    statement: 'The result of a create contains neither the created content nor links.',
    check:
      'Create with a marker text in a member; the raw text of that result does not contain the marker, and its body has no `data` or `links`. The GET that follows does have them.',
    fault: 'returns the read response as body of a create result',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.result.create-href'],
  },
  'batch.get.returns-read-response': {
    level: 'must',
    source: 'core: Batch rules 2, 5 and 6',
    statement: 'A GET operation has statusCode 200 and as body the full read response of the instance.',
    check:
      'Read E(11) in a batch and alone with no write in between: `data`, `version`, `links` and `schema` agree. An unknown id in the same kind of operation gives 404 at its place.',
    fault: 'a GET inside a batch returns href and version only',
    needs: ['soft-type', 'array-port'],
    after: ['batch.success.status-200'],
  },
  'batch.version.mismatch-409': {
    level: 'must',
    source: 'core: Batch operation, headers; Errors rule 1',
    statement:
      'The version header is read from the `headers` of each operation; a wrong number gives that operation statusCode 409 and the batch 500.',
    check:
      'Two objects at versions 1 and 3, edits with 1 and 3: 200. With 1 and 2: 500 with 409 at the second place, both objects unchanged. A version header on the batch request itself does not stand in for it.',
    fault: 'compares every operation with the version header of the batch request',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.failure.status-500'],
  },
  'batch.version.absent-412': {
    level: 'must',
    source: 'core: Batch operation, headers; Errors rule 2',
    statement:
      'A PUT or PATCH operation without version header in its own `headers` gets statusCode 412 and the batch 500.',
    check:
      'Leave out the header, the whole `headers` object, and give the header only on the batch request: 412 at that place each time, object unchanged.',
    fault: 'edits inside a batch need no version',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.failure.status-500'],
  },
  'batch.rollback.edits-undone': {
    level: 'must',
    source: 'core: Batch rules 1',
    statement: 'When one operation fails, edits of other objects in the batch are undone, in content and in version.',
    check:
      'Three objects, valid edits of two and a stale one, the failing operation at a generated place; afterwards all three are unchanged, pages and `$version` included. Also append and remove entries by operations PATCH.',
    fault: 'content is rolled back but the version stays raised',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    style: 'property',
    after: ['batch.failure.status-500'],
  },
  'batch.rollback.creates-undone': {
    level: 'must',
    source: 'core: Batch rules 1',
    statement: 'When one operation fails, objects created by other operations of the batch do not exist afterwards.',
    check:
      'Two creates and a failing edit: any href found in the results answers 404, and the listing shows no more objects than before. Without listing and without href in the results the check is inconclusive, not green.',
    fault: 'created objects survive the rollback',
    needs: ['soft-type', 'scalar-members', 'instance-listing'],
    after: ['batch.failure.status-500', 'reading.missing-object.status-404'],
  },
  'batch.rollback.promotion-undone': {
    level: 'must',
    source: 'core: Batch rules 1 and 2',
    statement: 'A promote in a batch that fails is undone: state and version are those from before.',
    check:
      'Promote object A, stale edit of object B, in both orders: 500, A shows the old state and version, and a single promote with the old version succeeds.',
    fault: 'maturity actions are carried out outside the change set',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['batch.failure.status-500', 'maturity.promote.moves-state'],
  },
  'batch.rollback.failed-read-aborts-writes': {
    level: 'must',
    source: 'core: Batch rules 1 (one operation fails, all are aborted)',
    statement: 'A failing GET operation is a failing operation too: the writes of the same batch are rolled back.',
    check:
      'A valid edit and a GET of an unknown id, in both orders: 500, object unchanged. The same with a known id: 200 and the edit is stored.',
    fault: 'only failing writes trigger the rollback',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.failure.status-500'],
  },
  'batch.rollback.objects-stay-writable': {
    level: 'must',
    source: 'core: Batch rules 1; Versioning 3',
    statement: 'After a rolled back batch the objects accept a write with the version they had before it.',
    check:
      'Rerun the batch without its failing operation and with unchanged version numbers: 200, and every version is one above the old one.',
    fault: 'a failed batch leaves its objects locked',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.rollback.edits-undone'],
  },
  'batch.commit.visible-together': {
    level: 'must',
    source: 'core: Batch rules 1 (one change set)',
    statement: 'The writes of a batch become visible at one moment; no reader sees some of them without the others.',
    check:
      'Repeatedly edit A and B in one batch with a common counter while other clients read B and then A: the counter in A is never behind the one read from B before it. The same with a batch that fails: readers never see its values.',
    fault: 'operations commit one by one and are compensated on failure',
    needs: ['soft-type', 'scalar-members'],
    style: 'concurrency',
    after: ['batch.success.status-200'],
  },
  'batch.headers.authorization-inherited': {
    level: 'must',
    source: 'core: Batch operation, headers',
    statement: 'Operations run as the identity of the batch request and need no Authorization of their own.',
    check:
      'Batch of the editor without Authorization in any operation: 200. The batch without Authorization on the request: 401 for the request as a whole, nothing stored, even when the operations carry a valid token.',
    fault: 'takes Authorization from the operation when the request has none',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
  },
  'batch.headers.authorization-not-replaced': {
    level: 'must',
    source: 'core: Batch operation, headers',
    statement: 'An Authorization given inside an operation does not change the identity it runs as.',
    check:
      'Reader sends a batch with an edit whose `headers` hold the token of the editor: the operation fails and the object is unchanged. Editor sends one whose operation holds the token of the reader: recorded.',
    fault: 'an Authorization header inside an operation wins',
    needs: ['soft-type', 'scalar-members', 'reader-identity'],
    after: ['batch.auth.forbidden-operation'],
  },
  'batch.headers.filter-inherited': {
    level: 'must',
    source: 'core: Batch operation, headers; Common request headers, Svc-InformationFilter',
    statement: 'Operations use the information filter of the batch request and need none of their own.',
    check:
      'Batch with the header on the request only: 200. Where dated effectivity is configured, a replace inside the batch carries the date of that filter. The batch without the header is refused.',
    fault: 'operations use an empty information filter',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
  },
  'batch.auth.forbidden-operation': {
    level: 'must',
    source: 'core: Authentication 6 and 7; Batch rules 3',
    statement:
      'Access is judged per operation: a write by a reader has statusCode 403 and the batch answers 500, while a batch of reads passes.',
    check:
      'Reader sends two GETs: 200. Reader sends a GET and a merge PATCH with the right version: 500, 403 at the second place, object unchanged.',
    fault: 'the role is checked for the batch route only',
    needs: ['soft-type', 'scalar-members', 'reader-identity'],
    after: ['batch.failure.status-500'],
  },
  'batch.route.create-and-edit': {
    level: 'must',
    source: 'core: Batch rules 2 and 5',
    statement:
      'POST creates and PATCH edits in a batch as on the single routes, merge and operations form alike, chosen by the `Content-Type` in the operation.',
    check:
      'One batch with a create, a merge PATCH and an operations PATCH (content type in its `headers`) on three objects; each effect equals that of the single route on a twin object.',
    fault: 'the Content-Type of an operation is ignored, so operations are merged as content',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['batch.success.status-200'],
  },
  'batch.route.put': {
    level: 'must',
    source: 'core: Batch rules 2 and 5',
    statement: 'A PUT operation replaces all content of its target.',
    check:
      'PUT with one of two scalars next to a merge PATCH with the same body on a twin: the first loses the other scalar, the second keeps it.',
    fault: 'PUT inside a batch merges',
    needs: ['soft-type', 'scalar-members', 'put-route'],
    after: ['batch.success.status-200', 'patch.put.drops-absent-members'],
  },
  'batch.route.maturity-actions': {
    level: 'must',
    source: 'core: Batch rules 2',
    statement: 'Promote and demote run inside a batch with the effect of the single routes.',
    check:
      'Promote A and edit B in one batch: 200, A has the next state and version plus one, `body.version` says so. Demote where its route is known.',
    fault: 'maturity routes are unknown to the batch',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['batch.success.status-200', 'maturity.promote.moves-state'],
  },
  'batch.route.lock-objects': {
    level: 'must',
    source: 'core: Batch rules 2; Endpoints, lock-object routes not shown',
    statement: 'The lock object routes are accepted as batch operations.',
    check:
      'Lock and unlock through a batch by the routes of the profile: 200 and the same effect as alone. What a lock does to writers is recorded.',
    fault: 'lock routes are unknown to the batch',
    needs: ['soft-type', 'lock-route'],
    after: ['batch.success.status-200'],
  },
  'batch.route.multi-create': {
    level: 'must',
    source: 'core: Batch rules 4',
    statement: 'A multi-create may be one operation of a batch and takes part in its change set.',
    check:
      'Multi-create of two objects that refer to each other plus an edit: 200, all stored. With a stale edit instead: 500 and none of the two exists.',
    fault: 'a multi-create inside a batch commits on its own',
    needs: ['soft-type', 'scalar-members', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['batch.success.status-200', 'multi-create.reference.forward'],
  },
  'batch.operation.required-members': {
    level: 'must',
    source: 'core: Batch operation, method and href',
    statement:
      'An operation needs `method` (one of GET, POST, PUT, PATCH, DELETE) and `href`; without them, or with another method, it does not pass.',
    check:
      'Leave out each, and send `HEAD`, `LINK` and a number as method, next to a valid edit: the batch is not 200 and the edit is undone. Lower case `get` is recorded.',
    fault: 'a missing method is taken as GET',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.failure.status-500'],
  },
  'batch.relation.across-operations-impossible': {
    level: 'must',
    source: 'core: Batch rules 4',
    statement: 'Two separate create operations of a batch cannot refer to each other.',
    check:
      'Create A with an `$id`, create B with an `instanceRef` to it, as two operations: whatever the status, no stored B refers to A. The same two as items of one multi-create are linked.',
    fault: 'temporary ids are shared by all operations of a batch',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['batch.route.multi-create'],
  },
  'batch.size.hundred-operations': {
    level: 'should',
    source: 'core: Limits (operations per batch, duration of a batch)',
    statement: 'A batch of about 100 operations is within the guideline and completes within about 30 seconds.',
    check: '100 small creates and edits: 200 with 100 results; measure the time and warn above 30 seconds.',
    fault: 'refuses more than 50 operations',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
  },
  'batch.size.no-hard-limit': {
    level: 'must',
    source: 'core: Limits (text under the table)',
    statement: 'The number of operations alone is no reason to refuse a batch.',
    check:
      '101 and 150 cheap operations (GET of one object): 200 with as many results. A connection cut by a gateway is inconclusive, a refusal by status is a breach.',
    fault: 'refuses more than 100 operations',
    needs: ['soft-type'],
    after: ['batch.success.status-200'],
  },
  'batch.size.finishes-without-client': {
    level: 'should',
    source: 'core: Limits (text under the table)',
    statement: 'A batch whose connection ends before the response still runs to its end.',
    check:
      'Send a large batch of edits, cut the connection after the body is sent, then poll: either all edits appear within a minute, or (warning) none. Only a part of them is a breach of the single change set.',
    fault: 'a closed connection aborts the batch',
    needs: ['soft-type', 'scalar-members'],
    style: 'concurrency',
    after: ['batch.commit.visible-together'],
  },
  'batch.result.sibling-statuses': {
    level: 'observe',
    source: 'core: Batch rules 1 and 3',
    statement:
      'Which statusCode and body the operations get that were fine but rolled back, or never tried, is not described.',
    check: 'Record them for a failing operation at the first, middle and last place.',
    needs: ['soft-type', 'scalar-members'],
  },
  'batch.operation.open-questions': {
    level: 'observe',
    source: 'core: Batch operation; Batch rules 2, 5 and 6',
    statement:
      'Not described: an empty list, a body that is no array, absolute and relative href, href into another space, unsupported routes (a batch inside a batch, collection routes), DELETE, two edits of one object, a GET after a write in one batch, If-None-Match in an operation.',
    check:
      'Send each and record batch status, results and effect; a write into a space where the caller has no role is reported as a remark.',
    needs: ['soft-type', 'scalar-members'],
  },
});
