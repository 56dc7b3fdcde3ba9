import { rules } from '../rule.ts';

export const filesRules = rules('files', {
  'files.collection-area.base-path': {
    level: 'must',
    source: 'extensions: File areas, row Collection; File routes, rows 1, 3 and 4',
    statement:
      'The collection area lives under `/api/collection/fs/file`: stream POST, GET and DELETE of one file at that base path all succeed for a Collection Administrator.',
    check:
      'Upload a run-unique file, GET it and compare the bytes, DELETE it, GET again and expect a failure. Only the status class 2xx is asserted because the codes are not documented. The final failing GET guards against a catch-all route that answers 200 to everything.',
    fault: 'Collection area is not served at its base path.',
    needs: ['file-area-collection', 'collection-admin'],
  },
  'files.space-area.base-path': {
    level: 'must',
    source: 'extensions: File areas, row Space; File routes, rows 1, 3 and 4',
    statement:
      'The space area lives under `/api/space/{spaceId}/fs/file` with the same three operations for a user who holds a role in the space.',
    check:
      'Same round trip as for the collection area, with an identity that is not a Collection Administrator so that an administrator bypass cannot hide a missing route. The last GET after DELETE has to fail.',
    fault: 'Space area routes only accept Collection Administrators.',
    needs: ['file-area-space', 'editor-identity'],
  },
  'files.user-area.base-path': {
    level: 'must',
    source: 'extensions: File areas, row User; File routes, rows 1, 3 and 4',
    statement:
      'The user area lives under `/api/space/{spaceId}/user/fs/file`; the owner comes from the credential and no user id appears in the path.',
    check:
      'Round trip (upload, GET with byte comparison, DELETE, failing GET) with the editor token. Run it next to the isolation rule between users, since a service that maps this route to the space area passes this one.',
    fault: 'User area route is missing (404 on every method).',
    needs: ['file-area-user', 'editor-identity'],
  },
  'files.participant-area.base-path': {
    level: 'must',
    source: 'extensions: File areas, row Participant; File routes, rows 1, 3 and 4',
    statement:
      'The participant area lives under `/api/space/{spaceId}/participant/{participantId}/fs/file` with the same three operations.',
    check:
      'Round trip with the participant id of the profile; the editor holds a role on that participant. The last GET after DELETE has to fail.',
    fault: 'Participant segment is expected in the plural form.',
    needs: ['file-area-participant', 'editor-identity'],
  },
  'files.stream.root-without-subdirectory': {
    level: 'must',
    source: 'extensions: File routes, row 1 and the sentence after the table',
    statement:
      'A file in the area root is uploaded with `stream/{fileName}`, read and deleted with `/{fileName}`; no empty subdirectory segment is needed.',
    check:
      'POST to `stream/{name}` and GET `/{name}`; both 2xx and bytes equal. Negative: GET `/other/{name}` fails, which shows that the file did not land elsewhere.',
    fault: 'Stream route requires at least one subdirectory segment.',
    needs: ['file-area-any'],
  },
  'files.stream.nested-directories-created': {
    level: 'must',
    source: 'extensions: File routes, row 1, response column',
    statement: 'A stream upload to a path whose directories do not exist creates them; no preparatory call is needed.',
    check:
      'Upload to a run-unique path one level deep, then three levels deep, then a second file into the same deep directory; all succeed and read back with equal bytes. Run-unique names matter: an earlier run must not have left the directories.',
    fault: 'Upload fails when more than one directory is missing.',
    needs: ['file-area-any'],
  },
  'files.stream.checksum-correct-accepted': {
    level: 'must',
    source: 'extensions: File routes, stream upload paragraph',
    statement:
      'A stream upload whose `checksum` header is the MD5 of the body in lower-case hexadecimal without separators is accepted.',
    check:
      "For random bodies (0 to 100 kB, including bodies whose MD5 starts with zeros, so that a number conversion shows) send the digest of the suite's own MD5; 2xx each time. Seeds with a known RFC 1321 vector come first.",
    fault: 'Digest that begins with four zeros is compared after a conversion that drops them.',
    needs: ['file-area-any'],
    style: 'property',
  },
  'files.stream.checksum-wrong-refused': {
    level: 'must',
    source: 'extensions: File routes, stream upload paragraph (validation)',
    statement: 'A stream upload whose `checksum` is a well-formed MD5 of other content is refused (no 2xx).',
    check:
      'Flip one hex digit of the right digest (first, middle, last) and, separately, send the digest of the body without its final byte; each upload answers outside 2xx. Positive pair: the same body with the right digest to the same path then succeeds.',
    fault: 'Well-formed checksum of a body is read and never compared.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-correct-accepted'],
  },
  'files.stream.checksum-malformed-refused': {
    level: 'must',
    source: 'extensions: File routes, stream upload paragraph',
    statement:
      'A `checksum` that cannot be the MD5 hex of the body (empty, 31 or 33 digits, non-hex letters, the SHA-1 or SHA-256 hex of the body) is refused.',
    check:
      'One upload per form to a fresh path, each outside 2xx; then the path accepts a correct upload. Forms that encode the right digest in another notation are not part of this rule.',
    fault: 'Validation is skipped when the header is not 32 characters long.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-correct-accepted'],
  },
  'files.stream.checksum-missing-refused': {
    level: 'must',
    source: 'extensions: File routes, row 1 (`checksum` mandatory)',
    statement: 'A stream upload without a `checksum` header is refused (no 2xx).',
    check:
      'Send the upload through a raw client and assert from its own record that the header was absent. Expect a status outside 2xx; the paired upload with the header to the same path succeeds.',
    fault: 'Missing checksum header skips validation.',
    needs: ['file-area-any'],
  },
  'files.stream.refused-leaves-no-file': {
    level: 'should',
    source: 'extensions: File routes, row 1 and stream upload paragraph (consequence)',
    statement: 'An upload refused because of a wrong or missing checksum leaves nothing readable at the target path.',
    check:
      'After each refused upload GET the path and expect a failure, then upload the right content to the same path and expect success (a leftover would give the file-exists failure). The document states the validation only, hence a warning.',
    fault: 'Body is written to its final path before the checksum is compared and is not removed.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-wrong-refused'],
  },
  'files.stream.checksum-notation': {
    level: 'observe',
    source:
      'extensions: File routes, stream upload paragraph (lower-case hex without separators; other forms unmentioned)',
    statement:
      'Whether the right digest in upper case, mixed case, with dashes or colons, as Base64, or with white space around it is accepted is not said.',
    check:
      'One upload per notation to a fresh path, with a body whose digest holds letters; record status per notation and delete accepted files.',
    fault: 'Not applicable as a failure; recorded variant: comparison that ignores case and separators.',
    needs: ['file-area-any'],
  },
  'files.stream.existing-file-refused': {
    level: 'must',
    source: 'extensions: File routes, row 1 (fails when the file exists)',
    statement:
      'A stream upload to a path that already holds a file is refused (no 2xx), even with a correct checksum of different content.',
    check:
      'Upload A, then upload B (other content, right digest) to the same path; the second answers outside 2xx. Make sure that the refusal is not the checksum one by sending B first to a neighbour path, where it succeeds.',
    fault: 'Second upload of another length overwrites and answers 2xx.',
    needs: ['file-area-any'],
  },
  'files.stream.existing-file-unchanged': {
    level: 'must',
    source: 'extensions: File routes, row 1 (fails when the file exists)',
    statement: 'A refused upload onto an existing file leaves the first content byte for byte in place.',
    check:
      'After the refused second upload GET the path: bytes of A. Use contents of different length, B shorter than A, so that a truncating open shows.',
    fault: 'A file is truncated before the existence check answers when much less comes.',
    needs: ['file-area-any'],
    after: ['files.stream.existing-file-refused'],
  },
  'files.stream.existing-identical-refused': {
    level: 'must',
    source: 'extensions: File routes, row 1 (fails when the file exists)',
    statement:
      'The refusal of an existing path does not depend on content: repeating the identical upload is refused too.',
    check: 'Send the same body, digest and path twice; the second answers outside 2xx and the file still reads back.',
    fault: 'Upload of identical content is answered as a successful no-op.',
    needs: ['file-area-any'],
  },
  'files.stream.reupload-after-delete': {
    level: 'must',
    source: 'extensions: File routes, rows 1 and 4',
    statement:
      'Once a file is deleted its path counts as free: the next stream upload to it succeeds and reads back the new bytes.',
    check:
      'Upload A, DELETE, upload B to the same path, GET equals B. B has another length and type than A so that a cache of A shows.',
    fault: 'Names of deleted text files stay reserved and refuse a new upload.',
    needs: ['file-area-any'],
    after: ['files.delete.removes-file'],
  },
  'files.stream.empty-file': {
    level: 'should',
    source: 'extensions: File routes, row 1 (no lower size bound given)',
    statement: 'A zero-byte stream upload with the MD5 of empty input is stored and reads back as zero bytes.',
    check:
      'POST with `Content-Length: 0` and digest d41d8cd98f00b204e9800998ecf8427e; GET answers 2xx with an empty body (204 is recorded). Negative: an empty body with the digest of one byte is refused.',
    fault: 'An empty body is answered with 400.',
    needs: ['file-area-any'],
  },
  'files.stream.one-byte-file': {
    level: 'must',
    source: 'extensions: File routes, row 1',
    statement: 'A one-byte file, including the single byte 00 or FF, is stored and returned unchanged.',
    check:
      'Upload the bytes 00, 0A and FF as three files; GET returns exactly one byte each, compared as a buffer and not as text.',
    fault: 'A body of one blank is trimmed as text before it is stored.',
    needs: ['file-area-any'],
  },
  'files.stream.guidance-size': {
    level: 'must',
    source: 'extensions: Limits, file size guidance; File routes, stream upload paragraph',
    statement: 'The stream route takes files up to the guided size of about 100 kB.',
    check:
      'Upload 65535, 65536, 100000 and 102400 random bytes; all succeed and read back equal. The boundaries catch buffer sizes and body limits.',
    fault: 'Body limit of one byte less than 100 KiB on the stream route.',
    needs: ['file-area-any'],
  },
  'files.stream.above-guidance': {
    level: 'observe',
    source: 'extensions: File routes, stream upload paragraph (degradation above about 1 MB)',
    statement:
      'The figure for stream uploads is guidance and no hard limit is given; what happens at 1.1 MB and at 5 MB is recorded.',
    check:
      'Upload both sizes, record status, duration and byte equality, delete. A refusal is no breach, silent truncation is covered by the byte equality rule.',
    fault: 'Not applicable as a failure; recorded variant: 413 above 1 MB.',
    needs: ['file-area-any'],
  },
  'files.stream.body-not-interpreted': {
    level: 'must',
    source: 'extensions: File routes, row 1 (raw content, Content-Type of the file)',
    statement:
      'The body is stored raw whatever its Content-Type: JSON (also malformed JSON), form-urlencoded, multipart and XML content is neither parsed nor rewritten.',
    check:
      'Upload broken JSON as application/json, pretty-printed JSON with CRLF, `a=b&c` as application/x-www-form-urlencoded, a fake multipart body and text with a BOM; all 2xx and byte equal on GET. The route has to tell a stream path from a chunk POST by path, not by content type.',
    fault: 'A JSON middleware parses and re-serialises bodies on the stream route.',
    needs: ['file-area-any'],
  },
  'files.stream.name-with-spaces': {
    level: 'should',
    source: 'extensions: File routes, row 1 (names unrestricted in the document)',
    statement: 'File and directory names with spaces, sent as %20, work for upload, download and deletion.',
    check:
      'Path `my dir/a b.txt` percent-encoded; round trip. A `+` in the path is a literal plus: upload `a+b.txt` and check that GET of `a%20b.txt` fails.',
    fault: 'Plus signs in the path are decoded to spaces.',
    needs: ['file-area-any'],
  },
  'files.stream.name-unicode': {
    level: 'should',
    source: 'extensions: File routes, row 1 (names unrestricted in the document)',
    statement: 'Names outside ASCII (UTF-8, percent-encoded) round-trip.',
    check:
      'Names with umlauts, CJK, an emoji and a right-to-left word; upload, GET, DELETE. Record whether the composed and decomposed form of one name meet the same file; that part never fails.',
    fault: 'Path bytes are decoded as Latin-1 on upload and as UTF-8 on download.',
    needs: ['file-area-any'],
  },
  'files.stream.name-percent-literal': {
    level: 'should',
    source: 'extensions: File routes, row 1',
    statement:
      'Path segments are percent-decoded exactly once: a name that contains a percent sign, hash or ampersand survives when encoded by the client, and one with a question mark does or is refused.',
    check:
      'Names `100%.txt` (sent `100%25.txt`), `a%20b.txt` (sent `a%2520b.txt`), `q#1.txt`; round trip each and check that `a%2520b.txt` and `a%20b.txt` address two different files.',
    fault: 'Path is decoded twice.',
    needs: ['file-area-any'],
  },
  'files.names.unusual': {
    level: 'observe',
    source: 'extensions: File routes (silent on legal names and letter case)',
    statement:
      'Names that differ only in letter case, names with NUL or control characters, reserved device names, trailing dots, or 300 characters have no documented result.',
    check:
      'Upload `Case.txt`, GET and upload `case.txt`; upload one of each other kind. Record statuses; the next normal request has to be answered (a crash is an error of the run).',
    fault: 'Not applicable as a failure; recorded variant: names compared without regard to case.',
    needs: ['file-area-any'],
  },
  'files.directories.edge-behaviour': {
    level: 'observe',
    source: 'extensions: File routes (silent on directories)',
    statement:
      'Uploading below a file or onto a directory, GET and DELETE on a directory, and the life of an emptied directory have no documented result.',
    check:
      'Upload `x` then `x/y`; `d/f` then `d`; GET `d` and `d/`; DELETE `d` while it holds a file; delete `d/f` and look at the listing. Record statuses and whether the first files still read back unchanged.',
    fault: 'Not applicable as a failure; recorded variant: recursive delete.',
    needs: ['file-area-any'],
  },
  'files.stream.concurrent-same-name': {
    level: 'should',
    source: 'extensions: File routes, row 1 (fails when the file exists, under a race)',
    statement:
      'Of several simultaneous stream uploads to one new path exactly one succeeds, and the stored bytes are those of the one that succeeded.',
    check:
      "Release 8 uploads with distinct bodies and right digests behind a barrier, 10 rounds. Count 2xx answers (exactly 1) and compare the GET result with the winner's body. Log the overlap of the request intervals; a round without overlap proves nothing and is repeated.",
    fault: 'Uploads that lost the race for a path are answered 2xx.',
    needs: ['file-area-any'],
    style: 'concurrency',
    after: ['files.stream.existing-file-refused'],
  },
  'files.stream.concurrent-new-directory': {
    level: 'must',
    source: 'extensions: File routes, row 1 (directories are created)',
    statement: 'Simultaneous uploads of different files into the same not yet existing directory all succeed.',
    check:
      '12 uploads with distinct names to one fresh three-level directory behind a barrier; all 2xx and all read back with their own bytes.',
    fault: 'Directory creation fails when another request created it a moment earlier.',
    needs: ['file-area-any'],
    style: 'concurrency',
    after: ['files.stream.nested-directories-created'],
  },
  'files.stream.cut-body': {
    level: 'observe',
    source: 'extensions: File routes (silent on broken connections)',
    statement: "What remains when the client's connection breaks in the middle of a stream upload is not said.",
    check:
      'Announce 60 kB, send 30 kB, destroy the socket; wait 2 s, GET the path and then try the full upload. Record whether a partial file was visible and whether the retry succeeded.',
    fault: 'Not applicable as a failure; recorded variant: half of the file is served.',
    needs: ['file-area-any'],
  },
  'files.statuses.recorded': {
    level: 'observe',
    source: 'extensions: File routes, sentence on success status codes; Errors, rule 6',
    statement:
      'Success codes, failure codes and error bodies of the file routes are not documented; other rules use the class 2xx or not 2xx only, and the exact values are recorded.',
    check:
      'Collect status, headers and body shape of stream POST, chunk POST (first, middle, last), GET and DELETE per area, and of each failure kind: missing file, existing file, wrong and missing checksum, no credential, foreign space. 5xx is flagged in the report.',
    fault: 'Not applicable as a failure; recorded variant: 500 for a missing file.',
    needs: ['file-area-any'],
  },
  'files.download.bearer': {
    level: 'must',
    source: 'extensions: File routes, row 3; Authentication, rule 1',
    statement: 'A download with `Authorization: Bearer <token>` returns the stored content.',
    check:
      'GET with only the header (no query, no cookie) gives 2xx and equal bytes. The paired request without the header gives 401, so an open route cannot pass.',
    fault: 'Download ignores the Authorization header and accepts the query token only.',
    needs: ['file-area-any'],
  },
  'files.download.query-token': {
    level: 'must',
    source: 'extensions: File routes, row 3; Authentication, rule 1',
    statement:
      'A download with the access token in the query parameter `token`, and no Authorization header, returns the stored content.',
    check:
      'GET `...?token=<jwt>` from a client that keeps no cookies and sends no Authorization; 2xx and equal bytes. Pair: the same URL without the parameter gives 401.',
    fault: 'Query parameter `token` is not read on downloads.',
    needs: ['file-area-any'],
    after: ['files.auth.download-missing-credential-401'],
  },
  'files.download.query-token-invalid-refused': {
    level: 'must',
    source: 'extensions: File routes, heading (authentication for all); Authentication, rule 1',
    statement: 'A download whose `token` is garbage, has an altered signature, or is empty is refused.',
    check:
      'Change one character inside the signature part of a valid JWT (not the last character, whose low bits may be ignored), send `token=` and `token=abc`; each outside 2xx, 401 recorded. The untouched token works before and after.',
    fault: 'The JWT in the query is decoded without verifying its signature.',
    needs: ['file-area-any'],
    after: ['files.download.query-token'],
  },
  'files.download.basic-pat': {
    level: 'must',
    source: 'extensions: Authentication, rule 1; core: Authentication, rule 5',
    statement:
      'A download with Basic authentication, user name plus personal access token as the password, returns the stored content.',
    check:
      'GET with `Basic base64(user:pat)`; 2xx and equal bytes. Pair: the same user with a one-character different PAT, and another user name with the right PAT, are refused.',
    fault: 'Basic credentials are rejected on file routes.',
    needs: ['file-area-any', 'pat'],
  },
  'files.download.basic-wrong-pat-refused': {
    level: 'must',
    source: 'extensions: File routes, heading; Authentication, rule 1',
    statement:
      "Basic authentication with a wrong personal access token, or with the token of somebody else's user name, is refused.",
    check:
      'Three requests: altered PAT, empty password, right PAT under another user name; each outside 2xx, 401 expected and recorded.',
    fault: 'A user name with an empty password opens downloads.',
    needs: ['file-area-any', 'pat'],
    after: ['files.download.basic-pat'],
  },
  'files.download.bytes-identical': {
    level: 'must',
    source: 'extensions: File routes, rows 1 and 3 (raw content in, content stream out)',
    statement:
      'What is downloaded equals what was uploaded, byte for byte, for arbitrary binary content, by stream or chunk upload.',
    check:
      "Property over random buffers (0 B to 200 kB for stream, up to 3 chunks of the profile's chunk size for chunk) with NUL, CRLF, BOM and invalid UTF-8 forced in. Compare SHA-256 and length after undoing only a declared Content-Encoding.",
    fault: 'Content that begins like UTF-16 is kept as UTF-8.',
    needs: ['file-area-any'],
    style: 'property',
  },
  'files.download.missing-file-fails': {
    level: 'must',
    source: 'extensions: File routes, row 3 (fails when the file does not exist)',
    statement: 'A GET of a path that holds no file is answered outside 2xx.',
    check:
      'GET an unknown name in an existing directory, and an unknown directory. The existing sibling gives 2xx before and after. An empty 200 or 204 counts as a breach.',
    fault: 'A missing file beside others is answered with an empty 200.',
    needs: ['file-area-any'],
  },
  'files.download.missing-file-404': {
    level: 'should',
    source: 'core: Errors, status table row 404; extensions: File routes, row 3',
    statement:
      'The failure for a missing file is 404, following the status table of the core document; the file document itself gives no code.',
    check:
      'Status of the GET and of the DELETE on a missing path; 404 passes, any other 4xx or 5xx warns and is recorded.',
    fault: 'A missing file is answered with 500.',
    needs: ['file-area-any'],
    after: ['files.download.missing-file-fails'],
  },
  'files.download.response-headers': {
    level: 'observe',
    source: 'extensions: File routes, row 3; core: Common request headers (ETag on data other than SoftTypes)',
    statement:
      'Content-Type, Content-Length, Content-Disposition, ETag and range support of a download are not described for files; they are recorded.',
    check:
      'Upload with `text/csv`, GET, record the headers, repeat with `If-None-Match` when an ETag came and with `Range: bytes=0-9`. Record whether the type at upload comes back.',
    fault: 'Not applicable as a failure; recorded variant: application/octet-stream for everything.',
    needs: ['file-area-any'],
  },
  'files.delete.removes-file': {
    level: 'must',
    source: 'extensions: File routes, row 4',
    statement: 'DELETE with a bearer token on an existing file succeeds, and a following GET of the same path fails.',
    check:
      'Upload, GET 2xx, DELETE 2xx, GET outside 2xx with each of the credential forms in use. Send a no-cache GET so that an intermediate cache cannot answer.',
    fault: 'A deleted file is still given to a query token.',
    needs: ['file-area-any'],
  },
  'files.delete.missing-file-fails': {
    level: 'must',
    source: 'extensions: File routes, row 4 (fails when it does not exist)',
    statement:
      'DELETE on a path without a file is answered outside 2xx, both for a never used name and for a second DELETE of the same file.',
    check:
      'DELETE an unknown name; upload, DELETE (2xx), DELETE again (outside 2xx). The 2xx in the middle shows that the failure is not a permission one.',
    fault: 'A second DELETE of a file answers 204.',
    needs: ['file-area-any'],
    after: ['files.delete.removes-file'],
  },
  'files.delete.leaves-siblings': {
    level: 'must',
    source: 'extensions: File routes, row 4 (the file)',
    statement:
      'Deleting one file leaves the other files of its directory, of its subdirectories and files whose names share a prefix untouched.',
    check: 'Files `d/a`, `d/a.txt`, `d/ab`, `d/a.d/x`; DELETE `d/a`; the other three read back equal.',
    fault: 'DELETE removes everything that starts with the path.',
    needs: ['file-area-any'],
  },
  'files.delete.basic-pat': {
    level: 'should',
    source: 'extensions: Authentication, rule 1 against File routes, row 4 (row names the bearer header only)',
    statement: 'Basic authentication with a personal access token is accepted for DELETE as on the other file routes.',
    check:
      'Upload by bearer, DELETE by Basic; 2xx and the file is gone. The table row names only the bearer header, therefore a refusal warns.',
    fault: 'DELETE accepts bearer tokens only.',
    needs: ['file-area-any', 'pat'],
  },
  'files.delete.query-token': {
    level: 'observe',
    source: 'extensions: Authentication, rule 1 (query token named for downloads)',
    statement:
      'The query token is offered for downloads; whether uploads and DELETE accept it as the only credential is not said.',
    check:
      'Stream POST, chunk POST and DELETE with `?token=` and no header; record accepted or refused (401 expected).',
    fault: 'Not applicable as a failure; recorded variant: query token accepted on every method.',
    needs: ['file-area-any'],
  },
  'files.auth.stream-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A stream upload without any credential is answered 401 and stores nothing.',
    check:
      'Correct checksum and fresh path, no Authorization and no query token; 401. A later authenticated GET of the path fails.',
    fault: 'Stream route is not behind the authentication check.',
    needs: ['file-area-any'],
  },
  'files.auth.chunk-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A chunk upload call without any credential is answered 401 and stores nothing.',
    check:
      'A complete one-chunk form without credential; 401, and an authenticated GET of the target fails. Read the response even when the service closes early on the multipart body.',
    fault: 'Chunk route is not behind the authentication check.',
    needs: ['file-area-any'],
  },
  'files.auth.download-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A download without header and without query token is answered 401.',
    check:
      'Upload a file, GET it from a fresh connection without credential; 401 and none of the content in the body. Also for a missing file: 401 rather than 404 is recorded.',
    fault: 'Downloads are public.',
    needs: ['file-area-any'],
  },
  'files.auth.delete-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A DELETE without credential is answered 401 and removes nothing.',
    check: 'Upload, DELETE without credential (401), authenticated GET still returns the bytes.',
    fault: 'DELETE is carried out before the authentication check answers.',
    needs: ['file-area-any'],
  },
  'files.auth.invalid-bearer-refused': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rules 2 and 6',
    statement:
      'A bearer value that is no valid token (garbage, JWT with altered payload or signature, `alg` none) is refused on every file route.',
    check:
      'For the four routes send the altered tokens; outside 2xx, 401 recorded. The unaltered token works on the same path afterwards.',
    fault: 'JWT payload is trusted when `alg` is none.',
    needs: ['file-area-any'],
  },
  'files.auth.space-non-member-403': {
    level: 'must',
    source: 'core: Authentication, rules 6 and 7; extensions: File routes, heading',
    statement: 'A valid user without a role in the space gets 403 on the file routes of that space.',
    check:
      'Outsider token on stream POST, chunk POST, GET of an existing file and DELETE; 403 each and the file unchanged. First show with another route that the outsider token is valid (not 401).',
    fault: 'Any authenticated user may use the file routes of every space.',
    needs: ['file-area-space', 'outsider-identity'],
  },
  'files.auth.collection-non-admin-403': {
    level: 'must',
    source: 'core: Authentication, rule 7; core: What the service does, collection level',
    statement: 'A user who is not Collection Administrator gets 403 on the collection file area.',
    check:
      'Editor token on the four operations of the collection area; 403 each. The same token works in the space area, so that the refusal is about the area.',
    fault: 'Collection file area is open to every authenticated user.',
    needs: ['file-area-collection', 'editor-identity'],
  },
  'files.auth.participant-foreign-role': {
    level: 'observe',
    source: 'extensions: File areas, row Participant; core: Authentication, rule 7',
    statement:
      'Whether a user with a role on one participant may use the area of another participant of the same space is not said.',
    check: 'Editor without role on the second participant tries POST, GET and DELETE there; record the statuses.',
    fault: 'Not applicable as a failure; recorded variant: open to all members of the space.',
    needs: ['file-area-participant', 'second-participant', 'editor-identity'],
  },
  'files.auth.upload-basic-pat': {
    level: 'must',
    source: 'extensions: Authentication, rule 1',
    statement: 'The Basic form (user name, personal access token as password) opens stream and chunk uploads too.',
    check:
      'One stream upload and one one-chunk upload with Basic only; both 2xx and readable with a bearer token of the same user (in the user area this also shows that the identity is the same). Pair: altered PAT is refused and stores nothing.',
    fault: 'Basic credentials are not honoured on POST.',
    needs: ['file-area-any', 'pat'],
  },
  'files.isolation.between-areas': {
    level: 'must',
    source: 'extensions: File areas, table',
    statement: 'The four areas are separate stores: the same relative path holds four independent files.',
    check:
      'Upload different bytes to one relative path in all areas (administrator in the collection area, editor in the others); read back each; DELETE in one area and check that the other three still return their own bytes. Also run random upload, read and delete sequences against a per-area map.',
    fault: 'Collection area is stored in the space area.',
    needs: [
      'file-area-collection',
      'file-area-space',
      'file-area-user',
      'file-area-participant',
      'collection-admin',
      'editor-identity',
    ],
    style: 'model',
  },
  'files.isolation.between-users': {
    level: 'must',
    source: 'extensions: File areas, row User',
    statement:
      'A file in the user area of one user is neither readable, nor deletable, nor in the way for another user of the same space.',
    check:
      'User 1 uploads; user 2 GETs the same URL (fails), DELETEs it (fails), uploads other bytes to it (2xx); user 1 still reads the first bytes.',
    fault: 'User area is keyed by space only.',
    needs: ['file-area-user', 'editor-identity', 'second-editor'],
    after: ['files.user-area.base-path'],
  },
  'files.isolation.between-participants': {
    level: 'must',
    source: 'extensions: File areas, row Participant',
    statement: 'Two participants of a space have separate areas.',
    check:
      'Same relative path under both participant ids with different bytes; each of the two editors reads back the own bytes; DELETE in one leaves the other. Where one identity holds a role on both participants, repeat with it alone, as otherwise a store keyed by user would pass.',
    fault: 'Participant id in the path is ignored.',
    needs: ['file-area-participant', 'second-participant', 'editor-identity', 'second-editor'],
    after: ['files.participant-area.base-path'],
  },
  'files.isolation.between-spaces': {
    level: 'must',
    source: 'extensions: File areas, rows Space and User',
    statement: "Areas of different spaces are separate, for the space area and for the same user's user area.",
    check:
      'Same relative path and identity in two spaces, different bytes; both read back their own, DELETE in one leaves the other. Repeat for the user area when it is declared.',
    fault: 'Space id in the path is ignored for the storage of space areas.',
    needs: ['file-area-space', 'second-space'],
    after: ['files.space-area.base-path'],
  },
  'files.area.model-sequence': {
    level: 'must',
    source: 'extensions: File routes, rows 1, 3 and 4',
    statement:
      'Any sequence of stream uploads, downloads and deletions on a few names behaves like a map from path to bytes, with upload failing on a present key and read and delete failing on an absent one.',
    check:
      'Random command sequences over 6 paths in 2 directories, up to 40 steps, in run-unique roots; after every step compare the outcome class and on reads the bytes.',
    fault: 'Every second deletion in a directory that holds more is not carried out.',
    needs: ['file-area-any'],
    style: 'model',
    after: [
      'files.stream.checksum-correct-accepted',
      'files.stream.existing-file-refused',
      'files.download.missing-file-fails',
      'files.delete.removes-file',
      'files.delete.missing-file-fails',
    ],
  },
  'files.safety.dot-dot-segments': {
    level: 'should',
    source: 'extensions: File areas, table (an area is bounded by its base path)',
    statement: 'Paths with `..` or `.` segments never read, write or delete outside the area.',
    check:
      'Plant a canary in a sibling area; from a raw socket client that does not normalise, send GET, stream POST and DELETE with `../` chains that would reach it and a well-known system file. The canary bytes never come back, stay unchanged, and no new file appears in the other area. Refusal and normalisation inside the area both pass.',
    fault: 'Dot segments are joined to the folder of the area.',
    needs: ['file-area-any'],
  },
  'files.safety.encoded-separators': {
    level: 'should',
    source: 'extensions: File areas, table',
    statement:
      'Encoded separators and dots (`%2F`, `%5C`, `%2e%2e`, doubly encoded forms) never lead outside the area.',
    check:
      'The canary check of the dot-dot rule with each encoding, one at a time. Record whether `%2F` inside a segment acts as a separator, is a name character or is refused.',
    fault: 'Segments are checked for `..` before percent-decoding.',
    needs: ['file-area-any'],
  },
  'files.safety.chunk-relative-path': {
    level: 'should',
    source: 'extensions: File routes, chunk table row resumableRelativePath',
    statement:
      'A chunk upload whose relative path or file name holds `..` segments, an absolute path, a drive letter or a backslash never writes outside the area.',
    check:
      "One-chunk forms with these values in resumableRelativePath, resumableFilename and the part's filename; afterwards the canary in the neighbour area is unchanged and nothing new is listed outside. Refusal and containment both pass.",
    fault: 'resumableRelativePath is joined without the check that the stream route has.',
    needs: ['file-area-any'],
  },
  'files.dir.route-exists': {
    level: 'observe',
    source: 'extensions: File areas, sentence on `fs/dir`',
    statement:
      'A listing route under `fs/dir` is said to exist; its method, sub-path form and fields are not shown, so its answer is recorded.',
    check:
      'GET the `fs/dir` twin of each area base path, for the root and for a directory created by an upload. Record status, content type, field names, and whether the uploaded name occurs anywhere in the body. Record the status without a credential.',
    fault: 'Not applicable as a failure; recorded variant: 404.',
    needs: ['file-area-any'],
  },
  'files.chunk.single-chunk': {
    level: 'must',
    source: 'extensions: File routes, row 2 and chunk table',
    statement:
      'A file sent as one chunk (number 1 of 1) with the part `file`, all eight text parts and the per-chunk checksum is stored under its relative path.',
    check:
      'multipart POST to the area base path, then GET; 2xx and equal bytes. Negative: before the POST the GET fails.',
    fault: 'Chunk numbers are taken as zero-based, so chunk 1 of 1 never completes.',
    needs: ['file-area-any'],
  },
  'files.chunk.two-chunks': {
    level: 'must',
    source: 'extensions: File routes, row 2 and chunk table',
    statement: 'Two chunks sent in order, numbered 1 and 2, yield the concatenated file.',
    check:
      'Size chunkSize + chunkSize/2; both calls 2xx; GET equals the whole buffer. Use content whose halves differ so that a swap shows.',
    fault: 'The second chunk replaces the first.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk'],
  },
  'files.chunk.many-chunks': {
    level: 'must',
    source: 'extensions: File routes, chunk table rows resumableChunkNumber and resumableTotalChunks',
    statement: 'For any n the chunks 1..n sent in order produce the file; more than nine chunks are no special case.',
    check:
      'Property over n in {3, 9, 10, 11, 12} and random tail sizes with the smallest chunk size of the profile; GET equals the buffer. n above 9 catches assembly in text order (1, 10, 2).',
    fault: 'Chunks are assembled sorted by name as text.',
    needs: ['file-area-any'],
    style: 'property',
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.last-chunk-smaller': {
    level: 'must',
    source:
      'extensions: File routes, chunk table rows resumableChunkSize, resumableCurrentChunkSize and resumableTotalChunks',
    statement:
      'The last chunk may be shorter than the nominal size, down to one byte; its own size part differs from the nominal one.',
    check: 'Sizes 2 x chunk + 1, 2 x chunk - 1; GET gives exactly the total size (no padding, no lost byte).',
    fault: 'The last chunk is padded to the nominal size.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.exact-multiple': {
    level: 'must',
    source: 'extensions: File routes, chunk table row resumableTotalChunks (size divided by chunk size, rounded up)',
    statement:
      'A size that is an exact multiple of the chunk size needs exactly size/chunk calls; the file is complete after the last of them without an empty extra chunk.',
    check: 'Size 2 x chunk with total 2; GET after the second call gives the whole file.',
    fault: 'Completion is expected at floor(size/chunk) + 1 chunks.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.sample-chunk-size': {
    level: 'must',
    source: 'extensions: Limits, chunk size in the sample; chunk table row resumableChunkSize',
    statement: "The sample's chunk size of 4194304 bytes works, including one full chunk in a single request.",
    check: '9 MiB file as 3 chunks (4 MiB, 4 MiB, 1 MiB); all 2xx, GET equal by SHA-256.',
    fault: 'Multipart limit of 4 MiB counts the form overhead and refuses a full chunk.',
    needs: ['file-area-any'],
  },
  'files.chunk.other-chunk-size': {
    level: 'should',
    source: 'extensions: Limits, chunk size in the sample (sample only); chunk table row resumableChunkSize',
    statement: 'The nominal size is what resumableChunkSize says; sizes other than 4 MiB are usable.',
    check:
      'Same 2.5 MiB file with chunk sizes 1 MiB and 300000; GET equal. Offsets computed from a fixed 4 MiB would show as a wrong length.',
    fault: 'Chunk offsets are computed with a constant 4194304.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.every-area': {
    level: 'must',
    source: 'extensions: File routes, row 2; File areas',
    statement: 'The chunk POST exists on the base path of each area and stores into that area only.',
    check:
      'Two-chunk upload of the same relative path into each declared area with different bytes, calls interleaved between the areas; each area returns its own bytes.',
    fault: 'Chunk uploads always land in the space area.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.relative-path-subdirectories': {
    level: 'must',
    source: 'extensions: File routes, chunk table row resumableRelativePath',
    statement: 'resumableRelativePath decides the target including subdirectories, which need not exist before.',
    check:
      'Relative path `x/y/z/name.bin` in a fresh root; after the last chunk GET `/x/y/z/name.bin` is 2xx and equal, GET `/name.bin` fails.',
    fault: 'Only resumableFilename is used, the subdirectories are dropped.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk'],
  },
  'files.chunk.relative-path-root': {
    level: 'must',
    source: 'extensions: File routes, chunk table row resumableRelativePath and sentence on the area root',
    statement: 'A relative path that is only the file name stores into the area root.',
    check:
      'resumableRelativePath `name.bin`; GET `/name.bin` equals. Record whether a leading slash (`/name.bin`) is taken the same way.',
    fault: 'A relative path without a directory is refused.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk'],
  },
  'files.chunk.checksum-per-chunk': {
    level: 'must',
    source: 'extensions: File routes, paragraph after the chunk table',
    statement:
      "The `checksum` header of a chunk call is the MD5 of that chunk's bytes, not of the whole file and not of the multipart body.",
    check:
      "Three chunks with distinct digests, none equal to the file's MD5 (asserted in the test); all 2xx and the file reads back. A service that compares with the whole file refuses the first call.",
    fault: 'Chunk checksum is compared with the digest of the whole file at the last chunk.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.checksum-wrong-refused': {
    level: 'should',
    source:
      'extensions: File routes, paragraph after the chunk table (validation is spelled out for stream uploads only)',
    statement: 'A chunk whose checksum does not match its bytes is refused.',
    check:
      "For chunk 1 of 1 and for the middle chunk of 3: flip one digit, expect a status outside 2xx; separately send the whole file's MD5 with chunk 1 of 2. Pair: the right digest passes.",
    fault: 'Checksum is not compared on chunk calls.',
    needs: ['file-area-any'],
    after: ['files.chunk.checksum-per-chunk'],
  },
  'files.chunk.checksum-wrong-recoverable': {
    level: 'should',
    source: 'extensions: File routes, paragraph after the chunk table (consequence)',
    statement:
      'After a chunk was refused for its checksum the same chunk sent again with the right digest lets the upload finish with the right bytes.',
    check:
      'Chunks 1 ok, 2 wrong digest with altered bytes (refused), 2 right, 3 right; GET equals the buffer and contains none of the altered bytes.',
    fault: 'Bytes of a refused chunk stay appended to the partial file.',
    needs: ['file-area-any'],
    after: ['files.chunk.checksum-wrong-refused'],
  },
  'files.chunk.checksum-missing': {
    level: 'observe',
    source: 'extensions: File routes, paragraph after the chunk table (mandatory stated for the stream row only)',
    statement: 'Whether a chunk call without `checksum` is refused is not said.',
    check: 'One-chunk upload without the header; record the status and whether a file appeared.',
    fault: 'Not applicable as a failure; recorded variant: accepted without validation.',
    needs: ['file-area-any'],
  },
  'files.chunk.out-of-order': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (silent on order)',
    statement: 'Chunks that arrive in another order than 1..n have no documented result.',
    check:
      'Order 2, 1, 3 and 3, 2, 1; record statuses and, when all were 2xx, whether GET equals the buffer. An accepted order with wrong bytes is flagged in the report.',
    fault: 'Not applicable as a failure; recorded variant: bytes appended in order of arrival.',
    needs: ['file-area-any'],
  },
  'files.chunk.repeated-chunk': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (silent on repeats)',
    statement:
      'Sending a chunk a second time before completion, or any chunk after completion, has no documented result.',
    check:
      'Order 1, 1, 2 and then chunk 2 once more after completion; record statuses and whether the file still equals the buffer.',
    fault: 'Not applicable as a failure; recorded variant: repeated chunk is appended twice.',
    needs: ['file-area-any'],
  },
  'files.chunk.parallel-chunks': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (silent on parallel calls)',
    statement: 'Whether the chunks of one file may be sent at the same time is not said.',
    check:
      '6 chunks behind a barrier, 5 rounds; record how often all were 2xx and the bytes equal, and how often the last call returned before the file was readable.',
    fault: 'Not applicable as a failure; recorded variant: lost chunk without an error.',
    needs: ['file-area-any'],
    style: 'concurrency',
  },
  'files.chunk.interleaved-files': {
    level: 'must',
    source: 'extensions: File routes, row 2 and chunk table (each call names its file)',
    statement:
      'Chunk uploads of different files that run at the same time do not mix, also when their names, but not their directories, are equal.',
    check:
      'Two files `a/n.bin` and `b/n.bin` of the same size, chunks sent alternately, then four uploads in parallel (each one in order); all GETs equal their own buffer.',
    fault: 'Partial uploads are keyed by resumableFilename only.',
    needs: ['file-area-any'],
    style: 'concurrency',
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.existing-file': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (existing file mentioned for the stream row only)',
    statement: 'What a chunk upload onto an existing file does (refuse, replace, append) is not said.',
    check:
      'Upload A by stream, then a two-chunk B to the same path; record the status of both calls and which bytes GET returns.',
    fault: 'Not applicable as a failure; recorded variant: B appended to A.',
    needs: ['file-area-any'],
  },
  'files.chunk.partial-deletable': {
    level: 'must',
    source: 'extensions: File routes, paragraph after the chunk table (interrupted upload)',
    statement: 'When an interrupted chunk upload leaves a readable partial file, DELETE of its path removes it.',
    check:
      'Send 2 of 3 chunks and stop; GET the path. When it is 2xx, DELETE has to be 2xx and the next GET has to fail. When it is not readable, record the DELETE status and pass.',
    fault: 'Files with an unfinished upload cannot be deleted.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks'],
  },
  'files.chunk.restart-after-interruption': {
    level: 'must',
    source: 'extensions: File routes, paragraph after the chunk table (client cleans up)',
    statement:
      'After an interrupted upload and the clean-up DELETE (whatever it answered), the complete upload to the same path, chunked or by stream, succeeds with the right bytes.',
    check:
      '1 of 3 chunks, DELETE, then a fresh 3-chunk upload with other bytes of another total size; GET equals the new buffer. Repeat with a stream upload as the second one.',
    fault: 'State of the first attempt survives the DELETE and is merged into the second upload.',
    needs: ['file-area-any'],
    after: ['files.chunk.partial-deletable'],
  },
  'files.chunk.partial-visibility': {
    level: 'observe',
    source: 'extensions: File routes, paragraph after the chunk table',
    statement:
      'Whether and with which bytes an unfinished chunk upload is visible to GET and to the listing is recorded.',
    check:
      'After 1 of 3 and 2 of 3 chunks GET the path and the listing; record the status, the length, and whether it changed by itself within 3 s.',
    fault: 'Not applicable as a failure; recorded variant: pre-allocated file of full length.',
    needs: ['file-area-any'],
  },
  'files.chunk.inconsistent-parts': {
    level: 'observe',
    source: 'extensions: File routes, chunk table (silent on contradictions)',
    statement:
      "Contradicting or missing form parts (three different names in the part's filename, resumableFilename and the relative path, chunk number 0 or above the total, total chunks not matching the size, current size not matching the part, missing text part, missing `file` part, non-numeric values) have no documented result.",
    check:
      'One call per case to a fresh path; record statuses and under which of the names a file became readable. A 5xx is flagged.',
    fault: 'Not applicable as a failure; recorded variant: declared sizes are ignored.',
    needs: ['file-area-any'],
  },
  'files.chunk.part-order': {
    level: 'should',
    source: 'extensions: File routes, row 2 (form parts, no order stated)',
    statement:
      'The order of the parts in the form is not significant: `file` first, last or in the middle gives the same result.',
    check:
      'Three one-chunk uploads that differ only in part order; all 2xx and readable. Built with a raw body so that the client library cannot reorder.',
    fault: 'Text parts after the `file` part are not read.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk'],
  },
});
