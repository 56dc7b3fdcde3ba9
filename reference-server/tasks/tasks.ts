import type { Route } from '../route.ts';
import { dropDeadline, failOverdue, jobAfterTimeout, taskDeadline } from './deadline.ts';
import { jobOut, jobsPath, locateJob, readJob } from './job.ts';
import {
  assertOpen,
  jobAfterProgress,
  jobAfterReport,
  progressOf,
  reportedFilesOf,
  reportProgress,
  reportStatus,
  taskStatusFrom,
} from './report.ts';

export const tasksBehaviours = {
  readJob,
  locateJob,
  jobOut,
  reportStatus,
  taskStatusFrom,
  reportedFilesOf,
  assertOpen,
  jobAfterReport,
  reportProgress,
  progressOf,
  jobAfterProgress,
  taskDeadline,
  dropDeadline,
  failOverdue,
  jobAfterTimeout,
};

/** Reports are open to every role in the space. Source: ledger task-callback-identity */
export const tasksRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${jobsPath}/{jobId}`,
    access: 'space',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readJob(service, call, reading),
  },
  {
    method: 'PUT',
    path: `${jobsPath}/{jobId}/status/{status}`,
    access: 'participant',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.reportStatus(service, call, writing),
  },
  {
    method: 'PUT',
    path: `${jobsPath}/{jobId}/progress`,
    access: 'participant',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.reportProgress(service, call, writing),
  },
];
