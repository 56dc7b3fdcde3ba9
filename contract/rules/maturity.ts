import { rules } from '../rule.ts';

export const maturityRules = rules('maturity', {
  'maturity.state-field.shape': {
    level: 'must',
    source: 'core: States and transitions',
    statement:
      'An instance under maturity carries one current-state field per level, each an object with the strings `$oid`, `$softType`, `id` and `state`.',
    check:
      'Read a fresh object and, per level of the profile, test the field for the four members and their type. Several levels give several fields.',
    fault: 'the state is a bare string instead of an object',
    needs: ['soft-type', 'maturity'],
  },
  'maturity.promote.status-204': {
    level: 'must',
    source: 'core: Endpoint table, PUT promote',
    statement:
      'PUT `/api/space/{spaceId}/maturityAction/promote/{objectId}/{processId}/{levelId}` without body and with the current version answers 204.',
    check: 'Promote from the start state with no body and no Content-Type: 204. What a body does is recorded.',
    fault: 'demands a JSON body',
    needs: ['soft-type', 'maturity'],
  },
  'maturity.promote.moves-state': {
    level: 'must',
    source: 'core: States and transitions; Endpoint table, PUT promote',
    statement:
      'A promote that answers 204 changes the `state` of the level named in the route to the next configured one.',
    check:
      'Read the state field before and after and compare with the states of the profile. A second, untouched object keeps its state.',
    fault: 'promote raises the version but leaves the state',
    needs: ['soft-type', 'maturity'],
    after: ['maturity.promote.status-204', 'maturity.state-field.shape'],
  },
  'maturity.promote.version-plus-one': {
    level: 'must',
    source: 'core: States and transitions; Versioning 2; Common request headers (response headers)',
    statement: 'Promoting an object at version n leaves it at n + 1, and the version response header says n + 1.',
    check:
      'Promote at version 1 and, on another object, at version 4 after three edits: header and next GET show 2 and 5.',
    fault: 'promote resets the version to 1',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['maturity.promote.status-204'],
  },
  'maturity.promote.then-edit': {
    level: 'must',
    source: 'core: Versioning 2 (1 to 2 after promote, 2 to 3 after edit)',
    statement: 'After a promote an edit with the new version leads to the version after that.',
    check:
      'Create, promote with 1, edit with 2: versions 1, 2, 3. The edit with 1 in between is 409. Choose a state in which editing is allowed.',
    fault: 'promote and edit count separate versions',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['maturity.promote.version-plus-one'],
  },
  'maturity.promote.wrong-version-409': {
    level: 'must',
    source: 'core: Errors rule 1; Common request headers, Svc-UOIVersion (PUT)',
    statement: 'A promote with a version other than the current one answers 409 and moves nothing.',
    check: 'At version 2 send 1 and 3: 409 each, state and version as before; then 2 succeeds.',
    fault: 'promote does not compare the version',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['maturity.promote.moves-state'],
  },
  'maturity.promote.absent-version-412': {
    level: 'must',
    source: 'core: Errors rule 2; Common request headers, Svc-UOIVersion (PUT)',
    statement: 'A promote without version header answers 412 and moves nothing.',
    check: 'Send it without the header: 412, state and version as before; then with the header it succeeds.',
    fault: 'a missing version on promote counts as the current one',
    needs: ['soft-type', 'maturity'],
    after: ['maturity.promote.moves-state'],
  },
  'maturity.promote.race-one-winner': {
    level: 'must',
    source: 'core: Versioning 3; Errors rule 1',
    statement: 'Of several promotes sent at once with the same version exactly one succeeds, the others answer 409.',
    check:
      '8 parallel promotes, then a mix of promotes and edits, all with version n: one 204, the rest 409, version n + 1, state one step on and not two.',
    fault: 'compares the version before and stores after an await, without holding the object',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    style: 'concurrency',
    after: ['maturity.promote.wrong-version-409'],
  },
  'maturity.promote.reader-refused': {
    level: 'must',
    source: 'core: What the service does (role decides on PUT); Authentication 6',
    statement: 'A promote by an identity whose role does not allow PUT answers 403 and moves nothing.',
    check:
      'Reader promotes with the right version: 403, state as before; the editor then succeeds with the same version.',
    fault: 'maturity actions skip the role check',
    needs: ['soft-type', 'maturity', 'reader-identity'],
    after: ['maturity.promote.status-204'],
  },
  'maturity.demote.version-plus-one': {
    level: 'should',
    source: 'core: States and transitions; Common request headers (PUT); Versioning 2',
    statement:
      'Demote is a PUT that edits the object: with the current version it succeeds and raises the version by one, shown in the version header.',
    check:
      'Promote, then demote with version 2: success, header and GET say 3. The state reached and the status are recorded.',
    fault: 'demote lowers the version',
    needs: ['soft-type', 'maturity', 'demote-route'],
    after: ['maturity.promote.version-plus-one'],
  },
  'maturity.demote.version-guarded': {
    level: 'must',
    source: 'core: Errors rules 1 and 2; Common request headers, Svc-UOIVersion (PUT)',
    statement: 'A demote with another version answers 409, without version 412, and moves nothing.',
    check: 'At version 2 send 1, 3 and no header: 409, 409, 412, state and version as before; then 2 succeeds.',
    fault: 'demote does not compare the version',
    needs: ['soft-type', 'maturity', 'demote-route'],
    after: ['maturity.demote.version-plus-one'],
  },
  'maturity.transitions.open-questions': {
    level: 'observe',
    source: 'core: States and transitions (transitions not shown)',
    statement:
      'Not described: promote in the last state, demote in the first, unknown process, level or object id, a level of another SoftType, whether demote restores the former state, whether a state blocks edits, whether levels move independently.',
    check:
      'Send each with the current version; record status, state and version. A version that rises without a change of state is reported as a remark.',
    needs: ['soft-type', 'maturity', 'terminal-state'],
  },
});
