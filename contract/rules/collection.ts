import { rules } from '../rule.ts';

export const collectionRules = rules('collection', {
  'collection.admin.is-served': {
    level: 'must',
    source: 'core: What the service does, collection level; Authentication 7',
    statement: 'A Collection Administrator gets collection routes below `api/collection/` served.',
    check:
      'GET the routes of the profile as administrator: 200 with a JSON body. Whether the information filter is asked for is recorded (try without and with).',
    fault: 'collection routes ask for a role in a space',
    needs: ['collection-admin', 'collection-route'],
  },
  'collection.missing-token.status-401': {
    level: 'must',
    source: 'core: Authentication 6 and 7',
    statement: 'Collection routes answer 401 without a token.',
    check: 'The GETs that work for the administrator, without Authorization: 401 and no data.',
    fault: 'collection reads are public',
    needs: ['collection-admin', 'collection-route'],
    after: ['collection.admin.is-served'],
  },
  'collection.space-editor.status-403': {
    level: 'must',
    source: 'core: Authentication 6 and 7',
    statement:
      'An identity with a role in a space that is no Collection Administrator gets 403 from collection routes.',
    check:
      'Editor and, where present, reader GET the same routes: 403, while their space routes work. Own profile routes may differ and are recorded.',
    fault: 'any role in any space opens collection routes',
    needs: ['soft-type', 'collection-admin', 'collection-route'],
    after: ['collection.admin.is-served'],
  },
  'collection.admin.no-space-access': {
    level: 'must',
    source: 'core: Authentication 7',
    statement:
      'Being Collection Administrator gives no access to space routes: without a role in the space the answer is 403.',
    check:
      'Administrator reads and edits an instance: 403 twice, object unchanged, while the collection route works with the same token.',
    fault: 'the administrator passes every role check',
    needs: ['soft-type', 'scalar-members', 'collection-admin', 'collection-route'],
    after: ['collection.admin.is-served'],
  },
  'collection.pat.accepted': {
    level: 'must',
    source: 'core: Authentication 1 and 2',
    statement: 'Collection routes accept a personal access token of the administrator as bearer token.',
    check:
      'GET with it: 200; with the personal access token of an editor, where there is one: 403; with one character changed: no 2xx.',
    fault: 'collection routes accept a JWT only',
    needs: ['collection-admin', 'collection-route', 'admin-pat'],
    after: ['collection.admin.is-served'],
  },
  'collection.resources.recorded': {
    level: 'observe',
    source: 'core: What the service does, collection level; Resources (collection-level fields not shown)',
    statement:
      'Routes and fields of templates, spaces, health and profiles, and whether their PUT and PATCH ask for a version, are not described; nor is the use of API keys on administrative routes of this part.',
    check:
      'Record status and top-level keys of the routes named in the profile, the presence of an ETag, and the answer to a write without version header.',
    needs: ['collection-admin', 'collection-route'],
  },
});
