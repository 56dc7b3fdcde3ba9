import type { Silence } from './silence.ts';

/** OpenAPI documents, links and the collection level. */
export const collectionSilences: readonly Silence[] = [
  {
    id: 'openapi-version-and-media-type',
    source: 'core: What the service does',
    open: 'Which OpenAPI it is and how it is written.',
    choice: '3.1, as JSON.',
    records: 'version declared, media type',
  },
  {
    id: 'openapi-access',
    source: 'core: What the service does; Authentication 1 and 7',
    open: 'Who may read the documents.',
    choice: 'Those who may use the routes that they describe.',
    profile: 'expect.openApiWithoutToken',
    records: 'status without a token, and without a role',
  },
  {
    id: 'link-rels',
    source: 'core: Link object, rel',
    open: 'Which kinds of links there are besides page.',
    choice: 'self and edit as registered with IANA; replace, delete, promote, demote.',
    records: 'the kinds met',
  },
  {
    id: 'link-completeness',
    source: 'core: What the service does',
    open: 'If what has no link may not be done.',
    choice: 'Links are complete for the instance: what the identity may do now is there.',
    records: 'methods offered, by identity',
  },
  {
    id: 'links-and-state',
    source: 'core: What the service does; States and transitions',
    open: 'If links follow the state of the object, or the role alone.',
    choice: 'promote and demote are there while they lead somewhere; a lock of somebody else takes no link away.',
    records: 'links, by state',
  },
  {
    id: 'collection-version-header',
    source: 'core: Common request headers, Svc-UOIVersion',
    open: 'If writes at collection level name a version.',
    choice: 'No; there is no system version to name.',
    profile: 'expect.collectionWriteWithoutVersion',
    records: 'status',
  },
  {
    id: 'own-profile-access',
    source: 'core: What the service does, collection level; Authentication 7',
    open: 'If everybody may see the profile that is their own.',
    choice: 'Administrators only; the rule knows no exception.',
    profile: 'collection.ownProfile',
    records: 'status for the editor',
  },
  {
    id: 'role-change-effect',
    source: 'core: Authentication 7',
    open: 'If a token feels that its owner lost a role.',
    choice: 'With the next request.',
    records: 'nothing: the suite changes no roles',
  },
];
