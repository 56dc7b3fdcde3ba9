import { rules } from '../rule.ts';

export const readingRules = rules('reading', {
  'reading.create.status-201': {
    level: 'must',
    source: 'core: Endpoint table, POST softtype; Errors 201',
    statement: 'POST of valid instance content to the definition/input-schema route answers 201.',
    check:
      'Create with only the mandatory members, with all members, and with E(0) and E(21). Compare the status with 201 exactly (200 and 204 fail) and read the object back so that a server that answers 201 without storing is caught.',
    fault: 'answers 200 instead of 201 for a stored create',
    needs: ['soft-type'],
  },
  'reading.create.content-reads-back': {
    level: 'must',
    source: 'core: Endpoint table, POST softtype; Resources, SoftType read response',
    statement: 'Every member given at creation is returned by the next GET of that instance with the same value.',
    check:
      'Generate string values (empty, long, right-to-left, emoji, quotes, control characters, leading and trailing blanks), create, GET, and compare member by member. Two objects with different values are read alternately, so that a server which returns the last write to everyone is caught.',
    fault: 'trims blanks from string values when storing',
    needs: ['soft-type', 'scalar-members'],
    style: 'property',
    after: ['reading.create.status-201', 'reading.instance.long-route-served'],
  },
  'reading.create.new-identity-each-time': {
    level: 'must',
    source: 'core: Endpoint table, POST softtype; System properties $oid',
    statement:
      'Each accepted create produces its own object with its own `$oid`, also when identical bodies are posted at the same moment.',
    check:
      'Send 10 identical creates in parallel. Expect ten 201, ten different Location values and ten different `$oid` values; edit one of the objects and see the other nine unchanged.',
    fault: 'deduplicates identical bodies that arrive within one second',
    needs: ['soft-type', 'scalar-members'],
    style: 'concurrency',
    after: ['reading.create.status-201', 'headers.location.leads-to-object'],
  },
  'reading.create.invalid-content': {
    level: 'observe',
    source: 'core: Errors 4; Resources, fields per template not shown',
    statement:
      'The answer to a create with unusable content is not described: malformed JSON, a value of the wrong type, an unknown member, an absent mandatory member, an unknown definition or input schema, client-supplied `$oid`, `$version` or `$softType`.',
    check:
      'Send one request of each kind, record status, content type and whether an object came into being (follow Location when there is one). For supplied system members read back and record whether they were ignored, taken over or refused.',
    needs: ['soft-type', 'scalar-members'],
  },
  'reading.instance.short-route-served': {
    level: 'must',
    source: 'core: Endpoint table, GET softtype, first form',
    statement: 'GET `/api/space/{spaceId}/softtype/{objectId}` answers 200 with the read response of that object.',
    check:
      'Create two objects, GET each by the short route, and compare status 200 and `data.$oid` with the id asked for. Paired negative: the same route with an unknown id is not 200.',
    fault: 'the short route answers 404 while the long one works',
    needs: ['soft-type'],
  },
  'reading.instance.long-route-served': {
    level: 'must',
    source: 'core: Endpoint table, GET softtype, second form',
    statement:
      'GET `/api/space/{spaceId}/softtype/{definitionId}/{outputSchemaId}/{objectId}` answers 200 with the same object and version as the short route.',
    check:
      'GET one object by both routes with no write in between; status 200 both times, equal `version` and equal `data.$oid`. Repeat after an edit so that a stale copy behind one of the routes shows.',
    fault: 'the long route serves the state of one version earlier after a merge edit',
    needs: ['soft-type', 'scalar-members'],
  },
  'reading.body.href-leads-back': {
    level: 'must',
    source: 'core: SoftType read response, href',
    statement: 'The read response holds `href`, a string, and GET of that URI returns the same instance.',
    check:
      'Resolve `href` against the request URI, GET it, and compare `data.$oid` and `version`. Do so for two objects, so that a constant href fails.',
    fault: 'href names the route of the collection of objects instead of the instance',
    needs: ['soft-type'],
    after: ['reading.instance.long-route-served'],
  },
  'reading.body.data-is-object': {
    level: 'must',
    source: 'core: SoftType read response, data',
    statement:
      'The read response holds the content in `data`, which is a JSON object (never an array, a string or null).',
    check:
      'GET an object with minimal content and E(1); `data` is an object both times and the known members lie inside it, not beside it.',
    fault: 'wraps the content in an array of one object',
    needs: ['soft-type', 'scalar-members'],
  },
  'reading.body.version-is-integer': {
    level: 'must',
    source: 'core: SoftType read response, version',
    statement: 'The read response holds `version` as a JSON number without fraction, not as a string.',
    check:
      'Parse the raw body and test the type at version 1 and after one edit; the token in the raw text carries no quotes, fraction or exponent.',
    fault: 'serialises version as the string "1"',
    needs: ['soft-type', 'scalar-members'],
  },
  'reading.body.links-is-array': {
    level: 'must',
    source: 'core: SoftType read response, links',
    statement: 'The read response holds `links` as an array whose items are objects.',
    check:
      'GET E(0) and E(11) as editor and, where there is one, as reader. `links` is an array each time, also where it would be empty.',
    fault: 'leaves links out when there is no page link',
    needs: ['soft-type', 'array-port'],
  },
  'reading.body.schema-is-object': {
    level: 'must',
    source: 'core: SoftType read response, schema',
    statement: 'The read response holds `schema` as a JSON object.',
    check: 'GET by both routes and test that `schema` is a non-null object. Its dialect and keys are recorded only.',
    fault: 'returns schema as a string with the schema id',
    needs: ['soft-type'],
  },
  'reading.system.version-matches-top-level': {
    level: 'must',
    source: 'core: System properties, $version; Versioning 1',
    statement: '`data.$version` is an integer equal to the top-level `version` of the same response.',
    check: 'Compare both at version 1, after a merge edit, after an operations edit and after a rejected edit.',
    fault: '$version stays at 1 while version counts up',
    needs: ['soft-type', 'scalar-members'],
  },
  'reading.system.oid-matches-route': {
    level: 'must',
    source: 'core: System properties, $oid',
    statement:
      '`data.$oid` is a string, stays the same through edits, and is the identifier accepted as `{objectId}` in the routes.',
    check:
      'Take `$oid` from a GET of the Location of a create, read by the short route with it, edit, read again; all three `$oid` are identical strings.',
    fault: 'issues a new $oid with every merge edit',
    needs: ['soft-type', 'scalar-members'],
  },
  'reading.system.soft-type-names-definition': {
    level: 'must',
    source: 'core: System properties, $softType',
    statement: '`data.$softType` is a string that identifies the SoftType definition the object was created from.',
    check:
      'Create one object of each of two SoftTypes; each `$softType` equals the definition id the profile binds to the create route, and the two differ.',
    fault: 'writes the id of the first configured SoftType into every object',
    needs: ['soft-type', 'second-soft-type'],
  },
  'reading.entries.objects-carry-entry-id': {
    level: 'must',
    source: 'core: System properties, $entryId',
    statement: 'Every object inside an array of `data`, at any depth, carries `$entryId` as an integer or a string.',
    check:
      'Walk the whole `data` of E(10) whose entries hold nested arrays; each object met as an array item has `$entryId` of one of the two types. Objects that are not array items are only recorded.',
    fault: 'leaves $entryId out of entries of nested arrays',
    needs: ['soft-type', 'array-port', 'nested-array-port'],
  },
  'reading.entries.ids-unique-in-array': {
    level: 'must',
    source: 'core: System properties, $entryId; Operations-based PATCH rules 3',
    statement: 'Within one array no two entries share an `$entryId`, because the id has to identify the entry.',
    check:
      'For generated sizes 0 to 25 and after random removals and appends, collect the ids over all pages and compare the number of distinct ids (as text) with totalNumber. An id may not be given again to another entry within the same version.',
    fault: 'numbers new entries with the array length, so that a removal followed by an append repeats an id',
    needs: ['soft-type', 'array-port'],
    style: 'property',
    after: ['paging.pages.cover-array-once'],
  },
  'reading.entries.ids-stable-between-reads': {
    level: 'must',
    source: 'core: System properties, $entryId',
    statement: 'At one and the same version repeated reads give each entry the same `$entryId`.',
    check:
      'Read E(18) twice by each route and page, map entry content to id, compare. Whether ids survive later versions is recorded, not judged.',
    fault: 'generates fresh entry ids on every GET by the long route',
    needs: ['soft-type', 'array-port'],
  },
  'reading.output-schema.shapes-data': {
    level: 'must',
    source: 'core: SoftType read response, data; Endpoint table, GET softtype, second form',
    statement: 'The output schema named in the route decides the shape of `data`.',
    check:
      'Read one object through two output schemas; each response shows the members the profile lists for that schema and lacks those that only the other has, while `$oid` and `version` agree.',
    fault: 'ignores the output schema segment and always applies the first one',
    needs: ['soft-type', 'second-output-schema'],
  },
  'reading.missing-object.status-404': {
    level: 'must',
    source: 'core: Errors 404',
    statement: 'GET of an object id that does not exist in a space the caller may read answers 404.',
    check:
      'Use a well-formed id derived from a real one by changing a character, by both routes and by the page route. Paired positive: the unchanged id answers 200, so that a server which answers 404 to everything is caught.',
    fault: 'answers 200 with an empty data object by the long route',
    needs: ['soft-type', 'array-port'],
  },
  'reading.missing-neighbours.status': {
    level: 'observe',
    source: 'core: Errors 404; Endpoint table',
    statement:
      'It is not described what an existing object id answers under an unknown space, an unknown definition, the definition of another SoftType, or an unknown output schema.',
    check: 'Send the four GETs and record status and body; record also whether data of the object is disclosed.',
    needs: ['soft-type', 'second-soft-type'],
  },
  'reading.filter.narrows-entries': {
    level: 'must',
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    statement:
      'Passing the id of a configured filter as `softTypeFilterId` on the instance GET returns only what the filter admits; without the parameter nothing is filtered.',
    check:
      'Create an object with 4 entries that match and 5 that do not. With the parameter exactly the 4 are returned by both routes, without it all 9, and after the filtered read an unfiltered one again gives 9 (no sticky filter).',
    fault: 'ignores softTypeFilterId',
    needs: ['soft-type', 'array-port', 'filter'],
  },
  'reading.filter.query-value-selects': {
    level: 'must',
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    statement:
      'For a filter whose value is blank in configuration, the query parameter `{groupId}.{criteriaPort}={portValue}` supplies the value.',
    check:
      'With entries of values a, b and c, call once with each value; the result sets are disjoint and correct. Include a value that needs percent-encoding and one that no entry has (empty result, status 200).',
    fault: 'uses the first value ever supplied for all later requests',
    needs: ['soft-type', 'array-port', 'filter-with-value'],
    style: 'property',
    after: ['reading.filter.narrows-entries'],
  },
  'reading.filter.incomplete-use': {
    level: 'observe',
    source: 'core: Server side paging 5',
    statement:
      'It is not described what happens with an unknown filter id, a blank-value filter without a value, a value parameter without a filter, or the parameter name of the other route (`softTypeFilter` on the instance GET).',
    check: 'Send each and record status and whether the result is empty, complete or filtered.',
    needs: ['soft-type', 'array-port', 'filter', 'filter-with-value'],
  },
  'reading.path.letter-case': {
    level: 'observe',
    source: 'core: Endpoint table (softtype); What the service does (SoftType)',
    statement:
      'The document spells the path segment in two ways, `softtype` and `SoftType`; whether paths are case-sensitive is not said.',
    check: 'Read one object with both spellings and record whether both answer alike.',
    needs: ['soft-type'],
  },
  'reading.error.body-shape': {
    level: 'observe',
    source: 'core: Errors 4',
    statement: 'The body of error responses of core routes is not described.',
    check:
      'Collect content type and keys of the bodies of every 401, 403, 404, 409, 412 and other refusal the run meets, and report the shapes found per status.',
    needs: ['soft-type'],
  },
});
