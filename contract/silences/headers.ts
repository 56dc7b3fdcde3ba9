import type { SilencesOfSection } from './silence.ts';

export const headerSilences: SilencesOfSection = {
  'information-filter-fields': {
    source: 'core: Information filter',
    open: 'Which members the filter has; time and role are mentioned in passing.',
    choice: 'time (RFC 3339) and role, both optional; unknown ones do no harm; {} will do.',
    profile: ['informationFilter.default', 'informationFilter.dateMember'],
    records: 'if {} and an unknown member are accepted',
  },
  'information-filter-missing-status': {
    source: 'core: Common request headers',
    open: 'How a request without the required filter is refused.',
    choice: '400, as 412 already means a lacking version.',
    profile: 'expect.informationFilterMissing',
    records: 'status by route, or that some default applies',
  },
  'information-filter-malformed-status': {
    source: 'core: Information filter',
    open: 'How a filter is refused that is not Base64, not JSON or not an object.',
    choice: '400 for all three.',
    profile: 'expect.informationFilterMalformed',
    records: 'status, by defect',
  },
  'information-filter-base64-variant': {
    source: 'core: Information filter',
    open: 'Which Base64 it is.',
    choice: 'That of RFC 4648 section 4, padded; any other is a defect.',
    records: 'status of the URL-safe alphabet and of missing padding',
  },
  'information-filter-reach': {
    source: 'core: Common request headers',
    open: 'If routes at the edge of the space level want the filter: OpenAPI, multi-create, collection.',
    choice: 'Multi-create wants it, the other two do not.',
    profile: 'informationFilter.notNeededOn',
    records: 'status without a filter on each of them',
  },
  'information-filter-role-effect': {
    source: 'core: Information filter',
    open: 'If naming a role in the filter gives or takes rights.',
    choice: 'Neither: rights belong to the identity.',
    records: 'if the role of somebody else changes any status',
  },
  'information-filter-without-date': {
    source: 'core: Operations-based PATCH rules 7',
    open: 'What date a dated element gets when the filter has none.',
    choice: 'Now, by the clock of the server, in UTC.',
    records: 'the date that a read shows',
  },
  'invalid-version-header-status': {
    source: 'core: Common request headers, Svc-UOIVersion; Errors',
    open: 'How a version header is refused that holds no integer.',
    choice: '400.',
    profile: 'expect.invalidVersionHeader',
    records: 'status, by spelling',
  },
  'version-header-spellings': {
    source: 'core: Common request headers, Svc-UOIVersion',
    open: 'How strictly an integer is read: +3, -1, 03, 3.0, "3", nothing, twice.',
    choice:
      'Digits, the first of them no 0, a minus before them where they are no version (409); 400 for the rest, an empty value too.',
    records: 'the spellings that were taken',
  },
  'version-header-on-other-responses': {
    source: 'core: Common request headers, text below the table',
    open: 'If the version header comes with reads, refusals, batches and multi-creates.',
    choice: 'With a multi-create, holding 1; with none of the others.',
    records: 'where it was seen, and its value',
  },
  'etag-header-inside-version-rule': {
    source: 'core: Versioning 3 and 4',
    open: 'If If-Match guards a write.',
    choice: 'No; the version header alone does.',
    records: 'status of a write that carries If-Match instead of a version',
  },
  'correlation-id-echo': {
    source: 'core: Common request headers, X-Correlation-Id',
    open: 'If the answer repeats the id, and which id is logged when none came.',
    choice: 'It does when one came; else the log gets a fresh GUID that the client never sees.',
    records: 'if it is repeated in successes, refusals and batches',
  },
  'uri-absolute-or-relative': {
    source: 'core: Resources and their fields; Location',
    open: 'If URIs in answers name the host.',
    choice: 'Paths from the root on; clients resolve them as RFC 3986 says.',
    profile: 'expect.uriForm',
    records: 'the form, by place',
  },
  'cache-control': {
    source: 'core: Versioning 4',
    open: 'How long caches may keep an answer.',
    choice: 'no-store for SoftTypes; private, no-cache for what has an ETag.',
    records: 'the directives met',
  },
};
