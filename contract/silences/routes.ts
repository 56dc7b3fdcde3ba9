import type { SilencesOfSection } from './silence.ts';

/** Paths and methods. */
export const routeSilences: SilencesOfSection = {
  'softtype-delete-path': {
    source: 'core: Endpoint table, text below it',
    open: 'Under which path an instance is deleted, and with which schema segments.',
    choice: 'DELETE on the short URI that reads the instance: one resource, one URI (RFC 9110).',
    profile: 'routes.softTypeDelete',
    records: 'if a route is bound, its success status, and how a read ends afterwards',
  },
  'softtype-put-path': {
    source: 'core: Endpoint table, row PUT and the text below it',
    open: 'The row points at the PATCH path, of which there are two; the text withholds the path.',
    choice: 'The merge path: a complete body can only be read with an input schema.',
    profile: 'routes.softTypePut',
    records: 'which path shape takes a PUT',
  },
  'demote-segments': {
    source: 'core: Endpoint table, row demote',
    open: 'What follows the word demote in the path.',
    choice: 'Object, process and level, in the order that promote has.',
    profile: 'routes.demote',
    records: 'if the promote segments do for demote',
  },
  'lock-object-routes': {
    source: 'core: Batch rules 2; Endpoint table, text below it',
    open: 'How a lock is taken and freed, and what other writers then get.',
    choice:
      'POST and DELETE on lock/{objectId} below the space, 204 each, also when the lock is the own one already or there is none to free. Whoever else writes, locks or frees gets 423 (RFC 4918). With POST no version is called for, and none is made. A lock does not run out; it ends with the object.',
    profile: ['routes.lockTake', 'routes.lockFree'],
    records: 'if routes are bound, and how another writer is turned away',
  },
  'collection-routes': {
    source: 'core: What the service does; Resources and their fields',
    open: 'Paths and members of everything below the collection root.',
    choice:
      'Reads of template, space, health and user/profile, a PUT on the last; small objects with at least id and name.',
    profile: ['collection.reads', 'collection.writes'],
    records: 'status and first-level members of each bound route',
  },
  'multi-create-path-prefix': {
    source: 'core: Endpoint table, row for a list of items',
    open: 'If the path really lacks the api segment, which nearly all others have.',
    choice: 'The path as written, plus the one with api as another name for it.',
    profile: 'routes.multiCreate',
    records: 'which spelling answers',
  },
  'openapi-path-prefix': {
    source: 'core: What the service does; Endpoint table, last row',
    open: 'If the dynamic document lies beside or below the API root.',
    choice: 'At both places; links use the written one.',
    profile: 'routes.openApiDynamic',
    records: 'which spelling answers',
  },
  'openapi-static-paths': {
    source: 'core: What the service does',
    open: 'Where the three static documents are.',
    choice: 'api/openApi/system, /collection and /space.',
    profile: 'routes.openApiStatic',
    records: 'which are bound, and if each is a valid document',
  },
  'path-letter-case': {
    source: 'core: Endpoint table against What the service does',
    open: 'The SoftType segment is spelled in two ways; if case counts in paths at all.',
    choice: 'Both spellings mean the same segment in every route; anywhere else case counts (RFC 3986).',
    profile: 'routes.softTypeSegment',
    records: 'how a read by either spelling ends',
  },
  'administrative-api-keys': {
    source: 'core: Authentication 1',
    open: 'Which core routes want an API key and in what form.',
    choice: 'None in this document; the routes of the other one take signatures.',
    profile: 'routes.adminWithApiKey',
    records: 'where bound: status with a key and without',
  },
  'api-versioning-scheme': {
    source: 'core: Versioning 5',
    open: 'How a client tells one version of the API from the next.',
    choice: 'It cannot: no segment and no header carries one.',
    records: 'anything in paths or headers that looks like an API version',
  },
  'unknown-method-on-route': {
    source: 'core: Errors',
    open: 'How a method is refused that the route does not have.',
    choice: '405 and an Allow header (RFC 9110).',
    profile: 'expect.methodNotAllowed',
    records: 'status, Allow',
  },
  'head-requests': {
    source: 'core: Endpoint table',
    open: 'If HEAD exists.',
    choice: 'Wherever GET does, without the body (RFC 9110).',
    records: 'status and headers of HEAD for an instance',
  },
};
