import type { SilencesOfSection } from './silence.ts';

/** File routes and bulk upload. */
export const fileSilences: SilencesOfSection = {
  'file-success-statuses': {
    source: 'extensions: File routes',
    open: 'Which statuses tell that an upload, a chunk, a download or a deletion went well, and if an upload has a Location.',
    choice: 'A stream and a last chunk 201 with Location, other chunks and downloads 200, deletions 204.',
    profile: 'status.fileSuccess',
    records: 'status, Location and body, by route and area',
  },
  'file-error-statuses': {
    source: 'extensions: Errors, rule 6; core: Errors',
    open: 'With what status and body a file call fails.',
    choice: '404 not there, 409 already there, 400 bad input, 401 and 403 as in core; a problem document.',
    profile: 'status.fileError',
    records: 'status, media type and members, by reason; a 5xx is remarked on',
  },
  'file-exists-status': {
    source: 'extensions: File routes, row 1',
    open: 'How an upload over an existing file is refused.',
    choice: '409.',
    profile: 'status.fileExists',
    records: 'status and body',
  },
  'checksum-mismatch-status': {
    source: 'extensions: File routes, stream upload',
    open: 'How a wrong checksum and a lacking one are refused, and if alike.',
    choice: '400 both, told apart by the detail.',
    profile: 'status.checksumMismatch',
    records: 'the pair of statuses',
  },
  'checksum-notation': {
    source: 'extensions: File routes, stream upload',
    open: 'If a checksum may be written in capitals, with separators or in Base64.',
    choice: 'No: lower-case hex or it does not match.',
    records: 'which notations passed',
  },
  'chunk-checksum-enforcement': {
    source: 'extensions: File routes, text below the chunk table',
    open: 'If the checksum of a chunk is demanded and compared; only for streams is that spelled out.',
    choice: 'Both, just as for streams.',
    profile: 'files.chunkChecksumRequired',
    records: 'what a wrong and a lacking one led to',
  },
  'chunk-order-and-repeat': {
    source: 'extensions: File routes, row 2',
    open: 'If chunks may come out of order, twice, or side by side.',
    choice:
      'All three. A chunk lands at its number less one times the nominal size; the file is whole once every number came.',
    profile: 'files.chunkOrder',
    records: 'statuses and the bytes that resulted',
  },
  'chunk-on-completed-file': {
    source: 'extensions: File routes, rows 1 and 2',
    open: 'If a chunk may touch a file that is already whole, as the ban names streams only.',
    choice: 'No: 409, for a late chunk of the same upload too.',
    profile: 'status.chunkOnExisting',
    records: 'status of each call and the bytes left',
  },
  'chunk-partial-visibility': {
    source: 'extensions: File routes, text below the chunk table',
    open: 'When a file in the making can be seen, and when it goes away.',
    choice: 'From its first chunk on, as long as what has come; it stays until somebody deletes it.',
    records: 'if it was seen, how long it was, if it stayed',
  },
  'chunk-name-precedence': {
    source: 'extensions: File routes, chunk table',
    open: 'Which of three names the file gets, and if a slash in front of the path counts.',
    choice: 'The relative path, with or without the slash; the rest is for information.',
    records: 'the name it got',
  },
  'chunk-size-bounds': {
    source: 'extensions: File routes, chunk table; Limits',
    open: 'How small and how large a chunk may be; 4 MiB is an example.',
    choice:
      'From a byte to 16 MiB, and at most 100,000 chunks a file; 400 for declared sizes beyond that, 413 for a form that is longer.',
    profile: 'files.minChunkSize',
    records: 'sizes that were refused',
  },
  'chunk-empty-file': {
    source: 'extensions: File routes, chunk table, resumableTotalChunks',
    open: 'How an empty file goes in chunks, of which it would have none.',
    choice: 'As one chunk without bytes.',
    records: 'status and result of that',
  },
  'stream-size-limit': {
    source: 'extensions: Limits; File routes, stream upload',
    open: 'If a stream can be too long; the figures are advice.',
    choice: '413 beyond 64 MiB, or what the server is started with.',
    profile: 'files.maxStreamSize',
    records: 'how 1.1 MB and 5 MB end',
  },
  'file-name-rules': {
    source: 'extensions: File routes',
    open: 'What a file may be called.',
    choice:
      'Anything of at most 255 bytes a segment without NUL or slashes of either kind, decoded once, case kept; device names and dots at the end mean nothing special. At most 32 segments and 1024 bytes a path. Dot segments, empty ones, encoded slashes and a drive letter in front get 400.',
    profile: 'files.nameRules',
    records: 'names that passed, and what case and %2F did',
  },
  'directory-semantics': {
    source: 'extensions: File areas; File routes',
    open: 'If directories are things of their own.',
    choice: 'They outlive their files; as files they give 404 on GET and 409 on DELETE.',
    records: 'statuses of file routes on a directory',
  },
  'dir-listing': {
    source: 'extensions: File areas',
    open: 'How a directory is listed.',
    choice: 'GET on dir and the path, opened like a file: name, type, size and modified of each.',
    profile: 'routes.dir',
    records: 'status, members, if an uploaded name is among them',
  },
  'download-metadata-headers': {
    source: 'extensions: File routes, row 3; core: Common request headers, ETag',
    open: 'If a file counts among the data that has ETags, and what else its headers tell.',
    choice:
      'It does: strong ETag and 304, once the file is whole; type as uploaded, length; one range of bytes gets 206 or 416, If-Range counts, of several ranges none is cut out.',
    profile: 'files.etag',
    records: 'headers, and how conditional and range requests end',
  },
  'file-token-query-scope': {
    source: 'extensions: Authentication, rule 1; File routes, rows 3 and 4',
    open: 'Which credential opens which method: the query token, and Basic on DELETE, are named in one place and not in another.',
    choice: 'The query token opens GET; bearer and Basic open everything.',
    profile: 'expect.queryTokenElsewhere',
    records: 'what opened what',
  },
  'file-area-roles': {
    source: 'extensions: File areas; core: Authentication 7',
    open: 'Whose role opens which area.',
    choice:
      'The collection area opens to its administrators, a participant area to a role on it, the others to any role in the space; else 403.',
    profile: 'expect.foreignParticipantArea',
    records: 'statuses of a member of the space without a role on the participant',
  },
  'bulk-response': {
    source: 'extensions: File routes, rows 5 to 7',
    open: 'When and with what a bulk upload answers.',
    choice: 'When it is done: 200 with what the log would hold.',
    profile: 'bulk.completion',
    records: 'status, body, if every file could be read by then',
  },
  'bulk-log-schema': {
    source: 'extensions: Bulk upload request body, writeLog',
    open: 'How the log is laid out, how its name is stamped, and if it is uploaded the next time.',
    choice:
      'settings, files, errors, statistics; a UTC stamp down to seconds, counted on within one second; logs in the root are passed over.',
    records: 'members and stamp',
  },
  'bulk-source-errors': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    open: 'How a source is refused that is not there, closed or empty.',
    choice:
      '400 for the first two, for a path that is not absolute, and beyond 100000 files; an empty one is a success of no files. Links are reported, and not followed.',
    profile: 'status.bulkSourceMissing',
    records: 'status and body, by case',
  },
  'bulk-conflict-handling': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    open: 'What becomes of the run when a file is already there and may not be replaced.',
    choice:
      'It goes on; the log calls the file an error, and its source stays. Directories of the source stay in any case.',
    records: 'what became of other files, and the line in the log',
  },
  'bulk-route-prefix': {
    source: 'extensions: File routes, rows 5 to 7; Registration routes',
    open: 'If bulk routes go without api, alone among admin routes, and are signed that way.',
    choice: 'They are served and signed as written, and no other way.',
    profile: 'routes.bulk',
    records: 'the form that answered, and the path that was signed',
  },
  'bulk-write-log-missing': {
    source: 'extensions: Bulk upload request body',
    open: 'How a body is refused that lacks a required field.',
    choice: '400, before any file is touched.',
    profile: 'status.bulkInvalid',
    records: 'status and effect, by field',
  },
};
