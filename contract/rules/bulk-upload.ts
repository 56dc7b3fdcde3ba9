import { rules } from '../rule.ts';

export const bulkUploadRules = rules('bulk-upload', {
  'bulk-upload.collection.uploads-tree': {
    level: 'must',
    source: 'extensions: File routes, row 5; Bulk upload request body',
    statement:
      '`POST /admin/fileupload` with a valid key signature copies the files of sourceDirectory into the collection file area.',
    check:
      'Put three files with known bytes into a run-unique directory on the host, POST, then poll GET in the collection area up to 30 s until all are readable and equal. Before the call the same GETs fail. Space areas stay without them.',
    fault: 'Collection-level call stores into the first space.',
    needs: ['admin-api-key', 'host-directory', 'file-area-collection', 'collection-admin'],
  },
  'bulk-upload.space.uploads-tree': {
    level: 'must',
    source: 'extensions: File routes, row 6; Bulk upload request body',
    statement: '`POST /admin/fileupload/{spaceId}` copies into the file area of that space.',
    check:
      'As for the collection level; the files appear in the space area of the named space and not in the collection area nor in a second space.',
    fault: 'Space id of the bulk route is ignored.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
  },
  'bulk-upload.participant.uploads-tree': {
    level: 'must',
    source: 'extensions: File routes, row 7; Bulk upload request body',
    statement: '`POST /admin/fileupload/{spaceId}/{participantId}` copies into the file area of that participant.',
    check: 'As above; the files appear under the participant and not in the space area.',
    fault: 'Participant-level call stores into the space area.',
    needs: ['admin-api-key', 'host-directory', 'file-area-participant'],
  },
  'bulk-upload.structure.preserved': {
    level: 'must',
    source: 'extensions: Bulk upload request body, rows sourceDirectory and targetDirectory',
    statement: 'The subdirectory structure below sourceDirectory is kept in the file area.',
    check:
      'Tree of depth 3 with equal file names in different directories and names with spaces and non-ASCII letters; each file is readable at its own relative path with its own bytes.',
    fault: 'Files are uploaded flat by base name.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.target-directory.default-root': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row targetDirectory',
    statement: 'Without targetDirectory the structure starts at the area root, as with `/`.',
    check:
      "One call without the field and one with `/` (other file names); both are found at the root. Negative: not found under the source directory's own name.",
    fault: 'Default target is the name of sourceDirectory.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.target-directory.honoured': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row targetDirectory',
    statement: 'With targetDirectory the structure ends up below that relative path of the area, which need not exist.',
    check:
      'targetDirectory `in/deep`; files readable at `/in/deep/...` and not at the root. Record whether leading and trailing slashes matter.',
    fault: 'targetDirectory is ignored.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.target-directory.no-escape': {
    level: 'should',
    source: 'extensions: Bulk upload request body, row targetDirectory (relative path in the file area)',
    statement:
      'A targetDirectory with `..` segments or an absolute path never places files outside the addressed area.',
    check:
      'targetDirectory `../../x` and an absolute path; afterwards the neighbour areas and the watched host directory hold no new file. Refusal and containment both pass.',
    fault: 'targetDirectory is joined without normalisation.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space', 'file-area-collection'],
  },
  'bulk-upload.replace-files.default-keeps': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row replaceFiles',
    statement: 'Without replaceFiles, or with false, a file that already exists in the target keeps its bytes.',
    check:
      'Upload A by stream, bulk-upload a source with the same relative path and other bytes plus one new file as progress mark; after the new file is readable the old one still equals A. Both with the field left out and with false.',
    fault: 'replaceFiles defaults to true.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.replace-files.true-replaces': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row replaceFiles',
    statement: 'With replaceFiles true an existing file gets the bytes of the source file.',
    check:
      'As above with true; poll until the path returns the new bytes (shorter than the old ones, so that a partial overwrite shows).',
    fault: 'Existing files are skipped although replaceFiles is true.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.replace-files.default-keeps'],
  },
  'bulk-upload.replace-files.others-continue': {
    level: 'should',
    source: 'extensions: Bulk upload request body, rows writeLog (errors per file) and replaceFiles',
    statement: 'A file that cannot be placed because it exists does not stop the remaining files of the same call.',
    check:
      'Source with 5 files of which the alphabetically first, middle and last exist in the target; the two others arrive. Order independence guards against an implementation that stops at the first.',
    fault: 'First conflict aborts the run.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.replace-files.default-keeps'],
  },
  'bulk-upload.delete-after.default-keeps-source': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    statement: "Without deleteFilesAfterUpload, or with false, the source files stay on the host's disk.",
    check:
      'After all files are readable through the API list the source directory: all files still there with equal bytes; look again 5 s later.',
    fault: 'deleteFilesAfterUpload defaults to true.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.delete-after.true-removes-source': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    statement:
      'With deleteFilesAfterUpload true the uploaded files are gone from sourceDirectory, and are readable in the file area.',
    check:
      'Poll up to 30 s until the source files are gone; then every one is readable through the API with equal bytes. Record whether empty source directories remain.',
    fault: 'deleteFilesAfterUpload is ignored.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.delete-after.keeps-not-uploaded': {
    level: 'must',
    source: 'extensions: Bulk upload request body, rows deleteFilesAfterUpload (the uploaded files) and replaceFiles',
    statement:
      'Only files that were uploaded are deleted: a source file that was not taken because its target exists stays on disk.',
    check:
      'replaceFiles false and deleteFilesAfterUpload true with one conflicting and two new files; the new ones vanish from the source, the conflicting one is still there with its bytes.',
    fault: 'The whole source directory is emptied after the run.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.delete-after.true-removes-source', 'bulk-upload.replace-files.default-keeps'],
  },
  'bulk-upload.log.written': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row writeLog',
    statement:
      'With writeLog true the end of the run leaves one new file `FileUpload_<timestamp>.log` directly in sourceDirectory.',
    check:
      'Poll the source root up to 30 s for `FileUpload_*.log`; exactly one new file, none in subdirectories. Its modification time is not before the last uploaded file became readable, within the poll step.',
    fault: 'Log file is written with the extension `.json`.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.log.is-json': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row writeLog',
    statement:
      'The log file is one JSON document that carries the settings of the call, details per file, errors and statistics; member names are not documented.',
    check:
      'Parse as JSON. Search the values: the targetDirectory and flags sent, every source file name, the number of files; in a run with a conflict, something about the conflicting file that is absent from the clean run. Names and nesting are recorded only.',
    fault: 'Log is plain text lines.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.log.written'],
  },
  'bulk-upload.log.not-written': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row writeLog',
    statement: 'With writeLog false no log file is written.',
    check: 'After all files are readable wait 5 s and list the source recursively: exactly the original files.',
    fault: 'The log is always written.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.space.uploads-tree'],
  },
  'bulk-upload.log.survives-source-deletion': {
    level: 'must',
    source: 'extensions: Bulk upload request body, rows writeLog and deleteFilesAfterUpload',
    statement:
      'With writeLog and deleteFilesAfterUpload both true the log remains in the source root, and it is not among the uploaded files of that run.',
    check: "After the run the source root holds the log only; GET of the log's name in the target area fails.",
    fault: 'Log is deleted together with the uploaded files.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['bulk-upload.log.written', 'bulk-upload.delete-after.true-removes-source'],
  },
  'bulk-upload.body.source-directory-required': {
    level: 'must',
    source: 'extensions: Bulk upload request body, row sourceDirectory (required)',
    statement: 'A body without sourceDirectory is refused (no 2xx).',
    check:
      'Correctly signed POST with `{"writeLog": false}`; outside 2xx, 4xx expected and recorded. Pair: the same body with the field is accepted.',
    fault: 'A missing sourceDirectory means an empty upload and answers 2xx.',
    needs: ['admin-api-key', 'host-directory'],
  },
  'bulk-upload.body.write-log-required': {
    level: 'should',
    source: 'extensions: Bulk upload request body, row writeLog (required)',
    statement: 'A body without writeLog is refused and nothing is uploaded.',
    check:
      'Signed POST with sourceDirectory only; outside 2xx, after 5 s the files are not readable. Pair: adding `writeLog: false` uploads them.',
    fault: 'writeLog defaults to false.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
  },
  'bulk-upload.body.source-not-accessible': {
    level: 'observe',
    source: 'extensions: Bulk upload request body, row sourceDirectory (host must have access)',
    statement: 'The answer for a source directory that does not exist, is a file, or is empty is not said.',
    check: 'Three calls; record status and body, whether the failure shows in the response or only in a log.',
    fault: 'Not applicable as a failure; recorded variant: 2xx and silence.',
    needs: ['admin-api-key', 'host-directory'],
  },
  'bulk-upload.response.status-and-timing': {
    level: 'observe',
    source: 'extensions: File routes, sentence on success status codes',
    statement: 'Success status, body, and whether the answer comes before or after the files are in place is not said.',
    check:
      'Record status, body and whether all files were readable at the moment of the response, for 3 and for 300 files.',
    fault: 'Not applicable as a failure; recorded variant: 202 with a job reference.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
  },
  'bulk-upload.auth.missing-credential-401': {
    level: 'must',
    source: 'extensions: Authentication, rule 2; core: Authentication, rule 6',
    statement: 'A bulk call without Authorization is answered 401 and uploads nothing.',
    check: 'On all three levels; 401, and after 5 s none of the files is readable.',
    fault: 'Bulk routes are open.',
    needs: ['host-directory', 'file-area-space'],
  },
  'bulk-upload.auth.jwt-refused': {
    level: 'must',
    source: 'extensions: Authentication, rule 2 (needs the administration API key)',
    statement:
      "A bulk call that carries a user's access token, even of a Collection Administrator, instead of a key signature is refused.",
    check:
      'Bearer JWT of the administrator, Basic with PAT; both outside 2xx and nothing uploaded. The same token works on a collection route, so it is valid.',
    fault: 'Bulk routes accept any valid bearer of an administrator.',
    needs: ['host-directory', 'collection-admin', 'file-area-space'],
  },
});
