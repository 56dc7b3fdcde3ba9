import { rules } from '../rule.ts';

export const tasksRules = rules('tasks', {
  'tasks.payload.fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask',
    statement:
      'A task payload has timeout (number), jobSettings with timeZone, language, culture and effectivityMode, taskSettings, and links (array of objects with id, method and url as strings).',
    check:
      "Validate with a JSON schema; extra members of jobSettings are recorded. taskSettings equals what the profile's job configures, deep-equal.",
    fault: 'jobSettings has no effectivityMode.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.payload.envelope-id-is-job': {
    level: 'must',
    source: 'extensions: Call envelope, row id (external tasks)',
    statement:
      'The envelope id of a task call is the object id of the data-exchange job, even when the request that scheduled it had a correlation id.',
    check:
      'Compare with the job id that the trigger returns, else with the job segment of the taskStatus link; schedule with an X-Correlation-Id and expect the job id all the same.',
    fault: 'Task envelopes get a generated GUID.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'trigger-headers'],
  },
  'tasks.payload.timeout-default': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask; Limits, task timeout',
    statement: 'A task without a configured timeout has `timeout` 600 in its payload.',
    check: 'Job without the property; value equals the number 600.',
    fault: 'Default is 100, the request timeout.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.payload.timeout-configured': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask (timeout property of the task configuration)',
    statement: 'A timeout property in the task configuration sets `timeout` in the payload.',
    check: 'Jobs with 5 and 1200; the payload has the same number.',
    fault: 'Payload always says 600.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.payload.timeout-default'],
  },
  'tasks.links.ids-and-methods': {
    level: 'must',
    source: 'extensions: External task links, table',
    statement:
      'links has the eight documented ids once each with their methods: inputDir, inputFile, content and downloadFile GET; taskStatus and taskProgress PUT; uploadFileStream and uploadFile POST.',
    check:
      'Set comparison; extra ids are recorded, missing or doubled ones fail. Each url is absolute, or resolves against baseAddress (which of the two is recorded).',
    fault: 'uploadFileStream is given as PUT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.payload.fields'],
  },
  'tasks.links.status-and-progress-routes': {
    level: 'must',
    source: 'extensions: External task links, rows taskStatus and taskProgress; Callbacks from an external task, table',
    statement: 'taskStatus and taskProgress point to the documented callback routes of this space and job.',
    check:
      'Paths match `/api/space/{spaceId}/dx/{jobOid}/status...` and `/api/space/{spaceId}/dx/{jobOid}/progress` with the ids of envelope and payload; whether the status segment is left out or a template is recorded.',
    fault: 'Links carry the job id of the previous job.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
  },
  'tasks.links.input-file-usable': {
    level: 'must',
    source: 'extensions: External task links, row inputFile (token in query)',
    statement: "inputFile delivers the bytes of the job's input file by GET with the token in the query.",
    check:
      "GET the link as it is; when that is 401 append `token=` with the envelope's token (which form was needed is recorded). Bytes equal the file that the trigger supplied. Without any token it is 401.",
    fault: 'inputFile points to the directory.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
  },
  'tasks.links.input-dir-usable': {
    level: 'must',
    source: 'extensions: External task links, row inputDir',
    statement: "inputDir is a GET address of the directory that holds the job's file.",
    check:
      "GET with the envelope token as bearer; 2xx and the input file's name occurs in the body. The format is recorded.",
    fault: 'inputDir points to the area root.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
  },
  'tasks.links.upload-stream-usable': {
    level: 'must',
    source: 'extensions: External task links, row uploadFileStream',
    statement:
      "A stream upload to uploadFileStream with the envelope token stores the file beside the task's input file by default.",
    check:
      'POST bytes and checksum to the link plus a file name (or to its template); 2xx, and a GET in the input directory returns the bytes. How the name enters the link is recorded.',
    fault: 'uploadFileStream stores into the area root.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
  },
  'tasks.links.upload-chunk-usable': {
    level: 'must',
    source: 'extensions: External task links, row uploadFile',
    statement:
      "A two-chunk upload to uploadFile with the envelope token stores the file, by default in the directory of the task's input file.",
    check:
      'Chunk form with the input directory in the relative path; all 2xx and readable. With a bare file name as relative path record where the file lands.',
    fault: 'uploadFile is the stream address again.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
  },
  'tasks.links.templates-usable': {
    level: 'must',
    source:
      'extensions: External task links, rows content and downloadFile (template URLs, token in query for the latter)',
    statement: "content and downloadFile are templates which, filled with a file's path, deliver that file.",
    check:
      'Record the placeholders; fill them with the path uploaded by the two upload rules; 2xx and equal bytes, downloadFile with the token in the query and no header. What separates the two beyond that is recorded.',
    fault: 'downloadFile answers 401 to a token in the query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.upload-stream-usable'],
  },
  'tasks.status.completed': {
    level: 'must',
    source: 'extensions: External task status, row Completed; Callbacks, table',
    statement:
      'PUT of status Completed with the envelope token is accepted and completes the task: the job goes on and does not fail.',
    check:
      '2xx; the job as read through the profile is not failed within 10 s and reaches its completed state. Before the PUT it is neither.',
    fault: 'Completed is accepted and the task runs into its timeout.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
  },
  'tasks.status.canceled-job-failed': {
    level: 'must',
    source: 'extensions: External task status, row Canceled',
    statement: 'PUT of status Canceled is accepted, and the job is reported as failed.',
    check: '2xx; the job reads as failed within 10 s. Whether the task itself shows Canceled is recorded.',
    fault: 'Canceled completes the job.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
  },
  'tasks.status.failed-job-outcome': {
    level: 'must',
    source: 'extensions: External task status, row Failed',
    statement: 'PUT of status Failed is accepted and ends the task as failed.',
    check:
      '2xx; the task, or where only the job is readable the job, reads as failed within 10 s and not as completed.',
    fault: 'Failed is recorded as Completed.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
  },
  'tasks.status.body-optional': {
    level: 'must',
    source: 'extensions: Callbacks from an external task, row status (body optional)',
    statement:
      'The status PUT is accepted without a body, with an empty JSON object, with one of outputFilePath and logFilePath, and with both.',
    check: 'One job per form, status Completed; all 2xx. Without a body no Content-Type is sent.',
    fault: 'A PUT without a body is answered 400.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.status.file-paths-used': {
    level: 'should',
    source: 'extensions: External task status, rows Completed, Canceled and Failed',
    statement: 'outputFilePath and logFilePath of the status body are available on the job afterwards.',
    check:
      'Upload both files by the links, report them, read the job: both paths occur. A log path given with Canceled and Failed occurs as well. How the job uses the output is not documented.',
    fault: 'logFilePath is dropped for failed tasks.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['tasks.status.completed'],
  },
  'tasks.status.invalid-refused': {
    level: 'must',
    source: 'extensions: Callbacks from an external task, row status (three values)',
    statement: 'Any status other than Completed, Canceled and Failed is refused and leaves the task running.',
    check:
      '`Running`, `Done`, `Cancelled` (two l) and `0`; each outside 2xx; a following Completed is still accepted. Status of the refusal recorded, as is the answer to `completed` in lower case (on a job of its own).',
    fault: 'Unknown values are accepted and ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.status.after-final': {
    level: 'observe',
    source: 'extensions: External task status (leaving a final state silent)',
    statement:
      'What a second status PUT, the same or another one, or a progress PUT does after a final status is not said.',
    check:
      "Completed, then Completed, Failed and a progress message; record statuses and whether the job's outcome changed.",
    fault: 'Not applicable as a failure; recorded variant: last report wins.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.callback.missing-credential-401': {
    level: 'must',
    source: 'core: Authentication, rule 6; extensions: Authentication, rule 4',
    statement: 'Status and progress PUTs without a credential are answered 401 and change nothing.',
    check:
      'Both routes without Authorization; 401; a following authenticated Completed is accepted. Whether the token in the query is accepted there is recorded.',
    fault: 'Progress route is open.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.callback.unknown-job-fails': {
    level: 'must',
    source: 'core: Errors, row 404; extensions: Callbacks from an external task, table',
    statement: 'Status and progress PUTs for a job id that does not exist are refused; 404 is expected.',
    check: 'Well-formed random id in the place of the job id; outside 2xx, a status other than 404 warns.',
    fault: 'Unknown job ids answer 2xx.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
  },
  'tasks.callback.foreign-space-fails': {
    level: 'must',
    source: 'extensions: Callbacks from an external task, table (space and job in the path)',
    statement:
      'A job is addressed by its own space only: its id under another space is refused and the job is unchanged.',
    check:
      "PUT Failed with the second space's id; outside 2xx; then Completed under the right space is accepted and the job completes.",
    fault: 'Space id of the callback route is ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'second-space'],
  },
  'tasks.callback.foreign-user': {
    level: 'should',
    source: 'core: Authentication, rules 6 and 7',
    statement:
      'A user without a role in the space gets 403 on the callbacks of its jobs; what another member of the space gets is recorded.',
    check: 'Outsider token on both routes; 403, job unchanged. Member token: status recorded.',
    fault: 'Any valid token may report a status.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'outsider-identity'],
  },
  'tasks.progress.message-shown': {
    level: 'must',
    source: 'extensions: Callbacks from an external task, row progress',
    statement: 'PUT progress with `message` is accepted and the text appears on the job.',
    check:
      'Two messages with unique markers, unicode included; 2xx each; the job as read shows the latest one within 5 s. Progress does not end the task: a following Completed is accepted. A missing message is recorded.',
    fault: 'Progress is accepted and dropped.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
  },
  'tasks.timeout.configured-fails-job': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask (timeout); Limits, task timeout',
    statement: 'A task that reports no final status within its configured timeout makes the job fail, and not earlier.',
    check:
      'timeout 10, call acknowledged at once, progress sent at 5 s; poll the job each 250 ms: not failed at 9.5 s after the call, failed by 10 s plus 5 s (polling and job bookkeeping). A twin that reports Completed at 8 s is not failed at 20 s. Which moment starts the clock, and whether progress extends it, is recorded.',
    fault: 'Timeout is not enforced.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    style: 'schedule',
    seconds: 20,
    after: ['tasks.payload.timeout-configured'],
  },
  'tasks.timeout.default-fails-job': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask (default 600); Limits, task timeout',
    statement: 'Without configuration the job fails 600 s after the task was called.',
    check: 'Poll each 2 s: not failed at 595 s, failed by 630 s.',
    fault: 'Default timeout is 6000 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read', 'long-run'],
    style: 'schedule',
    seconds: 630,
    after: ['tasks.timeout.configured-fails-job'],
  },
  'tasks.timeout.late-report': {
    level: 'observe',
    source: 'extensions: External task status (report after the timeout silent)',
    statement:
      "What a Completed report after the timeout does is not said; nor the job's state after the delivery of the call finally failed.",
    check:
      'timeout 5, Completed at 12 s: record status and job. Separately answer the call with 400 and record when the job fails: at once or at its timeout.',
    fault: 'Not applicable as a failure; recorded variant: late report is refused.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    style: 'schedule',
    seconds: 15,
  },
  'tasks.host.acknowledged-first': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Calls to extensions, row ExternalTask',
    statement:
      "A task call is acknowledged with 200 or 201 before the task's work: the answer arrives while the suite still withholds the input file.",
    check:
      'The suite serves the links and holds the input download for 15 s; the acknowledgement arrives within 5 s of the call and before the first final status report. Other 2xx are a warning, since the table does not name codes for tasks.',
    fault: 'Host runs the task and answers afterwards.',
    needs: ['extension-host', 'extension-task'],
    after: ['signing.extension-host.right-signature-accepted'],
  },
  'tasks.host.final-status': {
    side: 'extension',
    level: 'must',
    source: 'extensions: External task status; Callbacks from an external task',
    statement:
      'For an acknowledged task the host reports exactly one of Completed, Canceled and Failed by PUT to the taskStatus address.',
    check:
      "Sample with known success; wait up to the payload's timeout (60 s in the check); one PUT whose last segment is one of the three, spelled exactly. A second final report within 10 s is a warning.",
    fault: 'Status is reported as `completed`.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.acknowledged-first'],
  },
  'tasks.host.status-body': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Callbacks from an external task, row status',
    statement:
      'A body of the status report, when there is one, is a JSON object whose outputFilePath and logFilePath are strings.',
    check: 'Parse; extra members are recorded; a reported path was uploaded before the report, else a warning.',
    fault: 'Paths are sent as an array.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
  },
  'tasks.host.failure-reported': {
    side: 'extension',
    level: 'must',
    source: 'extensions: External task status, row Failed',
    statement: 'A task that cannot be done ends with Failed (or Canceled), not with silence or Completed.',
    check:
      "Sample known to fail, and a run in which the input download answers 404; a final status other than Completed within the payload's timeout.",
    fault: 'Errors of the work are logged only and no status is sent.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
  },
  'tasks.host.downloads-input': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Callbacks from an external task, closing sentence',
    statement:
      'The host fetches the input itself through the given link and uploads results through the upload links, with a right checksum.',
    check:
      'Requests on inputFile (or downloadFile) and, when the sample has output, on uploadFileStream or uploadFile; checksum header verified. A task without input or output is reported as not exercised.',
    fault: 'Upload is sent without checksum.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
  },
  'tasks.host.progress': {
    side: 'extension',
    level: 'should',
    source: 'extensions: External task links, row taskProgress; Callbacks, row progress',
    statement: 'Progress reports are PUTs with a JSON object with message (string), sent before the final status.',
    check: 'Validate each one; none after the final status. No report at all on a sample that runs over 10 s warns.',
    fault: 'message is a number.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
  },
  'tasks.host.callback-token': {
    side: 'extension',
    level: 'must',
    source: 'extensions: Authentication, rules 1 and 4; External task links (token in query)',
    statement:
      "Requests on the links carry the token of this call's envelope, as bearer or, for downloads, in the query.",
    check:
      'Every request on the links is checked; the suite answers 401 to others, so a host that works without a token cannot finish.',
    fault: 'Status report is sent without Authorization.',
    needs: ['extension-host', 'extension-task'],
    after: ['tasks.host.acknowledged-first'],
  },
  'tasks.host.follows-links': {
    side: 'extension',
    level: 'should',
    source: 'extensions: External task links, table',
    statement: 'The host uses the urls and methods of the links and does not build the addresses itself.',
    check:
      'Give unusual but working urls (another path prefix, an extra query parameter) in the links; requests arrive there, with the method of the link.',
    fault: 'Status address is built from baseAddress and spaceId.',
    needs: ['extension-host', 'extension-task'],
    after: ['tasks.host.final-status'],
  },
  'tasks.host.within-timeout': {
    side: 'extension',
    level: 'should',
    source: 'extensions: Payloads, row ExternalTask (timeout)',
    statement: "The host reports a final status before the payload's timeout is over.",
    check:
      'timeout 20 with an input download that never ends; a final status (Failed or Canceled) arrives before 20 s.',
    fault: 'timeout of the payload is ignored.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    style: 'schedule',
    seconds: 25,
    after: ['tasks.host.final-status'],
  },
});
