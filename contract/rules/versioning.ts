import { rules } from '../rule.ts';

export const versioningRules = rules('versioning', {
  'versioning.create.starts-at-one': {
    level: 'should',
    source: 'core: Versioning 2',
    statement: 'A created object is at version 1, whatever it contains and however many objects exist.',
    check:
      'Create minimal content, full content and E(21), after other objects were edited several times: `version`, `$version` and the version header are 1.',
    fault: 'the first version is 0',
    needs: ['soft-type', 'array-port'],
  },
  'versioning.edit.merge-adds-one': {
    level: 'must',
    source: 'core: Versioning 2',
    statement: 'An accepted merge PATCH raises the version by exactly one, however many members it changes.',
    check: 'Edit one member, then two members: 1, 2, 3. Ten edits in a row end at 11.',
    fault: 'the version rises by the number of changed members',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.edit.operations-add-one': {
    level: 'must',
    source: 'core: Versioning 2',
    statement: 'An accepted operations PATCH raises the version by exactly one, however many operations it lists.',
    check: 'Lists of 1, 2 and 5 effective operations, a removal with cascade among them: plus one each.',
    fault: 'the version rises by the number of operations',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['patch.content-type.selects-operations'],
  },
  'versioning.edit.put-adds-one': {
    level: 'must',
    source: 'core: Versioning 2',
    statement: 'An accepted PUT raises the version by exactly one.',
    check: 'PUT at version 1 and at version 3: 2 and 4. It neither keeps the version nor starts again at 1.',
    fault: 'PUT starts the object again at version 1',
    needs: ['soft-type', 'scalar-members', 'put-route'],
  },
  'versioning.object.own-counter': {
    level: 'must',
    source: 'core: Versioning 1',
    statement: 'Each object counts its own version; editing one leaves the versions of others alone.',
    check:
      'Two objects of one SoftType, and one that refers to another: edit one three times; the others keep version 1.',
    fault: 'an edit also raises the version of the object that was edited before',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.read.leaves-version': {
    level: 'must',
    source: 'core: Versioning 2 (only promote and edit increment)',
    statement:
      'Reads do not change the version: instance GET by both routes, page GET, filtered GET, GET in a batch, the OpenAPI document.',
    check:
      'Generated runs of reads, as editor and as reader; `version` before and after is equal and a write with it succeeds.',
    fault: 'a filtered GET raises the version',
    needs: ['soft-type', 'array-port'],
    style: 'property',
  },
  'versioning.mismatch.lower-409': {
    level: 'must',
    source: 'core: Errors rule 1; Versioning 3',
    statement: 'A merge PATCH with a version below the current one answers 409.',
    check: 'At version 3 send 2, 1, 0 and -1: 409 each, object unchanged; then 3 succeeds.',
    fault: 'only version n - 1 is refused, older ones pass',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.mismatch.higher-409': {
    level: 'must',
    source: 'core: Errors rule 1 (does not equal); Versioning 3',
    statement: 'A merge PATCH with a version above the current one answers 409.',
    check: 'At version 3 send 4, 5 and 2147483647: 409 each, object unchanged; then 3 succeeds.',
    fault: 'refuses only when the version sent is lower than the current one',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.mismatch.operations-409': {
    level: 'must',
    source: 'core: Errors rule 1; Endpoint table, PATCH (operations)',
    statement: 'An operations PATCH with any version other than the current one answers 409 and applies no operation.',
    check: 'Generated integers around the current version: 409 for all but n, object unchanged.',
    fault: 'operations PATCH does not compare the version',
    needs: ['soft-type', 'scalar-members'],
    style: 'property',
    after: ['patch.content-type.selects-operations'],
  },
  'versioning.mismatch.put-409': {
    level: 'must',
    source: 'core: Errors rule 1; Endpoint table, PUT',
    statement: 'A PUT with any version other than the current one answers 409 and replaces nothing.',
    check:
      'Send n - 1 and n + 1 with a body that would drop a member: 409, the member is still there; then n succeeds.',
    fault: 'PUT does not compare the version',
    needs: ['soft-type', 'scalar-members', 'put-route'],
  },
  'versioning.mismatch.across-users-409': {
    level: 'must',
    source: 'core: Errors rule 1; Versioning 3',
    statement:
      'The comparison is with the version of the object, not with what the same user last saw: an edit by somebody else makes a version stale.',
    check:
      'Editor reads version 1, the second editor edits to 2, the editor sends 1: 409, and the edit of the second editor is still there. The editor then succeeds with 2 without having read again.',
    fault: 'compares with the version that the same user last read',
    needs: ['soft-type', 'scalar-members', 'second-editor'],
  },
  'versioning.absent.merge-412': {
    level: 'must',
    source: 'core: Errors rule 2',
    statement: 'A merge PATCH without the version header answers 412 and changes nothing.',
    check:
      'Send it without the header: 412. With `If-Match` or a `$version` in the body in its place: 412 as well. Object unchanged; with the header it succeeds.',
    fault: 'a missing version header answers 409',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.absent.operations-412': {
    level: 'must',
    source: 'core: Errors rule 2',
    statement: 'An operations PATCH without the version header answers 412 and applies no operation.',
    check: 'As for merge, with one replace.',
    fault: 'operations PATCH needs no version',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'versioning.absent.put-412': {
    level: 'must',
    source: 'core: Errors rule 2',
    statement: 'A PUT without the version header answers 412 and replaces nothing.',
    check: 'As for merge, with a body that would drop a member.',
    fault: 'PUT needs no version',
    needs: ['soft-type', 'scalar-members', 'put-route'],
  },
  'versioning.refused.changes-nothing': {
    level: 'must',
    source: 'core: Errors rules 1 and 2; Versioning 2',
    statement:
      'A write refused with 401, 403, 409 or 412 leaves content and version as they were, and the version still current afterwards is accepted.',
    check:
      'Generated refused writes of every kind available; object unchanged after each; at the end one write with the version of the beginning succeeds.',
    fault: 'a refused write raises the version',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    style: 'property',
  },
  'versioning.value.text-refused': {
    level: 'must',
    source: 'core: Common request headers, Svc-UOIVersion (integer)',
    statement: 'A version header that is no integer is refused; it never counts as a match.',
    check:
      'Send `abc`, `NaN`, `1.5`, `null`, `*`: status 400 or above (recorded), object unchanged. Spellings that some parsers take as the number (`01`, `+1`, `1.0`, quotes, empty) are sent too but only recorded.',
    fault: 'an unreadable version header counts as the current one',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.header.only-for-put-and-patch': {
    level: 'must',
    source: 'core: Common request headers, Svc-UOIVersion; Errors rule 2',
    statement: 'Reads and creates need no version header.',
    check: 'Instance GET, page GET, create, batch and multi-create without it: no 412. DELETE without it is recorded.',
    fault: 'the OpenAPI document without the version header answers 412',
    needs: ['soft-type', 'array-port'],
  },
  'versioning.race.one-writer-wins': {
    level: 'must',
    source: 'core: Versioning 3; Errors rule 1',
    statement:
      'Of two or more writers that send the same current version at once exactly one succeeds; every other one gets 409.',
    check:
      'Rounds with 2, 5 and 20 parallel writers, each with its own value: one success, the rest 409, version plus one, content is that of the winner alone. Merge, operations and PUT are mixed. Repeat at least 20 rounds; a round in which the requests did not overlap does not count.',
    fault: 'version check and store are two steps with an await between them',
    needs: ['soft-type', 'scalar-members'],
    style: 'concurrency',
    after: [
      'versioning.mismatch.lower-409',
      'headers.uoi-version.on-merge',
      'headers.uoi-version.on-operations',
      'headers.uoi-version.on-put',
    ],
  },
  'versioning.race.different-objects-independent': {
    level: 'must',
    source: 'core: Versioning 1 and 3',
    statement: 'Parallel writers to different objects do not disturb each other.',
    check:
      '20 objects, one edit each at the same time, each with the right version: 20 successes, each object at version 2 with its own content.',
    fault: 'a space-wide lock answers 409 to the second writer',
    needs: ['soft-type', 'scalar-members'],
    style: 'concurrency',
  },
  'versioning.race.retry-loop-loses-nothing': {
    level: 'must',
    source: 'core: Versioning 3; Errors rule 1',
    statement:
      'Writers that read, append an entry with the version read, and start over on 409 together store every entry exactly once.',
    check:
      '10 writers append 3 entries each to an object of 9: all 39 are there once, version 31. Pages read meanwhile hold what the array of their version has for them; all requests together are those of one object whose version rises by one with every accepted write.',
    fault: 'a 409 is answered after the entry was already stored',
    needs: ['soft-type', 'array-port'],
    style: 'concurrency',
    after: [
      'versioning.race.one-writer-wins',
      'patch.add.appends-without-marker',
      'paging.page-zero.equals-first-read',
      'paging.page-one.holds-the-rest',
      'paging.pages.cover-array-once',
      'paging.page.holds-at-most-ten',
      'paging.page-body.version-of-owner',
    ],
  },
  'versioning.sequence.matches-model': {
    level: 'must',
    source: 'core: Versioning 1 to 3; Errors rules 1 and 2',
    statement:
      'Over any run of creates, reads, edits, promotes and refused writes, status and version follow a counter that only accepted writes raise.',
    check:
      'Random histories of three objects: merge, PUT, operations, promote, demote and batches, with versions drawn from n, n - 1, older ones, n + 1, the first digits of n, absent; after each compare status, version header and all that every read route shows with the model.',
    fault: 'after a refused write the next accepted one raises the version by two',
    needs: ['soft-type', 'scalar-members'],
    style: 'model',
    after: [
      'versioning.edit.merge-adds-one',
      'versioning.mismatch.lower-409',
      'patch.content-type.selects-operations',
      'headers.uoi-version.on-merge',
      'headers.uoi-version.on-operations',
      'headers.uoi-version.on-put',
    ],
  },
  'versioning.no-op.edits': {
    level: 'observe',
    source: 'core: Versioning 2',
    statement:
      'Whether an accepted write that changes nothing (the same value, an empty merge body, an empty operation list, an identical PUT) raises the version is not said.',
    check: 'Send each and record status, version header and version.',
    needs: ['soft-type', 'scalar-members'],
  },
  'versioning.precedence.with-other-errors': {
    level: 'observe',
    source: 'core: Errors',
    statement:
      'Which status wins when a request has several faults is not described: no version and unknown object, wrong version and malformed body, wrong version and failing operation.',
    check: 'Send the combinations and record the status.',
    needs: ['soft-type', 'scalar-members'],
  },
});
