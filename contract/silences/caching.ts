import type { Silence } from './silence.ts';

/** ETags. */
export const cachingSilences: readonly Silence[] = [
  {
    id: 'etag-resources',
    source: 'core: Common request headers, If-None-Match',
    open: 'Which reads are of data that is not a SoftType.',
    choice: 'Those of the collection and of OpenAPI documents. A page is SoftType data.',
    profile: ['caching.resources', 'caching.change'],
    records: 'reads that came with an ETag',
  },
  {
    id: 'etag-strength',
    source: 'core: Versioning 4',
    open: 'What an ETag looks like.',
    choice: 'A quoted hash of what is sent, strong (RFC 9110).',
    records: 'its form',
  },
  {
    id: 'if-none-match-forms',
    source: 'core: Errors, 304',
    open: 'If equality covers *, lists and W/.',
    choice: 'As RFC 9110 compares, section 13.1.2.',
    records: 'status, by form',
  },
  {
    id: 'etag-on-304',
    source: 'core: Errors, 304',
    open: 'If a 304 names the ETag again.',
    choice: 'Yes (RFC 9110).',
    records: 'headers of a 304',
  },
  {
    id: 'softtype-etag',
    source: 'core: Common request headers; Versioning 4',
    open: 'If SoftTypes may take part in caching all the same.',
    choice: 'They do not: no ETag, and If-None-Match does nothing.',
    records: 'ETag and status of conditional reads of an instance',
  },
];
