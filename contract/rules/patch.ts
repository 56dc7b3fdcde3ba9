import { rules } from '../rule.ts';

export const patchRules = rules('patch', {
  'patch.merge.status-204': {
    level: 'must',
    source: 'core: Endpoint table, PATCH (merge)',
    statement:
      'A merge PATCH to `/softtype/{definitionId}/{inputSchemaId}/{objectId}` with the current version answers 204.',
    check:
      'Edit one member and compare the status with 204; read back that the edit is stored, so that a 204 without effect fails.',
    fault: 'answers 200 with the object instead of 204',
    needs: ['soft-type', 'scalar-members'],
  },
  'patch.merge.edits-named-member': {
    level: 'must',
    source: 'core: Endpoint table, PATCH (merge); Batch rules 5',
    statement: 'A member given in a merge PATCH has the new value afterwards.',
    check:
      'Set a member that had a value and one that had none, in one request and in two; read back equality. Repeat with the value it already has.',
    fault: 'a member that had no value before is not stored',
    needs: ['soft-type', 'scalar-members'],
  },
  'patch.merge.keeps-other-members': {
    level: 'must',
    source: 'core: Endpoint table, PATCH (merge); Batch rules 5',
    statement: 'Members that a merge PATCH does not name keep their values, arrays with all their pages included.',
    check:
      'Objects with generated subsets of members and E(18); patch a generated subset; every member outside it compares equal before and after.',
    fault: 'an array that the body does not name is cut to its first ten entries',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    style: 'property',
    after: ['patch.merge.edits-named-member'],
  },
  'patch.merge.depth': {
    level: 'observe',
    source: 'core: Endpoint table, PATCH (merge)',
    statement:
      'Merge semantics below the top level are not described: null as value, a nested object with some of its members, an array, an empty body `{}`, an unknown member, system members in the body.',
    check:
      'Send each to a fresh object and record status, whether null removes, whether nested members that were left out survive, whether an array replaces, appends or merges by `$entryId`, and the version afterwards.',
    needs: ['soft-type', 'scalar-members', 'object-member', 'array-port'],
  },
  'patch.put.stores-given-members': {
    level: 'must',
    source: 'core: Endpoint table, PUT; Batch rules 5',
    statement:
      'PUT of complete content with the current version succeeds and stores every member of the body under the same object.',
    check:
      'PUT new values for all members; success status, then GET shows them, with the same `$oid` and `$softType`. The exact success status is recorded.',
    fault: 'PUT stores only members that had a value before',
    needs: ['soft-type', 'scalar-members', 'put-route'],
  },
  'patch.put.drops-absent-members': {
    level: 'must',
    source: 'core: Endpoint table, PUT',
    statement: 'After PUT a member that the body leaves out has no value any more.',
    check:
      'Object with two scalars, PUT with one: the other is gone. Paired negative: a merge PATCH with the same body keeps it. Generated subsets.',
    fault: 'PUT behaves like merge PATCH',
    needs: ['soft-type', 'scalar-members', 'put-route'],
    style: 'property',
    after: ['patch.put.stores-given-members', 'patch.merge.keeps-other-members'],
  },
  'patch.put.drops-absent-arrays': {
    level: 'must',
    source: 'core: Endpoint table, PUT (every absent field)',
    statement: 'PUT also empties an array port that the body leaves out, with the entries beyond page 0.',
    check:
      'E(18), PUT without the array: the array is empty or absent, no page link remains, page 1 shows none of the old entries.',
    fault: 'PUT keeps array ports that the body leaves out',
    needs: ['soft-type', 'array-port', 'put-route'],
    after: ['patch.put.stores-given-members'],
  },
  'patch.put.edge-content': {
    level: 'observe',
    source: 'core: Endpoint table, PUT',
    statement:
      'Not described for PUT: the success status, an absent mandatory member, system members or `$entryId` in the body, and PUT on an id that does not exist.',
    check: 'Send each and record status, stored content and version; for entries record whether their ids are kept.',
    needs: ['soft-type', 'array-port', 'put-route'],
  },
  'patch.delete.object-gone': {
    level: 'must',
    source: 'core: Batch rules 5; Errors 404',
    statement: 'A DELETE that succeeds makes the object unreadable: later GETs answer 404.',
    check:
      'Create two objects, delete one, GET both: 404 and 200. Record the success status and whether a version header was asked for. A second DELETE is recorded.',
    fault: 'DELETE answers success and only marks the object in its data',
    needs: ['soft-type', 'delete-route'],
    after: ['reading.missing-object.status-404'],
  },
  'patch.target.unknown-object-404': {
    level: 'must',
    source: 'core: Errors 404',
    statement:
      'Merge PATCH, operations PATCH and PUT on an object id that does not exist answer 404 when token, role and version header are in order.',
    check:
      'Well-formed unknown id, version header 1, valid body, each method; 404, and a GET of the id afterwards is still 404 (no creation by writing).',
    fault: 'PATCH on an unknown id creates the object',
    needs: ['soft-type', 'scalar-members'],
  },
  'patch.content-type.selects-operations': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 1; Common request headers, Content-Type',
    statement:
      'PATCH to `/softtype/{definitionId}/{objectId}` with `Content-Type` `application/json-patch+json` is carried out as a list of operations.',
    check:
      'Send one `replace` of a scalar with the current version; the request succeeds and the member has the value on reading back.',
    fault: 'routes the request by path only and parses operations as content',
    needs: ['soft-type', 'scalar-members'],
  },
  'patch.content-type.plain-json-is-not-operations': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 1',
    statement: 'A list of operations sent with `Content-Type` `application/json` is not carried out as operations.',
    check:
      'Send the body of a working operations PATCH as `application/json`, to the merge route and to the operations route; afterwards the member does not have the new value. The status is recorded.',
    fault: 'treats every JSON array body as operations',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.content-type.other-types': {
    level: 'observe',
    source: 'core: Operations-based PATCH rules 1; Endpoint table',
    statement:
      'Not described: media type parameters or upper case, `application/merge-patch+json`, `text/plain`, a missing content type, and the operations type on the merge route.',
    check: 'Send each with an otherwise valid body and record status and effect.',
    needs: ['soft-type', 'scalar-members'],
  },
  'patch.body.array-required': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 2; Endpoint table, PATCH (operations)',
    statement: 'The body of an operations PATCH is an array; a lone operation object is refused.',
    check:
      'Send one valid operation without the array: refused. Then the same in an array: succeeds. The empty array is sent too and recorded.',
    fault: 'wraps a lone operation into an array',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.body.member-order-free': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 2',
    statement: 'The order of `op`, `path` and `value` inside an operation makes no difference.',
    check:
      'Send all six orders of the three members (and the two orders for remove) as raw text to equal objects; status and resulting data are equal.',
    fault: 'requires op to be the first member',
    needs: ['soft-type', 'scalar-members'],
    style: 'property',
    after: ['patch.content-type.selects-operations'],
  },
  'patch.body.unknown-op-refused': {
    level: 'must',
    source: 'core: Patch operation, op',
    statement: '`op` is one of `add`, `replace`, `remove`; any other value is refused.',
    check:
      'Send `move`, `copy`, `test` (with the members they would need), `ADD`, an empty string and null; each refused. A `test` that holds is refused as well.',
    fault: 'silently skips operations with an unknown op',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.body.required-members': {
    level: 'must',
    source: 'core: Patch operation, op and path',
    statement: 'An operation without `op` or without `path` is refused.',
    check: 'Leave out each in turn, for add, replace and remove; refused every time.',
    fault: 'a missing op is taken as replace',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.body.value-required': {
    level: 'must',
    source: 'core: Patch operation, value',
    statement: '`add` and `replace` without a `value` member are refused.',
    check:
      'Send add on a free member and replace on a filled one without value: refused; with one they succeed. The empty string and `null` are recorded.',
    fault: 'replace without value clears the member',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.path.empty-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 3',
    statement: 'The empty path, which stands for the whole document, is refused for every op.',
    check:
      'Send `path` as the empty string with add, replace (scalar and object value) and remove; refused each time. The path `/` is recorded only.',
    fault: 'replace with the empty path replaces the whole content',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.path.member-addressed': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 3 and 7',
    statement:
      'A path of a slash and a member name addresses that root member and no other; `replace` there sets its value.',
    check:
      'Replace one of two scalars; it changes and everything else stays, the second scalar and all pages of an array included.',
    fault: 'replace drops the members that come after the addressed one',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.path.entry-member-addressed': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 3',
    statement: '`/<array>/<entryId>/<member>` addresses one member of the entry with that `$entryId`.',
    check:
      'E(12): replace the string of an entry on page 0 and of one on page 1; these two entries change, the content of the other ten stays.',
    fault: 'replace finds entries of page 0 only',
    needs: ['soft-type', 'array-port'],
    after: ['patch.content-type.selects-operations', 'reading.entries.ids-stable-between-reads'],
  },
  'patch.path.input-schema-names': {
    level: 'must',
    source: 'core: Patch operation, path; Operations-based PATCH rules 3',
    statement:
      'Paths use the member names of the input schema; the name that only the output schema knows is not a valid target.',
    check:
      'Replace through the input name succeeds and the value shows under the output name; the same operation through the output name is refused.',
    fault: 'resolves paths against the output schema',
    needs: ['soft-type', 'renamed-member'],
    after: ['patch.path.member-addressed'],
  },
  'patch.path.data-prefix-refused': {
    level: 'must',
    source: 'core: Patch operation, path (not the data section)',
    statement: 'A path is not relative to the read response: a leading `/data` segment does not address a member.',
    check: 'Replace `/data/<member>` on an object where `/<member>` works; refused, value as before.',
    fault: 'strips a leading data segment from the path',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.path.member-addressed'],
  },
  'patch.path.pointer-escapes': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 3 (JSON Pointer)',
    statement:
      'In a path `~1` stands for a slash and `~0` for a tilde in a member name, decoded as JSON Pointer prescribes.',
    check:
      'Add, replace and remove the escaped member through its escaped name, reading back each time. Where the name holds a tilde followed by 1, the order of decoding shows.',
    fault: 'decodes ~0 before ~1',
    needs: ['soft-type', 'escaped-member'],
    after: ['patch.path.member-addressed'],
  },
  'patch.path.unusual-pointers': {
    level: 'observe',
    source: 'core: Operations-based PATCH rules 3',
    statement:
      'Not described: a path without leading slash, the path `/`, a member that the schema does not know, a system member such as `/$version`, percent-encoded paths.',
    check:
      'Send replace and add with each and record status and effect; a change of `$oid`, `$softType` or `$version` through a path is reported as a remark.',
    needs: ['soft-type', 'scalar-members'],
  },
  'patch.index.position-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 4',
    statement: 'A number that is no `$entryId` of the array does not address the entry at that position.',
    check:
      'E(5): pick a position from 0 to 4 that is not among the ids (remove entries first until there is one). Replace a member through it and remove through it: refused, all entries as before.',
    fault: 'falls back to the position when no entry has the id',
    needs: ['soft-type', 'array-port'],
    after: ['patch.path.entry-member-addressed'],
  },
  'patch.index.entry-id-wins': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 3 and 4',
    statement: 'A path segment that is both an `$entryId` and a possible position addresses the entry that has the id.',
    check:
      'Remove early entries until ids and positions differ, then replace through an id that is also the position of another entry; the entry with the id changes, the one at the position does not. Inconclusive where ids are not small integers.',
    fault: 'a replace takes an entry id as a position first',
    needs: ['soft-type', 'array-port'],
    after: ['patch.path.entry-member-addressed'],
  },
  'patch.index.insert-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 4 and 5',
    statement:
      '`add` cannot insert at a place inside an array: neither a position nor the `$entryId` of a present entry is accepted as insertion point.',
    check:
      'E(3): add an object at `/<array>/1` (chosen to be no id) and at `/<array>/<id of the second entry>`; both refused, three entries in the old order. The append forms succeed with the same object.',
    fault: 'add at an entry id inserts the value before that entry',
    needs: ['soft-type', 'array-port'],
    after: ['patch.add.appends-without-marker'],
  },
  'patch.add.appends-without-marker': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5',
    statement: '`add` with the path of an array and an object value appends the object as an entry.',
    check:
      'E(0), E(3), E(9), E(10): add with path `/<array>`; one entry more, the old ones with unchanged content. For E(0) the array given as empty at creation.',
    fault: 'add to an array path is refused as an existing member',
    needs: ['soft-type', 'array-port'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.add.appends-with-marker': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5',
    statement: '`add` with `/<array>/-` has the same effect as without the end marker.',
    check:
      'Two equal objects, one add by each form; same data apart from ids. No entry gets `-` as id, and no member named `-` appears.',
    fault: 'stores the new entry under the entry id "-"',
    needs: ['soft-type', 'array-port'],
    after: ['patch.add.appends-without-marker'],
  },
  'patch.add.lands-last': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5',
    statement: 'The appended entry is the last of the array, behind all pages.',
    check:
      'Generated starts of 0, 1, 9, 10, 11, 19, 20 entries: the new entry is the last item of the last page. Two adds in one list keep their order.',
    fault: 'appends behind page 0 instead of behind the last page',
    needs: ['soft-type', 'array-port'],
    style: 'property',
    after: ['patch.add.appends-without-marker', 'paging.pages.cover-array-once'],
  },
  'patch.add.new-entry-gets-id': {
    level: 'must',
    source: 'core: System properties, $entryId; Operations-based PATCH rules 5',
    statement: 'An appended entry has an `$entryId` of its own that a following request can use.',
    check:
      'Append, read the id, replace a member of the entry through it, remove the entry through it; each step shows on reading back.',
    fault: 'entries added by operations carry no entry id until the next PUT',
    needs: ['soft-type', 'array-port'],
    after: ['patch.add.appends-without-marker', 'patch.path.entry-member-addressed'],
  },
  'patch.add.missing-member-added': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5',
    statement: '`add` on a member that has no value yet gives it the value, at the root and inside an entry.',
    check:
      'Object without the optional scalar, entry without its optional string: add both; read back. Other members and entries stay.',
    fault: 'add works at the root only',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.add.existing-member-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5; Errors rule 3',
    statement: '`add` on a member that already has a value is refused; `replace` is the op for that.',
    check:
      'Add with another value and with the very value it has, at the root and inside an entry: refused, value and version as before; then replace with the same value succeeds. The status is recorded.',
    fault: 'add overwrites, as plain JSON Patch does',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['patch.add.missing-member-added'],
  },
  'patch.add.object-value': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 6',
    statement: '`add` accepts an object as value for a member that has none.',
    check: 'Object without the object member: add it with two scalars; read back equal content.',
    fault: 'add accepts scalars only',
    needs: ['soft-type', 'object-member'],
    after: ['patch.add.missing-member-added'],
  },
  'patch.add.array-value': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 6',
    statement: '`add` accepts a value that is, or holds, an array.',
    check:
      'Append an entry that holds a nested array of two; read back both nested entries, each with an id. Adding an array value straight to the array port is sent too, but only recorded (appended one by one, nested, or refused).',
    fault: 'arrays inside an added value are dropped',
    needs: ['soft-type', 'array-port', 'nested-array-port'],
    after: ['patch.add.appends-without-marker'],
  },
  'patch.replace.missing-member-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 7',
    statement: '`replace` on a member that has no value is refused.',
    check:
      'Replace an optional scalar without value, at the root and inside an entry: refused and still without value. Then add succeeds, then replace succeeds.',
    fault: 'replace creates the member',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['patch.path.member-addressed'],
  },
  'patch.replace.missing-entry-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 7 and 3',
    statement: '`replace` through an `$entryId` that the array does not have is refused.',
    check: 'Use the id of an entry removed a moment ago and an invented one; refused, no entry changed, none added.',
    fault: 'replace through an unknown entry id appends an entry',
    needs: ['soft-type', 'array-port'],
    after: ['patch.path.entry-member-addressed'],
  },
  'patch.replace.object-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 6',
    statement: '`replace` with an object as value is refused, even where the target exists and holds an object.',
    check:
      'Replace the filled object member, and a whole entry by its id, with an object: refused, old content. Replacing a scalar inside the object is the positive control.',
    fault: 'replace accepts objects',
    needs: ['soft-type', 'object-member', 'array-port'],
    after: ['patch.path.member-addressed'],
  },
  'patch.replace.array-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 6',
    statement: '`replace` with an array as value is refused, the empty array included.',
    check: 'E(3): replace `/<array>` with an array of one entry and with an empty one; refused, three entries left.',
    fault: 'replace accepts the empty array and clears the port',
    needs: ['soft-type', 'array-port'],
    after: ['patch.path.member-addressed'],
  },
  'patch.replace.dated-effectivity-date': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 7',
    statement:
      'Replacing a dated-effectivity element stamps it with the date of the information filter that came with the request.',
    check:
      'Send the replace with a filter dated in the past (not today, not the date of creation) and read the effectivity date back; repeat with another date. A plain scalar replaced in the same request gets no date.',
    fault: 'stamps the time of the server',
    needs: ['soft-type', 'dated-effectivity'],
    after: ['patch.path.member-addressed'],
  },
  'patch.remove.member-gone': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 8; Patch operation, op',
    statement: '`remove` of an optional member takes its value away and nothing else.',
    check:
      'Remove one of two scalars, reread: it is absent, the other and all entries are as before; a following add succeeds, which proves it is really gone.',
    fault: 'remove sets the member to an empty string',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.remove.with-value-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 8; Patch operation, value',
    statement: '`remove` with a `value` member is refused.',
    check:
      'Remove a filled member with its true value, another value, and an object as `value`; refused, member still there. Without `value` it succeeds.',
    fault: 'ignores value on remove',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.remove.member-gone'],
  },
  'patch.remove.with-null-value-refused': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 8; Patch operation, value',
    statement:
      'A `value` of null, false, 0 or the empty string is a present value too, so `remove` with it is refused.',
    check: 'Send each; refused, member still there.',
    fault: 'tests value for truth instead of presence',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.remove.with-value-refused'],
  },
  'patch.remove.cascades-to-parent': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 8',
    statement: 'Removing a member without which its entry breaks the model removes the entry as well.',
    check:
      'E(3): remove the mandatory member of the second entry; success, two entries left, neither of them the second. An implementation that refuses or leaves an incomplete entry fails.',
    fault: 'leaves the entry without its mandatory member',
    needs: ['soft-type', 'array-port', 'mandatory-member'],
    after: ['patch.remove.member-gone'],
  },
  'patch.remove.cascade-spares-siblings': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 8 (the parent entry)',
    statement: 'The cascade takes the one parent entry; its sibling entries, the array and the object stay.',
    check:
      'E(12) with a cascade on an entry of page 1: 11 entries remain with unchanged content, scalars stay, the object is readable. With E(1) the array ends empty and the object remains.',
    fault: 'the cascade clears the whole array',
    needs: ['soft-type', 'array-port', 'mandatory-member', 'scalar-members'],
    after: ['patch.remove.cascades-to-parent'],
  },
  'patch.remove.optional-keeps-parent': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 8 (condition)',
    statement: 'Removing an optional member of an entry leaves the entry in place.',
    check:
      'E(3): remove the optional string of the second entry; three entries, the member absent in that one, everything else as before.',
    fault: 'every removal inside an entry removes the entry',
    needs: ['soft-type', 'array-port'],
    after: ['patch.remove.member-gone'],
  },
  'patch.remove.entry-with-trailing-slash': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 9',
    statement: '`remove` with `/<array>/<entryId>/`, trailing slash included, removes that entry.',
    check:
      'E(12): remove an entry of page 0 and one of page 1, each in its own request; exactly these contents are gone. With E(1) the array ends empty.',
    fault: 'the trailing slash form is refused as a pointer to an empty member name',
    needs: ['soft-type', 'array-port'],
    after: ['patch.content-type.selects-operations'],
  },
  'patch.remove.edge-targets': {
    level: 'observe',
    source: 'core: Operations-based PATCH rules 8 and 9',
    statement:
      'Not described: remove of a member without value or of an unknown entry, an entry path without trailing slash, a whole array, a mandatory member of the root, and whether a cascade climbs more than one level.',
    check: 'Send each to a fresh object; record status, data and version.',
    needs: ['soft-type', 'array-port', 'scalar-members'],
  },
  'patch.operations.failing-list-changes-nothing': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5 (the request fails) and 7',
    statement: 'When one operation of a list fails, the request fails and none of its operations has an effect.',
    check:
      'Lists of 2 to 5 operations with the failing one (add on an existing member, replace of a missing target) first, in the middle and last; refused, data and version as before. The list without it succeeds with the same version number.',
    fault: 'operations before the failing one stay applied',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    style: 'property',
    after: ['patch.add.existing-member-refused', 'patch.replace.missing-member-refused'],
  },
  'patch.operations.match-model': {
    level: 'must',
    source: 'core: Operations-based PATCH rules 5 to 9',
    statement:
      'Any run of single-operation requests leaves the object as the rules for add, replace and remove predict.',
    check:
      'Random histories of add, replace, remove on scalars, the object member, entries and entry members of two objects, valid and invalid mixed, one operation per request, with some PUTs and batches between; after each compare acceptance and all that every read route shows with a client-side model.',
    fault: 'after a removal the next append reuses the slot of the removed entry',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    style: 'model',
    after: [
      'patch.index.entry-id-wins',
      'patch.add.lands-last',
      'patch.add.new-entry-gets-id',
      'patch.add.missing-member-added',
      'patch.add.existing-member-refused',
      'patch.replace.missing-member-refused',
      'patch.remove.member-gone',
      'patch.remove.optional-keeps-parent',
      'patch.remove.entry-with-trailing-slash',
    ],
  },
  'patch.operations.order-and-status': {
    level: 'observe',
    source: 'core: Endpoint table, PATCH (operations); Errors rule 3',
    statement:
      'Not described: the success status of an operations PATCH, the status of its failures, and whether later operations of a list see the result of earlier ones.',
    check:
      'Record the success status, the status per kind of failure, and the outcome of add-then-replace and remove-then-add on one member within one list.',
    needs: ['soft-type', 'scalar-members'],
  },
});
