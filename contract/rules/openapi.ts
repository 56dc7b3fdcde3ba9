import { rules } from '../rule.ts';

export const openapiRules = rules('openapi', {
  'openapi.dynamic.is-served': {
    level: 'must',
    source: 'core: Endpoint table, GET softtype.openApi',
    statement:
      'GET `/space/{spaceId}/SoftType/dynamic/softtype.openApi`, as written or below the API root, answers 200 with a non-empty document.',
    check:
      'GET both forms with token and information filter; at least one answers 200 with a body. Record which, the media type (JSON or YAML), other spellings of the path, and the answers without token and without role. An unknown space id is not 200.',
    fault: 'answers 200 with an empty document',
    needs: ['openapi'],
  },
  'openapi.dynamic.valid-document': {
    level: 'must',
    source: 'core: What the service does (OpenAPI definitions)',
    statement: 'The document is a valid OpenAPI definition of the version it declares.',
    check:
      'Parse it and validate it against the published schema of its declared version (2.0, 3.0, 3.1); all internal references resolve.',
    fault: 'a path refers to a component schema that is missing',
    needs: ['openapi'],
    after: ['openapi.dynamic.is-served'],
  },
  'openapi.dynamic.lists-every-soft-type': {
    level: 'must',
    source: 'core: Endpoint table, GET softtype.openApi; What the service does',
    statement: 'The document covers the routes of every SoftType configured in the space.',
    check:
      'For each SoftType of the profile find, after expanding servers and path templates, its create, edit and read routes with their schema ids. An id that is not configured is not found.',
    fault: 'the last configured SoftType is left out',
    needs: ['openapi', 'soft-type', 'second-soft-type'],
    after: ['openapi.dynamic.valid-document'],
  },
  'openapi.dynamic.follows-template': {
    level: 'must',
    source: 'core: What the service does (routes depend on the template)',
    statement:
      'Spaces made from different templates have different documents, each with the SoftTypes of its own template.',
    check: 'Read both documents; SoftTypes that only one template has occur in one of them only.',
    fault: 'one static document for all spaces',
    needs: ['openapi', 'second-space'],
    after: ['openapi.dynamic.valid-document'],
  },
  'openapi.dynamic.describes-live-traffic': {
    level: 'should',
    source: 'core: What the service does (OpenAPI definitions); SoftType read response',
    statement:
      'Live responses of instance, page and create fit the schemas and statuses of the document, and bodies it allows are accepted.',
    check:
      'Validate responses of the run against the operation that matches their path; generate small valid create bodies from the schema and send them. Deviations are warnings with the pointer of the schema.',
    fault: 'the schema declares version as a string',
    needs: ['openapi', 'soft-type', 'array-port'],
    style: 'property',
    after: ['openapi.dynamic.lists-every-soft-type'],
  },
  'openapi.static.documents': {
    level: 'observe',
    source: 'core: What the service does (static definitions not shown)',
    statement: 'Static definitions for system, collection and space APIs exist, but their addresses are not described.',
    check: 'Where the profile names them, fetch, validate and record the three; otherwise record that none was named.',
    needs: ['openapi'],
  },
});
