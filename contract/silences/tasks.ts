import type { Silence } from './silence.ts';

/** External tasks and their reports. */
export const taskSilences: readonly Silence[] = [
  {
    id: 'task-link-templates',
    source: 'extensions: External task links',
    open: 'What has to be filled into the links of a task, and if they open by themselves.',
    choice:
      '{path} and {status}, in absolute URLs; inputFile has its token, downloadFile waits for one after `?token=`.',
    profile: 'tasks.linkTemplates',
    records: 'placeholders, form, tokens',
  },
  {
    id: 'task-status-letter-case',
    source: 'extensions: Callbacks from an external task, status',
    open: 'If a status may be reported in other letters, and how a report is acknowledged.',
    choice:
      'As written or 400; 204. A body of another form gets 422, as do paths over 4096 and messages over 10000 characters.',
    profile: 'status.taskCallback',
    records: 'status, by spelling and on success',
  },
  {
    id: 'task-final-state-changes',
    source: 'extensions: External task status',
    open: 'What a report is worth when the job has ended or timed out.',
    choice: 'Nothing: 409, the end stays what it was. A cancelled job has failed, and keeps that it was cancelled.',
    records: 'statuses and state of the job',
  },
  {
    id: 'task-timeout-clock',
    source: 'extensions: Payloads, ExternalTask; Limits, task timeout',
    open: 'When the time of a task starts, and if progress buys more.',
    choice: 'When it is acknowledged; no. A report that comes ahead of the acknowledgement counts.',
    profile: 'tasks.timeoutClock',
    records: 'time until failure, from call and from acknowledgement',
  },
  {
    id: 'task-delivery-failure',
    source: 'extensions: Events, rule 3; External task status',
    open: 'How a job ends whose call never got through.',
    choice: 'Failed, at once.',
    records: 'when, and in which state',
  },
  {
    id: 'task-callback-identity',
    source: 'extensions: Authentication, rule 4; Callbacks from an external task',
    open: 'Who besides the scheduler may report.',
    choice: 'Whoever has a role in the space.',
    records: 'status for another member and for an outsider',
  },
];
