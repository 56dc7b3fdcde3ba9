import type { SilencesOfSection } from './silence.ts';

/** What makes the service call an extension, and where a client sees what came of it. */
export const triggerSilences: SilencesOfSection = {
  'trigger-event-binding': {
    source: 'extensions: Events, rule 5; core: Events',
    open: 'Which request sends an event, and how one subscribes.',
    choice:
      'POST externalEvent below the space, with the record and a payload: invented here, and bound by the bundled profile.',
    profile: 'triggers.event',
    records: 'the request used, and the time until the call',
  },
  'trigger-endpoint-binding': {
    source: 'extensions: Registered external endpoint, id; Events, rule 5',
    open: 'How an event reaches a plain endpoint with the body set up for it.',
    choice: 'By the same request, naming the endpoint; the content may be of any type.',
    profile: 'triggers.endpoint',
    records: 'the request used, and if it chooses the body',
  },
  'trigger-validation-binding': {
    source: 'extensions: Extension metadata record, use of capabilities; core: Endpoint table, row promote',
    open: 'What ties an object to its validation, and how the caller hears the verdict.',
    choice:
      'Promoting an object of a listed SoftType validates it; a no is 409, an error 502, both with the message, the version as it was.',
    profile: ['triggers.validation', 'expect.validationNegative', 'expect.validationFailed'],
    records: 'how yes, no and failure look',
  },
  'trigger-task-binding': {
    source: 'extensions: Payloads, ExternalTask',
    open: 'Which request schedules a job with an external task.',
    choice:
      'POST dx below the space, with record, input, settings and timeout; the id of the job comes back. The input may be placed later.',
    profile: 'triggers.task',
    records: 'the request used, and if the id is in its answer',
  },
  'trigger-email-binding': {
    source: 'extensions: Payloads, Email',
    open: 'What makes the service send mail.',
    choice: 'A request of its own with to, subject and body; the sender is configured.',
    profile: 'triggers.email',
    records: 'the request used, and the fields of the mail',
  },
  'trigger-action-binding': {
    source: 'extensions: Payloads, ExternalAction; Errors, rule 4',
    open: 'Which request runs an action, and what its sender sees of the answer.',
    choice: 'POST externalAction and the record id, below the space; status and body come through.',
    profile: ['triggers.actionForm', 'triggers.actionRibbon'],
    records: 'the request used, and what came through',
  },
  'job-route': {
    source: 'extensions: Callbacks from an external task; External task status',
    open: 'Where a job can be watched.',
    choice: 'GET dx and the job, below the space: state, progress, outputFilePath, logFilePath.',
    profile: 'routes.job',
    records: 'states around each report',
  },
  'event-delete-route': {
    source: 'extensions: Events, rule 3',
    open: 'By which request a user withdraws an event.',
    choice: 'DELETE on what the trigger answered with.',
    profile: 'routes.eventDelete',
    records: 'if it could be tried',
  },
  'log-access': {
    source: 'extensions: Errors, rule 3; Call envelope, id',
    open: 'How the log is written and read, and how extensions add to it.',
    choice: 'GET api/admin/log, JSON lines with kind, endpoint, wait, retry, total.',
    profile: 'routes.deliveryLog',
    records: 'kinds of lines found',
  },
};
