import { Refusal } from '../../problem.ts';
import { taskStatuses, type TaskStatus } from '../../tasks/job.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';

export const statusFaults = {
  'tasks.status.completed': replacing(
    'jobAfterReport',
    (right) => (job, status, files) => (status === 'Completed' ? { ...job, ...files } : right(job, status, files)),
  ),

  'tasks.status.canceled-job-failed': completedBy('Canceled'),
  'tasks.status.failed-job-outcome': completedBy('Failed'),

  'tasks.status.body-optional': replacing('reportedFilesOf', (right) => (service, call) => {
    if (call.body === undefined || call.body.length === 0) throw new Refusal(400, 'Expected a body.');
    return right(service, call);
  }),

  'tasks.status.file-paths-used': replacing('jobAfterReport', (right) => (job, status, files) => {
    const { logFilePath: _, ...others } = files;
    return right(job, status, status === 'Failed' ? others : files);
  }),

  'tasks.status.invalid-refused': replacing('reportStatus', (right) => async (service, call, writing) => {
    const isKnown = taskStatuses.some((status) => status === call.params['status']);
    return isKnown ? right(service, call, writing) : { status: 204 };
  }),
} satisfies Partial<FaultsOf<'tasks'>>;

/** Reports of that status are taken for Completed. */
function completedBy(wrong: TaskStatus): Fault {
  return replacing(
    'jobAfterReport',
    (right) => (job, status, files) => right(job, status === wrong ? 'Completed' : status, files),
  );
}
