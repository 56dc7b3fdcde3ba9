import { defaultTaskTimeoutSeconds } from '../../../contract/limits.ts';
import { replacing, type FaultsOf } from '../fault.ts';

const tenfold = 10;

export const timeoutFaults = {
  'tasks.timeout.configured-fails-job': replacing(
    'taskDeadline',
    (right) => (service, job) => (job.timeout === defaultTaskTimeoutSeconds ? right(service, job) : undefined),
  ),

  'tasks.timeout.default-fails-job': replacing('taskDeadline', (right) => (service, job) => {
    const isDefault = job.timeout === defaultTaskTimeoutSeconds;
    return right(service, isDefault ? { ...job, timeout: tenfold * job.timeout } : job);
  }),
} satisfies Partial<FaultsOf<'tasks'>>;
